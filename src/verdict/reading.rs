//! What was lost in reading.

use crate::profile::Input;
use serde::Serialize;

/// Something that was lost in reading an input.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Loss {
    /// The input's name.
    pub input: String,
    /// What was lost, in a few words.
    pub text: String,
}

/// What was lost in reading an input, in a few words each.
pub(super) fn losses(input: &Input) -> impl Iterator<Item = Loss> {
    let lost = input.warnings.iter().filter(|warning| warning.kind.means_loss());
    lost.map(|warning| Loss {
        input: input.name.clone(),
        text: match warning.more {
            0 => warning.text.clone(),
            more => format!("{}, and {more} more like it", warning.text),
        },
    })
}
