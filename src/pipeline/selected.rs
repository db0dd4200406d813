//! What is selected, and what is left of its stacks.

use crate::filter::Selection;
use crate::profile::Profile;
use crate::prune::Prune;
use crate::rules::{Names, RuleSet};
use crate::view::values::options::PercentBase;

/// What was read, and what of it is asked for.
#[derive(Debug)]
pub struct Selected {
    /// Everything that was understood; where there is a base, differences.
    pub profile: Profile,
    /// The names of its frames and stacks.
    pub names: Names,
    /// How many of each sample are asked for.
    pub selection: Selection,
    /// What is 100%.
    pub whole: PercentBase,
    /// Whether anything was asked for at all.
    pub is_part: bool,
}

impl Selected {
    /// Cuts stacks down to what is to be seen of them. What is left of a stack is named anew.
    pub fn prune(self, prune: &Prune, rules: &RuleSet) -> Pruned {
        let Selected { mut profile, mut names, mut selection, whole, mut is_part } = self;
        let pruned = prune.apply(&mut profile);
        if let Some(kept) = &pruned.kept {
            selection.retain(&profile, kept);
            names = rules.apply(&profile);
            is_part = true;
        }
        let mut notes = pruned.notes;
        if is_part && !profile.samples.is_empty() && selection.counts.iter().all(|n| *n == 0) {
            let what = if profile.counts_goroutines() { "no goroutine" } else { "nothing" };
            notes.push(format!("{what} matches"));
        }
        Pruned { profile, names, selection, whole, is_part, notes }
    }
}

/// What a command shows.
#[derive(Debug)]
pub struct Pruned {
    /// Everything that was understood.
    pub profile: Profile,
    /// The names of its frames and stacks.
    pub names: Names,
    /// How many of each sample are asked for.
    pub selection: Selection,
    /// What is 100%: the values of what was selected, before stacks were pruned.
    pub whole: PercentBase,
    /// Whether this is less than everything.
    pub is_part: bool,
    /// What the user should know: options that did nothing, say.
    pub notes: Vec<String>,
}
