//! The three forms of one process agree, for every version of Go in the corpus.

use crate::agreement::export;
use crate::document::Document;
use crate::sandbox::corpus;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Folders that hold the dumps of one process, written one after the other.
fn processes() -> Vec<PathBuf> {
    let folder = corpus();
    let mut found = Vec::new();
    for version in std::fs::read_dir(folder.join("corpus")).expect("the corpus") {
        let version = version.expect("an entry").path();
        if version.join("VERSION").exists() {
            for name in ["aged", "dump", "dump-race", "dump-trimpath", "dump-tracebacklabels1"] {
                found.extend(Some(version.join(name)).filter(|path| path.exists()));
            }
        }
    }
    found.sort();
    found
}

fn form(process: &Path, name: &str) -> Option<Document> {
    let plain = process.join(name);
    let packed = process.join(format!("{name}.gz"));
    [plain, packed].into_iter().find(|path| path.exists()).map(|path| export(&path))
}

/// The goroutine that writes the profile stands elsewhere in each form.
fn stacks(document: &Document) -> BTreeMap<String, i64> {
    let mut document = document.clone();
    document
        .goroutines
        .retain(|one| !one.frames.iter().any(|frame| frame.0.starts_with("runtime/pprof.")));
    document.stacks()
}

#[test]
#[ignore = "needs STACKGAZER_CORPUS"]
fn debug0_and_debug1_have_the_same_stacks() {
    let mut wrong = Vec::new();
    for process in processes() {
        for name in ["goroutine", "goroutineleak"] {
            let debug0 = form(&process, &format!("{name}.debug0.pb.gz"));
            let debug1 = form(&process, &format!("{name}.debug1.txt"));
            let (Some(debug0), Some(debug1)) = (debug0, debug1) else { continue };
            let (zero, one) = (stacks(&debug0), stacks(&debug1));
            let only = |a: &BTreeMap<String, i64>, b: &BTreeMap<String, i64>| {
                a.iter().filter(|&(id, count)| b.get(id) != Some(count)).count()
            };
            let (here, there) = (only(&zero, &one), only(&one, &zero));
            // One that is running has gone on between the two.
            if here > 1 || there > 1 {
                let process = process.display();
                wrong.push(format!("{process} {name}: {here} and {there} stacks differ"));
            }
            if debug0.labels() != debug1.labels() {
                wrong.push(format!("{} {name}: labels differ", process.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
#[ignore = "needs STACKGAZER_CORPUS"]
fn kinds_told_from_frames_are_those_that_dumps_print() {
    let mut wrong = Vec::new();
    for process in processes() {
        let debug1 = form(&process, "goroutine.debug1.txt");
        let debug2 = form(&process, "goroutine.debug2.txt");
        let (Some(debug1), Some(debug2)) = (debug1, debug2) else { continue };
        let kinds = |document: &Document| document.count_by(|one| vec![one.kind.clone()]);
        let (told, printed) = (kinds(&debug1), kinds(&debug2));
        for (kind, count) in told {
            let most = printed.get(&kind).copied().unwrap_or_default();
            if kind != "unknown" && kind != "running" && count > most {
                wrong.push(format!("{}: {count} {kind}, printed {most}", process.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
#[ignore = "needs STACKGAZER_CORPUS"]
fn shapes_of_debug1_stand_in_debug2() {
    let mut wrong = Vec::new();
    for process in processes() {
        let debug1 = form(&process, "goroutine.debug1.txt");
        let debug2 = form(&process, "goroutine.debug2.txt");
        let (Some(debug1), Some(debug2)) = (debug1, debug2) else { continue };
        let shapes = |document: &Document| document.count_by(|one| vec![one.shape.clone()]);
        let printed = shapes(&debug2);
        let mut missing = 0;
        for one in &debug1.goroutines {
            // Deep stacks end elsewhere in each form, and so does the one that writes.
            // Go up to 1.22 keeps 32 frames, of which up to four leading ones aren't shown.
            let deep = one.frames.len() >= 28;
            let writer = one.funcs().iter().any(|func| func.starts_with("runtime/pprof."));
            missing += i64::from(!deep && !writer && !printed.contains_key(&one.shape)) * one.count;
        }
        // Some of them were running or runnable, and went on between the two dumps.
        if missing * 20 > debug1.count() {
            wrong.push(format!("{}: {missing} of {}", process.display(), debug1.count()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
