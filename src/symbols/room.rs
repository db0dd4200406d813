//! How many frames the names of a binary may make of the locations of a run.

use super::Located;
use crate::binary;
use crate::error::{Error, ErrorKind};
use crate::limits::LIMITS;
use crate::profile::{FrameId, LocationId, Profile, SampleId, StackId, frame_weight};

/// The frames that may still be added. A location of one byte can stand for a thousand inlined calls, so neither
/// the memory for stacks nor the time to go through those of all samples is bounded by the size of the inputs:
/// 100 KB took a gigabyte.
#[derive(Debug)]
pub(super) struct Room {
    /// For the lines of locations, each once.
    places: Allowance,
    /// For different stacks.
    stacks: Allowance,
    /// For the stacks of all samples, one by one.
    samples: Allowance,
}

/// A number of frames that is used up.
#[derive(Debug)]
struct Allowance {
    most: usize,
    left: usize,
}

/// There is no room for the frames of something.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct NoRoom {
    most: usize,
}

/// What a frame with such texts counts as.
fn weight(func: &[u8], file: &[u8]) -> usize {
    frame_weight(func.len().saturating_add(file.len()))
}

impl Room {
    pub(super) fn new(profile: &Profile, inputs: &[Located]) -> Room {
        let length = |&sample: &SampleId| profile.sample_locations(sample).len();
        let places = inputs.iter().map(|located| located.locations.len()).sum();
        let stacks = inputs.iter().flat_map(|located| &located.samples).map(length).sum();
        let samples = inputs.iter().flat_map(|located| &located.all).map(length).sum();
        let [places, stacks, samples] = [places, stacks, samples].map(Allowance::new);
        Room { places, stacks, samples }
    }

    /// Takes room for the calls at a location.
    pub(super) fn take_calls(&mut self, calls: &[binary::Frame<'_>]) -> Result<(), NoRoom> {
        let weights = calls
            .iter()
            .map(|call| weight(&call.function, call.file.as_deref().unwrap_or_default()));
        self.places.take(weights.sum())
    }

    /// Takes room for a part of a new stack, before it is made.
    pub(super) fn take_lines(&mut self, profile: &Profile, id: LocationId) -> Result<(), NoRoom> {
        let frames = profile.lines(id).iter().map(|line| line.frame);
        // A location without lines is a frame without a name.
        self.stacks.take(weight_of(profile, frames).max(1))
    }

    /// Takes room for the stack of one more sample.
    pub(super) fn take_sample(&mut self, weight: usize) -> Result<(), NoRoom> {
        self.samples.take(weight)
    }
}

/// The number of frames that a stack counts as.
pub(super) fn weight_of_stack(profile: &Profile, stack: StackId) -> usize {
    weight_of(profile, profile.stack(stack).iter().copied())
}

fn weight_of(profile: &Profile, frames: impl Iterator<Item = FrameId>) -> usize {
    let frames = frames.map(|frame| profile.frame(frame));
    frames.map(|frame| weight(profile.str(frame.func), profile.str(frame.file))).sum()
}

impl Allowance {
    fn new(locations: usize) -> Allowance {
        let most = locations.saturating_mul(LIMITS.inlined_average).max(LIMITS.inlined_from);
        Allowance { most, left: most }
    }

    fn take(&mut self, frames: usize) -> Result<(), NoRoom> {
        self.left = self.left.checked_sub(frames).ok_or(NoRoom { most: self.most })?;
        Ok(())
    }
}

impl NoRoom {
    /// The error for the input that has no room, with the names of this binary.
    pub(super) fn error(self, input: &str, binary: &str) -> Error {
        let NoRoom { most } = self;
        let limit = if most == LIMITS.inlined_from { "inlined_from" } else { "inlined_average" };
        let what = format!(
            "with the inlined calls of {binary} the stacks have more than {most} frames in all ({limit})"
        );
        let advice = "leave out --binary, or pass the one that made it if this one didn't";
        Error::new(ErrorKind::Limit, input, what).advise(advice)
    }
}
