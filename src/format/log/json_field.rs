//! JSON lines of anybody's making that carry one line of text each, in one field:
//! `{"severity":"ERROR","textPayload":"goroutine 1 [running]:"}`.

use super::json::{Value, fields};
use super::unescape::unescape;
use crate::format::start::is_header;

/// Bytes of a text that are looked at; a header's labels seldom take a tenth.
const HEADER: usize = 4 << 10;

#[derive(Debug)]
pub(super) struct JsonField {
    key: Box<[u8]>,
}

impl JsonField {
    /// The field whose whole text is a header.
    pub(super) fn of(line: &[u8]) -> Option<JsonField> {
        let mut text = Vec::new();
        for (key, value) in fields(line)? {
            let Value::Text(value) = value else { continue };
            if value.len() > HEADER {
                continue;
            }
            text.clear();
            unescape(value, &mut text);
            if is_header(text.strip_suffix(b"\n").unwrap_or(&text)) {
                return Some(JsonField { key: key.into() });
            }
        }
        None
    }

    pub(super) fn decode(&self, line: &[u8], out: &mut Vec<u8>) -> Option<()> {
        let (_, value) = fields(line)?.find(|(key, _)| **key == *self.key)?;
        let before = out.len();
        unescape(value.text()?, out);
        if out.len() == before || !out.ends_with(b"\n") {
            out.push(b'\n');
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_field_that_holds_a_header_is_the_text() {
        let field =
            JsonField::of(br#"{"level":"error","msg":"goroutine 1 [running]:","n":1}"#).unwrap();
        let mut out = Vec::new();
        assert!(field.decode(br#"{"msg":"\tx","level":"error"}"#, &mut out).is_some());
        assert!(field.decode(br#"{"msg":"","level":"error"}"#, &mut out).is_some());
        assert!(field.decode(br#"{"msg":"y\n","level":"error"}"#, &mut out).is_some());
        assert!(field.decode(br#"{"level":"error"}"#, &mut out).is_none());
        assert!(field.decode(b"x", &mut out).is_none());
        assert_eq!(out, b"\tx\n\ny\n");
        assert!(JsonField::of(br#"{"msg":"goroutine 1 did x"}"#).is_none());
    }
}
