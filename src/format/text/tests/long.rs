//! Lines that are too long to be held as a whole, and that the container of the lines around them refuses.

use super::{DUMP, Outcome, Profile, ReadOptions, Trickle, parse, parse_with};
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

/// An answer of Loki: taken in parts, its texts had no lines.
#[test]
fn a_long_record_of_json_has_a_line_in_each_of_its_texts() {
    let goroutine = |id| {
        let lines = [&format!("goroutine {id} [select]:"), "main.f()", "\t/src/a.go:3 +0x1d", ""];
        lines.map(|line| format!("[\"17000000000000\", {line:?}]")).join(", ")
    };
    for count in [10, 2_500, 5_000] {
        let goroutines: Vec<String> = (1..=count).map(goroutine).collect();
        let line = format!("{{\"values\": [{}]}}\n", goroutines.join(", "));
        assert!(line.len() < LIMITS.line, "{}", line.len());
        let (ids, warnings) = found(&parse(&line));
        assert_eq!((ids.len() as u64, warnings), (count, Vec::new()));
    }
    assert!(2_500 * goroutine(1).len() > LIMITS.read_buffer);
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

#[test]
fn a_long_line_is_read_whole_behind_a_prefix_that_is_cut_off() {
    let prefix = regex::bytes::Regex::new(r"^<\d> \S+ \| ").expect("a valid pattern");
    let text = format!("<3> web | started\n<3> web | {}\n<3> web | done\n", escaped(40_000));
    assert!(text.len() > 2 * LIMITS.line);
    let mut options = ReadOptions { line_prefix: Some(&prefix), ..ReadOptions::default() };
    let (outcome, profile) = parse_with(&mut Trickle(text.as_bytes(), 100_000), &mut options);
    let (ids, warnings) = found(&profile);
    assert_eq!((outcome, ids.len(), warnings), (Outcome::Read, 40_000, Vec::new()));
}

#[test]
fn of_lines_that_are_too_long_the_start_is_read_and_the_first_told() {
    let panic = |length| format!("panic: {}\n", "x".repeat(length));
    let profile = parse(&format!("{}\n{DUMP}", panic(LIMITS.line / 2)));
    assert_eq!(found(&profile), (vec![1, 7, 8], Vec::new()));
    let text = format!("{}\n{DUMP}{1}\n{1}\n", panic(2 * LIMITS.line), "y".repeat(LIMITS.line + 9));
    let profile = parse(&text);
    assert_eq!(found(&profile), (vec![1, 7, 8], vec![(WarningKind::LongLine, Some(1))]));
    assert!(profile.inputs[0].warnings[0].text.starts_with("3 lines are longer"));
    let crash = profile.inputs[0].crash.as_ref().expect("a panic");
    assert!(crash.text.starts_with("xxx"));
}

#[test]
fn what_a_long_line_has_after_its_container_refused_it_is_counted() {
    let line = format!("goroutine 1 [running]: wasm_exec.js:41:14\n{}\n", "x".repeat(3 << 20));
    let pieces = line.split_inclusive('\n').flat_map(|line| line.as_bytes().chunks(16 << 10));
    let pieces = pieces.map(|piece| {
        let piece = std::str::from_utf8(piece).unwrap();
        format!("{}\n", serde_json::json!({"log": piece, "stream": "stderr", "time": "t"}))
    });
    let profile = parse(&pieces.collect::<String>());
    let told = profile.inputs[0].warnings.iter().map(|warning| warning.text.as_str());
    let told: Vec<&str> = told.filter(|text| text.contains("were dropped")).collect();
    let [told] = &*told else { panic!("{:?}", profile.inputs[0].warnings) };
    let dropped = told.rsplit_once(": ").and_then(|(_, rest)| rest.split(' ').next());
    let dropped: usize = dropped.and_then(|number| number.parse().ok()).expect(told);
    assert!(((2 << 20) - (64 << 10)..=2 << 20).contains(&dropped), "{told}");
}

#[test]
fn a_long_text_that_the_input_ends_in_is_told() {
    let line = escaped(5_000);
    let pieces = line.as_bytes()[..line.len() - 9].chunks(16 << 10).map(|piece| {
        let piece = std::str::from_utf8(piece).unwrap();
        format!("{}\n", serde_json::json!({"log": piece, "stream": "stderr", "time": "t"}))
    });
    let text = docker("started") + &pieces.collect::<String>();
    let profile = parse(&text);
    let (ids, warnings) = found(&profile);
    assert_eq!(ids.len(), 5_000);
    assert!(warnings.iter().any(|(kind, _)| *kind == WarningKind::Truncated), "{warnings:?}");
}

#[test]
fn a_document_of_json_that_is_cut_behind_a_line_that_is_too_long_is_told() {
    let line = escaped(25_000).replacen("level=error msg=", "  \"msg\": ", 1);
    assert!(line.len() > LIMITS.line);
    let whole = format!("{{\n{line},\n  \"n\": 1\n}}\n");
    let cut = format!("{{\n{line},\n  \"n\"");
    let short = whole.strip_suffix("  \"n\": 1\n}\n").expect("what was put there");
    for (text, losses) in [(&*whole, 0), (&cut, 1), (short, 1)] {
        let (ids, warnings) = found(&parse(text));
        assert_eq!((ids.len(), warnings.len()), (25_000, losses), "{warnings:?}");
    }
    let other = format!("{{\n  \"msg\": \"{}\",\n{DUMP}", "a line\\n".repeat(LIMITS.line / 4));
    assert_eq!(found(&parse(&other)), (vec![1, 7, 8], Vec::new()));
}

#[test]
fn a_long_line_with_a_value_for_each_line_of_a_dump_names_the_limit() {
    let log = "GET /x 200 3ms\n".repeat(LIMITS.line / 15);
    let value = |line: &str| format!("[\"1772600000000000000\",\"{}\"]", line.replace('\t', "\\t"));
    let values: Vec<_> = DUMP.lines().chain(log.lines()).map(value).collect();
    let text = format!("{{\"data\":{{\"result\":[{{\"values\":[{}]}}]}}}}\n", values.join(","));
    let (_, warnings) = found(&parse(&text));
    assert!(warnings.contains(&(WarningKind::LongLine, Some(1))), "{warnings:?}");
}
