//! Every file of `testdata/` against what was counted without stackgazer (`expect.json`).

use crate::document::{Document, counts};
use crate::sandbox::{stackgazer, testdata};
use serde_json::Value;

#[test]
fn tracebacks_give_what_was_counted() {
    check_folder("traceback");
}

#[test]
fn count_profiles_give_what_was_counted() {
    check_folder("count");
}

#[test]
fn protos_give_what_was_counted() {
    check_folder("pprof");
}

#[test]
fn logs_give_what_was_counted() {
    check_folder("log");
}

#[test]
fn every_process_of_the_bundle_is_counted_once() {
    let expected = read_expectations("bundle.expect.json");
    let bundle = testdata("bundle.zip");
    let run = stackgazer(["export".as_ref(), "-o".as_ref(), "json".as_ref(), bundle.as_os_str()]);
    let document = Document::new(run.quiet().json());
    let expected = expected.as_object().expect("an object");
    assert_eq!(document.inputs().len(), expected.len());
    for (member, expected) in expected {
        let input = document.inputs().iter().find(|input| {
            input["path"].as_str().is_some_and(|path| path.ends_with(member.as_str()))
        });
        let input = input.unwrap_or_else(|| panic!("{member} isn't among the inputs"));
        assert_eq!(input["goroutines"], expected["goroutines"], "{member}");
        assert_eq!(input["complete"], true, "{member}");
        let node = member.split('/').nth(2).expect("shop/nodes/N/stacks.txt");
        assert_eq!(input["labels"]["node"], node, "{member}");
        let mut part = document.clone();
        part.goroutines.retain(|one| one.input == input["name"]);
        assert_eq!(part.states(), counts(&expected["states"]), "{member}");
        let longest = part.goroutines.iter().filter_map(|one| one.wait).fold(0.0, f64::max);
        assert_eq!(Some(longest), expected["longest"].as_f64(), "{member}");
    }
}

fn read_expectations(name: &str) -> Value {
    let text = std::fs::read_to_string(testdata(name)).expect("expectations");
    serde_json::from_str(&text).expect("JSON")
}

fn check_folder(folder: &str) {
    let expected = read_expectations(&format!("{folder}/expect.json"));
    let mut wrong = Vec::new();
    for (name, expected) in expected.as_object().expect("an object") {
        let path = testdata(folder).join(name);
        let run = stackgazer(["export".as_ref(), "-o".as_ref(), "json".as_ref(), path.as_os_str()]);
        if run.code != Some(0) {
            wrong.push(format!("{name}: exit code {:?}, {}", run.code, run.stderr));
            continue;
        }
        let document = Document::new(run.json());
        // GOTRACEBACK=crash prints goroutine 0 once for each thread: said, and nothing lost.
        // Up to Go 1.22 the value of a panic stands in the first column, so a header in it is doubted.
        let doubted = name == "go1.21.13.panic.txt";
        let is_harmless =
            |kind: &&str| *kind == "repeated-id" || doubted && *kind == "unread-header";
        if !document.warnings().iter().all(is_harmless) {
            wrong.push(format!("{name}: {}", run.stderr));
        }
        compare(name, &document, expected, &mut wrong);
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn compare(name: &str, document: &Document, expected: &Value, wrong: &mut Vec<String>) {
    let mut check = |what: &str, found: Value, expected: Value| {
        if found != expected {
            wrong.push(format!("{name}: {what} is {found}, expected {expected}"));
        }
    };
    let first = document.inputs()[0].clone();
    check("goroutines", document.count().into(), expected["goroutines"].clone());
    check("total", document.total().into(), expected["goroutines"].clone());
    check("format", first["format"].clone(), expected["format"].clone());
    check("complete", first["complete"].clone(), (name != "go1.21.13.panic.txt").into());
    if let Some(announced) = expected.get("announced") {
        check("announced", first["announced"].clone(), announced.clone());
    }
    let with_zero = |value: &Value| serde_json::to_value(counts(value)).expect("JSON");
    let found = |map| serde_json::to_value(map).expect("JSON");
    check("labels", found(document.labels()), with_zero(&expected["labels"]));
    if expected.get("states").is_some() {
        check("states", found(document.states()), with_zero(&expected["states"]));
        let mut flags = document.flags();
        let unavailable = flags.remove("unavailable").unwrap_or_default();
        check("unavailable", unavailable.into(), expected["unavailable"].clone());
        check("flags", found(flags), with_zero(&expected["flags"]));
        let elided = document.goroutines.iter().filter(|one| one.elided.is_some()).count();
        check("elided", elided.into(), expected["elided"].clone());
        let ancestors: usize = document.goroutines.iter().map(|one| one.ancestors.len()).sum();
        check("ancestors", ancestors.into(), expected["ancestors"].clone());
    }
    let crash = &first["crash"];
    match expected.get("crash") {
        None => check("crash", crash.clone(), Value::Null),
        Some(expected) => {
            check("crash kind", crash["kind"].clone(), expected["kind"].clone());
            let text = crash["text"].as_str().unwrap_or_default();
            let start = expected["text"].as_str().expect("a text");
            check("crash text", text.starts_with(start).into(), true.into());
            if let Some(running) = expected.get("running_tests") {
                let tests = crash["running_tests"].as_array().map_or(0, Vec::len);
                check("running tests", tests.into(), running.clone());
            }
        }
    }
}
