//! A mark behind each line of a dump.

use crate::format::traceback::header::{after_header, leading_number};

/// A longer text behind a header isn't a mark.
const LONGEST: usize = 12;

/// What stands behind each line of a dump: programs that show line ends write `^M`, `$` or `¬`, and texts
/// in source code or lists end in `\`, `\n`, `,` or `"`. It is known from the first line of a goroutine or
/// profile, behind which Go writes nothing; left in place, it would be a part of names with the arguments
/// before it.
#[derive(Debug, Default)]
pub(super) struct EndMark(Vec<u8>);

impl EndMark {
    /// Whether lines end as Go ends them, as far as is known.
    pub(super) fn is_none(&self) -> bool {
        self.0.is_empty()
    }

    /// The line without its mark.
    pub(super) fn cut<'l>(&mut self, line: &'l [u8]) -> &'l [u8] {
        if line.starts_with(b"goroutine ")
            && let Some(after) = after_header(line).or_else(|| after_total(line))
        {
            self.0.clear();
            if is_mark(after) {
                self.0.extend_from_slice(after);
            }
        }
        line.strip_suffix(self.0.as_slice()).unwrap_or(line)
    }
}

/// The text behind the number of `goroutine profile: total 7`.
fn after_total(line: &[u8]) -> Option<&[u8]> {
    let (_, after) = leading_number(line.strip_prefix(b"goroutine profile: total ")?)?;
    Some(after)
}

/// Whether text behind the first line of a dump is no text of its own: words have several letters.
fn is_mark(text: &[u8]) -> bool {
    let is_word = |pair: &[u8]| pair.iter().all(u8::is_ascii_alphabetic);
    text.len() <= LONGEST && !text.trim_ascii().is_empty() && !text.windows(2).any(is_word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_is_cut_off_the_lines_behind_the_first_one_that_has_it() {
        for mark in
            ["^M", "\\", "$", "¬", ",", ";", "\"", r"\n\", r"\r\n", " |", "<0d>", r#"\n" +"#, "'"]
        {
            for first in ["goroutine 7 [select]:", "goroutine profile: total 7"] {
                let mut marks = EndMark::default();
                assert_eq!(marks.cut(b"a log line^M"), b"a log line^M");
                for line in [first, "main.f(0x1)", "created by main.g", ""] {
                    let marked = format!("{line}{mark}");
                    let cut = marks.cut(marked.as_bytes());
                    assert_eq!(String::from_utf8_lossy(cut), line, "{mark}");
                }
                assert_eq!(marks.cut(b"main.g()"), b"main.g()");
            }
        }
    }

    #[test]
    fn text_behind_a_header_is_no_mark() {
        for line in [
            "goroutine 7 [select]: main.main()",
            "goroutine 7 [select]:   ",
            "goroutine 7 [select]: (truncated)",
            "goroutine 7 [select] {\"k\": \"v]:$\"}:",
            "goroutine profile: total 70",
        ] {
            let mut marks = EndMark::default();
            assert_eq!(marks.cut(line.as_bytes()), line.as_bytes());
            assert!(marks.is_none(), "{line}");
        }
    }

    #[test]
    fn a_header_without_a_mark_ends_it() {
        let mut marks = EndMark::default();
        marks.cut(b"goroutine 7 [select]:$");
        marks.cut(b"goroutine 8 [select]:");
        assert_eq!(marks.cut(b"main.f()$"), b"main.f()$");
    }
}
