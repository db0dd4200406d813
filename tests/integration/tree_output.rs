//! `tree`: who created whom.

use crate::sandbox::{Sandbox, stackgazer, testdata};
use crate::schema::{assert_valid, validator};

fn bundle() -> String {
    testdata("bundle.zip").to_str().expect("UTF-8").to_owned()
}

const DUMP: &str = "\
goroutine 1 [select, 5 minutes]:
main.main()
\t/src/main.go:5 +0x1

goroutine 7 [select]:
main.work()
\t/src/main.go:9 +0x1
created by main.main in goroutine 1
\t/src/main.go:6 +0x2

goroutine 9 [chan receive, 2 minutes, locked to thread]:
main.read()
\t/src/main.go:12 +0x1
created by main.work in goroutine 7
\t/src/main.go:10 +0x2

goroutine 20 [IO wait]:
main.lost()
\t/src/main.go:20 +0x1
created by main.gone in goroutine 15
\t/src/main.go:21 +0x2
";

#[test]
fn documents_follow_their_schema() {
    let validator = validator("tree");
    let bundle = bundle();
    for arguments in [vec![], vec!["--state", "chan send"], vec!["--match", "no such thing"]] {
        let mut all = vec!["tree", bundle.as_str(), "-o", "json"];
        all.extend(&arguments);
        let document = stackgazer(all).code(0).json();
        assert_valid(&validator, &document, &format!("{arguments:?}"));
        let goroutines = document["goroutines"].as_array().expect("goroutines");
        assert_eq!(document["total"], goroutines.len());
        for (at, goroutine) in goroutines.iter().enumerate() {
            assert_eq!(goroutine["node"], at);
            match goroutine["parent"].as_u64() {
                None => assert_eq!(goroutine["depth"], 0),
                Some(parent) => {
                    let parent = &goroutines[usize::try_from(parent).expect("a place")];
                    assert_eq!(goroutine["created_by"]["id"], parent["id"]);
                    assert_eq!(
                        goroutine["depth"].as_u64(),
                        parent["depth"].as_u64().map(|d| d + 1)
                    );
                }
            }
        }
    }
}

#[test]
fn creators_stand_above_what_they_created() {
    let sandbox = Sandbox::new();
    sandbox.file("dump.txt", DUMP);
    let ran = sandbox.run(["tree", "dump.txt", "--no-default-rules"]).quiet();
    let lines: Vec<&str> = ran.text().lines().collect();
    for (line, start) in lines.iter().zip([
        "1 [select, 5 minutes] ",
        "└─ 7 [select] ",
        "   └─ 9 [chan receive, 2 minutes, locked to thread] ",
        "created by main.gone",
        "└─ 20 [IO wait] ",
    ]) {
        assert!(line.starts_with(start), "no {start:?} at the start of {line:?}");
    }
}

#[test]
fn a_selected_goroutine_is_marked_among_its_relations() {
    let sandbox = Sandbox::new();
    sandbox.file("dump.txt", DUMP);
    let ran = sandbox.run(["tree", "dump.txt", "--id", "7"]).quiet();
    assert!(ran.text().contains("\n└─ ▶ 7 [select]"), "{}", ran.text());
    assert!(ran.text().contains("9 [chan receive"), "what it created is shown too");
    assert!(!ran.text().contains("20 [IO wait]"), "others are not");
}

#[test]
fn circles_of_creators_end() {
    let sandbox = Sandbox::new();
    let goroutine = |id: u32, by: u32| {
        format!(
            "goroutine {id} [select]:\nmain.f()\n\t/src/main.go:5 +0x1\n\
             created by main.f in goroutine {by}\n\t/src/main.go:6 +0x2\n\n"
        )
    };
    let dump = goroutine(4, 3) + &goroutine(3, 5) + &goroutine(5, 4) + &goroutine(8, 8);
    sandbox.file("dump.txt", dump);
    for format in ["text", "json", "dot"] {
        sandbox.run(["tree", "dump.txt", "-o", format]).quiet();
    }
    let document = sandbox.run(["tree", "dump.txt", "-o", "json"]).quiet().json();
    let order: Vec<&str> = document["goroutines"]
        .as_array()
        .expect("goroutines")
        .iter()
        .map(|goroutine| goroutine["id"].as_str().expect("an id"))
        .collect();
    assert_eq!(order, ["3", "4", "5", "8"]);
}

#[test]
fn inputs_without_ids_are_told_and_the_others_shown() {
    let counts = testdata("count/go1.26.6.debug1.txt");
    let counts = counts.to_str().expect("UTF-8");
    stackgazer(["tree", counts]).code(2).says("has no ids").says("debug=2");
    let sandbox = Sandbox::new();
    sandbox.file("dump.txt", DUMP);
    let ran = sandbox.run(["tree", "dump.txt", counts]).code(2).says("go1.26.6.debug1");
    assert!(ran.text().contains("7 [select]"));
}

#[test]
fn graphs_have_an_edge_for_each_creation() {
    let sandbox = Sandbox::new();
    sandbox.file("dump.txt", DUMP);
    let ran = sandbox.run(["tree", "dump.txt", "-o", "dot"]).quiet();
    assert!(ran.text().starts_with("digraph goroutines {\n") && ran.text().ends_with("}\n"));
    for edge in ["g0 -> g1;", "g1 -> g2;", "gone0 -> g3 "] {
        assert!(ran.text().contains(edge), "no {edge} in {}", ran.text());
    }
}

#[test]
fn lines_and_rows_say_what_the_document_says() {
    let bundle = bundle();
    let run = |format: &str| {
        stackgazer(["tree", bundle.as_str(), "--state", "chan send", "-o", format]).quiet()
    };
    let (lines, document) = (run("ndjson"), run("json").json());
    crate::schema::assert_lines(
        "tree",
        lines.text(),
        &[("goroutine", "goroutine")],
        &["goroutines"],
    );
    let goroutines = document["goroutines"].as_array().expect("goroutines");
    assert_eq!(lines.text().lines().count(), 1 + goroutines.len());
    let rows = run("csv");
    let mut rows = csv::Reader::from_reader(rows.stdout.as_slice());
    let rows: Vec<csv::StringRecord> = rows.records().map(|row| row.expect("a row")).collect();
    assert_eq!(rows.len(), goroutines.len());
    for (row, goroutine) in rows.iter().zip(goroutines) {
        assert_eq!(row[0], goroutine["node"].to_string());
        assert_eq!(row[1], goroutine["parent"].as_u64().map_or(String::new(), |p| p.to_string()));
        assert_eq!(&row[4], goroutine["id"]);
        assert_eq!(&row[6], goroutine["state"]);
        assert_eq!(&row[13], goroutine["stack"]);
    }
}
