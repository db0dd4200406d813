//! The built-in rules.

use super::document::{Document, RuleChanges};
use super::list::RuleLists;

/// The rules themselves: TOML like that of any user.
const DEFAULT: Document<'_> = Document { name: "built-in", text: include_str!("default.toml") };

/// The built-in rules.
pub fn default_lists() -> RuleLists {
    read().expect("a test reads the built-in rules")
}

fn read() -> crate::error::Result<RuleLists> {
    let mut changes = RuleChanges::default();
    for (section, value) in DEFAULT.parse()?.get_ref() {
        changes.read_section(&DEFAULT, section.get_ref(), value)?;
    }
    let mut lists = RuleLists::default();
    changes.apply(&mut lists);
    Ok(lists)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::RuleSet;

    #[test]
    fn the_built_in_rules_can_be_used() {
        RuleSet::compile(&read().unwrap()).unwrap();
    }
}
