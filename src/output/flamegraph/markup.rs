//! XML in which text from inputs is only ever text.

use crate::output::terminal;
use std::borrow::Cow;
use std::io::{self, Write};

/// Text for XML: without control characters and characters that change the order of others.
#[derive(Clone, Debug)]
pub(in crate::output) struct Text<'a>(Cow<'a, str>);

impl<'a> Text<'a> {
    pub(in crate::output) fn new(bytes: &'a [u8]) -> Text<'a> {
        let text = String::from_utf8_lossy(bytes);
        let safe = match terminal::escape(&text) {
            Cow::Borrowed(_) => text,
            Cow::Owned(escaped) => escaped.into(),
        };
        // XML can't represent these two.
        Text(match safe.contains(['\u{fffe}', '\u{ffff}']) {
            true => safe.replace(['\u{fffe}', '\u{ffff}'], "\u{fffd}").into(),
            false => safe,
        })
    }

    pub(in crate::output) fn as_str(&self) -> &str {
        &self.0
    }
}

/// Writes text, escaped.
pub(in crate::output) fn text(text: &Text<'_>, out: &mut dyn Write) -> io::Result<()> {
    let mut rest = text.as_str();
    while let Some(at) = rest.find(['&', '<', '>', '"', '\'']) {
        let (plain, special) = rest.split_at(at);
        out.write_all(plain.as_bytes())?;
        out.write_all(match special.as_bytes()[0] {
            b'&' => b"&amp;",
            b'<' => b"&lt;",
            b'>' => b"&gt;",
            b'"' => b"&quot;",
            _ => b"&#39;",
        })?;
        rest = &special[1..];
    }
    out.write_all(rest.as_bytes())
}

/// Writes a line of text that the script finds by its id.
pub(super) fn line(id: &str, x: f64, y: usize, line: &str, out: &mut dyn Write) -> io::Result<()> {
    write!(out, "<text id=\"{id}\" x=\"{x}\" y=\"{y}\">")?;
    text(&Text::new(line.as_bytes()), out)?;
    writeln!(out, "</text>")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(bytes: &[u8]) -> String {
        let mut out = Vec::new();
        text(&Text::new(bytes), &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn text_cannot_become_markup() {
        assert_eq!(
            written(b"</title><script a='b\">"),
            "&lt;/title&gt;&lt;script a=&#39;b&quot;&gt;"
        );
        assert_eq!(written(b"]]>&amp;"), "]]&gt;&amp;amp;");
        assert_eq!(written("größe".as_bytes()), "größe");
    }

    #[test]
    fn characters_that_xml_or_readers_cannot_bear_are_written_out() {
        assert_eq!(written(b"a\x00\x1b\xff"), "a\\x00\\x1b\u{fffd}");
        assert_eq!(written("\u{202e}\u{fffe}".as_bytes()), "\\u{202e}\u{fffd}");
    }
}
