//! Lists of leaked goroutines in goleak's words: each is counted once, with its stack.

use crate::agreement::export;
use crate::document::Document;
use crate::sandbox::{corpus, files_below, testdata};

fn lists() -> Vec<(String, Document)> {
    let files = files_below(&testdata("goleak"));
    let named = files.iter().map(|path| (path.file_name().unwrap().to_string_lossy(), path));
    named
        .filter(|(name, _)| name.starts_with("go1"))
        .map(|(name, path)| (name.into_owned(), export(path)))
        .collect()
}

#[test]
fn every_goroutine_of_a_list_is_counted_once_with_state_flags_and_labels() {
    let lists = lists();
    assert_eq!(lists.len(), 10);
    for (name, document) in &lists {
        let states: Vec<String> = document
            .states()
            .into_iter()
            .map(|(state, count)| format!("{count} {state}"))
            .collect();
        let wanted =
            ["3 chan receive", "1 chan receive (nil chan)", "1 chan send", "1 select (no cases)"];
        assert_eq!(states, wanted, "{name}");
        assert_eq!(
            document.flags().into_iter().collect::<Vec<_>>(),
            [("locked to thread".to_owned(), 1)]
        );
        let labels = document.labels();
        let labelled = labels.get("shelf=left, with care").copied();
        assert_eq!(labelled, name.starts_with("go1.27").then_some(1), "{name}");
        assert!(document.goroutines.iter().all(|one| one.creator.is_some()), "{name}");
        assert!(document.goroutines.iter().all(|one| !one.frames.is_empty()), "{name}");
        assert_eq!(document.inputs()[0]["complete"], true, "{name}");
        assert_eq!(document.inputs()[0]["seen"]["headers"], 6, "{name}");
        assert_eq!(document.warnings(), [""; 0], "{name}");
    }
}

#[test]
fn one_version_of_go_gives_the_same_stacks_in_every_form_of_the_list() {
    let lists = lists();
    for version in ["go1.21.13", "go1.27.3"] {
        let mut of_version = lists.iter().filter(|(name, _)| name.starts_with(version));
        let (_, first) = of_version.next().expect("a list");
        for (name, document) in of_version {
            assert_eq!(document.stacks(), first.stacks(), "{name}");
        }
    }
}

/// What four releases of goleak itself printed.
#[test]
#[ignore = "needs STACKGAZER_CORPUS"]
fn lists_of_goleaks_own_releases_are_read_whole() {
    let folder = corpus();
    for path in files_below(&folder.join("corpus/goleak")) {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let document = export(&path);
        assert_eq!(document.count(), if name.contains("main") { 2 } else { 3 }, "{name}");
        assert_eq!(document.inputs()[0]["complete"], true, "{name}");
        assert_eq!(document.warnings(), [""; 0], "{name}");
    }
}
