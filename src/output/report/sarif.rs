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
        message: message(finding.text.as_str()),
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
        occurrence_count: finding.counts.last().copied().filter(|count| *count > 0),
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
mod tests {
    use super::super::sample::Sample;
    use super::*;
    use serde_json::{Value, json};

    fn log(report: &Report<'_>) -> Value {
        let mut bytes = Vec::new();
        write(report, &mut bytes).unwrap();
        let log: Value = serde_json::from_slice(&bytes).unwrap();
        valid(&log);
        log
    }

    /// Fails where the log isn't what the official schema asks for.
    #[track_caller]
    fn valid(log: &Value) {
        let schema = include_str!("../../../testdata/schemas/sarif-2.1.0-rtm.5.json");
        // A bracket too many in it: a pattern that ECMAScript takes literally and Rust refuses.
        let schema = schema.replace("[a-zA-Z]{2}]?$", "[a-zA-Z]{2}$");
        let schema: Value = serde_json::from_str(&schema).unwrap();
        let validator = jsonschema::draft4::new(&schema).unwrap();
        let wrong: Vec<String> = validator
            .iter_errors(log)
            .map(|error| format!("{}: {error}", error.instance_path()))
            .collect();
        assert!(wrong.is_empty(), "{wrong:#?}");
    }

    #[test]
    #[should_panic(expected = "version")]
    fn the_schema_refuses_what_is_wrong() {
        valid(&json!({"version": "2.0", "runs": []}));
    }

    #[test]
    fn explanations_are_not_wrapped_for_a_terminal() {
        let wrapped = "One\ntwo.\n\nThree\nfour\n\n- a\nb\n- c\n\n  x = 1\n  y = 2\n\nend";
        let text = "One two.\n\nThree four\n\n- a b\n- c\n\n  x = 1\n  y = 2\n\nend";
        assert_eq!(flowing(wrapped), text);
    }

    #[test]
    fn every_check_is_a_rule_and_findings_point_at_theirs() {
        let sample = Sample::new();
        let log = log(&sample.report());
        let run = &log["runs"][0];
        let rules = run["tool"]["driver"]["rules"].as_array().unwrap();
        assert_eq!(rules.len(), CHECKS.len());
        let results = run["results"].as_array().unwrap();
        assert_eq!(results.len(), 3, "what is covered is there, too");
        for (finding, check) in results.iter().zip(["growth", "lock-pile-up", "growth"]) {
            assert_eq!(finding["ruleId"], check);
            let rule = &rules[finding["ruleIndex"].as_u64().unwrap() as usize];
            assert_eq!(rule["id"], check);
        }
        assert_eq!(results[1]["level"], "warning");
    }

    #[test]
    fn a_finding_has_its_place_its_creator_and_its_stack() {
        let sample = Sample::new();
        let log = log(&sample.report());
        let finding = &log["runs"][0]["results"][1];
        assert_eq!(
            finding["locations"][0]["physicalLocation"],
            json!({
                "artifactLocation": {"uri": "store/store.go", "uriBaseId": "%SRCROOT%"},
                "region": {"startLine": 40},
            })
        );
        let blocked = &finding["locations"][0]["logicalLocations"][0]["fullyQualifiedName"];
        assert_eq!(blocked, "gopkg.in/db.Lock");
        let related = &finding["relatedLocations"][0];
        assert_eq!(related["physicalLocation"]["artifactLocation"]["uri"], "main.go");
        assert_eq!(related["message"]["text"], "created here");
        let frames = finding["stacks"][0]["frames"].as_array().unwrap();
        assert_eq!(frames.len(), 3);
        assert_eq!(
            frames[1]["location"]["physicalLocation"]["artifactLocation"],
            json!({"uri": "gopkg.in/db@v1.2.3/db.go"})
        );
        assert_eq!(finding["occurrenceCount"], 9);
    }

    #[test]
    fn what_is_covered_is_suppressed() {
        let sample = Sample::new();
        let log = log(&sample.report());
        let results = &log["runs"][0]["results"];
        assert_eq!(results[0]["suppressions"], json!([]));
        let covered = &results[2]["suppressions"][0];
        assert_eq!(covered["kind"], "external");
        assert_eq!(covered["justification"], "warms up (leaks.toml)");
        assert_eq!(results[0].get("baselineState"), None);
    }

    #[test]
    fn with_a_baseline_every_finding_is_new_or_unchanged() {
        let mut sample = Sample::new();
        sample.review.has_baseline = true;
        let log = log(&sample.report());
        let results = log["runs"][0]["results"].as_array().unwrap();
        let states: Vec<_> = results.iter().map(|one| &one["baselineState"]).collect();
        assert_eq!(states, ["new", "new", "unchanged"]);
    }

    #[test]
    fn what_was_not_read_is_a_failed_run_with_a_notification() {
        let mut sample = Sample::new();
        sample.review.findings.clear();
        sample.review.blind = vec!["x: is empty".to_owned()];
        sample.review.unproven = vec!["one dump is no trend".to_owned()];
        let log = log(&sample.report());
        let run = &log["runs"][0];
        assert_eq!(run["results"], json!([]));
        let invocation = &run["invocations"][0];
        assert_eq!(invocation["executionSuccessful"], false);
        assert_eq!(
            invocation["toolExecutionNotifications"],
            json!([
                {"level": "error", "message": {"text": "x: is empty"}},
                {"level": "note", "message": {"text": "one dump is no trend"}},
            ])
        );
    }

    #[test]
    fn places_that_are_not_known_are_valid_too() {
        let mut sample = Sample::new();
        let finding = &mut sample.review.findings[0];
        finding.function = None;
        finding.created_by = None;
        finding.frames.clear();
        finding.counts = vec![0];
        finding.score = f64::NAN;
        for frame in &mut sample.review.findings[1].frames {
            frame.file = String::new();
            frame.line = 0;
        }
        log(&sample.report());
    }
}
