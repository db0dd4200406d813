//! Unwraps lines layer by layer, and passes them to the stream that they belong to.

mod above;
mod cutting;
mod interrupted;
mod joined;
mod message;

use super::losses::Loss;
use super::pending::{LineOutcome, Pending, WAITING};
use super::shared::Shared;
use super::sink::{Sink, last_line, split_line};
use super::stream::Stream;
use crate::format::log::{self, Decoder, LAYERS, StreamKey, Unwrapped};
use crate::format::start::{announces_crash, starts_dump};
use crate::simd;
use above::{LONGEST, shift};
use cutting::Cutting;
use interrupted::Interrupted;

/// Few prefixes are longer.
const PREFIX: usize = 256;

/// At most this many streams of one container are read apart: a guard, as keys of streams stop below it.
const STREAMS: u32 = 2048;

/// Where the channel of a stream stands among the others.
fn channel_of(key: StreamKey) -> usize {
    (key.0.min(STREAMS) as usize).saturating_sub(1)
}

/// The container of the lines of one stream, if there is one.
#[derive(Debug, Default)]
pub(super) struct Layer {
    decoder: Option<Decoder>,
    /// The layer inside this one, for the same stream.
    inside: Option<Box<Layer>>,
    /// Text for the same stream.
    pending: Pending,
    /// Other streams that the container tells apart, in order of their keys, which count from 1.
    channels: Vec<Channel>,
    /// The one that text was last added to.
    last: StreamKey,
    unwrapped: Vec<u8>,
    /// Parts of a line that was refused in the end.
    refused: Vec<u8>,
    /// Whether the last line had no prefix and went on behind one that had.
    went_on: bool,
    /// Whether the last line had no prefix and is one of a goroutine.
    has_bare_call: bool,
    /// Raw lines so far.
    lines: u64,
    /// The start of the last whole line, if it was wrapped.
    before: Vec<u8>,
    /// The stream with an open goroutine that lines of others follow.
    interrupted: Option<Interrupted>,
    /// The last two lines, if nothing wrapped them and none was told as a loss; a long one is no line of a goroutine.
    above: [Vec<u8>; 2],
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
    pub(super) fn start(&mut self, part: &[u8], lines: u64, to: &mut Sink<'_, '_, '_>) -> bool {
        self.lines = lines;
        self.explains(part, to.depth) && self.part(part, false, to) == LineOutcome::Taken
    }

    /// Takes whole lines; `lines` lines of the input come before them.
    pub(super) fn lines(&mut self, mut text: &[u8], lines: u64, to: &mut Sink<'_, '_, '_>) {
        self.lines = lines;
        if text.is_empty() {
            return;
        }
        let all = text;
        let mut detected_at = None;
        while !text.is_empty() {
            if self.decoder.is_none() {
                text = self.plain(text, to);
                detected_at = Some(text.len());
                continue;
            }
            text = self.wrapped(text, to);
            if !text.is_empty() && detected_at == Some(text.len()) {
                // Nothing wraps the line after all: it is text, and isn't checked again.
                let (line, next) = split_line(text);
                to.stream.line_number = self.lines;
                to.stream.text_line(line, to.shared);
                self.lines = to.stream.line_number;
                text = next;
            }
        }
        self.before.clear();
        if self.decoder.is_some() {
            self.before.extend(last_line(all).iter().take(PREFIX));
        }
    }

    /// Lets the stream read lines without a container; returns the rest of the text once a
    /// container is detected.
    fn plain<'t>(&mut self, text: &'t [u8], to: &mut Sink<'_, '_, '_>) -> &'t [u8] {
        let Sink { depth, stream, shared } = to;
        let mut rest = text;
        stream.line_number = self.lines;
        let held = std::mem::take(&mut self.above);
        let mut above = held.each_ref().map(Vec::as_slice);
        while let Some(at) = stream.lines(rest, shared) {
            let (taken, next) = rest.split_at_checked(at).unwrap_or((b"", rest));
            above = shift(above, taken);
            rest = next;
            let (line, next) = split_line(rest);
            self.decoder = detect(line, *depth);
            if self.decoder.is_some() {
                self.lines = stream.line_number;
                self.take_above(above, line, to);
                return rest;
            }
            let told = shared.lost_lines();
            stream.text_line(line, shared);
            let is_told = shared.lost_lines() > told;
            let [_, last] = above;
            above = if is_told || line.len() > LONGEST { [&[]; 2] } else { [last, line] };
            rest = next;
        }
        self.lines = stream.line_number;
        self.above = shift(above, rest).map(<[u8]>::to_vec);
        &[]
    }

    /// Unwraps lines; returns the rest of the text once the container has ended.
    fn wrapped<'t>(&mut self, text: &'t [u8], to: &mut Sink<'_, '_, '_>) -> &'t [u8] {
        let mut rest = text;
        while !rest.is_empty() {
            let known = self.channels.len();
            if std::mem::take(&mut self.has_bare_call) {
                self.note_place(rest, to);
            }
            let next = self.prefixed(rest);
            self.went_on &= next.len() == rest.len();
            rest = next;
            if rest.is_empty() {
                break;
            }
            let taken = text.get(..text.len().saturating_sub(rest.len())).unwrap_or_default();
            let (line, next) = split_line(rest);
            let stream = self.last;
            if self.ends_record(line, to) {
                self.lines = self.lines.saturating_add(1);
                self.foreign(line, to);
                rest = next;
                continue;
            }
            match self.part(line, true, to) {
                LineOutcome::Taken => {
                    self.went_on = false;
                    if self.channels.len() > known {
                        self.note_joined(taken, line, true, to);
                    }
                    if self.last != stream {
                        self.note_interrupted(stream, taken, to);
                    }
                }
                LineOutcome::Foreign => {
                    if self.refused_line(taken, line, to) == LineOutcome::Over {
                        return rest;
                    }
                }
                LineOutcome::Over => return rest,
            }
            rest = next;
        }
        self.flush(to);
        rest
    }

    /// Takes a line that isn't wrapped like its neighbours: a message goes on in it, it is in another container, or
    /// belongs to the stream around them. `taken` is the text of this part of the input above it.
    fn refused_line(
        &mut self,
        taken: &[u8],
        line: &[u8],
        to: &mut Sink<'_, '_, '_>,
    ) -> LineOutcome {
        let is_joined = !self.went_on && self.note_joined(taken, line, false, to);
        self.has_bare_call = to.stream.awaits(line);
        if !is_joined && self.goes_on(line, to) {
            self.has_bare_call = true;
            return LineOutcome::Taken;
        }
        // A guess has looked at the line already.
        let is_guessed = self.decoder.as_ref().is_some_and(Decoder::is_guessed);
        if let Some(decoder) = detect(line, to.depth).filter(|of| !is_guessed || !of.is_guessed()) {
            // It may be read in part, by another container.
            self.note_damaged_record(line, to);
            self.end(to);
            self.decoder = Some(decoder);
            // Counted once, by the container that it belongs to.
            self.lines = self.lines.saturating_sub(1);
            match self.part(line, true, to) {
                LineOutcome::Foreign => {}
                outcome => return outcome,
            }
        } else {
            self.note_interrupted(self.last, taken, to);
        }
        self.foreign(line, to);
        LineOutcome::Taken
    }

    /// Whether a blank line ends a record of the stream around the container, rather than being a line of
    /// a message in it that has lost its prefix.
    fn ends_record(&mut self, line: &[u8], to: &mut Sink<'_, '_, '_>) -> bool {
        if !line.trim_ascii().is_empty() || !self.decoder.as_ref().is_some_and(Decoder::is_guessed)
        {
            return false;
        }
        self.flush(to);
        to.stream.is_in_profile()
    }

    /// Cuts prefixes off lines that only have a prefix, as most have; returns the text from the
    /// first other line on.
    fn prefixed<'t>(&mut self, text: &'t [u8]) -> &'t [u8] {
        // Such lines belong to no stream of their own, so others aren't tried.
        if self.last != StreamKey::ENCLOSING {
            return text;
        }
        simd::on_this_machine(Cutting { layer: self, text })
    }

    /// Takes a raw line or a part of one.
    pub(super) fn part(
        &mut self,
        line: &[u8],
        ends: bool,
        to: &mut Sink<'_, '_, '_>,
    ) -> LineOutcome {
        let Some(decoder) = &mut self.decoder else { return LineOutcome::Over };
        self.unwrapped.clear();
        let number = self.lines.saturating_add(1);
        let part = match decoder.decode(line, ends, &mut self.unwrapped) {
            Unwrapped::Held => LineOutcome::Taken,
            Unwrapped::Text(key) => {
                if decoder.is_joined() {
                    self.flush(to);
                    let is_beside = self.is_beside(key, to);
                    to.shared.lost(Loss::Record, is_beside.into(), number);
                }
                self.note_inner_prefix(line, key, to);
                self.take(key, number, to);
                LineOutcome::Taken
            }
            Unwrapped::Foreign => {
                self.refused = decoder.take_refused();
                LineOutcome::Foreign
            }
            Unwrapped::Over => {
                self.refused = decoder.take_refused();
                let held = std::mem::take(&mut self.unwrapped);
                self.end(to);
                // They were counted when they were held.
                let lines = memchr::memchr_iter(b'\n', &held).count() as u64;
                to.stream.line_number = self.lines.saturating_sub(lines);
                to.read(&held);
                self.unwrapped = held;
                return LineOutcome::Over;
            }
        };
        if self.decoder.as_mut().is_some_and(Decoder::take_cut) {
            to.shared.lost(Loss::Quote, 1, number);
        }
        // Few lines have more.
        if self.decoder.as_ref().is_some_and(Decoder::has_more) {
            self.take_more(number, to);
        }
        if part == LineOutcome::Foreign {
            self.flush(to);
        }
        self.lines = self.lines.saturating_add(u64::from(ends));
        if self.decoder.as_ref().is_some_and(Decoder::has_ended) {
            self.end(to);
        }
        part
    }

    /// Takes the texts of other streams in the last line.
    fn take_more(&mut self, number: u64, to: &mut Sink<'_, '_, '_>) {
        loop {
            self.unwrapped.clear();
            let more = self.decoder.as_mut().and_then(|decoder| decoder.more(&mut self.unwrapped));
            let Some(key) = more else { break };
            self.take(key, number, to);
        }
    }

    /// Adds the text just unwrapped to the pending text of its stream.
    fn take(&mut self, key: StreamKey, number: u64, to: &mut Sink<'_, '_, '_>) {
        if key != self.last {
            self.flush(to);
            self.last = key;
        }
        if self.push(key, number, to.shared) > WAITING {
            self.flush(to);
        }
    }

    /// Ends the container with everything inside it: whatever its decoder, streams and further
    /// containers still hold is read.
    fn end(&mut self, to: &mut Sink<'_, '_, '_>) {
        let is_cut = self.decoder.as_ref().is_some_and(Decoder::is_in_record);
        // What there is of the record can be a line of the dump, or the start of one; without the fields that name its
        // stream it is text behind one.
        let mut holds_dump =
            self.decoder.as_ref().is_some_and(Decoder::holds_piece) || to.shared.is_after_dump();
        if is_cut {
            self.flush(to);
            holds_dump |= to.shared.is_after_dump();
        }
        if let Some(decoder) = &mut self.decoder {
            decoder.end_lines();
        }
        self.take_more(self.lines, to);
        let Some(mut decoder) = self.decoder.take() else { return };
        self.flush(to);
        self.interrupted = None;
        self.before.clear();
        let is_beside = holds_dump || to.shared.is_after_dump();
        to.shared.lost(Loss::Record, (is_cut && is_beside).into(), self.lines);
        for Channel { mut stream, mut layer, mut pending } in std::mem::take(&mut self.channels) {
            pending.finish(&mut layer, &mut to.inside_of(&mut stream));
            stream.finish(to.shared);
        }
        self.unwrapped.clear();
        let lines = decoder.held_lines() as u64;
        decoder.finish(&mut self.unwrapped);
        let first = self.lines.saturating_sub(lines.saturating_sub(1));
        if decoder.take_cut() {
            to.shared.lost(Loss::Quote, 1, first.saturating_add(u64::from(lines == 0)));
        }
        let mut pending = std::mem::take(&mut self.pending);
        pending.add(&self.unwrapped, first, to.shared);
        let mut inside = self.inside.take().unwrap_or_default();
        pending.finish(&mut inside, &mut to.inside());
        if decoder.has_ended() {
            to.stream.end_of_one_line(to.shared);
        }
        self.last = StreamKey::ENCLOSING;
    }

    fn has_messages_of_lines(&self) -> bool {
        self.decoder.as_ref().is_some_and(Decoder::has_messages_of_lines)
    }

    /// Ends a container that is only a guess: its lines belong before the next one of the stream.
    fn end_undecided(&mut self, to: &mut Sink<'_, '_, '_>) {
        if self.decoder.as_ref().is_some_and(Decoder::is_undecided) {
            self.end(to);
        } else if let Some(inside) = &mut self.inside {
            inside.end_undecided(&mut to.inside());
        }
    }

    /// Passes a line that isn't wrapped like its neighbours to the stream around them.
    fn foreign(&mut self, line: &[u8], to: &mut Sink<'_, '_, '_>) {
        let has_messages = self.has_messages_of_lines();
        if self.note_damaged_record(line, to) {
            return;
        }
        if let Some(inside) = &mut self.inside
            && (!has_messages || announces_crash(line))
            && !line.trim_ascii().is_empty()
        {
            inside.end_undecided(&mut to.inside());
        }
        to.stream.line_number = self.lines.saturating_sub(1);
        to.read(&[line, b"\n"].concat());
    }

    /// Adds the text just unwrapped to the pending text of its stream; returns how many bytes that has.
    fn push(&mut self, key: StreamKey, number: u64, shared: &mut Shared<'_, '_>) -> usize {
        if key == StreamKey::ENCLOSING {
            return self.pending.add(&self.unwrapped, number, shared);
        }
        let at = channel_of(key);
        if self.channels.len() <= at {
            self.channels.resize_with(at.saturating_add(1), Channel::default);
        }
        let Some(channel) = self.channels.get_mut(at) else { return 0 };
        channel.pending.add(&self.unwrapped, number, shared)
    }

    /// Lets the stream to which text was added last read that text, as far as possible.
    pub(super) fn flush(&mut self, to: &mut Sink<'_, '_, '_>) {
        if self.last == StreamKey::ENCLOSING {
            let inside = self.inside.get_or_insert_default();
            self.pending.hand_on(self.lines, inside, &mut to.inside());
            return;
        }
        let channel = self.channels.get_mut(channel_of(self.last));
        if let Some(Channel { stream, layer, pending }) = channel {
            stream.take_over(to.stream);
            pending.hand_on(self.lines, layer, &mut to.inside_of(stream));
        }
    }

    /// Takes the end of the line just unwrapped back: a text that ends inside a line has none, nor a blank line, which
    /// would end a goroutine.
    fn take_back_line_end(&mut self) {
        let pending = match self.last {
            StreamKey::ENCLOSING => Some(&mut self.pending),
            key => self.channels.get_mut(channel_of(key)).map(|channel| &mut channel.pending),
        };
        let ends_there = self.decoder.as_ref().is_some_and(Decoder::ends_with_line);
        if (ends_there || self.unwrapped == b"\n")
            && let Some(pending) = pending
        {
            pending.take_back_line_end(&self.unwrapped);
        }
    }

    /// Takes the parts of a line that was refused after some of them had been taken.
    pub(super) fn take_refused(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.refused)
    }

    /// Whether nothing wraps the lines, so that nothing waits here.
    pub(super) fn is_plain(&self) -> bool {
        self.decoder.is_none()
    }

    /// Whether the last line can't be part of what follows.
    pub(super) fn has_none_above(&self) -> bool {
        self.above.iter().all(Vec::is_empty)
    }

    /// Skips lines that other threads read; `lines` is the number of raw lines so far.
    pub(super) fn skip_to(&mut self, lines: u64) {
        self.lines = lines;
    }

    /// Raw lines so far.
    pub(super) fn line_count(&self) -> u64 {
        self.lines
    }

    /// Whether a container explains a line that is too long to be held, so that its parts can be
    /// taken as they come.
    fn explains(&mut self, part: &[u8], depth: usize) -> bool {
        if self.decoder.is_none() {
            self.decoder = detect(part, depth);
        }
        self.decoder.is_some()
    }

    /// Ends everything; `last` is the text after the last line end.
    pub(super) fn finish(&mut self, last: &[u8], to: &mut Sink<'_, '_, '_>) {
        let mut last = last;
        if self.decoder.is_none() && to.stream.is_outside() {
            // Some files only consist of one escaped line, which may lack its end.
            self.decoder = detect(last, to.depth).filter(|_| !starts_dump(last));
        }
        while !last.is_empty() && self.decoder.is_some() {
            match self.part(last, true, to) {
                LineOutcome::Taken => {
                    self.take_back_line_end();
                    last = &[];
                }
                LineOutcome::Foreign | LineOutcome::Over => break,
            }
        }
        if !last.is_empty() && self.note_damaged_record(last, to) {
            last = &[];
        }
        if !last.is_empty() {
            let is_part_of_prefix = self.is_part_of_prefix(last);
            if to.shared.is_after_dump() && is_part_of_prefix {
                to.shared.lost(Loss::Record, 1, self.lines.saturating_add(1));
            }
            if !is_part_of_prefix && self.ends_message(last, to) {
                last = &[];
            }
        }
        self.end(to);
        if !last.is_empty() {
            to.stream.last_line(last, to.shared);
        }
    }
}

/// The container of a line with this many around it.
fn detect(line: &[u8], depth: usize) -> Option<Decoder> {
    if depth < LAYERS { log::detect(line) } else { None }
}
