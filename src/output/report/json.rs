//! `stackgazer.check/1`

use super::Report;
use crate::leak::{Fact, Finding, Place};
use crate::view::inputs::Inputs;
use serde::{Serialize, Serializer};
use std::collections::BTreeMap;
use std::io::{self, Write};

const SCHEMA: &str = "stackgazer.check/1";

#[derive(Serialize)]
struct Document<'a> {
    schema: &'static str,
    inputs: Inputs<'a>,
    points: &'a [String],
    totals: &'a [i64],
    verdict: &'static str,
    fail_on: &'static str,
    problems: &'a [String],
    notes: &'a [String],
    checks: Vec<CheckRow<'a>>,
    findings: Vec<FindingRow<'a>>,
}

#[derive(Serialize)]
struct CheckRow<'a> {
    name: &'a str,
    /// Open findings of it.
    findings: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    not_run: Option<&'a str>,
}

#[derive(Serialize)]
struct FindingRow<'a> {
    check: &'a str,
    level: &'static str,
    tier: &'static str,
    score: Option<f64>,
    category: &'a str,
    name: &'a str,
    shape: &'a str,
    function: Option<&'a str>,
    place: Option<PlaceRow<'a>>,
    created_by: Option<PlaceRow<'a>>,
    kind: Option<&'a str>,
    counts: &'a [i64],
    inputs: &'a [String],
    frames: Vec<PlaceRow<'a>>,
    facts: BTreeMap<&'a str, FactValue<'a>>,
    text: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    suppressed: Option<SuppressedRow<'a>>,
}

#[derive(Serialize)]
struct PlaceRow<'a> {
    func: &'a str,
    file: &'a str,
    line: i64,
}

#[derive(Serialize)]
struct SuppressedRow<'a> {
    source: &'a str,
    reason: &'a str,
}

/// A fact as JSON; a number that JSON doesn't have is null.
pub(super) struct FactValue<'a>(pub(super) &'a Fact);

impl Serialize for FactValue<'_> {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Fact::Number(number) => out.serialize_i64(*number),
            Fact::Real(real) if real.is_finite() => out.serialize_f64(*real),
            Fact::Real(_) => out.serialize_none(),
            Fact::Text(text) => out.serialize_str(text),
        }
    }
}

impl<'a> PlaceRow<'a> {
    fn new(place: &'a Place) -> PlaceRow<'a> {
        PlaceRow { func: &place.func, file: &place.file, line: place.line }
    }
}

impl<'a> FindingRow<'a> {
    fn new(finding: &'a Finding) -> FindingRow<'a> {
        FindingRow {
            check: finding.check,
            level: finding.level.name(),
            tier: finding.tier.name(),
            score: Some(finding.score).filter(|score| score.is_finite()),
            category: &finding.category,
            name: &finding.name,
            shape: &finding.shape,
            function: finding.function.as_ref().map(|place| place.func.as_str()),
            place: finding.function.as_ref().map(PlaceRow::new),
            created_by: finding.created_by.as_ref().map(PlaceRow::new),
            kind: finding.kind.as_deref(),
            counts: &finding.counts,
            inputs: &finding.inputs,
            frames: finding.frames.iter().map(PlaceRow::new).collect(),
            facts: finding
                .facts
                .iter()
                .map(|(key, fact)| (key.as_str(), FactValue(fact)))
                .collect(),
            text: &finding.text,
            suppressed: finding
                .suppressed
                .as_ref()
                .map(|by| SuppressedRow { source: &by.source, reason: &by.reason }),
        }
    }
}

/// Writes the document.
pub(super) fn write(report: &Report<'_>, out: &mut dyn Write) -> io::Result<()> {
    let document = Document {
        schema: SCHEMA,
        inputs: Inputs(report.profile),
        points: report.points,
        totals: report.totals,
        verdict: report.verdict.name(),
        fail_on: report.fail_on.name(),
        problems: report.problems,
        notes: report.notes,
        checks: report
            .checks
            .iter()
            .map(|check| CheckRow {
                name: check.name,
                findings: report.open().filter(|finding| finding.check == check.name).count(),
                not_run: check.not_run.as_deref(),
            })
            .collect(),
        findings: report.findings.iter().map(FindingRow::new).collect(),
    };
    serde_json::to_writer(&mut *out, &document)?;
    out.write_all(b"\n")
}

#[cfg(test)]
mod tests {
    use super::super::sample::Sample;
    use super::*;
    use serde_json::{Value, json};

    fn document(report: &Report<'_>) -> Value {
        let mut bytes = Vec::new();
        write(report, &mut bytes).unwrap();
        serde_json::from_slice(&bytes).unwrap()
    }

    #[test]
    fn findings_carry_their_evidence() {
        let sample = Sample::new();
        let document = document(&sample.report());
        assert_eq!(document["schema"], "stackgazer.check/1");
        assert_eq!(document["verdict"], "fail");
        assert_eq!(document["totals"], json!([10, 20]));
        let first = &document["findings"][0];
        assert_eq!(first["check"], "growth");
        assert_eq!(first["level"], "error");
        assert_eq!(first["function"], "example.com/shop/queue.Push");
        assert_eq!(first["place"]["line"], 9);
        assert_eq!(first["counts"], json!([3, 9]));
        assert_eq!(first["facts"], json!({"added": 6, "share": 0.5, "states": "chan send"}));
        assert_eq!(first.get("suppressed"), None);
        assert_eq!(document["findings"][2]["suppressed"]["reason"], "warms up");
        assert_eq!(document["checks"][0], json!({"name": "growth", "findings": 1}));
    }

    #[test]
    fn numbers_that_json_does_not_have_are_null() {
        let mut sample = Sample::new();
        sample.findings[0].score = f64::INFINITY;
        sample.findings[0].facts.insert("slope".into(), Fact::Real(f64::NAN));
        let document = document(&sample.report());
        assert_eq!(document["findings"][0]["score"], Value::Null);
        assert_eq!(document["findings"][0]["facts"]["slope"], Value::Null);
    }
}
