//! Steps of paths.

use crate::format::traceback::pairs::{PairId, Sort};

/// A step of a path, a call, the creator or a gap, as its lines are compared.
///
/// Between the two texts of its pair stands what no two goroutines have in common: arguments, or the
/// number of the creator's goroutine.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step {
    /// Where its texts start in those of all pairs.
    pub(super) start: u32,
    /// The step before it.
    pub(super) parent: u32,
    /// How long the first text is.
    pub(super) one: u16,
    /// How long the second one is.
    pub(super) two: u16,
    /// How far before the end of its first line the second text starts.
    pub(super) lead: u8,
    pub(super) sort: Sort,
    /// Whether the second text goes to the end of its line, the offset of the call included.
    pub(super) whole: bool,
}

/// What of a step is asked for where its text wasn't guessed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Node {
    pub(super) pair: PairId,
    /// The only step that was ever taken from here; [`NONE`] or [`SEVERAL`].
    pub(super) next: u32,
    /// The path that ends here; [`NONE`] where none has.
    pub(super) path: u32,
}

/// No step, no path.
pub(super) const NONE: u32 = u32::MAX;

/// More steps than one, to be looked up.
pub(super) const SEVERAL: u32 = u32::MAX - 1;

/// Where all paths start.
pub(super) const ROOT: u32 = 0;

impl Step {
    /// The step before the first one.
    pub(super) const ROOT: Step =
        Step { start: 0, parent: NONE, one: 0, two: 0, lead: 0, sort: Sort::Gap, whole: false };
}
