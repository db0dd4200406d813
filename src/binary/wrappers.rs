//! Functions that the compiler makes to call others with other arguments: for `go f(x)`, methods of
//! embedded types, method values. They are on stacks, but Go leaves them out of profiles and tracebacks.
//! Their code shows which functions they may have called.

use super::function::Function;
use super::stack::FrameSizes;
use super::{Arch, Binary, Frame};
use std::collections::HashMap;

/// The wrappers of a binary.
#[derive(Debug)]
pub(super) struct Wrappers {
    /// The largest frame in bytes of the wrappers that call the function with this entry address.
    callers: HashMap<u64, u64>,
    /// The largest frame of a wrapper for a `go` statement, which calls what it is given.
    largest_for_go: u64,
}

/// Bytes of a wrapper's code that are searched.
const CODE: u64 = 4096;

impl Binary {
    /// The calls at an address that Go shows in profiles and tracebacks: without wrappers, which
    /// [`Binary::frames`] includes.
    pub fn shown_frames(&self, pc: u64) -> Vec<Frame<'_>> {
        let mut frames = self.frames(pc);
        // A single call is shown even if it is a wrapper.
        if frames.len() > 1 {
            let mut innermost = true;
            frames.retain(|frame| std::mem::take(&mut innermost) || !self.is_wrapper(frame.id));
        }
        frames
    }

    /// Whether this is the runtime's number for wrappers, which differs between versions of Go.
    pub fn is_wrapper(&self, id: u8) -> bool {
        id != 0 && *self.wrapper_id.get_or_init(|| wrapper_id(self)) == id
    }

    /// The bytes of wrappers that may be between a function and its caller, given the return address in the
    /// caller; 0 if the caller calls the function directly.
    pub(super) fn hidden_bytes(&self, callee: &Function, returns_to: Option<u64>) -> u64 {
        let wrappers = self.wrappers.get_or_init(|| Wrappers::new(self));
        let by_name = wrappers.callers.get(&callee.entry()).copied().unwrap_or_default();
        let Some(address) = returns_to else {
            return by_name.max(wrappers.largest_for_go);
        };
        match self.call_target(address) {
            Some(target) if target == callee.entry() => 0,
            Some(target) => {
                let wrapper = self.function(target).filter(|it| self.is_wrapper(it.id()));
                wrapper.and_then(|wrapper| wrapper.frame_bytes()).unwrap_or(by_name)
            }
            None => by_name,
        }
    }

    /// The function that is called before a return address, if the instruction has its address.
    fn call_target(&self, returns_to: u64) -> Option<u64> {
        let (size, opcode) = match self.container.arch {
            Arch::Amd64 => (5, 1),
            Arch::Arm64 => (4, 0),
            Arch::Other => return None,
        };
        let address = returns_to.checked_sub(size)?;
        let (at, _) = self.container.offset(address)?;
        if opcode == 1 && self.bytes.array(at)? != [0xe8] {
            return None;
        }
        let word = self.bytes.u32(at.checked_add(opcode)?)?;
        target(self.container.arch, address, word)
    }
}

/// The target of a call at an address, given the word that has the distance.
fn target(arch: Arch, address: u64, word: u32) -> Option<u64> {
    if arch == Arch::Amd64 {
        let next = address.checked_add(5)?;
        return next.checked_add_signed(word.cast_signed().into());
    }
    // BL, with 26 bits of distance in instructions.
    let is_call = word >> 26 == 0b10_0101;
    let distance = i64::from((word << 6).cast_signed()).checked_shr(4)?;
    if is_call { address.checked_add_signed(distance) } else { None }
}

impl Wrappers {
    fn new(binary: &Binary) -> Wrappers {
        let mut wrappers = Wrappers { callers: HashMap::new(), largest_for_go: 0 };
        let mut sizes = FrameSizes::default();
        // Functions don't overlap, except in a hostile file.
        let mut code = binary.module.end.saturating_sub(binary.module.text);
        for function in binary.functions().filter(|function| binary.is_wrapper(function.id())) {
            let len = function.end().saturating_sub(function.entry());
            let (Some(bytes), Some(left)) = (sizes.of(&function), code.checked_sub(len)) else {
                continue;
            };
            code = left;
            for target in targets(binary, &function) {
                let most = wrappers.callers.entry(target).or_default();
                *most = bytes.max(*most);
            }
            let of_go = memchr::memmem::find(&function.name(), b".gowrap").is_some();
            if of_go {
                wrappers.largest_for_go = wrappers.largest_for_go.max(bytes);
            }
        }
        wrappers
    }
}

/// The runtime's number for wrappers: the other numbers are each used by one function, but every program
/// has many wrappers, also in the runtime.
fn wrapper_id(binary: &Binary) -> u8 {
    let mut counts = [0_u32; 256];
    for function in binary.functions().filter(|function| function.id() != 0) {
        if let Some(count) = counts.get_mut(usize::from(function.id())) {
            *count = count.saturating_add(1);
        }
    }
    let most = counts.iter().zip(0..=u8::MAX).max_by_key(|&(&count, _)| count);
    most.map_or(0, |(_, id)| id)
}

/// The functions that a function calls directly: whatever in its code looks like a call to the start of
/// one. Other bytes that look so only make the bounds wider.
fn targets(binary: &Binary, function: &Function) -> Vec<u64> {
    let arch = binary.container.arch;
    let Some((at, left)) = binary.container.offset(function.entry()) else {
        return Vec::new();
    };
    let size = function.end().saturating_sub(function.entry()).min(left).min(CODE);
    let Some(code) = binary.bytes.range(at..at.saturating_add(size)) else {
        return Vec::new();
    };
    let words: Vec<(usize, u32)> = match arch {
        Arch::Amd64 => {
            let calls = memchr::memchr_iter(0xe8, &code);
            let word = |at: usize| code.get(at.checked_add(1)?..)?.first_chunk();
            calls.filter_map(|at| Some((at, u32::from_le_bytes(*word(at)?)))).collect()
        }
        Arch::Arm64 => {
            let (words, _) = code.as_chunks();
            let words = words.iter().map(|word| u32::from_le_bytes(*word));
            (0..).step_by(4).zip(words).collect()
        }
        Arch::Other => Vec::new(),
    };
    let places = words.into_iter().filter_map(|(into, word)| {
        let target = target(arch, function.entry().checked_add(into as u64)?, word)?;
        (binary.function(target)?.entry() == target).then_some(target)
    });
    places.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_by_name_tell_where_they_lead() {
        assert_eq!(target(Arch::Amd64, 0x1000, 0x10), Some(0x1015));
        assert_eq!(target(Arch::Amd64, 0x1000, (-5_i32).cast_unsigned()), Some(0x1000));
        assert_eq!(target(Arch::Arm64, 0x1000, 0x9400_0004), Some(0x1010));
        assert_eq!(target(Arch::Arm64, 0x1000, 0x97ff_ffff), Some(0x0ffc));
        assert_eq!(target(Arch::Arm64, 0x1000, 0x1400_0004), None, "a jump");
    }
}
