//! Frames and stacks.

use super::StrId;

/// One frame as the input has it: function, file, line.
///
/// Frames without a place (native code, addresses without a symbol) have an empty file and line 0.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Frame {
    /// Function name, arguments removed, `%2e` escapes kept.
    pub func: StrId,
    /// File name, kept as written.
    pub file: StrId,
    /// Line number; protos can hold any 64-bit number.
    pub line: i64,
}

/// Bytes of text that limits count as one more frame, as it is written wherever its stack is; few frames of Go, and few
/// sets of labels, have as many.
pub(crate) const TEXT_PER_FRAME: usize = 128;

/// What limits count a frame as whose name and file have so many bytes.
pub(crate) fn frame_weight(bytes: usize) -> usize {
    (bytes / TEXT_PER_FRAME).saturating_add(1)
}

/// A frame of one profile's frame table.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct FrameId(pub(crate) u32);

impl FrameId {
    /// The position in the frame table.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A stack of one profile: a list of frames, leaf first.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct StackId(pub(crate) u32);

impl StackId {
    /// The stack without frames.
    pub const EMPTY: StackId = StackId(0);

    /// The position in the stack table.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// Frames that Go left out of a printed stack.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
pub struct Elision {
    /// How many frames come before the gap.
    pub after: u32,
    /// How many are missing; `None` for Go up to 1.20, which prints no number.
    pub count: Option<u64>,
}
