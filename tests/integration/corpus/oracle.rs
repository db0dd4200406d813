//! `oracle/manifest.json`: what the browser tool answers where it is right, reproduced.

use crate::document::{Document, Goroutine, list};
use crate::sandbox::{Ran, Sandbox, corpus};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Cases whose answer must differ, and why.
const EXCEPTIONS: &[(&str, &str)] = &[
    ("edge-empty_txt", "it answers with nothing for input it doesn't know; here that is an error"),
    ("edge-blank_txt", "it answers with nothing for input it doesn't know; here that is an error"),
    ("edge-noise_txt", "it answers with nothing for input it doesn't know; here that is an error"),
    (
        "zip-none-defaults",
        "it answers with nothing for input it doesn't know; here that is an error",
    ),
];

fn cases(kind: &str) -> Vec<(Value, PathBuf)> {
    let folder = corpus();
    let folder = folder.join("oracle");
    let manifest = read(&folder.join("manifest.json"));
    let cases = list(&manifest["cases"]).iter().filter(|case| case["kind"] == kind);
    cases.map(|case| (case.clone(), folder.clone())).collect()
}

fn read(path: &Path) -> Value {
    serde_json::from_slice(&std::fs::read(path).expect("a file")).expect("JSON")
}

fn run(case: &Value, folder: &Path, command: &[&str]) -> Ran {
    let settings = folder.join(case["settings"].as_str().expect("settings"));
    let settings = settings.to_str().expect("UTF-8");
    let inputs: Vec<String> = list(&case["inputs"])
        .iter()
        .map(|input| folder.join(input.as_str().expect("a path")).display().to_string())
        .collect();
    let arguments = command.iter().copied();
    let arguments = arguments.chain(["--no-default-rules", "--config", settings]);
    Sandbox::new().run(arguments.chain(inputs.iter().map(String::as_str)))
}

/// The state as the browser tool shows it.
fn shown_state(state: &str) -> &str {
    match state {
        "sync.WaitGroup.Wait" | "sync.Cond.Wait" => "wait",
        "sync.Mutex.Lock" => "semacquire",
        state => state,
    }
}

/// What the browser tool leaves in the state: `chan receive (leaked) (durable)`.
fn without_decorations(state: &str) -> (String, Vec<String>) {
    let mut state = state.to_owned();
    let mut flags = Vec::new();
    for flag in ["durable", "scan", "leaked"] {
        if let Some(rest) = state.strip_suffix(&format!(" ({flag})")) {
            state = rest.to_owned();
            flags.push(flag.to_owned());
        }
    }
    (state, flags)
}

/// A group of goroutines with the same category, name, id, input, state and labels.
type Key = (String, String, String, String, String);
/// One goroutine: id, state, minutes, creator.
type Single = (String, String, i64, String);

/// What is compared: the number of goroutines of each group, and each goroutine.
type Groups = BTreeMap<Key, (i64, BTreeSet<Single>)>;

fn expected_groups(expected: &Value) -> Groups {
    let text = |value: &Value| value.as_str().expect("a text").to_owned();
    let mut groups = Groups::new();
    for category in list(&expected["categories"]) {
        for stack in list(&category["stacks"]) {
            for file in list(&stack["files"]) {
                for group in list(&file["groups"]) {
                    let singles: BTreeSet<Single> = list(&group["goroutines"])
                        .iter()
                        .map(|one| {
                            let wait = one["wait"].as_f64().unwrap_or_default() as i64;
                            let (state, _) =
                                without_decorations(one["state"].as_str().expect("a state"));
                            (text(&one["id"]), state, wait, text(&one["creator"]))
                        })
                        .collect();
                    let mut labels: Vec<String> = list(&group["labels"]).iter().map(text).collect();
                    let states = labels.iter().filter(|label| label.starts_with("state="));
                    let flags: Vec<String> =
                        states.flat_map(|state| without_decorations(state).1).collect();
                    // States of what is only counted are told by other rules here.
                    labels.retain(|label| !singles.is_empty() || !label.starts_with("state="));
                    labels = labels.iter().map(|label| without_decorations(label).0).collect();
                    labels.extend(flags);
                    labels.sort();
                    let key = (
                        text(&category["name"]),
                        text(&stack["name"]),
                        text(&stack["trace_id"]),
                        text(&file["name"]),
                        labels.join("|"),
                    );
                    let entry = groups.entry(key).or_default();
                    entry.0 += group["count"].as_i64().expect("a count");
                    entry.1.extend(singles);
                }
            }
        }
    }
    groups
}

fn found_groups(document: &Document) -> Groups {
    let several = document.inputs().len() > 1;
    let mut groups = Groups::new();
    for one in &document.goroutines {
        let id = |id: &str| match several {
            true => format!("{}.{id}", one.input),
            false => id.to_owned(),
        };
        let state = shown_state(one.state());
        let mut labels = shown_labels(one);
        // It doesn't say which goroutines are cut.
        labels.retain(|label| label != "truncated");
        if one.id.is_none() {
            // It takes a label named state for the state.
            labels.retain(|label| !label.starts_with("state="));
        }
        if one.id.is_some() {
            labels.push(format!("state={state}"));
        }
        labels.sort();
        let key = (
            one.category.clone(),
            one.name.clone(),
            one.stack.clone(),
            one.input.clone(),
            labels.join("|"),
        );
        let entry = groups.entry(key).or_default();
        entry.0 += one.count;
        if let Some(own) = &one.id {
            let wait = one.wait.unwrap_or_default() as i64;
            let creator = one.created_by.as_deref().map(id).unwrap_or_default();
            entry.1.insert((id(own), state.to_owned(), wait, creator));
        }
    }
    groups
}

fn shown_labels(one: &Goroutine) -> Vec<String> {
    let labels = one.labels.iter().map(|(key, value)| format!("{key}={value}"));
    labels.chain(one.flags.iter().cloned()).collect()
}

/// The first differences of two maps, for people.
fn differences<V: PartialEq + std::fmt::Debug>(
    found: &BTreeMap<Key, V>,
    expected: &BTreeMap<Key, V>,
) -> Vec<String> {
    let mut wrong = Vec::new();
    for (key, value) in expected {
        if found.get(key) != Some(value) {
            wrong.push(format!("expected {key:?}: {value:?}\n      found {:?}", found.get(key)));
        }
    }
    for (key, value) in found {
        if !expected.contains_key(key) {
            wrong.push(format!("nobody expects {key:?}: {value:?}"));
        }
    }
    let all = wrong.len();
    wrong.truncate(3);
    if all > 3 {
        wrong.push(format!("and {} more", all - 3));
    }
    wrong
}

fn is_proto(case: &Value) -> bool {
    let inputs = list(&case["inputs"]).iter().filter_map(Value::as_str);
    inputs.into_iter().any(|input| input.ends_with(".pb.gz"))
}

#[test]
#[ignore = "needs STACKGAZER_CORPUS"]
fn full_answers_are_reproduced() {
    let mut wrong = Vec::new();
    for (case, folder) in cases("full") {
        let name = case["case"].as_str().expect("a name");
        let expected = read(&folder.join(case["expected"].as_str().expect("a path")));
        let ran = run(&case, &folder, &["export", "-o", "json"]);
        if EXCEPTIONS.iter().any(|(exception, _)| *exception == name) {
            if ran.code != Some(2) {
                wrong.push(format!("{name}: code {:?}", ran.code));
            }
            continue;
        }
        if ran.code != Some(0) {
            wrong.push(format!("{name}: code {:?}: {}", ran.code, ran.stderr));
            continue;
        }
        let document = Document::new(ran.json());
        let differences = match is_proto(&case) && !name.starts_with("synth-prof3") {
            true => category_differences(&document, &expected),
            false => full_differences(&document, &expected),
        };
        if !differences.is_empty() {
            wrong.push(format!("{name}:\n   {}", differences.join("\n   ")));
        }
    }
    assert!(wrong.is_empty(), "{} cases\n{}", wrong.len(), wrong.join("\n"));
}

/// The browser tool hides other leading frames of protos than Go's own text does, so only the
/// totals by category can agree.
fn category_differences(document: &Document, expected: &Value) -> Vec<String> {
    let found = document.count_by(|one| vec![one.category.clone()]);
    let totals = list(&expected["categories"]).iter().map(|category| {
        let name = category["name"].as_str().expect("a name").to_owned();
        (name, category["total"].as_i64().expect("a total"))
    });
    let expected: BTreeMap<String, i64> = totals.collect();
    match found == expected {
        true => Vec::new(),
        false => vec![format!("categories {found:?}, expected {expected:?}")],
    }
}

fn full_differences(document: &Document, expected: &Value) -> Vec<String> {
    let mut wrong = differences(&found_groups(document), &expected_groups(expected));
    let names = |values: &[Value]| -> BTreeSet<String> {
        values.iter().filter_map(|value| value.as_str().map(str::to_owned)).collect()
    };
    let found: Vec<Value> = document.inputs().iter().map(|input| input["name"].clone()).collect();
    if names(&found) != names(list(&expected["file_names"])) {
        wrong.push(format!("inputs {found:?}, expected {}", expected["file_names"]));
    }
    for (key, value) in [("goroutines", document.total())] {
        if expected["totals"][key] != value {
            wrong.push(format!("{value} {key}, expected {}", expected["totals"][key]));
        }
    }
    // Frames after trimming.
    for category in list(&expected["categories"]) {
        for stack in list(&category["stacks"]) {
            let id = stack["trace_id"].as_str().expect("an id");
            let frames: Vec<Value> = list(&stack["trace"]).to_vec();
            let Some(one) = document.goroutines.iter().find(|one| one.stack == id) else {
                continue;
            };
            let found: Vec<Value> = one
                .frames
                .iter()
                .map(|(func, file, line)| serde_json::json!([func, file, line]))
                .collect();
            if found != frames {
                wrong.push(format!("frames of {id}: {found:?}, expected {frames:?}"));
            }
        }
    }
    wrong.truncate(6);
    wrong
}

#[test]
#[ignore = "needs STACKGAZER_CORPUS"]
fn names_and_counts_are_reproduced() {
    let mut wrong = Vec::new();
    for (case, folder) in cases("names") {
        let name = case["case"].as_str().expect("a name");
        let expected = read(&folder.join(case["expected"].as_str().expect("a path")));
        let ran = run(&case, &folder, &["export", "-o", "json"]);
        if EXCEPTIONS.iter().any(|(exception, _)| *exception == name) {
            if ran.code != Some(2) {
                wrong.push(format!("{name}: code {:?}", ran.code));
            }
            continue;
        }
        // Its pattern also picks files that are no dumps: an error here, and all others are read.
        let code = if name == "zip-nodes-patterns" { 2 } else { 0 };
        if ran.code != Some(code) {
            wrong.push(format!("{name}: code {:?}: {}", ran.code, ran.stderr));
            continue;
        }
        let document = Document::new(ran.json());
        let mut found = BTreeMap::new();
        for one in &document.goroutines {
            let file = one.input.clone();
            let key =
                (one.category.clone(), one.name.clone(), one.stack.clone(), file, String::new());
            *found.entry(key).or_insert(0) += one.count;
        }
        let text = |value: &Value| value.as_str().expect("a text").to_owned();
        let mut wanted = BTreeMap::new();
        for category in list(&expected["categories"]) {
            for stack in list(&category["stacks"]) {
                for file in list(&stack["files"]) {
                    let key = (
                        text(&category["name"]),
                        text(&stack["name"]),
                        text(&stack["trace_id"]),
                        text(&file[0]),
                        String::new(),
                    );
                    *wanted.entry(key).or_insert(0) += file[1].as_i64().expect("a count");
                }
            }
        }
        let differences = differences(&found, &wanted);
        if !differences.is_empty() {
            wrong.push(format!("{name}:\n   {}", differences.join("\n   ")));
        }
    }
    assert!(wrong.is_empty(), "{} cases\n{}", wrong.len(), wrong.join("\n"));
}

/// The flags that say what a filter of the browser tool says.
fn filter_flags(filter: &Value) -> Vec<String> {
    let mut flags = Vec::new();
    let mut flag = |name: &str, value: String| flags.extend([name.to_owned(), value]);
    if let Some(text) = filter["text"].as_str() {
        flag("--match", text.to_owned());
    }
    if let Some(query) = filter["query"].as_str() {
        flag("--query", query.to_owned());
    }
    if let Some(states) = filter["states"].as_array() {
        let states: Vec<&str> = states.iter().filter_map(Value::as_str).collect();
        // An empty set lets nothing through; a state that doesn't exist says so here.
        flag("--state", if states.is_empty() { "no state".to_owned() } else { states.join(",") });
    }
    match (filter["minWait"].as_i64(), filter["maxWait"].as_i64()) {
        (Some(min), Some(max)) => flag("--wait", format!("{min}-{max}")),
        (Some(min), None) => flag("--wait", format!("{min}+")),
        _ => {}
    }
    for file in list(&filter["excludedFiles"]) {
        flag("--input", format!("!{}", file.as_str().expect("a name")));
    }
    if let Some(id) = filter["forcedGoroutine"].as_str() {
        flag("--keep", format!("id == \"{id}\""));
    }
    for id in list(&filter["pins"]["goroutine"]) {
        flag("--keep", format!("id == {id}"));
    }
    for category in list(&filter["pins"]["category"]) {
        flag("--keep", format!("category == {category}"));
    }
    flags
}

#[test]
#[ignore = "needs STACKGAZER_CORPUS"]
fn filters_let_the_same_goroutines_through() {
    let mut wrong = Vec::new();
    for (case, folder) in cases("filter") {
        let name = case["case"].as_str().expect("a name");
        let expected = read(&folder.join(case["expected"].as_str().expect("a path")));
        let flags = filter_flags(&case["filter"]);
        let mut command = vec!["filter", "-o", "json"];
        command.extend(flags.iter().map(String::as_str));
        let ran = run(&case, &folder, &command);
        if ran.code != Some(0) {
            wrong.push(format!("{name} {flags:?}: code {:?}: {}", ran.code, ran.stderr));
            continue;
        }
        let document = Document::new(ran.json());
        let visible = expected["stats"]["goroutines_visible"].as_i64().expect("a number");
        if document.count() != visible {
            wrong.push(format!("{name} {flags:?}: {} instead of {visible}", document.count()));
        }
        let found: BTreeSet<String> = document
            .goroutines
            .iter()
            .filter_map(|one| one.id.as_ref().map(|id| format!("{}.{id}", one.input)))
            .collect();
        let mut wanted = BTreeSet::new();
        for category in list(&expected["categories"]) {
            for stack in list(&category["stacks"]) {
                for group in list(&stack["files"]).iter().flat_map(|file| list(&file["groups"])) {
                    let ids = list(&group["ids"]).iter().filter_map(Value::as_str);
                    wanted.extend(ids.map(str::to_owned));
                }
            }
        }
        if found != wanted {
            let (here, there) = (found.difference(&wanted), wanted.difference(&found));
            wrong.push(format!("{name}: {} too many, {} missing", here.count(), there.count()));
        }
    }
    assert!(wrong.is_empty(), "{} cases\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
#[ignore = "needs STACKGAZER_CORPUS"]
fn texts_have_the_shape_of_its_clipboard() {
    let folder = corpus().join("oracle");
    let mut wrong = Vec::new();
    for text in list(&read(&folder.join("text/clipboard.json"))) {
        let case = serde_json::json!({
            "inputs": text["inputs"], "settings": "settings/builtin_defaults.json",
        });
        let found = run(&case, &folder, &["export", "-o", "text"]).code(0);
        let expected = text["text"].as_str().expect("a text");
        // Groups that only count leave a line here; the browser tool leaves none.
        let lines = found.text().lines().filter(|line| !counts(line)).map(shown_line);
        if !lines.collect::<Vec<_>>().join("\n").contains(expected.trim_end()) {
            wrong.push(expected.lines().take(4).collect::<Vec<_>>().join(" / "));
        }
    }
    assert!(wrong.is_empty(), "{} texts\n{}", wrong.len(), wrong.join("\n"));
}

/// Whether a line stands for goroutines that are only counted: `12 goroutines [select]:`.
fn counts(line: &str) -> bool {
    line.split_once(" goroutine").is_some_and(|(count, _)| count.parse::<i64>().is_ok())
}

/// A line of text with the state that the browser tool shows.
fn shown_line(line: &str) -> String {
    let mut line = line.to_owned();
    for state in ["sync.WaitGroup.Wait", "sync.Cond.Wait", "sync.Mutex.Lock"] {
        line = line.replace(&format!("[{state}"), &format!("[{}", shown_state(state)));
    }
    line
}
