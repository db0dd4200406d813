//! From an address to the calls there.

use super::Binary;
use super::function::Function;
use crate::limits::LIMITS;
use std::borrow::Cow;

/// A call: that of a function, or one that was inlined into its caller.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Frame<'a> {
    /// The function's name in full.
    pub function: Cow<'a, [u8]>,
    /// The source file; `None` for padding between functions.
    pub file: Option<Cow<'a, [u8]>>,
    /// The line; 0 if it isn't known.
    pub line: u32,
    /// The line of the function's `func`; 0 if Go 1.19 or older built the binary.
    pub start_line: u32,
    /// The address of the instruction with this frame's position: the one that was looked up, and for
    /// callers of inlined functions one that represents the call.
    pub pc: u64,
    /// The runtime's number for the function, see [`Function::id`].
    pub id: u8,
}

impl Binary {
    /// The calls at an address (before the program is moved), innermost first: inlined ones, then the
    /// function itself. Empty if the address isn't in Go code.
    ///
    /// A return address is after the call: look up the address before it.
    pub fn frames(&self, pc: u64) -> Vec<Frame<'_>> {
        let mut frames = Vec::new();
        if let Some(function) = self.function(pc) {
            // If the tree is damaged, the frames found so far are better than none.
            let _ = frames_of(&function, pc, &mut frames);
        }
        frames.truncate(named(&frames, LIMITS.inline_names));
        frames
    }

    /// The function at an address, with the position of the innermost call: this is used most, and costs a
    /// third of [`Binary::frames`].
    pub fn place(&self, pc: u64) -> Option<Frame<'_>> {
        let function = self.function(pc)?;
        let (file, line) = function.position(function.distance(pc)?);
        let (start_line, id) = (function.start_line(), function.id());
        Some(Frame { function: function.name(), file, line, start_line, pc, id })
    }
}

/// The number of the first calls that have no more bytes of names together than this.
fn named(frames: &[Frame], most: usize) -> usize {
    let sizes = frames.iter().scan(0_usize, |sum, frame| {
        let file = frame.file.as_deref().map_or(0, <[u8]>::len);
        *sum = sum.saturating_add(frame.function.len()).saturating_add(file);
        Some(*sum)
    });
    sizes.take_while(|&sum| sum <= most).count()
}

fn frames_of<'a>(function: &Function<'a>, pc: u64, frames: &mut Vec<Frame<'a>>) -> Option<()> {
    let mut at = function.distance(pc)?;
    let tree = function.inline_tree();
    for _ in 0..LIMITS.inline_depth {
        let (file, line) = function.position(at);
        let pc = function.entry().wrapping_add(at.into());
        // A call that was inlined into itself has no end.
        if frames.iter().any(|inner| inner.pc == pc) {
            return None;
        }
        let call = tree.as_ref().and_then(|tree| tree.call(tree.index(at)?));
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_with_very_long_names_are_left_out_from_one_on() {
        let frame = Frame {
            function: vec![b'f'; 600].into(),
            file: Some(vec![b'/'; 400].into()),
            line: 1,
            start_line: 1,
            pc: 0,
            id: 0,
        };
        let frames = vec![frame; 10];
        assert_eq!([999, 1000, 9999, 10_000].map(|most| named(&frames, most)), [0, 1, 9, 10]);
    }
}
