//! What a reader knows about goroutines that are alike.

use crate::profile::{
    Elision, FlagsId, FrameId, InputId, Kind, LabelsId, SampleKey, StackId, StrId,
};

/// What makes goroutines one sample, as read; state and kind are completed from the frames.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct SampleSpec {
    /// Which input it came from.
    pub input: InputId,
    /// The stack as Go's own text shows it.
    pub stack: StackId,
    /// Every frame that the input holds; equal to `stack` if nothing is hidden.
    pub full: StackId,
    /// The state as printed, without decorations, if the format prints one.
    pub state: Option<StrId>,
    /// See [`SampleKey::flags`](crate::profile::SampleKey::flags).
    pub flags: FlagsId,
    /// See [`SampleKey::labels`](crate::profile::SampleKey::labels).
    pub labels: LabelsId,
    /// See [`SampleKey::creator`](crate::profile::SampleKey::creator).
    pub creator: Option<FrameId>,
    /// See [`SampleKey::elided`](crate::profile::SampleKey::elided).
    pub elided: Option<Elision>,
}

impl SampleSpec {
    /// Goroutines of which only the stack is known.
    pub fn new(input: InputId, stack: StackId) -> SampleSpec {
        SampleSpec {
            input,
            stack,
            full: stack,
            state: None,
            flags: FlagsId::NONE,
            labels: LabelsId::NONE,
            creator: None,
            elided: None,
        }
    }

    /// The key of a sample of these goroutines, once their state and kind are known.
    pub(super) fn key(&self, state: Option<StrId>, kind: Kind) -> SampleKey {
        let SampleSpec { input, stack, full, state: _, flags, labels, creator, elided } = *self;
        SampleKey { input, stack, full, state, kind, flags, labels, creator, elided }
    }
}
