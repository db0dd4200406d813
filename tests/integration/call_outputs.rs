//! `export` to what shows who calls whom: flame graphs, speedscope, callgrind, dot.

use crate::sandbox::{Sandbox, stackgazer, testdata};
use std::path::Path;
use std::process::Command;

/// 449, 246 and 193 goroutines on nodes 1, 2 and 3, by bundle.expect.json.
const GOROUTINES: i64 = 888;

fn export(format: &str, input: &Path, more: &[&str]) -> String {
    let mut arguments = vec!["export", "-o", format];
    arguments.extend_from_slice(more);
    let arguments = arguments.iter().map(std::ffi::OsStr::new).chain([input.as_os_str()]);
    stackgazer(arguments).code(0).text().to_owned()
}

fn bundle(format: &str) -> String {
    export(format, &testdata("bundle.zip"), &[])
}

/// Two goroutines in three frames, one of a hostile name.
const DUMP: &str = "goroutine 1 [select]:\nmain.work(0x1)\n\t/src/a.go:9 +0x1d\nmain.main()\n\t/src/a.go:3 +0x1\n\n\
                    goroutine 2 [select]:\nmain.</title><script>alert(1)</script>()\n\t/src/a.go:9 +0x1d\n\
                    main.main()\n\t/src/a.go:3 +0x1\n";

#[test]
fn a_flame_graph_is_one_file_that_runs_nothing_of_its_input() {
    let sandbox = Sandbox::new();
    let dump = sandbox.file("dump.txt", DUMP);
    let svg = export("flamegraph", &dump, &[]);
    assert_eq!(svg.matches("<script>").count(), 1, "only its own");
    assert!(svg.contains("main.&lt;/title&gt;&lt;script&gt;alert"), "{svg}");
    assert!(svg.contains("<title>main.main\n2, 100.0%</title>"), "{svg}");
    for outside in ["href", "url(", "src=", "@import", "innerHTML", "eval(", "onclick", "onload"] {
        assert!(!svg.contains(outside), "{outside}");
    }
    // The names of namespaces are the only addresses.
    let addresses: Vec<&str> = svg.match_indices("http").map(|(at, _)| &svg[at..at + 18]).collect();
    assert!(addresses.iter().all(|address| *address == "http://www.w3.org/"), "{addresses:?}");
}

#[test]
fn the_boxes_of_a_row_lie_beside_each_other() {
    let svg = bundle("flamegraph");
    let number = |line: &str, name: &str| -> f64 {
        let rest = line.split_once(&format!("{name}=\"")).expect("the attribute").1;
        rest.split('"').next().and_then(|text| text.parse().ok()).expect("a number")
    };
    let mut ends = std::collections::BTreeMap::new();
    let mut boxes = 0;
    for line in svg.lines().filter(|line| line.contains("</title><rect ")) {
        let (x, y, width) = (number(line, " x"), number(line, " y"), number(line, " width"));
        let end = ends.insert(y as i64, x + width).unwrap_or(10.0);
        assert!(x > end - 0.001, "{line} starts before {end}");
        boxes += 1;
    }
    assert!(boxes > 100, "{boxes}");
    assert!(svg.contains("888 goroutines"), "{}", &svg[..900]);
}

#[test]
fn a_flame_graph_of_two_dumps_shows_what_grew_and_what_is_gone() {
    let sandbox = Sandbox::new();
    let goroutine = |id: u32, name: &str| {
        format!("goroutine {id} [select]:\nmain.{name}(0x1)\n\t/src/a.go:9 +0x1d\n\n")
    };
    sandbox.file("old.txt", goroutine(1, "gone") + &goroutine(2, "kept"));
    sandbox.file("new.txt", goroutine(2, "kept") + &goroutine(3, "grown"));
    let compare = |format: &str| {
        let ran = sandbox.run(["export", "-o", format, "new.txt", "--base", "old.txt"]);
        ran.quiet().text().to_owned()
    };
    let svg = compare("flamegraph");
    for part in [
        "2 goroutines, 2 before",
        "new.txt compared with old.txt; red grew, blue shrank",
        "main.gone\n0, 1 before, -1, -50.0%</title>",
        "main.kept\n1, 1 before, unchanged</title>",
        "main.grown\n1, 0 before, +1, 50.0%</title>",
    ] {
        assert!(svg.contains(part), "no {part:?} in {svg}");
    }
    assert_eq!(compare("folded"), "main.gone 1 0\nmain.grown 0 1\nmain.kept 1 1\n");
    sandbox.run(["export", "-o", "debug2", "new.txt", "--base", "old.txt"]).code(2).says("--base");
}

#[test]
fn narrow_boxes_are_left_out_and_counted() {
    let sandbox = Sandbox::new();
    let lines: String = "20000 @ 0x1\n#\t0x1\tmain.big+0x1\t/src/a.go:1\n\n\
                         1 @ 0x2 0x3\n#\t0x2\tmain.leaf+0x1\t/src/a.go:2\n#\t0x3\tmain.small+0x1\t/src/a.go:3\n\n"
        .to_owned();
    let dump = sandbox.file("dump.txt", format!("goroutine profile: total 20001\n{lines}"));
    let svg = export("flamegraph", &dump, &[]);
    assert!(svg.contains("2 narrower boxes left out (0.0%)"), "{svg}");
    assert!(!svg.contains("main.small"));
}

#[test]
fn of_very_many_boxes_those_next_to_the_root_are_drawn() {
    let sandbox = Sandbox::new();
    let mut dump = String::from("goroutine profile: total 11000\n");
    for at in 0..11_000 {
        dump.push_str(&format!(
            "1 @ 0x1 0x2\n#\t0x1\tmain.leaf{at}+0x1\t/src/a.go:1\n\
             #\t0x2\tmain.root{at}+0x1\t/src/a.go:2\n\n"
        ));
    }
    let svg = export("flamegraph", &sandbox.file("dump.txt", dump), &[]);
    let boxes = |name: &str| svg.matches(&format!("<title>main.{name}")).count();
    assert_eq!((boxes("root"), boxes("leaf")), (11_000, 20_000 - 11_000 - 1));
    assert!(svg.contains("2,001 narrower boxes left out (18.2%)"), "{}", svg.len());
}

#[test]
fn speedscope_documents_are_what_their_schema_says() {
    let schema = std::fs::read(testdata("schemas/speedscope.json")).expect("the schema");
    let schema: serde_json::Value = serde_json::from_slice(&schema).expect("JSON");
    let validator = jsonschema::draft7::new(&schema).expect("a schema");
    let document: serde_json::Value =
        serde_json::from_str(&bundle("speedscope")).expect("a document");
    crate::schema::assert_valid(&validator, &document, "bundle.zip");
    let profile = &document["profiles"][0];
    let weights = profile["weights"].as_array().expect("weights");
    let sum: i64 = weights.iter().filter_map(serde_json::Value::as_i64).sum();
    assert_eq!((sum, profile["endValue"].as_i64()), (GOROUTINES, Some(GOROUTINES)));
    let frames = document["shared"]["frames"].as_array().expect("frames").len();
    let samples = profile["samples"].as_array().expect("samples");
    assert_eq!(samples.len(), weights.len());
    for frame in samples.iter().flat_map(|sample| sample.as_array().expect("a stack")) {
        assert!(frame.as_u64().is_some_and(|frame| frame < frames as u64));
    }
}

#[test]
fn every_sample_type_is_a_speedscope_profile() {
    let heap = testdata("profiles/heap.1.pb.gz");
    let document: serde_json::Value =
        serde_json::from_str(&export("speedscope", &heap, &["--value", "alloc_space"]))
            .expect("a document");
    let schema = std::fs::read(testdata("schemas/speedscope.json")).expect("the schema");
    let schema: serde_json::Value = serde_json::from_slice(&schema).expect("JSON");
    let validator = jsonschema::draft7::new(&schema).expect("a schema");
    crate::schema::assert_valid(&validator, &document, "heap");
    let names: Vec<(&str, &str)> = document["profiles"]
        .as_array()
        .expect("profiles")
        .iter()
        .map(|one| (one["name"].as_str().expect("a name"), one["unit"].as_str().expect("a unit")))
        .collect();
    let expected = [
        ("alloc_objects", "none"),
        ("alloc_space", "bytes"),
        ("inuse_objects", "none"),
        ("inuse_space", "bytes"),
    ];
    assert_eq!(names, expected);
    assert_eq!(document["activeProfileIndex"], 1);
}

#[test]
fn callgrind_files_are_understood_where_their_tool_is() {
    let sandbox = Sandbox::new();
    let file = sandbox.file("callgrind.out", bundle("callgrind"));
    let Ok(read) = Command::new("callgrind_annotate").arg("--threshold=100").arg(&file).output()
    else {
        return;
    };
    let told = String::from_utf8_lossy(&read.stdout);
    assert!(read.status.success(), "{}", String::from_utf8_lossy(&read.stderr));
    let total = told.lines().find(|line| line.contains("PROGRAM TOTALS")).expect("totals");
    assert!(total.trim_start().starts_with("888 "), "{total}");
}

#[test]
fn graphs_hold_no_more_functions_than_asked_for() {
    let graph = bundle("dot");
    let boxes = |graph: &str| graph.lines().filter(|line| line.starts_with("  f")).count();
    let calls = |graph: &str| graph.lines().filter(|line| line.contains(" -> f")).count();
    assert!(boxes(&graph) - calls(&graph) <= 80);
    let small = export("dot", &testdata("bundle.zip"), &["-n", "5"]);
    assert_eq!(
        small.lines().filter(|line| line.contains(" [label=") && !line.contains(" -> ")).count(),
        5
    );
    assert!(small.contains("smaller functions left out"), "{small}");
    for text in [graph, small] {
        let sandbox = Sandbox::new();
        let file = sandbox.file("graph.dot", text);
        // Where Graphviz is, it has to understand them.
        if let Ok(drawn) = Command::new("dot").arg("-Tsvg").arg(&file).output() {
            let error = String::from_utf8_lossy(&drawn.stderr);
            assert!(drawn.status.success() && !error.contains("syntax"), "{error}");
        }
    }
}

#[test]
fn ten_thousand_frames_are_no_trouble() {
    let sandbox = Sandbox::new();
    let mut dump = String::from("goroutine 1 [select]:\n");
    for at in 0..10_000 {
        dump.push_str(&format!("main.f{}()\n\t/src/a.go:{at} +0x1\n", at % 7));
    }
    let dump = sandbox.file("dump.txt", dump);
    for format in ["flamegraph", "speedscope", "callgrind", "dot", "folded"] {
        assert!(export(format, &dump, &[]).contains("main"), "{format}");
    }
}
