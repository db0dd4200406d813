//! `stackgazer.check/1`

use super::Shown;
use crate::leak::{Finding, Level};
use crate::output::document::Document;
use crate::profile::Profile;
use serde::{Serialize, Serializer};
use serde_json::json;

const SCHEMA: &str = "stackgazer.check/1";

/// The document, with the findings that the built-in catalogue suppresses if they are wanted.
pub(super) fn document<'a>(shown: &Shown<'a>) -> Document<'a> {
    let review = shown.review;
    let own = json!({
        "points": review.points,
        "totals": review.totals,
        "verdict": if review.verdict() { "pass" } else { "fail" },
        "fail_on": review.fail_on,
        "errors": review.of_level(Level::Error),
        "warnings": review.of_level(Level::Warning),
        "notes": review.of_level(Level::Note),
        "suppressed": review.findings.iter().filter(|one| one.suppressed.is_some()).count(),
        // Findings that the built-in catalogue suppresses.
        "suppressed_built_in": review.explained.len(),
        // Requested things that don't exist, for instance a label that nothing carries.
        "unmatched": review.unmatched,
        // Why the inputs can't be judged.
        "blind": review.blind,
        // Limits of what the inputs can prove.
        "unproven": review.unproven,
        "checks": review.checks,
    });
    let document = Document::new(SCHEMA, shown.profile, own);
    let row = |finding| Row { frames: Frames { finding, profile: shown.profile }, finding };
    let document = document.list("findings", "finding", shown.findings().map(row));
    match shown.suppressed {
        true => document.list("built_in", "built_in", review.explained.iter().map(row)),
        false => document,
    }
}

/// A finding with its stack.
#[derive(Serialize)]
struct Row<'a> {
    #[serde(flatten)]
    finding: &'a Finding,
    /// The most frequent stack, leaf first.
    frames: Frames<'a>,
}

struct Frames<'a> {
    finding: &'a Finding,
    profile: &'a Profile,
}

impl Serialize for Frames<'_> {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        out.collect_seq(self.finding.frames(self.profile))
    }
}
