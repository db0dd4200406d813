//! How many bytes the stacks of goroutines take.
//!
//! `used` follows from the functions on a stack: the sum of the stack that each call had taken when it
//! called the next one, and the bytes that the runtime leaves free at the stack's start. Profiles don't
//! have the size of the memory block of the stack, but it has two bounds: the runtime doubles a stack if a
//! call wouldn't leave the guard free, and a garbage collection halves it if less than a quarter is in use.

use super::{Arch, Binary, BinaryError, Function, Slide};
use std::collections::HashMap;

/// The rules for one system and processor.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct StackModel {
    /// Bytes at a stack's start that belong to no call.
    base: u64,
    /// Bytes of a call's return address that its stack size doesn't count.
    return_address: u64,
    /// Bytes that calls of functions that don't check the stack may take.
    guard: u64,
    /// Bytes that the system needs for signals and the like.
    system: u64,
    /// The smallest stack.
    smallest: u64,
    /// Whether it was compared with processes; otherwise it only follows the runtime's source.
    pub measured: bool,
}

/// Sizes of stacks in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct StackSize {
    /// The bytes in use.
    pub used: u64,
    /// The least that the runtime can have allocated.
    pub least: u64,
    /// The most that it leaves allocated after enough garbage collections.
    pub most: u64,
}

/// A call that takes stack, with everything that was inlined into it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct StackCall {
    /// The position of the first of its addresses in the given list.
    pub first: usize,
    /// How many of the addresses are of this call: more than one if calls were inlined.
    pub count: usize,
    /// Its bytes, the return address included.
    pub bytes: u64,
}

/// The stack that calls take.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct StackCalls {
    /// The calls, innermost first.
    pub calls: Vec<StackCall>,
    /// The most bytes taken by calls that profiles leave out: those of the compiler's wrappers.
    pub hidden: u64,
    /// Whether the stack's first call wasn't among the addresses; then more is in use.
    pub truncated: bool,
    /// How many addresses have no known stack size: those of C code, or of another binary.
    pub unknown: usize,
}

/// A call, by its return address before the program is moved.
pub(super) struct Call<'a> {
    /// The position of the first of its addresses in the given list.
    pub(super) first: usize,
    /// How many of the addresses are of this call.
    pub(super) count: usize,
    pub(super) address: u64,
    /// `None` if it isn't Go code of this binary.
    pub(super) function: Option<Function<'a>>,
}

/// The bytes that newer versions of Go keep free: `StackNosplitBase`.
const GUARD: u64 = 800;
/// The smallest stack, without the system's part: `stackMin`.
const SMALLEST: u64 = 2048;

impl StackModel {
    /// The rules for a processor and a system (`GOOS`), and for programs with or without the race detector;
    /// `None` for processors whose calls aren't known.
    pub fn new(arch: Arch, system: &str, race: bool) -> Option<StackModel> {
        let (base, return_address) = match arch {
            // Four words; a call pushes its return address.
            Arch::Amd64 => (32, 8),
            // Four words and the link register, to a multiple of 16; a function saves the link
            // register in its own frame.
            Arch::Arm64 => (48, 0),
            Arch::Other => return None,
        };
        let wanted = match (system, arch) {
            ("windows", _) => 4096,
            ("plan9", _) => 512,
            ("ios", Arch::Arm64) => 1024,
            _ => 0,
        };
        Some(StackModel {
            base,
            return_address,
            guard: if race { GUARD.saturating_mul(2) } else { GUARD },
            system: wanted,
            smallest: SMALLEST.saturating_add(wanted).next_power_of_two(),
            measured: arch == Arch::Amd64 && system == "linux" && !race,
        })
    }

    /// The bytes in use by these calls.
    pub fn used(&self, calls: &[StackCall]) -> u64 {
        calls.iter().fold(self.base, |sum, call| sum.saturating_add(call.bytes))
    }

    /// The bytes in use by a goroutine whose registers a dump prints (`GOTRACEBACK=system`): from the `sp`
    /// of its innermost call to the `fp` of its outermost.
    pub fn used_between(&self, sp: u64, fp: u64) -> Option<u64> {
        fp.checked_sub(sp)?.checked_add(self.base)
    }

    /// The bounds of the allocated size if `used` bytes are in use, and perhaps `hidden` more.
    pub fn size(&self, used: u64, hidden: u64) -> StackSize {
        let least = used.saturating_add(self.guard).saturating_add(self.system);
        let least = least.checked_next_power_of_two().unwrap_or(u64::MAX).max(self.smallest);
        // The largest power of two that is at most four times the needed size.
        let needed = used.saturating_add(hidden).saturating_add(self.guard);
        let most = needed.saturating_mul(4);
        let most = 1_u64.checked_shl(63_u32.saturating_sub(most.leading_zeros())).unwrap_or(0);
        StackSize { used, least, most: most.max(least) }
    }
}

impl Binary {
    /// The rules by which this binary's goroutines get their stacks.
    ///
    /// # Errors
    /// If calls on its processor aren't known.
    pub fn stack_model(&self) -> Result<StackModel, BinaryError> {
        let info = self.build_info().unwrap_or_default();
        let system = info.setting("GOOS").unwrap_or("linux");
        let race = info.setting("-race") == Some("true");
        StackModel::new(self.container.arch, system, race).ok_or(BinaryError::Not(
            "is for a processor whose stack sizes aren't known",
            "stack sizes are known of amd64 and arm64",
        ))
    }

    /// The stack that the calls of a goroutine take, given its return addresses, innermost first.
    pub fn stack_calls(&self, returns: &[u64], slide: Slide) -> StackCalls {
        let mut found = StackCalls { truncated: true, ..StackCalls::default() };
        let mut callee: Option<Function> = None;
        for Call { first, count, address, function } in self.calls(returns, slide) {
            let is_start = |function: &Function| *function.name() == *b"runtime.goexit";
            found.truncated = !function.as_ref().is_some_and(is_start);
            let returns_to = found.truncated.then_some(address);
            let hidden = callee.map_or(0, |callee| self.hidden_bytes(&callee, returns_to));
            found.hidden = found.hidden.saturating_add(hidden);
            if !found.truncated {
                break;
            }
            let size = function.and_then(|it| it.stack_size_at(address.wrapping_sub(1)));
            match size.and_then(|size| self.frame_bytes(size)) {
                Some(bytes) => found.calls.push(StackCall { first, count, bytes }),
                None => found.unknown = found.unknown.saturating_add(1),
            }
            callee = function;
        }
        found
    }

    /// The calls of return addresses, innermost first. In debug=1 texts inlined calls have addresses of
    /// their own, but they take no stack and don't return: they are counted with the call that they are
    /// part of.
    pub(super) fn calls(&self, returns: &[u64], slide: Slide) -> impl Iterator<Item = Call<'_>> {
        let mut rest = returns.iter().map(move |&pc| slide.to_binary(pc)).enumerate().peekable();
        std::iter::from_fn(move || {
            let (first, address) = rest.next()?;
            let pc = address.wrapping_sub(1);
            let mut count = 1_usize;
            for outer in self.frames(pc).iter().skip(1) {
                if rest.next_if(|&(_, next)| next == outer.pc.wrapping_add(1)).is_some() {
                    count = count.saturating_add(1);
                }
            }
            Some(Call { first, count, address, function: self.function(pc) })
        })
    }

    /// Which of these return addresses, innermost first, belong to one call: more than one if inlined calls
    /// have addresses of their own.
    pub fn call_ranges(&self, returns: &[u64], slide: Slide) -> Vec<std::ops::Range<usize>> {
        let calls = self.calls(returns, slide);
        calls.map(|call| call.first..call.first.saturating_add(call.count)).collect()
    }

    /// The bytes of a frame: its stack size and the return address.
    pub(super) fn frame_bytes(&self, size: i32) -> Option<u64> {
        let pushed = if self.container.arch == Arch::Amd64 { 8 } else { 0 };
        u64::try_from(size).ok()?.checked_add(pushed)
    }

    /// The most bytes that a call of each function takes, by ascending address; without call stubs, see
    /// [`Function::is_call_stub`].
    pub fn frame_sizes(&self) -> impl Iterator<Item = (Function<'_>, u64)> {
        let mut sizes = FrameSizes::default();
        self.functions().filter_map(move |function| {
            let size = sizes.of(&function)?;
            // Reading a name is only worth it for frames that may be stubs.
            let stub = size >= STUB && function.is_call_stub();
            (!stub).then_some((function, size))
        })
    }
}

/// Computes the most bytes that calls take, for many functions.
#[derive(Default, Debug)]
pub(super) struct FrameSizes {
    /// By the offset of the table of stack sizes: functions can share one.
    known: HashMap<u32, Option<u64>>,
}

impl FrameSizes {
    /// See [`Function::frame_bytes`].
    pub(super) fn of(&mut self, function: &Function) -> Option<u64> {
        *self.known.entry(function.stack_table()).or_insert_with(|| function.frame_bytes())
    }
}

/// The smallest frame of a call stub in bytes.
const STUB: u64 = 16;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_are_powers_of_two_around_what_is_needed() {
        let linux = StackModel::new(Arch::Amd64, "linux", false).unwrap();
        let bounds = |used| (linux.size(used, 0).least, linux.size(used, 0).most);
        assert_eq!(bounds(200), (2048, 2048));
        assert_eq!(linux.size(200, 24).most, 4096);
        assert_eq!(bounds(224), (2048, 4096));
        assert_eq!(bounds(1248), (2048, 8192));
        assert_eq!(bounds(1249), (4096, 8192));
        assert_eq!(bounds(65_576 + 32 + 8), (131_072, 262_144));
        assert_eq!(linux.size(u64::MAX, 9).least, u64::MAX);
        let windows = StackModel::new(Arch::Amd64, "windows", false).unwrap();
        assert_eq!((windows.size(100, 0).least, windows.measured), (8192, false));
        assert_eq!(StackModel::new(Arch::Other, "linux", false), None);
    }

    #[test]
    fn registers_tell_what_is_in_use() {
        let model = StackModel::new(Arch::Amd64, "linux", false).unwrap();
        assert_eq!(model.used_between(0xc000_05ff00, 0xc000_05ffe0), Some(0xe0 + 32));
        assert_eq!(model.used_between(2, 1), None);
    }
}
