//! Goroutines of which something is missing, and lines that come between theirs.

use super::broken::functions;
use super::*;

const PLACE: &str = "\t/src/shop/cart.go:31 +0x1d\n";
const CREATOR: &str = "created by main.main in goroutine 1\n\t/src/shop/main.go:9 +0x2\n";

fn partial(text: &str) -> u64 {
    parse(text).inputs.iter().map(|input| input.seen.partial).sum()
}

#[test]
fn a_dump_in_one_line_that_starts_with_its_header_is_one_that_is_escaped() {
    let dump = format!(
        "goroutine 1 [select] {{\"k\": \"v\"}}:\nmain.f()\n{PLACE}\ngoroutine 2 [select]:\nmain.g()\n{PLACE}"
    );
    let escaped = dump.replace('\n', "\\n").replace('\t', "\\t");
    let octal = dump.replace('\n', "#012").replace('\t', "#011");
    for text in [escaped.clone(), octal, format!("x: {escaped}"), format!("{escaped}\nhello\n")] {
        let profile = parse(&text);
        // Both have lines of their own around the dump.
        assert_eq!(described(&profile)[1..], described(&parse(&dump))[1..], "{text}");
        assert_eq!(profile.inputs[0].warnings, [], "{text}");
    }
}

#[test]
fn a_goroutine_of_which_two_parts_are_missing_is_still_cut() {
    let wrapped: String = DUMP.lines().map(|line| format!("    {line}\n")).collect();
    for text in [
        format!("goroutine 1 [running]:\nmain.f()\nmain.main()\n{PLACE}{CREATOR}"),
        format!(
            "goroutine 9 [select]:\nmain.main()\n{PLACE}shop.f()\n{PLACE}runtime.goexit()\n\
             {PLACE}shop.g()\n{PLACE}"
        ),
        format!("goroutine 9 [select]:\nshop.f()\nshop.g()\n{PLACE}{wrapped}"),
        format!(
            "goroutine 9 [select]:\nshop.f()\nshop.g()\n{PLACE}{CREATOR}\
             [originating from goroutine 1]:\n"
        ),
    ] {
        assert_eq!(partial(&text), 1, "{text}");
    }
}

#[test]
fn a_call_without_a_place_is_a_frame_of_a_goroutine_that_is_cut() {
    let text = format!("goroutine 9 [select]:\nshop.f()\nshop.g()\n{PLACE}{CREATOR}");
    assert_eq!(functions(&parse(&text), 9), ["shop.f", "shop.g"]);
    assert_eq!(partial(&text), 1);
}

#[test]
fn lines_of_a_log_between_frames_are_counted_and_end_nothing() {
    for (between, lines) in [
        ("server started (v1)\n", 1),
        ("INFO waiting\n/src/shop/run.go:9 +0x1d\n", 2),
        ("    at the end\n", 1),
        (&"INFO waiting\n".repeat(64), 64),
    ] {
        let text = format!("goroutine 9 [select]:\nshop.f()\n{PLACE}{between}{CREATOR}");
        let profile = parse(&text);
        assert_eq!(functions(&profile, 9), ["shop.f"], "{between}");
        assert!(profile.samples[0].key.creator.is_some(), "{between}");
        assert_eq!(profile.inputs[0].seen.foreign_lines, lines, "{between}");
        assert_eq!(profile.inputs[0].seen.partial, 0, "{between}");
    }
    // After so many lines it is a log that follows.
    let log = "INFO waiting\n".repeat(65);
    let profile = parse(&format!("goroutine 9 [select]:\nshop.f()\n{PLACE}{log}{CREATOR}"));
    assert!(profile.samples[0].key.creator.is_none());
    assert_eq!(profile.inputs[0].seen.foreign_lines, 0);
}

#[test]
fn calls_of_c_have_an_address_for_a_place() {
    let text =
        "goroutine 1 [syscall]:\nnon-Go function\n\tpc=0x48c5b1\nmain.main()\n\t/a.go:3 +0x1\n";
    assert_eq!(functions(&parse(text), 1), ["non-Go function", "main.main"]);
    assert!(parse(text).inputs[0].complete());
}

#[test]
fn a_text_that_ends_inside_a_line_cuts_its_last_goroutine_if_that_line_was_one_of_its_own() {
    for (end, expected) in [
        ("main.main()\n\t/src/a.go:40", 1),
        ("main.main()\n\t/src/a.go:40 +0x1d", 0),
        ("main.main()\n\t/src/a.go:40 +0x", 1),
        ("main.run()\n\t/src/a.go:40 +0x1", 1),
        ("shop.init.0()\n\t/src/a.go:40 +0x1d", 0),
        ("shop.init()\n\t/src/a.go:40 +0x1d", 0),
        ("main.init.0(...)\n\t/src/a.go:40", 0),
        ("main.f()\n\t/src/a.go:3 +0x1\nmain.run(0x1,\n\t/src/a.go:40", 1),
        ("main.main()\n\t/src/a.go:40 +0x1d\nruntime.goe", 1),
    ] {
        assert_eq!(partial(&format!("goroutine 1 [running]:\n{end}")), expected, "{end}");
    }
}

#[test]
fn a_last_goroutine_without_its_creator_is_cut_where_others_have_theirs() {
    for (last, expected) in [
        ("goroutine 9 [select]:\nshop.f()\n\t/src/a.go:3 +0x1d\n", 1),
        ("goroutine 1 [select]:\nshop.f()\n\t/src/a.go:3 +0x1d\n", 0),
        ("goroutine 9 [select]:\nruntime.goexit()\n\t/src/a.s:3 +0x1d\n", 0),
        ("goroutine 9 [running]:\n\tgoroutine running on other thread; stack unavailable\n", 0),
        ("goroutine 0 gp=0x1 m=1 mp=0x2 [idle]:\n", 0),
        ("goroutine 9 [select]:\n", 1),
    ] {
        assert_eq!(partial(&format!("{DUMP}\n{last}")), expected, "{last}");
        // Go ends each goroutine with a blank line.
        let is_empty = last.lines().count() == 1;
        let expected = if is_empty { expected } else { 0 };
        assert_eq!(partial(&format!("{DUMP}\n{last}\n")), expected, "{last}");
    }
}

#[test]
fn a_header_of_which_only_text_follows_is_text() {
    let profile = parse(&format!("goroutine 9 [select]:\nis what I saw,\nand more.\n\n{DUMP}"));
    assert_eq!((profile.goroutines.len(), profile.inputs[0].seen.headers), (3, 3));
    assert_eq!(profile.inputs[0].seen.text_lines, 3);
    // One that is cut isn't made up.
    let profile = parse(&format!("goroutine 9 [sel\nis what I saw,\nand more.\n\n{DUMP}"));
    assert_eq!((profile.goroutines.len(), profile.inputs[0].seen.headers), (4, 4));
    assert_eq!(profile.inputs[0].seen.partial, 1);
}

#[test]
fn an_indented_crash_may_follow_a_whole_goroutine() {
    let crash: String =
        format!("panic: boom\n\n{DUMP}").lines().map(|line| format!("    {line}\n")).collect();
    let profile = parse(&format!("goroutine 9 [select]:\nshop.f()\n{PLACE}{CREATOR}{crash}"));
    assert_eq!(profile.goroutines.len(), 4);
    let told = profile.inputs.iter().find_map(|input| input.crash.as_ref());
    assert_eq!(told.map(|crash| crash.text.as_str()), Some("boom"));
}

#[test]
fn doubled_line_ends_change_nothing() {
    let text = format!("panic: boom\n\n{DUMP}");
    let [once, twice] = [text.clone(), text.replace('\n', "\n\n")].map(|text| parse(&text));
    assert_eq!(described(&twice), described(&once));
}

#[test]
fn of_all_places_only_those_of_creators_are_offered() {
    let mut offered = Vec::new();
    let mut observer = |line: &[u8]| {
        offered.push(String::from_utf8_lossy(line).into_owned());
        true
    };
    let mut options = ReadOptions { observer: Some(&mut observer), ..ReadOptions::default() };
    let mut builder = ProfileBuilder::new(KEEP);
    let input = Input::new("t", "t.txt", InputFormat::Debug2);
    let text = format!("goroutine 9 [select]:\nshop.f()\n{PLACE}{CREATOR}");
    read(&mut text.as_bytes(), input, &mut options, &mut builder).unwrap();
    let places: Vec<&String> = offered.iter().filter(|line| line.starts_with('\t')).collect();
    assert_eq!(places, ["\t/src/shop/main.go:9 +0x2"]);
}
