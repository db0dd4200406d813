//! `stackgazer.check/1`

use super::Shown;
use crate::leak::{Finding, Level};
use crate::output::document::{self, Document, line, without_null};
use serde_json::{Value, json};
use std::io::{self, Write};

const SCHEMA: &str = "stackgazer.check/1";

/// Writes the document.
pub(super) fn write(shown: &Shown<'_>, out: &mut dyn Write) -> io::Result<()> {
    document::write(&document(shown, Some(shown.findings().collect())), out)
}

/// Writes lines: one of type `inputs`, then one for each `finding`, and where they were asked for one
/// for each that the `built_in` catalogue takes out.
pub(super) fn lines(shown: &Shown<'_>, out: &mut dyn Write) -> io::Result<()> {
    line(out, "inputs", &document(shown, None))?;
    shown.findings().try_for_each(|one| line(out, "finding", one))?;
    let mut explained = shown.review.explained.iter().filter(|_| shown.suppressed);
    explained.try_for_each(|one| line(out, "built_in", one))
}

/// Without findings where they have lines of their own.
fn document<'a>(shown: &Shown<'a>, findings: Option<Vec<&Finding>>) -> Document<'a, Value> {
    let review = shown.review;
    let built_in = findings.as_ref().filter(|_| shown.suppressed).map(|_| &review.explained);
    let own = json!({
        "points": review.points,
        "totals": review.totals,
        "verdict": if review.verdict() { "pass" } else { "fail" },
        "fail_on": review.fail_on,
        "errors": review.of_level(Level::Error),
        "warnings": review.of_level(Level::Warning),
        "notes": review.of_level(Level::Note),
        "suppressed": review.findings.iter().filter(|one| one.suppressed.is_some()).count(),
        // Findings that the built-in catalogue took out.
        "suppressed_built_in": review.explained.len(),
        // What was asked for and isn't there.
        "unmatched": review.unmatched,
        // Why the inputs can't be judged.
        "blind": review.blind,
        // What the inputs can't prove.
        "unproven": review.unproven,
        "checks": review.checks,
        "findings": findings,
        "built_in": built_in,
    });
    Document::new(SCHEMA, shown.profile, without_null(own, &["findings", "built_in"]))
}
