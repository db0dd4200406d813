//! Text that waits for the layer inside the container that it came from.

use super::shared::Shared;
use crate::limits::LIMITS;

/// How much may wait for the end of its line before something else is tried.
pub(super) const WAITING: usize = 64 << 10;

/// What becomes of a line that is too long to be held.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) enum Long {
    /// There is none.
    #[default]
    No,
    /// A container takes it part by part.
    Taken,
    /// Its start was taken, the rest is skipped.
    Skipped,
}

/// Whole lines and the start of one.
#[derive(Debug, Default)]
pub(super) struct Pending {
    pub(super) text: Vec<u8>,
    /// Raw line of the first text.
    pub(super) from: u64,
    /// Bytes at the end of `text` behind its last line end.
    pub(super) open: usize,
    /// What became of the start of the line that `text` goes on with.
    pub(super) long: Long,
    /// The start of the open line was offered and nobody could use it.
    pub(super) offered: bool,
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
}
