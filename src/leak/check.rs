//! What a check is, and what most of them say.

use super::context::Context;
use super::finding::{Fact, FindingBuilder, Tier};

/// A check: what it is called, what it means, and how it is done.
#[derive(Clone, Copy)]
pub struct Check {
    /// Its name on the command line, in JSON and in reports.
    pub name: &'static str,
    /// How strong its evidence is.
    pub tier: Tier,
    /// What it finds, in one line.
    pub about: &'static str,
    /// What `check --explain` says of it.
    pub explanation: &'static str,
    /// Why it can't be done on these inputs, if it can't.
    pub(super) needs: fn(&Context<'_>) -> Option<&'static str>,
    pub(super) run: fn(&Context<'_>) -> Vec<FindingBuilder>,
}

impl std::fmt::Debug for Check {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_tuple("Check").field(&self.name).finish()
    }
}

/// For checks that any input allows.
pub(super) fn nothing(_: &Context<'_>) -> Option<&'static str> {
    None
}

/// For checks of dumps.
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
