//! Pseudo frames: labels as functions, in a file that is named after their key.

use super::tag::texts;
use crate::limits::LIMITS;
use crate::profile::{FrameId, LocationId, Profile, SampleId, StrId, UNKNOWN};
use std::collections::HashMap;

/// Values with commas between them; `…` in place of those that would make a name of hundreds.
fn joined(values: &[Vec<u8>]) -> Vec<u8> {
    let mut name = Vec::new();
    for (at, value) in values.iter().enumerate() {
        if at > 0 {
            name.push(b',');
        }
        if name.len() > LIMITS.name {
            name.extend_from_slice("…".as_bytes());
            break;
        }
        name.extend_from_slice(value);
    }
    name
}

/// The frames made so far, by key and text, of which samples can have as many long ones as there are samples.
#[derive(Debug, Default)]
pub(super) struct PseudoFrames(HashMap<(StrId, StrId), (FrameId, LocationId)>);

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
            let file = profile.strings.intern(key.as_bytes());
            let values = texts(profile, sample, file);
            any |= !values.is_empty();
            let name = joined(&values);
            let name = if name.is_empty() { UNKNOWN } else { &name };
            let texts = (file, profile.strings.intern(name));
            let known = self.0.entry(texts).or_insert_with(|| {
                let frame = profile.add_frame(name, key.as_bytes());
                (frame, profile.add_location(frame))
            });
            frames.push(*known);
        }
        (frames, any)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_of_very_many_values_says_that_there_are_more() {
        let values = |count| vec![b"abc".to_vec(); count];
        assert_eq!(joined(&values(2)), b"abc,abc");
        let name = joined(&values(1 << 20));
        assert!(name.len() < 2 * LIMITS.name && name.ends_with("abc,…".as_bytes()));
    }
}
