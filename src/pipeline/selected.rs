//! The selected samples, and what pruning leaves of their stacks.

use crate::error::Result;
use crate::filter::Selection;
use crate::profile::Profile;
use crate::prune::Prune;
use crate::rules::{Names, RuleSet};
use crate::view::values::options::PercentBase;

/// The inputs, and which samples are selected.
#[derive(Debug)]
pub struct Selected {
    /// Everything that was understood; with a base, the differences.
    pub profile: Profile,
    /// The names of its frames and stacks.
    pub names: Names,
    /// How many of each sample are selected.
    pub selection: Selection,
    /// The value that is 100%.
    pub whole: PercentBase,
    /// Whether anything restricts the selection.
    pub is_part: bool,
}

impl Selected {
    /// Prunes the stacks. What is left of a stack is named anew.
    ///
    /// # Errors
    /// If labels would add too many frames, or the names are too long together.
    pub fn prune(self, prune: &Prune, rules: &RuleSet) -> Result<Pruned> {
        let Selected { mut profile, mut names, mut selection, whole, mut is_part } = self;
        let pruned = prune.apply(&mut profile)?;
        if let Some(kept) = &pruned.kept {
            selection.retain(&profile, kept);
            names = rules.apply(&profile)?;
            is_part = true;
        }
        let mut notes = pruned.notes;
        if is_part && !profile.samples.is_empty() && selection.counts.iter().all(|n| *n == 0) {
            let what = if profile.counts_goroutines() { "no goroutine" } else { "nothing" };
            notes.push(format!("{what} matches"));
        }
        Ok(Pruned { profile, names, selection, whole, is_part, notes })
    }
}

/// The result that a command shows.
#[derive(Debug)]
pub struct Pruned {
    /// Everything that was understood.
    pub profile: Profile,
    /// The names of its frames and stacks.
    pub names: Names,
    /// How many of each sample are selected.
    pub selection: Selection,
    /// The value that is 100%: that of the selected samples, before stacks were pruned.
    pub whole: PercentBase,
    /// Whether this is less than everything.
    pub is_part: bool,
    /// Notes for the user, for instance about options that did nothing.
    pub notes: Vec<String>,
}
