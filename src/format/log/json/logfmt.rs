//! Records of logfmt: `time=2026-01-02T10:31:41Z level=error msg="main.f(0x9)" svc=shop`, as log/slog, logrus and go-kit
//! write them.

use super::record::Records;
use crate::format::quoted::unquote;

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
pub(super) fn end_of_key(text: &[u8]) -> Option<usize> {
    let is_of_key = |byte: &u8| byte.is_ascii_alphanumeric() || b"_.-@/".contains(byte);
    let end = text.iter().position(|byte| !is_of_key(byte))?;
    (end > 0).then_some(end)
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
}
