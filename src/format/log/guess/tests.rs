use super::*;

/// The text that comes out, and the number of the line that ended it.
fn run(lines: &[&str]) -> (String, Option<usize>) {
    let Some(mut guess) = Guess::of(lines[0].as_bytes()) else {
        return (String::new(), Some(0));
    };
    let mut out = Vec::new();
    for (number, line) in lines.iter().enumerate() {
        match guess.strip(line.as_bytes(), &mut out) {
            Ok(text) => {
                out.extend_from_slice(text);
                out.push(b'\n');
            }
            Err(Unwrapped::Over) => return (String::from_utf8(out).unwrap(), Some(number)),
            Err(_) => {}
        }
    }
    (String::from_utf8(out).unwrap(), None)
}

#[test]
fn indentation_is_that_of_the_frames() {
    let (text, over) = run(&[
        "    goroutine 1 [running]:",
        "    main.main()",
        "    \t/a.go:1",
        "",
        "    ",
        "    goroutine 2 [select]:",
        "  --- FAIL",
    ]);
    assert_eq!(
        text,
        "goroutine 1 [running]:\nmain.main()\n\t/a.go:1\n\n\ngoroutine 2 [select]:\n\n"
    );
    assert_eq!(over, Some(6));
    let (_, over) =
        run(&["    goroutine 1 [running]:", "    main.main()", "/a.go:1", "/bin/sh: not found"]);
    assert_eq!(over, Some(3));
    let goleak = "         [Goroutine 9 in state select, with main.f on top of the stack:";
    let (text, over) = run(&[goleak, "        main.f()", "        \t/a.go:1"]);
    assert_eq!(text, format!("{}\nmain.f()\n\t/a.go:1\n", goleak.trim_start()));
    assert_eq!(over, None);
}

#[test]
fn a_prefix_of_the_first_line_only_is_told_by_the_second() {
    let (text, over) = run(&["E0102 x.go:1] goroutine 1 [running]:", "main.main()"]);
    assert_eq!((text.as_str(), over), ("goroutine 1 [running]:\n", Some(1)));
    for (prefix, given) in [("  ", ""), ("\tx: ", ""), ("\t", "\t")] {
        let (text, over) = run(&[&format!("{prefix}goroutine 1 [running]:"), "main.main()"]);
        assert_eq!((text, over), (format!("{given}goroutine 1 [running]:\n"), Some(1)));
    }
    let (text, over) = run(&[
        "    x_test.go:5: goroutine 1 [running]:",
        "        main.main()",
        "        \t/a.go:1",
    ]);
    assert_eq!((text.as_str(), over), ("goroutine 1 [running]:\nmain.main()\n\t/a.go:1\n", None));
    let (text, _) =
        run(&["        leaked goroutine: goroutine 8 [select]:", "        main.f(...)"]);
    assert_eq!(text, "goroutine 8 [select]:\nmain.f(...)\n");
}

#[test]
fn a_repeated_prefix_is_cut_and_other_lines_are_foreign() {
    let (text, over) = run(&[
        "[10:00:01 app 9] goroutine 1 [running]:",
        "[10:00:01 app 9] main.main()",
        "hello",
        "[10:00:02 app 10] \t/a.go:1",
        "[10:00:02 app 10]",
    ]);
    assert_eq!((text.as_str(), over), ("goroutine 1 [running]:\nmain.main()\n\t/a.go:1\n\n", None));
}

#[test]
fn tests_that_were_running_are_part_of_the_crash() {
    for prefix in ["a-1 app ", "    ", "10:31:41 x | ", "// "] {
        let crash = "panic: test timed out after 2s\nrunning tests:\n\tTestX (2s)\n\ngoroutine 7 [running]:\nmain.main()\n";
        let lines: Vec<String> = crash.lines().map(|line| format!("{prefix}{line}")).collect();
        // Empty lines may have lost the blank at their end.
        let lines: Vec<&str> = lines.iter().map(|line| line.trim_end()).collect();
        assert_eq!(run(&lines), (crash.to_owned(), None));
    }
}

#[test]
fn the_lines_of_a_crash_are_kept_with_it() {
    let (text, _) = run(&[
        "    panic: boom",
        "    \tpanic: again",
        "    [signal SIGSEGV: x]",
        "",
        "    goroutine 1 [running]:",
        "    main.main()",
    ]);
    assert_eq!(
        text,
        "panic: boom\n\tpanic: again\n[signal SIGSEGV: x]\n\ngoroutine 1 [running]:\nmain.main()\n"
    );
    let (text, over) = run(&["E0102 x.go:1] panic: boom", "", "goroutine 1 [running]:"]);
    assert_eq!((text.as_str(), over), ("panic: boom\n\n", Some(2)));
    let crash = "runtime: goroutine stack exceeds 1000000000-byte limit\n\
                 fatal error: stack overflow\n\tgoroutine 5 [running]:\n\
                 goroutine 1 [running]:\nmain.main()\n";
    let lines: Vec<String> = crash.lines().map(|line| format!("    {line}")).collect();
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    assert_eq!(run(&lines), (crash.to_owned(), None));
    let (text, _) = run(&["a: WARNING: DATA RACE", "a: Read at 0x00c0 by goroutine 9:"]);
    assert_eq!(text, "WARNING: DATA RACE\nRead at 0x00c0 by goroutine 9:\n");
    let (text, _) = run(&["a 1: goroutine profile: total 5", "a 2: 5 @ 0x1 0x2"]);
    assert_eq!(text, "goroutine profile: total 5\n5 @ 0x1 0x2\n");
}

#[test]
fn a_header_that_no_frame_follows_is_given_back_as_it_came() {
    for next in
        ["    all is well", "goroutine", "    \t/a.go:1", "        main.main()", "\tmain.main()"]
    {
        let (text, over) = run(&["    goroutine 1 [running]:", next]);
        assert_eq!((text.as_str(), over), ("    goroutine 1 [running]:\n", Some(1)), "{next}");
    }
    let header = "a: goroutine 1 [running]:";
    let (text, over) = run(&[header, "a: all is well"]);
    assert_eq!((text, over), (format!("{header}\n"), Some(1)));
    let (text, over) = run(&["recovered panic: boom", "next request"]);
    assert_eq!((text.as_str(), over), ("recovered panic: boom\n", Some(1)));
}

#[test]
fn goleaks_entries_keep_their_brackets() {
    let entry = "Goroutine 9 in state select, with main.f on top of the stack:";
    for prefix in ["", "web-1 | "] {
        for start in ["[", "[ [", " [", " ", ""] {
            let lines = [format!("{start}{entry}"), "main.f()".into(), "\t/a.go:1".into()];
            let lines = lines.map(|line| format!("{prefix}        {line}"));
            let (text, over) = run(&lines.each_ref().map(String::as_str));
            let rest = format!("{entry}\nmain.f()\n\t/a.go:1\n");
            assert!(text.ends_with(&rest), "{prefix:?} {start:?}: {text:?}");
            assert!(text.len() <= rest.len() + start.len(), "{prefix:?} {start:?}: {text:?}");
            assert_eq!(over, None);
        }
    }
}

#[test]
fn bruised_lines_behind_a_prefix_tell_as_well() {
    let (text, _) = run(&[
        "a.log:panic: boom",
        "a.log:",
        "a.log:\x1b[1mgoroutine 1 [running]:\x1b[0m",
        "a.log:main.main()",
    ]);
    assert_eq!(text, "panic: boom\n\n\x1b[1mgoroutine 1 [running]:\x1b[0m\nmain.main()\n");
    let (text, _) = run(&["    goroutine 1 [running]:", "", "    main.main()", "", "/a.go:1"]);
    assert_eq!(text, "goroutine 1 [running]:\n\nmain.main()\n\n/a.go:1\n");
}

#[test]
fn prose_is_no_first_line() {
    for line in [
        "",
        "    hello",
        "goroutine 5 did x",
        "the goroutine 5 [running] did x:y",
        "xgoroutine 5 [running]:",
        "created by main.main in goroutine 1",
        "mypanic: x",
    ] {
        assert!(Guess::of(line.as_bytes()).is_none(), "{line}");
    }
    let far = format!("{}goroutine 1 [running]:", "goroutine ".repeat(200));
    assert!(Guess::of(far.as_bytes()).is_none());
}

#[test]
fn what_is_held_back_is_bounded() {
    let line = format!("    \t{}", "x".repeat(4000));
    let mut lines = vec!["    panic: boom"];
    lines.extend(std::iter::repeat_n(line.as_str(), 10));
    let (text, over) = run(&lines);
    assert_eq!(over, Some(5));
    assert_eq!(text.lines().count(), 5);
}
