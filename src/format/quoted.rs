//! Text in Go quoting, as `strconv.Quote`, `%q` and the runtime write it.

use super::start::without_cr;
use std::borrow::Cow;

/// Parses the quoted string at the start of `text`; returns its value and the text after it.
///
/// `None` if there is no opening quote, no closing one, or an escape that Go doesn't know. `\x` and
/// octal escapes are bytes, so the result needn't be UTF-8.
pub(crate) fn unquote(text: &[u8]) -> Option<(Cow<'_, [u8]>, &[u8])> {
    let text = text.strip_prefix(b"\"")?;
    let plain = memchr::memchr2(b'"', b'\\', text)?;
    let (start, mut rest) = text.split_at_checked(plain)?;
    if let Some(rest) = rest.strip_prefix(b"\"") {
        return Some((Cow::Borrowed(start), rest));
    }
    let mut value = start.to_vec();
    loop {
        let plain = memchr::memchr2(b'"', b'\\', rest)?;
        let (start, special) = rest.split_at_checked(plain)?;
        value.extend_from_slice(start);
        rest = match special.split_first()? {
            (b'"', rest) => return Some((Cow::Owned(value), rest)),
            (_, rest) => escape(rest, &mut value)?,
        };
    }
}

/// The text behind the quote that starts a line, if no quote closes it: the string was cut.
pub(crate) fn open_quoted(line: &[u8]) -> Option<&[u8]> {
    let text = line.strip_prefix(b"\"")?;
    (memchr::memchr(b'"', text).is_none()).then_some(text)
}

/// The value of a line that is a quoted string and nothing else.
pub(crate) fn unquote_line(line: &[u8]) -> Option<Cow<'_, [u8]>> {
    let (value, rest) = unquote(line)?;
    without_cr(rest).is_empty().then_some(value)
}

/// Appends the value of the escape after a backslash; returns the text after it.
fn escape<'a>(text: &'a [u8], value: &mut Vec<u8>) -> Option<&'a [u8]> {
    let (&first, rest) = text.split_first()?;
    let byte = match first {
        b'a' => 0x07,
        b'b' => 0x08,
        b'f' => 0x0c,
        b'n' => b'\n',
        b'r' => b'\r',
        b't' => b'\t',
        b'v' => 0x0b,
        b'\\' | b'"' | b'\'' => first,
        b'x' => {
            let (byte, rest) = digits(rest, 2, 16)?;
            value.push(u8::try_from(byte).ok()?);
            return Some(rest);
        }
        b'0'..=b'7' => {
            let (byte, rest) = digits(text, 3, 8)?;
            value.push(u8::try_from(byte).ok()?);
            return Some(rest);
        }
        b'u' | b'U' => {
            let (code, rest) = digits(rest, if first == b'u' { 4 } else { 8 }, 16)?;
            let mut utf8 = [0; 4];
            value.extend_from_slice(char::from_u32(code)?.encode_utf8(&mut utf8).as_bytes());
            return Some(rest);
        }
        _ => return None,
    };
    value.push(byte);
    Some(rest)
}

/// The value of exactly `count` digits (at most 8), and the text after them.
fn digits(text: &[u8], count: usize, radix: u32) -> Option<(u32, &[u8])> {
    let (digits, rest) = text.split_at_checked(count)?;
    let digits = std::str::from_utf8(digits).ok().filter(|digits| !digits.starts_with('+'))?;
    Some((u32::from_str_radix(digits, radix).ok()?, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(text: &[u8]) -> Option<(Vec<u8>, Vec<u8>)> {
        unquote(text).map(|(value, rest)| (value.into_owned(), rest.to_vec()))
    }

    #[test]
    fn a_plain_string_ends_at_its_quote() {
        assert_eq!(value(br#""ab c": x"#), Some((b"ab c".to_vec(), b": x".to_vec())));
        assert_eq!(value(br#""""#), Some((b"".to_vec(), b"".to_vec())));
    }

    #[test]
    fn a_quoted_line_has_nothing_behind_its_quotes() {
        for line in [&b"\"ab\""[..], b"\"ab\"\r"] {
            assert_eq!(unquote_line(line).as_deref(), Some(&b"ab"[..]));
        }
        assert_eq!(unquote_line(b"\"ab\": 1"), None);
    }

    #[test]
    fn all_escapes_of_go_are_known() {
        assert_eq!(
            value(br#""\a\b\f\n\r\t\v\\\"\'\x00\xff\101\u00e9\U0001f680""#),
            Some((
                b"\x07\x08\x0c\n\r\t\x0b\\\"'\x00\xffA\xc3\xa9\xf0\x9f\x9a\x80".to_vec(),
                vec![]
            ))
        );
    }

    #[test]
    fn raw_bytes_are_kept() {
        assert_eq!(value(b"\"\xff\x00\"-"), Some((b"\xff\x00".to_vec(), b"-".to_vec())));
    }

    #[test]
    fn what_go_would_not_write_is_refused() {
        for text in [
            r#"a"#,
            r#""a"#,
            r#""\"#,
            r#""\""#,
            r#""\q""#,
            r#""\x0""#,
            r#""\x+1""#,
            r#""\u12""#,
            r#""\ud800""#,
            r#""\U00110000""#,
            r#""\777""#,
            r#""\08""#,
            "",
        ] {
            assert_eq!(value(text.as_bytes()), None, "{text}");
        }
    }
}
