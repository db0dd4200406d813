//! Where unwrapped text goes.

use super::shared::Shared;
use super::stream::Stream;

/// The stream that reads the unwrapped text.
pub(super) struct Sink<'s, 'p, 'o> {
    /// How many layers are around the text.
    pub(super) depth: usize,
    pub(super) stream: &'s mut Stream,
    pub(super) shared: &'s mut Shared<'p, 'o>,
}

impl<'s, 'p, 'o> Sink<'s, 'p, 'o> {
    /// For text from which nothing was unwrapped yet.
    pub(super) fn new(stream: &'s mut Stream, shared: &'s mut Shared<'p, 'o>) -> Sink<'s, 'p, 'o> {
        Sink { depth: 0, stream, shared }
    }

    /// The same stream, one layer further in.
    pub(super) fn inside(&mut self) -> Sink<'_, 'p, 'o> {
        let depth = self.depth.saturating_add(1);
        Sink { depth, stream: self.stream, shared: self.shared }
    }

    /// Another stream, one layer further in.
    pub(super) fn inside_of<'i>(&'i mut self, stream: &'i mut Stream) -> Sink<'i, 'p, 'o> {
        Sink { stream, ..self.inside() }
    }

    /// Lets the stream read lines that aren't checked for containers.
    pub(super) fn read(&mut self, text: &[u8]) {
        let mut rest = text;
        while let Some(at) = self.stream.lines(rest, self.shared) {
            let (line, next) = split_line(rest.get(at..).unwrap_or_default());
            self.stream.text_line(line, self.shared);
            rest = next;
        }
    }

    /// Counts bytes that were left out.
    pub(super) fn drop_bytes(&mut self, bytes: usize) {
        self.shared.drop_bytes(bytes);
    }
}

/// The last of some whole lines, without its line end.
pub(super) fn last_line(lines: &[u8]) -> &[u8] {
    let line = lines.strip_suffix(b"\n").unwrap_or(lines);
    let start = memchr::memrchr(b'\n', line).map_or(0, |end| end.saturating_add(1));
    line.get(start..).unwrap_or_default()
}

/// The first line without its end, and what follows it.
pub(super) fn split_line(text: &[u8]) -> (&[u8], &[u8]) {
    match memchr::memchr(b'\n', text) {
        Some(end) => (
            text.get(..end).unwrap_or_default(),
            text.get(end.saturating_add(1)..).unwrap_or_default(),
        ),
        None => (text, &[]),
    }
}
