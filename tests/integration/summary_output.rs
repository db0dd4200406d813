//! `summarize`: the verdict, the table, and what programs read.

use crate::sandbox::{Ran, Sandbox, stackgazer, testdata};
use crate::schema::{assert_valid, validator};
use serde_json::Value;

fn bundle() -> String {
    testdata("bundle.zip").to_str().expect("UTF-8").to_owned()
}

fn summarize(arguments: &[&str]) -> Ran {
    let bundle = bundle();
    let mut all = vec!["summarize", bundle.as_str()];
    all.extend(arguments);
    stackgazer(all)
}

const KEYS: [&str; 13] = [
    "category", "name", "stack", "state", "kind", "wait", "input", "creator", "package",
    "function", "file", "line", "module",
];

#[test]
fn documents_follow_their_schema_whatever_they_count_by() {
    let validator = validator("summary");
    let keys = KEYS.iter().copied().chain(["label:tenant", "input,state,label:page", "kind,line"]);
    for by in keys {
        let document = summarize(&["--by", by, "-o", "json"]).quiet().json();
        assert_valid(&validator, &document, by);
        let rows = document["rows"].as_array().expect("rows");
        for row in rows {
            for key in by.split(',') {
                assert!(row.get(key).is_some(), "{by}: a row without {key}");
            }
        }
        let of_frames = ["package", "function", "file", "line", "module"];
        let sum: i64 = rows.iter().map(|row| row["total"].as_i64().expect("a number")).sum();
        if by.split(',').any(|key| of_frames.contains(&key)) {
            let flat: i64 = rows.iter().map(|row| row["flat"].as_i64().expect("flat")).sum();
            assert_eq!(flat, document["total"], "{by}: every goroutine has one leaf");
            assert!(rows.iter().all(|row| row["cum"].as_i64() >= row["flat"].as_i64()), "{by}");
        } else {
            assert_eq!(sum, document["total"], "{by}: every goroutine counts in one row");
        }
    }
}

#[test]
fn lines_follow_the_schema_and_hold_what_the_document_holds() {
    let validator = validator("summary");
    let document = summarize(&["--by", "input", "-o", "json"]).quiet().json();
    let lines = summarize(&["--by", "input", "-o", "ndjson"]).quiet();
    let lines: Vec<Value> =
        lines.text().lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    for line in &lines {
        assert_valid(&validator, line, "a line");
    }
    assert_eq!(lines[0]["type"], "inputs");
    assert_eq!(lines[0]["total"], document["total"]);
    assert_eq!(lines[1]["type"], "verdict");
    let rows = document["rows"].as_array().expect("rows");
    assert_eq!(lines.len(), 2 + rows.len());
    assert_eq!(lines[2]["input"], rows[0]["input"]);
}

#[test]
fn the_verdict_comes_first_and_the_table_has_a_row_for_each_category() {
    let ran = summarize(&[]).quiet();
    let text = ran.text();
    let document = summarize(&["-o", "json"]).quiet().json();
    assert!(text.starts_with("3 inputs, "), "{text}");
    for label in
        ["  stuck    ", "  mostly   ", "  waiting  longest ", "  leaks    ", "  reading  complete"]
    {
        assert!(text.contains(&format!("\n{label}")), "no {label:?} in {text}");
    }
    let table = text.split("\n\n").last().expect("a table");
    assert!(table.starts_with("CATEGORY"), "{table}");
    assert_eq!(table.lines().count() - 1, document["rows"].as_array().expect("rows").len());
}

#[test]
fn colours_change_nothing_but_colours() {
    let plain = summarize(&["--color", "never"]).quiet();
    let colored = summarize(&["--color", "always"]).quiet();
    assert!(colored.text().contains('\u{1b}'));
    let codes = regex::Regex::new("\u{1b}\\[[0-9;]*m").expect("a regex");
    let stripped: Vec<String> = codes
        .replace_all(colored.text(), "")
        .lines()
        .map(|line| line.trim_end().to_owned())
        .collect();
    assert_eq!(stripped, plain.text().lines().map(str::trim_end).collect::<Vec<_>>());
}

#[test]
fn the_environment_decides_about_colours() {
    let bundle = bundle();
    let run = |environment: &[(&str, &str)]| {
        let ran = Sandbox::new().run_with(["summarize", bundle.as_str()], b"", environment);
        ran.quiet().text().contains('\u{1b}')
    };
    assert!(!run(&[]));
    assert!(run(&[("CLICOLOR_FORCE", "1")]));
    assert!(!run(&[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")]));
}

#[test]
fn csv_has_a_column_for_each_key() {
    let ran = summarize(&["--by", "input,state", "-o", "csv"]).quiet();
    let mut reader = csv::Reader::from_reader(ran.stdout.as_slice());
    let header = reader.headers().expect("a header").clone();
    assert_eq!(header.iter().take(3).collect::<Vec<_>>(), ["input", "state", "total"]);
    let document = summarize(&["--by", "input,state", "-o", "json"]).quiet().json();
    let rows: Vec<_> = reader.records().map(|record| record.expect("a record")).collect();
    assert_eq!(rows.len(), document["rows"].as_array().expect("rows").len());
    assert_eq!(rows[0][2], document["rows"][0]["total"].to_string());
}

#[test]
fn a_limit_keeps_the_first_rows_and_says_how_many_are_left_out() {
    let all = summarize(&["--by", "state", "-o", "json"]).quiet().json();
    let one = summarize(&["--by", "state", "-o", "json", "-n", "1"]).quiet().json();
    let count = all["rows"].as_array().expect("rows").len();
    assert_eq!(one["rows"], serde_json::json!([all["rows"][0]]));
    assert_eq!(one["left_out"], count - 1);
    let text = summarize(&["--by", "state", "-n", "1"]).quiet();
    assert!(
        text.text().ends_with(&format!("... and {} more rows\n", count - 1)),
        "{}",
        text.text()
    );
}

#[test]
fn unknown_keys_are_pointed_at_before_anything_is_read() {
    let ran = stackgazer(["summarize", "missing.txt", "--by", "input,fucntion"]).code(2);
    let ran = ran.says("column 7").says("did you mean function?");
    assert!(!ran.stderr.contains("missing.txt"));
}

#[test]
fn a_crash_comes_first() {
    let dump = testdata("traceback/go1.26.6.panic.txt");
    let ran = stackgazer(["summarize", dump.to_str().expect("UTF-8")]).code(0);
    let crash = ran.text().find("\n  crash    panic: ").expect("the panic");
    assert!(crash < ran.text().find("\n  mostly ").expect("the states"));
}

#[test]
fn what_was_lost_is_told() {
    let sandbox = Sandbox::new();
    let dump = "goroutine 1 [running]:\nmain.main()\n\t/src/main.go:5 +0x1\n\n\
                goroutine 2 [select]:\nmain.work(0x";
    sandbox.file("cut.txt", dump);
    let ran = sandbox.run(["summarize", "cut.txt"]).code(0);
    assert!(ran.text().contains("\n  reading  not complete: "), "{}", ran.text());
    sandbox.run(["summarize", "--strict", "cut.txt"]).code(2);
}

#[test]
fn names_that_would_steer_a_terminal_are_raw_in_a_pipe() {
    let sandbox = Sandbox::new();
    sandbox.file("a.txt", "goroutine 1 [running]:\nmain.\u{202e}niam()\n\t/src/main.go:5 +0x1\n");
    let ran = sandbox.run(["summarize", "--by", "function", "a.txt"]).code(0);
    assert!(ran.text().contains('\u{202e}'));
}
