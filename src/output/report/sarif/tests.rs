//! SARIF as services need it: valid, and with the fields that they show.

use super::super::sample::Sample;
use super::*;
use crate::leak::Counts;
use serde_json::{Value, json};

fn log(report: &Report<'_>) -> Value {
    let mut bytes = Vec::new();
    write(report, &mut bytes).unwrap();
    let log: Value = serde_json::from_slice(&bytes).unwrap();
    valid(&log);
    log
}

/// Fails if the log doesn't match the official schema.
#[track_caller]
fn valid(log: &Value) {
    let schema = include_str!("../../../../testdata/schemas/sarif-2.1.0-rtm.5.json");
    // One of its patterns has an extra bracket, which ECMAScript takes literally and Rust refuses.
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
    finding.stack = None;
    finding.counts = Counts::sum(1, []);
    finding.score = f64::NAN;
    sample.review.findings[1].stack = sample.stack("_cgo_wait");
    log(&sample.report());
}
