//! A copy of memory, made while its process stands still.

use super::error::Refusal;
use super::memory::{Memory, PIECES, Piece};
use crate::limits::{self, LIMITS};
use std::cell::RefCell;
use std::ops::Range;
use std::time::Instant;

/// Pieces that are less than this apart are read as one, as the system needs longer for a piece than for a
/// page's bytes. It is a page at most, so that nothing is read of pages that no piece is in.
const GAP: u64 = 4096;
/// Bytes from which on a piece isn't joined with the next one ...
const JOINED: usize = 1 << 20;
/// ... and those that are read by one call: nothing can be decided while one is under way.
const AT_ONCE: usize = 16 << 20;
/// Times that what was missed is looked for: it may lead to more.
const DEPTH: usize = 4;
/// Pieces that are noted as missed.
const MOST_MISSED: usize = 1 << 20;

/// Parts of a process' memory.
#[derive(Debug)]
pub(super) struct CopiedMemory {
    buffer: Vec<u8>,
    used: usize,
    /// What was copied, step by step. The ranges of a step lie apart, by ascending address.
    steps: Vec<Vec<Part>>,
    /// What was asked for in vain, while that is of interest.
    missed: RefCell<Option<Vec<Piece>>>,
}

/// Where a range of memory is in the buffer.
#[derive(Clone, Copy, Debug)]
struct Part {
    piece: Piece,
    at: usize,
}

impl CopiedMemory {
    /// An empty one, with room for so many bytes that need not be looked for while a process stands still.
    ///
    /// # Errors
    /// If there may not be as many.
    pub(super) fn with_room(room: usize) -> Result<CopiedMemory, Refusal> {
        may_have(room)?;
        // The system gives memory when it is written to.
        let buffer = vec![1; room];
        Ok(CopiedMemory { buffer, used: 0, steps: Vec::new(), missed: RefCell::new(None) })
    }

    /// Copies these pieces, as far as they can be read.
    ///
    /// # Errors
    /// If that takes until then, or more memory than there may be.
    pub(super) fn add(
        &mut self,
        memory: &impl Memory,
        mut pieces: Vec<Piece>,
        until: Instant,
    ) -> Result<(), Refusal> {
        let joined = join(&mut pieces, GAP);
        let size = size(&joined);
        let end = self.used.saturating_add(size);
        may_have(end)?;
        if self.buffer.len() < end {
            self.buffer.resize(end, 0);
        }
        let mut step = Vec::with_capacity(joined.len());
        let mut rest = joined.as_slice();
        while !rest.is_empty() {
            let mut bytes = 0_usize;
            let count = rest.iter().take(PIECES).take_while(|(piece, _)| {
                bytes = bytes.saturating_add(piece.len);
                bytes <= AT_ONCE
            });
            let batch = rest.get(..count.count().max(1)).unwrap_or(rest);
            let read: Vec<Piece> = batch.iter().map(|(piece, _)| *piece).collect();
            let read = self.read(memory, &read, &mut step);
            let passed = match batch.get(read) {
                None => read,
                // One of those that were joined can't be read, the others may.
                Some((_, parts)) => {
                    let mut parts = pieces.get(parts.clone()).unwrap_or_default().to_vec();
                    for (part, _) in join(&mut parts, 0) {
                        self.read(memory, &[part], &mut step);
                        in_time(until)?;
                    }
                    read.saturating_add(1)
                }
            };
            rest = rest.get(passed..).unwrap_or_default();
            in_time(until)?;
        }
        self.steps.push(step);
        Ok(())
    }

    /// Reads pieces behind what is there; tells how many of the first ones were read.
    fn read(&mut self, memory: &impl Memory, pieces: &[Piece], step: &mut Vec<Part>) -> usize {
        let Some(into) = self.buffer.get_mut(self.used..) else { return 0 };
        if pieces.iter().map(|piece| piece.len).fold(0, usize::saturating_add) > into.len() {
            return 0;
        }
        let read = memory.read_pieces(pieces, into);
        for piece in pieces.iter().take(read) {
            step.push(Part { piece: *piece, at: self.used });
            self.used = self.used.saturating_add(piece.len);
        }
        read
    }

    /// Copies what `ask` asks the copy for in vain, and what that leads to.
    ///
    /// # Errors
    /// Those of [`CopiedMemory::add`].
    pub(super) fn add_asked(
        &mut self,
        memory: &impl Memory,
        until: Instant,
        ask: impl Fn(&CopiedMemory),
    ) -> Result<(), Refusal> {
        for _ in 0..DEPTH {
            self.missed.replace(Some(Vec::new()));
            ask(self);
            match self.missed.take() {
                Some(missed) if !missed.is_empty() => self.add(memory, missed, until)?,
                _ => break,
            }
        }
        Ok(())
    }

    fn find(&self, wanted: &Piece) -> Option<&[u8]> {
        self.steps.iter().rev().find_map(|step| {
            let after = step.partition_point(|part| part.piece.address <= wanted.address);
            let part = step.get(after.checked_sub(1)?)?;
            let into = usize::try_from(wanted.address.checked_sub(part.piece.address)?).ok()?;
            let end = into.checked_add(wanted.len).filter(|&end| end <= part.piece.len)?;
            self.buffer.get(part.at.checked_add(into)?..part.at.checked_add(end)?)
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
                        && missed.len() < MOST_MISSED
                    {
                        missed.push(*piece);
                    }
                    return read;
                }
            }
        }
        pieces.len()
    }

    fn stands_still(&self) -> bool {
        true
    }
}

/// What is printed of a copy takes as much again.
fn may_have(bytes: usize) -> Result<(), Refusal> {
    let most = LIMITS.live_copied.min(limits::memory() / 2);
    if bytes as u64 <= most { Ok(()) } else { Err(Refusal::TooLarge(most)) }
}

fn in_time(until: Instant) -> Result<(), Refusal> {
    if Instant::now() < until { Ok(()) } else { Err(Refusal::TooSlow) }
}

/// How many bytes a copy of these pieces takes.
pub(super) fn room(mut pieces: Vec<Piece>) -> usize {
    size(&join(&mut pieces, GAP))
}

fn size(joined: &[(Piece, Range<usize>)]) -> usize {
    joined.iter().map(|(piece, _)| piece.len).fold(0, usize::saturating_add)
}

/// What is to be read for these pieces, by ascending address, and which of them each is for: those that
/// overlap, or are less than this apart, are read as one.
fn join(pieces: &mut Vec<Piece>, gap: u64) -> Vec<(Piece, Range<usize>)> {
    pieces.retain(|piece| piece.len > 0);
    pieces.sort_by_key(|piece| piece.address);
    let mut joined: Vec<(Piece, Range<usize>)> = Vec::new();
    for (at, piece) in pieces.iter().enumerate() {
        let next = at.saturating_add(1);
        if let Some((last, parts)) = joined.last_mut() {
            let into = piece.address.saturating_sub(last.address);
            let overlaps = into < last.len as u64;
            let is_near = into < (last.len as u64).saturating_add(gap) && last.len < JOINED;
            let end = usize::try_from(into).unwrap_or(usize::MAX).saturating_add(piece.len);
            if overlaps || is_near {
                last.len = last.len.max(end);
                parts.end = next;
                continue;
            }
        }
        joined.push((*piece, at..next));
    }
    joined
}
