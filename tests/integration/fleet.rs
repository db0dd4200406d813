//! Inputs set against each other: pivot tables, stacks that only some have, the one that differs.

use crate::document::list;
use crate::sandbox::{Ran, Sandbox, testdata};
use crate::schema::{assert_valid, validator};
use serde_json::{Value, json};

/// A dump of goroutines in these functions.
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

/// Nodes that serve and flush; the third has a pile of its own, the last doesn't flush.
fn fleet(nodes: usize) -> Sandbox {
    let sandbox = Sandbox::new();
    for node in 1..=nodes {
        let mut functions = vec![("ex.org/kv.serve", 100 + node % 7)];
        if node != nodes {
            functions.push(("ex.org/kv.flush", 60));
        }
        if node == 3 {
            functions.push(("ex.org/kv.reserve", 300));
        }
        sandbox.file(format!("nodes/{node}/stacks.txt"), dump(&functions));
    }
    sandbox
}

fn summarize(sandbox: &Sandbox, options: &[&str]) -> Ran {
    sandbox.run(["summarize", "nodes"].iter().chain(options))
}

fn rows(json: &Value) -> Vec<(String, i64)> {
    let row = |row: &Value| {
        (row["name"].as_str().expect("a name").to_owned(), row["total"].as_i64().expect("a total"))
    };
    list(&json["rows"]).iter().map(row).collect()
}

#[test]
fn every_input_has_a_column() {
    let sandbox = fleet(5);
    let json =
        summarize(&sandbox, &["--pivot", "input", "--by", "name", "-o", "json"]).quiet().json();
    assert_valid(&validator("summary"), &json, "pivot");
    assert_eq!(json["pivot"]["columns"][2], json!({"input": "n3", "total": 463}));
    let row = |name: &str| {
        let found = list(&json["rows"]).iter().find(|row| row["name"] == name);
        found.expect(name).clone()
    };
    let pile = row("kv.reserve");
    assert_eq!(pile["inputs"], json!({"n1": 0, "n2": 0, "n3": 300, "n4": 0, "n5": 0}));
    assert_eq!((&pile["median"], &pile["outliers"]), (&json!(0.0), &json!(["n3"])));
    assert_eq!(row("kv.flush")["outliers"], json!(["n5"]));
    assert_eq!(row("kv.serve")["outliers"], json!([]));
    // Whatever it is spread over, a row holds what it held, and the columns hold the inputs.
    for row in list(&json["rows"]) {
        let cells = row["inputs"].as_object().expect("inputs").values();
        let sum: i64 = cells.map(|cell| cell.as_i64().expect("a number")).sum();
        assert_eq!(row["total"], sum);
    }
    let table = summarize(&sandbox, &["--pivot", "input", "--by", "name"]).quiet();
    let heading = table.text().lines().find(|line| line.starts_with("NAME")).expect("a table");
    let words: Vec<&str> = heading.split_whitespace().collect();
    assert_eq!(words, ["NAME", "GOROUTINES", "n1", "n2", "n3", "n4", "n5"]);
    let csv = summarize(&sandbox, &["--pivot", "input", "--by", "name", "-o", "csv"]).quiet();
    let lines: Vec<&str> = csv.text().lines().collect();
    assert!(lines[0].ends_with("median,outliers,input:n1,input:n2,input:n3,input:n4,input:n5"));
    assert!(lines.iter().any(|line| line.ends_with(",0,n3,0,0,300,0,0")), "{lines:?}");
    for output in ["ndjson", "markdown"] {
        let text = summarize(&sandbox, &["--pivot", "input", "--by", "name", "-o", output]).quiet();
        assert!(text.text().contains("n3") && text.text().contains("300"), "{output}");
    }
}

#[test]
fn of_many_inputs_those_that_differ_have_a_column() {
    let table = summarize(&fleet(64), &["--pivot", "input", "--by", "name"]).quiet();
    let heading = table.text().lines().find(|line| line.starts_with("NAME")).expect("a table");
    let words: Vec<&str> = heading.split_whitespace().collect();
    assert_eq!(words, ["NAME", "GOROUTINES", "MEDIAN", "MOST", "ON", "n3", "n64"]);
    let pile = table.text().lines().find(|line| line.starts_with("kv.reserve")).expect("a row");
    let words: Vec<&str> = pile.split_whitespace().collect();
    assert_eq!(words, ["kv.reserve", "300", "0", "300", "n3", "300", "0"]);
    assert!(table.text().lines().all(|line| line.len() < 120), "{}", table.text());
}

#[test]
fn only_the_inputs_that_were_asked_for_are_columns() {
    let sandbox = fleet(6);
    let options = ["--pivot", "input", "--by", "name", "--input", "n1,n2", "-o", "json"];
    let json = summarize(&sandbox, &options).quiet().json();
    let columns = list(&json["pivot"]["columns"]).iter().map(|column| column["input"].clone());
    assert_eq!(Value::from_iter(columns), json!(["n1", "n2"]));
    // But an input that holds nothing of what was asked for is there, with nothing.
    let options = ["--pivot", "input", "--by", "name", "--name", "kv.reserve", "-o", "json"];
    let json = summarize(&sandbox, &options).quiet().json();
    assert_eq!(json["rows"][0]["inputs"]["n1"], 0);
    assert_eq!(json["rows"][0]["median"], 0.0);
}

#[test]
fn more_of_a_value_is_no_pile_of_goroutines() {
    let sandbox = Sandbox::new();
    let profile =
        |name: &str| std::fs::read(testdata(&format!("profiles/{name}"))).expect("a file");
    for at in 1..=4 {
        sandbox.file(format!("nodes/{at}.pb.gz"), profile("cpu.1.pb.gz"));
    }
    sandbox.file("nodes/5.pb.gz", profile("cpu.2.pb.gz"));
    let json = summarize(&sandbox, &["-o", "json"]).quiet().json();
    assert_eq!(json["verdict"]["outliers"], json!([]));
}

#[test]
fn frames_and_values_are_spread_too() {
    let sandbox = fleet(4);
    let options = ["--pivot", "input", "--by", "function", "-o", "json"];
    let json = summarize(&sandbox, &options).quiet().json();
    let row =
        list(&json["rows"]).iter().find(|row| row["function"] == "ex.org/kv.reserve").cloned();
    assert_eq!(row.expect("a row")["inputs"], json!({"n1": 0, "n2": 0, "n3": 300, "n4": 0}));
    let heaps = ["profiles/heap.1.pb.gz", "profiles/heap.2.pb.gz"];
    let heaps = heaps.map(|name| testdata(name).to_str().expect("UTF-8").to_owned());
    let ran = sandbox.run(["summarize", "--pivot", "input", "-o", "json", &heaps[0], &heaps[1]]);
    let json = ran.quiet().json();
    assert_valid(&validator("summary"), &json, "values");
    for row in list(&json["rows"]) {
        let cells = row["inputs"].as_object().expect("inputs").values();
        let sum: i64 = cells.map(|cell| cell.as_i64().expect("a number")).sum();
        assert_eq!(row["cum"], sum);
    }
}

#[test]
fn stacks_that_only_some_inputs_have_are_found() {
    let sandbox = fleet(5);
    let of = |options: &[&str]| {
        let all = ["--by", "name", "-o", "json"].iter().chain(options).copied();
        rows(&summarize(&sandbox, &all.collect::<Vec<_>>()).json())
    };
    let row = |name: &str, total: i64| (name.to_owned(), total);
    assert_eq!(of(&["--only-in", "n3"]), [row("kv.reserve", 300)]);
    assert_eq!(of(&["--only-in", "n?"]).len(), 3);
    assert_eq!(of(&["--only-in", "n1,n2,n4"]), []);
    assert_eq!(of(&["--only-in", "!n5"]), [row("kv.reserve", 300), row("kv.flush", 240)]);
    assert_eq!(of(&["--missing-in", "n5"]), [row("kv.reserve", 300), row("kv.flush", 240)]);
    assert_eq!(of(&["--missing-in", "n3"]), []);
    assert_eq!(of(&["--missing-in", "n5", "--input", "n1"]), [row("kv.flush", 60)]);
    let filtered = sandbox.run(["filter", "nodes", "--only-in", "n3", "-o", "json"]).quiet().json();
    assert_eq!(filtered["total"], 300);
}

#[test]
fn inputs_that_are_not_there_are_no_answer() {
    let sandbox = fleet(4);
    for option in ["--only-in", "--missing-in"] {
        let ran = sandbox.run(["filter", "nodes", option, "n7"]).code(2);
        ran.says("no input is called \"n7\"").says("the inputs are n1, n2, n3, n4");
    }
    sandbox.run(["filter", "nodes", "--only-in", "[z-"]).code(2).says("not a glob");
}

#[test]
fn the_verdict_names_the_input_that_differs() {
    let text = summarize(&fleet(8), &[]).quiet();
    let lines: Vec<&str> = text.text().lines().map(str::trim).collect();
    let expected = "outlier  n3 has 300 goroutines in kv.reserve, the 7 others 0";
    assert!(lines.contains(&expected), "{lines:#?}");
    assert!(lines.contains(&"n8 has 0 goroutines in kv.flush, the 7 others 60"), "{lines:#?}");
    assert!(lines.contains(&"--pivot input --by name shows them"), "{lines:#?}");
    let json = summarize(&fleet(8), &["-o", "json"]).quiet().json();
    assert_valid(&validator("summary"), &json, "outliers");
    let outlier = &json["verdict"]["outliers"][0];
    assert_eq!((&outlier["input"], &outlier["goroutines"]), (&json!("n3"), &json!(300)));
    assert_eq!(outlier["others"], json!({"inputs": 7, "min": 0, "median": 0.0, "max": 0}));
}

#[test]
fn inputs_that_are_alike_or_too_few_are_not_judged() {
    let sandbox = Sandbox::new();
    for node in 1..=12 {
        sandbox
            .file(format!("nodes/{node}/stacks.txt"), dump(&[("ex.org/kv.serve", 90 + 5 * node)]));
    }
    let bundle = testdata("bundle.zip");
    for path in [sandbox.path().join("nodes"), bundle] {
        let ran = sandbox.run(["summarize".as_ref(), path.as_os_str()]).quiet();
        assert!(!ran.text().contains("outlier"), "{}", ran.text());
    }
}

#[test]
fn what_cannot_be_spread_is_said() {
    let sandbox = fleet(4);
    let refused = |options: &[&str], what: &str| {
        summarize(&sandbox, &[&["--pivot", "input"], options].concat()).code(2).says(what);
    };
    refused(&["--by", "input"], "can't be combined with --by input");
    refused(&["--traces"], "has an effect on tables only");
    refused(&["--base", "nodes/1/stacks.txt"], "stackgazer diff OLD NEW --by-input");
}
