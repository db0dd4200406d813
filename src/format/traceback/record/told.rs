//! A step as its lines say it.

use crate::format::traceback::lines::{self, CREATED_BY};
use crate::format::traceback::pairs::Sort;
use std::ops::Range;

/// A step as its lines say it; what it says stands at these places of the text.
pub(super) struct Told {
    pub(super) sort: Sort,
    /// The first text of its pair.
    pub(super) one: Range<usize>,
    /// The second one.
    pub(super) two: Range<usize>,
    pub(super) func: Range<usize>,
    /// File and line; empty for a gap.
    pub(super) place: Range<usize>,
    /// The end of the first line.
    pub(super) feed: usize,
    /// Where the line behind the step starts.
    pub(super) end: usize,
    /// The goroutine of a creator.
    pub(super) creator: Option<u64>,
}

impl Told {
    /// The step at `at`; `None` when the lines may be something else.
    pub(super) fn read(text: &[u8], at: usize) -> Option<Told> {
        let first = line(text, at)?;
        let line = text.get(first.clone())?;
        match line.first()? {
            b'\t' | b' ' | b'[' => None,
            b'.' => {
                let feed = end_of_line(text, first.end)?;
                let end = feed.checked_add(1)?;
                let two = first.end..end;
                let func = first.clone();
                let (one, place) = (first, end..end);
                Some(Told { sort: Sort::Gap, one, two, func, place, feed, end, creator: None })
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
                    let told = Told::with_place(text, sort, one, func, first.end)?;
                    Some(Told { creator, ..told })
                }
                None => {
                    let func = at..at.checked_add(lines::call(line)?.len())?;
                    let one = at..func.end.checked_add(1)?;
                    Told::with_place(text, Sort::Call, one, func, first.end.checked_sub(1)?)
                }
            },
        }
    }

    /// A step whose second text starts at `two`, by the end of its first line.
    fn with_place(
        text: &[u8],
        sort: Sort,
        one: Range<usize>,
        func: Range<usize>,
        two: usize,
    ) -> Option<Told> {
        let feed = two.checked_add(memchr::memchr(b'\n', text.get(two..)?)?)?;
        let second = line(text, feed.checked_add(1)?)?;
        let start = second.start.checked_add(1)?;
        let end = end_of_line(text, second.end)?.checked_add(1)?;
        let (place, _) = lines::without_offset(text.get(second)?.strip_prefix(b"\t")?);
        let place = start..start.checked_add(place.len())?;
        // Addresses of the frame, which GOTRACEBACK=system tells, are others for each goroutine.
        let is_alike = !text.get(place.end..end)?.contains(&b'=');
        let two = two..if is_alike { end } else { place.end };
        Some(Told { sort, one, two, func, place, feed, end, creator: None })
    }
}

/// Where a line stands without its end, be that `\n` or `\r\n`.
fn line(text: &[u8], at: usize) -> Option<Range<usize>> {
    let rest = text.get(at..)?;
    let line = rest.get(..memchr::memchr(b'\n', rest)?)?;
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    Some(at..at.checked_add(line.len())?)
}

/// Where the `\n` stands that ends a line, which may be behind a `\r`.
fn end_of_line(text: &[u8], end: usize) -> Option<usize> {
    end.checked_add(usize::from(text.get(end) == Some(&b'\r')))
}
