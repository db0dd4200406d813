//! From the bytes of a stack to the calls on it, as the runtime finds them (`unwinder` in
//! `runtime/traceback.go`, Go 1.21 to 1.27).

use super::code::{Code, Codes};
use crate::binary::Arch;
use std::rc::Rc;

/// A copy of a stack, or of its inner part.
#[derive(Clone, Copy, Debug)]
pub(super) struct StackCopy<'a> {
    /// The address of the first byte.
    pub(super) start: u64,
    pub(super) bytes: &'a [u8],
}

impl StackCopy<'_> {
    /// The word at an address.
    pub(super) fn word(&self, address: u64) -> Option<u64> {
        let into = usize::try_from(address.checked_sub(self.start)?).ok()?;
        Some(u64::from_le_bytes(*self.bytes.get(into..)?.first_chunk()?))
    }
}

/// Where unwinding starts.
#[derive(Clone, Copy, Debug)]
pub(super) struct Start {
    pub(super) pc: u64,
    pub(super) sp: u64,
    /// The return address on processors that have it in a register; 0 if it is on the stack.
    pub(super) lr: u64,
    /// Whether `pc` and `sp` are those of a system call.
    pub(super) is_syscall: bool,
    /// Whether `pc` is an interrupted instruction, not a return address.
    pub(super) is_trap: bool,
}

/// A call that takes stack.
#[derive(Clone, Debug)]
pub(super) struct Frame {
    pub(super) code: Rc<Code>,
    /// The address at which it continues; if `is_trap`, an interrupted instruction, else a return address.
    pub(super) pc: u64,
    pub(super) is_trap: bool,
    /// The start of its part of the stack, and the end, where its caller's part starts.
    pub(super) sp: u64,
    pub(super) end: u64,
    /// The address of its arguments.
    pub(super) arguments: u64,
}

/// How unwinding ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum End {
    /// At the first call of the stack, or at code whose callers can't be found.
    Whole,
    /// At something that isn't a stack of this program: the copy is inconsistent or incomplete.
    Broken,
}

/// Calls `visit` with the frames of a stack, innermost first.
pub(super) fn unwind(
    codes: &mut Codes,
    arch: Arch,
    stack: StackCopy,
    start: Start,
    mut visit: impl FnMut(&Frame),
) -> End {
    walk(codes, arch, stack, start, &mut visit).unwrap_or(End::Broken)
}

fn walk(
    codes: &mut Codes,
    arch: Arch,
    stack: StackCopy,
    start: Start,
    visit: &mut impl FnMut(&Frame),
) -> Option<End> {
    let has_lr = arch == Arch::Arm64;
    let Start { mut pc, mut sp, mut lr, is_syscall, mut is_trap } = start;
    if pc == 0 {
        // A call of a nil function: its caller is the innermost frame.
        pc = stack.word(sp)?;
        lr = 0;
        if !has_lr {
            sp = sp.checked_add(8)?;
        }
    }
    let mut is_innermost = true;
    let is_interrupted = is_trap;
    loop {
        let code = codes.at(pc, is_trap)?;
        // Code of other compilers can't be unwound.
        let Some(size) = code.frame else { return Some(End::Whole) };
        if is_interrupted && code.is_last && !code.is_top {
            // This code, or code that it calls, is about to switch to another stack: where its caller is
            // can't be known, nor whether there is one.
            return None;
        }
        let pushed = if has_lr { 0 } else { 8 };
        let fp = sp.checked_add(size)?.checked_add(pushed)?;
        let ends = code.is_top || code.is_last && !(is_innermost && is_syscall);
        if ends {
            lr = 0;
        } else if has_lr {
            if is_innermost && sp < fp || lr == 0 {
                lr = stack.word(sp)?;
            }
        } else {
            lr = stack.word(fp.checked_sub(8)?)?;
        }
        let arguments = if has_lr { fp.checked_add(8)? } else { fp };
        let is_injected = code.is_injected;
        visit(&Frame { code, pc, is_trap, sp, end: fp, arguments });
        if ends {
            return Some(End::Whole);
        }
        // All other code has a caller: a return address of 0 is memory that is missing.
        if lr == 0 || !is_innermost && fp <= sp {
            return None;
        }
        (pc, sp, lr) = (lr, fp, 0);
        if has_lr && is_injected {
            // The signal handler has pushed the link register before it injected the call.
            let saved = stack.word(sp)?;
            sp = sp.checked_add(16)?;
            match codes.function(pc) {
                None => pc = saved,
                Some(function) if codes.stack_size(&function, pc) == Some(0) => lr = saved,
                Some(_) => {}
            }
        }
        is_trap = is_injected;
        is_innermost = false;
    }
}
