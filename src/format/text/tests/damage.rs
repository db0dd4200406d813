//! Logs that are damaged at each place: what is lost is told, in whatever the goroutines stand.

use super::rows::{forms, log};
use super::*;

/// What logs have for each line; `%` is the line, `#` the second.
const LINES: [&str; 14] = [
    "%",
    "> %",
    "web-1  | %",
    "[pod/web-1/app] %",
    "2026-01-02T10:31:#.000791900Z %",
    "2026-01-02T10:31:#.000791Z stderr F %",
    "Jan  2 10:31:# web-0 shopd[17613]: %",
    "2026/01/02 10:31:#.123456 app: %",
    "2026-01-02 10:31:#,123 INFO [main] %",
    r#"{"log":"%\n","stream":"stderr","time":"2026-01-02T10:31:#Z"}"#,
    r#"{"level":"error","ts":17900000#.12,"caller":"a/b.go:3","msg":"%"}"#,
    r#"{"time":"2026-01-02T10:31:#Z","level":"INFO","msg":"%","pod":"web-1"}"#,
    r#"{"Time":"2026-01-02T10:31:#Z","Action":"output","Package":"shop","Test":"TestA","Output":"%\n"}"#,
    r#"time=2026-01-02T10:31:#Z level=INFO msg="%" pod=web-1"#,
];

fn record(form: &str, text: &str, second: usize) -> String {
    let quoted = serde_json::to_string(text).unwrap();
    let text = if form.contains("\"%") { &quoted[1..quoted.len() - 1] } else { text };
    form.replace('#', &second.to_string()).replace('%', text) + "\n"
}

/// The goroutines in records for each line, and all in one record.
fn logs() -> impl Iterator<Item = String> {
    let lines = |form: &&str| -> String {
        GOROUTINES.lines().zip(10..).map(|(line, second)| record(form, line, second)).collect()
    };
    let is_record = |form: &&&str| form.contains("\"%") && !form.contains("Output");
    let whole = |form: &&str| {
        let form = form.replace("\\n", "");
        [("ready", 10), (GOROUTINES, 11), ("bye", 12)]
            .map(|(text, second)| record(&form, text, second))
            .concat()
    };
    let rows = forms().map(|form| log(form, GOROUTINES.lines()));
    let records = LINES.iter().filter(is_record).map(whole);
    rows.chain(LINES.iter().map(lines)).chain(records)
}

/// Whether a text is told as damaged, or has the goroutines, frames and creators of the whole one.
fn is_told_or_whole(text: &[u8]) -> bool {
    let (outcome, profile) = parse_as(text, usize::MAX);
    let keys = || profile.goroutines.iter().map(|goroutine| &profile.sample(goroutine.sample).key);
    let frames: usize = keys().map(|key| profile.stack(key.stack).len()).sum();
    let creators = keys().filter(|key| key.creator.is_some()).count();
    outcome != Outcome::Read
        || !profile.inputs[0].complete()
        || (keys().count(), frames, creators) == (3, 3, 2)
}

#[test]
fn a_byte_that_is_lost_or_changed_anywhere_takes_no_line_without_a_word() {
    for (text, first) in logs().zip((0..).map(|number: usize| number % 11)) {
        assert!(!is_told(&text) && is_told_or_whole(text.as_bytes()), "{text}");
        let bytes = text.as_bytes();
        for at in (first..bytes.len()).step_by(11) {
            let (before, after) = bytes.split_at(at);
            let mut damaged = vec![[before, &after[1..]].concat()];
            for byte in [b'"', b'\n', b'\\', b' ', b'x'] {
                damaged.push([before, &[byte], after].concat());
                damaged.push([before, &[byte], &after[1..]].concat());
            }
            for text in damaged {
                assert!(is_told_or_whole(&text), "{}", String::from_utf8_lossy(&text));
            }
        }
    }
}

#[test]
fn a_line_that_is_lost_or_in_another_place_is_told() {
    for text in logs() {
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        for at in 0..lines.len() {
            let mut lost = lines.clone();
            let line = lost.remove(at);
            let mut later = lost.clone();
            later.insert((at + 1).min(lost.len()), line);
            for lines in [lost, later] {
                let text = lines.concat();
                assert!(is_told_or_whole(text.as_bytes()), "{text}");
            }
        }
    }
}

#[test]
fn a_text_that_ends_inside_a_record_is_told() {
    for form in LINES.into_iter().filter(|form| form.contains("\"%")) {
        let lines: Vec<&str> = GOROUTINES.lines().collect();
        for at in 3..lines.len() {
            let before: String = lines[..at].iter().map(|line| record(form, line, 10)).collect();
            let last = record(form, lines[at], 10);
            // What is left of the last value of logfmt is one, too.
            let end = last.rfind([' ', '}']).unwrap();
            for end in (1..=end).rev().filter(|end| last.is_char_boundary(*end)) {
                let cut = format!("{before}{}", &last[..end]);
                assert!(is_told(&cut), "{cut}");
                // Others may have fewer fields.
                let more = format!("{cut}\n{}", record(form, "ready", 59));
                assert!(end < 2 || !form.starts_with('{') || is_told(&more), "{more}");
            }
        }
    }
}

#[test]
fn the_end_of_a_line_behind_another_is_told() {
    let head = "goroutine 7 [select]:\n";
    let place = "\n\t/src/a.go:9 +0x45\n";
    let creator = "created by main.g in goroutine 1";
    for rest in
        ["ne 1", "goroutine 1", "ain.g(0x2)", ".go:7 +0x1d", " +0x45", "lect]:", "a.go:3 +0x1"]
    {
        for line in ["main.f(0x1, 0x2)", "main.f(...)"] {
            let text = format!("{head}{line}{rest}{place}{creator}{place}");
            assert!(is_told(&text), "{text}");
        }
        let text = format!("{head}main.f(0x1){place}{creator}{rest}{place}");
        assert!(is_told(&text), "{text}");
    }
}

/// `runtime.Stack` fills a buffer, and loggers cut long values: what stands around them is whole.
#[test]
fn a_dump_that_is_cut_inside_a_whole_value_is_told_where_its_text_alone_is() {
    let forms = [
        r#"{"level":"error","stack":"%"}"#,
        r#"{"time":"2026-01-02T10:31:#Z","level":"INFO","msg":"%","pod":"web-1"}"#,
        r#"time=2026-01-02T10:31:#Z level=ERROR msg="%" n=1"#,
        r#"2026/01/02 10:31:# stacks: "%""#,
    ];
    // Above the first offset they may be missing everywhere.
    let first = GOROUTINES.find("+0x1d").unwrap();
    for form in forms {
        for end in first..GOROUTINES.len() {
            let (cut, rest) = GOROUTINES.split_at(end);
            let text = record(form, cut, 10);
            assert!(!is_told(cut) || is_told(&text), "{text}");
            let text = text + &record(form, "bye", 11);
            assert!(!is_told(cut) || is_told(&text), "{text}");
            // One that is too long for a record goes on in the next.
            let text = record(form, cut, 10) + &record(form, rest, 10);
            assert!(!form.starts_with('{') || !cut.ends_with('\n') || !is_told(&text), "{text}");
        }
    }
}

#[test]
fn a_message_of_a_crash_without_its_first_line_is_told() {
    for rest in [
        "\tpanic: third\n\n",
        "PC=0x47a1 m=0 sigcode=0\n\n",
        "signal arrived during cgo execution\n\n",
        "PC=0x47a1 m=0 sigcode=1 addr=0x10\nsignal arrived during cgo execution\n\n",
    ] {
        for before in ["", "GQUIT: quit\n", "\r\n", "om [recovered]\n"] {
            assert!(is_told(format!("{before}{rest}{GOROUTINES}")), "{before}{rest}");
        }
        let first =
            if rest.contains("panic") { "panic: first [recovered]\n" } else { "SIGQUIT: quit\n" };
        let text = format!("{first}{rest}{GOROUTINES}");
        assert!(!is_told(&text), "{text}");
    }
    let other = format!("trap at PC=0x1f m=0\nready\n{GOROUTINES}");
    assert!(!is_told(&other), "{other}");
    for (form, crash) in LINES.iter().flat_map(|form| {
        [
            "PC=0x47a1 m=0 sigcode=0\n",
            "PC=0x47a1 m=0 sigcode=1 addr=0x1\nsignal arrived during cgo execution\n",
        ]
        .map(|crash| (form, crash))
    }) {
        let wrapped = |text: &str| -> String {
            text.lines().zip(10..).map(|(line, second)| record(form, line, second)).collect()
        };
        let rest = format!("{crash}\n{GOROUTINES}");
        assert!(!is_told(wrapped(&format!("SIGQUIT: quit\n{rest}"))), "{rest}");
        for before in ["", "ready\n"] {
            let text = wrapped(&format!("{before}{rest}"));
            assert!(is_told(&text), "{text}");
        }
    }
}

#[test]
fn first_lines_of_goleak_that_a_hole_joined_are_told() {
    let frames = "main.f()\n\t/src/a.go:9 +0x1d\ncreated by main.main in goroutine 1\n\t/src/a.go:3 +0x1d\n]\n";
    let heads = [
        "[Goroutine 7 in state chan reGoroutine 8 in state select, with main.f on top of the stack:",
        "[Goroutine 7 in state select, with main.g on top of the Goroutine 8 in state select, with main.f on top of the stack:",
        "[Goroutine 7 in state chan re2026-01-01T00:00:12Z  Goroutine 8 in state select, with main.f on top of the stack:",
    ];
    for head in heads {
        let text = format!("found unexpected goroutines:\n{head}\n{frames}");
        assert!(is_told(&text), "{text}");
    }
    for start in ["Goroutine 7 in stat ", "Goroutine 7 i "] {
        let first = frames.replace("]\n", "");
        let text = format!(
            "found unexpected goroutines:\n[Goroutine 6 in state select, with main.f on top of the stack:\n{first} {start}Goroutine 8 in state select, with main.f on top of the stack:\n{frames}"
        );
        assert!(is_told(&text), "{text}");
    }
}

/// Line ends are lost, and logs are cut in one record and go on in another.
#[test]
fn two_records_in_one_line_are_told() {
    let joined = [
        (r#"{"level": "info", "caller": "m.go:1", "msg": "%", "pod": "web-1"}"#, "eb-1\"}"),
        (r#"2026-01-02 10:31:# +0000 kube.shop: {"stream": "stderr", "log": "%"}"#, ""),
        (r#"{"stream": "stderr", "log": "%"}"#, ""),
    ];
    let lines: Vec<&str> = GOROUTINES.lines().collect();
    for (form, lost) in joined {
        let records: Vec<String> = lines.iter().map(|line| record(form, line, 10)).collect();
        assert!(!is_told(records.concat()), "{form}");
        // The first record shows what the others are like.
        for at in 2..records.len() {
            let before = records[at - 1].trim_end().strip_suffix(lost).unwrap();
            let behind = [
                &records[at],
                &record(form, "panic: x", 10)[10..],
                &record(form, "\tpanic: x", 10)[15..],
            ];
            for behind in behind {
                let text =
                    [&records[..at - 1].concat(), before, behind, &records[at + 1..].concat()];
                assert!(is_told_or_whole(text.concat().as_bytes()), "{}", text.concat());
            }
        }
    }
}

/// Go prints `stack unavailable` instead of calls, so that nothing else says that a goroutine is there.
#[test]
fn a_goroutine_without_a_stack_that_has_lost_its_header_is_told() {
    let whole = "goroutine 7 [select]:\nmain.f(0x1)\n\t/src/a.go:3 +0x1d\ncreated by main.g in goroutine 1\n\t/src/a.go:9 +0x2\n";
    let running =
        "goroutine 9 [running]:\n\tgoroutine running on other thread; stack unavailable\n";
    let creator = "created by main.g in goroutine 1\n\t/src/a.go:9 +0x2\n";
    for created in ["", creator] {
        let text = format!("{whole}\n{running}{created}\n{whole}");
        assert!(!is_told(&text), "{text}");
        assert_eq!(parse(&text).goroutines.len(), 3);
        for header in ["goroutine 9 [running]:\n", "\ngoroutine 9 [running]:\n"] {
            for rest in ["", "gor", "9 [running]:\n", "gorou|ine 9 [running]:\n", "\n\n"] {
                let damaged = text.replacen(header, rest, 1);
                assert!(is_told(&damaged), "{damaged}");
            }
        }
        // The header of the goroutine below it.
        for rest in ["", "\n", "gor\n"] {
            let damaged =
                format!("{whole}\n{running}{created}{rest}{}", whole.split_once('\n').unwrap().1);
            assert!(is_told(&damaged), "{damaged}");
        }
    }
}

/// A frame of C without a symbol has one line.
#[test]
fn frames_of_c_that_have_lost_their_line_end_or_header_are_told() {
    let text = "goroutine 7 [syscall]:\nnon-Go function at pc=7f0000001234\nruntime.cgocall(0x52fe60)\n\t/src/cgocall.go:130 +0xe2\n\
                created by main.g in goroutine 1\n\t/src/a.go:9 +0x2\n";
    for intact in ["", " ", "\"", " x", "`", " \\"] {
        assert!(!is_told(text.replacen(":\n", &format!(":{intact}\n"), 1)), "{intact}");
    }
    for damaged in [
        text.replacen(":\nnon", ":+non", 1),
        text.replacen(":\nnon", ":non", 1),
        text.replacen(":\nnon-Go function at", ":at", 1),
        text.replacen("7f0000001234\nrun", "7f0000001234run", 1),
        text.replacen("non-Go", "main.a()non-Go", 1),
        format!("non-Go function at pc=7f0000001234\n{text}"),
    ] {
        assert!(is_told(&damaged), "{damaged}");
    }
}

/// The message of a crash has no end of its own.
#[test]
fn records_and_places_in_the_message_of_a_crash_are_told() {
    let record =
        "1028 4 @ 0x44aa59 0x6527b3\n#\t0x44aa58\truntime.selectgo+0x3d8\t/src/select.go:508\n";
    let values = format!("--- mutex:\ncycles/second=2596095942\nsampling period=1\n{record}\n");
    assert!(!is_told(format!("{values}{}", record.replacen("1028", "1027", 1))));
    for line in ["panic: again", "fatal error: x", "SIGQUIT: quit", "panic: a\nb"] {
        let profile = parse(&format!("{values}{line}\n{record}"));
        assert!(profile.inputs.iter().any(|input| !input.complete()), "{line}");
    }
    let wrapped = "fatal error: concurrent map writes\"}\n{\"stack\": \"gorou\ntine 7 [running]:\\nmain.f()\\n\\t/src/a.go\n\
                   :4 +0x46\\ncreated by main.g in goroutine 1\\n\\t/src/a.go:9 +0x34\\n\"}\n";
    assert!(is_told(wrapped));
}

/// Profiles of other kinds than goroutines begin like these.
#[test]
fn a_profile_of_threads_in_a_log_behind_a_dump_is_read() {
    let dump = "goroutine 7 [select]:\nmain.f(0x1)\n\t/src/a.go:3 +0x1d\ncreated by main.g in goroutine 1\n\t/src/a.go:9 +0x2\n";
    for name in ["threadcreate", "shop.connections"] {
        let profile = format!(
            "{name} profile: total 8\n8 @ 0x43a2f6\n#\t0x43a2f5\tmain.f+0x15\t/src/a.go:3\n\n"
        );
        for (start, end) in
            [("2026-01-02T10:00:00.000000000Z stdout F ", "\n"), ("web-1  | ", "\n")]
        {
            let log: String = profile.lines().map(|line| format!("{start}{line}{end}")).collect();
            for before in [dump, &format!("{dump}\n"), "panic: x\n", "fatal error: x\n"] {
                let read = parse(&format!("{before}{log}"));
                assert_eq!(read.inputs.len(), 2, "{before}{log}");
                assert_eq!(read.inputs[1].seen.headers, 1, "{before}{log}");
            }
        }
    }
}

/// A process that is killed leaves the start of a header, and another one goes on in the line.
#[test]
fn headers_in_which_another_process_goes_on_are_told() {
    let dump = "goroutine 7 [select]:\nmain.f(0x1)\n\t/src/a.go:3 +0x1d\ncreated by main.g in goroutine 1\n\t/src/a.go:9 +0x2\n";
    let starts = [
        "goroutine 5 [running] 2026/01/02 hello",
        "goroutine 5 [chan receive, 2 minutestest\",\"Test\":\"x\"}",
    ];
    for message in
        ["panic: x\n\n", "fatal error: x\n\n", "SIGQUIT: quit\nPC=0x1 m=0 sigcode=0\n\n", ""]
    {
        for start in starts {
            let text = format!("{message}{start}\n{dump}");
            assert!(is_told(&text), "{text}");
        }
    }
    for start in [
        "web-1  | goroutine 101 [select]:hello\n",
        "{\"message\": \"boom\\n\\ngoroutine 101 [select]:",
        "{\"message\": \"boom\\n\\ngoroutine 101 [select]:\\",
        "{\"stack\": \"goroutine 101 [select]\n",
        "{\"stack\":\"goroutine 101 [running]\"}\n",
        "\x1b_bk;tgoroutine 201 [select]:\n",
    ] {
        for text in [format!("{start}{dump}"), format!("{start}\n{dump}")] {
            assert!(is_told(&text), "{text}");
        }
    }
    let creator = dump.replacen("in goroutine 1", "in goroutine 1goroutine 9 [running]", 1);
    assert!(is_told(&creator), "{creator}");
    let between = format!("{dump}\ngoroutine 5 2026/01/02 hello\n{dump}");
    assert!(is_told(&between), "{between}");
}
