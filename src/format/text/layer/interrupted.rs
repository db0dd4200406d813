//! Goroutines that lines of other streams, or of none, interrupt: the line above shows neither their stream nor its prefix
//! then.

use super::super::sink::{Sink, last_line};
use super::super::stream::Stream;
use super::{Layer, PREFIX, StreamKey, channel_of};

/// At most so many lines of others stand between two of a goroutine.
const BETWEEN: u64 = 64;

/// A stream with an open goroutine.
#[derive(Debug)]
pub(super) struct Interrupted {
    key: StreamKey,
    /// The start of its last line, as read.
    pub(super) start: Vec<u8>,
    /// The number of the line behind that.
    line: u64,
}

impl Layer {
    /// Notes that lines of another stream, or of none, follow those of this one. `taken` is the text of this part of the
    /// input so far.
    pub(super) fn note_interrupted(&mut self, key: StreamKey, taken: &[u8], to: &Sink<'_, '_, '_>) {
        if !self.is_open(key, to) {
            return;
        }
        let start = self.line_above(taken).to_vec();
        let has_prefix = self.decoder.as_ref().is_some_and(|of| of.prefix_of(&start).is_some());
        let line = self.lines;
        match &mut self.interrupted {
            // Another line without a container can stand above.
            Some(known) if known.key == key && !has_prefix => {
                if self.last != key {
                    known.line = line;
                }
            }
            _ => self.interrupted = Some(Interrupted { key, start, line }),
        }
    }

    /// Whether the goroutine of the stream that others have interrupted is still open.
    pub(super) fn is_interrupted(&self, to: &Sink<'_, '_, '_>) -> bool {
        self.interrupted.as_ref().is_some_and(|known| {
            self.lines.saturating_sub(known.line) < BETWEEN && self.is_open(known.key, to)
        })
    }

    /// Whether a record of this stream stands beside a goroutine. Lines of others can be between them that never come
    /// here, where a container around this one tells the streams apart.
    pub(super) fn is_beside(&self, key: StreamKey, to: &Sink<'_, '_, '_>) -> bool {
        to.shared.is_after_dump() || self.is_open(key, to) || self.is_interrupted(to)
    }

    /// Whether a goroutine of a stream is open.
    fn is_open(&self, key: StreamKey, to: &Sink<'_, '_, '_>) -> bool {
        self.stream_of(key, to).is_some_and(Stream::is_in_goroutine)
    }

    /// What reads the texts of a stream, if it has any.
    pub(super) fn stream_of<'s>(
        &'s self,
        key: StreamKey,
        to: &'s Sink<'_, '_, '_>,
    ) -> Option<&'s Stream> {
        match key {
            StreamKey::ENCLOSING => Some(to.stream),
            key => self.channels.get(channel_of(key)).map(|channel| &channel.stream),
        }
    }

    /// The start of the line above, which may be in the part of the input before this one.
    pub(super) fn line_above<'t>(&'t self, taken: &'t [u8]) -> &'t [u8] {
        let line = if taken.is_empty() { &self.before } else { last_line(taken) };
        line.get(..PREFIX).unwrap_or(line)
    }
}
