//! Finds the runtime's variables in memory. Stripped programs have no names for them, so all are recognised
//! by their contents.

use super::layout::{Layout, Status};
use super::memory::{Memory, Piece, read_each, room};
use crate::limits::LIMITS;
use std::collections::HashSet;
use std::ops::Range;

/// Bytes that are searched at a time.
const PART: u64 = 1 << 20;
/// How far two parts overlap: the longest thing that is searched for (six words), less one word.
const OVERLAP: u64 = 40;
/// How many goroutines of a list are checked to see whether it is one.
const LOOKED_AT: usize = 16;
/// The number of the first goroutine, the one that runs `main`.
const FIRST: u64 = 1;

/// Calls `found` with every `N` consecutive words of a range, as far as it can be read; returns the address
/// of the first ones that it accepts.
fn windows<M: Memory, const N: usize>(
    memory: &M,
    range: &Range<u64>,
    mut found: impl FnMut(u64, [u64; N]) -> bool,
) -> Option<u64> {
    let mut buffer = Vec::new();
    let mut start = range.start.checked_next_multiple_of(8)?;
    let end = range.end.min(start.saturating_add(LIMITS.live_searched));
    while start < end && !memory.has_ended() {
        let left = end.saturating_sub(start);
        let len = usize::try_from(left.min(PART.saturating_add(OVERLAP))).ok()?;
        let part = room(&mut buffer, len);
        if memory.fill(start, part) {
            let (words, _) = part.as_chunks::<8>();
            for (window, at) in words.windows(N).zip((start..).step_by(8)) {
                let mut values = [0; N];
                for (value, word) in values.iter_mut().zip(window) {
                    *value = u64::from_le_bytes(*word);
                }
                if found(at, values) {
                    return Some(at);
                }
            }
        }
        start = start.saturating_add(PART);
    }
    None
}

/// The address of the list of all goroutines (`runtime.allgs`): the slice of pointers whose first one
/// points to goroutine 1. If that one has ended (`runtime.Goexit`), its `g` is reused in time; then it is
/// the slice whose start is in a second variable, too (`runtime.allgptr`).
pub(super) fn goroutines(memory: &impl Memory, zeros: &Range<u64>, layout: &Layout) -> Option<u64> {
    let (mut others, mut candidates) = (Vec::new(), 0_usize);
    let found = windows(memory, zeros, |at, [start, len, room]| {
        if !is_slice(start, len, room) || candidates >= LIMITS.live_candidates {
            return false;
        }
        candidates = candidates.saturating_add(1);
        let first = goroutines_at(memory, layout, start, len);
        if first.is_some() && others.len() < LOOKED_AT {
            others.push((at, start));
        }
        first == Some(FIRST)
    });
    let is_twice = |&(at, start): &(u64, u64)| {
        windows(memory, zeros, |other, [word]| word == start && other != at).is_some()
    };
    found.or_else(|| others.into_iter().find(is_twice).map(|(at, _)| at))
}

fn is_slice(start: u64, len: u64, room: u64) -> bool {
    start != 0
        && start.is_multiple_of(8)
        && 0 < len
        && len <= room
        && room <= LIMITS.live_goroutines
}

/// The number of the first goroutine in a list; `None` if a checked entry isn't a goroutine, or none of
/// them is alive.
fn goroutines_at(memory: &impl Memory, layout: &Layout, start: u64, len: u64) -> Option<u64> {
    let looked_at = LOOKED_AT.min(usize::try_from(len).unwrap_or(LOOKED_AT));
    let addresses = words(memory, start, looked_at)?;
    let distinct: HashSet<&u64> = addresses.iter().collect();
    if distinct.len() < addresses.len() {
        return None;
    }
    let mut bytes = vec![0; layout.size];
    let (mut first, mut is_alive) = (None, false);
    for address in addresses {
        if !address.is_multiple_of(8) || !memory.fill(address, &mut bytes) {
            return None;
        }
        let it = layout.parse(address, &bytes)?;
        if !matches!(it.status, Status::Dead | Status::Missing) {
            (it.is_plausible() && it.start_pc != 0).then_some(())?;
            is_alive = true;
        }
        first = first.or(Some(it.id));
    }
    first.filter(|_| is_alive)
}

/// Reads `count` words from an address on.
fn words(memory: &impl Memory, address: u64, count: usize) -> Option<Vec<u64>> {
    let mut bytes = vec![0; count.checked_mul(8)?];
    if !memory.fill(address, &mut bytes) {
        return None;
    }
    let (words, _) = bytes.as_chunks();
    Some(words.iter().map(|word| u64::from_le_bytes(*word)).collect())
}

/// How often a list is read that grows meanwhile.
const TRIES: usize = 8;
/// How many addresses are read at a time.
const TOGETHER: usize = 1 << 16;

/// The size of a slice.
const SLICE: usize = 24;

/// The slice that is the list of all goroutines.
pub(super) fn list_header(list: u64) -> Piece {
    Piece { address: list, len: SLICE }
}

/// The array with the addresses of all goroutines, and the rest of it, where more can be added.
pub(super) fn list(memory: &impl Memory, list: u64) -> Option<[Piece; 2]> {
    let bytes: [u8; SLICE] = memory.array(list)?;
    let (words, _) = bytes.as_chunks();
    let [start, len, room] = *words.first_chunk()?;
    let [address, len, room] = [start, len, room].map(u64::from_le_bytes);
    is_slice(address, len, room).then_some(())?;
    let piece = |from: u64, to: u64| {
        let len = usize::try_from(to.checked_sub(from)?.checked_mul(8)?).ok()?;
        Some(Piece { address: address.checked_add(from.checked_mul(8)?)?, len })
    };
    Some([piece(0, len)?, piece(len, room)?])
}

/// The list of all goroutines.
#[derive(Default)]
pub(super) struct List {
    pub(super) addresses: Vec<u64>,
    /// How many of them are behind the end that the list says it has: memory that is damaged.
    pub(super) beyond: u64,
}

/// The addresses of all goroutines. The list only grows, and moves when it outgrows its array. The rest of
/// that is zeros: `runtime.allgadd` stores the new length before the new address.
pub(super) fn addresses(memory: &impl Memory, list: u64) -> Option<List> {
    let mut all = None;
    for _ in 0..TRIES {
        let Some([array, rest]) = self::list(memory, list) else { continue };
        let Some(mut addresses) = array_words(memory, array) else { continue };
        let mut more = array_words(memory, rest).unwrap_or_default();
        more.retain(|&address| address != 0);
        let now = self::list(memory, list).filter(|[now, _]| now.address == array.address);
        let Some(added) = now.and_then(|[now, _]| now.len.checked_sub(array.len)) else { continue };
        let beyond = more.len().saturating_sub(added / 8) as u64;
        addresses.extend(more);
        all = Some(List { addresses, beyond });
        if beyond == 0 {
            break;
        }
    }
    all
}

/// The words of an array.
fn array_words(memory: &impl Memory, array: Piece) -> Option<Vec<u64>> {
    let (mut all, mut address, mut left) = (Vec::new(), array.address, array.len / 8);
    while left > 0 {
        let count = left.min(TOGETHER);
        all.extend(words(memory, address, count)?);
        address = address.checked_add((count as u64).checked_mul(8)?)?;
        left = left.saturating_sub(count);
    }
    Some(all)
}

/// The texts of all wait reasons (`runtime.waitReasonStrings`), recognised by the first ones: "", "GC
/// assist marking", "IO wait". Their numbers change with every version of Go.
pub(super) fn wait_reasons(
    memory: &impl Memory,
    data: &Range<u64>,
    layout: &Layout,
) -> Option<Vec<String>> {
    let text = |address: u64, len: u64| {
        let mut bytes = vec![0; usize::try_from(len).ok().filter(|&len| len <= 64)?];
        memory.fill(address, &mut bytes).then_some(())?;
        String::from_utf8(bytes).ok()
    };
    let starts_so = |at: &[u64; 6]| {
        let [_, none, marking, marking_len, wait, wait_len] = *at;
        [none, marking_len, wait_len] == [0, 17, 7]
            && text(marking, 17).as_deref() == Some("GC assist marking")
            && text(wait, 7).as_deref() == Some("IO wait")
    };
    let start = windows(memory, data, |_, words| starts_so(&words))?;
    let strings = words(memory, start, layout.wait_reasons.checked_mul(2)?)?;
    let (strings, _) = strings.as_chunks::<2>();
    strings
        .iter()
        .map(|&[address, len]| match len {
            0 => Some(String::new()),
            _ => {
                text(address, len).filter(|text| text.bytes().all(|byte| matches!(byte, 32..=126)))
            }
        })
        .collect()
}

/// Reads objects of one size in batches and calls `found` with the position and bytes of each that can be
/// read.
pub(super) fn each(
    memory: &impl Memory,
    addresses: &[u64],
    len: usize,
    found: impl FnMut(usize, &[u8]),
) {
    let pieces: Vec<Piece> = addresses.iter().map(|&address| Piece { address, len }).collect();
    read_each(memory, &pieces, None, found);
}
