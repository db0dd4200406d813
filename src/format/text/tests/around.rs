//! Lines around goroutines: what they are taken for, and what is told of them.

use super::*;
use crate::profile::WarningKind;

/// The kinds and lines of the warnings about a text.
fn warnings(text: &str) -> Vec<(WarningKind, Option<u64>)> {
    let profile = parse(text);
    let warnings = profile.inputs.iter().flat_map(|input| &input.warnings);
    warnings.map(|warning| (warning.kind, warning.line)).collect()
}

#[test]
fn binary_content_is_given_up_early_unless_a_dump_was_in_it() {
    struct Counted<R>(R, u64);
    impl<R: Read> Read for Counted<R> {
        fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
            let read = self.0.read(into)?;
            self.1 += read as u64;
            Ok(read)
        }
    }
    let mut zeros = Counted(std::io::repeat(0).take(64 << 20), 0);
    let (outcome, _) = parse_with(&mut zeros, &mut ReadOptions::default());
    assert_eq!(outcome, Outcome::Unknown);
    assert!(zeros.1 < 4 << 20, "{} bytes", zeros.1);
    let zeros = format!("{}\n", "\0".repeat(10_000)).repeat(200);
    assert_eq!(parse(&format!("{DUMP}{zeros}{DUMP}")).goroutines.len(), 6);
}

#[test]
fn lines_that_may_name_the_input_are_shown_until_they_are_enough() {
    let text = format!("host a\n{}", &DUMP[..DUMP.find("...23").unwrap()]);
    for enough in [usize::MAX, 2] {
        let mut seen = Vec::new();
        let mut observer = |line: &[u8]| {
            seen.push(String::from_utf8_lossy(line).into_owned());
            seen.len() < enough
        };
        let mut options = ReadOptions { observer: Some(&mut observer), ..ReadOptions::default() };
        parse_with(&mut text.as_bytes(), &mut options);
        let wanted = [
            "host a",
            "goroutine 1 [running]:",
            "main.main()",
            "goroutine 7 [select, 5 minutes] {node: n1}:",
            "main.work(0xc000012345, {0x1, 0x2})",
        ];
        assert_eq!(seen, wanted[..enough.min(wanted.len())]);
    }
    let creator =
        "goroutine 2 [select]:\nmain.f()\n\t/a.go:1 +0x1\ncreated by main.g\n\t/b.go:2 +0x1\nbye\n";
    let mut seen = Vec::new();
    let mut observer = |line: &[u8]| {
        seen.push(String::from_utf8_lossy(line).into_owned());
        true
    };
    let mut options = ReadOptions { observer: Some(&mut observer), ..ReadOptions::default() };
    parse_with(&mut creator.as_bytes(), &mut options);
    assert_eq!(
        seen,
        ["goroutine 2 [select]:", "main.f()", "created by main.g", "\t/b.go:2 +0x1", "bye"]
    );
}

#[test]
fn of_lines_that_look_like_headers_the_first_is_told() {
    let like = "log about goroutine 5 [running]: (x)\n";
    let text = format!("hello\n{like}hello\n{like}\n{DUMP}");
    let [warning] = &*parse(&text).inputs[0].warnings else { panic!("{text}") };
    assert_eq!((warning.kind, warning.line), (WarningKind::UnreadHeader, Some(2)));
    assert!(warning.text.starts_with("2 lines look"), "{}", warning.text);
    for stump in ["goroutine 9", "gorout"] {
        let text = format!("{DUMP}\n{stump}");
        let [warning] = &*parse(&text).inputs[0].warnings else { panic!("{text}") };
        assert!(warning.text.starts_with("a line looks"), "{stump}: {}", warning.text);
    }
    for (header, count) in [
        ("goroutine 1 [running] {\"k\": \"goroutine 6 [select]:\"}:", 0),
        ("goroutine 1 [running]: main.f() /a.go:1 +0x1 goroutine 6 [select]: main.f()", 1),
    ] {
        // The goroutine that crashed is read line by line.
        let text = DUMP.replacen("goroutine 1 [running]:", header, 1);
        let text = format!("panic: boom\n\n{text}");
        let unread = warnings(&text).iter().filter(|w| w.0 == WarningKind::UnreadHeader).count();
        assert_eq!(unread, count, "{header}");
    }
}

#[test]
fn frames_that_lost_their_header_are_told_and_text_that_looks_alike_is_not() {
    for (text, line) in [
        ("main.f()\n\t/src/a.go:5\n", Some(2)),
        ("main.f()\n\t/src/a.s:5 +0x1\n", Some(2)),
        ("main.f()\n/src/a.go:5\n", None),
        ("main.f()\n\t/src/a.s:5\n", None),
        ("main.f()\n/src/a.s:5 +0x1\n", Some(2)),
        ("/src/a.go:5 +0x1\n", Some(1)),
        ("\t/src/a.s:5 +0x1\n", Some(1)),
        ("/src/a.s:5 +0x1\n", Some(1)),
        ("\t/src/a.go:5\n", None),
        ("created by main.f in goroutine 1\n\t/src/a.go:5\n", Some(2)),
        ("hello (world)\n\t/src/a.go:5\n", None),
        ("web | main.f(0x1, 0x2)\nhello\n", None),
    ] {
        let wanted: Vec<_> =
            line.map(|line| (WarningKind::Partial, Some(line))).into_iter().collect();
        assert_eq!(warnings(&format!("{text}\n{DUMP}")), wanted, "{text}");
    }
}

#[test]
fn a_race_report_ends_with_its_last_line_or_where_a_dump_starts() {
    let report = "==================\nWARNING: DATA RACE\nRead at 0x1 by goroutine 7:\n  main.f()\n      /a.go:1 +0x1\n";
    let wrapped: String =
        DUMP.lines().map(|line| format!("2026-01-02T10:31:41.5Z stderr F {line}\n")).collect();
    for after in [DUMP, &wrapped, &format!("==================\n{DUMP}")] {
        let profile = parse(&format!("{report}{after}"));
        assert_eq!(profile.goroutines.len(), 3, "{after}");
        assert_eq!(profile.inputs[0].warnings, [], "{after}");
    }
}

#[test]
fn frames_of_the_runtime_belong_to_no_goroutine_whatever_is_between_them() {
    let stack = "runtime stack:\nruntime.throw({0x1, 0x2})\n\n\t/go/src/runtime/panic.go:1 +0x4d\n\
                 runtime: g 7\n\tmore\n/go/src/runtime/proc.go:3 +0x1\n\n";
    assert_eq!(warnings(&format!("{stack}{DUMP}")), []);
}

#[test]
fn blank_lines_within_a_goroutine_end_it_unless_a_frame_follows() {
    let goroutine = "goroutine 9 [select]:\nmain.f(0x1)\n\t/src/a.go:3 +0x1d\n";
    for (text, frames) in [
        (format!("{goroutine}\nmain.g(0x1)\n\t/src/a.go:5 +0x1d\n"), 2),
        (format!("{goroutine}\nmain.g(0x1)\nhello\n"), 1),
        (format!("{goroutine}\npanic: x\n\n{DUMP}"), 1),
    ] {
        let profile = parse(&text);
        let first =
            profile.goroutines.iter().find(|goroutine| goroutine.id == 9).expect("it is there");
        let stack = profile.stack(profile.sample(first.sample).key.stack);
        assert_eq!(stack.len(), frames, "{text}");
    }
}

#[test]
fn frames_below_a_blank_line_are_said_to_be_anothers_if_a_header_may_be_missing_there() {
    let text = "goroutine 9 [select]:\nmain.f(0x1)\n\t/src/a.go:3 +0x1d\n\nmain.g(0x1)\n\t/src/a.go:5 +0x1d\n";
    let input = &parse(text).inputs[0];
    let [warning] = &input.warnings[..] else { panic!("{:?}", input.warnings) };
    assert_eq!((warning.kind, warning.line), (WarningKind::Note, Some(5)));
    assert!(warning.text.contains("header is missing"), "{}", warning.text);
    assert_eq!(warnings(&text.replace('\n', "\n\n")), []);
}

#[test]
fn damaged_headers_are_told_if_carriage_returns_end_some_lines_and_line_feeds_others() {
    let good = "goroutine 1 [select]:\nmain.f(0x1)\n\t/src/a.go:3 +0x1d\n\n";
    let damaged = good.replace("[select]", "(select)");
    let other = good.replace("goroutine 1", "goroutine 4");
    for text in [
        format!("{good}{}", format!("{damaged}{other}").replace('\n', "\r")),
        format!("{}\nlog line\n", format!("{good}{damaged}{other}").replace('\n', "\r")),
        format!("{good}some text\n{}\n", format!("{damaged}{other}").replace('\n', "\r")),
    ] {
        let input = &parse(&text).inputs[0];
        assert_eq!(input.seen.headers, text.matches(" [select]").count() as u64);
        assert!(!input.complete(), "{text:?}");
    }
}

#[test]
fn a_line_that_was_damaged_is_repaired_once_and_each_of_several_in_it() {
    let name = |text: &str| {
        let profile = parse(text);
        let stack = profile.stack(profile.samples[0].key.stack);
        stack
            .iter()
            .map(|&frame| String::from_utf8_lossy(profile.func(frame)).into_owned())
            .collect::<Vec<_>>()
    };
    let once = "goroutine 1 [running]:\nmain.f[&amp;lt;]()\n\t/src/a.go:3 +0x1d\n";
    assert_eq!(name(once), ["main.f[&lt;]"]);
    let several = "goroutine 1 [running]:<br>`main.f()`<br>`\t/src/a.go:3 +0x1d`\n";
    assert_eq!(name(several), ["main.f"]);
    let record = "goroutine profile: total 2\n2 @ 0x1 0x2\n#\t0x1\tmain.f&lt;+0x1\t/src/a.go:3\n#\t0x2\tmain.main+0x1\t/src/a.go:9\n";
    assert_eq!(name(record), ["main.f<", "main.main"]);
}

/// Whether the text holds goroutines that aren't read, and all inputs say that nothing is missing.
fn is_lost(text: &str) -> bool {
    parse(text).inputs.iter().all(Input::complete)
}

#[test]
fn a_dump_in_a_table_of_a_database_below_a_panic_is_read_or_told() {
    let cell = |line: &str| format!(" {line:<40}+\n");
    let cells = |text: &str| text.lines().map(cell).collect::<String>();
    for panic in ["", "panic: boom\n\n", "fatal error: boom\n\n"] {
        for head in ["", " msg\n-----\n", "  message\n----------\n"] {
            let table = format!("{head}{}", cells(&format!("{panic}{DUMP}")));
            assert!(!is_lost(&format!("{table}\n{DUMP}")), "{table}");
        }
    }
}

#[test]
fn a_crash_below_a_line_of_five_dashes_is_told_unless_it_is_the_same_one_on_another_thread() {
    for (before, crashes) in
        [("", 1), ("panic: other\n\ngoroutine 1 [running]:\nmain.f()\n\t/a.go:3 +0x1\n\n", 2)]
    {
        let profile = parse(&format!("{before}notes\n-----\n\npanic: boom\n\n{DUMP}"));
        let found: Vec<_> =
            profile.inputs.iter().filter_map(|input| input.crash.as_ref()).collect();
        assert_eq!(found.len(), crashes, "{before}");
        assert!(found.last().is_some_and(|crash| crash.text == "boom"), "{before}");
    }
}

#[test]
fn a_profile_whose_name_is_damaged_is_read_or_told() {
    let records = "3 @ 0x400001 0x400488\n#\t0x400001\tmain.f+0x1d\t/src/a.go:1\n#\t0x400487\tmain.g+0x3\t/src/b.go:9\n\n";
    for name in [
        "Goroutine",
        "gorout1ne",
        "go routine",
        "gorou\u{ad}tine",
        "goroutine",
        "GOROUTINE",
        "goroutineLeak",
    ] {
        let profile = format!("{name} profile: total 30\n{records}");
        for text in [
            profile.clone(),
            format!("{profile}{DUMP}"),
            format!("{DUMP}\n{profile}"),
            format!("{DUMP}\n{profile}{DUMP}"),
        ] {
            assert!(!is_lost(&text), "{text}");
        }
        let alone = parse(&profile);
        assert_eq!(alone.inputs.iter().map(|input| input.goroutines).sum::<i64>(), 3, "{name}");
    }
}

#[test]
fn dumps_in_capitals_or_in_the_encoding_of_addresses_are_told_beside_another() {
    let records = "1 @ 0x400001 0x400488\n#\t0x400001\tmain.f+0x1d\t/src/a.go:1\n\n";
    let encode = |text: &str| {
        let code = |byte: u8| match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'.' | b'_' => {
                (byte as char).to_string()
            }
            byte => format!("%{byte:02X}"),
        };
        text.bytes().map(code).collect::<String>()
    };
    for dump in [DUMP.to_owned(), format!("goroutine profile: total 1\n{records}")] {
        for other in [dump.to_uppercase(), encode(&dump), encode(&dump).replace("%20", "+")] {
            for text in [format!("{DUMP}\n{other}\n"), format!("{other}\n\n{DUMP}")] {
                assert!(!is_lost(&text), "{text}");
            }
        }
    }
}

/// A text with a prefix before each line.
fn behind(prefix: &str, text: &str) -> String {
    text.lines().map(|line| format!("{prefix}{line}\n")).collect()
}

const MUTEX: &str = "--- mutex:\ncycles/second=1000\nsampling period=1\n5 2 @ 0x401 0x402\n#\t0x400\tmain.f+0x1\t/src/a.go:3\n";
const HEAP: &str = "heap profile: 1: 2 [3: 4] @ heap/1048576\n1: 2 [3: 4] @ 0x401\n#\t0x400\tmain.f+0x1\t/src/a.go:3\n";

#[test]
fn profiles_of_locks_and_memory_are_read_behind_any_prefix() {
    let whole = "goroutine 1 [running]:\nmain.main()\n\t/src/a.go:12 +0x1d\n";
    for prefix in ["2026/03/05 10:31:41 ", "web-1  | ", "    ", "app: ", "[n1] "] {
        for text in [MUTEX, HEAP, &MUTEX.replace("mutex", "contention")] {
            for above in ["", whole, "a log\n"] {
                let text = format!("{above}{}", behind(prefix, text));
                let profile = parse(&text);
                let values =
                    profile.inputs.iter().filter(|input| !input.format.counts_goroutines());
                assert_eq!(values.count(), 1, "{text}");
                assert_eq!(profile.samples.len(), 1 + usize::from(above == whole), "{text}");
            }
        }
    }
}

#[test]
fn pieces_of_a_dump_below_a_whole_goroutine_are_told() {
    let whole = "panic: boom\n\ngoroutine 1 [running]:\nmain.main()\n\t/src/a.go:12 +0x1d\n";
    let frames =
        "main.h(0x1)\n\t/src/c.go:12 +0x1d\ncreated by main.i in goroutine 5\n\t/src/d.go:3 +0x2\n";
    let damaged = "oroutine 9 [select]:\nmain.h(0x1)\n\t/src/c.go:12 +0x1d\n";
    for prefix in ["2026/03/05 10:31:41 ", "web-1  | ", "app: "] {
        for between in ["", "exit status 2\n"] {
            for pieces in [frames, damaged] {
                let text = format!("{whole}{between}{}", behind(prefix, pieces));
                assert!(warnings(&text).iter().any(|(kind, _)| kind.means_loss()), "{text}");
            }
        }
    }
    let log = format!("{whole}exit status 2\nserver.go:41: stopped (3 requests)\nbye\n");
    assert_eq!(warnings(&log), []);
}

#[test]
fn a_line_that_says_that_text_was_left_out_is_told_directly_beside_goroutines() {
    let notice =
        "Jan 02 10:31:41 db1 systemd-journald[312]: Suppressed 1204 messages from shop.service";
    let complete = |text: &str| parse(text).inputs.iter().all(Input::complete);
    for notice in [
        notice,
        "[...]",
        "[output clipped, log limit 2MiB reached]",
        "Job's log exceeded limit of 4194304 bytes.",
        "level=warn msg=\"dropped 123 lines\"",
    ] {
        for text in [
            format!("{DUMP}{notice}\n{DUMP}"),
            format!("{DUMP}\n{notice}\n\n{DUMP}"),
            format!("{DUMP}{notice}\n"),
            format!("starting\n{notice}\n{DUMP}"),
            format!("{DUMP}exit status 2\nnotes\n{notice}\n{DUMP}"),
        ] {
            assert!(!complete(&text), "{text}");
        }
        for text in
            [format!("{notice}\nstarting\n{DUMP}"), format!("{DUMP}exit status 2\n{notice}\n")]
        {
            assert!(complete(&text), "{text}");
        }
    }
}

#[test]
fn a_line_that_says_that_text_was_left_out_is_told_beside_profiles() {
    let complete = |text: &str| parse(text).inputs.iter().all(Input::complete);
    let stack = "@ 0x4b9ae5\n#\t0x4b9ae4\tmain.f+0x44\t/src/a.go:212\n";
    for head in [
        "goroutine profile: total 3\n3 ",
        "--- mutex:\ncycles/second=1000\nsampling period=1\n107096 1 ",
    ] {
        let profile = format!("{head}{stack}");
        assert!(complete(&profile), "{profile}");
        assert!(complete(&format!("{profile}\ndone\n")), "{profile}");
        for text in [format!("{profile}\n[...]\n"), format!("[...]\n\n{profile}")] {
            assert!(!complete(&text), "{text}");
        }
    }
}

#[test]
fn a_list_of_goleak_without_its_closing_bracket_is_told() {
    let entry = |id: u32| {
        format!(
            "Goroutine {id} in state select, with main.f on top of the stack:\nmain.f()\n\t/src/a.go:7 +0x1d\n\
             created by main.main in goroutine 1\n\t/src/a.go:3 +0x1d\n"
        )
    };
    let whole = format!("found unexpected goroutines:\n[{} {}]\nFAIL\n", entry(7), entry(8));
    let cut = whole.replace("]\nFAIL\n", "");
    let incomplete = |text: &str| {
        let inputs = parse(text).inputs;
        inputs.iter().filter(|input| !input.complete()).count()
    };
    for (text, expected) in [
        (whole.clone(), 0),
        (cut.clone(), 1),
        (format!("{cut}FAIL\n"), 1),
        (format!("{cut}{whole}"), 1),
        (format!("{whole}{whole}"), 0),
        (whole.lines().map(|line| format!("        {line}\n")).collect(), 0),
        (cut.lines().map(|line| format!("        {line}\n")).collect(), 1),
        // A part that somebody quotes.
        (entry(7), 0),
    ] {
        assert_eq!(incomplete(&text), expected, "{text}");
    }
}

#[test]
fn lists_of_goleak_in_two_packages_close_each_by_itself() {
    let list = |package: &str| {
        [
            "found unexpected goroutines:",
            "[Goroutine 7 in state select, with main.f on top of the stack:",
            "main.f()",
            "\t/src/a.go:3 +0x1d",
            "created by main.g in goroutine 1",
            "\t/src/a.go:9 +0x2d",
            "]",
        ]
        .map(|line| {
            let output = format!("{line}\n");
            let event =
                serde_json::json!({"Action": "output", "Package": package, "Output": output});
            format!("{event}\n")
        })
    };
    let lists = [list("a"), list("b")];
    let lines = lists[0].iter().zip(&lists[1]).flat_map(|(a, b)| [a.as_str(), b.as_str()]);
    let text: String = lines.collect();
    let profile = parse(&text);
    assert_eq!(profile.goroutines.len(), 2);
    assert!(profile.inputs.iter().all(Input::complete), "{:?}", profile.inputs);
    let open = text.replace("]\\n", "\\n");
    assert!(!parse(&open).inputs[0].complete(), "{open}");
}

#[test]
fn a_record_of_contentions_that_is_cut_above_its_stack_is_told_whatever_follows() {
    let whole = "--- mutex:\ncycles/second=2000000000\nsampling period=1\n3000 2 @ 0xa\n#\t0x9\tmain.f+0x1\t/a.go:3\n\n";
    for line in ["58 79Killed", "587[truncated]", "58 1...", "58 ^C", "58 1{\"level\":\"info\"}"] {
        let profile = parse(&format!("{whole}{line}\n"));
        assert!(!profile.inputs[0].complete(), "{line}");
    }
    for line in [
        "2026/03/14 10:00:00 started",
        "10:00:00 started",
        "12 goroutines",
        "3rd",
        "12",
        "12...",
        "  512KiB  x",
        "12 34MiB used",
        "2 {\"n\":1}",
    ] {
        let profile = parse(&format!("{whole}{line}\n"));
        assert!(profile.inputs[0].complete(), "{line}");
    }
}

#[test]
fn a_header_that_was_cut_below_a_dump_is_told_whatever_stands_behind_it() {
    let row = |line: &str| format!("\"2026-03-14T10:00:00Z\",\"{line}\"\n");
    for start in ["gor", "gorouti", "goroutine", "goroutine ", "goroutine 1", "goroutine 18 "] {
        for behind in [
            "section_end:1773600060:step_script\r\x1b[0K\n",
            "##[error]Process completed with exit code 2.\n",
            "</failure>\n",
        ] {
            let text = format!("{DUMP}\n{start}{behind}");
            assert!(!parse(&text).inputs[0].complete(), "{text}");
        }
        let rows: String = DUMP.lines().map(row).collect();
        let text = format!("time,message\n{rows}{}", row(start).trim_end_matches("\"\n"));
        let profile = parse(&text);
        assert!(!profile.inputs[0].complete(), "{text}");
        assert_eq!(profile.goroutines.len(), 3, "{text}");
    }
}

/// Loggers don't write the field of their message twice; a hole over the end of a record does.
#[test]
fn records_of_json_that_a_hole_has_joined_are_told() {
    let dump = "goroutine 7 [select]:\nmain.f(0x9)\n\t/a.go:1 +0x1\nmain.run(0x9)\n\t/r.go:8 +0x1\ncreated by main.main in goroutine 1\n\t/a.go:4 +0x3\n";
    let go = |line: &str| serde_json::json!({"Time": "2026-01-02T10:31:41.1Z", "Action": "output", "Test": "TestX", "Output": format!("{line}\n")});
    let journal = |line: &str| serde_json::json!({"_PID": "2296", "SYSLOG_IDENTIFIER": "shop", "MESSAGE": line});
    let other = |line: &str| serde_json::json!({"time": "2026-01-02T10:31:41.1Z", "level": "error", "msg": line, "app": "shop"});
    for record in [&go as &dyn Fn(&str) -> serde_json::Value, &journal, &other] {
        let records: Vec<String> = dump.lines().map(|line| record(line).to_string()).collect();
        assert!(parse(&(records.join("\n") + "\n")).inputs[0].complete());
        for at in 1..records.len() {
            for to in [at + 1, at + 2] {
                let Some(last) = records.get(to) else { continue };
                // From inside a text to the field behind it, so that the rest is valid.
                let cut = records[at].find(dump.lines().nth(at).unwrap().trim_start()).unwrap();
                let rest = last.find("\",\"").unwrap();
                let joined = format!("{}{}", &records[at][..cut + 4], &last[rest..]);
                let text = [&records[..at], &[joined], &records[to + 1..]].concat().join("\n");
                assert!(!parse(&(text.clone() + "\n")).inputs[0].complete(), "{text}");
            }
        }
    }
}
