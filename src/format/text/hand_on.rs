//! Hands the text that was unwrapped from a container on to the layer inside it.

use super::layer::Layer;
use super::pending::{LineOutcome, LongLine, Pending, WAITING};
use super::sink::{Sink, split_line};

impl Pending {
    /// Hands on whole lines. If the open line is too long to wait for, hands on its start too, if
    /// the layer takes it. `lines`: raw lines so far.
    pub(super) fn hand_on(&mut self, lines: u64, layer: &mut Layer, to: &mut Sink<'_, '_, '_>) {
        let text = std::mem::take(&mut self.text);
        let before = self.first_line.saturating_sub(1);
        let (mut whole, mut open) = text.split_at(text.len().saturating_sub(self.open_bytes));
        if self.long_line != LongLine::None {
            if whole.is_empty() {
                self.hand_on_part(open, false, layer, to);
                open = &[];
            } else {
                let (line, next) = split_line(whole);
                self.hand_on_part(line, true, layer, to);
                whole = next;
            }
        }
        if !whole.is_empty() {
            layer.lines(whole, before, to);
        }
        if open.len() > WAITING && !self.offered {
            if layer.start(open, before, to) {
                self.long_line = LongLine::Taken;
                open = &[];
            } else {
                self.offered = true;
            }
        }
        self.open_bytes = open.len();
        let left = text.len().saturating_sub(open.len());
        self.text = text;
        self.text.drain(..left);
        if left > 0 {
            self.first_line = lines;
        }
    }

    /// Hands on the next part of a line whose start was taken. If the layer refuses the line after
    /// all, it is cut at this point.
    fn hand_on_part(
        &mut self,
        part: &[u8],
        ends: bool,
        layer: &mut Layer,
        to: &mut Sink<'_, '_, '_>,
    ) {
        let lines_before = layer.line_count();
        if self.long_line == LongLine::Skipped {
            to.drop_bytes(part.len());
        } else if layer.part(part, ends, to) != LineOutcome::Taken {
            let mut refused = layer.take_refused();
            refused.push(b'\n');
            layer.lines(&refused, lines_before, to);
            self.long_line = LongLine::Skipped;
        }
        if ends {
            self.long_line = LongLine::None;
            // The next line may belong to the stream around it.
            layer.flush(to);
        }
    }

    /// Hands on everything and ends the layer.
    pub(super) fn finish(&mut self, layer: &mut Layer, to: &mut Sink<'_, '_, '_>) {
        self.hand_on(self.first_line, layer, to);
        let mut last = std::mem::take(&mut self.text);
        if self.long_line != LongLine::None {
            self.hand_on_part(&last, true, layer, to);
            last.clear();
        }
        self.open_bytes = 0;
        layer.finish(&last, to);
    }
}
