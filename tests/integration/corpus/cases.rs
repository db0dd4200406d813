//! The hard cases of `corpus/cases`: all that EXPECT.tsv says of each, not only the number.

use crate::agreement::export;
use crate::containers::{self, WRAPPINGS};
use crate::document::{Document, Goroutine, list};
use crate::sandbox::corpus;
use std::path::PathBuf;

fn case(name: &str) -> PathBuf {
    let folder = corpus().join("corpus/cases");
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).expect("the cases") {
        let path = entry.expect("an entry").path();
        if path.file_name().is_some_and(|file| file.to_string_lossy().starts_with(name)) {
            found.push(path);
        }
    }
    assert_eq!(found.len(), 1, "{name}");
    found.remove(0)
}

/// A test of one case: its name, and what must be true of its document.
macro_rules! case {
    ($test:ident, $name:literal, $goroutines:literal, $check:expr) => {
        #[test]
        #[ignore = "needs STACKGAZER_CORPUS"]
        fn $test() {
            let path = case($name);
            let document = export(&path);
            assert_eq!(document.count(), $goroutines);
            assert_eq!(document.total(), $goroutines);
            let check: fn(&Document) = $check;
            check(&document);
        }
    };
}

fn labels(one: &Goroutine) -> Vec<(&str, &str)> {
    one.labels.iter().map(|(key, value)| (key.as_str(), value.as_str())).collect()
}

fn work(line: i64) -> (String, String, i64) {
    ("main.work".to_owned(), "/src/app/main.go".to_owned(), line)
}

/// The three goroutines that most cases hold.
fn three_plain(document: &Document) {
    for (id, state, line) in [("1", "running", 40), ("7", "chan receive", 41), ("99", "select", 42)]
    {
        let one = document.goroutine(id);
        assert_eq!((one.state(), one.wait), (state, Some(0.0)), "{id}");
        assert_eq!(one.frames, [work(line)], "{id}");
        assert_eq!(one.created_by.as_deref(), Some("1"), "{id}");
        let creator = ("main.main".to_owned(), "/src/app/main.go".to_owned(), 12);
        assert_eq!(one.creator, Some(creator), "{id}");
        assert_eq!((one.flags.len(), one.labels.len()), (0, 0), "{id}");
        assert_eq!(one.elided, None, "{id}");
    }
    assert_eq!(document.inputs()[0]["complete"], true);
    assert_eq!(list(&document.inputs()[0]["warnings"]).len(), 0);
}

case!(plain, "01", 3, three_plain);

case!(minutes_and_locked, "02", 3, |document| {
    let one = document.goroutine("7");
    assert_eq!((one.state(), one.wait), ("syscall", Some(12.0)));
    assert_eq!(one.flags, ["locked to thread"]);
});

case!(states_in_parentheses, "03", 5, |document| {
    assert_eq!(document.goroutine("7").state(), "chan receive (nil chan)");
    let worker = document.goroutine("8");
    assert_eq!((worker.state(), worker.wait), ("GC worker (idle)", Some(16.0)));
    assert_eq!(document.goroutine("9").state(), "sync.Mutex.Lock");
    assert!(document.flags().is_empty());
});

case!(gp_without_m, "04", 3, |document| {
    let one = document.goroutine("7");
    assert_eq!((one.state(), one.wait), ("select", Some(5.0)));
    assert!(one.flags.is_empty());
});

case!(gp_with_m, "05", 3, |document| {
    let one = document.goroutine("7");
    assert_eq!(one.state(), "running");
    assert_eq!(one.flags, ["locked to thread"]);
});

case!(scan, "06", 3, |document| {
    let one = document.goroutine("7");
    assert_eq!(one.state(), "runnable");
    assert_eq!(one.flags, ["scan"]);
});

case!(synctest_group_of_go_1_24, "07", 3, |document| {
    let one = document.goroutine("7");
    assert!(one.has_flag("synctest bubble 34"), "{:?}", one.flags);
    assert_eq!(one.kind, document.goroutine("7").kind);
    assert!(one.state().starts_with("chan receive"), "{}", one.state());
});

case!(synctest_bubbles_of_go_1_25, "08", 4, |document| {
    let one = document.goroutine("7");
    assert_eq!(one.state(), "chan receive");
    assert_eq!(one.flags, ["durable", "synctest bubble 1"]);
    let other = document.goroutine("8");
    assert_eq!((other.state(), other.wait), ("sleep", Some(4.0)));
    assert_eq!(other.flags, ["durable", "locked to thread", "synctest bubble 12"]);
});

case!(leaked, "09", 4, |document| {
    for (id, state) in [("7", "chan send"), ("8", "chan receive (nil chan)")] {
        let one = document.goroutine(id);
        assert_eq!((one.state(), one.wait), (state, None));
        assert_eq!(one.flags, ["leaked"]);
    }
});

case!(labels_of_go_1_26, "10", 3, |document| {
    let one = document.goroutine("7");
    assert_eq!((one.state(), one.wait), ("select", Some(5.0)));
    assert_eq!(labels(one), [("k", "v"), ("node", "n1")]);
    assert!(one.flags.is_empty());
});

case!(labels_with_brackets, "11", 3, |document| {
    let one = document.goroutine("7");
    assert_eq!(one.state(), "chan receive");
    assert_eq!(labels(one), [("req id", "a\"b, c: }]")]);
});

case!(labels_of_go_1_27, "12", 3, |document| {
    let one = document.goroutine("7");
    assert_eq!((one.state(), one.wait), ("select", Some(5.0)));
    assert_eq!(labels(one), [("k", "v"), ("node", "n1")]);
});

case!(quoted_labels_of_go_1_27, "13", 3, |document| {
    let one = document.goroutine("7");
    assert_eq!(one.flags, ["leaked"]);
    assert_eq!(labels(one), [("node", "n1"), ("req id", "a\"b, c: }]")]);
});

case!(gp_and_labels, "14", 3, |document| {
    let one = document.goroutine("7");
    assert_eq!(one.state(), "select");
    assert_eq!(one.flags, ["locked to thread"]);
    assert_eq!(labels(one), [("k", "v")]);
});

case!(elided_without_a_number, "15", 3, |document| {
    let one = document.goroutine("7");
    assert!(one.elided.is_some(), "elided, although nobody knows how many");
    assert_eq!(one.funcs(), ["main.f"]);
    assert_eq!(one.creator.as_ref().expect("its creator is kept").0, "main.main");
    assert_eq!(one.created_by, None);
});

case!(elided_in_the_middle, "16", 3, |document| {
    let one = document.goroutine("7");
    assert_eq!(one.elided, Some(23.into()));
    assert_eq!(one.funcs(), ["main.f", "main.g"]);
    assert_eq!(one.created_by.as_deref(), Some("1"));
    assert_eq!(document.inputs()[0]["complete"], true);
});

case!(stack_unavailable, "17", 3, |document| {
    let one = document.goroutine("7");
    assert_eq!(one.flags, ["unavailable"]);
    assert!(one.frames.is_empty());
    assert_eq!(one.creator.as_ref().expect("its creator is kept").2, 12);
});

case!(ancestors_are_no_goroutines, "18", 3, |document| {
    let one = document.goroutine("7");
    assert_eq!(one.funcs(), ["main.f"]);
    assert_eq!(one.ancestors.len(), 1);
    assert_eq!(one.ancestors[0]["id"], "1");
    let frames = list(&one.ancestors[0]["frames"]);
    assert_eq!(frames.len(), 2);
    assert_eq!(frames[0]["func"], "main.start");
    assert_eq!(frames[0]["line"], 30);
});

case!(native_frames, "19", 3, |document| {
    let funcs = document.goroutine("7").funcs();
    assert_eq!(funcs.len(), 2);
    assert!(funcs[0].contains("7f0000001234"), "{funcs:?}");
    assert_eq!(funcs[1], "runtime.cgocall");
});

case!(fp_sp_pc, "20", 3, |document| {
    let one = document.goroutine("7");
    assert_eq!(one.funcs(), ["main.f", "runtime.goexit"]);
    assert_eq!((one.frames[0].1.as_str(), one.frames[0].2), ("/src/a.go", 1));
    assert_eq!(one.frames[1].2, 1695);
});

case!(generics_and_aggregates, "21", 3, |document| {
    let funcs = document.goroutine("7").funcs();
    assert_eq!(funcs, ["main.(*Box[...]).Recv", "main.Do[...].func1"]);
});

case!(windows_paths_with_spaces, "22", 3, |document| {
    let one = document.goroutine("7");
    let file = "C:/Program Files/Go/src/runtime/proc.go".to_owned();
    assert_eq!(one.frames, [("main.f".to_owned(), file, 460)]);
    assert_eq!(one.creator.as_ref().expect("a creator").1, "C:/my src (x86)/main.go");
});

case!(crlf, "23", 3, three_plain);
case!(kubectl_timestamps, "24", 3, three_plain);
case!(journald, "25", 3, three_plain);
case!(cri, "26", 3, three_plain);
case!(docker_json, "27", 3, three_plain);
case!(escaped_line, "28", 3, three_plain);
case!(indented_by_a_test, "29", 3, three_plain);

case!(truncated, "30", 3, |document| {
    let last = document.goroutine("99");
    assert_eq!(last.flags, ["truncated"]);
    assert_eq!(last.frames, [work(42)]);
    assert_eq!(document.inputs()[0]["complete"], false);
    assert_eq!(document.warnings(), ["partial"]);
});

case!(a_log_line_inside_a_goroutine, "31", 3, |document| {
    assert_eq!(document.goroutine("7").frames, [work(41)]);
    assert_eq!(document.warnings(), ["foreign-line"]);
    let warning = &document.inputs()[0]["warnings"][0];
    assert_eq!(warning["line"], 9);
    assert_eq!(document.inputs()[0]["complete"], false);
});

case!(a_long_line, "32", 3, |document| {
    assert_eq!(document.goroutine("7").funcs(), ["main.f"]);
    assert_eq!(document.inputs()[0]["complete"], true);
});

case!(no_blank_line_between, "33", 3, three_plain);

case!(recovered_and_repanicked, "34", 3, |document| {
    three_plain(document);
    let crash = &document.inputs()[0]["crash"];
    assert_eq!(crash["kind"], "panic");
    assert!(crash["text"].as_str().expect("a text").starts_with("boom"), "{crash}");
    assert_eq!(crash["goroutine"], "1");
});

case!(sigquit, "35", 4, |document| {
    let zero = document.goroutine("0");
    assert_eq!(zero.flags, ["system"]);
    assert_eq!(zero.state(), "idle");
    assert_eq!(document.flags().get("system"), Some(&1));
    assert_eq!(document.inputs()[0]["crash"]["kind"], "signal");
    assert_eq!(document.goroutine("99").frames, [work(42)]);
    assert_eq!(document.inputs()[0]["complete"], true);
});

case!(diagnostics_of_the_runtime, "36", 3, |document| {
    assert_eq!(document.goroutine("7").funcs(), ["main.f", "main.g"]);
    assert_eq!(document.goroutine("7").frames[1].2, 2);
});

#[test]
#[ignore = "needs STACKGAZER_CORPUS"]
fn a_race_report_is_no_goroutine() {
    let path = case("90");
    let document = export(&path);
    assert_eq!(document.count(), 0);
    assert_eq!(document.inputs()[0]["race_reports"], 3);
}

case!(leak_profile_with_labels, "91", 8, |document| {
    assert_eq!(document.flags().get("leaked"), Some(&6));
    let labelled = document.goroutines.iter().filter(|one| !one.labels.is_empty()).count();
    assert_eq!(labelled, 3);
});

#[test]
#[ignore = "needs STACKGAZER_CORPUS"]
fn every_case_in_every_container_gives_the_same_goroutines() {
    let folder = corpus();
    let mut wrong = Vec::new();
    for path in crate::sandbox::files_below(&folder.join("corpus/cases")) {
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        // Those that are in a container already, or aren't text of goroutines.
        let wrapped = ["24_", "25_", "26_", "27_", "28_", "29_", "90_", "EXPECT"];
        if wrapped.iter().any(|start| name.starts_with(start)) {
            continue;
        }
        let bytes = std::fs::read(&path).expect("a case");
        let plain = containers::read("plain.txt", &bytes);
        for (container, file, wrap) in WRAPPINGS {
            // A log line is a line of its own: what was cut at the end of a file isn't cut any more.
            let found = containers::read(file, &wrap(&bytes));
            // No browser keeps the half of a line end.
            let is_odd = name == "23_crlf.txt" && *container == "Firefox";
            if !is_odd && without_cut(&found) != without_cut(&plain) {
                wrong.push(format!("{name} in {container}: {} goroutines", found.len()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn without_cut(goroutines: &[Goroutine]) -> Vec<Goroutine> {
    let mut goroutines = goroutines.to_vec();
    for one in &mut goroutines {
        one.flags.retain(|flag| flag != "truncated");
    }
    goroutines
}

#[test]
#[ignore = "needs STACKGAZER_CORPUS"]
fn several_cases_in_one_stream_are_all_read() {
    let mut stream = Vec::new();
    let mut expected = 0;
    for (number, goroutines) in [("01", 3), ("03", 5), ("08", 4), ("16", 3), ("34", 3), ("12", 3)] {
        let path = case(number);
        stream.extend(std::fs::read(path).expect("a case"));
        expected += goroutines;
    }
    let sandbox = crate::sandbox::Sandbox::new();
    sandbox.file("all.txt", stream);
    let document = Document::new(sandbox.run(["export", "-o", "json", "all.txt"]).code(0).json());
    assert_eq!(document.count(), expected);
}
