//! Data of each single goroutine, kept only if a command needs it.

use super::{FrameId, SampleId, StackId, Wait};

/// One goroutine: 24 bytes, so that a dump of a million costs 24 MB.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Goroutine {
    /// Its id, unique in its input unless the input repeats it.
    pub id: u64,
    /// The id of the goroutine that created it; [`Goroutine::NO_CREATOR`] if unknown.
    pub created_by: u64,
    /// The sample it counts in.
    pub sample: SampleId,
    /// How long it has been blocked.
    pub wait: Wait,
}

impl Goroutine {
    /// The id if the input names no creator: goroutine 0 exists.
    pub const NO_CREATOR: u64 = u64::MAX;

    /// The id of its creator, if the input says it.
    pub fn creator(&self) -> Option<u64> {
        (self.created_by != Self::NO_CREATOR).then_some(self.created_by)
    }
}

/// An ancestor of a goroutine, printed under `GODEBUG=tracebackancestors=N`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Ancestor {
    /// The ancestor's goroutine id.
    pub id: u64,
    /// Its stack when it created its child.
    pub stack: StackId,
    /// The `go` statement that created the ancestor itself.
    pub creator: Option<FrameId>,
}
