//! What a parked goroutine waits for: the channels and locks of its `sudog`s (`runtime/runtime2.go`, Go
//! 1.21 to 1.27).
//!
//! `g.waiting` points to the `sudog` of a goroutine that waits for a channel; those of the other cases of a
//! `select` follow by `waitlink`. From Go 1.26 on it also points to that of a lock, a WaitGroup or a Cond;
//! before, only a word in the frame of `runtime.semacquire1` does.
//!
//! The addresses of `sudog`s are looked up first ([`find`]). They are then read together with the
//! goroutine's stack, between two reads of the `g`, and only count if they still belong to it
//! ([`waits_on`]).

use super::layout::{Goroutine, Layout, Status};
use super::locate;
use super::memory::{Memory, Piece};
use super::stack::StackCopy;
use crate::limits::LIMITS;

/// How many words of the innermost frames may point to the `sudog` of a semaphore.
const WORDS: usize = 48;

/// The fields of a `sudog`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sudog {
    pub(super) goroutine: u64,
    /// Whether it belongs to a `select`, whose next case follows.
    pub(super) is_select: bool,
    pub(super) next: u64,
    /// The channel; 0 for a semaphore or a Cond.
    pub(super) channel: u64,
    /// The address of the semaphore or the Cond; for a channel, that of the value to send or receive.
    pub(super) element: u64,
}

/// A goroutine that waits for a channel, a lock or the like.
#[derive(Clone, Copy, Debug)]
pub(super) struct Waiter {
    goroutine: u64,
    /// `g.waiting`.
    first: u64,
    start: u64,
    high: u64,
    /// Whether it waits for a semaphore of `sync`.
    for_semaphore: bool,
}

impl Waiter {
    pub(super) fn of(goroutine: &Goroutine, wait_reasons: &[String]) -> Option<Waiter> {
        let for_semaphore = offset(goroutine, wait_reasons).is_some();
        let waits = matches!(goroutine.status, Status::Waiting | Status::Leaked);
        (waits && (for_semaphore || goroutine.waiting != 0)).then_some(())?;
        let start = goroutine.stack_start()?;
        Some(Waiter {
            goroutine: goroutine.address,
            first: goroutine.waiting,
            start,
            high: goroutine.high,
            for_semaphore,
        })
    }
}

/// Returns the addresses of each goroutine's `sudog`s, as far as they can be found.
pub(super) fn find(memory: &impl Memory, layout: &Layout, waiters: &[Waiter]) -> Vec<Vec<u64>> {
    let mut found = find_linked(memory, layout, waiters);
    if !layout.links_semaphores() {
        find_semaphores(memory, layout, waiters, &mut found);
    }
    found
}

/// Finds the `sudog`s that `g.waiting` leads to.
pub(super) fn find_linked(
    memory: &impl Memory,
    layout: &Layout,
    waiters: &[Waiter],
) -> Vec<Vec<u64>> {
    let mut found = vec![Vec::new(); waiters.len()];
    let mut room = LIMITS.live_sudogs;
    let firsts = waiters.iter().enumerate().map(|(at, waiter)| (at, waiter.first));
    let mut level: Vec<(usize, u64)> = firsts.filter(|&(_, first)| first != 0).collect();
    for _ in 0..LIMITS.live_cases {
        room = match room.checked_sub(level.len()) {
            Some(room) if !level.is_empty() => room,
            _ => break,
        };
        let addresses: Vec<u64> = level.iter().map(|&(_, address)| address).collect();
        let mut next = Vec::new();
        locate::each(memory, &addresses, layout.sudog_size(), |position, bytes| {
            let Some(&(at, address)) = level.get(position) else { return };
            let Some((own, sudog)) = found.get_mut(at).zip(layout.sudog(bytes)) else { return };
            own.push(address);
            if sudog.is_select && sudog.next != 0 {
                next.push((at, sudog.next));
            }
        });
        level = next;
    }
    found
}

/// Searches the innermost frames for the `sudog`s of semaphores. All are at the same offset of the same
/// function, so offsets that had one are tried first.
fn find_semaphores(
    memory: &impl Memory,
    layout: &Layout,
    waiters: &[Waiter],
    found: &mut [Vec<u64>],
) {
    let mut known: Vec<usize> = Vec::new();
    let mut sudog = vec![0; layout.sudog_size()];
    let wanted = waiters.iter().zip(found).filter(|(waiter, _)| waiter.for_semaphore);
    for (waiter, own) in wanted.filter(|(waiter, _)| waiter.first == 0) {
        if memory.has_ended() {
            break;
        }
        let len = waiter.high.saturating_sub(waiter.start) & !7;
        let len = usize::try_from(len).unwrap_or(usize::MAX).min(WORDS.saturating_mul(8));
        let mut bytes = vec![0; len];
        if !memory.fill(waiter.start, &mut bytes) {
            continue;
        }
        let (words, _) = bytes.as_chunks::<8>();
        let others = (0..words.len()).filter(|other| !known.contains(other));
        let places: Vec<usize> = known.iter().copied().chain(others).collect();
        let hit = places.into_iter().find_map(|place| {
            let address = u64::from_le_bytes(*words.get(place)?);
            let may_be = address > 0xfff
                && address.is_multiple_of(8)
                && !(waiter.start..waiter.high).contains(&address);
            let is_read = may_be && memory.fill(address, &mut sudog);
            let sudog = layout.sudog(&sudog).filter(|_| is_read)?;
            sudog.is_of_semaphore(waiter.goroutine).then_some((place, address))
        });
        if let Some((place, address)) = hit {
            own.push(address);
            if !known.contains(&place) {
                known.push(place);
            }
        }
    }
}

/// The memory of these `sudog`s.
pub(super) fn pieces(layout: &Layout, sudogs: &[u64]) -> impl Iterator<Item = Piece> {
    let len = layout.sudog_size();
    sudogs.iter().map(move |&address| Piece { address, len })
}

/// The channels or the lock that a goroutine waits for, given its stack and the bytes of its `sudog`s,
/// which were read together; empty if a `sudog` isn't its own.
pub(super) fn waits_on(
    layout: &Layout,
    wait_reasons: &[String],
    goroutine: &Goroutine,
    stack: StackCopy,
    sudogs: &[u64],
    bytes: &[u8],
) -> Vec<u64> {
    let read: Option<Vec<Sudog>> =
        bytes.chunks_exact(layout.sudog_size()).map(|bytes| layout.sudog(bytes)).collect();
    let read = read.unwrap_or_default();
    let linked = match goroutine.waiting {
        0 => sudogs.first().copied().unwrap_or_default(),
        first => first,
    };
    let expected = [linked].into_iter().chain(read.iter().map(|sudog| sudog.next));
    let is_linked =
        sudogs.iter().copied().chain([0]).eq(expected.take(sudogs.len().saturating_add(1)));
    let is_own = read.iter().all(|sudog| sudog.goroutine == goroutine.address);
    if sudogs.is_empty() || !is_own {
        return Vec::new();
    }
    match (read.as_slice(), offset(goroutine, wait_reasons)) {
        ([one], Some(offset)) if one.is_of_semaphore(goroutine.address) => {
            let is_on_stack = || {
                let innermost = stack.bytes.as_chunks::<8>().0.iter().take(WORDS);
                innermost.into_iter().any(|word| u64::from_le_bytes(*word) == linked)
            };
            let is_known = goroutine.waiting != 0 || is_on_stack();
            let lock = one.element.checked_sub(offset).filter(|_| is_known);
            lock.into_iter().collect()
        }
        (all, None) if is_linked && all.iter().all(|sudog| sudog.channel != 0) => {
            all.iter().map(|sudog| sudog.channel).collect()
        }
        _ => Vec::new(),
    }
}

impl Sudog {
    fn is_of_semaphore(&self, goroutine: u64) -> bool {
        self.goroutine == goroutine && self.element != 0 && self.channel == 0 && !self.is_select
    }
}

/// The offset of the waited-for field in the type of `sync` that the wait reason names. The fields are
/// where they were in Go 1.21.
fn offset(goroutine: &Goroutine, wait_reasons: &[String]) -> Option<u64> {
    let reason = wait_reasons.get(usize::from(goroutine.wait_reason))?;
    match reason.as_str() {
        // `Mutex.sema`.
        "sync.Mutex.Lock" => Some(4),
        // `RWMutex.writerSem`, `readerSem`.
        "sync.RWMutex.Lock" => Some(8),
        "sync.RWMutex.RLock" => Some(12),
        // `WaitGroup.sema`; up to Go 1.23 its wait reason is `semacquire`, like that of others.
        "sync.WaitGroup.Wait" => Some(8),
        // `Cond.notify`.
        "sync.Cond.Wait" => Some(16),
        _ => None,
    }
}
