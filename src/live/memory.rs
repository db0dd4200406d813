//! Memory that is read: that of a process, or of a core file.

use crate::limits::LIMITS;
use std::cmp::Reverse;
use std::time::Instant;

/// Bytes at addresses, which aren't trusted.
pub trait Memory {
    /// Reads pieces into the buffer, in this order and without gaps. Returns how many were read in full
    /// before the first that wasn't.
    fn read_pieces(&self, pieces: &[Piece], buffer: &mut [u8]) -> usize;

    /// Whether it can't change any more: a copy, or a core file.
    fn is_frozen(&self) -> bool {
        false
    }

    /// Whether nothing can be read any more because the process has ended.
    fn has_ended(&self) -> bool {
        false
    }

    /// Fills the buffer from an address on; false if not all of it can be read.
    fn fill(&self, address: u64, buffer: &mut [u8]) -> bool {
        self.read_pieces(&[Piece { address, len: buffer.len() }], buffer) == 1
    }

    /// The `N` bytes at an address.
    fn array<const N: usize>(&self, address: u64) -> Option<[u8; N]> {
        let mut bytes = [0; N];
        self.fill(address, &mut bytes).then_some(bytes)
    }

    /// The word at an address.
    fn word(&self, address: u64) -> Option<u64> {
        self.array(address).map(u64::from_le_bytes)
    }
}

/// A range of memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Piece {
    /// The address of the first byte.
    pub address: u64,
    /// The number of bytes.
    pub len: usize,
}

/// Which of these pieces are left if as few as possible are left out so that no two of the others overlap.
pub(super) fn disjoint(pieces: &[Piece]) -> Vec<bool> {
    let ends = pieces.iter().enumerate().map(|(at, piece)| {
        (piece.address.saturating_add(piece.len as u64), Reverse(piece.address), at)
    });
    let mut ends: Vec<(u64, Reverse<u64>, usize)> = ends.collect();
    ends.sort_unstable();
    let mut kept = vec![false; pieces.len()];
    let mut last = 0;
    for (end, Reverse(start), at) in ends {
        let is_empty = start == end;
        if let Some(kept) = kept.get_mut(at).filter(|_| is_empty || last <= start) {
            *kept = true;
            last = if is_empty { last } else { end };
        }
    }
    kept
}

/// The most pieces that the kernel reads in one call (`UIO_MAXIOV`).
pub(super) const PIECES: usize = 1024;

/// The first `len` bytes of a buffer. A larger one comes zeroed from the system, which assigns memory only
/// to what is written: a stack may claim 64 MiB that can't be read.
pub(super) fn room(buffer: &mut Vec<u8>, len: usize) -> &mut [u8] {
    if buffer.len() < len {
        *buffer = vec![0; len];
    }
    buffer.get_mut(..len).unwrap_or_default()
}

/// Reads pieces in batches, until then at the latest, and calls `found` with the position and bytes of each
/// that can be read.
pub(super) fn read_each(
    memory: &impl Memory,
    pieces: &[Piece],
    until: Option<Instant>,
    mut found: impl FnMut(usize, &[u8]),
) {
    let mut buffer = Vec::new();
    let mut at = 0_usize;
    while let Some(rest) = pieces.get(at..).filter(|rest| !rest.is_empty())
        && until.is_none_or(|until| Instant::now() < until)
        && !memory.has_ended()
    {
        let mut bytes = 0_usize;
        let count = rest.iter().take(PIECES).take_while(|piece| {
            bytes = bytes.saturating_add(piece.len);
            bytes <= LIMITS.live_batch
        });
        let batch = rest.get(..count.count().max(1)).unwrap_or(rest);
        let len = batch.iter().fold(0, |sum: usize, piece| sum.saturating_add(piece.len));
        let copied = room(&mut buffer, len);
        let read = memory.read_pieces(batch, copied);
        let mut from: &[u8] = copied;
        for (into, piece) in batch.iter().take(read).enumerate() {
            found(at.saturating_add(into), from.split_off(..piece.len).unwrap_or_default());
        }
        // A piece that can't be read is skipped.
        let passed = if read < batch.len() { read.saturating_add(1) } else { read };
        at = at.saturating_add(passed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ops::Range;

    #[test]
    fn of_what_overlaps_as_much_as_possible_is_kept() {
        let kept = |ranges: &[Range<u64>]| {
            let piece =
                |it: &Range<u64>| Piece { address: it.start, len: (it.end - it.start) as usize };
            disjoint(&ranges.iter().map(piece).collect::<Vec<_>>())
        };
        assert_eq!(kept(&[20..30, 10..20, 30..40]), [true; 3]);
        assert_eq!(kept(&[0..99, 10..20, 30..40, 0..0, 15..15]), [false, true, true, true, true]);
        assert_eq!(kept(&[5..9, 5..9, 4..9, 6..9]), [false, false, false, true]);
        assert_eq!(kept(&[5..9, 5..9, 8..12]), [true, false, false]);
        assert_eq!(kept(&[u64::MAX - 8..u64::MAX, 0..8]), [true; 2]);
    }
}
