//! Selecting: flags and expressions become a predicate over stacks, groups and goroutines.
//!
//! Whatever was typed becomes one condition (`truth`) over a list of predicates (`predicate`), so
//! flags, `--query` and `--where` mean the same things and cost the same. `apply` asks each
//! predicate as seldom as it can: once for a frame or stack, once for a group, and only then once
//! for a goroutine.
//!
//! A wait that isn't known makes a condition on it neither true nor false, also when it is
//! negated: such goroutines aren't selected, and are counted in [`Selection::unknown_wait`] unless
//! the rest of the filter rejects them anyway.

mod apply;
mod compile;
mod expr;
mod frame;
mod globs;
mod id;
mod label;
mod pattern;
mod predicate;
mod query;
mod text;
mod truth;
mod unmatched;
mod wait;

pub use globs::InputGlobs;
pub(crate) use wait::parse_minutes;

#[cfg(test)]
mod tests;

use crate::error::Result;
use crate::profile::{Goroutine, Profile, SampleId};
use crate::rules::Names;
use predicate::Predicate;
use truth::Condition;
use unmatched::Named;

/// What the user asked for, as typed.
#[derive(Clone, Debug, Default)]
pub struct Select {
    /// `--match`
    pub matches: Vec<String>,
    /// `--query`
    pub query: Option<String>,
    /// `--state`, commas already split
    pub states: Vec<String>,
    /// `--kind`, commas already split
    pub kinds: Vec<String>,
    /// `--wait`
    pub waits: Vec<String>,
    /// `--label`
    pub labels: Vec<String>,
    /// `--input`, commas already split
    pub inputs: Vec<String>,
    /// `--category`, commas already split
    pub categories: Vec<String>,
    /// `--name`
    pub names: Vec<String>,
    /// `--frame`
    pub frames: Vec<String>,
    /// `--created-by`
    pub created_by: Vec<String>,
    /// `--id`, commas already split
    pub ids: Vec<String>,
    /// `--where`
    pub wheres: Vec<String>,
    /// `--keep`
    pub keeps: Vec<String>,
}

/// A compiled selection.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    predicates: Vec<Predicate>,
    /// `None` selects everything.
    condition: Option<Condition>,
    /// What was typed for single predicates.
    named: Vec<Named>,
}

impl Filter {
    /// Compiles what was typed; errors point at the column.
    ///
    /// # Errors
    /// Names the option, and points at what is wrong in its text.
    pub fn compile(select: &Select) -> Result<Filter> {
        compile::compile(select)
    }

    /// Whether it asks for ids or waits, so that the goroutine columns must be kept.
    pub fn needs_goroutines(&self) -> bool {
        self.predicates.iter().any(Predicate::needs_goroutines)
    }

    /// Whether it selects everything.
    pub fn is_empty(&self) -> bool {
        self.condition.is_none()
    }

    /// Notes on states, kinds, inputs, categories, names and labels that were asked for and that
    /// nothing of the profile has, whatever else was asked: with the nearest that there are.
    pub fn unmatched(&self, profile: &Profile, names: &Names) -> Vec<String> {
        unmatched::notes(&self.named, &self.predicates, profile, names)
    }

    /// Applies it.
    pub fn select(&self, profile: &Profile, names: &Names) -> Selection {
        match &self.condition {
            Some(condition) => apply::select(&self.predicates, condition, profile, names),
            None => Selection {
                counts: profile.samples.iter().map(|sample| sample.count).collect(),
                goroutines: None,
                unknown_wait: 0,
                samples: None,
            },
        }
    }
}

/// What to tell where nothing of a profile carries a label that rows are made by.
pub fn no_label(key: &str, profile: &Profile) -> Option<String> {
    if profile.samples.is_empty() {
        return None;
    }
    unmatched::no_label(key, profile)
}

/// Which samples and goroutines of one profile were selected.
#[derive(Clone, Debug, Default)]
pub struct Selection {
    /// By sample: how many of its goroutines are selected.
    pub counts: Vec<i64>,
    /// By goroutine; `None` when whole samples were selected.
    pub goroutines: Option<Vec<bool>>,
    /// Goroutines that failed a wait condition only because their wait isn't known.
    pub unknown_wait: i64,
    /// By sample: whether it is selected, whatever it counts; `None` when everything is. Samples of
    /// profiles that measure several things may count 0 of the one that is shown.
    pub samples: Option<Vec<bool>>,
}

impl Selection {
    /// Whether any of a sample is selected, even if it counts 0.
    pub fn has(&self, sample: SampleId) -> bool {
        self.samples.as_ref().is_none_or(|selected| selected[sample.index()])
    }

    /// Gives a sample another value.
    pub fn set_count(&mut self, sample: SampleId, count: i64) {
        self.counts[sample.index()] = count;
    }

    /// Drops the samples that are not to be kept.
    pub fn retain(&mut self, profile: &Profile, kept: &[bool]) {
        let samples = self.samples.get_or_insert_with(|| vec![true; kept.len()]);
        for ((count, selected), kept) in self.counts.iter_mut().zip(samples).zip(kept) {
            if !kept {
                (*count, *selected) = (0, false);
            }
        }
        for (selected, goroutine) in self.goroutines.iter_mut().flatten().zip(&profile.goroutines) {
            *selected &= kept[goroutine.sample.index()];
        }
    }

    /// How many goroutines of a sample are selected.
    pub fn count(&self, sample: SampleId) -> i64 {
        self.counts[sample.index()]
    }

    /// What to tell about goroutines that were dropped because their wait isn't known.
    pub fn unknown_wait_note(&self) -> Option<String> {
        let (number, them) = match self.unknown_wait {
            0 => return None,
            1 => ("1 goroutine".to_owned(), "its"),
            many => (format!("{many} goroutines"), "their"),
        };
        Some(format!("{number} left out: {them} wait isn't known"))
    }

    /// Whether the goroutine at this position of [`Profile::goroutines`] is selected.
    pub fn has_goroutine(&self, profile: &Profile, at: usize) -> bool {
        match &self.goroutines {
            Some(selected) => selected[at],
            None => self.count(profile.goroutines[at].sample) != 0,
        }
    }

    /// Whether a goroutine is selected that needn't be in memory, where whole samples were.
    pub fn has_this(&self, at: usize, goroutine: &Goroutine) -> bool {
        match &self.goroutines {
            Some(selected) => selected.get(at) == Some(&true),
            None => self.count(goroutine.sample) != 0,
        }
    }
}
