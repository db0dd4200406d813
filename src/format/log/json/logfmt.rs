//! Records of logfmt: `time=2026-01-02T10:31:41Z level=error msg="main.f(0x9)" svc=shop`, as log/slog, logrus and go-kit
//! write them.

use super::fields;
use super::record::{Leaf, Records};
use crate::format::log::reversed;
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

/// The names of the fields of the last record.
#[derive(Debug, Default)]
pub(super) struct Names(Vec<String>);

impl Names {
    /// Takes those of a record; `false` if it has lost some.
    pub(super) fn note(&mut self, records: &Records<'_>) -> bool {
        let names = || records.leaves.iter().take(KEPT).map(|leaf| records.path(leaf));
        let Names(last) = self;
        if last.iter().map(String::as_str).eq(names()) {
            return true;
        }
        let is_text = |name: &str| fields::line(name).is_some();
        let has_text =
            |leaf: &Leaf<'_>| reversed::is_of_goroutine(&leaf.text) && !leaf.text.is_empty();
        let has_lost_some = last.iter().any(|name| is_text(name))
            && !names().any(is_text)
            && (names().all(|name| name.len() <= NAME && is_joined(name, last))
                || records.leaves.iter().any(has_text));
        if !has_lost_some {
            *last = names().map(str::to_owned).collect();
        }
        !has_lost_some
    }

    /// Whether a line has one of them: it is what is left of such a record.
    pub(super) fn are_in(&self, line: &[u8]) -> bool {
        let Names(last) = self;
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
        let mut names = Names::default();
        assert!(names.note(&read(b"level=error msg=x svc=shop").unwrap()));
        for (line, is_whole) in [
            (&b"level=error svc=shop"[..], false),
            (b"levvc=shop level=error", false),
            (b"lemsg=\"\\t/src/a.go:3 +0x1\" svc=shop", false),
            (b"level=error svc=shop event=start", true),
            (b"level=error msg=x", true),
        ] {
            assert_eq!(
                names.note(&read(line).unwrap()),
                is_whole,
                "{}",
                String::from_utf8_lossy(line)
            );
            names.note(&read(b"level=error msg=x svc=shop").unwrap());
        }
        for line in ["ror msg=\"main.f()\" svc=shop", "level=error msg=\"main.f(", "levvc=shop"] {
            assert!(names.are_in(line.as_bytes()), "{line}");
        }
        for line in ["", "the level is=x", "xmsg=1", "msgs=1"] {
            assert!(!names.are_in(line.as_bytes()), "{line}");
        }
    }
}
