//! `export`: everything, in every format.

use crate::containers::gzip;
use crate::document::Document;
use crate::losses::{DUMP, incident};
use crate::sandbox::{Sandbox, stackgazer, testdata};

fn bundle(format: &str) -> crate::sandbox::Ran {
    let bundle = testdata("bundle.zip");
    stackgazer(["export".as_ref(), "-o".as_ref(), format.as_ref(), bundle.as_os_str()]).quiet()
}

/// 449, 246 and 193 goroutines on nodes 1, 2 and 3, by bundle.expect.json.
const GOROUTINES: i64 = 888;

#[test]
fn json_counts_the_same_at_every_level() {
    let document = Document::new(bundle("json").json());
    assert_eq!(document.total(), GOROUTINES);
    assert_eq!(document.count(), GOROUTINES);
    let states = crate::document::counts(&document.json["states"]);
    assert_eq!(states, document.states());
    for category in crate::document::list(&document.json["categories"]) {
        let stacks = crate::document::list(&category["stacks"]);
        let sum: i64 = stacks.iter().filter_map(|stack| stack["total"].as_i64()).sum();
        assert_eq!(category["total"].as_i64(), Some(sum));
        for stack in stacks {
            let inputs = crate::document::list(&stack["inputs"]);
            let sum: i64 = inputs.iter().filter_map(|input| input["total"].as_i64()).sum();
            assert_eq!(stack["total"].as_i64(), Some(sum));
        }
    }
}

#[test]
fn json_is_sorted() {
    let document = Document::new(bundle("json").json());
    let names: Vec<&str> = crate::document::list(&document.json["categories"])
        .iter()
        .filter_map(|category| category["name"].as_str())
        .collect();
    assert!(names.is_sorted(), "{names:?}");
    for group in document.goroutines.chunk_by(|a, b| {
        (&a.stack, &a.input, &a.state, &a.flags, &a.labels, &a.creator)
            == (&b.stack, &b.input, &b.state, &b.flags, &b.labels, &b.creator)
    }) {
        let ids = group.iter().map(|one| one.id.as_deref().map(|id| id.parse::<u64>().ok()));
        assert!(ids.is_sorted());
    }
}

#[test]
fn csv_has_a_row_for_each_goroutine() {
    let ran = bundle("csv");
    let mut reader = csv::Reader::from_reader(&ran.stdout[..]);
    let header: Vec<String> =
        reader.headers().expect("a header").iter().map(str::to_owned).collect();
    assert_eq!(
        header.join(","),
        "input,goroutine,count,category,name,state,kind,wait_minutes,flags,labels,created_by,\
         created_by_func,stack,shape"
    );
    let mut sum = 0;
    for row in reader.records() {
        let row = row.expect("as many cells as the header");
        sum += row[2].parse::<i64>().expect("a count");
    }
    assert_eq!(sum, GOROUTINES);
}

#[test]
fn ndjson_has_inputs_then_stacks_then_goroutines() {
    let ran = bundle("ndjson");
    let objects: Vec<serde_json::Value> =
        ran.text().lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let types: Vec<&str> =
        objects.iter().map(|one| one["type"].as_str().expect("a type")).collect();
    assert_eq!(types[0], "inputs");
    let mut seen = std::collections::BTreeSet::new();
    let mut goroutines = 0;
    for object in &objects[1..] {
        let id = |key: &str| object[key].as_str().expect("an id").to_owned();
        match object["type"].as_str() {
            Some("stack") => assert!(seen.insert(id("id")), "each stack once"),
            Some("goroutine") => {
                assert!(seen.contains(&id("stack")), "a stack comes before its goroutines");
                goroutines += 1;
            }
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(goroutines, GOROUTINES);
}

#[test]
fn folded_lines_end_in_counts_that_add_up() {
    let ran = bundle("folded");
    let count = |line: &str| line.rsplit(' ').next()?.parse::<i64>().ok();
    let counts = ran.text().lines().map(|line| count(line).expect("a count"));
    assert_eq!(counts.sum::<i64>(), GOROUTINES);
    assert!(ran.text().contains("main.main;"), "root first");
}

#[test]
fn an_id_is_the_hash_of_the_frames() {
    let sandbox = Sandbox::new();
    let dump = "goroutine 1 [select]:\nmain.work(0x1)\n\t/src/a.go:9 +0x1d\nmain.main()\n\t/src/a.go:3 +0x1\n";
    sandbox.file("dump.txt", dump);
    let document = Document::new(sandbox.run(["export", "-o", "json", "dump.txt"]).quiet().json());
    // printf 'main.work /src/a.go:9\nmain.main /src/a.go:3' | sha256sum | cut -c41-64
    assert_eq!(document.goroutines[0].stack, "78d4dfdbe3116861c6d89ed0");
}

#[test]
fn a_shape_is_the_same_across_builds() {
    let sandbox = Sandbox::new();
    let old = "goroutine 1 [select]:\nmain.startAll.func13.(*Replica).Closures.func1()\n\t/src/a.go:9 +0x1d\n\
               example.com/raft/v3.Run[...]()\n\t/src/b.go:1 +0x1\nruntime.goexit()\n\t/go/asm.s:1 +0x1\n";
    let new = "goroutine 8 [select]:\nmain.startAll.func2.(*Replica).Closures.1()\n\t/else/a.go:19 +0x2d\n\
               example.com/raft/v4.Run[...]()\n\t/src/b.go:2 +0x1\n";
    sandbox.file("old.txt", old);
    sandbox.file("new.txt", new);
    let ran = sandbox.run(["export", "-o", "json", "old.txt", "new.txt"]);
    let document = Document::new(ran.quiet().json());
    assert_eq!(document.goroutines.len(), 2);
    assert_eq!(document.goroutines[0].shape, document.goroutines[1].shape);
    assert_ne!(document.goroutines[0].stack, document.goroutines[1].stack);
}

/// A file of the export would pass `check` although what it was made of doesn't.
#[test]
fn what_is_written_of_inputs_of_which_some_could_not_be_read_says_so_when_it_is_read_again() {
    let sandbox = Sandbox::new();
    incident(&sandbox);
    sandbox.file("cut/a.txt.gz", &gzip(DUMP)[..gzip(DUMP).len() - 3]);
    sandbox.file("empty/a.txt", DUMP);
    sandbox.file("empty/b.txt", b"");
    for input in ["in", "cut", "empty"] {
        for (command, format) in [
            ("export", "debug2"),
            ("export", "pprof"),
            ("export", "parquet"),
            ("filter", "debug2"),
            ("filter", "pprof"),
        ] {
            let again = format!("{input}.{command}.{format}");
            sandbox.run([command, "-o", format, "--to", &again, input]);
            sandbox.run(["summarize", "--strict", &again]).code(2);
            sandbox.run(["check", &again]).code(2).says("was not read whole");
            let third = format!("{again}.again");
            sandbox.run(["export", "-o", format, "--to", &third, &again]).code(0);
            sandbox.run(["check", &third]).code(2).says("was not read whole");
        }
    }
    // What is lost of an input could have been selected.
    sandbox.file("good.txt", DUMP);
    sandbox.file("lost.txt", b"goroutine 2 [select]:\nmain.g()\n\t/src/a.go:9 +0x1d\nmain.h(0x\n");
    for format in ["debug2", "pprof"] {
        let arguments = ["export", "-o", format, "--to", format, "--where", "func == 'main.main'"];
        sandbox.run(arguments.iter().chain(&["good.txt", "lost.txt"])).code(0);
        sandbox.run(["check", format]).code(2).says("was not read whole");
        let arguments = ["export", "-n", "1", "-o", format, "--to", "first", "good.txt", "in"];
        sandbox.run(arguments).code(2);
        sandbox.run(["check", "first"]).code(2).says("was not read whole");
    }
    let document = sandbox.run(["export", "cut"]).code(2).json();
    assert_eq!(document["inputs"][0]["complete"], false, "the goroutine was read, the end wasn't");
    let document = sandbox.run(["export", "empty"]).json();
    assert_eq!(document["inputs"][0]["complete"], true);
}

#[test]
fn exports_to_formats_without_crashes_say_that_one_is_left_out() {
    let sandbox = Sandbox::new();
    sandbox.file("dump.txt", [b"panic: boom\n\n", DUMP].concat());
    for (format, is_told) in [("debug2", true), ("pprof", true), ("json", false)] {
        let ran = sandbox.run(["export", "-o", format, "dump.txt"]).code(0);
        assert_eq!(ran.stderr.contains("its crash is left out"), is_told, "{}", ran.stderr);
    }
}

#[test]
fn exports_of_texts_that_are_longer_than_those_that_are_read_say_so() {
    let sandbox = Sandbox::new();
    for (length, is_told) in [(8_000, false), (9_000, true)] {
        let label = "v".repeat(length);
        sandbox.file(
            "dump.txt",
            format!("goroutine 1 [select] {{k: {label}}}:\nmain.f()\n\t/a.go:3\n"),
        );
        for (format, may_be_told) in [("pprof", true), ("parquet", true), ("debug2", false)] {
            let to = format!("{length}.{format}");
            let ran = sandbox.run(["export", "-o", format, "--to", &to, "dump.txt"]).code(0);
            let told = ran.stderr.contains("names or labels are longer than 8192 bytes");
            assert_eq!(told, is_told && may_be_told, "{}", ran.stderr);
        }
    }
}
