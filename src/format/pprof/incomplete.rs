//! A comment in written protos says which inputs were not read whole, so that reading back tells it, too.

use super::message::Message;
use crate::profile::{Input, InputId, Profile, WarningKind};
use std::collections::HashSet;

const COMMENT: &[u8] = b"stackgazer: not everything was read of ";

/// The comments for those of the written inputs that were not read whole.
pub(super) fn comments<'p>(
    profile: &'p Profile,
    is_written: &'p dyn Fn(InputId) -> bool,
) -> impl Iterator<Item = Vec<u8>> + 'p {
    let inputs = profile.inputs().filter(|(id, input)| !input.complete() && is_written(*id));
    inputs.map(|(_, input)| [COMMENT, input.name.as_bytes()].concat())
}

/// The inputs of a proto that its comments name.
pub(super) struct Incomplete<'m>(HashSet<&'m [u8]>);

impl<'m> Incomplete<'m> {
    pub(super) fn of(message: &Message<'m>) -> Incomplete<'m> {
        let comments = message.profile.comment.iter().map(|&text| message.string(text));
        Incomplete(comments.filter_map(|text| text.strip_prefix(COMMENT)).collect())
    }

    /// Warns if the comments name this input, or any one if it is the only input of the proto: then it
    /// has got a new name, or several were added up in it.
    pub(super) fn warn(&self, input: &mut Input, is_only: bool) {
        if self.0.contains(input.name.as_bytes()) || is_only && !self.0.is_empty() {
            let text = "what this was made of was not read whole, as its comments say";
            input.warn(WarningKind::Truncated, None, text);
        }
    }
}
