//! What a record is beside the last one: holes and cuts leave records that can be read, but have other fields.

use super::record::{Leaf, Records};
use super::{is_of_goroutine, is_text_field, logfmt};
use crate::format::traceback::rest::is_rest_of_header;

/// How many fields of a record are compared.
const COMPARED: usize = 32;

/// What a record is beside the last one.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) enum Sort {
    #[default]
    Whole,
    /// A hole has joined it from two.
    Joined,
    /// It only lacks the message: logrus writes none that is empty.
    Blank,
    /// It has lost some fields, and its message.
    Damaged,
    /// It has no message and starts with another field: `PC=0x1 m=0 sigcode=0` of a crash.
    Other,
}

/// The names of the fields of the last whole record, and how its first value ends.
#[derive(Debug, Default)]
pub(super) struct Last {
    names: Vec<String>,
    first_end: Option<u8>,
}

impl Last {
    /// Sorts a record of JSON, and keeps its names if it is whole.
    pub(super) fn take_json(&mut self, records: &Records<'_>) -> Sort {
        // Items of a list have the same fields.
        if records.parents.len() != 1 || self.has_names_of(records) {
            return Sort::Whole;
        }
        let sort = if self.are_joined(records) { Sort::Joined } else { Sort::Whole };
        self.keep(records, sort)
    }

    /// Sorts a record of logfmt, and keeps its names if it is whole.
    pub(super) fn take_logfmt(&mut self, records: &Records<'_>) -> Sort {
        if self.has_names_of(records) {
            return Sort::Whole;
        }
        let sort = match self.sort_logfmt(records) {
            Sort::Whole if self.are_joined(records) => Sort::Joined,
            sort => sort,
        };
        self.keep(records, sort)
    }

    /// Whether a line is what is left of a record of logfmt.
    pub(super) fn are_left_in(&self, line: &[u8]) -> bool {
        match logfmt::read(line) {
            Some(records) => self.sort_logfmt(&records) == Sort::Damaged,
            None => self.has_name_in(line),
        }
    }

    /// Whether one of the names stands more often in a line of JSON than in the last record, at any depth.
    pub(super) fn are_twice_in(&self, line: &[u8]) -> bool {
        let names = || self.names.iter().map(|path| path.rsplit('.').next().unwrap_or(path));
        names().any(|name| {
            let known = names().filter(|other| *other == name).count();
            let quoted = format!("\"{name}\":");
            // Not in JSON that is quoted in a value.
            let is_name = |at: &usize| !line.get(..*at).unwrap_or_default().ends_with(b"\\");
            memchr::memmem::find_iter(line, &quoted).filter(is_name).nth(known).is_some()
        })
    }

    /// Whether a record of logfmt has the first fields of the last one only, of which one can be cut in its name, and no
    /// message but a line of a goroutine or a blank one: others can have fewer fields.
    pub(super) fn has_more_than(&self, records: &Records<'_>) -> bool {
        let names = || names_of(records);
        let last = names().count().saturating_sub(1);
        let is_line =
            |leaf: &Leaf<'_>| leaf.text.trim_ascii().is_empty() || is_of_goroutine(&leaf.text);
        let is_start = |(at, (name, known)): (usize, (&str, &String))| {
            if at == last { known.starts_with(name) } else { known == name }
        };
        last < self.names.len()
            && names().zip(&self.names).enumerate().all(is_start)
            && !self.has_names_of(records)
            && records.leaves.iter().filter(|leaf| is_text_field(records.path(leaf))).all(is_line)
    }

    fn keep(&mut self, records: &Records<'_>, sort: Sort) -> Sort {
        if sort == Sort::Whole {
            let names = names_of(records).map(str::to_owned).collect();
            *self = Last { names, first_end: first_end_of(records) };
        }
        sort
    }

    fn has_names_of(&self, records: &Records<'_>) -> bool {
        self.names.iter().map(String::as_str).eq(names_of(records))
    }

    fn has(&self, name: &str) -> bool {
        self.names.iter().any(|known| known == name)
    }

    /// Whether a record lacks the message that the last one had.
    fn lacks_message(&self, records: &Records<'_>) -> bool {
        self.names.iter().any(|name| is_text_field(name)) && !names_of(records).any(is_text_field)
    }

    /// Whether a record holds a line of a goroutine, and that in another field than the message, or has fields twice
    /// that the last record had once.
    fn are_joined(&self, records: &Records<'_>) -> bool {
        // Some loggers write fields twice, but then in each record.
        let is_new = |name: &str| {
            let times = |all: &mut dyn Iterator<Item = &str>| all.filter(|of| *of == name).count();
            let before = times(&mut self.names.iter().map(String::as_str));
            times(&mut names_of(records)) > before.max(1)
        };
        has_line(records) && (self.lacks_message(records) || names_of(records).any(is_new))
    }

    fn sort_logfmt(&self, records: &Records<'_>) -> Sort {
        if !self.lacks_message(records) {
            return Sort::Whole;
        }
        if has_line(records) {
            return Sort::Damaged;
        }
        let names = || names_of(records);
        let others = self.names.iter().map(String::as_str).filter(|name| !is_text_field(name));
        if others.eq(names()) {
            return Sort::Blank;
        }
        let has_same_start = names().next() == self.names.first().map(String::as_str);
        // Others log without a message, too.
        let is_of_other = has_same_start
            && names().all(|name| self.has(name))
            && (self.first_end.is_none() || first_end_of(records) == self.first_end);
        let is_left = || names().all(|name| is_joined(name, &self.names));
        if !is_of_other && is_left() {
            Sort::Damaged
        } else if has_same_start {
            Sort::Whole
        } else {
            Sort::Other
        }
    }

    /// Whether a line that isn't a record has one of the names.
    fn has_name_in(&self, line: &[u8]) -> bool {
        let start = logfmt::end_of_key(line).and_then(|end| line.split_at_checked(end));
        let starts_joined = start.is_some_and(|(name, after)| {
            let name = std::str::from_utf8(name).unwrap_or_default();
            after.starts_with(b"=") && is_joined(name, &self.names)
        });
        starts_joined
            || self.names.iter().any(|name| {
                memchr::memmem::find_iter(line, name).any(|at| {
                    let before = line.get(..at).and_then(<[u8]>::last);
                    let after = line.get(at.saturating_add(name.len()));
                    before.is_none_or(|&byte| byte == b' ') && after == Some(&b'=')
                })
            })
    }
}

fn names_of<'r>(records: &'r Records<'_>) -> impl Iterator<Item = &'r str> {
    records.leaves.iter().take(COMPARED).map(|leaf| records.path(leaf))
}

/// Whether a field of a record holds a line of a goroutine, or the end of its header.
fn has_line(records: &Records<'_>) -> bool {
    records.leaves.iter().any(|leaf| is_of_goroutine(&leaf.text) || is_rest_of_header(&leaf.text))
}

/// The last byte of the first value, with `0` for any digit: times that were cut end in another one. Their fractions can
/// have any length. `None` for a value without a digit, such as a level, which can be any.
fn first_end_of(records: &Records<'_>) -> Option<u8> {
    let Leaf { text, .. } = records.leaves.first()?;
    let last = *text.last().filter(|_| text.iter().any(u8::is_ascii_digit))?;
    Some(if last.is_ascii_digit() { b'0' } else { last })
}

/// Whether a hole can have left a name: it is the start of one and the end of one, or either.
fn is_joined(name: &str, known: &[String]) -> bool {
    let common = |same: &dyn Fn(&String) -> usize| known.iter().map(same).max().unwrap_or_default();
    let start = common(&|known| equal(known.bytes(), name.bytes()));
    let end = common(&|known| equal(known.bytes().rev(), name.bytes().rev()));
    start.saturating_add(end) >= name.len()
}

/// How many bytes are equal before the first that differ.
fn equal(one: impl Iterator<Item = u8>, other: impl Iterator<Item = u8>) -> usize {
    one.zip(other).take_while(|(one, other)| one == other).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_of_a_record_of_logfmt_has_one_of_its_names() {
        let whole = logfmt::read(b"time=10:31:41 level=error msg=x svc=shop").unwrap();
        let mut last = Last::default();
        assert_eq!(last.take_logfmt(&whole), Sort::Whole);
        for (line, sort) in [
            ("time=10:31:42 level=error svc=shop", Sort::Blank),
            ("time=10: svc=shop", Sort::Damaged),
            ("time=1svc=shop level=error", Sort::Damaged),
            ("levvc=shop time=10:31:42", Sort::Damaged),
            ("time=10:31:42 lemsg=\"\\t/src/a.go:3 +0x1\" svc=shop", Sort::Damaged),
            ("note=\"main.f(0x9)\" method=GET", Sort::Damaged),
            ("time=10:31:42 level=\"main.f(0x9)\" svc=shop", Sort::Damaged),
            ("PC=0x1 m=0 sigcode=0", Sort::Other),
            ("level=info time=10:31:41 method=GET status=200", Sort::Other),
            ("time=10:31:42 level=error", Sort::Whole),
            ("time=10:31:42 level=error svc=shop event=start", Sort::Whole),
            ("level=error msg=x", Sort::Whole),
            ("time=10:31:42 msg=x level=error msg=\"main.f(0x9)\" svc=shop", Sort::Joined),
        ] {
            let record = logfmt::read(line.as_bytes());
            assert_eq!(record.map_or(Sort::Damaged, |of| last.take_logfmt(&of)), sort, "{line}");
            last.take_logfmt(&whole);
        }
        for line in ["ror msg=\"main.f()\" svc=shop", "level=error msg=\"main.f(", "levvc=shop"] {
            assert!(last.has_name_in(line.as_bytes()), "{line}");
        }
        for line in ["", "the level is=x", "xmsg=1", "msgs=1"] {
            assert!(!last.has_name_in(line.as_bytes()), "{line}");
        }
        assert!(last.are_left_in(b"time=10: svc=shop"));
        assert!(!last.are_left_in(b"level=info time=10:31:41 method=GET status=200"));
    }

    #[test]
    fn lines_of_goroutines_in_records_of_json_with_other_fields_are_told() {
        let mut last = Last::default();
        let mut sort = |json: &str| last.take_json(&Records::read(json.as_bytes()).unwrap());
        let whole = r#"{"level":"error","Test":"TestCart","msg":"main.f(0x9)"}"#;
        assert_eq!(sort(whole), Sort::Whole);
        for joined in [
            r#"{"leveg":"main.f(0x9)"}"#,
            r#"{"level":"error","Test":"Ca","Test":"TestCart","msg":"\t/src/a.go:3 +0x1d"}"#,
            r#"{"level":"error","Test":"TestCart","msg":"main.go:88","msg":"created by main.main in goroutine 1"}"#,
        ] {
            assert_eq!(sort(joined), Sort::Joined, "{joined}");
        }
        for other in [
            r#"{"level":"error","ip":"10.0.0.1"}"#,
            r#"{"level":"error","Test":"TestCart","msg":"main.f(0x9)","stack":"x"}"#,
            r#"{"level":"info","service":"a","service":"b","msg":"ready"}"#,
            r#"{"level":"info","service":"a","service":"b","msg":"main.f(0x9)"}"#,
        ] {
            assert_eq!(sort(other), Sort::Whole, "{other}");
        }
    }

    #[test]
    fn a_joined_name_starts_and_ends_as_others_do() {
        let known = ["time", "level", "msg"].map(str::to_owned);
        for name in ["level", "tisg", "lmsg", "levime", "t", "g", ""] {
            assert!(is_joined(name, &known), "{name}");
        }
        for name in ["method", "levels", "xmsg"] {
            assert!(!is_joined(name, &known), "{name}");
        }
    }
}
