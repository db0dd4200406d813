//! What a person should know in ten seconds: what crashed, what is stuck, what most are doing, and
//! since when.
//!
//! Each kind of fact has a file here and a field of [`Verdict`]; none of them knows how it is
//! written. Adding one means its struct, how it is found, and its place in that list.

mod activity;
mod crash;
mod deadlock;
mod pile;
mod reading;
mod stuck;
#[cfg(test)]
mod tests;
mod wait;

pub use activity::{Activity, LongestWait};
pub use crash::{CrashFact, CrashFrame};
pub use deadlock::Deadlock;
pub use pile::Pile;
pub use reading::Loss;
pub use stuck::{StuckFact, What};
pub use wait::{WaitFact, WaitFacts};

use crate::filter::Selection;
use crate::group::order::inputs as order;
use crate::profile::{Profile, Unread};
use crate::rules::Names;
use crate::view::diff::timeline::Timeline;
use crate::view::frames::finder::FrameFinder;
use crate::view::table::outlier::{self, Outlier};
use crate::view::table::part;
use crate::waits::Waits;
use crash::Crashed;

/// What crashed, in the order of the inputs.
pub fn crashes(profile: &Profile, names: &Names) -> Vec<CrashFact> {
    crashes_of(profile, names, &FrameFinder::new(profile))
}

fn crashes_of(profile: &Profile, names: &Names, frames: &FrameFinder<'_>) -> Vec<CrashFact> {
    let crashed = Crashed::find(profile);
    let mut facts = Vec::new();
    for id in order(profile) {
        let input = profile.input(id);
        let crashes = input.crash.iter().chain(&input.later_crashes);
        facts.extend(
            crashes.map(|crash| CrashFact::of(profile, names, frames, &crashed, id, crash)),
        );
        facts.extend(CrashFact::untold(profile, names, frames, &crashed, id));
    }
    facts
}

/// What is worth knowing first. Crashes and reading are about the inputs, the rest about what is
/// selected of them.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Verdict {
    /// What crashed, in the order of the inputs.
    pub crashes: Vec<CrashFact>,
    /// What looks stuck, what matters most first.
    pub stuck: Vec<StuckFact>,
    /// What goroutines are doing.
    pub activity: Activity,
    /// Inputs that differ from the others, the farthest first.
    pub outliers: Vec<Outlier>,
    /// Who waits for whom.
    pub waits: WaitFacts,
    /// Reports of the race detector.
    pub races: u64,
    /// What reading lost.
    pub losses: Vec<Loss>,
    /// What was not read at all.
    pub unread: Unread,
}

impl Verdict {
    /// The verdict on what is selected of a profile. Without points its values are differences, which
    /// aren't stuck anywhere.
    pub fn new(
        profile: &Profile,
        names: &Names,
        selection: &Selection,
        points: Option<&Timeline>,
    ) -> Verdict {
        let frames = FrameFinder::new(profile);
        let parts = part::selected_joined(profile, selection);
        let waits = Waits::of(profile, selection, &frames);
        let mut stuck = points.map_or_else(Vec::new, |points| {
            stuck::facts(profile, names, &frames, selection, points, &waits)
        });
        let waits = WaitFacts::of(profile, names, selection, &waits, &mut stuck);
        let mut verdict = Verdict {
            stuck,
            activity: Activity::of(profile, names, &parts, &frames),
            outliers: outlier::of(profile, names, &parts),
            waits,
            unread: profile.unread.clone(),
            ..Verdict::default()
        };
        verdict.crashes = crashes_of(profile, names, &frames);
        for input in order(profile) {
            let input = profile.input(input);
            verdict.races += input.seen.race_reports;
            verdict.losses.extend(reading::losses(input));
        }
        verdict
    }

    /// Whether everything that the inputs hold was understood.
    pub fn complete(&self) -> bool {
        self.losses.is_empty() && self.unread.complete()
    }
}
