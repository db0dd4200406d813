//! SARIF 2.1.0, for code scanning.
//!
//! Every check is a rule, silent ones too, so that alerts close when they fall silent. What covers
//! a finding is a suppression, not a reason to leave it out.

use super::fingerprint::fingerprints;
use super::place::{Spot, spot};
use super::{Report, counts, title};
use crate::leak::{CHECKS, Check, Finding, Level, Place, Suppression, Tier};
use crate::output::check::json::FactValue;
use serde::Serialize;
use std::collections::BTreeMap;
use std::io::{self, Write};

const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";
/// The name that services give the root of the repository.
const ROOT: &str = "%SRCROOT%";

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Log<'a> {
    #[serde(rename = "$schema")]
    schema: &'static str,
    version: &'static str,
    runs: [Run<'a>; 1],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Run<'a> {
    tool: Tool<'a>,
    original_uri_base_ids: BTreeMap<&'static str, Described>,
    invocations: [Invocation<'a>; 1],
    column_kind: &'static str,
    results: Vec<Row<'a>>,
    properties: BTreeMap<&'static str, serde_json::Value>,
}

#[derive(Serialize)]
struct Described {
    description: Message<'static>,
}

#[derive(Serialize)]
struct Tool<'a> {
    driver: Driver<'a>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Driver<'a> {
    name: &'static str,
    version: &'static str,
    semantic_version: &'static str,
    rules: Vec<Rule<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Rule<'a> {
    id: &'a str,
    short_description: Message<'a>,
    full_description: Message<'a>,
    help: Message<'a>,
    default_configuration: Configuration,
    properties: Tags,
}

#[derive(Serialize)]
struct Configuration {
    level: &'static str,
}

#[derive(Serialize)]
struct Tags {
    tags: [&'static str; 3],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Invocation<'a> {
    execution_successful: bool,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tool_execution_notifications: Vec<Notification<'a>>,
}

#[derive(Serialize)]
struct Notification<'a> {
    level: &'static str,
    message: Message<'a>,
}

#[derive(Serialize)]
struct Message<'a> {
    text: std::borrow::Cow<'a, str>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Row<'a> {
    rule_id: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    rule_index: Option<usize>,
    level: &'static str,
    message: Message<'a>,
    locations: [Location<'a>; 1],
    #[serde(skip_serializing_if = "Vec::is_empty")]
    related_locations: Vec<Location<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    stacks: Vec<Stack<'a>>,
    partial_fingerprints: BTreeMap<&'static str, String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    occurrence_count: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    baseline_state: Option<&'static str>,
    suppressions: Vec<SuppressionRow>,
    properties: Properties<'a>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Location<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<u32>,
    physical_location: Physical,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    logical_locations: Vec<Logical<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<Message<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Physical {
    artifact_location: Artifact,
    #[serde(skip_serializing_if = "Option::is_none")]
    region: Option<Region>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Artifact {
    uri: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    uri_base_id: Option<&'static str>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Region {
    start_line: i64,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Logical<'a> {
    fully_qualified_name: &'a str,
    kind: &'static str,
}

#[derive(Serialize)]
struct Stack<'a> {
    message: Message<'a>,
    frames: Vec<Frame<'a>>,
}

#[derive(Serialize)]
struct Frame<'a> {
    location: Location<'a>,
}

#[derive(Serialize)]
struct SuppressionRow {
    kind: &'static str,
    status: &'static str,
    justification: String,
}

#[derive(Serialize)]
struct Properties<'a> {
    tier: &'static str,
    score: Option<f64>,
    category: &'a str,
    name: &'a str,
    shape: &'a str,
    counts: &'a [i64],
    inputs: &'a [String],
    facts: BTreeMap<&'a str, FactValue<'a>>,
}

/// Writes the log.
pub(super) fn write(report: &Report<'_>, out: &mut dyn Write) -> io::Result<()> {
    let version = env!("CARGO_PKG_VERSION");
    let review = report.review;
    let notifications = review
        .blind
        .iter()
        .map(|why| notification("error", why))
        .chain(review.unmatched.iter().map(|note| notification("note", note)))
        .chain(review.unproven.iter().map(|note| notification("note", note)));
    let root = Described { description: message("The root of the repository.") };
    let log = Log {
        schema: SCHEMA,
        version: "2.1.0",
        runs: [Run {
            tool: Tool {
                driver: Driver {
                    name: "stackgazer",
                    version,
                    semantic_version: version,
                    rules: CHECKS.iter().map(rule).collect(),
                },
            },
            original_uri_base_ids: BTreeMap::from([(ROOT, root)]),
            invocations: [Invocation {
                execution_successful: review.blind.is_empty(),
                tool_execution_notifications: notifications.collect(),
            }],
            column_kind: "utf16CodeUnits",
            results: review
                .findings
                .iter()
                .zip(fingerprints(&review.findings))
                .map(|(finding, fingerprint)| result(report, finding, fingerprint))
                .collect(),
            properties: BTreeMap::from([
                ("verdict", if review.verdict() { "pass" } else { "fail" }.into()),
                ("points", review.points.as_slice().into()),
                ("suppressedBuiltIn", review.explained.len().into()),
                ("totals", review.totals.as_slice().into()),
            ]),
        }],
    };
    serde_json::to_writer_pretty(&mut *out, &log)?;
    out.write_all(b"\n")
}

fn rule(check: &'static Check) -> Rule<'static> {
    Rule {
        id: check.name,
        short_description: message(check.about),
        full_description: message(flowing(
            check.explanation.split("\n\n").next().unwrap_or_default(),
        )),
        help: message(flowing(check.explanation)),
        default_configuration: Configuration { level: level(check.tier).name() },
        properties: Tags { tags: ["concurrency", "goroutine", "leak"] },
    }
}

/// Text that was wrapped for terminals with each paragraph on one line; lists and what is indented
/// stay as they are.
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

/// The level that findings of such evidence usually have; each carries its own.
fn level(tier: Tier) -> Level {
    match tier {
        Tier::Proof | Tier::Lifecycle => Level::Error,
        Tier::Growth => Level::Warning,
        Tier::Suspicion | Tier::Shape => Level::Note,
    }
}

fn result<'a>(report: &Report<'a>, finding: &'a Finding, fingerprint: String) -> Row<'a> {
    let function = finding.function.as_ref().map(|place| place.func.as_str());
    let creator = finding.created_by.as_ref().map(|creator| Location {
        id: Some(1),
        message: Some(message("created here")),
        ..location(report, creator)
    });
    let stack = (!finding.frames.is_empty()).then(|| Stack {
        message: message(format!("{}, {} goroutines", title(finding), counts(&finding.counts))),
        frames: finding
            .frames
            .iter()
            .map(|frame| Frame { location: location(report, frame) })
            .collect(),
    });
    Row {
        rule_id: finding.check,
        rule_index: CHECKS.iter().position(|check| check.name == finding.check),
        level: finding.level.name(),
        message: message(report.sentence(finding)),
        locations: [Location {
            id: None,
            physical_location: physical(&spot(report, finding)),
            logical_locations: function.into_iter().map(logical).collect(),
            message: None,
        }],
        related_locations: creator.into_iter().collect(),
        stacks: stack.into_iter().collect(),
        // The second is the one that GitHub tells alerts apart by; without it GitHub makes one from
        // the text around the line, which moves.
        partial_fingerprints: BTreeMap::from([
            ("stackFingerprint/v1", fingerprint.clone()),
            ("primaryLocationLineHash", fingerprint),
        ]),
        occurrence_count: Some(finding.found).filter(|count| *count > 0),
        baseline_state: report.review.has_baseline.then_some(match &finding.suppressed {
            Some(by) if by.baseline => "unchanged",
            _ => "new",
        }),
        suppressions: finding.suppressed.iter().map(suppression).collect(),
        properties: Properties {
            tier: finding.tier.name(),
            score: Some(finding.score).filter(|score| score.is_finite()),
            category: &finding.category,
            name: &finding.name,
            shape: &finding.shape,
            counts: &finding.counts,
            inputs: &finding.inputs,
            facts: finding
                .facts
                .iter()
                .map(|(key, fact)| (key.as_str(), FactValue(fact)))
                .collect(),
        },
    }
}

fn suppression(by: &Suppression) -> SuppressionRow {
    SuppressionRow {
        kind: "external",
        status: "accepted",
        justification: format!("{} ({})", by.reason, by.source),
    }
}

fn location<'a>(report: &Report<'_>, place: &'a Place) -> Location<'a> {
    Location {
        id: None,
        physical_location: physical(&Spot::of(report, place)),
        logical_locations: vec![logical(&place.func)],
        message: None,
    }
}

fn physical(spot: &Spot) -> Physical {
    Physical {
        artifact_location: Artifact {
            uri: spot.uri(),
            uri_base_id: spot.in_workspace.then_some(ROOT),
        },
        region: spot.line.map(|start_line| Region { start_line }),
    }
}

fn logical(function: &str) -> Logical<'_> {
    Logical { fully_qualified_name: function, kind: "function" }
}

fn message<'a>(text: impl Into<std::borrow::Cow<'a, str>>) -> Message<'a> {
    Message { text: text.into() }
}

fn notification<'a>(level: &'static str, text: &'a str) -> Notification<'a> {
    Notification { level, message: message(text) }
}

#[cfg(test)]
mod tests;
