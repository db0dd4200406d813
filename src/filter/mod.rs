//! Selecting: flags and expressions become a predicate over stacks, groups and goroutines.
//!
//! Whatever was typed becomes one condition (`truth`) over a list of tests (`test`), so flags,
//! `--query` and `--where` mean the same things and cost the same. `apply` asks each test as seldom
//! as it can: once for a frame or stack, once for a group, and only then once for a goroutine.
//!
//! A wait that isn't known makes a condition on it neither true nor false, also when it is
//! negated: such goroutines aren't selected, and are counted in [`Selection::unknown_wait`] unless
//! the rest of the filter rejects them anyway.

mod apply;
mod compile;
mod expr;
mod frame;
mod id;
mod label;
mod pattern;
mod query;
pub(crate) mod suggest;
mod test;
mod text;
mod truth;
mod wait;

#[cfg(test)]
mod tests;

use crate::error::Result;
use crate::profile::{Profile, SampleId};
use crate::rules::Names;
use test::Test;
use truth::Condition;

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
    tests: Vec<Test>,
    /// `None` selects everything.
    condition: Option<Condition>,
}

impl Filter {
    /// Compiles what was typed; errors point at the column.
    pub fn compile(select: &Select) -> Result<Filter> {
        let (tests, condition) = compile::compile(select)?;
        Ok(Filter { tests, condition })
    }

    /// Whether it asks for ids or waits, so that the goroutine columns must be kept.
    pub fn needs_goroutines(&self) -> bool {
        self.tests.iter().any(Test::needs_goroutines)
    }

    /// Whether it selects everything.
    pub fn is_empty(&self) -> bool {
        self.condition.is_none()
    }

    /// Applies it.
    pub fn select(&self, profile: &Profile, names: &Names) -> Selection {
        match &self.condition {
            Some(condition) => apply::select(&self.tests, condition, profile, names),
            None => Selection {
                counts: profile.samples.iter().map(|sample| sample.count).collect(),
                goroutines: None,
                unknown_wait: 0,
            },
        }
    }
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
}

impl Selection {
    /// How many goroutines of a sample are selected.
    pub fn count(&self, sample: SampleId) -> i64 {
        self.counts[sample.index()]
    }

    /// Whether the goroutine at this position of [`Profile::goroutines`] is selected.
    pub fn has_goroutine(&self, profile: &Profile, at: usize) -> bool {
        match &self.goroutines {
            Some(selected) => selected[at],
            None => self.count(profile.goroutines[at].sample) != 0,
        }
    }
}
