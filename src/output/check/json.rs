//! `stackgazer.check/1`

use super::Shown;
use crate::leak::{Done, Fact, Finding, Level, Place, Review};
use crate::output::ndjson::line;
use crate::view::inputs::{Inputs, Unread};
use serde::{Serialize, Serializer};
use std::collections::BTreeMap;
use std::io::{self, Write};

const SCHEMA: &str = "stackgazer.check/1";

#[derive(Serialize)]
struct Document<'a> {
    schema: &'static str,
    inputs: Inputs<'a>,
    #[serde(flatten)]
    unread: Unread<'a>,
    points: &'a [String],
    totals: &'a [i64],
    verdict: &'static str,
    fail_on: &'static str,
    errors: usize,
    warnings: usize,
    notes: usize,
    suppressed: usize,
    /// Findings that the built-in catalogue took out.
    suppressed_built_in: usize,
    /// What was asked for and isn't there.
    unmatched: &'a [String],
    /// Why the inputs can't be judged.
    blind: &'a [String],
    /// What the inputs can't prove.
    unproven: &'a [String],
    checks: Vec<CheckRow>,
    /// Absent where findings have lines of their own.
    #[serde(skip_serializing_if = "Option::is_none")]
    findings: Option<Vec<FindingRow<'a>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    built_in: Option<Vec<FindingRow<'a>>>,
}

#[derive(Serialize)]
struct CheckRow {
    check: &'static str,
    findings: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    skipped: Option<&'static str>,
}

#[derive(Serialize)]
struct FindingRow<'a> {
    check: &'static str,
    level: &'static str,
    tier: &'static str,
    score: f64,
    #[serde(skip_serializing_if = "str::is_empty")]
    category: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    name: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    shape: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    function: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    place: Option<PlaceRow<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    created_by: Option<PlaceRow<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    kind: Option<&'a str>,
    counts: &'a [i64],
    found: i64,
    inputs: &'a [String],
    processes: Vec<ProcessRow<'a>>,
    facts: BTreeMap<&'a str, FactValue<'a>>,
    text: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    suppressed: Option<SuppressionRow<'a>>,
    frames: Vec<PlaceRow<'a>>,
}

#[derive(Serialize)]
struct PlaceRow<'a> {
    func: &'a str,
    file: &'a str,
    line: i64,
}

impl<'a> PlaceRow<'a> {
    fn of(place: &'a Place) -> PlaceRow<'a> {
        PlaceRow { func: &place.func, file: &place.file, line: place.line }
    }
}

#[derive(Serialize)]
struct ProcessRow<'a> {
    name: &'a str,
    count: i64,
}

#[derive(Serialize)]
struct SuppressionRow<'a> {
    source: &'a str,
    reason: &'a str,
}

/// A fact as JSON.
pub(in crate::output) struct FactValue<'a>(pub(in crate::output) &'a Fact);

impl Serialize for FactValue<'_> {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Fact::Number(number) => out.serialize_i64(*number),
            // JSON has no infinities.
            Fact::Real(real) if !real.is_finite() => out.serialize_none(),
            Fact::Real(real) => out.serialize_f64(*real),
            Fact::Text(text) => out.serialize_str(text),
        }
    }
}

/// Writes the document.
pub(super) fn write(shown: &Shown<'_>, out: &mut dyn Write) -> io::Result<()> {
    let findings = shown.findings().map(finding).collect();
    serde_json::to_writer(&mut *out, &document(shown, Some(findings)))?;
    out.write_all(b"\n")
}

/// Writes the same in lines: one of type `inputs`, then one for each `finding`, and
/// where they were asked for one for each that the `built_in` catalogue takes out.
pub(super) fn lines(shown: &Shown<'_>, out: &mut dyn Write) -> io::Result<()> {
    line(out, "inputs", &document(shown, None))?;
    shown.findings().try_for_each(|one| line(out, "finding", &finding(one)))?;
    let explained = shown.review.explained.iter().filter(|_| shown.suppressed);
    let mut explained = explained;
    explained.try_for_each(|one| line(out, "built_in", &finding(one)))
}

fn document<'a>(shown: &Shown<'a>, findings: Option<Vec<FindingRow<'a>>>) -> Document<'a> {
    let review: &Review = shown.review;
    Document {
        schema: SCHEMA,
        inputs: Inputs(shown.profile),
        unread: Unread::of(shown.profile),
        points: &review.points,
        totals: &review.totals,
        verdict: if review.verdict() { "pass" } else { "fail" },
        fail_on: review.fail_on.name(),
        errors: review.of_level(Level::Error),
        warnings: review.of_level(Level::Warning),
        notes: review.of_level(Level::Note),
        suppressed: review.findings.iter().filter(|one| one.suppressed.is_some()).count(),
        suppressed_built_in: review.explained.len(),
        unmatched: &review.unmatched,
        blind: &review.blind,
        unproven: &review.unproven,
        checks: review.checks.iter().map(check).collect(),
        built_in: (shown.suppressed && findings.is_some())
            .then(|| review.explained.iter().map(finding).collect()),
        findings,
    }
}

fn check(done: &Done) -> CheckRow {
    CheckRow { check: done.check, findings: done.findings, skipped: done.skipped }
}

fn finding(finding: &Finding) -> FindingRow<'_> {
    FindingRow {
        check: finding.check,
        level: finding.level.name(),
        tier: finding.tier.name(),
        score: finding.score,
        category: &finding.category,
        name: &finding.name,
        shape: &finding.shape,
        function: finding.function.as_ref().map(|place| place.func.as_str()),
        place: finding.function.as_ref().map(PlaceRow::of),
        created_by: finding.created_by.as_ref().map(PlaceRow::of),
        kind: finding.kind.as_deref(),
        counts: &finding.counts,
        found: finding.found,
        inputs: &finding.inputs,
        processes: finding
            .processes
            .iter()
            .map(|(name, count)| ProcessRow { name, count: *count })
            .collect(),
        facts: finding.facts.iter().map(|(key, fact)| (key.as_str(), FactValue(fact))).collect(),
        text: &finding.text,
        suppressed: finding
            .suppressed
            .as_ref()
            .map(|one| SuppressionRow { source: &one.source, reason: &one.reason }),
        frames: finding.frames.iter().map(PlaceRow::of).collect(),
    }
}
