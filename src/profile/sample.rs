//! Samples: counts of goroutines (or other values) that share everything but their ids and waits.

use super::{Elision, FlagsId, FrameId, Kind, LabelsId, StackId, StrId};
use std::cmp::Ordering;

/// An input of one profile.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct InputId(pub(crate) u32);

impl InputId {
    /// The position in [`super::Profile::inputs`].
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A sample of one profile.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct SampleId(pub(crate) u32);

impl SampleId {
    /// The position in [`super::Profile::samples`].
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// What goroutines of one sample have in common.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct SampleKey {
    /// Which input it came from.
    pub input: InputId,
    /// The stack as Go's own text shows it.
    pub stack: StackId,
    /// Every frame that the input holds; equal to `stack` if nothing is hidden.
    pub full: StackId,
    /// The state as Go prints it, without decorations; `None` if the input doesn't say.
    pub state: Option<StrId>,
    /// The state made comparable across Go versions.
    pub kind: Kind,
    /// `leaked`, `locked to thread`, ...
    pub flags: FlagsId,
    /// Labels of the goroutine itself, without those of the input's path.
    pub labels: LabelsId,
    /// The `go` statement that created it: function and place.
    pub creator: Option<FrameId>,
    /// Frames that Go left out.
    pub elided: Option<Elision>,
}

/// A sample: its key and its counts.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Sample {
    /// What its goroutines have in common.
    pub key: SampleKey,
    /// How many; negative in delta profiles.
    pub count: i64,
    /// Waits of its goroutines, as far as they are known.
    pub waits: WaitRange,
}

/// How long a goroutine has been blocked, in minutes; Go counts from the first garbage
/// collection after it blocked.
///
/// Go prints whole minutes; fractions are read because other tools write them.
#[derive(Clone, Copy, PartialEq, PartialOrd, Debug)]
pub struct Wait(f32);

impl Wait {
    /// Unknown: formats that only count, leaked goroutines.
    pub const UNKNOWN: Wait = Wait(f32::NAN);
    /// Under a minute, or no collection since.
    pub const ZERO: Wait = Wait(0.0);

    /// A wait of this many minutes.
    pub fn minutes(minutes: f32) -> Wait {
        Wait(minutes)
    }

    /// The minutes, if known.
    pub fn known(self) -> Option<f32> {
        (!self.0.is_nan()).then_some(self.0)
    }
}

/// A wait of this many minutes or more counts as long; `summarize` reports how many there are.
pub const LONG_WAIT_MINUTES: f32 = 5.0;

/// The range of the known waits of a sample.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct WaitRange {
    /// Goroutines whose wait is known.
    pub known: u64,
    /// The shortest, in minutes; 0 if `known` is 0.
    pub min: f32,
    /// The longest, in minutes.
    pub max: f32,
    /// The lowest id of the goroutines that waited longest.
    pub longest: u64,
    /// Goroutines that waited [`LONG_WAIT_MINUTES`] or more.
    pub long: u64,
}

impl WaitRange {
    /// Adds one goroutine.
    pub fn add(&mut self, wait: Wait, goroutine: u64) {
        let Some(minutes) = wait.known() else { return };
        // Without branches: waits come in no order, so branches would be mispredicted. Together
        // with a header's hash, that takes 1 to 3 % of the time of a large dump.
        let is_first = self.known == 0;
        let is_longest =
            is_first | (minutes > self.max) | ((minutes == self.max) & (goroutine < self.longest));
        self.longest = if is_longest { goroutine } else { self.longest };
        self.max = if is_longest { minutes } else { self.max };
        self.min = if is_first | (minutes < self.min) { minutes } else { self.min };
        self.known += 1;
        self.long += u64::from(minutes >= LONG_WAIT_MINUTES);
    }

    /// Merges another range.
    pub fn merge(&mut self, other: &WaitRange) {
        if other.known == 0 {
            return;
        }
        if self.known == 0 {
            *self = *other;
            return;
        }
        if other.max > self.max || (other.max == self.max && other.longest < self.longest) {
            self.longest = other.longest;
        }
        self.known += other.known;
        self.min = self.min.min(other.min);
        self.max = self.max.max(other.max);
        self.long += other.long;
    }

    /// The shortest and the longest in minutes, if any is known.
    pub fn range(&self) -> Option<(f32, f32)> {
        (self.known > 0).then_some((self.min, self.max))
    }

    /// The order that has the longest wait first and the unknown last.
    pub fn longest_first(&self, other: &WaitRange) -> Ordering {
        let longest = |waits: &WaitRange| waits.range().map_or(-1.0, |(_, max)| max);
        longest(other).total_cmp(&longest(self))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_range_of_many_is_that_of_ranges_of_one(
            goroutines in proptest::collection::vec((proptest::option::of(0_u8..8), 1_u64..6), 0..12),
        ) {
            let (mut added, mut merged) = (WaitRange::default(), WaitRange::default());
            for (minutes, id) in goroutines {
                let wait = minutes.map_or(Wait::UNKNOWN, |minutes| Wait::minutes(minutes.into()));
                added.add(wait, id);
                let known = u64::from(wait.known().is_some());
                let minutes = wait.known().unwrap_or_default();
                let long = u64::from(minutes >= LONG_WAIT_MINUTES);
                merged.merge(&WaitRange { known, min: minutes, max: minutes, longest: id, long });
            }
            prop_assert_eq!(added, merged);
        }
    }
}
