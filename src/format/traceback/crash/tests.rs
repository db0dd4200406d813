use super::*;

/// A panic's message after these lines, each with whether it was taken.
fn block(lines: &[&str]) -> (CrashBlock, Vec<bool>) {
    let mut block = CrashBlock::new(CrashKind::Panic, b"panic: boom", 1);
    let took = lines.iter().zip(2..);
    let took = took.map(|(line, at)| block.line(line.as_bytes(), at) == BlockUse::Took);
    let took = took.collect();
    (block, took)
}

#[test]
fn signals_and_exceptions_are_told_from_words_of_a_log() {
    for line in [
        "SIGQUIT: quit",
        "SIGUSR1: user-defined signal 1",
        "Exception 0xc0000005 0x1 0x18 0x7ff6c0de",
        "Exception 0xc0000005",
    ] {
        assert_eq!(kind_of_crash(line.as_bytes()), Some(CrashKind::Signal), "{line}");
    }
    for line in [
        "SIGN: here",
        "SIGNed: by me",
        "Exception 0x",
        "Exception 0xzz 0x1",
        "Exception 0xc0000005 0x1 again",
        "Exception 0xc0000005 0x1 0xzz",
        "Exception: null",
        "panic:\tboom",
    ] {
        assert_eq!(kind_of_crash(line.as_bytes()), None, "{line}");
    }
    // Of `[signal SIGSEGV: ...]` the end is cut off, of a bracket of its own it isn't.
    for (line, text) in
        [("SIGSEGV: at 0x1]", "SIGSEGV: at 0x1"), ("SIGSEGV: at [0x1]", "SIGSEGV: at [0x1]")]
    {
        let crash = CrashBlock::new(CrashKind::Signal, line.as_bytes(), 1).crash();
        assert_eq!(crash.text, text);
    }
}

#[test]
fn a_panic_that_was_recovered_ends_with_its_line_and_other_messages_go_on() {
    for (kind, lines) in [
        (CrashKind::Panic, &["panic: boom", "second [recovered]", "third"][..]),
        (CrashKind::Fatal, &["fatal error: boom [recovered]", "second"]),
        (CrashKind::Panic, &["panic: boom [recovered]", "\tpanic: second", "third"]),
    ] {
        let mut block = CrashBlock::new(kind, lines[0].as_bytes(), 1);
        for line in &lines[1..] {
            assert_eq!(block.line(line.as_bytes(), 2), BlockUse::Took, "{lines:?}");
        }
    }
    let mut block = CrashBlock::new(CrashKind::Panic, b"panic: boom [recovered]", 1);
    assert_eq!(block.line(b"second", 2), BlockUse::Ended(Ending::default()));
}

#[test]
fn a_message_of_too_many_lines_is_given_up() {
    let (_, took) = block(&["more"; 300]);
    assert_eq!(took.iter().take_while(|&&took| took).count(), 256);
}

#[test]
fn a_header_in_a_message_starts_a_goroutine_if_it_follows_a_blank_line_or_a_place_its_call() {
    let (header, call, place) = ("goroutine 7 [select]:", "main.f(0x1)", "\t/a.go:3 +0x1d");
    let with_text = "goroutine 7 [select]: is";
    for (lines, ends) in [
        (&["", header, call][..], true),
        (&["", header, "", "", "", "", call], true),
        (&["", header, "main.f(0x1,"], true),
        (&["", header, "goroutine 8 [select]:"], true),
        (&["", with_text, "it?"], false),
        (&["", "\tgoroutine 7 [select]:", "\tmain.f(0x1)"], false),
        (&[header, call], false),
        (&[header, call, place], true),
        (&[header, call, "no place"], false),
    ] {
        let (block, took) = block(lines);
        assert_eq!(took.last(), Some(&!ends), "{lines:?}");
        let is_held = ends || block.candidate.is_some();
        assert_eq!(block.crash().text.contains("goroutine 7"), !is_held, "{lines:?}");
    }
}

#[test]
fn a_header_at_the_end_of_the_text_counts_behind_a_blank_line_unless_it_is_indented() {
    for (lines, starts) in [
        (["", "goroutine 7 [select]:"], true),
        (["more", "goroutine 7 [select]:"], false),
        (["", "\tgoroutine 7 [select]:"], false),
    ] {
        let (mut block, _) = block(&lines);
        assert_eq!(block.finish().lines.len(), usize::from(starts), "{lines:?}");
    }
}

#[test]
fn only_the_message_of_a_test_timeout_names_tests() {
    let (block, _) = block(&["running tests:", "from (deep", "down (shallow)"]);
    let crash = block.crash();
    assert_eq!(crash.text, "boom\nrunning tests:\nfrom (deep\ndown (shallow)");
    assert!(crash.running_tests.is_empty());
}

#[test]
fn the_first_header_and_the_first_frame_of_a_message_are_known_by_their_lines() {
    let header = "app | goroutine 7 [select]: main.f(0x1)";
    let (block, _) = block(&["one", header, "three", header, "five"]);
    assert_eq!((block.stacks.headers.count, block.stacks.headers.first), (2, 3));
    for (lines, first) in [
        (&["main.f(0x1)", "\t/src/a.cc:3"][..], Some(3)),
        (&["one", "\t/src/a.go:3 +0x1d"], Some(3)),
        (&["one", "\t/src/a.go:3", "\t/src/a.cc:3 +0x1d"], None),
    ] {
        assert_eq!(self::block(lines).0.stacks.first_frame, first, "{lines:?}");
    }
}

/// The crash of a text, and how many of its lines are no part of it.
fn settled(lines: &[&str]) -> (Crash, u64) {
    let kind = kind_of_crash(lines[0].as_bytes()).unwrap();
    let mut block = CrashBlock::new(kind, lines[0].as_bytes(), 1);
    for (line, number) in lines[1..].iter().zip(2..) {
        assert_eq!(block.line(line.as_bytes(), number), BlockUse::Took, "{lines:?}");
    }
    let around = block.settle();
    (block.crash(), around)
}

#[test]
fn the_message_directly_above_the_goroutines_beats_one_that_the_text_above_quotes() {
    const QUOTED: &str = "panic: close of nil channel` is what we saw in May:";
    let signal = "[signal SIGBUS: bus error code=0x2 addr=0x7 pc=0x401]";
    for (lines, kind, text, around) in [
        (&[QUOTED, "panic: index out of range", ""][..], CrashKind::Panic, "index out of range", 1),
        (
            &[QUOTED, "", "more", "fatal error: fault", signal, ""],
            CrashKind::Fatal,
            &["fault\n", signal].concat(),
            3,
        ),
        (
            &[QUOTED, "panic: one", "panic: two", "\tpanic: three"],
            CrashKind::Panic,
            "one\npanic: two\npanic: three",
            1,
        ),
        // Text comes after it.
        (
            &[QUOTED, "panic: index out of range", "or so"],
            CrashKind::Panic,
            &[&QUOTED[7..], "\npanic: index out of range\nor so"].concat(),
            0,
        ),
        // They belong to what is above them.
        (
            &["panic: one [recovered]", "panic: two", ""],
            CrashKind::Panic,
            "one [recovered]\npanic: two",
            0,
        ),
        (
            &["fatal error: one", "fatal error: one", "panic: two", ""],
            CrashKind::Panic,
            "two (after fatal error: one)",
            2,
        ),
        (
            &[QUOTED, "fatal error: one", "panic: two", ""],
            CrashKind::Panic,
            "two (after fatal error: one)",
            2,
        ),
        (
            &["fatal error: one", "", "fatal error: two", "fatal error: two"],
            CrashKind::Fatal,
            "two",
            3,
        ),
        (
            &["panic: one", "fatal error: panic holding locks", ""],
            CrashKind::Panic,
            "one\nfatal error: panic holding locks",
            0,
        ),
    ] {
        let (crash, lines_around) = settled(lines);
        assert_eq!(
            (crash.kind, crash.text.as_str(), lines_around),
            (kind, text, around),
            "{lines:?}"
        );
    }
    let tests = [QUOTED, "panic: test timed out after 3s", "running tests:", "TestA (2s)", ""];
    let (crash, _) = settled(&tests);
    assert_eq!((crash.kind, crash.text.as_str()), (CrashKind::Timeout, "test timed out after 3s"));
    assert_eq!(crash.running_tests, ["TestA (2s)"]);
}
