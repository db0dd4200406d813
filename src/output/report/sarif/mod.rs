//! SARIF 2.1.0, for code scanning.
//!
//! Every check is a rule, even one without findings, so alerts close when a check finds nothing any more.
//! Suppressed findings are included, with their suppression.

use super::fingerprint::fingerprints;
use super::place::{Spot, spot};
use super::{Report, title};
use crate::leak::{CHECKS, Check, Finding, Level, SourceLocation, Suppression, Tier};
use crate::output::check::series;
use crate::output::document::without_null;
use crate::output::markdown::plain;
use crate::view::rows::Origin;
use serde::{Serialize, Serializer};
use serde_json::{Value, json};
use std::io::{self, Write};

const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";
/// The name that services use for the root of the repository.
const ROOT: &str = "%SRCROOT%";
/// Counts of more points aren't listed: many findings of a long series would have a line for each.
const POINTS: usize = 100;

/// Writes the log.
pub(super) fn write(report: &Report<'_>, out: &mut dyn Write) -> io::Result<()> {
    let version = env!("CARGO_PKG_VERSION");
    let review = report.review;
    let errors = review.blind.iter().map(|why| notification("error", why));
    let notes = review.unmatched.iter().chain(&review.unproven);
    let notifications: Vec<Value> =
        errors.chain(notes.map(|note| notification("note", note))).collect();
    let invocation = json!({
        "executionSuccessful": review.blind.is_empty(),
        "toolExecutionNotifications": non_empty(notifications),
    });
    let fingerprints = fingerprints(&review.findings);
    let results = || {
        let results = review.findings.iter().zip(&fingerprints);
        results.map(|(finding, fingerprint)| result(report, finding, fingerprint))
    };
    let run = Run {
        tool: json!({"driver": {
            "name": "stackgazer",
            "version": version,
            "semanticVersion": version,
            "rules": CHECKS.iter().map(rule).collect::<Vec<_>>(),
        }}),
        original_uri_base_ids: json!({ROOT: {"description": text("The root of the repository.")}}),
        invocations: [without_null(invocation, &["toolExecutionNotifications"])],
        column_kind: "utf16CodeUnits",
        results: List(results),
        properties: json!({
            "points": review.points,
            "suppressedBuiltIn": review.explained.len(),
            "totals": review.totals,
            "verdict": if review.verdict() { "pass" } else { "fail" },
        }),
    };
    let log = Log { schema: SCHEMA, version: "2.1.0", runs: [run] };
    serde_json::to_writer_pretty(&mut *out, &log)?;
    out.write_all(b"\n")
}

#[derive(Serialize)]
struct Log<R: Serialize> {
    #[serde(rename = "$schema")]
    schema: &'static str,
    version: &'static str,
    runs: [R; 1],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Run<R: Serialize> {
    tool: Value,
    original_uri_base_ids: Value,
    invocations: [Value; 1],
    column_kind: &'static str,
    results: R,
    properties: Value,
}

/// A finding; a SARIF result has its stack between what leads to it and what it is known by.
#[derive(Serialize)]
struct Row<S: Serialize> {
    #[serde(flatten)]
    before: Value,
    #[serde(skip_serializing_if = "Option::is_none")]
    stacks: Option<[S; 1]>,
    #[serde(flatten)]
    after: Value,
}

#[derive(Serialize)]
struct Stack<F: Serialize> {
    message: Value,
    frames: F,
}

/// A list of which each member is made when it is written: a result takes 12 KB of memory, and a log
/// may hold a hundred thousand crashes; a frame takes 4 KB, and a stack may have a million.
struct List<F>(F);

impl<I: Iterator<Item: Serialize>, F: Fn() -> I> Serialize for List<F> {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        out.collect_seq((self.0)())
    }
}

/// A list, or `None` if it is empty.
fn non_empty(list: Vec<Value>) -> Option<Vec<Value>> {
    Some(list).filter(|list| !list.is_empty())
}

fn rule(check: &'static Check) -> Value {
    let first = check.explanation.split("\n\n").next().unwrap_or_default();
    json!({
        "id": check.name,
        "shortDescription": text(check.about),
        "fullDescription": text(&flowing(first)),
        "help": text(&flowing(check.explanation)),
        "defaultConfiguration": {"level": level(check.tier)},
        "properties": {"tags": ["concurrency", "goroutine", "leak"]},
    })
}

/// Joins the lines of each paragraph, which are wrapped for terminals; lists and indented lines stay as
/// they are.
fn flowing(text: &str) -> String {
    let mut flowing = String::with_capacity(text.len());
    let mut fixed = true;
    for line in text.lines() {
        let starts = line.is_empty() || line.starts_with([' ', '-']);
        if !flowing.is_empty() {
            flowing.push(if starts || fixed { '\n' } else { ' ' });
        }
        fixed = line.is_empty() || line.starts_with(' ');
        flowing.push_str(line);
    }
    flowing
}

/// The usual level of findings with this evidence; each finding also has its own level.
fn level(tier: Tier) -> Level {
    match tier {
        Tier::Proof | Tier::Lifecycle => Level::Error,
        Tier::Growth => Level::Warning,
        Tier::Suspicion | Tier::Shape => Level::Note,
    }
}

fn result(report: &Report<'_>, finding: &Finding, fingerprint: &str) -> impl Serialize {
    let function = finding.function.as_ref().map(|place| place.func.as_str());
    let creator = finding.created_by.as_ref().map(|creator| {
        let place = Spot::of(report, creator);
        location(Some(1), &place, Some(&creator.func), Some("created here"))
    });
    let frames = finding.frames(report.profile);
    let frame = move |frame: SourceLocation| json!({"location": location(None, &Spot::of(report, &frame), Some(&frame.func), None)});
    let stacks = (frames.len() > 0).then(|| {
        let about = format!("{}, {} goroutines", title(finding), series(&finding.counts));
        [Stack { message: text(&about), frames: List(move || frames.clone().map(frame)) }]
    });
    // Of very many points the message has the first and the last ones.
    let counts = (finding.counts.points() <= POINTS).then_some(&finding.counts);
    let state = report.review.has_baseline.then_some(match &finding.suppressed {
        Some(by) if by.baseline => "unchanged",
        _ => "new",
    });
    let before = json!({
        "ruleId": finding.check,
        "ruleIndex": CHECKS.iter().position(|check| check.name == finding.check),
        "level": finding.level,
        "message": message(report, finding),
        "locations": [location(None, &spot(report, finding), function, None)],
        "relatedLocations": non_empty(creator.into_iter().collect()),
    });
    let after = json!({
        // GitHub distinguishes alerts by the first one; without it GitHub hashes the text around the line,
        // which moves.
        "partialFingerprints": {
            "primaryLocationLineHash": fingerprint,
            "stackFingerprint/v1": fingerprint,
        },
        "occurrenceCount": Some(finding.found).filter(|count| *count > 0),
        "baselineState": state,
        "suppressions": finding.suppressed.iter().map(suppression).collect::<Vec<_>>(),
        "properties": without_null(json!({
            "tier": finding.tier,
            "score": finding.score,
            "category": finding.category,
            "name": finding.name,
            "shape": finding.shape,
            "counts": counts,
            "inputs": finding.inputs,
            "facts": finding.facts,
        }), &["counts"]),
    });
    let optional = ["ruleIndex", "relatedLocations", "occurrenceCount", "baselineState"];
    Row { before: without_null(before, &optional), stacks, after: without_null(after, &optional) }
}

fn suppression(by: &Suppression) -> Value {
    json!({
        "kind": "external",
        "status": "accepted",
        "justification": format!("{} ({})", by.reason, by.source),
    })
}

fn location(id: Option<u32>, spot: &Spot, function: Option<&str>, message: Option<&str>) -> Value {
    let file = json!({"uri": spot.uri(), "uriBaseId": spot.in_workspace.then_some(ROOT)});
    let physical = json!({
        "artifactLocation": without_null(file, &["uriBaseId"]),
        "region": spot.line.map(|line| json!({"startLine": line})),
    });
    let logical = |name| json!({"fullyQualifiedName": name, "kind": "function"});
    let location = json!({
        "id": id,
        "physicalLocation": without_null(physical, &["region"]),
        "logicalLocations": non_empty(function.into_iter().map(logical).collect()),
        "message": message.map(text),
        "properties": (spot.origin != Origin::default()).then_some(&spot.origin),
    });
    without_null(location, &["id", "logicalLocations", "message", "properties"])
}

/// The sentence of a finding, with a link to the source if that is in another module. The link isn't a
/// location: services expect those to be files of the repository.
fn message(report: &Report<'_>, finding: &Finding) -> Value {
    let sentence = report.sentence(finding);
    let blocked = finding.function.as_ref().map(|place| Spot::of(report, place));
    match blocked.filter(|spot| !spot.in_workspace).and_then(|spot| spot.origin.source) {
        Some(source) => {
            json!({"text": sentence, "markdown": format!("{} ([source]({source}))", plain(&sentence))})
        }
        None => text(&sentence),
    }
}

fn text(text: &str) -> Value {
    json!({"text": text})
}

fn notification(level: &str, note: &str) -> Value {
    json!({"level": level, "message": text(note)})
}

#[cfg(test)]
mod tests;
