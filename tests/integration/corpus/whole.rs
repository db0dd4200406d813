//! Round trips, threads and prefixes over the whole corpus.

use super::counts::{bytes_of, count, goroutine_dumps};
use crate::prefixes::check_prefixes;
use crate::round_trip::{check_debug2, check_pprof};
use crate::sandbox::{Sandbox, corpus, files_below};

/// Runs a check on every dump and tells all that failed, not only the first.
fn on_every_dump(check: impl Fn(&std::path::Path) + std::panic::RefUnwindSafe) {
    let failed: Vec<_> = goroutine_dumps()
        .into_iter()
        .filter(|path| count(path, &bytes_of(path)) > 0)
        .filter(|path| std::panic::catch_unwind(|| check(path)).is_err())
        .collect();
    assert!(failed.is_empty(), "{failed:#?}");
}

#[test]
#[ignore = "needs STACKGAZER_CORPUS"]
fn every_dump_survives_export_as_debug2() {
    on_every_dump(|path| {
        if !path.to_string_lossy().contains("debug0") && !path.to_string_lossy().contains("debug1")
        {
            check_debug2(path);
        }
    });
}

#[test]
#[ignore = "needs STACKGAZER_CORPUS"]
fn every_dump_survives_export_as_pprof() {
    on_every_dump(check_pprof);
}

#[test]
#[ignore = "needs STACKGAZER_CORPUS"]
fn cases_survive_both() {
    let folder = corpus();
    for path in files_below(&folder.join("corpus/cases")) {
        if path.extension().is_some_and(|extension| extension == "txt") {
            check_debug2(&path);
            check_pprof(&path);
        }
    }
}

#[test]
#[ignore = "needs STACKGAZER_CORPUS"]
fn prefixes_of_the_corpus_are_read() {
    let folder = corpus();
    for path in files_below(&folder.join("corpus/cases")) {
        check_prefixes(&path, 300);
    }
    for path in goroutine_dumps() {
        check_prefixes(&path, 20);
    }
}

#[test]
#[ignore = "needs STACKGAZER_CORPUS"]
fn threads_change_no_byte() {
    let folder = corpus();
    let sandbox = Sandbox::new();
    let folder = folder.join("corpus/cockroach");
    let with = |threads| {
        let arguments = ["export", "-o", "json", "--member", "*", "--threads", threads];
        let arguments = arguments.map(std::ffi::OsStr::new).into_iter();
        sandbox.run(arguments.chain([folder.as_os_str()])).code(0).stdout
    };
    let one = with("1");
    assert!(with("2") == one);
    assert!(with("8") == one);
}
