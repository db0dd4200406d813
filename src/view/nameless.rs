//! Frames without names: what they are called instead, as `go tool pprof` does.

use super::located::{self, Located};
use crate::profile::{FrameId, Profile, SampleId};

/// What stands for the name of a frame of which nothing is known.
pub const UNKNOWN: &str = "<unknown>";

/// Which frames may be named after their address, for want of a name.
#[derive(Debug, Default)]
pub(super) struct Nameless {
    /// By frame; empty where none is.
    of_frame: Vec<bool>,
}

impl Nameless {
    pub(super) fn of(profile: &Profile) -> Nameless {
        let frames = profile.frames().iter();
        let of_frame: Vec<bool> =
            frames.map(|frame| profile.str(frame.func).starts_with(b"0x")).collect();
        Nameless { of_frame: if of_frame.contains(&true) { of_frame } else { Vec::new() } }
    }

    /// Whether any of these frames may be.
    pub(super) fn has_any(&self, stack: &[FrameId]) -> bool {
        !self.of_frame.is_empty() && stack.iter().any(|&frame| self.has(frame))
    }

    /// The place of such a frame, if it has one but no name.
    pub(super) fn place(
        &self,
        profile: &Profile,
        frame: FrameId,
        place: Option<&Located>,
    ) -> Option<Located> {
        place.filter(|place| self.has(frame) && !place.has_name(profile)).copied()
    }

    /// By frame of a sample, leaf first: what it is called in place of its address.
    pub(super) fn names(&self, profile: &Profile, sample: SampleId) -> Vec<Option<Vec<u8>>> {
        let places = located::of_frames(profile, sample);
        let stack = profile.stack(profile.sample(sample).key.full).iter().enumerate();
        let name = |(at, &frame)| {
            let place = self.place(profile, frame, places.get(at))?;
            Some(place.object(profile).unwrap_or_else(|| UNKNOWN.into()))
        };
        stack.map(name).collect()
    }

    fn has(&self, frame: FrameId) -> bool {
        self.of_frame.get(frame.index()) == Some(&true)
    }
}
