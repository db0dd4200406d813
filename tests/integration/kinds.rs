//! Every command speaks of what a profile measures, and compares only what can be compared.

use crate::document::list;
use crate::sandbox::{Ran, Sandbox, stackgazer, testdata};
use crate::schema::{assert_valid, validator};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Every kind of profile, with the type that tools show.
const KINDS: [(&str, &str); 6] = [
    ("cpu", "cpu"),
    ("heap", "inuse_space"),
    ("allocs", "alloc_space"),
    ("block", "delay"),
    ("mutex", "delay"),
    ("threadcreate", "threadcreate"),
];

fn path(name: &str) -> String {
    testdata("profiles").join(name).display().to_string()
}

fn run(command: &str, files: &[&str], options: &[&str]) -> Ran {
    let files: Vec<String> = files.iter().map(|name| path(name)).collect();
    let arguments = std::iter::once(command).chain(options.iter().copied());
    stackgazer(arguments.chain(files.iter().map(String::as_str)))
}

/// What `go tool pprof` answers.
fn expected(case: &str) -> Value {
    let text = std::fs::read(testdata("profiles").join("expected.json")).expect("expectations");
    let cases: Value = serde_json::from_slice(&text).expect("JSON");
    cases[case].clone()
}

fn number(value: &Value) -> i64 {
    value.as_i64().expect("a number")
}

/// Flat and cum of each function, and their sums, as `go tool pprof` has them.
fn assert_like_pprof(functions: &BTreeMap<String, (i64, i64)>, case: &str) {
    let expected = expected(case);
    let count = functions.values().filter(|values| **values != (0, 0)).count();
    assert_eq!(json!(count), expected["count"], "{case}");
    let sums = functions.values().fold((0, 0), |sum, of| (sum.0 + of.0, sum.1 + of.1));
    assert_eq!((json!(sums.0), json!(sums.1)), (expected["flat"].clone(), expected["cum"].clone()));
    for row in list(&expected["rows"]) {
        let of = functions[row[0].as_str().expect("a name")];
        assert_eq!((json!(of.0), json!(of.1)), (row[1].clone(), row[2].clone()), "{case}: {row}");
    }
}

#[test]
fn a_diff_has_the_differences_of_pprof() {
    let validator = validator("diff");
    for (kind, value) in KINDS {
        let (old, new) = (format!("{kind}.1.pb.gz"), format!("{kind}.2.pb.gz"));
        let options = ["--by", "function", "-o", "json"];
        let document = run("diff", &[&old, &new], &options).quiet().json();
        assert_valid(&validator, &document, kind);
        assert_eq!(document["value"]["type"], value);
        let difference = |list: &Value| number(&list[1]) - number(&list[0]);
        let functions = list(&document["rows"]).iter().map(|row| {
            let name = row["function"].as_str().unwrap_or("<unknown>").to_owned();
            (name, (difference(&row["flat"]), difference(&row["counts"])))
        });
        assert_like_pprof(&functions.collect(), &format!("{new} base={old}"));
    }
}

#[test]
fn exported_differences_are_those_of_pprof() {
    let sandbox = Sandbox::new();
    for (kind, _) in KINDS {
        let (old, new) = (format!("{kind}.1.pb.gz"), format!("{kind}.2.pb.gz"));
        for (option, case) in [("--color=never", ""), ("--normalize", " normalize")] {
            let arguments = ["export", "-o", "pprof", "--to", "out.pb.gz", option, "--base"];
            sandbox.run(arguments.iter().copied().chain([&*path(&old), &path(&new)])).quiet();
            let options = ["summarize", "--functions", "-o", "json", "out.pb.gz"];
            let document = sandbox.run(options).quiet().json();
            let functions = list(&document["rows"]).iter().map(|row| {
                let name = row["function"].as_str().unwrap_or("<unknown>").to_owned();
                (name, (number(&row["flat"]), number(&row["cum"])))
            });
            assert_like_pprof(&functions.collect(), &format!("{new} base={old}{case}"));
        }
    }
}

#[test]
fn an_exported_difference_tells_what_its_base_was() {
    let sandbox = Sandbox::new();
    let (old, new) = (path("cpu.1.pb.gz"), path("cpu.2.pb.gz"));
    let arguments = ["export", "-o", "pprof", "--to", "out.pb.gz", "--diff-base", &*old, &new];
    sandbox.run(arguments).quiet();
    let tags = sandbox.run(["summarize", "--tags", "-o", "json", "out.pb.gz"]).quiet().json();
    let label = list(&tags["rows"]).iter().find(|row| row["label"] == "pprof::base");
    assert_eq!(label.map(|row| number(&row["total"])), Some(-250_000_000));
    // As for pprof, the base is 100%.
    let whole = |arguments: &[&str]| {
        let options = ["summarize", "--functions", "-o", "json"];
        number(&sandbox.run([&options, arguments].concat()).quiet().json()["whole"])
    };
    assert_eq!(whole(&["out.pb.gz"]), 250_000_000);
    assert_eq!(whole(&["--diff-base", &old, &new]), 250_000_000);
}

#[test]
fn only_summarize_knows_a_mean() {
    for command in ["export", "filter", "name", "diff", "tree", "check"] {
        run(command, &["mutex.2.pb.gz"], &["--mean_delay"])
            .code(2)
            .says("--mean_delay: only summarize divides delays");
    }
}

#[test]
fn nothing_but_goroutines_is_called_so() {
    for (kind, value) in KINDS {
        let (old, new) = (format!("{kind}.1.pb.gz"), format!("{kind}.2.pb.gz"));
        for (command, files, options) in [
            ("diff", &[&*old, &*new][..], &[][..]),
            ("diff", &[&old, &new], &["-o", "markdown", "--all"]),
            ("diff", &[&old, &new], &["--by", "function", "--normalize", "-m", "runtime"]),
            ("filter", &[&new], &[]),
            ("filter", &[&new], &["-o", "text"]),
            ("name", &[&new], &[]),
            ("name", &[&new], &["--explain"]),
        ] {
            let text = run(command, files, options).code(0).text().to_lowercase();
            // What pprof calls a function without a name.
            let text = text.replace("\\_", "_").replace("<unknown>", "");
            // Functions may be called so.
            let mut words = text.split(|c: char| !c.is_alphanumeric() && !"._".contains(c));
            let wrong = words.find(|word| ["goroutine", "goroutines", "unknown"].contains(word));
            assert_eq!(wrong, None, "{command} {options:?} {kind}: {text}");
            let tells = options == ["--explain"] || text.is_empty() || text.contains(value);
            assert!(tells, "{command} {options:?} {kind}: {text}");
        }
    }
}

#[test]
fn values_have_units() {
    let text = run("diff", &["heap.1.pb.gz", "heap.2.pb.gz"], &["--color=never"]).quiet();
    let first = "heap.1.pb.gz → heap.2.pb.gz: 9.00 MiB → 12.1 MiB inuse_space (+3.10 MiB, +34.4%): \
                 2 new functions, 13 grown, 26 the same";
    assert_eq!(text.text().lines().next(), Some(first));
    assert!(text.text().contains("333 → 682 inuse_objects"), "{}", text.text());
    let objects = run("diff", &["heap.1.pb.gz", "heap.2.pb.gz"], &["--inuse_objects"]).quiet();
    assert!(objects.text().contains(": 333 → 682 inuse_objects (+349"), "{}", objects.text());
    let filtered = run("filter", &["heap.1.pb.gz"], &["-n", "1", "--frames=none"]).quiet();
    assert_eq!(
        filtered.text(),
        "main  main.piece                                                      8.95 MiB inuse_space\n  \
         8.95 MiB inuse_space · 229 alloc_objects · 8.95 MiB alloc_space · 229 inuse_objects  bytes=40960\n\n\
         ... and 7 more stacks; 9.00 MiB of 9.00 MiB inuse_space in 8 of 8 stacks\n"
    );
    let text =
        run("filter", &["heap.1.pb.gz"], &["-n", "1", "--frames=none", "-o", "text"]).quiet();
    let values =
        "8.95 MiB inuse_space · 229 alloc_objects · 8.95 MiB alloc_space · 229 inuse_objects";
    assert_eq!(text.text(), format!("# main → main.piece\n\n{values} [bytes=40960]:\n"));
    let names = run("name", &["heap.1.pb.gz"], &["-n", "1"]).quiet();
    assert!(
        names.text().starts_with("CATEGORY  INUSE_SPACE  NAME\nmain         8.95 MiB  main.piece")
    );
}

#[test]
fn lines_and_cells_hold_all_values() {
    let csv = run("export", &["heap.1.pb.gz"], &["-n", "1", "-o", "csv"]).quiet();
    let (header, row) = csv.text().split_once('\n').expect("two lines");
    let types = "shape,alloc_objects/count,alloc_space/bytes,inuse_objects/count,inuse_space/bytes";
    assert!(header.ends_with(types), "{header}");
    assert!(row.trim_end().ends_with(",229,9380265,229,9380265"), "{row}");
    let name = run("name", &["heap.1.pb.gz"], &["-o", "json"]).quiet().json();
    assert_valid(&validator("name"), &name, "names of a heap profile");
    assert_eq!(name["value"], json!({"type": "inuse_space", "unit": "bytes"}));
    let document = run("filter", &["heap.1.pb.gz"], &["-o", "json"]).quiet().json();
    assert_valid(&validator("export"), &document, "a heap profile");
    assert_eq!((&document["selected"]["stacks"], &document["states"]), (&json!(8), &json!({})));
}

#[test]
fn profiles_that_measure_different_things_are_not_compared() {
    let what = "heap.1.pb.gz: measures alloc_objects/count, alloc_space/bytes, inuse_objects/count and \
                inuse_space/bytes, which can't be compared with samples/count and cpu/nanoseconds of \
                cpu.1.pb.gz; compare profiles of one kind";
    run("diff", &["cpu.1.pb.gz", "heap.1.pb.gz"], &[]).code(2).says(what);
    let base = path("heap.1.pb.gz");
    for command in ["summarize", "filter", "name", "export"] {
        run(command, &["cpu.1.pb.gz"], &["--diff-base", &base]).code(2).says("can't be compared");
    }
    let chosen = run("diff", &["goroutine.1.pb.gz", "heap.1.pb.gz"], &["--value", "inuse_space"]);
    chosen.code(2).says("goroutine.1.pb.gz: measures goroutine/count");
}

#[test]
fn what_is_left_out_of_a_merge_is_said() {
    let note =
        "note: cpu.1.pb.gz left out: it measures cpu and samples, not inuse_space; see --value";
    let sandbox = Sandbox::new();
    let out = sandbox.path().join("out.pb.gz").display().to_string();
    for (command, options) in [
        ("export", &["-o", "pprof", "--to", &out][..]),
        ("filter", &[]),
        ("summarize", &[]),
        ("name", &[]),
    ] {
        run(command, &["heap.1.pb.gz", "cpu.1.pb.gz"], options).code(0).says(note);
    }
    run("export", &["heap.1.pb.gz", "cpu.1.pb.gz"], &["-o", "speedscope"]).quiet();
}

#[test]
fn who_created_whom_is_only_known_of_goroutines() {
    let ran = run("tree", &["heap.1.pb.gz"], &[]);
    ran.code(2).says("measures inuse_space").says("summarize --call-tree");
}

#[test]
fn a_base_is_subtracted_from_stacks_too() {
    let base = path("heap.1.pb.gz");
    let filtered =
        run("filter", &["heap.2.pb.gz"], &["--base", &base, "-o", "json"]).quiet().json();
    let named = run("name", &["heap.2.pb.gz"], &["--base", &base, "-o", "json"]).quiet().json();
    let whole = expected("heap.2.pb.gz base=heap.1.pb.gz")["flat"].clone();
    assert_eq!((&filtered["total"], &named["total"]), (&whole, &whole));
    // Goroutines have ids in both dumps, and differences have none.
    let sandbox = Sandbox::new();
    let goroutine = |id: u32, name: &str| {
        format!("goroutine {id} [select]:\nmain.{name}(0x1)\n\t/src/a.go:9 +0x1d\n\n")
    };
    sandbox.file("old.txt", goroutine(1, "gone") + &goroutine(2, "kept"));
    sandbox.file("new.txt", goroutine(2, "kept") + &goroutine(3, "grown") + &goroutine(4, "grown"));
    let ran = sandbox.run(["name", "new.txt", "--base", "old.txt", "-o", "json"]).quiet().json();
    let totals = list(&ran["stacks"]).iter().map(|stack| (&stack["name"], number(&stack["total"])));
    let totals: Vec<String> = totals.map(|(name, total)| format!("{name} {total}")).collect();
    assert_eq!(totals, ["\"main.grown\" 2", "\"main.gone\" -1"]);
}

#[test]
fn what_a_base_can_t_do_is_said() {
    let base = path("goroutine.1.pb.gz");
    let new = ["goroutine.2.pb.gz"];
    for command in ["summarize", "filter", "name", "export"] {
        run(command, &new, &["--normalize"]).code(2).says("name one with --base");
    }
    run("summarize", &new, &["--by", "wait", "--base", &base])
        .code(2)
        .says("diff OLD NEW --by wait");
    run("export", &new, &["-o", "callgrind", "--base", &base])
        .code(2)
        .says("can't show a comparison");
}

#[test]
fn all_inputs_of_a_base_are_one_side() {
    let (one, two) = (path("cpu.1.pb.gz"), path("cpu.2.pb.gz"));
    let options = ["--base", &one, "--base", &two, "-o", "json"];
    let document = run("diff", &["cpu.1.pb.gz", "cpu.1.pb.gz"], &options).quiet().json();
    assert_eq!(document["totals"], json!([550_000_000, 500_000_000]));
    assert_eq!(list(&document["points"]).len(), 2);
    run("diff", &["cpu.1.pb.gz"], &["--series", "--base", &one]).code(2).says("--series");
}

#[test]
fn changes_of_values_can_be_too_small_or_too_large() {
    let files = ["heap.1.pb.gz", "heap.2.pb.gz"];
    let least = |least: &'static str| ["--min-change", least, "--fail-on", "changed"];
    run("diff", &files, &least("1MB")).code(1);
    run("diff", &files, &least("4MB")).code(0);
    run("diff", &files, &least("20ms")).code(2).says("inuse_space aren't measured in ms");
}

#[test]
fn shares_are_of_the_base_or_of_the_difference() {
    let base = path("cpu.1.pb.gz");
    let drawn = |option: &str| {
        let options = ["-o", "dot", option, &base];
        run("export", &["cpu.2.pb.gz"], &options).quiet().text().to_owned()
    };
    // What pprof says: 50ms are 20% of the base's 250ms, and 9.1% of 550ms that differ.
    assert!(
        drawn("--diff-base").contains("asyncPreempt\\n50.0 ms (20.0%)"),
        "{}",
        drawn("--diff-base")
    );
    assert!(drawn("--base").contains("asyncPreempt\\n50.0 ms (9.1%)"));
    let flames = |option: &str| {
        let options = ["-o", "flamegraph", option, &base];
        run("export", &["cpu.2.pb.gz"], &options).quiet().text().to_owned()
    };
    assert!(flames("--diff-base").contains("changes in % of 250 ms"));
    assert!(flames("--base").contains("changes in % of 550 ms"));
}
