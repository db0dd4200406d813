//! Lines are freed of what wraps them, layer by layer, and reach the stream that they belong to.

use super::shared::Shared;
use super::stream::Stream;
use crate::format::log::{self, Decoder, LAYERS, StreamKey, Unwrapped};
use crate::limits::LIMITS;

/// Streams of one container that are read apart; its keys count no further.
const STREAMS: usize = 2048;

/// What lines of one stream are wrapped in, if anything.
#[derive(Debug, Default)]
pub(super) struct Layer {
    decoder: Option<Decoder>,
    /// Layers inside this one, of the same stream.
    inside: Option<Box<Layer>>,
    /// Text for the same stream, whole lines and the start of one.
    pending: Vec<u8>,
    /// Raw line of the first text in `pending`.
    pending_from: u64,
    /// Other streams that the container tells apart, by key.
    channels: Vec<Option<Box<Channel>>>,
    /// The one that text was last added to.
    last: StreamKey,
    unwrapped: Vec<u8>,
    /// What came in parts of a line that was refused in the end.
    refused: Vec<u8>,
    /// Bytes of lines too long that were dropped.
    dropped: u64,
    /// Raw lines so far.
    lines: u64,
}

/// A stream inside a container.
#[derive(Debug, Default)]
struct Channel {
    stream: Stream,
    layer: Layer,
    pending: Vec<u8>,
    pending_from: u64,
}

impl Layer {
    /// Takes whole lines, the first of which follows `lines` others of the input.
    pub(super) fn lines(
        &mut self,
        mut text: &[u8],
        lines: u64,
        depth: usize,
        stream: &mut Stream,
        shared: &mut Shared<'_, '_>,
    ) {
        self.lines = lines;
        while !text.is_empty() {
            text = match self.decoder {
                None => self.plain(text, depth, stream, shared),
                Some(_) => self.wrapped(text, depth, stream, shared),
            };
        }
    }

    /// Lets the stream read lines that nothing wraps; answers what is left when something does.
    fn plain<'t>(
        &mut self,
        text: &'t [u8],
        depth: usize,
        stream: &mut Stream,
        shared: &mut Shared<'_, '_>,
    ) -> &'t [u8] {
        let mut rest = text;
        stream.line_number = self.lines;
        while let Some(at) = stream.lines(rest, shared) {
            rest = rest.get(at..).unwrap_or_default();
            let (line, next) = split_line(rest);
            if depth < LAYERS {
                self.decoder = log::detect(line);
                if self.decoder.is_some() {
                    self.lines = stream.line_number;
                    return rest;
                }
            }
            stream.text_line(line, shared);
            rest = next;
        }
        self.lines = stream.line_number;
        &[]
    }

    /// Unwraps lines; answers what is left when the container has ended.
    fn wrapped<'t>(
        &mut self,
        text: &'t [u8],
        depth: usize,
        stream: &mut Stream,
        shared: &mut Shared<'_, '_>,
    ) -> &'t [u8] {
        let mut rest = text;
        while !rest.is_empty() {
            let (line, next) = split_line(rest);
            match self.part(line, true, depth, stream, shared) {
                Part::Taken => {}
                Part::Foreign => match self.other(line, depth) {
                    Some(decoder) => {
                        self.leave(depth, stream, shared);
                        self.decoder = Some(decoder);
                        // Counted once, by the container that it turned out to be of.
                        self.lines = self.lines.saturating_sub(1);
                        if self.part(line, true, depth, stream, shared) == Part::Foreign {
                            self.foreign(line, stream, shared);
                        }
                    }
                    None => self.foreign(line, stream, shared),
                },
                Part::Over => return rest,
            }
            rest = next;
        }
        self.flush(depth, stream, shared);
        rest
    }

    /// Takes a raw line or a part of one.
    pub(super) fn part(
        &mut self,
        line: &[u8],
        ends: bool,
        depth: usize,
        stream: &mut Stream,
        shared: &mut Shared<'_, '_>,
    ) -> Part {
        let Some(decoder) = &mut self.decoder else { return Part::Over };
        self.unwrapped.clear();
        let number = self.lines.saturating_add(1);
        let part = match decoder.decode(line, ends, &mut self.unwrapped) {
            Unwrapped::Held => Part::Taken,
            Unwrapped::Text(key) => {
                if key != self.last {
                    self.flush(depth, stream, shared);
                    self.last = key;
                }
                self.push(key, number);
                Part::Taken
            }
            Unwrapped::Foreign => {
                self.refused = decoder.take_refused();
                self.flush(depth, stream, shared);
                Part::Foreign
            }
            Unwrapped::Over => {
                self.refused = decoder.take_refused();
                self.flush(depth, stream, shared);
                let held = std::mem::take(&mut self.unwrapped);
                stream.line_number = self.lines;
                feed(&held, stream, shared);
                self.unwrapped = held;
                self.decoder = None;
                if let Some(inside) = self.inside.take() {
                    self.dropped = self.dropped.saturating_add(inside.dropped);
                }
                return Part::Over;
            }
        };
        self.lines = self.lines.saturating_add(u64::from(ends));
        part
    }

    /// Another container that a line is of which isn't wrapped like those before it.
    fn other(&self, line: &[u8], depth: usize) -> Option<Decoder> {
        if depth < LAYERS { log::detect(line) } else { None }
    }

    /// Leaves a container for another one: what its streams hold is ended.
    fn leave(&mut self, depth: usize, stream: &mut Stream, shared: &mut Shared<'_, '_>) {
        self.finish(&[], depth, stream, shared);
        self.decoder = None;
        self.inside = None;
        self.channels.clear();
        self.pending.clear();
        self.last = StreamKey::ENCLOSING;
    }

    /// Gives a line that isn't wrapped like its neighbours to the stream around them.
    fn foreign(&mut self, line: &[u8], stream: &mut Stream, shared: &mut Shared<'_, '_>) {
        stream.line_number = self.lines.saturating_sub(1);
        let mut whole = line.to_vec();
        whole.push(b'\n');
        feed(&whole, stream, shared);
    }

    /// Adds the text just unwrapped to what waits for its stream.
    fn push(&mut self, key: StreamKey, number: u64) {
        if key == StreamKey::ENCLOSING {
            if self.pending.is_empty() {
                self.pending_from = number;
            }
            let dropped = add(&mut self.pending, &self.unwrapped);
            self.dropped = self.dropped.saturating_add(dropped);
            return;
        }
        let at = (key.0 as usize).min(STREAMS);
        if self.channels.len() <= at {
            self.channels.resize_with(at.saturating_add(1), || None);
        }
        if let Some(channel) = self.channels.get_mut(at) {
            let channel = channel.get_or_insert_default();
            if channel.pending.is_empty() {
                channel.pending_from = number;
            }
            let dropped = add(&mut channel.pending, &self.unwrapped);
            self.dropped = self.dropped.saturating_add(dropped);
        }
    }

    /// Lets the stream that text was last added to read its whole lines.
    fn flush(&mut self, depth: usize, stream: &mut Stream, shared: &mut Shared<'_, '_>) {
        let deeper = depth.saturating_add(1);
        if self.last == StreamKey::ENCLOSING {
            let whole = whole_lines(&self.pending);
            if whole > 0 {
                let inside = self.inside.get_or_insert_default();
                let text = self.pending.get(..whole).unwrap_or_default();
                inside.lines(text, self.pending_from.saturating_sub(1), deeper, stream, shared);
                self.pending.drain(..whole);
                self.pending_from = self.lines;
            }
            return;
        }
        let at = (self.last.0 as usize).min(STREAMS);
        if let Some(Some(channel)) = self.channels.get_mut(at) {
            let Channel { stream, layer, pending, pending_from } = &mut **channel;
            let whole = whole_lines(pending);
            if whole > 0 {
                let text = pending.get(..whole).unwrap_or_default();
                layer.lines(text, pending_from.saturating_sub(1), deeper, stream, shared);
                pending.drain(..whole);
                *pending_from = self.lines;
            }
        }
    }

    /// The parts of a line that was refused after some of them had been taken.
    pub(super) fn take_refused(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.refused)
    }

    /// Raw lines so far.
    pub(super) fn line_count(&self) -> u64 {
        self.lines
    }

    /// Whether a line too long to be held is explained by a container, so that its parts can be
    /// taken as they come.
    pub(super) fn explains(&mut self, part: &[u8]) -> bool {
        if self.decoder.is_none() {
            self.decoder = log::detect(part);
        }
        self.decoder.is_some()
    }

    /// Ends everything; `last` is text behind the last line end.
    pub(super) fn finish(
        &mut self,
        last: &[u8],
        depth: usize,
        stream: &mut Stream,
        shared: &mut Shared<'_, '_>,
    ) {
        let mut last = last;
        while !last.is_empty() && self.decoder.is_some() {
            match self.part(last, true, depth, stream, shared) {
                Part::Taken => last = &[],
                Part::Foreign | Part::Over => break,
            }
        }
        let deeper = depth.saturating_add(1);
        shared.dropped = shared.dropped.saturating_add(self.dropped);
        self.flush(depth, stream, shared);
        for channel in self.channels.iter_mut().flatten() {
            let Channel { stream, layer, pending, .. } = &mut **channel;
            layer.finish(pending, deeper, stream, shared);
            stream.finish(shared);
        }
        if let Some(decoder) = &mut self.decoder {
            self.unwrapped.clear();
            decoder.finish(&mut self.unwrapped);
            self.pending.extend_from_slice(&self.unwrapped);
            let pending = std::mem::take(&mut self.pending);
            let whole = whole_lines(&pending);
            let (text, rest) = pending.split_at(whole);
            let inside = self.inside.get_or_insert_default();
            inside.lines(text, self.pending_from.saturating_sub(1), deeper, stream, shared);
            inside.finish(rest, deeper, stream, shared);
        }
        if !last.is_empty() {
            stream.last_line(last, shared);
        }
    }
}

/// Adds text to what waits for its stream. Of a line that never seems to end, what is beyond the
/// limit of lines is dropped; answers how many bytes.
fn add(pending: &mut Vec<u8>, text: &[u8]) -> u64 {
    let open = pending.len().saturating_sub(whole_lines(pending));
    let (line, rest) = text.split_at(memchr::memchr(b'\n', text).unwrap_or(text.len()));
    let room = LIMITS.line.saturating_sub(open);
    pending.extend_from_slice(line.get(..room).unwrap_or(line));
    pending.extend_from_slice(rest);
    line.len().saturating_sub(room) as u64
}

/// What became of a raw line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Part {
    /// Its text waits for its stream.
    Taken,
    /// It isn't wrapped like the others.
    Foreign,
    /// The container has ended before it.
    Over,
}

/// Lets a stream read lines that aren't to be looked at for containers.
fn feed(text: &[u8], stream: &mut Stream, shared: &mut Shared<'_, '_>) {
    let mut rest = text;
    while let Some(at) = stream.lines(rest, shared) {
        let (line, next) = split_line(rest.get(at..).unwrap_or_default());
        stream.text_line(line, shared);
        rest = next;
    }
}

/// The first line without its end, and what follows it.
fn split_line(text: &[u8]) -> (&[u8], &[u8]) {
    match memchr::memchr(b'\n', text) {
        Some(end) => (
            text.get(..end).unwrap_or_default(),
            text.get(end.saturating_add(1)..).unwrap_or_default(),
        ),
        None => (text, &[]),
    }
}

/// Bytes up to the last line end.
fn whole_lines(text: &[u8]) -> usize {
    memchr::memrchr(b'\n', text).map_or(0, |at| at.saturating_add(1))
}
