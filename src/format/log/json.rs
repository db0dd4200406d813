//! A scanner over one JSON object in one line: top-level fields only, no tree, no recursion.

use super::unescape::closing_quote;

/// A value of a field.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Value<'a> {
    /// What stands between the quotes, still escaped; the closing quote may be missing where the
    /// line was cut.
    Text(&'a [u8]),
    /// Anything else, as written.
    Other(&'a [u8]),
}

impl<'a> Value<'a> {
    /// What stands between the quotes of a text.
    pub(super) fn text(self) -> Option<&'a [u8]> {
        match self {
            Value::Text(text) => Some(text),
            Value::Other(_) => None,
        }
    }
}

/// The fields of an object, in the order of the line; ends at the first thing that isn't JSON.
#[derive(Clone, Debug)]
pub(super) struct Fields<'a>(&'a [u8]);

impl<'a> Fields<'a> {
    /// The fields from the middle of an object on.
    pub(super) fn new(rest: &'a [u8]) -> Fields<'a> {
        Fields(rest)
    }

    /// What stands behind the last field.
    pub(super) fn rest(&self) -> &'a [u8] {
        self.0
    }
}

/// The fields of the object that a line is; `None` if it isn't one.
pub(super) fn fields(line: &[u8]) -> Option<Fields<'_>> {
    line.trim_ascii_start().strip_prefix(b"{").map(Fields)
}

impl<'a> Iterator for Fields<'a> {
    /// Key, still escaped, and value.
    type Item = (&'a [u8], Value<'a>);

    fn next(&mut self) -> Option<Self::Item> {
        let rest = self.0.trim_ascii_start();
        let rest = rest.strip_prefix(b",").unwrap_or(rest).trim_ascii_start();
        let (key, rest) = text(rest.strip_prefix(b"\"")?);
        let rest = rest.trim_ascii_start().strip_prefix(b":")?.trim_ascii_start();
        let (value, rest) = match rest.strip_prefix(b"\"") {
            Some(rest) => {
                let (value, rest) = text(rest);
                (Value::Text(value), rest)
            }
            None => {
                let (value, rest) = other(rest);
                (Value::Other(value), rest)
            }
        };
        self.0 = rest;
        Some((key, value))
    }
}

/// Splits behind the closing quote.
fn text(rest: &[u8]) -> (&[u8], &[u8]) {
    match closing_quote(rest).and_then(|end| rest.split_at_checked(end)) {
        Some((inside, rest)) => (inside, rest.get(1..).unwrap_or_default()),
        None => (rest, &[]),
    }
}

/// Splits behind a number, word, object or array.
fn other(bytes: &[u8]) -> (&[u8], &[u8]) {
    let mut open = 0usize;
    let mut rest = bytes;
    while let Some((&byte, behind)) = rest.split_first() {
        match byte {
            b'"' => {
                rest = text(behind).1;
                continue;
            }
            b'{' | b'[' => open = open.saturating_add(1),
            b',' | b'}' | b']' if open == 0 => break,
            b'}' | b']' => open = open.saturating_sub(1),
            _ => {}
        }
        rest = behind;
    }
    (bytes.get(..bytes.len().saturating_sub(rest.len())).unwrap_or(bytes), rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(line: &str) -> Vec<(String, Value<'_>)> {
        let key = |key: &[u8]| String::from_utf8_lossy(key).into_owned();
        fields(line.as_bytes())
            .into_iter()
            .flatten()
            .map(|(name, value)| (key(name), value))
            .collect()
    }

    #[test]
    fn fields_come_in_order_with_their_values() {
        assert_eq!(
            all(r#" { "a" : "x\"}\\" ,"b":[1,{"c":"]}"}], "d":null,"e":-1.5e3}"#),
            [
                ("a".to_owned(), Value::Text(br#"x\"}\\"#)),
                ("b".to_owned(), Value::Other(br#"[1,{"c":"]}"}]"#)),
                ("d".to_owned(), Value::Other(b"null")),
                ("e".to_owned(), Value::Other(b"-1.5e3")),
            ]
        );
    }

    #[test]
    fn a_cut_text_is_given_as_far_as_it_goes() {
        assert_eq!(
            all(r#"{"log":"goroutine 1 [run"#),
            [("log".to_owned(), Value::Text(b"goroutine 1 [run"))]
        );
        assert_eq!(all(r#"{"log":[1,[2"#), [("log".to_owned(), Value::Other(b"[1,[2"))]);
        assert_eq!(all(r#"{"log"#), []);
    }

    #[test]
    fn what_is_no_object_has_no_fields() {
        for line in ["", "goroutine 1 [running]:", "[1]", "{}", "{1:2}", "{\"a\" 1}"] {
            assert_eq!(all(line), [], "{line}");
        }
    }

    #[test]
    fn deep_nesting_is_walked_without_recursion() {
        let line = format!("{{\"a\":{}{},\"b\":1}}", "[".repeat(200_000), "]".repeat(200_000));
        assert_eq!(all(&line).len(), 2);
    }
}
