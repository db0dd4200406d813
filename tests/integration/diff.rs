//! `diff`: what changed between points in time.

use crate::document::list;
use crate::sandbox::{Ran, Sandbox, stackgazer, testdata};
use crate::schema::{assert_valid, validator};
use serde_json::{Value, json};

/// A dump with so many goroutines in each function, with ids from 1 on, all in one state.
fn dump(functions: &[(&str, usize)]) -> String {
    let mut text = String::new();
    let mut id = 0;
    for (function, count) in functions {
        for _ in 0..*count {
            id += 1;
            text += &format!("goroutine {id} [select]:\n{function}()\n\t/src/main.go:3 +0x1d\n\n");
        }
    }
    text
}

fn two_points() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.file("old.txt", dump(&[("main.a", 5), ("main.b", 2), ("main.c", 4)]));
    sandbox.file("new.txt", dump(&[("main.a", 9), ("main.c", 4), ("main.d", 3)]));
    sandbox
}

fn bundle() -> String {
    testdata("bundle.zip").to_str().expect("UTF-8").to_owned()
}

/// Rows as `KEY status counts`.
fn rows(document: &Value, key: &str) -> Vec<String> {
    let row = |row: &Value| format!("{} {} {}", row[key], row["status"], row["counts"]);
    list(&document["rows"]).iter().map(|one| row(one).replace('"', "")).collect()
}

#[test]
fn the_verdict_comes_first_and_adds_up() {
    let ran = two_points().run(["diff", "old.txt", "new.txt"]).quiet();
    let first = ran.text().lines().next().expect("a line").to_owned();
    assert_eq!(
        first,
        "old.txt → new.txt: 11 → 16 goroutines (+5, +45.5%): \
         1 new stack (+3), 1 gone (-2), 1 grown (+4), 1 the same"
    );
    let last = ran.text().lines().last().expect("a line");
    let words: Vec<&str> = last.split_whitespace().collect();
    assert_eq!(words, ["total", "+5", "+45.5%", "11", "16", "4", "stacks"]);
    assert!(!ran.text().contains("main.c"), "it didn't change: {}", ran.text());
    let all = two_points().run(["diff", "--all", "old.txt", "new.txt"]).quiet();
    assert!(all.text().contains("main.c"), "{}", all.text());
}

#[test]
fn documents_hold_every_row_and_follow_their_schema() {
    let document = two_points().run(["diff", "old.txt", "new.txt", "-o", "json"]).quiet().json();
    assert_eq!(document["schema"], "stackgazer.diff/1");
    assert_eq!(document["by"], json!(["shape"]));
    assert_eq!(document["points"], json!(["old.txt", "new.txt"]));
    assert_eq!(document["totals"], json!([11, 16]));
    assert_eq!(
        rows(&document, "name"),
        ["main.a grown [5,9]", "main.d new [0,3]", "main.b gone [2,0]", "main.c same [4,4]"]
    );
    assert_eq!(document["rows"][1]["percent"], Value::Null);
    assert_eq!(document["rows"][2]["percent"], json!(-100));
    // Ids 1 to 5 are those of main.a at both points, 8 to 11 and 10 to 13 those of main.c.
    assert_eq!(document["persist"], json!(7));
    let validator = validator("diff");
    let bundle = bundle();
    for by in ["shape", "id", "name", "category", "input,category", "label:tenant", "wait", "line"]
    {
        let document =
            stackgazer(["diff", &bundle, &bundle, "--by", by, "-o", "json"]).quiet().json();
        assert_valid(&validator, &document, by);
        for row in list(&document["rows"]) {
            assert!(by.split(',').all(|key| row.get(key).is_some()), "{by}: {row}");
            assert_eq!(row["status"], "same", "{by}: nothing changes from a bundle to itself");
        }
    }
    let series =
        stackgazer(["diff", "--series", &bundle, "--normalize", "-m", "shop", "-o", "json"]);
    assert_valid(&validator, &series.quiet().json(), "a series");
}

#[test]
fn lines_hold_what_the_document_holds() {
    let sandbox = two_points();
    let document = sandbox.run(["diff", "old.txt", "new.txt", "-o", "json"]).quiet().json();
    let lines = sandbox.run(["diff", "old.txt", "new.txt", "-o", "ndjson"]).quiet();
    let lines: Vec<Value> =
        lines.text().lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let validator = validator("diff");
    lines.iter().for_each(|line| assert_valid(&validator, line, "a line"));
    assert_eq!((&lines[0]["type"], &lines[0]["totals"]), (&json!("inputs"), &document["totals"]));
    let without_type = |line: &Value| {
        let mut line = line.clone();
        assert_eq!(line["type"].take(), "row");
        line.as_object_mut().expect("an object").remove("type");
        line
    };
    let rows: Vec<Value> = lines[1..].iter().map(without_type).collect();
    assert_eq!(json!(rows), document["rows"]);
}

#[test]
fn csv_has_a_count_for_each_point() {
    let ran = two_points().run(["diff", "old.txt", "new.txt", "--by", "name", "-o", "csv"]).quiet();
    let lines: Vec<&str> = ran.text().lines().collect();
    assert_eq!(
        lines[0],
        "name,category,status,count_1,count_2,change,percent,persist,slope,rises,levelled_off,small"
    );
    assert_eq!(lines[1], "main.a,main,grown,5,9,4,80,5,,,,false");
    assert_eq!(lines.len(), 5);
}

#[test]
fn markdown_is_a_table_for_pull_requests() {
    let ran = two_points().run(["diff", "old.txt", "new.txt", "-o", "markdown"]).quiet();
    assert!(ran.text().starts_with("**old.txt → new.txt: 11 → 16 goroutines"), "{}", ran.text());
    assert!(ran.text().contains("| grown | +4 | +80% | 5 | 9 |"), "{}", ran.text());
    assert!(ran.text().contains("\n| **total** | **+5** | **+45.5%** | **11** | **16** |"));
    let stack = "<details><summary>new: main.d</summary>\n\n<pre>\nmain.d  /src/main.go:3\n</pre>";
    assert!(ran.text().contains(stack), "{}", ran.text());
    assert!(!ran.text().contains("gone: main.b"), "what is gone needs no look: {}", ran.text());
    let many: Vec<(String, usize)> = (0..30).map(|at| (format!("main.f{at}"), 1)).collect();
    let many: Vec<(&str, usize)> = many.iter().map(|(name, n)| (name.as_str(), *n)).collect();
    let sandbox = two_points();
    sandbox.file("many.txt", dump(&many));
    let ran = sandbox.run(["diff", "old.txt", "many.txt", "-o", "markdown"]).quiet();
    assert!(ran.text().contains("<details><summary>13 more</summary>\n\n|"), "{}", ran.text());
}

#[test]
fn fail_on_decides_the_code_and_the_format_doesn_t() {
    let sandbox = two_points();
    let code = |arguments: &[&str]| {
        let all = [&["diff", "old.txt", "new.txt"], arguments].concat();
        sandbox.run(all).no_panic().code
    };
    for format in ["table", "json", "ndjson", "csv", "markdown"] {
        assert_eq!(code(&["--fail-on", "new", "-o", format]), Some(1), "{format}");
        assert_eq!(code(&["-o", format]), Some(0), "{format}");
    }
    assert_eq!(code(&["--fail-on", "grown", "--min-change", "5"]), Some(0));
    assert_eq!(code(&["--fail-on", "grown", "--min-change", "4"]), Some(1));
    assert_eq!(code(&["--fail-on", "shrunk"]), Some(0));
    assert_eq!(code(&["--fail-on", "gone,shrunk"]), Some(1));
    assert_eq!(code(&["--fail-on", "changed", "-m", "main.c"]), Some(0));
    // What the limit leaves out of the table counts all the same.
    assert_eq!(code(&["--fail-on", "gone", "-n", "1"]), Some(1));
}

#[test]
fn what_could_not_be_read_beats_what_was_found() {
    let sandbox = two_points();
    sandbox.file("empty.txt", "");
    sandbox.file("none.txt", "goroutine profile: total 0\n");
    sandbox.file("leaks.txt", "goroutineleak profile: total 0\n");
    let run = |arguments: &[&str]| sandbox.run([&["diff"], arguments].concat()).no_panic();
    run(&["old.txt", "missing.txt", "--fail-on", "changed"]).code(2).says("missing.txt");
    run(&["empty.txt", "new.txt"]).code(2).says("empty.txt");
    run(&["old.txt", "none.txt", "--fail-on", "new"]).code(2).says("holds no goroutine");
    run(&["leaks.txt", "leaks.txt", "--fail-on", "new"]).code(0);
    let old = std::fs::read(sandbox.path().join("old.txt")).unwrap();
    sandbox.file("cut.txt", &old[..old.len() - 20]);
    run(&["old.txt", "cut.txt"]).code(0).says("cut.txt: warning");
    run(&["old.txt", "cut.txt", "--fail-on", "grown"]).code(2).says("not everything was read");
    run(&["old.txt"]).code(2).says("old.txt: there is nothing to compare it with");
    run(&["--fleet", "old.txt", "new.txt"]).code(2).says("--fleet");
    run(&["--series", "old.txt", "new.txt"]).code(2).says("--series");
    run(&["old.txt", "new.txt", "--fail-on", "grwon"]).code(2).says("did you mean grown?");
    run(&["old.txt", "new.txt", "--min-change", "x"]).code(2).says("--min-change");
    run(&["missing.txt", "new.txt", "--by", "shpae"]).code(2).says("did you mean shape?");
}

/// A bundle of two processes at three times, and a fourth where one is missing.
fn bundles() -> Sandbox {
    let sandbox = Sandbox::new();
    for (time, counts) in [("t1", [1, 10]), ("t9", [2, 10]), ("t10", [4, 9])] {
        for (node, count) in ["1", "2"].into_iter().zip(counts) {
            let path = format!("{time}/nodes/{node}/stacks.txt");
            sandbox.file(path, dump(&[("main.work", count)]));
        }
    }
    sandbox.file("t11/nodes/2/stacks.txt", dump(&[("main.work", 9)]));
    sandbox
}

#[test]
fn bundles_are_compared_as_a_whole_and_input_by_input() {
    let sandbox = bundles();
    let whole = sandbox.run(["diff", "t1", "t10", "-o", "json"]).quiet().json();
    assert_eq!(rows(&whole, "name"), ["main.work grown [11,13]"]);
    let processes = json!([
        {"name": "n1", "counts": [1, 4]},
        {"name": "n2", "counts": [10, 9]},
    ]);
    assert_eq!(whole["processes"], processes);
    let each = sandbox.run(["diff", "t1", "t10", "--by-input", "-o", "json"]).quiet().json();
    assert_eq!(each["by"], json!(["input", "shape"]));
    assert_eq!(rows(&each, "input"), ["n1 grown [1,4]", "n2 shrunk [10,9]"]);
    let names: Vec<&Value> = list(&each["inputs"]).iter().map(|input| &input["name"]).collect();
    assert_eq!(names, ["n1", "n2", "n1", "n2"]);
    let table = sandbox.run(["diff", "t1", "t11"]).quiet();
    assert!(table.text().contains("only at t1: n1"), "{}", table.text());
}

#[test]
fn a_selection_holds_at_every_point() {
    let sandbox = bundles();
    for select in [["--input", "n1"], ["--label", "node=1"]] {
        let arguments = [&["diff", "t1", "t10", "-o", "json"], &select[..]].concat();
        let document = sandbox.run(arguments).quiet().json();
        assert_eq!(document["totals"], json!([1, 4]), "{select:?}");
        assert_eq!(document["of"], json!([11, 13]), "{select:?}");
    }
}

#[test]
fn a_series_in_any_order_by_name_gives_the_same_bytes() {
    let sandbox = bundles();
    let run = |arguments: [&str; 3], threads: &str| {
        let options = ["diff", "--order", "name", "-o", "json", "--threads", threads];
        sandbox.run([&options[..], &arguments].concat()).quiet()
    };
    let ordered = run(["t1", "t9", "t10"], "1");
    assert_eq!(ordered.json()["points"], json!(["t1", "t9", "t10"]));
    assert_eq!(ordered.json()["totals"], json!([11, 12, 13]));
    assert_eq!(ordered.json()["trend"]["rises"], json!(true));
    for (arguments, threads) in [(["t10", "t1", "t9"], "2"), (["t9", "t10", "t1"], "8")] {
        assert!(run(arguments, threads).stdout == ordered.stdout, "{arguments:?}");
    }
    let given = sandbox.run(["diff", "t10", "t1", "t9", "-o", "json"]).quiet().json();
    assert_eq!(given["points"], json!(["t10", "t1", "t9"]));
}

#[test]
fn members_of_a_bundle_are_a_series_when_asked_for() {
    let sandbox = Sandbox::new();
    for (name, count) in [("s1", 1), ("s2", 2), ("s10", 3)] {
        sandbox.file(format!("dumps/{name}.txt"), dump(&[("main.leak", count), ("main.x", 5)]));
    }
    let ran = sandbox.run(["diff", "--series", "dumps"]).quiet();
    let first = ran.text().lines().next().expect("a line").to_owned();
    assert!(
        first.contains("6 → 7 → 8 goroutines over 3 points (+2, +33.3%, +1 a point)"),
        "{first}"
    );
    let row = ran.text().lines().find(|line| line.contains("main.leak")).expect("a row");
    assert!(row.contains("▁▅█") && row.contains("rises"), "{row}");
    let json = sandbox.run(["diff", "--series", "dumps", "-o", "json"]).quiet().json();
    assert_eq!(json["points"], json!(["s1.txt", "s2.txt", "s10.txt"]));
}

#[test]
fn long_series_are_told_by_their_ends() {
    let sandbox = Sandbox::new();
    for at in 1..=8 {
        sandbox.file(format!("dumps/{at}.txt"), dump(&[("main.leak", 10 * at)]));
    }
    let ran = sandbox.run(["diff", "--series", "dumps"]).quiet();
    let first = ran.text().lines().next().expect("a line").to_owned();
    assert_eq!(
        first,
        "1.txt → ... → 8.txt: 10 → ... → 80 goroutines over 8 points \
         (+70, +700%, +10 a point): no new stacks, 1 grown (+70)"
    );
    assert!(ran.text().contains("rising   1 stack rises at every step"), "{}", ran.text());
}

#[test]
fn normalized_points_are_compared_by_share() {
    let sandbox = Sandbox::new();
    sandbox.file("quiet.txt", dump(&[("main.a", 10), ("main.b", 10)]));
    sandbox.file("busy.txt", dump(&[("main.a", 40), ("main.b", 20)]));
    let ran = sandbox.run(["diff", "--normalize", "quiet.txt", "busy.txt"]).quiet();
    let first = ran.text().lines().next().expect("a line").to_owned();
    assert!(first.contains("20 → 60 goroutines (0, 0%, each point scaled to 20)"), "{first}");
    assert!(first.ends_with("no new stacks, 1 grown (+3.3), 1 shrunk (-3.3)"), "{first}");
    let json = sandbox.run(["diff", "--normalize", "quiet.txt", "busy.txt", "-o", "json"]);
    let json = json.quiet().json();
    assert_eq!(rows(&json, "name"), ["main.a grown [10,40]", "main.b shrunk [10,20]"]);
}

#[test]
fn files_of_one_name_are_told_apart_by_their_folders() {
    let sandbox = Sandbox::new();
    sandbox.file("monday/stacks.txt", dump(&[("main.a", 1)]));
    sandbox.file("tuesday/stacks.txt", dump(&[("main.a", 2)]));
    let ran = sandbox.run(["diff", "monday/stacks.txt", "tuesday/stacks.txt"]).quiet();
    assert!(ran.text().starts_with("monday → tuesday: 1 → 2 goroutines"), "{}", ran.text());
}

/// What became of the shapes of two processes of the same program in the same situation.
fn shapes(old: &str, new: &str) -> (Ran, std::collections::BTreeMap<String, i64>) {
    let path = |name| testdata(name).to_str().expect("UTF-8").to_owned();
    let ran = stackgazer(["diff", &path(old), &path(new), "-o", "json"]).code(0);
    let mut statuses = std::collections::BTreeMap::new();
    for row in list(&ran.json()["rows"]) {
        // The goroutine that writes the dump is elsewhere each time.
        if row["category"] != "main" {
            *statuses.entry(row["status"].as_str().expect("a status").to_owned()).or_default() += 1;
        }
    }
    (ran, statuses)
}

#[test]
fn formats_can_differ_and_what_can_t_be_compared_is_said() {
    let (ran, shapes) = shapes("traceback/go1.27.3.debug2.txt", "count/go1.27.3.debug1.txt");
    // Of a recursion 100 frames deep the text shows the outer frames, the profile the inner ones.
    assert_eq!(json!(shapes), json!({"same": 21, "new": 1, "gone": 1}));
    assert_eq!(ran.json()["persist"], Value::Null);
    ran.says("neither can be compared");
    let (ran, shapes) = self::shapes("count/go1.27.3.debug1.txt", "pprof/go1.27.3.debug0.pb.gz");
    assert_eq!(json!(shapes), json!({"same": 22}));
    ran.quiet();
}

#[test]
fn a_leak_profile_is_no_equal_of_a_whole_one() {
    let (ran, shapes) = shapes("pprof/go1.27.3.debug0.pb.gz", "pprof/go1.27.3.leak.debug0.pb.gz");
    assert!(!shapes.contains_key("new") && !shapes.contains_key("grown"), "{shapes:?}");
    ran.says("holds leaked goroutines only");
}
