//! What was read, named, before anything of it is selected.

use super::Selected;
use crate::error::Result;
use crate::filter::Filter;
use crate::group::presence::Presence;
use crate::profile::Profile;
use crate::rules::Names;
use crate::view::values::base::Base;
use crate::view::values::options::PercentBase;
use crate::view::values::sample_types;

/// What was read, with a name for everything in it.
#[derive(Debug)]
pub struct Named {
    /// Everything that was understood.
    pub profile: Profile,
    /// The names of its frames and stacks.
    pub names: Names,
}

/// What is asked for.
#[derive(Debug, Default)]
pub struct Selecting {
    /// What each goroutine or sample must be like.
    pub filter: Filter,
    /// In which inputs its stack must be.
    pub presence: Presence,
    /// What is subtracted from the others.
    pub base: Option<Base>,
}

impl Named {
    /// Selects what is asked for, and subtracts the base from it.
    ///
    /// # Errors
    ///
    /// What is asked for names an input that isn't there, or a base measures something else.
    pub fn select(self, selecting: &Selecting) -> Result<Selected> {
        let Named { mut profile, names } = self;
        let Selecting { filter, presence, base } = selecting;
        let mut selection = filter.select(&profile, &names);
        let present = presence.kept(&profile)?;
        if let Some(kept) = &present {
            selection.retain(&profile, kept);
        }
        if let Some(base) = base {
            sample_types::check(&profile, &|input| usize::from(base.has_input(&profile, input)))?;
            base.subtract(&mut profile, &mut selection);
        }
        let whole = PercentBase::of(&profile, &selection, *base);
        Ok(Selected {
            is_part: !filter.is_empty() || present.is_some(),
            profile,
            names,
            selection,
            whole,
        })
    }
}
