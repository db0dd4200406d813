//! A check, and phrases that most checks share.

use super::context::Context;
use super::finding::{Fact, FindingBuilder, Tier};

/// A check: its name, its meaning, and the function that runs it.
#[derive(Clone, Copy)]
pub struct Check {
    /// Its name on the command line, in JSON and in reports.
    pub name: &'static str,
    /// How strong its evidence is.
    pub tier: Tier,
    /// What it finds, in one line.
    pub about: &'static str,
    /// The text of `check --explain`.
    pub explanation: &'static str,
    /// Why it can't be run on these inputs; `None` if it can.
    pub(super) needs: fn(&Context<'_>) -> Option<&'static str>,
    pub(super) run: fn(&Context<'_>) -> Vec<FindingBuilder>,
}

impl std::fmt::Debug for Check {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_tuple("Check").field(&self.name).finish()
    }
}

/// For checks that can run on any input.
pub(super) fn nothing(_: &Context<'_>) -> Option<&'static str> {
    None
}

/// For checks that need a dump.
pub(super) fn a_dump(context: &Context<'_>) -> Option<&'static str> {
    context.dumps.is_empty().then_some("there is no dump, only goroutineleak profiles")
}

/// A number as a fact.
pub(super) fn number(number: i64) -> Fact {
    Fact::Number(number)
}

/// Words as a fact.
pub(super) fn words(text: impl Into<String>) -> Fact {
    Fact::Text(text.into())
}

/// `1 goroutine`, `12 goroutines`.
pub(super) fn goroutines(count: i64) -> String {
    match count {
        1 => "1 goroutine".to_owned(),
        count => format!("{count} goroutines"),
    }
}
