//! Lines that are too long to be held as a whole, and that the container of the lines around them refuses.

use super::{Profile, parse};
use crate::limits::LIMITS;
use crate::profile::WarningKind;

/// A line of Docker's log.
fn docker(text: &str) -> String {
    format!(
        "{{\"log\":{:?},\"stream\":\"stderr\",\"time\":\"2024-05-01T10:00:00.1Z\"}}\n",
        format!("{text}\n")
    )
}

/// A dump in one line, escaped.
fn escaped(goroutines: usize) -> String {
    let dump: String = (1..=goroutines)
        .map(|id| format!("goroutine {id} [select]:\\nmain.f()\\n\\t/src/a.go:3 +0x1d\\n\\n"))
        .collect();
    format!("level=error msg=\"{dump}\"")
}

/// The ids of a profile's goroutines, in order, and the kinds and lines of its warnings.
fn found(profile: &Profile) -> (Vec<u64>, Vec<(WarningKind, Option<u64>)>) {
    let mut ids: Vec<u64> = profile.goroutines.iter().map(|goroutine| goroutine.id).collect();
    ids.sort_unstable();
    let warnings = profile.inputs[0].warnings.iter();
    (ids, warnings.map(|warning| (warning.kind, warning.line)).collect())
}

#[test]
fn a_long_line_that_its_container_refuses_is_read_without_it() {
    // Read at once, and in parts.
    for count in [10, 5_000, 12_000] {
        let line = escaped(count) + "\n";
        assert!(line.len() < LIMITS.line);
        let text = [docker("started"), line, docker("goroutine 7 ")].concat();
        let (ids, warnings) = found(&parse(&text));
        assert_eq!(ids, (1..=count as u64).collect::<Vec<u64>>());
        assert_eq!(warnings, [(WarningKind::UnreadHeader, Some(3))], "{count}");
    }
}

#[test]
fn of_a_longer_line_that_its_container_refuses_the_start_is_read_and_the_rest_told() {
    let place = " wasm_exec.js:41:14\n";
    let lines = ["goroutine 1 [running]:", "main.main()", "\t/src/a.go:3 +0x1d", ""];
    let line = escaped(40_000) + "\n";
    assert!(line.len() > 2 * LIMITS.line);
    let text = lines.map(|line| format!("{line}{place}")).concat() + &line;
    let (ids, warnings) = found(&parse(&text));
    assert!(ids.len() > 15_000, "{}", ids.len());
    assert!(warnings.contains(&(WarningKind::LongLine, Some(5))), "{warnings:?}");
}
