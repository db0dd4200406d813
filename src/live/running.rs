//! Goroutines that run: copied while their threads stand still.

use super::layout::{Goroutine, Layout, Machine, Status};
use super::memory::{Memory, PIECES, Piece};
use super::stack::Start;
use crate::limits::LIMITS;
use std::time::Instant;

/// A goroutine that ran, and its stack at that moment.
#[derive(Debug)]
pub(super) struct Running {
    pub(super) goroutine: Goroutine,
    pub(super) start: Start,
    pub(super) stack: Vec<u8>,
}

/// A thread that stands still.
#[derive(Clone, Copy, Debug)]
pub(super) struct Thread {
    /// Where the runtime keeps what it knows of it (`runtime.m`).
    pub(super) m: u64,
    pub(super) pc: u64,
    pub(super) sp: u64,
    pub(super) lr: u64,
}

/// Copies what these threads run. Of those that can't be known, or not in this time, nothing is there.
pub(super) fn copy(
    memory: &impl Memory,
    layout: &Layout,
    threads: &[Thread],
    until: Instant,
) -> Vec<Running> {
    let pieces =
        threads.iter().map(|thread| Piece { address: thread.m, len: layout.machine_size() });
    let machines = read(memory, pieces.collect(), until);
    let machines = threads.iter().zip(machines).filter_map(|(thread, bytes)| {
        let machine = layout.machine(&bytes)?;
        (machine.current != 0 && machine.g0 != 0).then_some((*thread, machine))
    });
    let machines: Vec<(Thread, Machine)> = machines.collect();
    let pieces = machines.iter().flat_map(|(_, machine)| {
        let goroutine = Piece { address: machine.current, len: layout.size };
        [goroutine, Piece { address: machine.g0, len: STACK }]
    });
    let read_goroutines = read(memory, pieces.collect(), until);
    let (pairs, _) = read_goroutines.as_chunks::<2>();
    let found = machines.iter().zip(pairs).filter_map(|((thread, machine), [bytes, g0])| {
        let it = layout.parse(machine.current, bytes)?;
        // `Busy` is one of which the stack grows: its thread does that on a stack of its own.
        let is_running = it.is_plausible() && matches!(it.status, Status::Running | Status::Busy);
        let (low, g0) = g0.split_first_chunk()?;
        let g0 = u64::from_le_bytes(*low)..u64::from_le_bytes(*g0.first_chunk()?);
        let start = start(thread, machine, &it, &g0).filter(|_| is_running)?;
        Some((it, start))
    });
    let found: Vec<(Goroutine, Start)> = found.collect();
    let pieces = found.iter().map(|(it, start)| {
        let len = usize::try_from(it.high.saturating_sub(start.sp)).unwrap_or(usize::MAX);
        Piece { address: start.sp, len: len.min(LIMITS.live_stack) }
    });
    let stacks = read(memory, pieces.collect(), until);
    let running = found.into_iter().zip(stacks).filter(|(_, stack)| !stack.is_empty());
    running.map(|((goroutine, start), stack)| Running { goroutine, start, stack }).collect()
}

/// `g.stack`.
const STACK: usize = 16;

/// What stands in each of the pieces: nothing where it can't be read, or not in this time.
fn read(memory: &impl Memory, pieces: Vec<Piece>, until: Instant) -> Vec<Vec<u8>> {
    let mut all = vec![Vec::new(); pieces.len()];
    let mut buffer = Vec::new();
    let mut at = 0_usize;
    while let Some(rest) = pieces.get(at..).filter(|rest| !rest.is_empty())
        && Instant::now() < until
    {
        let mut bytes = 0_usize;
        let count = rest.iter().take(PIECES).take_while(|piece| {
            bytes = bytes.saturating_add(piece.len);
            bytes <= LIMITS.live_batch
        });
        let batch = rest.get(..count.count().max(1)).unwrap_or(rest);
        let len = batch.iter().fold(0, |sum: usize, piece| sum.saturating_add(piece.len));
        buffer.resize(len, 0);
        let read = memory.read_pieces(batch, &mut buffer);
        let mut from = buffer.as_slice();
        for (piece, into) in batch.iter().take(read).zip(all.iter_mut().skip(at)) {
            *into = from.split_off(..piece.len).unwrap_or_default().to_vec();
        }
        // One that can't be read is passed over.
        let passed = if read < batch.len() { read.saturating_add(1) } else { read };
        at = at.saturating_add(passed);
    }
    all
}

/// Where a goroutine is: by the registers if its thread is on its stack, by what was noted of it
/// when the thread left that for its own or for the kernel's code (vDSO). `None` where a signal is handled.
fn start(
    thread: &Thread,
    machine: &Machine,
    it: &Goroutine,
    g0: &std::ops::Range<u64>,
) -> Option<Start> {
    let is_on_stack = |sp: u64| it.low < sp && sp <= it.high;
    let (pc, sp) = (machine.vdso_pc, machine.vdso_sp);
    if sp != 0 && is_on_stack(sp) {
        return Some(Start { pc, sp, lr: 0, is_syscall: false, is_trap: false });
    }
    if sp == 0 && is_on_stack(thread.sp) {
        let Thread { pc, sp, lr, .. } = *thread;
        return Some(Start { pc, sp, lr, is_syscall: false, is_trap: true });
    }
    let is_on_own = g0.start < thread.sp && thread.sp <= g0.end;
    let noted = Start { pc: it.pc, sp: it.sp, lr: it.lr, is_syscall: false, is_trap: false };
    (is_on_own && is_on_stack(it.sp)).then_some(noted)
}
