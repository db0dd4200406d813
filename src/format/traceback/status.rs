//! The contents of a goroutine's header besides id and wait.

use super::header::Attributes;
use crate::profile::{FlagsId, LabelsId, ProfileBuilder, StrId};

/// State, flags and labels, in the tables of a builder.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Status {
    pub(crate) state: Option<StrId>,
    pub(crate) flags: FlagsId,
    pub(crate) labels: LabelsId,
}

impl Default for Status {
    fn default() -> Status {
        Status { state: None, flags: FlagsId::NONE, labels: LabelsId::NONE }
    }
}

impl Status {
    pub(crate) fn new(attributes: &Attributes<'_>, builder: &mut ProfileBuilder) -> Status {
        let mut flags: Vec<StrId> =
            attributes.flags.iter().map(|flag| builder.string(flag)).collect();
        Status {
            state: (!attributes.state.is_empty()).then(|| builder.string(attributes.state)),
            flags: builder.flags(&mut flags),
            labels: builder.text_labels(attributes.labels.iter().map(|(key, value)| (key, value))),
        }
    }
}
