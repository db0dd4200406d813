//! The options of `go tool pprof`: `testdata/profiles/expected.json` holds what it answers, written
//! by `tests/pprof/compare.py --bless`.

use crate::sandbox::Sandbox;
use crate::schema::{assert_valid, validator};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/profiles")
}

/// The arguments of a case, as `FILE OPTION...`; options that name files do so in the same folder.
fn arguments(case: &str, said: &Value) -> Vec<String> {
    let path = |name: &str| folder().join(name).display().to_string();
    let (file, options) = case.split_once(' ').expect("a file and options");
    let mut arguments = vec!["summarize".to_owned(), "-o".to_owned(), "json".to_owned()];
    let granularities = ["filefunctions", "files", "lines", "addresses", "tags"];
    if options.starts_with("list=") {
        arguments.push(format!("--source-root={}", path("program")));
    } else if !options.split(' ').any(|option| granularities.contains(&option)) {
        arguments.push("--functions".to_owned());
    }
    if let Some(unit) = said["unit"].as_str() {
        // pprof writes numbers of labels in it too.
        arguments.push(format!("--unit={unit}"));
    }
    for option in options.split(' ').filter(|option| !option.is_empty()) {
        match option.split_once('=') {
            Some(("MERGE", other)) => arguments.push(path(other)),
            Some((name @ ("base" | "diff_base"), other)) => {
                arguments.push(format!("--{name}={}", path(other)));
            }
            _ => arguments.push(format!("--{option}")),
        }
    }
    arguments.push(path(file));
    arguments
}

/// What a row is called in pprof, its flat and its cum.
fn row(row: &Value, by: &[Value]) -> (String, i64, i64) {
    let value = |key: &Value| row[key.as_str().expect("a key")].as_str();
    let mut name: Vec<&str> = by.iter().filter_map(value).collect();
    if by.iter().all(|key| key == "address" || value(key).is_none()) {
        name.push("<unknown>");
    }
    (name.join(" "), number(&row["flat"]), number(&row["cum"]))
}

fn number(value: &Value) -> i64 {
    value.as_i64().expect("a number")
}

#[test]
fn rows_are_those_of_pprof_whatever_the_options() {
    let expected = std::fs::read(folder().join("expected.json")).expect("the expectations");
    let expected: Value = serde_json::from_slice(&expected).expect("JSON");
    let cases = expected.as_object().expect("cases");
    assert!(cases.len() > 1300, "{}", cases.len());
    let cases: Vec<(&String, &Value)> = cases.iter().collect();
    let wrong: Vec<String> = std::thread::scope(|scope| {
        let threads: Vec<_> = cases
            .chunks(cases.len().div_ceil(4))
            .map(|some| {
                scope.spawn(|| {
                    let sandbox = Sandbox::new();
                    let wrong =
                        some.iter().filter_map(|(case, said)| compare(&sandbox, case, said));
                    wrong.collect::<Vec<String>>()
                })
            })
            .collect();
        threads.into_iter().flat_map(|thread| thread.join().expect("no panic")).collect()
    });
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), cases.len(), wrong.join("\n"));
}

/// What differs from what pprof said.
fn compare(sandbox: &Sandbox, case: &str, said: &Value) -> Option<String> {
    let ran = sandbox.run(arguments(case, said));
    let shown: Value = match serde_json::from_slice(&ran.stdout) {
        Ok(shown) => shown,
        Err(_) => return Some(format!("{case}: {}", ran.stderr)),
    };
    if shown["view"].is_string() {
        return compare_lines(case, said, &lines(&shown));
    }
    let by = shown["by"].as_array().expect("keys");
    let rows: Vec<_> =
        shown["rows"].as_array().expect("rows").iter().map(|shown| row(shown, by)).collect();
    let flat: i64 = rows.iter().map(|row| row.1).sum();
    let mut found = vec![format!("{} {flat}", shown["whole"])];
    let mut known = vec![format!("{} {}", said["whole"], said["flat"])];
    // pprof has a row for each first line of the functions of a file.
    if !case.contains(" files") {
        let cum: i64 = rows.iter().map(|row| row.2).sum();
        found.push(format!("{} rows, {cum}", rows.len()));
        known.push(format!("{} rows, {}", said["count"], said["cum"]));
        let kept = said["rows"].as_array().expect("rows");
        known.extend(
            kept.iter().map(|row| {
                format!("{} {} {}", row[0].as_str().unwrap_or_default(), row[1], row[2])
            }),
        );
        let first = rows.iter().take(kept.len());
        found.extend(first.map(|(name, flat, cum)| format!("{name} {flat} {cum}")));
    }
    let differs = || known.iter().zip(&found).find(|(known, found)| known != found);
    (found != known).then(|| format!("{case}: {:?}", differs()))
}

/// What differs in what isn't a table: its lines are kept as a digest.
fn compare_lines(case: &str, said: &Value, lines: &[String]) -> Option<String> {
    let digest = Sha256::digest(lines.join("\n"));
    let digest: String = digest.iter().take(8).map(|byte| format!("{byte:02x}")).collect();
    let first: String = lines.first().map_or("", String::as_str).chars().take(200).collect();
    let found =
        json!({"unit": said["unit"], "first": first, "count": lines.len(), "digest": digest});
    (found != *said).then(|| format!("{case}: {said} {found}"))
}

/// The rows of a view as `tests/pprof/views.py` writes those of pprof.
fn lines(document: &Value) -> Vec<String> {
    let text = |value: &Value| value.as_str().expect("text").to_owned();
    let list = |value: &Value| value.as_array().expect("a list").clone();
    let edges = |of: &Value| {
        let edge = |edge: &Value| {
            let inline = if edge["inline"] == true { " inline" } else { "" };
            format!("{} {}{inline}", text(&edge["function"]), edge["value"])
        };
        list(of).iter().map(edge).collect::<Vec<_>>().join(", ")
    };
    let mut path: Vec<String> = Vec::new();
    let mut lines = Vec::new();
    for row in list(&document["rows"]) {
        let (flat, cum, value) = (&row["flat"], &row["cum"], &row["value"]);
        match document["view"].as_str().expect("a view") {
            "list" if text(&row["file"]).is_empty() => {}
            "list" => {
                let function = (text(&row["function"]), text(&row["file"]));
                lines.push(format!("{} {} {flat} {cum}", function.0, function.1));
                lines.extend(list(&row["lines"]).iter().map(|line| {
                    let words: Vec<&str> =
                        line["text"].as_str().unwrap_or_default().split_whitespace().collect();
                    let (flat, cum) = (&line["flat"], &line["cum"]);
                    format!("{} {flat} {cum} {}", line["line"], words.join(" "))
                }));
            }
            "tags" => {
                lines.extend(list(&row["values"]).iter().filter(|of| of["value"] != 0).map(|of| {
                    let (key, total) = (text(&row["label"]), &row["total"]);
                    format!("{key} {total} | {} {}", text(&of["text"]), of["value"])
                }))
            }
            "traces" => {
                let mut labels: BTreeMap<String, Vec<String>> = BTreeMap::new();
                for label in list(&row["labels"]) {
                    labels.entry(text(&label["key"])).or_default().push(text(&label["text"]));
                }
                let mut labels: Vec<String> = labels
                    .iter()
                    .map(|(key, values)| format!("{key}={}", values.join(" ")))
                    .collect();
                labels.sort();
                let frame = |frame: &Value| {
                    let both = [text(&frame["func"]), text(&frame["place"])];
                    both.iter()
                        .filter(|text| !text.is_empty())
                        .cloned()
                        .collect::<Vec<_>>()
                        .join(" ")
                };
                let frames: Vec<String> = list(&row["frames"]).iter().map(frame).collect();
                if !frames.is_empty() && value != 0 {
                    lines.push(format!("{} | {} | {value}", labels.join(" "), frames.join(";")));
                }
            }
            "call-tree" => {
                path.truncate(row["depth"].as_u64().expect("a depth") as usize);
                path.push(text(&row["function"]));
                lines.push(format!("{} {flat} {cum}", path.join(";")));
            }
            _ => {
                let (callers, callees) = (edges(&row["callers"]), edges(&row["callees"]));
                let name = text(&row["function"]);
                lines.push(format!("{name} {flat} {cum} < {callers} > {callees}"));
            }
        }
    }
    if matches!(document["view"].as_str(), Some("traces" | "call-tree")) {
        lines.sort();
    }
    lines
}

#[test]
fn calls_stacks_and_labels_have_views_of_their_own() {
    let sandbox = Sandbox::new();
    let schema = validator("calls");
    let path = folder().join("cpu.1.pb.gz").display().to_string();
    for (view, name) in [
        (vec!["--peek", "grind$"], "peek"),
        (vec!["--call-graph", "--nodecount", "4", "--edgefraction", "0.1"], "call-graph"),
        (vec!["--call-tree", "--nodefraction", "0.05"], "call-tree"),
        (vec!["--traces", "-n", "3"], "traces"),
        (vec!["--tags"], "tags"),
    ] {
        let arguments = [&["summarize", &path][..], &view].concat();
        let table = sandbox.run(&arguments).quiet();
        assert!(!table.stdout.is_empty(), "{name}");
        let ran = sandbox.run([&arguments[..], &["-o", "json"]].concat()).quiet();
        let document: Value = serde_json::from_slice(&ran.stdout).expect("JSON");
        assert_valid(&schema, &document, name);
        assert_eq!(document["view"], name);
        assert!(!document["rows"].as_array().expect("rows").is_empty(), "{name}");
    }
}

#[test]
fn options_without_effect_on_a_view_are_refused() {
    let path = folder().join("cpu.1.pb.gz").display().to_string();
    let dump = folder().join("goroutine.1.pb.gz").display().to_string();
    let sandbox = Sandbox::new();
    for (path, arguments, flag) in [
        (&path, &["--peek", "grind", "--nodecount", "3"][..], "--nodecount"),
        (&path, &["--call-tree", "--edgefraction=0.1"], "--edgefraction"),
        (&path, &["--traces", "--drop_negative"], "--drop-negative"),
        (&path, &["--tags", "--by", "function"], "--by"),
        (&path, &["--call-graph", "--by", "category"], "--by"),
        (&path, &["--tags", "--cum"], "--sort"),
        (&path, &["--call-graph", "--sort", "wait"], "--sort"),
        (&path, &["--edgefraction", "0.1"], "--edgefraction"),
        (&path, &["--by", "category", "--mean"], "--mean"),
        (&path, &["--by", "category", "--cum"], "--sort cum"),
        (&dump, &["--relative-percentages"], "--relative-percentages"),
    ] {
        let ran = sandbox.run([&["summarize", path][..], arguments].concat());
        assert_eq!(ran.code, Some(2), "{arguments:?}");
        assert!(ran.stderr.starts_with(&format!("stackgazer: {flag}: ")), "{}", ran.stderr);
    }
}

#[test]
fn options_that_match_nothing_say_so() {
    let path = folder().join("cpu.1.pb.gz").display().to_string();
    let ran = Sandbox::new().run(["summarize", &path, "--focus", "main.nothing", "--hide=grind"]);
    assert_eq!(ran.code, Some(0));
    assert!(ran.stderr.contains("note: --focus matches nothing"), "{}", ran.stderr);
    assert!(!ran.stderr.contains("--hide"), "{}", ran.stderr);
}

#[test]
fn options_work_on_dumps_of_goroutines_too() {
    let dump = "goroutine 1 [select]:\nruntime.gopark()\n\t/go/src/runtime/proc.go:1\n\
                main.work()\n\t/m.go:1\nmain.main()\n\t/m.go:2\n\n\
                goroutine 2 [sleep]:\nmain.nap()\n\t/m.go:7\n";
    let sandbox = Sandbox::new();
    let path = sandbox.file("dump.txt", dump).display().to_string();
    let ran =
        sandbox.run(["filter", &path, "--focus=work", "--hide=runtime", "-o", "json"]).quiet();
    let text = String::from_utf8(ran.stdout).expect("UTF-8");
    assert!(text.contains("main.work"), "{text}");
    assert!(!text.contains("runtime.gopark") && !text.contains("main.nap"), "{text}");
}

#[test]
fn rows_of_addresses_have_what_is_known_of_their_frames() {
    let path = folder().join("nameless.pb.gz").display().to_string();
    for (key, values) in [
        ("function", ["main.work", "main.work", "<unknown>", "<unknown>", "main.idle"]),
        ("package", ["main", "main", "", "", "main"]),
        ("file", ["", "", "<unknown>", "main.go", "main.go"]),
        ("line", [":12", ":14", "<unknown>", "main.go:9", "main.go:30"]),
    ] {
        let by = format!("address,{key}");
        let ran = Sandbox::new().run(["summarize", "--by", &by, "-o", "json", &path]).quiet();
        let document: Value = serde_json::from_slice(&ran.stdout).expect("JSON");
        let rows = document["rows"].as_array().expect("rows");
        let found: Vec<&str> =
            rows.iter().map(|row| row[key].as_str().unwrap_or_default()).collect();
        assert_eq!(found, values, "{key}");
    }
}

#[test]
fn rows_of_labels_are_those_of_the_view_of_labels() {
    let run = |options: &[&str]| -> Value {
        let path = folder().join("cpu.1.pb.gz").display().to_string();
        let ran = Sandbox::new().run([&["summarize", "-o", "json", &path], options].concat());
        serde_json::from_slice(&ran.quiet().stdout).expect("JSON")
    };
    let tags = run(&["--tags"]);
    for label in tags["rows"].as_array().expect("labels") {
        let key = format!("label:{}", label["label"].as_str().expect("a key"));
        let rows = run(&["--by", &key]);
        let rows = rows["rows"].as_array().expect("rows").iter();
        let found: BTreeMap<&str, i64> =
            rows.filter_map(|row| Some((row[&key].as_str()?, number(&row["total"])))).collect();
        let values = label["values"].as_array().expect("values").iter();
        let expected: BTreeMap<&str, i64> = values
            .map(|value| (value["text"].as_str().expect("a text"), number(&value["value"])))
            .collect();
        assert_eq!(found, expected, "{key}");
        assert!(found.len() > 1, "{key}");
    }
}

#[test]
fn functions_without_a_name_have_one_spelling_everywhere() {
    let sandbox = Sandbox::new();
    let path = folder().join("nameless.pb.gz").display().to_string();
    for arguments in [
        &["summarize"][..],
        &["summarize", "--by", "name"],
        &["summarize", "--by", "category"],
        &["summarize", "--by", "stack,name"],
        &["summarize", "--traces"],
        &["summarize", "--peek", "idle"],
        &["summarize", "--call-tree"],
        &["summarize", "--call-tree", "--by", "package"],
        &["filter"],
        &["name"],
        &["name", "--explain"],
        &["diff", "--all", &path],
        &["export", "-o", "folded"],
        &["export", "-o", "json"],
        &["export", "-o", "csv"],
        &["export", "-o", "text"],
        &["export", "-o", "speedscope"],
        &["export", "-o", "callgrind"],
    ] {
        let ran = sandbox.run([arguments, &[path.as_str()]].concat()).code(0);
        assert!(ran.text().contains("<unknown>"), "{arguments:?}: {}", ran.text());
        assert!(!ran.text().contains("0x"), "{arguments:?}: {}", ran.text());
    }
    // What is written is read as what it was: the same stacks by the same ids.
    let ids = |path: &str| {
        let text = sandbox.run(["name", "-o", "csv", path]).code(0).text().to_owned();
        text.lines().map(str::to_owned).collect::<Vec<_>>()
    };
    let written = sandbox.run(["export", "-o", "pprof", &path]).code(0).stdout;
    let again = sandbox.file("again.pb.gz", written).display().to_string();
    assert_eq!(ids(&again), ids(&path));
    // Its numbers are none of goroutines.
    let refused = sandbox.run(["export", "-o", "debug2", &path]).code(2);
    refused.says("debug2 is for goroutines, and requests was read");
}
