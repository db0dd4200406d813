//! Whether a profile was made by this binary.

use super::names::{PrintedCall, same_file};
use super::{Arch, Binary, Slide};
use crate::profile::function::printed;
use std::borrow::Cow;
use std::fmt;

/// A frame in a profile.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Observed<'a> {
    /// The address of the instruction: before the name in debug=1, a location's address in protos.
    pub pc: u64,
    /// The name of the function.
    pub function: &'a [u8],
    /// The distance of the instruction from the function's start, which debug=1 has.
    pub offset: Option<u64>,
    /// The file; empty if the profile doesn't say.
    pub file: &'a [u8],
    /// The line; 0 if the profile doesn't say.
    pub line: u32,
}

/// What a profile says about the binary that made it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Evidence<'a> {
    /// The build id of its mapping; empty if there is none.
    pub build_id: &'a str,
    /// Calls of a crash, with their return addresses; 0 if the text doesn't print them.
    pub printed: Vec<(PrintedCall<'a>, u64)>,
    /// Frames with names.
    pub named: Vec<Observed<'a>>,
    /// Stacks of return addresses without names, innermost first.
    pub stacks: Vec<&'a [u64]>,
}

/// Why a binary isn't the one that made a profile.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Mismatch {
    /// The build ids differ.
    BuildIds {
        /// The profile's.
        profile: String,
        /// The binary's.
        binary: String,
        /// How many named frames are of functions that the binary doesn't have.
        missing: usize,
        /// How many named frames there are.
        of: usize,
    },
    /// Too many named frames have another name or place in the binary.
    Frames {
        /// How many frames disagree.
        disagree: usize,
        /// How many frames were compared.
        of: usize,
        /// How many of those that disagree are of functions that the binary doesn't have.
        missing: usize,
        /// The first that disagrees, as in the profile.
        profile: String,
        /// The same frame in the binary.
        binary: String,
    },
    /// Return addresses without a call before them.
    Calls {
        /// How many there are.
        disagree: usize,
        /// How many addresses were checked.
        of: usize,
        /// How many of the wrong ones are outside of the binary's code.
        outside: usize,
        /// The first wrong one.
        first: u64,
    },
}

/// One frame in this many may disagree. Of 1,394 frames none disagrees with the right binary, and 1,318 do
/// with one that was built again after one line was added.
const TOLERATED: usize = 100;

impl Binary {
    /// Compares what a profile says with this binary.
    ///
    /// # Errors
    /// If another binary made the profile: compares build ids, else names, else return addresses, whichever
    /// both have.
    pub fn check(&self, evidence: &Evidence, slide: Slide) -> Result<(), Mismatch> {
        let missing = |functions: &mut dyn Iterator<Item = &[u8]>| {
            functions.filter(|name| self.functions_named(name).next().is_none()).count()
        };
        if !evidence.build_id.is_empty()
            && let Some(binary) = self.gnu_build_id()
        {
            if binary.eq_ignore_ascii_case(evidence.build_id) {
                return Ok(());
            }
            let missing = missing(&mut evidence.named.iter().map(|frame| frame.function));
            let (profile, of) = (evidence.build_id.to_owned(), evidence.named.len());
            return Err(Mismatch::BuildIds { profile, binary, missing, of });
        }
        let is_many = |wrong: usize, of: usize| wrong.saturating_mul(TOLERATED) > of;
        let wrong = evidence.printed.iter().filter(|(call, returns_to)| {
            let known = self.addresses(call);
            !known.iter().any(|at| *returns_to == 0 || slide.to_binary(*returns_to) == *at)
        });
        let wrong: Vec<&(PrintedCall, u64)> = wrong.collect();
        if let Some((first, returns_to)) = wrong.first()
            && is_many(wrong.len(), evidence.printed.len())
        {
            let mut profile = first.text();
            let binary = match self.addresses(first).first() {
                Some(at) => {
                    profile.push_str(&format!(" at {returns_to:#x}"));
                    format!("at {:#x}", at.wrapping_add(slide.bytes()))
                }
                None => match self.functions_named(first.function).next() {
                    Some(function) => {
                        let returns_to = function.entry().wrapping_add(first.offset);
                        self.text_at(returns_to.wrapping_sub(1), returns_to)
                    }
                    None => "no function of that name".to_owned(),
                },
            };
            return Err(Mismatch::Frames {
                disagree: wrong.len(),
                of: evidence.printed.len(),
                missing: missing(&mut wrong.iter().map(|(call, _)| call.function)),
                profile,
                binary,
            });
        }
        let named = &evidence.named;
        if !named.is_empty() {
            let wrong = named.iter().filter(|frame| !self.agrees(frame, slide));
            let wrong: Vec<&Observed> = wrong.collect();
            return match wrong.first() {
                Some(first) if is_many(wrong.len(), named.len()) => Err(Mismatch::Frames {
                    disagree: wrong.len(),
                    of: named.len(),
                    missing: missing(&mut wrong.iter().map(|frame| frame.function)),
                    profile: first.text(),
                    binary: self.text_at(slide.to_binary(first.pc), slide.to_binary(first.pc)),
                }),
                _ => Ok(()),
            };
        }
        let (mut disagree, mut of, mut outside, mut first) = (0_usize, 0_usize, 0_usize, None);
        for stack in &evidence.stacks {
            for call in self.calls(stack, slide) {
                of = of.saturating_add(1);
                if !self.is_return_address(call.address) {
                    disagree = disagree.saturating_add(1);
                    outside = outside.saturating_add(call.function.is_none().into());
                    first = first.or(stack.get(call.first).copied());
                }
            }
        }
        match first {
            None => Ok(()),
            Some(first) => Err(Mismatch::Calls { disagree, of, outside, first }),
        }
    }

    /// Whether the binary has this function and line at this address. Of the file only the last path
    /// element counts, as `-trimpath` changes the rest.
    pub(super) fn agrees(&self, observed: &Observed, slide: Slide) -> bool {
        let pc = slide.to_binary(observed.pc);
        let start = self.function(pc).map_or(0, |function| function.entry());
        self.frames(pc).iter().any(|frame| {
            let file = frame.file.as_ref().map_or(&[][..], Cow::as_ref);
            printed(&frame.function) == printed(observed.function)
                && (observed.line == 0 || observed.line == frame.line)
                && observed.offset.is_none_or(|offset| frame.pc.wrapping_sub(start) == offset)
                && same_file(observed.file, file)
        })
    }

    /// The frame at `pc` as debug=1 prints it, with the offset of `printed_pc`.
    fn text_at(&self, pc: u64, printed_pc: u64) -> String {
        let start = self.function(pc).map_or(0, |function| function.entry());
        let Some(frame) = self.frames(pc).into_iter().next() else {
            return "no function there".to_owned();
        };
        let file = frame.file.unwrap_or_default();
        text(&frame.function, Some(printed_pc.wrapping_sub(start)), &file, frame.line)
    }

    /// Whether the instruction before `pc`, in Go code, is a call, or the NOP at the start of
    /// `runtime.goexit`, which is there to make an address that looks like a return address.
    pub fn is_return_address(&self, pc: u64) -> bool {
        let Some(function) = pc.checked_sub(1).and_then(|call| self.function(call)) else {
            return false;
        };
        // The longest call on x86-64 has seven bytes; the function may start closer to the address.
        let mut code = [0; 7];
        let inside = pc.wrapping_sub(function.entry()).min(7) as usize;
        let Some((at, _)) = self.container.offset(pc.wrapping_sub(inside as u64)) else {
            return false;
        };
        let Some(before) = code.get_mut(7_usize.wrapping_sub(inside)..) else {
            return false;
        };
        self.bytes.fill(at, before) && follows_call(&code, self.container.arch)
    }
}

impl Observed<'_> {
    /// The frame as debug=1 prints it.
    fn text(&self) -> String {
        text(self.function, self.offset, self.file, self.line)
    }
}

impl PrintedCall<'_> {
    /// The call as debug=1 prints it.
    fn text(&self) -> String {
        text(self.function, Some(self.offset), self.file, self.line)
    }
}

fn text(function: &[u8], offset: Option<u64>, file: &[u8], line: u32) -> String {
    let offset = offset.map_or(String::new(), |offset| format!("+{offset:#x}"));
    let (function, file) = (printed(function), String::from_utf8_lossy(file));
    format!("{}{offset} {file}:{line}", String::from_utf8_lossy(&function))
}

/// Whether these bytes end with a call. Unused bytes at the start are 0.
fn follows_call(code: &[u8; 7], arch: Arch) -> bool {
    match (arch, *code) {
        // CALL with a distance; NOP, see `is_return_address`.
        (Arch::Amd64, [_, _, 0xe8, _, _, _, _] | [.., 0x90]) => true,
        // CALL through a register or memory: FF, a byte that says which, and up to five more bytes.
        (Arch::Amd64, [a, b, c, d, e, f, g]) => {
            let pairs = [(f, g), (e, f), (d, e), (b, c), (a, b)];
            pairs.into_iter().any(|(code, form)| code == 0xff && form & 0x38 == 0x10)
        }
        // BL, BLR; NOP.
        (Arch::Arm64, [_, _, _, a, b, c, d]) => {
            let word = u32::from_le_bytes([a, b, c, d]);
            word >> 26 == 0b10_0101 || word & 0xffff_fc1f == 0xd63f_0000 || word == 0xd503_201f
        }
        (Arch::Other, _) => true,
    }
}

/// The difference, to be printed after "does not match PROFILE: ".
impl fmt::Display for Mismatch {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Mismatch::BuildIds { profile, binary, missing, of } => {
                write!(out, "the profile's build id is {profile}, the binary's {binary}")?;
                match missing {
                    0 => Ok(()),
                    _ => write!(
                        out,
                        "; {missing} of {of} frames are of functions that it doesn't have"
                    ),
                }
            }
            Mismatch::Frames { disagree, of, missing, profile, binary } => {
                write!(out, "{disagree} of {of} frames disagree")?;
                if *missing > 0 {
                    write!(out, ", {missing} of them of functions that it doesn't have")?;
                }
                write!(out, "; the first is {profile} in the profile and {binary} in the binary")
            }
            Mismatch::Calls { disagree, of, outside, first } => {
                write!(out, "{disagree} of {of} return addresses have no call in front of them")?;
                if *outside > 0 {
                    write!(out, ", {outside} of them outside of its code")?;
                }
                write!(out, "; the first is {first:#x}")
            }
        }
    }
}

impl std::error::Error for Mismatch {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_are_told_from_other_instructions() {
        let amd64 = |code: [u8; 7]| follows_call(&code, Arch::Amd64);
        assert!(amd64([0x48, 0x89, 0xe8, 1, 2, 3, 4]), "CALL");
        assert!(amd64([0, 0, 0, 0, 0, 0xff, 0xd2]), "CALL RDX");
        assert!(amd64([0, 0, 0, 0, 0x41, 0xff, 0xd4]), "CALL R12");
        assert!(amd64([0, 0, 0, 0, 0xff, 0x50, 0x18]), "CALL [RAX+0x18]");
        assert!(amd64([0, 0xff, 0x90, 0, 1, 0, 0]), "CALL [RAX+0x100]");
        assert!(amd64([0, 0, 0, 0, 0, 0, 0x90]), "NOP");
        assert!(!amd64([0x48, 0x89, 0x44, 0x24, 0x10, 0xff, 0xe0]), "JMP RAX");
        assert!(!amd64([0; 7]));
        let arm64 = |word: u32| {
            let [a, b, c, d] = word.to_le_bytes();
            follows_call(&[0, 0, 0, a, b, c, d], Arch::Arm64)
        };
        assert!(arm64(0x9400_0001) && arm64(0xd63f_0100) && arm64(0xd503_201f));
        assert!(!arm64(0x1400_0001) && !arm64(0xd61f_0100));
    }
}
