//! Replays the corpus of every fuzz target, and the test data, in plain `cargo test`.

// The fuzz targets call it from another crate.
#[allow(unreachable_pub)]
#[path = "../../fuzz/src/lib.rs"]
pub(crate) mod targets;

use crate::sandbox::{files_below, testdata};
use std::path::Path;

#[test]
fn every_target_has_a_binary_a_dictionary_and_a_corpus_that_it_survives() {
    let fuzz = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz");
    for (name, run) in targets::TARGETS {
        assert!(fuzz.join(format!("fuzz_targets/{name}.rs")).exists(), "{name}");
        let dictionary = fuzz.join(format!("dictionaries/{name}.dict"));
        let words = std::fs::read_to_string(&dictionary).unwrap_or_default();
        assert!(words.lines().count() > 5, "{name} has no dictionary");
        let is_quoted =
            |line: &str| line.is_ascii() && line.starts_with('"') && line.ends_with('"');
        assert!(words.lines().all(is_quoted), "{dictionary:?} isn't one");
        let files = files_below(&fuzz.join("corpus").join(name));
        assert!(!files.is_empty(), "{name} has no corpus");
        for path in files {
            replay(&path, *run);
        }
    }
}

#[test]
fn what_targets_for_processes_start_from_is_a_whole_process_and_a_whole_stack() {
    let seed = |name: &str| {
        let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/corpus");
        std::fs::read(corpus.join(name)).expect("a file")
    };
    for (name, least) in [("plain", 20), ("busy", 3), ("annotate", 1)] {
        let direct = targets::captured(&seed(&format!("live/{name}"))).expect("a process");
        assert!(direct.captured.goroutines.len() >= least, "{name}");
        let copied = targets::captured(&seed(&format!("live/{name}-full"))).expect("a process");
        assert_eq!(copied.text, direct.text, "{name}");
    }
    let words = targets::captured(&seed("live/words-full")).expect("a process").words;
    assert!(words.expect("words").words.len() > 10);
    let calls = targets::calls(&seed("native/inlined")).expect("a stack");
    let shown: Vec<String> = calls.iter().filter_map(|call| call.function.clone()).collect();
    if cfg!(all(target_os = "linux", target_arch = "x86_64", feature = "native")) {
        // `total` calls itself, and `deep` is inlined into it.
        let [deep, total] = ["deep", "total"].map(|name| format!("shop::Cart<int>::{name}(int)"));
        assert_eq!(shown, [&*deep, &total, &deep, &deep, &total, "_start"]);
    }
}

#[test]
fn every_reader_survives_the_test_data_of_every_other() {
    const READERS: [&str; 7] =
        ["traceback", "count", "values", "pprof", "log", "written", "formed"];
    for folder in &READERS[..5] {
        for path in files_below(&testdata(folder)) {
            for (name, run) in targets::TARGETS {
                if READERS.contains(name) {
                    replay(&path, *run);
                }
            }
        }
    }
}

fn replay(path: &Path, run: fn(&[u8])) {
    let bytes = std::fs::read(path).expect("a file");
    assert!(std::panic::catch_unwind(|| run(&bytes)).is_ok(), "{path:?}");
}
