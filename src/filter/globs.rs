//! Inputs by name, as `--input` picks them: any of the plain globs, none of those with `!` in front.

use super::pattern::{Pattern, Patterns, split_negation};
use crate::error::{Error, Result};
use crate::profile::Profile;

/// The inputs that an option names.
#[derive(Clone, Debug, Default)]
pub struct InputGlobs {
    option: &'static str,
    any: Vec<(String, Pattern)>,
    none: Vec<(String, Pattern)>,
}

impl InputGlobs {
    /// Compiles the values of an option; commas have already been split. Errors point at the column.
    ///
    /// # Errors
    /// If one of them isn't a glob.
    pub fn compile(option: &'static str, values: &[String]) -> Result<InputGlobs> {
        let mut globs = InputGlobs { option, ..InputGlobs::default() };
        let mut patterns = Patterns::new();
        for whole in values {
            let (negated, text, column) = split_negation(option, whole)?;
            let glob = patterns.glob(text).map_err(|error| error.usage(option, whole, column))?;
            let list = if negated { &mut globs.none } else { &mut globs.any };
            list.push((text.to_owned(), glob));
        }
        Ok(globs)
    }

    /// Whether there are no globs.
    pub fn is_empty(&self) -> bool {
        self.any.is_empty() && self.none.is_empty()
    }

    /// By input: whether it is one of them. Without globs, all are.
    pub fn picked(&self, profile: &Profile) -> Vec<bool> {
        let holds = |list: &[(String, Pattern)], name: &str| {
            list.iter().any(|(_, glob)| glob.is_match(name.as_bytes()))
        };
        let picks = |name: &str| {
            (self.any.is_empty() || holds(&self.any, name)) && !holds(&self.none, name)
        };
        profile.inputs.iter().map(|input| picks(&input.name)).collect()
    }

    /// Fails if a glob matches no input: the result would be empty, and look like an answer.
    ///
    /// # Errors
    /// Names the glob, and an input that was possibly meant.
    pub fn check(&self, profile: &Profile) -> Result<()> {
        let names = || profile.inputs.iter().map(|input| input.name.as_str());
        let is_of_none =
            |(_, glob): &&(String, Pattern)| !names().any(|name| glob.is_match(name.as_bytes()));
        let Some((text, _)) = self.any.iter().chain(&self.none).find(is_of_none) else {
            return Ok(());
        };
        const SHOWN: usize = 8;
        let mut known: Vec<&str> = names().take(SHOWN).collect();
        known.dedup();
        let more = match profile.inputs.len().saturating_sub(SHOWN) {
            0 => String::new(),
            more => format!(", and {more} more"),
        };
        Err(Error::misuse(self.option, format!("no input is called {text:?}"))
            .advise(format!("the inputs are {}{more}", known.join(", "))))
    }
}
