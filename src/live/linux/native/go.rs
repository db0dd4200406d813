//! The Go side of threads that are in C: the goroutine that made the call, and its stack.
//!
//! `runtime.asmcgocall` switches to the thread's stack and saves there which goroutine it came from. That
//! goroutine's stack doesn't change until C returns, so it is read when all threads run again; if it has
//! changed, it isn't used.

use super::unwind::{Unwinder, Unwound};
use crate::binary::{Binary, Slide};
use crate::live::layout::{Goroutine, Layout, Status};
use crate::live::linux::stop::Registers;
use crate::live::memory::{Memory, Piece};
use crate::live::stack::StackCopy;

/// Where `asmcgocall` saves the goroutine, and how much of its stack was in use: in Go 1.24 and newer, then
/// in older versions.
#[cfg(target_arch = "x86_64")]
const KEPT: [(u64, u64); 2] = [(8, 0), (48, 40)];
#[cfg(target_arch = "aarch64")]
const KEPT: [(u64, u64); 1] = [(0, 8)];

/// The largest distance of the stack pointers in `cgocall` and in the function that it calls: the frame of
/// `cgocall`.
const CGOCALL: u64 = 1 << 10;

/// The Go program of a process.
#[derive(Debug)]
pub(super) struct Go {
    pub(super) binary: Binary,
    pub(super) slide: Slide,
    /// `None` for unknown versions of Go.
    layout: Option<Layout>,
}

impl Go {
    pub(super) fn new(binary: Binary, slide: Slide) -> Go {
        let layout = binary.build_info().and_then(|built| Layout::of(&built.go));
        Go { binary, slide, layout }
    }

    /// The goroutine that is in C, on a stack that ends in `asmcgocall` at this address.
    pub(super) fn caller(
        &self,
        stack: StackCopy,
        at: u64,
        memory: &impl Memory,
    ) -> Option<Goroutine> {
        KEPT.into_iter().find_map(|(goroutine, depth)| {
            let address = stack.word(at.checked_add(goroutine)?)?;
            let depth = stack.word(at.checked_add(depth)?)?;
            let found = self.read(address, memory)?;
            let from = found.high.checked_sub(depth)?;
            let own = found.syscall_sp.checked_sub(from)?;
            let is_it = found.is_plausible() && found.status == Status::Syscall;
            (is_it && found.low <= from && own <= CGOCALL).then_some(found)
        })
    }

    fn read(&self, address: u64, memory: &impl Memory) -> Option<Goroutine> {
        let layout = self.layout?;
        let mut bytes = vec![0; layout.size];
        memory.fill(address, &mut bytes).then_some(())?;
        layout.parse(address, &bytes)
    }

    /// The calls on a goroutine's stack; `None` if it has changed.
    pub(super) fn calls(
        &self,
        goroutine: &Goroutine,
        max_stack: usize,
        memory: &impl Memory,
        unwinder: &mut Unwinder,
    ) -> Option<Unwound> {
        let start = goroutine.stack_start()?;
        let whole = goroutine.high.checked_sub(start)?;
        let len = usize::try_from(whole).ok()?.min(max_stack);
        let mut bytes = vec![0; len];
        let read = memory.read_pieces(&[Piece { address: start, len }], &mut bytes) == 1;
        let unchanged = self.read(goroutine.address, memory).as_ref() == Some(goroutine);
        let registers = Registers { pc: goroutine.syscall_pc, sp: start, fp: 0, lr: 0 };
        let stack = StackCopy { start, bytes: &bytes };
        let is_cut = (len as u64) < whole;
        (read && unchanged).then(|| unwinder.unwind(registers, true, stack, is_cut))
    }
}
