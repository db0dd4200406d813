//! Lines are freed of what wraps them, layer by layer, and reach the stream that they belong to.

use super::pending::{Pending, WAITING};
use super::shared::Shared;
use super::stream::Stream;
use crate::format::log::{self, Decoder, LAYERS, StreamKey, Unwrapped};
use crate::format::start::starts_dump;
use crate::simd::{self, Machine, Task};

/// Streams of one container that are read apart; its keys count no further.
const STREAMS: usize = 2048;

/// What lines of one stream are wrapped in, if anything.
#[derive(Debug, Default)]
pub(super) struct Layer {
    decoder: Option<Decoder>,
    /// Layers inside this one, of the same stream.
    inside: Option<Box<Layer>>,
    /// Text for the same stream.
    pending: Pending,
    /// Other streams that the container tells apart, by key.
    channels: Vec<Option<Box<Channel>>>,
    /// The one that text was last added to.
    last: StreamKey,
    unwrapped: Vec<u8>,
    /// What came in parts of a line that was refused in the end.
    refused: Vec<u8>,
    /// Raw lines so far.
    lines: u64,
}

/// A stream inside a container.
#[derive(Debug, Default)]
struct Channel {
    stream: Stream,
    layer: Layer,
    pending: Pending,
}

impl Layer {
    /// Takes the start of a line that is too long to wait for its end, if something wraps it.
    pub(super) fn start(
        &mut self,
        part: &[u8],
        lines: u64,
        depth: usize,
        stream: &mut Stream,
        shared: &mut Shared<'_, '_>,
    ) -> bool {
        self.lines = lines;
        depth < LAYERS
            && self.explains(part)
            && self.part(part, false, depth, stream, shared) == Part::Taken
    }

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
        let mut detected_at = None;
        while !text.is_empty() {
            if self.decoder.is_none() {
                text = self.plain(text, depth, stream, shared);
                detected_at = Some(text.len());
                continue;
            }
            text = self.wrapped(text, depth, stream, shared);
            if !text.is_empty() && detected_at == Some(text.len()) {
                // What seemed to wrap the line doesn't: it is text, and not looked at again.
                let (line, next) = split_line(text);
                stream.line_number = self.lines;
                stream.text_line(line, shared);
                self.lines = stream.line_number;
                text = next;
            }
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
            rest = self.prefixed(rest, depth, stream, shared);
            if rest.is_empty() {
                break;
            }
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

    /// Cuts prefixes off lines that have nothing else, as most have; answers what is left from the
    /// first other line on.
    fn prefixed<'t>(
        &mut self,
        text: &'t [u8],
        depth: usize,
        stream: &mut Stream,
        shared: &mut Shared<'_, '_>,
    ) -> &'t [u8] {
        if self.last != StreamKey::ENCLOSING || !self.pending.is_between_lines() {
            return text;
        }
        simd::on_this_machine(Cutting { layer: self, text, depth, stream, shared })
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
                self.take(key, number, depth, stream, shared);
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
                self.inside = None;
                return Part::Over;
            }
        };
        if self.decoder.as_mut().is_some_and(Decoder::take_cut) {
            shared.cut_text(number);
        }
        loop {
            self.unwrapped.clear();
            let more = self.decoder.as_mut().and_then(|decoder| decoder.more(&mut self.unwrapped));
            let Some(key) = more else { break };
            self.take(key, number, depth, stream, shared);
        }
        self.lines = self.lines.saturating_add(u64::from(ends));
        part
    }

    /// Adds the text just unwrapped to what waits for its stream.
    fn take(
        &mut self,
        key: StreamKey,
        number: u64,
        depth: usize,
        stream: &mut Stream,
        shared: &mut Shared<'_, '_>,
    ) {
        if key != self.last {
            self.flush(depth, stream, shared);
            self.last = key;
        }
        if self.push(key, number, shared) > WAITING {
            self.flush(depth, stream, shared);
        }
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
        self.pending = Pending::default();
        self.last = StreamKey::ENCLOSING;
    }

    /// Gives a line that isn't wrapped like its neighbours to the stream around them.
    fn foreign(&mut self, line: &[u8], stream: &mut Stream, shared: &mut Shared<'_, '_>) {
        stream.line_number = self.lines.saturating_sub(1);
        let mut whole = line.to_vec();
        whole.push(b'\n');
        feed(&whole, stream, shared);
    }

    /// Adds the text just unwrapped to what waits for its stream; answers how much that is.
    fn push(&mut self, key: StreamKey, number: u64, shared: &mut Shared<'_, '_>) -> usize {
        if key == StreamKey::ENCLOSING {
            return self.pending.add(&self.unwrapped, number, shared);
        }
        let at = (key.0 as usize).min(STREAMS);
        if self.channels.len() <= at {
            self.channels.resize_with(at.saturating_add(1), || None);
        }
        let Some(channel) = self.channels.get_mut(at) else { return 0 };
        let channel = channel.get_or_insert_default();
        channel.pending.add(&self.unwrapped, number, shared)
    }

    /// Lets the stream that text was last added to read it, as far as that can be.
    fn flush(&mut self, depth: usize, stream: &mut Stream, shared: &mut Shared<'_, '_>) {
        let deeper = depth.saturating_add(1);
        if self.last == StreamKey::ENCLOSING {
            let inside = self.inside.get_or_insert_default();
            self.pending.pass(self.lines, inside, deeper, stream, shared);
            return;
        }
        let at = (self.last.0 as usize).min(STREAMS);
        if let Some(Some(channel)) = self.channels.get_mut(at) {
            let Channel { stream, layer, pending } = &mut **channel;
            pending.pass(self.lines, layer, deeper, stream, shared);
        }
    }

    /// The parts of a line that was refused after some of them had been taken.
    pub(super) fn take_refused(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.refused)
    }

    /// Whether nothing wraps the lines, or has done so.
    pub(super) fn is_plain(&self) -> bool {
        self.decoder.is_none()
            && self.inside.is_none()
            && self.channels.is_empty()
            && self.pending.is_empty()
    }

    /// Passes over lines that others read, up to this one.
    pub(super) fn pass(&mut self, lines: u64) {
        self.lines = lines;
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
        if self.decoder.is_none() && depth < LAYERS && !last.is_empty() && stream.is_outside() {
            // One escaped line is all there is to some files, and its end may be missing.
            self.decoder = log::detect(last).filter(|_| !starts_dump(last));
        }
        while !last.is_empty() && self.decoder.is_some() {
            match self.part(last, true, depth, stream, shared) {
                Part::Taken => last = &[],
                Part::Foreign | Part::Over => break,
            }
        }
        let deeper = depth.saturating_add(1);
        self.flush(depth, stream, shared);
        for channel in self.channels.iter_mut().flatten() {
            let Channel { stream, layer, pending } = &mut **channel;
            pending.finish(layer, deeper, stream, shared);
            stream.finish(shared);
        }
        if let Some(decoder) = &mut self.decoder {
            self.unwrapped.clear();
            decoder.finish(&mut self.unwrapped);
            if decoder.take_cut() {
                shared.cut_text(self.lines.saturating_add(1));
            }
            self.pending.add(&self.unwrapped, self.lines, shared);
            let inside = self.inside.get_or_insert_default();
            self.pending.finish(inside, deeper, stream, shared);
        }
        if !last.is_empty() {
            stream.last_line(last, shared);
        }
    }
}

/// The arguments of [`Layer::prefixed`] where prefixes can be cut off: a task, because finding line
/// ends by `memchr` took 9 % of the time of such a log.
struct Cutting<'a, 't, 's, 'p> {
    layer: &'a mut Layer,
    text: &'t [u8],
    depth: usize,
    stream: &'a mut Stream,
    shared: &'a mut Shared<'s, 'p>,
}

impl<'t> Task for Cutting<'_, 't, '_, '_> {
    type Output = &'t [u8];

    #[inline(always)]
    fn run(self, machine: impl Machine) -> &'t [u8] {
        let Cutting { layer, text, depth, stream, shared } = self;
        let mut rest = text;
        while let Some(end) = machine.find(b'\n', rest)
            && let Some(line) = rest.get(..end)
            && let Some(stripped) = layer.decoder.as_ref().and_then(|decoder| decoder.cut(line))
        {
            layer.lines = layer.lines.saturating_add(1);
            if layer.pending.add_line(stripped, layer.lines) > WAITING {
                layer.flush(depth, stream, shared);
            }
            rest = rest.get(end.saturating_add(1)..).unwrap_or_default();
        }
        rest
    }
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
pub(super) fn split_line(text: &[u8]) -> (&[u8], &[u8]) {
    match memchr::memchr(b'\n', text) {
        Some(end) => (
            text.get(..end).unwrap_or_default(),
            text.get(end.saturating_add(1)..).unwrap_or_default(),
        ),
        None => (text, &[]),
    }
}
