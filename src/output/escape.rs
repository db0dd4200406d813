//! Makes output safe for a terminal: every character that could control it is escaped.

use super::terminal::is_unsafe_to_print;
use std::io::{self, Write};

/// How unsafe characters are escaped.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Style {
    /// `\x1b`, `\u{202e}`.
    Text,
    /// Like `Text`, but the colours of [`super::terminal::Paint`] pass.
    Painted,
    /// `\u202e`, so JSON stays JSON.
    Json,
}

/// Passes text on to a terminal; line feeds and tabs stay, every other character that could control the
/// terminal is escaped.
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
    /// The start of a character or colour whose rest hasn't been written yet.
    pending: Vec<u8>,
}

impl<W: Write> Escape<W> {
    /// Escapes what is written to `out`.
    pub fn new(out: W, style: Style) -> Escape<W> {
        Escape { out, style, pending: Vec::new() }
    }

    fn odd_byte(&mut self, byte: u8) -> io::Result<()> {
        write!(self.out, "\\x{byte:02x}")
    }
}

impl<W: Write> Escape<W> {
    fn char(&mut self, char: char) -> io::Result<()> {
        match char {
            '\n' | '\t' => write!(self.out, "{char}"),
            char if !is_unsafe_to_print(char) => write!(self.out, "{char}"),
            char if self.style == Style::Json => write!(self.out, "\\u{:04x}", u32::from(char)),
            char if char.is_ascii() => self.odd_byte(char as u8),
            char => write!(self.out, "\\u{{{:x}}}", u32::from(char)),
        }
    }

    /// Writes text that may have colours; returns how many bytes at its end weren't written, since they may
    /// be the start of a colour.
    fn painted(&mut self, text: &str) -> io::Result<usize> {
        let mut rest = text;
        while let Some(at) = rest.find('\u{1b}') {
            let (plain, colour) = rest.split_at(at);
            plain.chars().try_for_each(|char| self.char(char))?;
            let length = colour.find('m').map_or(colour.len(), |end| end + 1);
            let (colour, behind) = colour.split_at(length);
            rest = behind;
            if is_colour(colour) {
                self.out.write_all(colour.as_bytes())?;
            } else if behind.is_empty() && (colour.len() == 1 || is_colour(&format!("{colour}m"))) {
                return Ok(colour.len());
            } else {
                colour.chars().try_for_each(|char| self.char(char))?;
            }
        }
        rest.chars().try_for_each(|char| self.char(char)).map(|()| 0)
    }
}

/// Whether a text starts or ends a colour: `ESC [ 36 m`.
fn is_colour(text: &str) -> bool {
    let number = text.strip_prefix("\u{1b}[").and_then(|rest| rest.strip_suffix('m'));
    number.is_some_and(|digits| digits.len() <= 2 && digits.bytes().all(|b| b.is_ascii_digit()))
}

impl<W: Write> Write for Escape<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut text = std::mem::take(&mut self.pending);
        text.extend_from_slice(bytes);
        let mut chunks = text.utf8_chunks().peekable();
        while let Some(chunk) = chunks.next() {
            let valid = chunk.valid();
            let kept = match self.style {
                Style::Painted => self.painted(valid)?,
                _ => valid.chars().try_for_each(|char| self.char(char)).map(|()| 0)?,
            };
            self.pending.extend_from_slice(&valid.as_bytes()[valid.len() - kept..]);
            let unfinished = std::str::from_utf8(chunk.invalid())
                .is_err_and(|error| error.error_len().is_none());
            if unfinished && chunks.peek().is_none() {
                self.pending.extend_from_slice(chunk.invalid());
            } else if !chunk.invalid().is_empty() {
                // Bytes that aren't text end an unfinished colour.
                for byte in std::mem::take(&mut self.pending) {
                    self.odd_byte(byte)?;
                }
                for &byte in chunk.invalid() {
                    self.odd_byte(byte)?;
                }
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        for byte in std::mem::take(&mut self.pending) {
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
    fn own_colours_pass_and_others_do_not() {
        let painted = "\u{1b}[1m\u{1b}[31mboom\u{1b}[0m";
        assert_eq!(escaped(Style::Painted, &[painted.as_bytes()]), painted);
        for at in 0..painted.len() {
            let (one, two) = painted.as_bytes().split_at(at);
            assert_eq!(escaped(Style::Painted, &[one, two]), painted, "{at}");
        }
        let other = "a\u{1b}]0;m\u{7} \u{1b}[2J \u{1b}[38;5;1mb \u{1b}\u{1b}[31";
        let expected = r"a\x1b]0;m\x07 \x1b[2J \x1b[38;5;1mb \x1b\x1b[31";
        // A colour after a stray ESC isn't recognised, and is escaped, too.
        assert_eq!(escaped(Style::Painted, &[other.as_bytes()]), expected);
        assert_eq!(escaped(Style::Painted, &[b"\x1b[3\xff"]), r"\x1b\x5b\x33\xff");
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
