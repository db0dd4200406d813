//! From an address to the calls that it stands for.

use super::Binary;
use super::function::Function;
use crate::limits::LIMITS;
use std::borrow::Cow;

/// A call: of a function, or of one that was inlined into its caller.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Frame<'a> {
    /// The function's name in full.
    pub function: Cow<'a, [u8]>,
    /// Its file; none for padding between functions.
    pub file: Option<Cow<'a, [u8]>>,
    /// The line; 0 where it isn't known.
    pub line: u32,
    /// The line of its `func`; 0 where Go 1.19 or older built the binary.
    pub start_line: u32,
    /// The instruction that has this frame's position: the address that was asked for, and for
    /// callers of inlined functions one that stands for the place of the call.
    pub pc: u64,
    /// The runtime's number of the function, see [`Function::id`].
    pub id: u8,
}

impl Binary {
    /// The calls that an address of a binary that wasn't moved stands for, innermost first: what was
    /// inlined there, then the function itself. Empty for an address that isn't Go code.
    ///
    /// A return address is the one behind the call: ask for the byte before it.
    pub fn frames(&self, pc: u64) -> Vec<Frame<'_>> {
        let mut frames = Vec::new();
        if let Some(function) = self.function(pc) {
            // As many as could be found are better than none.
            let _ = frames_of(&function, pc, &mut frames);
        }
        frames
    }

    /// The function that has the code at an address, with the place of the innermost call there: what
    /// is asked for most, at a third of the cost.
    pub fn place(&self, pc: u64) -> Option<Frame<'_>> {
        let function = self.function(pc)?;
        let (file, line) = function.position(function.distance(pc)?, &mut { LIMITS.lookup_steps });
        let (start_line, id) = (function.start_line(), function.id());
        Some(Frame { function: function.name(), file, line, start_line, pc, id })
    }
}

fn frames_of<'a>(function: &Function<'a>, pc: u64, frames: &mut Vec<Frame<'a>>) -> Option<()> {
    let mut steps = LIMITS.lookup_steps;
    let mut at = function.distance(pc)?;
    let tree = function.inline_tree();
    for _ in 0..LIMITS.inline_depth {
        let (file, line) = function.position(at, &mut steps);
        let pc = function.entry().wrapping_add(at.into());
        let call = tree.as_ref().and_then(|tree| tree.call(tree.index(at, &mut steps)?));
        let Some(call) = call else {
            let (start_line, id) = (function.start_line(), function.id());
            let name = function.name();
            frames.push(Frame { function: name, file, line, start_line, pc, id });
            return Some(());
        };
        let (start_line, id) = (call.start_line, call.id);
        let name = function.binary.name(call.name)?;
        frames.push(Frame { function: name, file, line, start_line, pc, id });
        at = call.caller;
    }
    None
}
