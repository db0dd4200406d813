//! The checks on single dumps: evidence that needs no series, no end of all work and no lists.

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

/// Goroutines that a check noticed, before any allow-list is applied.
#[derive(Clone, PartialEq, Debug)]
pub struct Suspect {
    /// The name of the check.
    pub check: &'static str,
    /// The blocking user function of their most frequent stack.
    pub frame: Option<FrameId>,
    /// The samples they are counted in.
    pub samples: Vec<SampleId>,
}

/// Runs the wanted checks, as far as one point in time allows them, with the built-in catalogue.
pub fn suspects(
    profile: &Profile,
    names: &Names,
    frames: &FrameFinder<'_>,
    selection: &Selection,
    points: &Timeline,
    waits: &Waits,
    is_wanted: impl Fn(&'static str) -> bool,
) -> Vec<Suspect> {
    // None of these checks depends on the day: only entries of lists expire.
    let options = Options::new(Date::of(UNIX_EPOCH));
    let context = Context::new(profile, names, frames, selection, points, &options, waits);
    let wanted = CHECKS.iter().filter(|check| is_wanted(check.name));
    let allowed = wanted.filter(|check| (check.needs)(&context).is_none());
    let drafts =
        allowed.flat_map(|check| (check.run)(&context).into_iter().map(move |it| (check, it)));
    drafts
        .map(|(check, draft)| Suspect {
            check: check.name,
            frame: draft.finding.stack.and_then(|stack| frames.user(stack)),
            samples: draft.samples,
        })
        .collect()
}
