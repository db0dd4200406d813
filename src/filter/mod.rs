//! Selecting: options and expressions become a predicate over stacks, groups and goroutines.
//!
//! Everything becomes one condition (`truth`) over a list of predicates (`predicate`), so options,
//! `--query` and `--where` mean the same things and cost the same. `apply` evaluates each predicate as
//! seldom as possible: once for a frame or stack, once for a group, and only then once for a
//! goroutine.
//!
//! An unknown wait makes a condition on it neither true nor false, even if the condition is negated:
//! such goroutines aren't selected, and are counted in [`Selection::unknown_wait`] unless the rest of
//! the filter rejects them anyway.

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
mod selection;
mod text;
mod truth;
mod unmatched;
mod wait;

pub use compile::Select;
pub use globs::InputGlobs;
pub use selection::Selection;
pub(crate) use wait::parse_minutes;

#[cfg(test)]
mod tests;

use crate::error::Result;
use crate::profile::Profile;
use crate::rules::Names;
use compile::Compiled;
use predicate::Predicate;

/// A compiled filter.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    /// `None` selects everything.
    compiled: Option<Compiled>,
}

impl Filter {
    /// Compiles the options.
    ///
    /// # Errors
    /// Names the option, and points at the error in its text.
    pub fn compile(select: &Select) -> Result<Filter> {
        Ok(Filter { compiled: compile::compile(select)? })
    }

    /// Whether it needs ids or waits, so that the goroutine columns must be kept.
    pub fn needs_goroutines(&self) -> bool {
        self.compiled.iter().flat_map(|it| &it.predicates).any(Predicate::needs_goroutines)
    }

    /// Whether it selects everything.
    pub fn is_empty(&self) -> bool {
        self.compiled.is_none()
    }

    /// Notes on requested states, kinds, inputs, categories, names and labels that nothing in the
    /// profile has, whatever else is requested; with similar ones that exist.
    pub fn unmatched(&self, profile: &Profile, names: &Names) -> Vec<String> {
        let notes = |it: &Compiled| unmatched::notes(&it.named, &it.predicates, profile, names);
        self.compiled.as_ref().map_or_else(Vec::new, notes)
    }

    /// Applies it to a profile.
    pub fn select(&self, profile: &Profile, names: &Names) -> Selection {
        match &self.compiled {
            Some(it) => apply::select(&it.predicates, &it.condition, profile, names),
            None => Selection {
                counts: profile.samples.iter().map(|sample| sample.count).collect(),
                ..Selection::default()
            },
        }
    }
}

/// The text of a note that nothing of a profile carries a label that rows are made by.
pub fn no_label(key: &str, profile: &Profile) -> Option<String> {
    if profile.samples.is_empty() {
        return None;
    }
    unmatched::no_label(key, profile)
}
