//! A copy of parts of a process' memory, made while the process is stopped.

use super::error::Refusal;
use super::memory::{Memory, PIECES, Piece};
use crate::limits::{self, LIMITS};
use std::cell::RefCell;
use std::ops::Range;
use std::time::Instant;

/// Pieces with a smaller gap between them are read as one: a read costs more per piece than per page of
/// bytes. At most a page, so that no page is touched that has no piece in it.
const GAP: u64 = 4096;
/// A range of this many bytes isn't joined with the next one.
const JOIN_BELOW: usize = 1 << 20;
/// At most this many bytes are read by one call: the deadline can't be checked during a call.
const READ_AT_ONCE: usize = 16 << 20;
/// Rounds of copying missing pieces: a copied piece may point to more.
const MAX_ROUNDS: usize = 4;
/// At most this many missing pieces are noted in a round.
const MAX_MISSED: usize = 1 << 20;

/// Parts of a process' memory.
#[derive(Debug)]
pub(super) struct CopiedMemory {
    buffer: Vec<u8>,
    used: usize,
    /// What was copied, by step. The ranges of a step don't overlap, and are sorted by address.
    steps: Vec<Vec<CopiedRange>>,
    /// Pieces that were looked up and aren't in the copy; `None` except during
    /// [`CopiedMemory::add_missing`].
    missed: RefCell<Option<Vec<Piece>>>,
}

/// Where a range of memory is in the buffer.
#[derive(Clone, Copy, Debug)]
struct CopiedRange {
    piece: Piece,
    at: usize,
}

impl CopiedMemory {
    /// An empty copy with `room` bytes allocated in advance, so the process isn't kept stopped
    /// meanwhile.
    ///
    /// # Errors
    /// If that is more than the limit.
    pub(super) fn with_room(room: usize) -> Result<CopiedMemory, Refusal> {
        check_size(room)?;
        // Not zeros, which wouldn't be written: the system only assigns pages when they are written to.
        let buffer = vec![1; room];
        Ok(CopiedMemory { buffer, used: 0, steps: Vec::new(), missed: RefCell::new(None) })
    }

    /// Copies these pieces, as far as they can be read.
    ///
    /// # Errors
    /// If it isn't done by `until`, or needs more memory than the limit.
    pub(super) fn add(
        &mut self,
        memory: &impl Memory,
        mut pieces: Vec<Piece>,
        until: Instant,
    ) -> Result<(), Refusal> {
        let joined = join(&mut pieces, GAP);
        let size = size(&joined);
        let end = self.used.saturating_add(size);
        check_size(end)?;
        if self.buffer.len() < end {
            self.buffer.resize(end, 0);
        }
        let mut step = Vec::with_capacity(joined.len());
        let mut rest = joined.as_slice();
        while !rest.is_empty() {
            let mut bytes = 0_usize;
            let count = rest.iter().take(PIECES).take_while(|(piece, _)| {
                bytes = bytes.saturating_add(piece.len);
                bytes <= READ_AT_ONCE
            });
            let batch = rest.get(..count.count().max(1)).unwrap_or(rest);
            let of_batch: Vec<Piece> = batch.iter().map(|(piece, _)| *piece).collect();
            let count = self.append(memory, &of_batch, &mut step);
            let passed = match batch.get(count) {
                None => count,
                // One of the joined pieces can't be read; the others are tried on their own.
                Some((_, members)) => {
                    let mut members = pieces.get(members.clone()).unwrap_or_default().to_vec();
                    for (piece, _) in join(&mut members, 0) {
                        self.append(memory, &[piece], &mut step);
                        check_deadline(until)?;
                    }
                    count.saturating_add(1)
                }
            };
            rest = rest.get(passed..).unwrap_or_default();
            check_deadline(until)?;
        }
        self.steps.push(step);
        Ok(())
    }

    /// Appends pieces to the buffer; returns how many were read before one that couldn't be.
    fn append(
        &mut self,
        memory: &impl Memory,
        pieces: &[Piece],
        step: &mut Vec<CopiedRange>,
    ) -> usize {
        let Some(into) = self.buffer.get_mut(self.used..) else { return 0 };
        if pieces.iter().map(|piece| piece.len).fold(0, usize::saturating_add) > into.len() {
            return 0;
        }
        let read = memory.read_pieces(pieces, into);
        for piece in pieces.iter().take(read) {
            step.push(CopiedRange { piece: *piece, at: self.used });
            self.used = self.used.saturating_add(piece.len);
        }
        read
    }

    /// Runs `look_up` on the copy and copies the pieces that it didn't find. Repeats this, as those may
    /// point to more.
    ///
    /// # Errors
    /// Those of [`CopiedMemory::add`].
    pub(super) fn add_missing(
        &mut self,
        memory: &impl Memory,
        until: Instant,
        look_up: impl Fn(&CopiedMemory),
    ) -> Result<(), Refusal> {
        for _ in 0..MAX_ROUNDS {
            self.missed.replace(Some(Vec::new()));
            look_up(self);
            match self.missed.take() {
                Some(missed) if !missed.is_empty() => self.add(memory, missed, until)?,
                _ => break,
            }
        }
        Ok(())
    }

    fn find(&self, wanted: &Piece) -> Option<&[u8]> {
        self.steps.iter().rev().find_map(|step| {
            let after = step.partition_point(|range| range.piece.address <= wanted.address);
            let range = step.get(after.checked_sub(1)?)?;
            let into = usize::try_from(wanted.address.checked_sub(range.piece.address)?).ok()?;
            let end = into.checked_add(wanted.len).filter(|&end| end <= range.piece.len)?;
            self.buffer.get(range.at.checked_add(into)?..range.at.checked_add(end)?)
        })
    }
}

impl Memory for CopiedMemory {
    fn read_pieces(&self, pieces: &[Piece], mut buffer: &mut [u8]) -> usize {
        for (read, piece) in pieces.iter().enumerate() {
            let Some(into) = buffer.split_off_mut(..piece.len) else { return read };
            match self.find(piece) {
                Some(found) => into.copy_from_slice(found),
                None => {
                    if let Some(missed) = &mut *self.missed.borrow_mut()
                        && missed.len() < MAX_MISSED
                    {
                        missed.push(*piece);
                    }
                    return read;
                }
            }
        }
        pieces.len()
    }

    fn is_frozen(&self) -> bool {
        true
    }
}

/// At most half of the memory: the text made from a copy takes as much again.
fn check_size(bytes: usize) -> Result<(), Refusal> {
    let most = LIMITS.live_copied.min(limits::memory() / 2);
    if bytes as u64 <= most { Ok(()) } else { Err(Refusal::TooLarge(most)) }
}

fn check_deadline(until: Instant) -> Result<(), Refusal> {
    if Instant::now() < until { Ok(()) } else { Err(Refusal::TooSlow) }
}

/// How many bytes a copy of these pieces takes.
pub(super) fn bytes_needed(mut pieces: Vec<Piece>) -> usize {
    size(&join(&mut pieces, GAP))
}

fn size(joined: &[(Piece, Range<usize>)]) -> usize {
    joined.iter().map(|(piece, _)| piece.len).fold(0, usize::saturating_add)
}

/// Sorts the pieces and returns the ranges to read for them, by ascending address, each with the positions
/// of its pieces. Pieces that overlap, or have a gap of less than `gap` bytes, share a range.
fn join(pieces: &mut Vec<Piece>, gap: u64) -> Vec<(Piece, Range<usize>)> {
    pieces.retain(|piece| piece.len > 0);
    pieces.sort_by_key(|piece| piece.address);
    let mut joined: Vec<(Piece, Range<usize>)> = Vec::new();
    for (at, piece) in pieces.iter().enumerate() {
        let next = at.saturating_add(1);
        if let Some((last, members)) = joined.last_mut() {
            let into = piece.address.saturating_sub(last.address);
            let overlaps = into < last.len as u64;
            let is_near = into < (last.len as u64).saturating_add(gap) && last.len < JOIN_BELOW;
            let end = usize::try_from(into).unwrap_or(usize::MAX).saturating_add(piece.len);
            if overlaps || is_near {
                last.len = last.len.max(end);
                members.end = next;
                continue;
            }
        }
        joined.push((*piece, at..next));
    }
    joined
}
