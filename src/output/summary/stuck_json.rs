//! What looks stuck, in `stackgazer.summary/1`.

use super::{Shown, stuck};
use crate::output::json::{Count, Range};
use crate::verdict::StuckFact;
use serde::Serialize;

/// `verdict.stuck`
#[derive(Serialize)]
pub(super) struct StuckObject<'a> {
    about: &'static str,
    /// One sentence for people.
    text: String,
    goroutines: Count,
    kind: &'static str,
    function: &'a str,
    file: Option<&'a str>,
    line: Option<i64>,
    wait_minutes: Option<Range>,
    checks: &'a [&'static str],
    /// Who holds the lock.
    held: Option<&'a str>,
    /// A command that shows exactly these goroutines.
    command: Option<String>,
}

impl<'a> StuckObject<'a> {
    pub(super) fn of(fact: &'a StuckFact, shown: &Shown<'_>) -> StuckObject<'a> {
        StuckObject {
            about: fact.what.name(),
            text: stuck::sentence(fact, shown.profile.inputs.len()),
            goroutines: Count(fact.count),
            kind: fact.kind.name(),
            function: &fact.function,
            file: Some(fact.file.as_str()).filter(|file| !file.is_empty()),
            line: fact.line,
            wait_minutes: Range::of(&fact.waits),
            checks: &fact.checks,
            held: fact.held.as_deref(),
            command: shown.asked.command("filter", &fact.selecting),
        }
    }
}
