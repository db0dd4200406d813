//! Messages of which only the first line has a prefix: the lines behind it belong where that one was read.

use super::super::sink::Sink;
use super::{Channel, Layer, channel_of};
use crate::format::log::{Decoder, StreamKey};
use crate::format::start::without_cr;

impl Layer {
    /// Passes a line that isn't wrapped to the stream of the last one that was, if a goroutine goes on
    /// there. Returns whether it was passed.
    pub(super) fn goes_on(&mut self, line: &[u8], to: &mut Sink<'_, '_, '_>) -> bool {
        self.went_on = self.can_go_on(line, to);
        if self.went_on {
            let before = self.lines.saturating_sub(1);
            let whole = [line, b"\n"].concat();
            match self.channels.get_mut(channel_of(self.last)) {
                Some(Channel { stream, layer, .. }) if self.last != StreamKey::ENCLOSING => {
                    layer.lines(&whole, before, &mut to.inside_of(stream));
                }
                _ => {
                    let inside = self.inside.get_or_insert_default();
                    inside.lines(&whole, before, &mut to.inside());
                }
            }
        }
        self.went_on
    }

    /// Takes the last line of the input, which has no line end, if a goroutine goes on there. Returns whether it was
    /// taken.
    pub(super) fn ends_message(&mut self, last: &[u8], to: &mut Sink<'_, '_, '_>) -> bool {
        let goes_on = self.can_go_on(last, to);
        if goes_on {
            self.unwrapped.clear();
            self.unwrapped.extend_from_slice(last);
            self.push(self.last, self.lines.saturating_add(1), to.shared);
        }
        goes_on
    }

    /// Whether a line without a prefix can go on where the last one with a prefix was read.
    fn can_go_on(&self, line: &[u8], to: &Sink<'_, '_, '_>) -> bool {
        let line = without_cr(line);
        self.has_messages_of_lines()
            && !to.stream.awaits(line)
            && self.awaits_inside(line, self.went_on)
    }

    /// Whether it goes on in what the container itself holds, or inside it.
    fn awaits(&self, line: &[u8], others: bool) -> bool {
        let awaits = |decoder: &Decoder| decoder.awaits(line);
        self.decoder.as_ref().is_some_and(awaits) || self.awaits_inside(line, others)
    }

    /// Whether it goes on in a stream or a layer inside this one.
    pub(super) fn awaits_inside(&self, line: &[u8], others: bool) -> bool {
        match self.last {
            StreamKey::ENCLOSING => {
                self.inside.as_ref().is_some_and(|inside| inside.awaits(line, others))
            }
            key => self.channels.get(channel_of(key)).is_some_and(|of| of.awaits(line, others)),
        }
    }
}

impl Channel {
    /// Whether a line without a prefix goes on in this stream; `others` says whether some have before it.
    fn awaits(&self, line: &[u8], others: bool) -> bool {
        let stream = &self.stream;
        self.layer.awaits(line, others) || stream.awaits(line) || others && stream.may_go_on(line)
    }
}
