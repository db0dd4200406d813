//! Named inputs, before anything is selected.

use super::Selected;
use crate::error::Result;
use crate::filter::Filter;
use crate::group::presence::Presence;
use crate::profile::Profile;
use crate::rules::Names;
use crate::view::values::base::Base;
use crate::view::values::options::PercentBase;
use crate::view::values::sample_types;

/// The inputs, with a name for everything in them.
#[derive(Debug)]
pub struct Named {
    /// Everything that was understood.
    pub profile: Profile,
    /// The names of its frames and stacks.
    pub names: Names,
}

/// The options that select goroutines or samples.
#[derive(Debug, Default)]
pub struct Selecting {
    /// The conditions that each goroutine or sample has to meet.
    pub filter: Filter,
    /// In which inputs its stack must be.
    pub presence: Presence,
    /// The inputs that are subtracted from the others.
    pub base: Option<Base>,
}

impl Named {
    /// Selects goroutines or samples, and subtracts the base from them.
    ///
    /// # Errors
    ///
    /// An option names an input that doesn't exist, or the base measures something else.
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
