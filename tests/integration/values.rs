//! Profiles that don't count goroutines: what they measure, shown and written again.

use crate::document::list;
use crate::sandbox::{Sandbox, files_below, stackgazer, testdata};
use crate::schema::{assert_valid, validator};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

fn expectations() -> serde_json::Map<String, Value> {
    let text = std::fs::read(testdata("values/expect.json")).expect("the expectations");
    serde_json::from_slice(&text).expect("JSON")
}

fn summary(path: &Path, arguments: &[&str]) -> Value {
    let path = path.to_str().expect("UTF-8");
    let ran = stackgazer(["summarize", path, "-o", "json"].iter().chain(arguments));
    assert_eq!(ran.code, Some(0), "{ran:?}");
    serde_json::from_slice(&ran.stdout).expect("JSON")
}

/// Flat and cum of each function that has a name.
fn functions(summary: &Value) -> BTreeMap<String, (i64, i64)> {
    let row = |row: &Value| {
        let name = row["function"].as_str().unwrap_or_default().to_owned();
        let value = |key: &str| row[key].as_i64().expect("a number");
        (name, (value("flat"), value("cum")))
    };
    let rows = summary["rows"].as_array().expect("rows").iter().map(row);
    let is_name = |name: &str| name != "<unknown>" && !name.starts_with('[');
    rows.filter(|(name, _)| is_name(name)).collect()
}

#[test]
fn every_function_of_a_proto_has_the_values_that_pprof_shows() {
    let mut compared = 0;
    for (file, types) in expectations() {
        for (kind, expected) in types.as_object().expect("types") {
            let Some(rows) = expected["functions"].as_object() else { continue };
            let (name, unit) = kind.rsplit_once('/').expect("type and unit");
            let summary = summary(&testdata("values").join(&file), &["--value", name]);
            assert_eq!(summary["value"], json!({"type": name, "unit": unit}));
            assert_eq!(summary["total"], expected["total"], "{file} {kind}");
            let value = |row: &Value, at: usize| row[at].as_i64().expect("a number");
            let rows: BTreeMap<String, (i64, i64)> = rows
                .iter()
                .map(|(name, row)| (name.clone(), (value(row, 0), value(row, 1))))
                .collect();
            assert_eq!(functions(&summary), rows, "{file} {kind}");
            compared += 1;
        }
    }
    assert!(compared >= 16, "{compared}");
}

#[test]
fn every_record_of_a_text_has_the_values_that_pprof_reads() {
    let mut compared = 0;
    for (file, expected) in expectations() {
        let Some(records) = expected["records"].as_array() else { continue };
        for (at, kind) in expected["types"].as_array().expect("types").iter().enumerate() {
            let summary = summary(
                &testdata("values").join(&file),
                &["--value", kind.as_str().expect("text")],
            );
            let sum: i64 =
                records.iter().map(|record| record[at].as_i64().expect("a number")).sum();
            assert_eq!(summary["total"], sum, "{file} {kind}");
            compared += 1;
        }
    }
    assert!(compared >= 12, "{compared}");
}

#[test]
fn text_and_proto_of_one_process_name_the_same_functions() {
    for version in ["go1.21.13", "go1.27.3"] {
        for (kind, value, function, least) in [
            ("heap", "inuse_space", "main.page", 20_000),
            ("block", "contentions", "main.contend.func1", 4),
            ("mutex", "contentions", "main.pay", 3),
            ("carts", "shop/carts", "main.open", 7),
        ] {
            let file = |form: &str| testdata(&format!("values/{version}.{kind}.{form}"));
            let of = |path: PathBuf| functions(&summary(&path, &["--value", value]));
            let (text, proto) = (of(file("debug1.txt")), of(file("debug0.pb.gz")));
            let name = |rows: &BTreeMap<String, (i64, i64)>| {
                let found = rows.iter().find(|(name, _)| name.starts_with(function));
                found.map(|(_, row)| *row).unwrap_or_else(|| panic!("{version} {kind}: {rows:?}"))
            };
            assert_eq!(name(&text), name(&proto), "{version} {kind}");
            assert!(name(&text).1 >= least, "{version} {kind}");
        }
    }
}

#[test]
fn the_verdict_fits_what_is_measured() {
    let verdict = |file: &str| {
        let path = testdata(&format!("values/{file}"));
        summary(&path, &[])["verdict"]["measured"].clone()
    };
    let cpu = verdict("go1.27.3.cpu.debug0.pb.gz");
    assert_eq!(cpu["sort"], "cpu");
    assert!(cpu["duration_nanos"].as_i64().expect("a number") > 500_000_000);
    let own = cpu["own_functions"].as_array().expect("functions");
    assert!(own.iter().any(|row| row["function"] == "main.count"), "{own:?}");

    let heap = verdict("go1.27.3.heap.debug1.txt");
    assert_eq!(heap["sort"], "memory");
    assert_eq!(heap["own_functions"][0]["function"], "main.page");
    let memory = &heap["memory"][0];
    assert!(memory["sys"].as_i64() > memory["heap_inuse"].as_i64(), "{memory}");
    assert!(memory["num_forced_gc"].as_i64() >= Some(1), "{memory}");

    let block = verdict("go1.27.3.block.debug1.txt");
    assert_eq!(block["sort"], "blocked");
    let waits = block["waits"].as_array().expect("waits");
    let waited: Vec<&str> = waits.iter().map(|row| row["for"].as_str().expect("text")).collect();
    assert!(waited.contains(&"channels") && waited.contains(&"mutexes"), "{waited:?}");
    assert_eq!(verdict("go1.27.3.mutex.debug0.pb.gz")["sort"], "held");
}

#[test]
fn tables_speak_of_values_and_not_of_goroutines() {
    for path in files_below(&testdata("values")) {
        if path.extension().is_some_and(|ending| ending == "json") {
            continue;
        }
        let ran = stackgazer([Path::new("summarize"), &path]);
        assert_eq!(ran.code, Some(0), "{ran:?}");
        let text = String::from_utf8_lossy(&ran.stdout).to_lowercase();
        assert!(
            !text.contains("goroutine") || text.contains("goroutineprofile"),
            "{path:?}\n{text}"
        );
    }
}

#[test]
fn a_profile_written_again_is_the_same_profile() {
    let sandbox = Sandbox::new();
    for path in files_below(&testdata("values")) {
        if path.extension().is_some_and(|ending| ending == "json") {
            continue;
        }
        let out = sandbox.path().join("again.pb.gz");
        let arguments = ["export".as_ref(), path.as_path(), "-o".as_ref(), "pprof".as_ref()];
        let ran = sandbox.run(arguments.into_iter().chain(["--to".as_ref(), out.as_path()]));
        assert_eq!(ran.code, Some(0), "{ran:?}");
        let (before, after) = (summary(&path, &[]), summary(&out, &[]));
        assert_eq!(before["rows"], after["rows"], "{path:?}");
        assert_eq!(
            before["verdict"]["measured"]["totals"], after["verdict"]["measured"]["totals"],
            "{path:?}"
        );
    }
}

#[test]
fn several_profiles_are_added_up_and_other_kinds_are_named() {
    let file = |name: &str| testdata(&format!("values/go1.27.3.{name}")).display().to_string();
    let heap = file("heap.debug0.pb.gz");
    let one = summary(Path::new(&heap), &[]);
    let two = summary(Path::new(&heap), &[&heap]);
    assert_eq!(two["total"].as_i64(), one["total"].as_i64().map(|total| 2 * total));

    let dump = testdata("count/go1.27.3.debug1.txt").display().to_string();
    let mixed = summary(Path::new(&heap), &[&dump]);
    assert_eq!(mixed["verdict"]["others"][0]["sample_types"][3], "inuse_space");
    assert!(mixed["total"].as_i64() > Some(50), "{}", mixed["total"]);
    let asked = summary(Path::new(&heap), &[&dump, "--value", "inuse_space"]);
    assert_eq!(asked["total"], one["total"]);
    assert_eq!(asked["verdict"]["others"][0]["sample_types"], json!(["goroutine"]));

    // What counts nanoseconds or bytes counts no goroutines.
    let goroutines = summary(Path::new(&dump), &[])["total"].clone();
    assert!(goroutines.as_i64() > Some(0), "{goroutines}");
    for other in ["block.debug0.pb.gz", "mutex.debug1.txt", "heap.debug0.pb.gz"] {
        let mixed = summary(Path::new(&dump), &[&file(other)]);
        assert_eq!(mixed["total"], goroutines, "{other}");
    }

    let ran = stackgazer(["summarize", &heap, "--value", "inuse_spcae"]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.stderr.contains("did you mean inuse_space?"), "{}", ran.stderr);
}

#[test]
fn documents_follow_their_schemas_and_carry_all_values() {
    let (summaries, exports) =
        (crate::schema::validator("summary"), crate::schema::validator("export"));
    for path in files_below(&testdata("values")) {
        if path.extension().is_some_and(|ending| ending == "json") {
            continue;
        }
        let name = path.display().to_string();
        crate::schema::assert_valid(&summaries, &summary(&path, &[]), &name);
        let ran = stackgazer([Path::new("export"), &path]);
        let export: Value = serde_json::from_slice(&ran.stdout).expect("JSON");
        crate::schema::assert_valid(&exports, &export, &name);
        let types = export["sample_types"].as_array().expect("types").len();
        let mut sums = vec![0; types];
        for category in export["categories"].as_array().expect("categories") {
            for stack in category["stacks"].as_array().expect("stacks") {
                for input in stack["inputs"].as_array().expect("inputs") {
                    for group in input["groups"].as_array().expect("groups") {
                        let values = group["values"].as_array().expect("values");
                        for (sum, value) in sums.iter_mut().zip(values) {
                            *sum += value.as_i64().expect("a number");
                        }
                    }
                }
            }
        }
        let totals = summary(&path, &[])["verdict"]["measured"]["totals"].clone();
        let totals: Vec<i64> = totals
            .as_array()
            .expect("totals")
            .iter()
            .map(|total| total["total"].as_i64().expect("a number"))
            .collect();
        assert_eq!(sums, totals, "{name}");
    }
}

#[test]
fn values_are_compared_by_function_and_own_code_that_grew_is_named() {
    let file = |name: &str| testdata(&format!("profiles/{name}")).display().to_string();
    for kind in ["heap", "cpu", "mutex", "block"] {
        let (old, new) = (file(&format!("{kind}.1.pb.gz")), file(&format!("{kind}.2.pb.gz")));
        let json = stackgazer(["diff", "-o", "json", &old, &new]).quiet().json();
        assert_valid(&validator("diff"), &json, kind);
        assert_eq!(json["by"], json!(["function"]), "{kind}");
        // The growth that is told is that of the row, and no other own function grew more.
        let own = &json["own"];
        let rows = list(&json["rows"]);
        let row = |function: &Value| rows.iter().find(|row| row["function"] == *function);
        let is_own =
            |row: &&Value| row["function"].as_str().is_some_and(|f| f.starts_with("main."));
        let change = |row: &Value, field: &str| {
            let at = |point: usize| row[field][point].as_i64().expect("a number");
            at(1) - at(0)
        };
        for (side, field) in [("flat", "flat"), ("cum", "counts")] {
            let most = rows.iter().filter(is_own).map(|row| change(row, field)).max();
            let most = most.filter(|most| *most > 0);
            let Some(most) = most else {
                assert_eq!(own[side], Value::Null, "{kind} {side}");
                continue;
            };
            let told = row(&own[side]["function"]).expect("a row");
            assert_eq!(own[side]["counts"], told[field], "{kind} {side}");
            assert!(change(told, field) as f64 >= 0.95 * most as f64, "{kind} {side}");
        }
    }
    let dump = testdata("traceback/go1.27.3.debug2.txt").display().to_string();
    let json = stackgazer(["diff", "-o", "json", &dump, &dump]).code(0).json();
    assert_eq!((&json["by"], &json["own"]), (&json!(["shape"]), &Value::Null));
}

#[test]
fn habits_of_pprof_are_understood_or_answered() {
    let cpu = testdata("profiles/cpu.1.pb.gz").display().to_string();
    let top = stackgazer(["summarize", "--by", "function", &cpu]).quiet();
    for flag in ["--top", "--text"] {
        assert_eq!(stackgazer(["summarize", flag, &cpu]).quiet().text(), top.text(), "{flag}");
    }
    for (command, flag, answer) in [
        ("summarize", "-top", "options have two dashes here; type --top"),
        ("diff", "--top", "type stackgazer summarize --top FILE"),
        ("summarize", "-http=:8080", "-o flamegraph --to flames.svg"),
        ("summarize", "--http", "no pages are served"),
        ("summarize", "-list=main.work", "type --list=main.work"),
        ("export", "--list=main.work", "type stackgazer summarize"),
        ("summarize", "--weblist", "type stackgazer summarize --list REGEX FILE"),
        ("summarize", "--web", "pictures are made by export"),
        ("export", "-svg", "-o dot | dot -Tsvg > calls.svg"),
        ("summarize", "-raw", "type stackgazer export FILE -o json"),
        ("summarize", "-mean", "type --mean"),
        ("diff", "-diff_base", "type --diff_base"),
        ("check", "--diff_base", "type stackgazer diff OLD NEW"),
    ] {
        stackgazer([command, flag, &cpu]).code(2).says(answer);
    }
}
