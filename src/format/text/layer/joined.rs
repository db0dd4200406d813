//! Lines that a hole in a log has joined: a part of the prefix that the line above has, and the rest of a later line.

use super::super::losses::Loss;
use super::super::sink::{Sink, last_line};
use super::Layer;
use super::above::LONGEST;
use crate::format::log::is_of_goroutine;

/// Longer prefixes aren't looked for: the work for one line grows with the square of its prefix.
const PREFIX: usize = 128;

impl Layer {
    /// Notes a line of no stream, or of a new one, that a hole has joined from a line of a goroutine and a later one.
    /// `taken` is the text of this part of the input above it.
    pub(super) fn note_joined(&self, taken: &[u8], line: &[u8], to: &mut Sink<'_, '_, '_>) {
        if !to.shared.is_after_dump() || line.len() > LONGEST {
            return;
        }
        let above = if taken.is_empty() { &self.before } else { last_line(taken) };
        let prefix = self.decoder.as_ref().and_then(|decoder| decoder.prefix_of(above));
        if prefix.is_some_and(|prefix| is_joined(line, prefix)) {
            to.shared.lost(Loss::Record, 1, self.lines);
        }
    }

    /// Whether the start of a line has nothing but a part of the prefix that the line before it has, but for numbers.
    pub(super) fn is_part_of_prefix(&self, start: &[u8]) -> bool {
        start.len() < self.before.len() && common(start.iter(), self.before.iter()) == start.len()
    }
}

/// Whether a line starts with a part of the prefix, goes on with the end of one, and then with a line of a goroutine that
/// isn't blank; behind a whole prefix, with anything.
fn is_joined(line: &[u8], prefix: &[u8]) -> bool {
    let start = common(line.iter(), prefix.iter());
    if start == prefix.len() || prefix.len() > PREFIX {
        return false;
    }
    let longest = start.saturating_add(prefix.len()).min(line.len());
    (1..=longest).any(|at| {
        let Some((head, text)) = line.split_at_checked(at) else { return false };
        let end = common(head.iter().rev(), prefix.iter().rev()).min(at.saturating_sub(1));
        let is_covered = end > 0 && at.saturating_sub(end) <= start;
        is_covered
            && (end == prefix.len() || !text.trim_ascii().is_empty() && is_of_goroutine(text))
    })
}

/// How many bytes are the same, but for digits.
fn common<'b>(a: impl Iterator<Item = &'b u8>, b: impl Iterator<Item = &'b u8>) -> usize {
    let alike = |(a, b): &(&u8, &u8)| a == b || a.is_ascii_digit() && b.is_ascii_digit();
    a.zip(b).take_while(alike).count()
}
