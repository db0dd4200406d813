//! What single dumps tell: the evidence that needs no series, no end of all work and no lists.

use super::checks::CHECKS;
use super::context::Context;
use super::date::Date;
use super::options::Options;
use crate::filter::Selection;
use crate::profile::{FrameId, Profile, SampleId};
use crate::rules::Names;
use crate::view::diff::timeline::Timeline;
use crate::view::frames::finder::FrameFinder;
use crate::waits::Waits;
use std::time::UNIX_EPOCH;

/// Goroutines that a check noticed, before anybody says that they belong there.
#[derive(Clone, PartialEq, Debug)]
pub struct Suspect {
    /// The name of the check.
    pub check: &'static str,
    /// The blocking user function of the stack that most of them have.
    pub frame: Option<FrameId>,
    /// Where they count.
    pub samples: Vec<SampleId>,
}

/// Does those of the checks that are wanted and that one point in time allows; the built-in
/// catalogue explains what it can.
pub fn suspects(
    profile: &Profile,
    names: &Names,
    frames: &FrameFinder<'_>,
    selection: &Selection,
    points: &Timeline,
    waits: &Waits,
    is_wanted: impl Fn(&'static str) -> bool,
) -> Vec<Suspect> {
    // None of these checks asks which day it is: only entries of lists expire.
    let options = Options::new(Date::of(UNIX_EPOCH));
    let context = Context::new(profile, names, frames, selection, points, &options, waits);
    let wanted = CHECKS.iter().filter(|check| is_wanted(check.name));
    let allowed = wanted.filter(|check| (check.needs)(&context).is_none());
    let drafts =
        allowed.flat_map(|check| (check.run)(&context).into_iter().map(move |it| (check, it)));
    drafts
        .map(|(check, draft)| Suspect {
            check: check.name,
            frame: draft.stack.and_then(|stack| frames.user(stack)),
            samples: draft.samples,
        })
        .collect()
}
