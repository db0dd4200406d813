//! What a person should know in ten seconds: crashes, what is stuck, what most goroutines are doing,
//! and for how long.
//!
//! Each kind of fact has a file here and a field of [`Verdict`]; none of them knows its output formats.
//! Adding one takes a struct, the code that finds it, and a field.

mod activity;
mod crash;
mod crowd;
mod deadlock;
mod reading;
mod stuck;
#[cfg(test)]
mod tests;
mod wait;

pub use activity::{Activity, LongestWait};
pub use crash::{CrashFact, CrashFrame};
pub use crowd::Crowd;
pub use deadlock::Deadlock;
pub use reading::Loss;
pub use stuck::{StuckFact, Topic};
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

/// All crashes, in the order of the inputs.
pub fn crashes(profile: &Profile, names: &Names) -> Vec<CrashFact> {
    crashes_of(profile, names, &FrameFinder::new(profile))
}

fn crashes_of(profile: &Profile, names: &Names, frames: &FrameFinder<'_>) -> Vec<CrashFact> {
    let crashed = Crashed::find(profile);
    let mut facts = Vec::new();
    for id in order(profile) {
        let input = profile.input(id);
        let crashes = input.crash.iter().chain(&input.later_crashes);
        let crashes = crashes.chain(crashed.unreported(id));
        facts.extend(
            crashes.map(|crash| CrashFact::of(profile, names, frames, &crashed, id, crash)),
        );
    }
    facts
}

/// The facts worth knowing first. Crashes, races, losses and what wasn't read are those of whole inputs,
/// the rest those of the selected goroutines.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Verdict {
    /// All crashes, in the order of the inputs.
    pub crashes: Vec<CrashFact>,
    /// Places where goroutines look stuck, the most important first.
    pub stuck: Vec<StuckFact>,
    /// What goroutines are doing.
    pub activity: Activity,
    /// Inputs that differ from the others, the farthest first.
    pub outliers: Vec<Outlier>,
    /// Who waits for whom.
    pub waits: WaitFacts,
    /// Reports of the race detector.
    pub races: u64,
    /// Parts of inputs that couldn't be read.
    pub losses: Vec<Loss>,
    /// Inputs that were not read at all.
    pub unread: Unread,
}

impl Verdict {
    /// The verdict on the selected samples of a profile. Without points its values are differences, so
    /// nothing is looked for that is stuck.
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

    /// Whether everything in the inputs was understood.
    pub fn complete(&self) -> bool {
        self.losses.is_empty() && self.unread.complete()
    }
}
