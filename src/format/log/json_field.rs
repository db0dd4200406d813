//! JSON lines of anybody's making that carry one line of text each, in one field:
//! `{"severity":"ERROR","textPayload":"goroutine 1 [running]:"}`.

use super::json::{Value, fields};
use super::unescape::unescape;
use super::{keyword, kind};
use crate::format::start::is_header;

/// Bytes of a text that are looked at; a header's labels seldom take a tenth.
const HEADER: usize = 4 << 10;

#[derive(Debug)]
pub(super) struct JsonField {
    key: Box<[u8]>,
}

impl JsonField {
    /// The field whose whole text is a header, or holds one inside at most so many more containers.
    pub(super) fn of(line: &[u8], layers: usize) -> Option<JsonField> {
        keyword(line)?;
        let mut text = Vec::new();
        for (key, value) in fields(line)? {
            let Value::Text(value) = value else { continue };
            if value.len() > HEADER {
                continue;
            }
            text.clear();
            unescape(value, &mut text);
            let text = text.strip_suffix(b"\n").unwrap_or(&text);
            // Of several lines it is a whole dump, which is another container.
            let one_line = memchr::memchr(b'\n', text).is_none() && keyword(text).is_some();
            if one_line && (is_header(text) || kind(text, layers).is_some()) {
                return Some(JsonField { key: key.into() });
            }
        }
        None
    }

    pub(super) fn decode(&self, line: &[u8], out: &mut Vec<u8>) -> Option<()> {
        let mut own = None;
        for (key, value) in fields(line)? {
            let Value::Text(value) = value else { continue };
            if *key == *self.key {
                own = Some(value);
            } else if memchr::memmem::find(value, b"goroutine ").is_some() {
                // A dump in another field: to be looked at anew.
                return None;
            }
        }
        let before = out.len();
        unescape(own?, out);
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
            JsonField::of(br#"{"level":"error","msg":"goroutine 1 [running]:","n":1}"#, 1).unwrap();
        let mut out = Vec::new();
        assert!(field.decode(br#"{"msg":"\tx","level":"error"}"#, &mut out).is_some());
        assert!(field.decode(br#"{"msg":"","level":"error"}"#, &mut out).is_some());
        assert!(field.decode(br#"{"msg":"y\n","level":"error"}"#, &mut out).is_some());
        let other = br#"{"msg":"z","stack":"goroutine 1 [running]:\nmain.main()"}"#;
        assert!(field.decode(other, &mut out).is_none());
        assert!(field.decode(br#"{"level":"error"}"#, &mut out).is_none());
        assert!(field.decode(b"x", &mut out).is_none());
        assert_eq!(out, b"\tx\n\ny\n");
        assert!(JsonField::of(br#"{"msg":"goroutine 1 did x"}"#, 1).is_none());
    }
}
