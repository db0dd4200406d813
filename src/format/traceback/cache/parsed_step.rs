//! Parses a step from its lines.

use super::templates::Sort;
use crate::format::traceback::frame_addresses::Addresses;
use crate::format::traceback::lines::{self, CREATED_BY};
use crate::format::traceback::lookalike;
use std::ops::Range;

/// A step as positions in the text.
pub(super) struct ParsedStep {
    pub(super) sort: Sort,
    /// The first part of its template.
    pub(super) prefix: Range<usize>,
    /// The second part of its template.
    pub(super) suffix: Range<usize>,
    pub(super) func: Range<usize>,
    /// File and line; empty for a gap.
    pub(super) place: Range<usize>,
    /// What follows the place in its line.
    pub(super) addresses: Addresses,
    /// Whether an offset follows the place, or there is none.
    pub(super) is_closed: bool,
    /// Where the line after the step starts.
    pub(super) end: usize,
    /// The goroutine of a creator.
    pub(super) creator: Option<u64>,
}

impl ParsedStep {
    /// Parses the step at `at`; `None` if the lines can be something else.
    pub(super) fn read(at: usize, text: &[u8]) -> Option<ParsedStep> {
        let newline = line_end(text, at)?;
        let first = without_return(text, at..newline);
        let line = text.get(first.clone())?;
        match line.first()? {
            b'\t' | b' ' | b'[' => None,
            b'.' => {
                let end = newline.checked_add(1)?;
                let suffix = first.end..end;
                let func = first.clone();
                let (prefix, place) = (first, end..end);
                Some(ParsedStep {
                    sort: Sort::Gap,
                    prefix,
                    suffix,
                    func,
                    place,
                    addresses: Addresses::default(),
                    is_closed: true,
                    end,
                    creator: None,
                })
            }
            _ => match lines::created_by(line) {
                Some((func, creator)) => {
                    let start = at.checked_add(CREATED_BY.len())?;
                    let func = start..start.checked_add(func.len())?;
                    let is_digit = |byte: &&u8| byte.is_ascii_digit();
                    let (sort, digits) = match creator {
                        Some(_) => (Sort::Creator, line.iter().rev().take_while(is_digit).count()),
                        None => (Sort::OldCreator, 0),
                    };
                    let prefix = at..first.end.checked_sub(digits)?;
                    let before_id = text.get(func.end..prefix.end)?;
                    if creator.is_some() && before_id != lines::IN_GOROUTINE {
                        // Text stands behind the id.
                        return None;
                    }
                    let step =
                        ParsedStep::with_place(sort, prefix, func, first.end..newline, text)?;
                    Some(ParsedStep { creator, ..step })
                }
                // The careful reader doesn't take it as a call either; which of the two reads it
                // depends on how the text is cut into pieces.
                None if lookalike::ends_goroutine(line) => None,
                None => {
                    let func = at..at.checked_add(lines::call(line)?.len())?;
                    let suffix = first.end.checked_sub(1)?;
                    let arguments = func.end.checked_add(1)?..suffix;
                    let is_inlined = text.get(arguments.clone())? == b"...";
                    // Where the call is inlined, they belong to its template: it has no offset.
                    let prefix = at..if is_inlined { suffix } else { arguments.start };
                    let step =
                        ParsedStep::with_place(Sort::Call, prefix, func, suffix..newline, text)?;
                    (!is_inlined || !step.is_closed).then_some(step)
                }
            },
        }
    }

    /// A step whose suffix starts where `end` does, at the end of its first line.
    fn with_place(
        sort: Sort,
        prefix: Range<usize>,
        func: Range<usize>,
        end: Range<usize>,
        text: &[u8],
    ) -> Option<ParsedStep> {
        let Range { start: suffix, end: newline } = end;
        let indent = newline.checked_add(1)?;
        let second_newline = line_end(text, indent)?;
        let second = text.get(without_return(text, indent..second_newline))?;
        let end = second_newline.checked_add(1)?;
        let second = second.strip_prefix(b"\t")?;
        let bare = lines::without_offset(second);
        // They are in no template, so nothing else looks at them.
        let addresses = Addresses::read(second.get(bare.place.len()..)?);
        if addresses.are_damaged || addresses.are_closed {
            return None;
        }
        let start = indent.checked_add(1)?;
        let place = start..start.checked_add(bare.place.len())?;
        let suffix = suffix..if bare.addresses { place.end } else { end };
        let is_closed = bare.offset;
        Some(ParsedStep {
            sort,
            prefix,
            suffix,
            func,
            place,
            addresses,
            is_closed,
            end,
            creator: None,
        })
    }
}

/// Where the line at `at` ends.
fn line_end(text: &[u8], at: usize) -> Option<usize> {
    at.checked_add(memchr::memchr(b'\n', text.get(at..)?)?)
}

/// The line without the `\r` of a line end `\r
/// `.
fn without_return(text: &[u8], line: Range<usize>) -> Range<usize> {
    let before = line.end.checked_sub(1).filter(|&before| before >= line.start);
    let is_return = |&before: &usize| text.get(before) == Some(&b'\r');
    line.start..before.filter(is_return).unwrap_or(line.end)
}
