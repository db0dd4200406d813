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
