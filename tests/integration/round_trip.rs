//! What `export` writes as a dump or a proto is read again as what it was.

use crate::agreement::export;
use crate::document::{Document, Goroutine};
use crate::sandbox::{Sandbox, files_below, testdata};
use std::path::Path;

#[test]
fn every_dump_survives_export_as_debug2() {
    for folder in ["traceback", "count", "log"] {
        for path in files_below(&testdata(folder)) {
            if path.file_name().is_some_and(|name| name != "expect.json") {
                check_debug2(&path);
            }
        }
    }
}

#[test]
fn every_input_survives_export_as_pprof() {
    for folder in ["traceback", "count", "pprof", "log"] {
        for path in files_below(&testdata(folder)) {
            if path.file_name().is_some_and(|name| name != "expect.json") {
                check_pprof(&path);
            }
        }
    }
}

#[test]
fn of_several_inputs_those_that_were_cut_are_told_again() {
    let sandbox = Sandbox::new();
    let whole = std::fs::read(testdata("count/go1.27.3.debug1.txt")).unwrap();
    sandbox.file("whole.txt", &whole);
    sandbox.file("cut.txt", &whole[..whole.len() - 30]);
    let written = sandbox.run(["export", "-o", "pprof", "whole.txt", "cut.txt"]).code(0).stdout;
    let again = export(&sandbox.file("again.pb.gz", written));
    let complete = |name: &str| {
        let mut inputs = again.inputs().iter();
        inputs.find(|input| input["name"] == name).expect(name)["complete"].clone()
    };
    assert_eq!((complete("whole.txt"), complete("cut.txt")), (true.into(), false.into()));
    // As one profile of goroutines without ids.
    for format in ["debug2", "pprof"] {
        let written = sandbox.run(["export", "-o", format, "cut.txt"]).code(0).stdout;
        sandbox.file("again", written);
        sandbox.run(["summarize", "--strict", "again"]).code(2).says("again: warning");
    }
    // Profiles of other values become one.
    let heap = std::fs::read(testdata("values/go1.27.3.heap.debug1.txt")).unwrap();
    sandbox.file("heap.txt", &heap);
    sandbox.file("cut.heap.txt", &heap[..heap.len() / 2]);
    let arguments = ["export", "-o", "pprof", "heap.txt", "cut.heap.txt"];
    sandbox.file("again", sandbox.run(arguments).code(0).stdout);
    sandbox.run(["summarize", "--strict", "again"]).code(2).says("was not read whole");
}

/// Exports as debug=2 and reads that: the same goroutines, each with all that a dump tells.
///
/// Inputs that count hold no ids: there the text is made of headers without one process's ids, and
/// only stacks, counts, states and labels are compared.
pub(crate) fn check_debug2(path: &Path) {
    let sandbox = Sandbox::new();
    let before = export(path);
    let arguments = ["export".as_ref(), "-o".as_ref(), "debug2".as_ref(), path.as_os_str()];
    let written = sandbox.run(arguments).code(0).stdout;
    if before.count() == 0 {
        return;
    }
    let again = export(&sandbox.file("again.txt", written));
    assert_eq!(facts(&again, true), facts(&before, true), "{path:?}");
    assert_eq!(again.is_whole(), before.is_whole(), "{path:?}");
}

/// Exports as a proto and reads that: the same stacks, counts, labels and states.
pub(crate) fn check_pprof(path: &Path) {
    let sandbox = Sandbox::new();
    let before = export(path);
    let arguments = ["export".as_ref(), "-o".as_ref(), "pprof".as_ref(), path.as_os_str()];
    let written = sandbox.run(arguments).code(0).stdout;
    if before.count() == 0 {
        return;
    }
    let again = export(&sandbox.file("again.pb.gz", written));
    assert_eq!(facts(&again, false), facts(&before, false), "{path:?}");
    assert_eq!(again.is_whole(), before.is_whole(), "{path:?}");
}

type Facts = (String, Option<String>, Vec<String>, Vec<(String, String)>, Option<String>, i64);

/// What must be the same, sorted; one entry for each goroutine, or for each thing that is counted.
fn facts(document: &Document, with_ids: bool) -> Vec<Facts> {
    let fact = |one: &Goroutine| {
        let labels = one.labels.clone().into_iter().collect();
        let id = one.id.clone().filter(|_| with_ids);
        (one.stack.clone(), one.state.clone(), one.flags.clone(), labels, id, one.count)
    };
    let mut facts: Vec<Facts> = document.goroutines.iter().map(fact).collect();
    facts.sort();
    facts.dedup_by(|next, kept| {
        let same = !with_ids
            && (&next.0, &next.1, &next.2, &next.3) == (&kept.0, &kept.1, &kept.2, &kept.3);
        if same {
            kept.5 += next.5;
        }
        same
    });
    facts
}
