//! Goroutines that run: copied while their threads are stopped.

use super::layout::{Goroutine, Layout, Machine, Status};
use super::memory::{self, Memory, Piece, read_each};
use super::stack::Start;
use crate::binary::Arch;
use crate::limits::LIMITS;
use std::ops::Range;
use std::time::Instant;

/// A goroutine that ran, and its stack at that moment.
#[derive(Debug)]
pub(super) struct Running {
    pub(super) goroutine: Goroutine,
    pub(super) start: Start,
    pub(super) stack: Vec<u8>,
}

/// A thread that is stopped.
#[derive(Clone, Copy, Debug)]
pub(super) struct Thread {
    /// The address of its `runtime.m`.
    pub(super) m: u64,
    pub(super) pc: u64,
    pub(super) sp: u64,
    pub(super) lr: u64,
}

/// Copies the goroutines that these threads run. Leaves out those that can't be read, or not by `until`.
pub(super) fn copy(
    memory: &impl Memory,
    (layout, arch): (&Layout, Arch),
    threads: &[Thread],
    until: Option<Instant>,
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
        let stacks = [machine.g0, machine.for_signals];
        [goroutine].into_iter().chain(stacks.map(|address| Piece { address, len: STACK }))
    });
    let read_goroutines = read(memory, pieces.collect(), until);
    let (threes, _) = read_goroutines.as_chunks::<3>();
    let candidates = machines.iter().zip(threes).filter_map(|((thread, machine), of_it)| {
        let [bytes, own, for_signals] = of_it;
        let it = layout.parse(machine.current, bytes)?;
        // A `Busy` goroutine's stack grows: its thread does that on its own stack.
        let is_running = it.is_plausible() && matches!(it.status, Status::Running | Status::Busy);
        let for_signals = bounds(for_signals).filter(|stack| is_on(stack, thread.sp));
        is_running.then_some((*thread, machine, it, bounds(own)?, for_signals))
    });
    let mut candidates: Vec<_> = candidates.collect();
    let handlers = candidates.iter_mut().filter_map(|(thread, .., stack)| {
        let stack = stack.take()?;
        Some((thread, stack))
    });
    let (handlers, stacks): (Vec<&mut Thread>, Vec<Range<u64>>) = handlers.unzip();
    let pieces = stacks.iter().map(|stack| {
        let address = stack.start.max(stack.end.saturating_sub(SIGNAL_FRAME));
        Piece { address, len: usize::try_from(stack.end.saturating_sub(address)).unwrap_or(0) }
    });
    let tops = read(memory, pieces.collect(), until);
    for (thread, (stack, top)) in handlers.into_iter().zip(stacks.iter().zip(tops)) {
        *thread = interrupted(arch, thread.m, stack, &top).unwrap_or(*thread);
    }
    let found = candidates
        .iter()
        .filter_map(|(thread, machine, it, own, _)| Some((*it, start(thread, machine, it, own)?)));
    let found: Vec<(Goroutine, Start)> = found.collect();
    let pieces = found.iter().map(|(it, start)| {
        let len = usize::try_from(it.high.saturating_sub(start.sp)).unwrap_or(usize::MAX);
        Piece { address: start.sp, len: len.min(LIMITS.live_stack) }
    });
    let mut pieces: Vec<Piece> = pieces.collect();
    if memory.is_frozen() {
        // What overlaps isn't read, or these copies together could be larger than the memory.
        let is_own = memory::disjoint(&pieces);
        for (piece, _) in pieces.iter_mut().zip(is_own).filter(|(_, is_own)| !is_own) {
            piece.len = 0;
        }
    }
    let stacks = read(memory, pieces, until);
    let running = found.into_iter().zip(stacks).filter(|(_, stack)| !stack.is_empty());
    running.map(|((goroutine, start), stack)| Running { goroutine, start, stack }).collect()
}

/// `g.stack`.
const STACK: usize = 16;

/// The end of a signal stack, which is read: the kernel saves the interrupted registers there, after the
/// vector and matrix registers, which take 11 KB at most so far.
const SIGNAL_FRAME: u64 = 16 << 10;

/// The range of a stack.
fn bounds(bytes: &[u8]) -> Option<Range<u64>> {
    let (low, high) = bytes.split_first_chunk()?;
    Some(u64::from_le_bytes(*low)..u64::from_le_bytes(*high.first_chunk()?))
}

/// Whether a stack pointer is on a stack, which grows downwards from its end.
fn is_on(stack: &Range<u64>, sp: u64) -> bool {
    stack.start < sp && sp <= stack.end
}

/// Reads the pieces; those that can't be read, or not by `until`, are empty.
fn read(memory: &impl Memory, pieces: Vec<Piece>, until: Option<Instant>) -> Vec<Vec<u8>> {
    let mut all = vec![Vec::new(); pieces.len()];
    read_each(memory, &pieces, until, |at, bytes| {
        if let Some(into) = all.get_mut(at) {
            *into = bytes.to_vec();
        }
    });
    all
}

/// Returns the registers of a thread that a signal interrupted, given the end of the signal stack. The
/// kernel puts a `struct ucontext` there, which has the bounds of the same stack
/// (`arch/x86/include/uapi/asm/sigcontext.h`, `arch/arm64/include/uapi/asm/sigcontext.h`).
fn interrupted(arch: Arch, m: u64, stack: &Range<u64>, top: &[u8]) -> Option<Thread> {
    let (words, _) = top.as_chunks::<8>();
    let word = |at: usize| words.get(at).map(|&word| u64::from_le_bytes(word));
    let size = stack.end.saturating_sub(stack.start);
    // Positions of the registers after `uc_stack.ss_sp`, in words.
    let (pc, sp, lr) = match arch {
        Arch::Amd64 => (19, 18, None),
        Arch::Arm64 => (53, 52, Some(51)),
        Arch::Other => return None,
    };
    let is_start =
        |at: &usize| word(*at) == Some(stack.start) && word(at.saturating_add(2)) == Some(size);
    let start = (0..words.len()).rev().find(is_start)?;
    let register = |at: usize| word(start.checked_add(at)?);
    let lr = lr.map_or(Some(0), register)?;
    Some(Thread { m, pc: register(pc)?, sp: register(sp)?, lr })
}

/// Where unwinding a goroutine starts: from the registers if its thread is on the goroutine's stack, else
/// from what was saved when the thread switched to its own stack or to the kernel's vDSO.
fn start(
    thread: &Thread,
    machine: &Machine,
    goroutine: &Goroutine,
    own: &Range<u64>,
) -> Option<Start> {
    let is_on_stack = |sp: u64| is_on(&(goroutine.low..goroutine.high), sp);
    let (pc, sp) = (machine.vdso_pc, machine.vdso_sp);
    if sp != 0 && is_on_stack(sp) {
        return Some(Start { pc, sp, lr: 0, is_syscall: false, is_trap: false });
    }
    if sp == 0 && is_on_stack(thread.sp) {
        let Thread { pc, sp, lr, .. } = *thread;
        return Some(Start { pc, sp, lr, is_syscall: false, is_trap: true });
    }
    let noted = Start {
        pc: goroutine.pc,
        sp: goroutine.sp,
        lr: goroutine.lr,
        is_syscall: false,
        is_trap: false,
    };
    (is_on(own, thread.sp) && is_on_stack(goroutine.sp)).then_some(noted)
}
