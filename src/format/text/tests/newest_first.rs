//! Logs with their last line first.

use super::*;

/// Puts a line with this number into a container.
type Wrap = fn(usize, &str) -> String;

const CONTAINERS: [(&str, Wrap); 11] = [
    ("nothing", |_, line| line.to_owned()),
    ("docker logs -t", |at, line| format!("2026-03-14T10:00:{at:02}.000000000Z {line}")),
    ("compose", |_, line| format!("web-1  | {line}")),
    ("a prefix of no known form", |at, line| format!("<web-7f5c> 10.00.{at:02} | {line}")),
    ("a prefix that names a goroutine", |_, line| format!("[goroutine 7] {line}")),
    ("JSON", |at, line| serde_json::json!({"line": line, "timestamp": at}).to_string()),
    ("journalctl -o short-full", |at, line| {
        let line = line.replace('\t', "        ");
        format!("Sat 2026-03-14 10:00:{at:02} UTC node-1 shop[2004]: {line}")
    }),
    ("JSON behind a time", |at, line| {
        format!("2026-03-14T10:00:{at:02}.000000000Z {}", serde_json::json!({"msg": line}))
    }),
    ("Splunk", |at, line| serde_json::json!({"event": line, "time": at}).to_string()),
    ("logfmt", |at, line| format!("time={at} msg={} pod=a", serde_json::json!(line))),
    ("CSV", |at, line| format!("\"Mar 14, 2026 @ 10:00:{at:02}.000\",\"{line}\"")),
];

fn newest_first(text: &str, wrap: Wrap) -> String {
    let lines: Vec<String> =
        text.lines().enumerate().map(|(at, line)| wrap(at, line) + "\n").collect();
    lines.into_iter().rev().collect()
}

#[test]
fn the_newest_line_belongs_to_the_goroutine_below_it() {
    let goroutine = "goroutine 7 [running]:\nmain.f(0x1)\n\t/src/a.go:40 +0x1d\n\
                     main.g(0x1)\n\t/src/a.go:44 +0x1d\n";
    for (last, complete, text_lines) in [
        ("", true, 0),
        ("exit status 2", true, 1),
        ("2026/03/14 10:00:00 stopped", true, 1),
        ("main.main()", false, 0),
        ("main.ma", false, 0),
        ("panic({0x4f1a40", false, 0),
        ("created by main.main in gor", false, 0),
        ("... [truncated]", false, 1),
        ("Found 2 data race(s)", false, 1),
    ] {
        for (name, wrap) in CONTAINERS {
            for before in ["", "2026/03/14 10:00:00 started\n"] {
                let text = newest_first(&format!("{before}{goroutine}{last}"), wrap);
                let profile = parse(&text);
                let input = &profile.inputs[0];
                assert_eq!(profile.goroutines.len(), 1, "{name}\n{text}");
                assert_eq!(input.complete(), complete, "{name}\n{text}");
                let lines = text_lines + u64::from(!before.is_empty());
                assert_eq!(input.seen.text_lines, lines, "{name}\n{text}");
                for step in [1, 9, 100] {
                    let (_, trickled) = parse_as(text.as_bytes(), step);
                    assert_eq!(described(&trickled), described(&profile), "{step}\n{text}");
                }
            }
        }
    }
}

#[test]
fn a_newest_goroutine_that_was_cut_anywhere_is_found_or_told() {
    let dump = "goroutine 7 [running]:\nmain.f(0x1)\n\t/src/a.go:40 +0x1d\n\n";
    let newest = "goroutine 19 [select, 5 minutes]:\nmain.g(0x1)\n\t/src/a.go:44 +0x1d\n\
                  created by main.z in goroutine 1\n\t/src/a.go:41 +0x1d";
    for (name, wrap) in CONTAINERS {
        for cut in "goroutine".len()..=newest.len() {
            let text = newest_first(&format!("{dump}{}", &newest[..cut]), wrap);
            let profile = parse(&text);
            let is_told = !profile.inputs[0].complete();
            assert!(profile.goroutines.len() == 2 || is_told, "{name}\n{text}");
            for step in [1, 9, 100] {
                let (_, trickled) = parse_as(text.as_bytes(), step);
                assert_eq!(described(&trickled), described(&profile), "{step}\n{text}");
            }
        }
    }
}

#[test]
fn a_dump_in_one_line_has_nothing_to_do_with_the_line_above_it() {
    let dump = DUMP.replace('\n', "\\n").replace('\t', "\\t");
    for above in ["status:", "    exitCode: 2", "2026-03-14T10:00:00Z started", "hello world"] {
        for field in ["message: ", "  message: ", "    stack="] {
            let text = format!("{above}\n{field}\"{dump}\"\n");
            let profile = parse(&text);
            assert_eq!(profile.goroutines.len(), 3, "{text}");
            assert!(profile.inputs[0].complete(), "{text}");
        }
    }
}

/// A line of it that tells of a panic looks like the first one of a dump.
#[test]
fn another_service_above_the_newest_goroutine_changes_nothing() {
    let dump = "goroutine 7 [chan receive]:\nmain.f(0x1)\n\t/src/a.go:40 +0x1d\n\
                created by main.main in goroutine 1\n\t/src/a.go:9 +0x4e\n\n";
    let web = newest_first(&dump.repeat(2).replacen("goroutine 7", "goroutine 8", 1), |_, line| {
        format!("[web] {line}")
    });
    for other in ["recovered from panic: x", "panic: order 17 is lost", "retry 3", "ready"] {
        for ready in ["", "[api] reload\n"] {
            let text = format!("{ready}[api] {other}\n{ready}{web}");
            assert!(!is_told(&text), "{text}");
            assert_eq!(parse(&text).goroutines.len(), 2, "{text}");
        }
    }
}

/// The journal drops blank lines, so that the signal stands directly below the header.
#[test]
fn a_crash_by_a_signal_without_blank_lines_is_whole() {
    let crash = "panic: runtime error: invalid memory address or nil pointer dereference\n\
                 [signal SIGSEGV: segmentation violation code=0x1 addr=0x0 pc=0x680848]\n\
                 goroutine 1 [running]:\nmain.main()\n\t/src/main.go:61 +0x18a\n\
                 goroutine 2 [select]:\nmain.f()\n\t/src/f.go:1 +0x1\n\
                 created by main.main\n\t/src/main.go:9 +0x1d\n";
    for (name, wrap) in CONTAINERS {
        let text = newest_first(crash, wrap);
        assert!(!is_told(&text), "{name}\n{text}");
        assert_eq!(parse(&text).goroutines.len(), 2, "{name}\n{text}");
    }
}
