//! `oracle/facts.json`: single facts of the browser tool. Each difference that is meant is listed
//! with its reason.

use crate::containers::zip_of;
use crate::document::{Document, Goroutine, list};
use crate::sandbox::{Sandbox, corpus};
use serde_json::{Value, json};
use std::collections::BTreeSet;

fn facts(table: &str) -> Vec<Value> {
    let folder = corpus();
    let text = std::fs::read(folder.join("oracle/facts.json")).expect("the facts");
    let facts: Value = serde_json::from_slice(&text).expect("JSON");
    list(&facts[table]).to_vec()
}

/// The goroutines of a text; none where it can't be read.
fn read(text: &str) -> Vec<Goroutine> {
    let sandbox = Sandbox::new();
    sandbox.file("fact.txt", text);
    let ran = sandbox.run(["export", "-o", "json", "--no-default-rules", "fact.txt"]).no_panic();
    match serde_json::from_slice(&ran.stdout) {
        Ok(json) => Document::new(json).goroutines,
        Err(_) => Vec::new(),
    }
}

fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value[key].as_str().unwrap_or_else(|| panic!("no {key} in {value}"))
}

/// Frames as `[func, file, line]`.
/// Headers that are understood in another way than by the browser tool: what it makes of them, and why.
const HEADERS: &[(&str, &str)] = &[
    (
        "goroutine 8 [select, \"env\":\"prod, stage\"]:",
        "it eats the blank after a comma in a value",
    ),
    (
        "goroutine 12 [running, \"k\":\"\"]:",
        "it keeps a label without a value as a flag, with its quotes",
    ),
    ("goroutine 13 [running, \"a\\\"b\":\"c\"]:", "it doesn't know escapes in keys"),
    ("goroutine 17 [select] {tenant: acme}:", "it drops the labels of Go 1.27, and the goroutine"),
    ("goroutine 20 [running]", "a header without its colon: it drops it"),
    (
        " goroutine 21 [running]:",
        "a header that is indented otherwise than its frames: it takes it",
    ),
    ("goroutine 23  [running]:", "a header with two blanks: it drops it"),
    ("goroutine 9007199254740993 [running]:", "it keeps ids as floating point numbers"),
];

#[test]
#[ignore = "needs STACKGAZER_CORPUS"]
fn headers() {
    let mut wrong = Vec::new();
    for fact in facts("headers") {
        let line = text(&fact, "line");
        let read = read(&format!("{line}\nmain.work()\n\t/src/main.go:9 +0x1d\n"));
        if HEADERS.iter().any(|(exception, _)| *exception == line) {
            continue;
        }
        let expected = &fact["parsed"];
        let found = match read.first() {
            None => Value::Null,
            Some(one) => {
                let state = match one.state() {
                    "sync.WaitGroup.Wait" | "sync.Cond.Wait" => "wait",
                    "sync.Mutex.Lock" => "semacquire",
                    state => state,
                };
                let mut labels = vec![format!("state={state}")];
                labels.extend(one.flags.iter().cloned());
                labels.extend(one.labels.iter().map(|(key, value)| format!("{key}={value}")));
                let wait = one.wait.unwrap_or_default() as i64;
                json!({"id": one.id, "state": state, "wait": wait, "labels": labels})
            }
        };
        let sorted = |value: &Value| -> BTreeSet<String> {
            list(&value["labels"]).iter().map(Value::to_string).collect()
        };
        let same = ["id", "state", "wait"].iter().all(|key| found[key] == expected[key]);
        if !same || sorted(&found) != sorted(expected) {
            wrong.push(format!("{line}: {found}, expected {expected}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn headers_that_it_drops_are_understood() {
    let one = |header: &str| {
        let read = read(&format!("{header}\nmain.work()\n\t/src/main.go:9 +0x1d\n"));
        read.into_iter().next().unwrap_or_else(|| panic!("nothing read of {header}"))
    };
    let label = |one: &Goroutine, key: &str| one.labels.get(key).cloned();
    let env = one("goroutine 8 [select, \"env\":\"prod, stage\"]:");
    assert_eq!(label(&env, "env").as_deref(), Some("prod, stage"));
    let empty = one("goroutine 12 [running, \"k\":\"\"]:");
    assert_eq!(label(&empty, "k").as_deref(), Some(""));
    let escaped = one("goroutine 13 [running, \"a\\\"b\":\"c\"]:");
    assert_eq!(label(&escaped, "a\"b").as_deref(), Some("c"));
    let labelled = one("goroutine 17 [select] {tenant: acme}:");
    assert_eq!(label(&labelled, "tenant").as_deref(), Some("acme"));
    let large = one("goroutine 9007199254740993 [running]:");
    assert_eq!(large.id.as_deref(), Some("9007199254740993"));
}

#[test]
#[ignore = "needs STACKGAZER_CORPUS"]
fn call_lines() {
    let mut wrong = Vec::new();
    for fact in facts("call_lines") {
        let line = text(&fact, "line");
        let read = read(&format!("goroutine 1 [select]:\n{line}\n\t/src/main.go:9 +0x1d\n"));
        let found = read.first().and_then(|one| one.frames.first()).map(|frame| frame.0.as_str());
        if found != fact["func"].as_str() {
            wrong.push(format!("{line}: {found:?}, expected {}", fact["func"]));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Places that are read in another way.
const LOCATIONS: &[(&str, &str)] = &[
    ("        /a/b.go:12 +0x1d", "it loses every frame whose place is indented by blanks"),
    ("\t/a:80/b.go:12 +0x1", "it cuts a path at the first colon with digits behind it"),
];

#[test]
#[ignore = "needs STACKGAZER_CORPUS"]
fn location_lines() {
    let mut wrong = Vec::new();
    for fact in facts("location_lines") {
        let line = text(&fact, "line");
        let read = read(&format!("goroutine 1 [select]:\nmain.work()\n{line}\n"));
        let frame = read.first().and_then(|one| one.frames.first());
        let found = match frame {
            Some((_, file, line)) if !file.is_empty() => json!([file, line]),
            _ => Value::Null,
        };
        let expected = match line {
            "        /a/b.go:12 +0x1d" => json!(["/a/b.go", 12]),
            "\t/a:80/b.go:12 +0x1" => json!(["/a:80/b.go", 12]),
            _ => fact["frame"].clone(),
        };
        if found != expected {
            wrong.push(format!("{line:?}: {found}, expected {expected}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert_eq!(LOCATIONS.len(), 2, "as many as above");
}

#[test]
#[ignore = "needs STACKGAZER_CORPUS"]
fn created_by_lines() {
    for fact in facts("created_by_lines") {
        let line = text(&fact, "line");
        let dump = format!(
            "goroutine 9 [select]:\nmain.work()\n\t/src/main.go:9 +0x1d\n{line}\n\t/src/main.go:3 +0x1\n"
        );
        let read = read(&dump);
        let one = read.first().unwrap_or_else(|| panic!("nothing read of {line}"));
        assert_eq!(one.created_by.as_deref().unwrap_or_default(), text(&fact, "creator"), "{line}");
        assert_eq!(one.frames.len() as i64, fact["frames"].as_i64().expect("a number"), "{line}");
        // What it throws away.
        let creator = one.creator.as_ref().unwrap_or_else(|| panic!("no creator in {line}"));
        assert_eq!((creator.1.as_str(), creator.2), ("/src/main.go", 3), "{line}");
    }
}

#[test]
#[ignore = "needs STACKGAZER_CORPUS"]
fn debug1_bodies() {
    let mut wrong = Vec::new();
    for fact in facts("debug1") {
        let body = text(&fact, "body");
        let total: i64 =
            body.lines().filter_map(|line| line.split([' ']).next()?.parse::<i64>().ok()).sum();
        let read = read(&format!("goroutine profile: total {total}\n{body}"));
        let expected = match body {
            // It fails the whole file because the label isn't JSON; Go quotes in its own way.
            body if body.contains("a\\x00b") => {
                json!([{"count": 1, "labels": ["k=a\u{0}b"], "trace": [["main.f", "/a.go", 3]]}])
            }
            // It drops frames without a symbol.
            "1 @ 0x1\n#\t0x1\n#\t0x2\tmain.g+0x1\t/a.go:4\n" => {
                json!([{"count": 1, "labels": [], "trace": [["0x1", "", 0], ["main.g", "/a.go", 4]]}])
            }
            // It ends a record at a line that is empty but for the `#`.
            body if body.contains("#\n#\t0x2") => {
                json!([{"count": 1, "labels": [], "trace": [["main.f", "/a.go", 3], ["main.g", "/a.go", 4]]}])
            }
            // It splits at blanks, where only tabs stand between the columns. Type arguments are
            // `[...]` in Go's own text.
            body if body.contains("go.shape.struct") => json!([
                {"count": 1, "labels": [], "trace": [
                    ["main.F[...]", "/a.go", 3],
                    ["main.F[go.shape.struct { X int }]", "/a.go", 4]]}]),
            // It keeps records without a symbol as stacks without frames.
            "2 @ 0x1\n\n1 @ 0x2\n" => json!([
                {"count": 2, "labels": [], "trace": [["0x1", "", 0]]},
                {"count": 1, "labels": [], "trace": [["0x2", "", 0]]}]),
            _ => fact["result"].clone(),
        };
        let key = |count: &Value, labels: BTreeSet<String>, trace: &Value| {
            format!("{count} {labels:?} {trace}")
        };
        let found: BTreeSet<String> = read
            .iter()
            .map(|one| {
                let labels = one.labels.iter().map(|(k, v)| format!("{k}={v}")).collect();
                // It calls functions without a name by their address, which is their place here.
                let frames = one.frames.iter().map(|(func, file, line)| match func.as_str() {
                    "<unknown>" => json!([file, "", line]),
                    _ => json!([func, file, line]),
                });
                key(&one.count.into(), labels, &frames.collect())
            })
            .collect();
        let wanted: BTreeSet<String> = list(&expected)
            .iter()
            .map(|record| {
                let labels = list(&record["labels"]).iter().filter_map(Value::as_str);
                key(&record["count"], labels.map(str::to_owned).collect(), &record["trace"])
            })
            .collect();
        if found != wanted {
            wrong.push(format!("{body:?}:\n  found    {found:?}\n  expected {wanted:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
#[ignore = "needs STACKGAZER_CORPUS"]
fn queries() {
    let waits = [0.0, 1.0, 2.0, 2.5, 3.0, 3.5, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0, 1000.0];
    let texts = ["abc", "flush", "Wait:5", "state:select", "other"];
    let mut dump = String::new();
    let mut probes = Vec::new();
    for wait in waits {
        for function in texts {
            let id = probes.len() + 1000;
            dump += &format!(
                "goroutine {id} [select, {wait} minutes]:\nmain.{function}()\n\t/src/main.go:9 +0x1d\n\n"
            );
            probes.push((id.to_string(), wait, function));
        }
    }
    let sandbox = Sandbox::new();
    sandbox.file("probe.txt", dump);
    let mut wrong = Vec::new();
    for fact in facts("filter_query") {
        let input = text(&fact, "input");
        let ran = sandbox.run(["filter", "-o", "json", "--query", input, "probe.txt"]).no_panic();
        if fact["error"].is_string() {
            if ran.code != Some(2) {
                wrong.push(format!("{input:?}: accepted, although {}", fact["error"]));
            }
            continue;
        }
        if ran.code != Some(0) {
            wrong.push(format!("{input:?}: {}", ran.stderr));
            continue;
        }
        let document = Document::new(ran.json());
        let found: BTreeSet<String> =
            document.goroutines.iter().filter_map(|one| one.id.clone()).collect();
        let (min, max) = (fact["min_wait"].as_f64(), fact["max_wait"].as_f64());
        let word = text(&fact, "text").to_lowercase();
        let wanted: BTreeSet<String> = probes
            .iter()
            .filter(|(_, wait, function)| {
                min.is_none_or(|min| *wait >= min)
                    && max.is_none_or(|max| *wait <= max)
                    && format!("main.{function} /src/main.go:9").to_lowercase().contains(&word)
            })
            .map(|(id, ..)| id.clone())
            .collect();
        if found != wanted {
            wrong.push(format!("{input:?}: {} found, expected {}", found.len(), wanted.len()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Archives whose names differ: the browser tool cuts names in the middle of a path component.
const ZIPS: &[(&[&str], &str)] = &[
    (&["d/nodes/10/stacks.txt", "d/nodes/11/stacks.txt"], "it cuts the common 1 of 10 and 11"),
    (&["stacks.txt", "sub/stacks.txt"], "it cuts the s of sub"),
    (&["d/7/stacks.txt"], "it keeps the whole path of a single member"),
];

#[test]
#[ignore = "needs STACKGAZER_CORPUS"]
fn names_of_members() {
    let mut wrong = Vec::new();
    for fact in facts("zip_names") {
        let paths: Vec<&str> = list(&fact["paths"]).iter().filter_map(Value::as_str).collect();
        if ZIPS.iter().any(|(exception, _)| *exception == paths) {
            continue;
        }
        let dump: &[u8] = b"goroutine 1 [running]:\nmain.main()\n\t/src/a.go:3 +0x1d\n";
        let members: Vec<(&str, &[u8])> = paths.iter().map(|path| (*path, dump)).collect();
        let sandbox = Sandbox::new();
        sandbox.file("debug.zip", zip_of(&members));
        let ran = sandbox.run(["export", "-o", "json", "debug.zip"]).quiet();
        let document = Document::new(ran.json());
        let names: BTreeSet<String> =
            document.inputs().iter().map(|input| text(input, "name").to_owned()).collect();
        let expected: BTreeSet<String> = list(&fact["names"])
            .iter()
            .filter_map(|name| name.as_str().map(str::to_owned))
            .collect();
        if names != expected {
            wrong.push(format!("{paths:?}: {names:?}, expected {expected:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Settings of the browser tool with these patterns that name inputs.
fn settings(patterns: &[Value]) -> String {
    json!({"nameExtractionPatterns": {"ignoreDefault": true, "custom": patterns}}).to_string()
}

/// The name that these patterns give to an input that starts with this line.
fn extracted(patterns: &[Value], dump: &str) -> String {
    let sandbox = Sandbox::new();
    sandbox.file("settings.json", settings(patterns));
    sandbox.file("given.txt", dump);
    let ran = sandbox.run(["export", "-o", "json", "--config", "settings.json", "given.txt"]);
    let document = Document::new(ran.no_panic().json());
    text(&document.inputs()[0], "name").to_owned()
}

/// Lines that name an input otherwise: the pattern, the name here, and why.
const EXTRACTIONS: &[(&str, Option<&str>, &str)] = &[
    ("s|n0x([0-9a-f]+)|hex:$0|", Some("$0"), ""),
    ("s|n0x[0-9a-f]+|hex:$1|", None, "without a group there is no number; it says NaN"),
];

#[test]
#[ignore = "needs STACKGAZER_CORPUS"]
fn names_of_inputs() {
    let mut wrong = Vec::new();
    for fact in facts("name_extraction") {
        let patterns = list(&fact["patterns"]);
        let line = text(&fact, "line");
        let dump = format!("{line}\ngoroutine 1 [running]:\nmain.main()\n\t/src/a.go:3 +0x1d\n");
        let found = extracted(patterns, &dump);
        let exception =
            EXTRACTIONS.iter().find(|(pattern, ..)| patterns.first() == Some(&json!(pattern)));
        let expected = match (exception, fact["name"].as_str()) {
            (Some((_, name, _)), _) => *name,
            // It loses the precision of 64-bit numbers.
            (_, Some("18446744073709552000")) => Some("n18446744073709551615"),
            (_, name) => name,
        };
        let mut expected = expected.unwrap_or("given.txt").to_owned();
        if expected.bytes().all(|byte| byte.is_ascii_digit()) {
            expected.insert(0, 'n');
        }
        if found != expected {
            wrong.push(format!("{patterns:?} on {line:?}: {found:?}, expected {expected:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
#[ignore = "needs STACKGAZER_CORPUS"]
fn lines_that_name_an_input() {
    let mut wrong = Vec::new();
    for fact in facts("extraction_scans") {
        let expected = fact["extracted"].as_str();
        if text(&fact, "note") == "nothing to parse" {
            continue;
        }
        let found = extracted(&[json!("s|HIT(\\w)|$1|")], text(&fact, "text"));
        if found != expected.unwrap_or("given.txt") {
            wrong.push(format!("{}: {found:?}, expected {expected:?}", fact["note"]));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
#[ignore = "needs STACKGAZER_CORPUS"]
fn names_of_files() {
    for fact in facts("file_name") {
        let given = text(&fact, "given");
        if given.is_empty() {
            continue; // There is no file without a name here.
        }
        let sandbox = Sandbox::new();
        sandbox.file(given, "goroutine 1 [running]:\nmain.main()\n\t/src/a.go:3 +0x1d\n");
        let document = Document::new(sandbox.run(["export", "-o", "json", given]).quiet().json());
        assert_eq!(text(&document.inputs()[0], "name"), text(&fact, "used"), "{given}");
    }
}
