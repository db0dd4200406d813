//! A step as its lines say it.

use crate::format::traceback::lines::{self, CREATED_BY};
use crate::format::traceback::pairs::Sort;
use std::ops::Range;

/// A step as its lines say it; what it says stands at these places of the text.
pub(super) struct ParsedStep {
    pub(super) sort: Sort,
    /// The first text of its pair.
    pub(super) one: Range<usize>,
    /// The second one.
    pub(super) two: Range<usize>,
    pub(super) func: Range<usize>,
    /// File and line; empty for a gap.
    pub(super) place: Range<usize>,
    /// Where the line behind the step starts.
    pub(super) end: usize,
    /// The goroutine of a creator.
    pub(super) creator: Option<u64>,
}

/// What is known of the lines that come next.
pub(super) struct Ahead<'a> {
    pub(super) text: &'a [u8],
    /// Their ends, as far as they were found before.
    pub(super) ends: &'a [u16],
}

impl Ahead<'_> {
    /// Where the line at `at` ends, which is the one behind the last.
    fn next(&mut self, at: usize) -> Option<usize> {
        if let Some((&feed, rest)) = self.ends.split_first() {
            self.ends = rest;
            return Some(feed as usize);
        }
        at.checked_add(memchr::memchr(b'\n', self.text.get(at..)?)?)
    }
}

impl ParsedStep {
    /// The step at `at`; `None` when the lines may be something else.
    pub(super) fn read(at: usize, ahead: &mut Ahead<'_>) -> Option<ParsedStep> {
        let text = ahead.text;
        let feed = ahead.next(at)?;
        let first = without_return(text, at..feed);
        let line = text.get(first.clone())?;
        match line.first()? {
            b'\t' | b' ' | b'[' => None,
            b'.' => {
                let end = feed.checked_add(1)?;
                let two = first.end..end;
                let func = first.clone();
                let (one, place) = (first, end..end);
                Some(ParsedStep { sort: Sort::Gap, one, two, func, place, end, creator: None })
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
                    let one = at..first.end.checked_sub(digits)?;
                    let step = ParsedStep::with_place(sort, one, func, first.end..feed, ahead)?;
                    Some(ParsedStep { creator, ..step })
                }
                None => {
                    let func = at..at.checked_add(lines::call(line)?.len())?;
                    let one = at..func.end.checked_add(1)?;
                    let two = first.end.checked_sub(1)?;
                    ParsedStep::with_place(Sort::Call, one, func, two..feed, ahead)
                }
            },
        }
    }

    /// A step whose second text starts where `end` does, at the end of its first line.
    fn with_place(
        sort: Sort,
        one: Range<usize>,
        func: Range<usize>,
        end: Range<usize>,
        ahead: &mut Ahead<'_>,
    ) -> Option<ParsedStep> {
        let text = ahead.text;
        let Range { start: two, end: feed } = end;
        let indent = feed.checked_add(1)?;
        let second_feed = ahead.next(indent)?;
        let second = text.get(without_return(text, indent..second_feed))?;
        let end = second_feed.checked_add(1)?;
        let bare = lines::without_offset(second.strip_prefix(b"\t")?);
        let start = indent.checked_add(1)?;
        let place = start..start.checked_add(bare.place.len())?;
        let two = two..if bare.addresses { place.end } else { end };
        Some(ParsedStep { sort, one, two, func, place, end, creator: None })
    }
}

/// A line whose end may be `\r\n`, without the `\r`.
fn without_return(text: &[u8], line: Range<usize>) -> Range<usize> {
    let before = line.end.checked_sub(1).filter(|&before| before >= line.start);
    let is_return = |&before: &usize| text.get(before) == Some(&b'\r');
    line.start..before.filter(is_return).unwrap_or(line.end)
}
