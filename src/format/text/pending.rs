//! Text unwrapped from a container, until the next layer gets it.

use super::shared::Shared;
use crate::limits::LIMITS;

/// How many bytes of a line may wait for its end; with more, the layer is offered the start of it.
pub(super) const WAITING: usize = 64 << 10;

/// What happens to a line that is too long to be held.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) enum LongLine {
    /// There is no such line.
    #[default]
    None,
    /// A container takes it part by part.
    Taken,
    /// Its start was taken, the rest is skipped.
    Skipped,
}

/// Whole lines and the start of one.
#[derive(Debug, Default)]
pub(super) struct Pending {
    pub(super) text: Vec<u8>,
    /// The number of the raw line that `text` starts with.
    pub(super) first_line: u64,
    /// Bytes of `text` after its last line end.
    pub(super) open_bytes: usize,
    /// What happened to the start of a line, the rest of which comes next.
    pub(super) long_line: LongLine,
    /// Whether the layer has refused the start of the open line.
    pub(super) offered: bool,
}

impl Pending {
    /// Adds the whole line in raw line `raw`. Only between lines.
    pub(super) fn add_line(&mut self, line: &[u8], raw: u64) {
        if self.text.is_empty() {
            self.first_line = raw;
        }
        self.offered = false;
        self.text.extend_from_slice(line);
        self.text.push(b'\n');
    }

    /// Adds text from raw line `line`; returns how many bytes wait. What a line has beyond
    /// [`LIMITS.line`](LIMITS) is dropped.
    pub(super) fn add(&mut self, text: &[u8], line: u64, shared: &mut Shared<'_, '_>) -> usize {
        if self.text.is_empty() {
            self.first_line = line;
        }
        if text.last() == Some(&b'\n') && self.open_bytes.saturating_add(text.len()) <= LIMITS.line
        {
            // The usual case: nothing to drop, nothing left open.
            self.text.extend_from_slice(text);
            (self.open_bytes, self.offered) = (0, false);
            return self.text.len();
        }
        let end = memchr::memchr(b'\n', text);
        let (start, rest) = text.split_at(end.unwrap_or(text.len()));
        let kept = start.get(..LIMITS.line.saturating_sub(self.open_bytes)).unwrap_or(start);
        shared.drop_bytes(start.len().saturating_sub(kept.len()));
        self.text.extend_from_slice(kept);
        self.text.extend_from_slice(rest);
        self.open_bytes = match memchr::memrchr(b'\n', rest) {
            Some(last) => {
                self.offered = false;
                rest.len().saturating_sub(last).saturating_sub(1)
            }
            None => self.open_bytes.saturating_add(kept.len()),
        };
        self.text.len()
    }

    /// Takes the end of the last line, which is this one, back: the text goes on, or ends there.
    pub(super) fn take_back_line_end(&mut self, line: &[u8]) {
        if line.ends_with(b"\n") && self.text.ends_with(line) {
            self.text.pop();
            let start = memchr::memrchr(b'\n', &self.text).map_or(0, |end| end.saturating_add(1));
            self.open_bytes = self.text.len().saturating_sub(start);
        }
    }
}

/// The outcome of a raw line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum LineOutcome {
    /// Its text is pending for its stream.
    Taken,
    /// It isn't wrapped like the others.
    Foreign,
    /// The container has ended before it.
    Over,
}
