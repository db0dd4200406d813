//! Fits output on a terminal: further lines are counted instead of scrolling the start away.

use super::numbers::counted;
use std::io::{self, Write};
use unicode_width::UnicodeWidthStr;

/// Passes on as many lines as fit, and says how many more there are.
///
/// ```
/// use stackgazer::output::screenful::Screenful;
/// use std::io::Write;
/// let mut shown = Vec::new();
/// let mut screenful = Screenful::new(&mut shown, 80, 4);
/// screenful.write_all(b"1\n2\n3\n4\n5\n")?;
/// screenful.finish()?;
/// assert_eq!(shown, b"1\n2\n... 3 more lines: -n 0, or | less\n");
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct Screenful<W: Write> {
    out: W,
    width: usize,
    /// Free lines of the screen, without that of the prompt.
    free: usize,
    /// A line whose end hasn't been written yet.
    unfinished: Vec<u8>,
    /// A line for the last free row, which is only written if no other line follows.
    last_line: Vec<u8>,
    left_out: u64,
}

impl<W: Write> Screenful<W> {
    /// Writes to a terminal with this many columns and lines.
    pub fn new(out: W, width: usize, height: usize) -> Screenful<W> {
        let free = height.saturating_sub(1);
        Screenful {
            out,
            width: width.max(1),
            free,
            unfinished: vec![],
            last_line: vec![],
            left_out: 0,
        }
    }

    /// Handles a whole line.
    fn line(&mut self, line: Vec<u8>) -> io::Result<()> {
        if self.left_out > 0 {
            self.left_out += 1;
            return Ok(());
        }
        if !self.last_line.is_empty() {
            self.left_out = 2;
            return Ok(());
        }
        let rows = columns(&line).div_ceil(self.width).max(1);
        if rows < self.free {
            self.free -= rows;
            return self.out.write_all(&line);
        }
        match rows == self.free {
            true => self.last_line = line,
            false => self.left_out = 1,
        }
        Ok(())
    }

    /// Writes the last line, or how many lines are left out.
    ///
    /// # Errors
    /// The error of writing.
    pub fn finish(mut self) -> io::Result<()> {
        if !self.unfinished.is_empty() {
            let last = std::mem::take(&mut self.unfinished);
            self.line(last)?;
        }
        if self.left_out > 0 {
            let more = counted(self.left_out.into(), "more line");
            writeln!(self.out, "... {more}: -n 0, or | less")?;
        } else {
            self.out.write_all(&self.last_line)?;
        }
        self.out.flush()
    }
}

impl<W: Write> Write for Screenful<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        for piece in bytes.split_inclusive(|&byte| byte == b'\n') {
            self.unfinished.extend_from_slice(piece);
            if piece.ends_with(b"\n") {
                let line = std::mem::take(&mut self.unfinished);
                self.line(line)?;
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// The width of a line, without its colours.
fn columns(line: &[u8]) -> usize {
    let text = String::from_utf8_lossy(line);
    let mut parts = text.trim_end_matches('\n').split("\u{1b}[");
    let first = parts.next().unwrap_or_default().width();
    let behind = |part: &str| part.split_once('m').map_or(0, |(_, text)| text.width());
    first + parts.map(behind).sum::<usize>()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str, width: usize, height: usize) -> String {
        let mut out = Vec::new();
        let mut screenful = Screenful::new(&mut out, width, height);
        for piece in text.as_bytes().chunks(3) {
            screenful.write_all(piece).unwrap();
        }
        screenful.finish().unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn what_fits_is_whole() {
        assert_eq!(shown("a\nb\nc\n", 80, 4), "a\nb\nc\n");
        assert_eq!(shown("a\nb\nc", 80, 4), "a\nb\nc");
        assert_eq!(shown("", 80, 4), "");
    }

    #[test]
    fn the_rest_is_counted_and_leaves_a_line_to_the_prompt() {
        assert_eq!(shown("a\nb\nc\nd\n", 80, 4), "a\nb\n... 2 more lines: -n 0, or | less\n");
        let many = "x\n".repeat(4_750);
        let text = shown(&many, 80, 50);
        assert_eq!(text.lines().count(), 49);
        assert!(text.ends_with("\n... 4,702 more lines: -n 0, or | less\n"), "{text}");
    }

    #[test]
    fn long_lines_take_several_and_colours_none() {
        assert_eq!(shown("aaaaaaaa\nb\nc\n", 4, 5), "aaaaaaaa\nb\nc\n");
        assert_eq!(
            shown("aaaaaaaaa\nb\nc\n", 4, 5),
            "aaaaaaaaa\n... 2 more lines: -n 0, or | less\n"
        );
        let red = "\u{1b}[31maaaa\u{1b}[0m\n";
        assert_eq!(shown(&red.repeat(3), 4, 4), red.repeat(3));
    }
}
