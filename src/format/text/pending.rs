//! Text that waits for the layer inside the container that it came from.

use super::Long;
use super::layer::{Layer, LineOutcome, Sink, split_line};
use super::shared::Shared;
use crate::limits::LIMITS;

/// How much may wait for the end of its line before something else is tried.
pub(super) const WAITING: usize = 64 << 10;

/// Whole lines and the start of one.
#[derive(Debug, Default)]
pub(super) struct Pending {
    text: Vec<u8>,
    /// Raw line of the first text.
    from: u64,
    /// Bytes at the end of `text` behind its last line end.
    open: usize,
    /// What became of the start of the line that `text` goes on with.
    long: Long,
    /// The start of the open line was offered and nobody could use it.
    offered: bool,
}

impl Pending {
    /// Whether nothing waits, nor the rest of a line whose start was handed on.
    pub(super) fn is_empty(&self) -> bool {
        self.text.is_empty() && self.long == Long::No
    }

    /// Whether a line may be added that starts one and ends it.
    pub(super) fn is_between_lines(&self) -> bool {
        self.open == 0 && self.long == Long::No
    }

    /// Adds a line that this raw one is, between others; answers how much waits now.
    pub(super) fn add_line(&mut self, line: &[u8], raw: u64) -> usize {
        if self.text.is_empty() {
            self.from = raw;
        }
        self.offered = false;
        self.text.extend_from_slice(line);
        self.text.push(b'\n');
        self.text.len()
    }

    /// Adds text of this raw line; answers how much waits now. Of a line that never seems to end,
    /// what is beyond the limit of lines is dropped.
    pub(super) fn add(&mut self, text: &[u8], line: u64, shared: &mut Shared<'_, '_>) -> usize {
        if self.text.is_empty() {
            self.from = line;
        }
        if text.last() == Some(&b'\n') && self.open.saturating_add(text.len()) <= LIMITS.line {
            // As most are: nothing to be dropped, nothing left open.
            self.text.extend_from_slice(text);
            (self.open, self.offered) = (0, false);
            return self.text.len();
        }
        let end = memchr::memchr(b'\n', text);
        let (start, rest) = text.split_at(end.unwrap_or(text.len()));
        let kept = start.get(..LIMITS.line.saturating_sub(self.open)).unwrap_or(start);
        shared.drop_bytes(start.len().saturating_sub(kept.len()));
        self.text.extend_from_slice(kept);
        self.text.extend_from_slice(rest);
        self.open = match memchr::memrchr(b'\n', rest) {
            Some(last) => {
                self.offered = false;
                rest.len().saturating_sub(last).saturating_sub(1)
            }
            None => self.open.saturating_add(kept.len()),
        };
        self.text.len()
    }

    /// Hands on whole lines, and the start of one that is too long to wait for, if something in it
    /// can be unwrapped. `lines` is how many raw lines there were so far.
    pub(super) fn pass(&mut self, lines: u64, layer: &mut Layer, to: &mut Sink<'_, '_, '_>) {
        let whole = self.text.len().saturating_sub(self.open);
        let too_long = self.open > WAITING && !self.offered;
        if whole == 0 && !too_long && self.long == Long::No {
            return;
        }
        let text = std::mem::take(&mut self.text);
        let before = self.from.saturating_sub(1);
        let (mut whole, mut open) = text.split_at(whole);
        if self.long != Long::No {
            if whole.is_empty() {
                self.more(open, false, layer, to);
                open = &[];
            } else {
                let (line, next) = split_line(whole);
                self.more(line, true, layer, to);
                whole = next;
            }
        }
        if !whole.is_empty() {
            layer.lines(whole, before, to);
        }
        if open.len() > WAITING && !self.offered {
            if layer.start(open, before, to) {
                self.long = Long::Taken;
                open = &[];
            } else {
                self.offered = true;
            }
        }
        self.open = open.len();
        let left = text.len().saturating_sub(open.len());
        self.text = text;
        self.text.drain(..left);
        self.from = lines;
    }

    /// Hands on more of a line whose start was taken. One that is refused after all is cut there.
    fn more(&mut self, part: &[u8], ends: bool, layer: &mut Layer, to: &mut Sink<'_, '_, '_>) {
        if self.long == Long::Skipped {
            to.drop_bytes(part.len());
        } else if layer.part(part, ends, to) != LineOutcome::Taken {
            let mut refused = layer.take_refused();
            refused.push(b'\n');
            let lines = layer.line_count();
            layer.lines(&refused, lines, to);
            self.long = Long::Skipped;
        }
        if ends {
            self.long = Long::No;
        }
    }

    /// Hands on everything and ends the layer.
    pub(super) fn finish(&mut self, layer: &mut Layer, to: &mut Sink<'_, '_, '_>) {
        self.pass(self.from, layer, to);
        let mut last = std::mem::take(&mut self.text);
        if self.long != Long::No {
            self.more(&last, true, layer, to);
            last.clear();
        }
        self.open = 0;
        layer.finish(&last, to);
    }
}
