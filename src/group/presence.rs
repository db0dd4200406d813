//! Stacks that only some of the inputs have, or that some of them lack.

use super::ids::{Shapes, StackHash};
use crate::error::Result;
use crate::filter::InputGlobs;
use crate::profile::{Profile, StackId};
use foldhash::fast::FixedState;
use hashbrown::HashMap;

/// `--only-in` and `--missing-in`.
///
/// Stacks are the same if their shapes are, so that nodes with two builds can be compared.
#[derive(Clone, Debug, Default)]
pub struct Presence {
    only_in: InputGlobs,
    missing_in: InputGlobs,
}

/// The condition on where a stack was seen.
type IsWanted = fn(Seen) -> bool;

/// Whether a stack is in any of the inputs that were named, and in any of the others.
#[derive(Clone, Copy, Default)]
struct Seen {
    inside: bool,
    outside: bool,
}

impl Presence {
    /// Compiles the options; commas have already been split.
    ///
    /// # Errors
    /// If one of them isn't a glob.
    pub fn compile(only_in: &[String], missing_in: &[String]) -> Result<Presence> {
        Ok(Presence {
            only_in: InputGlobs::compile("--only-in", only_in)?,
            missing_in: InputGlobs::compile("--missing-in", missing_in)?,
        })
    }

    /// By sample: whether its stack is in the inputs it should be in; `None` without these options.
    /// All goroutines of the inputs count, whatever else is selected.
    ///
    /// # Errors
    ///
    /// If a named input doesn't exist.
    pub fn kept(&self, profile: &Profile) -> Result<Option<Vec<bool>>> {
        if self.only_in.is_empty() && self.missing_in.is_empty() {
            return Ok(None);
        }
        if !profile.inputs.is_empty() {
            self.only_in.check(profile)?;
            self.missing_in.check(profile)?;
        }
        let mut kept = vec![true; profile.samples.len()];
        let mut shapes = Shapes::new(profile);
        let mut known: Vec<Option<StackHash>> = vec![None; profile.stack_count()];
        let mut shape_of =
            |stack: StackId| *known[stack.index()].get_or_insert_with(|| shapes.of(stack));
        let asked: [(&InputGlobs, IsWanted); 2] = [
            (&self.only_in, |seen| seen.inside && !seen.outside),
            (&self.missing_in, |seen| !seen.inside),
        ];
        for (globs, is_wanted) in asked.into_iter().filter(|(globs, _)| !globs.is_empty()) {
            let picked = globs.picked(profile);
            let mut seen: HashMap<StackHash, Seen, FixedState> = HashMap::default();
            for sample in profile.samples.iter().filter(|sample| sample.count != 0) {
                let seen = seen.entry(shape_of(sample.key.stack)).or_default();
                match picked[sample.key.input.index()] {
                    true => seen.inside = true,
                    false => seen.outside = true,
                }
            }
            for (kept, sample) in kept.iter_mut().zip(&profile.samples) {
                let seen = seen.get(&shape_of(sample.key.stack)).copied().unwrap_or_default();
                *kept &= is_wanted(seen);
            }
        }
        Ok(Some(kept))
    }
}
