//! Pseudo frames: labels as functions, in a file that is named after their key.

use super::tag::texts;
use crate::profile::{FrameId, LocationId, Profile, SampleId, UNKNOWN};
use std::collections::HashMap;

/// The frames made so far, by key and text.
#[derive(Debug, Default)]
pub(super) struct PseudoFrames(HashMap<(String, Vec<u8>), (FrameId, LocationId)>);

impl PseudoFrames {
    /// The frames of a sample for these keys, leaf first, and whether it has any of the labels.
    /// A label that it doesn't have makes a frame without a name.
    pub(super) fn of(
        &mut self,
        profile: &mut Profile,
        sample: SampleId,
        keys: &[String],
    ) -> (Vec<(FrameId, LocationId)>, bool) {
        let mut any = false;
        let mut frames = Vec::new();
        for key in keys.iter().rev() {
            let values = texts(profile, sample, key.as_bytes());
            any |= !values.is_empty();
            let name = values.join(&b","[..]);
            let known = self.0.entry((key.clone(), name)).or_insert_with_key(|(key, name)| {
                let name = if name.is_empty() { UNKNOWN } else { name };
                let frame = profile.add_frame(name, key.as_bytes());
                (frame, profile.add_location(frame))
            });
            frames.push(*known);
        }
        (frames, any)
    }
}
