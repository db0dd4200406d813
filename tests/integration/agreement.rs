//! debug=0, debug=1 and debug=2 of one process say the same, as far as each form can.

use crate::document::Document;
use crate::sandbox::{stackgazer, testdata};
use std::path::Path;

/// The export of one file.
pub(crate) fn export(path: &Path) -> Document {
    let run = stackgazer(["export".as_ref(), "-o".as_ref(), "json".as_ref(), path.as_os_str()]);
    Document::new(run.code(0).json())
}

#[test]
fn debug0_and_debug1_have_the_same_stacks() {
    for version in ["go1.21.13", "go1.23.9", "go1.25.5", "go1.26.6", "go1.27.3"] {
        let debug0 = export(&testdata(&format!("pprof/{version}.debug0.pb.gz")));
        let debug1 = export(&testdata(&format!("count/{version}.debug1.txt")));
        assert_eq!(without_writer(&debug0), without_writer(&debug1), "{version}");
        // Go's debug=1 printer hides the leading frames that tell a select from a receive.
        let (all, mut told) = (debug0.states(), debug1.states());
        told.remove("unknown");
        assert!(!told.is_empty());
        for (state, count) in told {
            assert_eq!(all.get(&state), Some(&count), "{version}: {state}");
        }
        assert_eq!(debug0.labels(), debug1.labels(), "{version}");
    }
}

#[test]
fn leak_profiles_agree_too() {
    let debug0 = export(&testdata("pprof/go1.27.3.leak.debug0.pb.gz"));
    let debug1 = export(&testdata("count/go1.27.3.leak.debug1.txt"));
    assert_eq!(debug0.stacks(), debug1.stacks());
    let debug2 = export(&testdata("traceback/go1.27.3.leak.debug2.txt"));
    let mut leaked = debug2.clone();
    leaked.goroutines.retain(|one| one.has_flag("leaked"));
    assert_eq!(leaked.count(), debug0.count());
    // No frame tells that a channel was nil.
    let states = leaked.count_by(|one| vec![one.state().replace(" (nil chan)", "")]);
    assert_eq!(states, debug0.states());
    assert_eq!(leaked.labels(), debug0.labels());
}

#[test]
fn states_that_no_form_prints_are_told_from_the_frames() {
    for version in ["go1.21.13", "go1.23.9", "go1.25.5", "go1.26.6", "go1.27.3"] {
        let debug1 = export(&testdata(&format!("count/{version}.debug1.txt")));
        let debug2 = export(&testdata(&format!("traceback/{version}.debug2.txt")));
        assert_eq!(debug1.count(), debug2.count(), "{version}");
        let kinds = |document: &Document| document.count_by(|one| vec![one.kind.clone()]);
        let (mut counted, mut printed) = (kinds(&debug1), kinds(&debug2));
        // Where only Go's own wait frames would tell, and they aren't in a count profile.
        for (kind, count) in &counted {
            assert!(
                kind == "unknown" || printed.get(kind) >= Some(count),
                "{version}: {count} {kind} in debug=1, {printed:?} in debug=2"
            );
        }
        counted.remove("unknown");
        printed.retain(|kind, _| counted.contains_key(kind));
        assert_eq!(counted, printed, "{version}");
    }
}

/// Stacks with their counts, without the goroutine that wrote the profile.
fn without_writer(document: &Document) -> std::collections::BTreeMap<String, i64> {
    let mut document = document.clone();
    document.goroutines.retain(|one| {
        !one.frames.iter().any(|frame| frame.0.starts_with("runtime/pprof.(*Profile).WriteTo"))
    });
    document.stacks()
}
