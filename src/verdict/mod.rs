//! What a person should know in ten seconds: what crashed, what is stuck, what most are doing, and
//! since when.
//!
//! Each kind of fact has a file here and a field of [`Verdict`]; none of them knows how it is
//! written. Adding one means its struct, how it is found, and its place in that list.

mod activity;
mod crash;
mod pile;
mod reading;
#[cfg(test)]
mod tests;
mod wait;

pub use activity::{Activity, LongestWait};
pub use crash::CrashFact;
pub use pile::Pile;
pub use reading::Loss;
pub use wait::{WaitFact, WaitFacts};

use crate::filter::Selection;
use crate::group::order::inputs as order;
use crate::profile::{Profile, Unread};
use crate::rules::Names;
use crate::view::outlier::{self, Outlier};
use crate::view::part;
use crate::view::place::Places;

/// What is worth knowing first. Crashes and reading are about the inputs, the rest about what is
/// selected of them.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Verdict {
    /// What crashed, in the order of the inputs.
    pub crashes: Vec<CrashFact>,
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
    /// The verdict on what is selected of a profile.
    pub fn new(profile: &Profile, names: &Names, selection: &Selection) -> Verdict {
        let mut frames = Places::new(profile);
        let parts = part::selected_joined(profile, selection);
        let mut verdict = Verdict {
            activity: Activity::of(profile, names, &parts, &mut frames),
            outliers: outlier::of(profile, names, &parts),
            waits: WaitFacts::of(profile, names, selection),
            unread: profile.unread.clone(),
            ..Verdict::default()
        };
        for input in order(profile) {
            verdict.crashes.extend(CrashFact::of(profile, names, &mut frames, input));
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
