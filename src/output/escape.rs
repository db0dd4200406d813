//! What stands between a format and a terminal: whatever could steer it is written out.

use super::terminal::steers;
use std::io::{self, Write};

/// How a character that steers is written out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Style {
    /// `\x1b`, `\u{202e}`.
    Text,
    /// `\u202e`, so that JSON stays JSON.
    Json,
}

/// Passes text on to a terminal; line feeds and tabs stay, all else that could
/// steer it is escaped.
///
/// ```
/// use stackgazer::output::escape::{Escape, Style};
/// use std::io::Write;
/// let mut shown = Vec::new();
/// Escape::new(&mut shown, Style::Text).write_all(b"main.\x1b[31mred\n")?;
/// assert_eq!(shown, b"main.\\x1b[31mred\n");
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct Escape<W: Write> {
    out: W,
    style: Style,
    /// The start of a character whose rest is still to come.
    begun: Vec<u8>,
}

impl<W: Write> Escape<W> {
    /// Escapes what is written to `out`.
    pub fn new(out: W, style: Style) -> Escape<W> {
        Escape { out, style, begun: Vec::new() }
    }

    fn odd_byte(&mut self, byte: u8) -> io::Result<()> {
        write!(self.out, "\\x{byte:02x}")
    }
}

impl<W: Write> Write for Escape<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut text = std::mem::take(&mut self.begun);
        text.extend_from_slice(bytes);
        let mut chunks = text.utf8_chunks().peekable();
        while let Some(chunk) = chunks.next() {
            for char in chunk.valid().chars() {
                match char {
                    '\n' | '\t' => write!(self.out, "{char}")?,
                    char if !steers(char) => write!(self.out, "{char}")?,
                    char if self.style == Style::Json => {
                        write!(self.out, "\\u{:04x}", u32::from(char))?;
                    }
                    char if char.is_ascii() => self.odd_byte(char as u8)?,
                    char => write!(self.out, "\\u{{{:x}}}", u32::from(char))?,
                }
            }
            let unfinished = std::str::from_utf8(chunk.invalid())
                .is_err_and(|error| error.error_len().is_none());
            if unfinished && chunks.peek().is_none() {
                self.begun = chunk.invalid().to_vec();
            } else {
                for &byte in chunk.invalid() {
                    self.odd_byte(byte)?;
                }
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        for byte in std::mem::take(&mut self.begun) {
            self.odd_byte(byte)?;
        }
        self.out.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn escaped(style: Style, pieces: &[&[u8]]) -> String {
        let mut shown = Vec::new();
        let mut escape = Escape::new(&mut shown, style);
        for piece in pieces {
            escape.write_all(piece).unwrap();
        }
        escape.flush().unwrap();
        String::from_utf8(shown).unwrap()
    }

    #[test]
    fn lines_and_ordinary_text_pass() {
        let text = "größe → 数\n\tmain.go:9\n";
        assert_eq!(escaped(Style::Text, &[text.as_bytes()]), text);
    }

    #[test]
    fn what_steers_a_terminal_is_written_out() {
        let text = "\u{1b}[31m\r\u{202e}\u{9b}".as_bytes();
        assert_eq!(escaped(Style::Text, &[text]), r"\x1b[31m\x0d\u{202e}\u{9b}");
        assert_eq!(escaped(Style::Json, &["\u{202e}\u{9b}".as_bytes()]), r"\u202e\u009b");
    }

    #[test]
    fn characters_may_come_in_pieces() {
        assert_eq!(escaped(Style::Text, &[b"\xe6\x95", b"\xb0"]), "数");
        assert_eq!(escaped(Style::Text, &[b"\xe2\x80", b"\xae"]), r"\u{202e}");
    }

    #[test]
    fn bytes_that_are_no_text_are_written_out() {
        assert_eq!(escaped(Style::Text, &[b"a\x9bb\xff"]), r"a\x9bb\xff");
        assert_eq!(escaped(Style::Text, &[b"a\xe6"]), r"a\xe6");
    }
}
