//! Records of logfmt: `time=2026-01-02T10:31:41Z level=error msg="main.f(0x9)" svc=shop`, as log/slog, logrus and go-kit
//! write them.

use super::record::{Leaf, Records};
use super::{fields, is_of_goroutine};
use crate::format::quoted::unquote;

/// How many fields of a record are kept to recognise what is left of a damaged one.
const KEPT: usize = 8;

/// Longer names aren't compared with parts of others.
const NAME: usize = 64;

/// Parses a whole line; `None` if it isn't a record with several fields.
pub(super) fn read(line: &[u8]) -> Option<Records<'_>> {
    let mut records = Records::of_one();
    let mut rest = line;
    let mut fields = 0_usize;
    while !rest.is_empty() {
        let (key, value) = rest.split_at_checked(end_of_key(rest)?)?;
        let value = value.strip_prefix(b"=")?;
        let (value, after) = match value.first() {
            Some(b'"') => unquote(value)?,
            _ => {
                let end = memchr::memchr(b' ', value).unwrap_or(value.len());
                let (value, after) = value.split_at_checked(end)?;
                // Loggers quote such values.
                if memchr::memchr2(b'"', b'=', value).is_some() {
                    return None;
                }
                (value.into(), after)
            }
        };
        records.add(std::str::from_utf8(key).ok()?, 0, value);
        fields = fields.saturating_add(1);
        rest = match after {
            [] => after,
            [b' ', rest @ ..] => rest,
            _ => return None,
        };
    }
    (fields > 1).then_some(records)
}

/// Where the key at the start of a text ends.
fn end_of_key(text: &[u8]) -> Option<usize> {
    let is_of_key = |byte: &u8| byte.is_ascii_alphanumeric() || b"_.-@/".contains(byte);
    let end = text.iter().position(|byte| !is_of_key(byte))?;
    (end > 0).then_some(end)
}

/// What a record is beside the last one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Sort {
    Whole,
    /// It only lacks the message: logrus writes none that is empty.
    Blank,
    /// It has lost some fields, and its message.
    Damaged,
    /// It has no message and starts with another field: `PC=0x1 m=0 sigcode=0` of a crash.
    Other,
}

/// The names of the fields of the last whole record, and how its first value ends.
#[derive(Debug, Default)]
pub(super) struct Names {
    names: Vec<String>,
    first_end: Option<u8>,
}

impl Names {
    /// Takes those of a record, if it is whole.
    pub(super) fn take(&mut self, records: &Records<'_>) -> Sort {
        let sort = self.sort(records);
        if sort == Sort::Whole && !self.are_of(records) {
            let names = records.leaves.iter().take(KEPT).map(|leaf| records.path(leaf).to_owned());
            let first_end = records.leaves.first().and_then(|leaf| end_of(&leaf.text));
            *self = Names { names: names.collect(), first_end };
        }
        sort
    }

    fn are_of(&self, records: &Records<'_>) -> bool {
        let names = records.leaves.iter().take(KEPT).map(|leaf| records.path(leaf));
        self.names.iter().map(String::as_str).eq(names)
    }

    /// What a record is beside the last one.
    pub(super) fn sort(&self, records: &Records<'_>) -> Sort {
        let names = || records.leaves.iter().take(KEPT).map(|leaf| records.path(leaf));
        let last = &self.names;
        if self.are_of(records) {
            return Sort::Whole;
        }
        let is_text = |name: &str| fields::line(name).is_some();
        let first_end = records.leaves.first().and_then(|leaf| end_of(&leaf.text));
        if last.iter().any(|name| is_text(name)) && !names().any(is_text) {
            if last.iter().map(String::as_str).filter(|name| !is_text(name)).eq(names()) {
                return Sort::Blank;
            }
            // Others log without a message, too.
            let is_like_last = self.first_end.is_none() || first_end == self.first_end;
            let starts_alike = names().next() == last.first().map(String::as_str)
                && names().all(|name| last.iter().any(|known| known == name))
                && is_like_last;
            let is_left = || names().all(|name| name.len() <= NAME && is_joined(name, last));
            let has_text = |leaf: &Leaf<'_>| is_of_goroutine(&leaf.text);
            if !starts_alike && is_left() || records.leaves.iter().any(has_text) {
                return Sort::Damaged;
            }
            if names().next() != last.first().map(String::as_str) {
                return Sort::Other;
            }
        }
        Sort::Whole
    }

    /// Whether a line is what is left of such a record.
    pub(super) fn are_left_in(&self, line: &[u8]) -> bool {
        match read(line) {
            Some(records) => self.sort(&records) == Sort::Damaged,
            None => self.are_in(line),
        }
    }

    /// Whether a line that isn't a record has one of them.
    fn are_in(&self, line: &[u8]) -> bool {
        let last = &self.names;
        let start = end_of_key(line).and_then(|end| line.split_at_checked(end));
        let starts_joined = start.is_some_and(|(name, after)| {
            let name = std::str::from_utf8(name).unwrap_or_default();
            after.starts_with(b"=") && name.len() <= NAME && is_joined(name, last)
        });
        starts_joined
            || last.iter().any(|name| {
                memchr::memmem::find_iter(line, name).any(|at| {
                    let before = line.get(..at).and_then(<[u8]>::last);
                    let after = line.get(at.saturating_add(name.len()));
                    before.is_none_or(|&byte| byte == b' ') && after == Some(&b'=')
                })
            })
    }
}

/// The last byte of a value, with `0` for any digit: times that were cut end in another one. Their fractions can have any
/// length. `None` for a value without a digit, such as a level, which can be any.
fn end_of(value: &[u8]) -> Option<u8> {
    let last = *value.last().filter(|_| value.iter().any(u8::is_ascii_digit))?;
    Some(if last.is_ascii_digit() { b'0' } else { last })
}

/// Whether a hole can have left a name: it is the start of one and the end of one, or either.
fn is_joined(name: &str, known: &[String]) -> bool {
    (0..=name.len()).filter_map(|at| name.split_at_checked(at)).any(|(start, end)| {
        known.iter().any(|known| known.starts_with(start))
            && known.iter().any(|known| known.ends_with(end))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fields(line: &str) -> Option<Vec<(String, String)>> {
        let records = read(line.as_bytes())?;
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let all = records.leaves.iter();
        Some(all.map(|leaf| (records.path(leaf).to_owned(), text(&leaf.text))).collect())
    }

    #[test]
    fn a_record_has_values_with_and_without_quotes() {
        let line = r#"time=2026-01-02T10:31:41Z msg="main.f(\"x\", 0x9)" empty= url=/a?b k.l="""#;
        let expected = [
            ("time", "2026-01-02T10:31:41Z"),
            ("msg", "main.f(\"x\", 0x9)"),
            ("empty", ""),
            ("url", "/a?b"),
            ("k.l", ""),
        ];
        let expected = expected.map(|(key, value)| (key.to_owned(), value.to_owned()));
        assert_eq!(fields(line), Some(expected.to_vec()));
    }

    #[test]
    fn what_is_no_whole_record_has_no_fields() {
        for line in [
            "",
            "goroutine 1 [running]:",
            "msg=\"goroutine 1 [running]:\"",
            "level=error msg=\"main.f(",
            "level=error msg=\"main.f()\"x",
            "level=error  msg=x",
            "level=error msg",
            "a=b c\"d=e",
            "a=b c=d=e",
            "a=b\"c d=e",
            "got a=b c=d",
        ] {
            assert_eq!(fields(line), None, "{line}");
        }
    }

    #[test]
    fn what_is_left_of_a_record_has_one_of_its_names() {
        let whole = read(b"time=10:31:41 level=error msg=x svc=shop").unwrap();
        let mut names = Names::default();
        assert_eq!(names.take(&whole), Sort::Whole);
        for (line, sort) in [
            ("time=10:31:42 level=error svc=shop", Sort::Blank),
            ("time=10: svc=shop", Sort::Damaged),
            ("time=1svc=shop level=error", Sort::Damaged),
            ("levvc=shop time=10:31:42", Sort::Damaged),
            ("time=10:31:42 lemsg=\"\\t/src/a.go:3 +0x1\" svc=shop", Sort::Damaged),
            ("PC=0x1 m=0 sigcode=0", Sort::Other),
            ("level=info time=10:31:41 method=GET status=200", Sort::Other),
            ("time=10:31:42 level=error", Sort::Whole),
            ("time=10:31:42 level=error svc=shop event=start", Sort::Whole),
            ("level=error msg=x", Sort::Whole),
        ] {
            let record = read(line.as_bytes());
            assert_eq!(record.map_or(Sort::Damaged, |record| names.take(&record)), sort, "{line}");
            names.take(&whole);
        }
        for line in ["ror msg=\"main.f()\" svc=shop", "level=error msg=\"main.f(", "levvc=shop"] {
            assert!(names.are_in(line.as_bytes()), "{line}");
        }
        for line in ["", "the level is=x", "xmsg=1", "msgs=1"] {
            assert!(!names.are_in(line.as_bytes()), "{line}");
        }
        assert!(names.are_left_in(b"time=10: svc=shop"));
        assert!(!names.are_left_in(b"level=info time=10:31:41 method=GET status=200"));
    }
}
