//! Whole texts through the driver, as [`crate::format::read`] gets them.

mod announced;
mod around;
mod broken;
mod crashes;
mod damage;
mod ends;
mod goroutines;
mod inside;
mod joined;
mod logfmt;
mod long;
mod messages;
mod nested;
mod newest_first;
mod ordinary;
mod parts;
mod prefixes;
mod profiles;
mod races;
mod rows;
mod ways;
mod wrapped;

use crate::format::{Outcome, ReadOptions, read};
use crate::profile::{CrashKind, Input, InputFormat, Keep, Profile, ProfileBuilder, Warning};
use std::io::Read;

/// A reader that returns few bytes at a time, so that no goroutine arrives in one piece.
struct Trickle<'a>(&'a [u8], usize);

impl Read for Trickle<'_> {
    fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
        let length = self.1.min(self.0.len()).min(into.len());
        let (now, later) = self.0.split_at(length);
        into[..length].copy_from_slice(now);
        self.0 = later;
        Ok(length)
    }
}

/// Three goroutines, for logs with a record for each line.
const GOROUTINES: &str = "\
goroutine 1 [running]:
main.main()
\t/src/shop/main.go:10 +0x1d

goroutine 7 [chan receive, 3 minutes] {page: \"/cart items\", tenant: acme}:
shop/orders.(*Store).wait(0xc000010000, {0x1, 0x2})
\t/src/shop/orders/store.go:34 +0x1d
created by main.main in goroutine 1
\t/src/shop/main.go:9 +0x45

goroutine 8 [select]:
shop/orders.(*Store).loop(0xc000010000)
\t/src/shop/orders/store.go:44 +0x1d
created by main.main in goroutine 1
\t/src/shop/main.go:8 +0x45
";

/// Everything that both ways through goroutines can keep.
const KEEP: Keep =
    Keep { goroutines: true, creators: false, addresses: true, arguments: false, calls: false };

fn parse_as(text: &[u8], step: usize) -> (Outcome, Profile) {
    parse_with(&mut Trickle(text, step), &mut ReadOptions::default())
}

fn parse_with(bytes: &mut dyn Read, options: &mut ReadOptions<'_>) -> (Outcome, Profile) {
    let mut builder = ProfileBuilder::new(KEEP);
    let input = Input::new("t", "t.txt", InputFormat::Debug2);
    let outcome = read(bytes, input, options, &mut builder).expect("a slice can't fail");
    (outcome, builder.finish())
}

fn parse(text: &str) -> Profile {
    let (outcome, profile) = parse_as(text.as_bytes(), usize::MAX);
    assert_eq!(outcome, Outcome::Read, "{text}");
    profile
}

/// Whether a text is told as damaged, or refused.
fn is_told(text: impl AsRef<[u8]>) -> bool {
    let (outcome, profile) = parse_as(text.as_ref(), usize::MAX);
    outcome != Outcome::Read || !profile.inputs[0].complete()
}

/// All contents of a profile, in a form that doesn't depend on the order of tables.
fn described(profile: &Profile) -> Vec<String> {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let frame = |id| {
        let frame = profile.frame(id);
        format!(
            "{} {}:{}",
            text(profile.str(frame.func)),
            text(profile.str(frame.file)),
            frame.line
        )
    };
    let mut lines: Vec<String> = profile.inputs.iter().map(|input| format!("{input:?}")).collect();
    for goroutine in &profile.goroutines {
        let key = &profile.sample(goroutine.sample).key;
        let frames: Vec<String> = profile.stack(key.stack).iter().map(|&id| frame(id)).collect();
        let flags: Vec<String> =
            profile.flags(key.flags).iter().map(|&f| text(profile.str(f))).collect();
        let labels: Vec<String> = profile
            .labels(key.labels)
            .iter()
            .map(|label| {
                format!(
                    "{}={}",
                    text(profile.str(label.key)),
                    text(&profile.label_text(label.value))
                )
            })
            .collect();
        lines.push(format!(
            "{} {:?} {:?} by {:?} in {:?} wait {:?} {flags:?} {labels:?} {:?} {frames:?}",
            goroutine.id,
            key.state.map(|state| text(profile.str(state))),
            key.kind,
            key.creator.map(frame),
            goroutine.creator(),
            goroutine.wait.known(),
            key.elided,
        ));
    }
    lines
}

const DUMP: &str = "\
goroutine 1 [running]:
main.main()
\t/src/app/main.go:40 +0x1d

goroutine 7 [select, 5 minutes] {node: n1}:
main.work(0xc000012345, {0x1, 0x2})
\t/src/app/main.go:41 +0x1d
...23 frames elided...
main.run(...)
\t/src/app/main.go:9
created by main.start in goroutine 1
\t/src/app/main.go:12 +0x45

goroutine 8 [select, 6 minutes] {node: n1}:
main.work(0xc000054321, {0x3, 0x4})
\t/src/app/main.go:41 +0x2e
...23 frames elided...
main.run(...)
\t/src/app/main.go:9
created by main.start in goroutine 2
\t/src/app/main.go:12 +0x45
";

#[test]
fn goroutines_that_differ_in_arguments_ids_and_waits_share_a_sample() {
    let profile = parse(DUMP);
    let counts: Vec<i64> = profile.samples.iter().map(|sample| sample.count).collect();
    assert_eq!(counts, [1, 2]);
    let creators: Vec<Option<u64>> = profile.goroutines.iter().map(|g| g.creator()).collect();
    assert_eq!(creators, [None, Some(1), Some(2)]);
    assert_eq!(profile.samples[1].waits.range(), Some((5.0, 6.0)));
    assert_eq!(profile.inputs[0].seen.elided, 2);
}

#[test]
fn the_size_of_reads_changes_nothing() {
    let long = format!("/src/{}main.go:41", "long/".repeat(60));
    let repeated = DUMP
        .repeat(3)
        .replace("running]:", "running]:\nruntime: noise")
        .replace("/src/app/main.go:41", &long);
    let whole = described(&parse(&repeated));
    for step in [1, 2, 7, 64, 301].into_iter().chain(80..120) {
        assert_eq!(described(&parse_as(repeated.as_bytes(), step).1), whole, "{step} bytes a read");
    }
}

#[test]
fn no_prefix_of_a_dump_panics_or_loses_a_whole_goroutine() {
    for end in 0..DUMP.len() {
        let (_, profile) = parse_as(&DUMP.as_bytes()[..end], usize::MAX);
        let whole = DUMP[..end].matches(":\nmain.").count();
        assert!(profile.goroutines.len() >= whole, "cut at byte {end}");
    }
}

#[test]
fn a_dump_cut_inside_a_line_marks_its_last_goroutine() {
    let profile = parse(&DUMP[..DUMP.len() - 20]);
    let last = &profile.samples.last().expect("three goroutines").key;
    assert!(profile.has_flag(last.flags, b"truncated"));
    assert!(!profile.inputs[0].complete());
    assert_eq!(profile.inputs[0].seen.partial, 1);
}

#[test]
fn a_missing_last_newline_loses_nothing() {
    let profile = parse(DUMP.trim_end());
    assert!(profile.inputs[0].complete());
    assert_eq!(profile.goroutines.len(), 3);
}

#[test]
fn a_log_line_between_a_call_and_its_place_is_skipped_and_reported() {
    let text =
        DUMP.replacen("\t/src/app/main.go:41", "2026/01/02 INFO hello\n\t/src/app/main.go:41", 1);
    let profile = parse(&text);
    assert_eq!(profile.goroutines.len(), 3);
    assert_eq!(profile.samples.iter().map(|s| s.count).collect::<Vec<_>>(), [1, 2]);
    assert_eq!(profile.inputs[0].seen.foreign_lines, 1);
    assert_eq!(profile.inputs[0].warnings[0].line, Some(7));
}

#[test]
fn text_behind_the_last_goroutine_is_no_part_of_it() {
    let profile = parse(&format!("{DUMP}exit status 2\nFAIL\tshop\t0.1s\n"));
    assert!(profile.inputs[0].complete());
    assert_eq!(profile.inputs[0].seen.text_lines, 2);
    assert_eq!(profile.samples.len(), 2);
}

#[test]
fn a_wrapped_dump_may_follow_a_goroutine_without_creator_or_blank_line() {
    let wrap =
        |prefix: &str| -> String { DUMP.lines().map(|line| format!("{prefix}{line}\n")).collect() };
    for prefix in ["Jan 02 10:31:41 host kubelet[22]: ", "2026-01-02T10:31:41.5Z stderr F ", "    "]
    {
        let first = "goroutine 1 [running]:\nmain.main()\n\t/src/main.go:7 +0x1d\n";
        let profile = parse(&format!("{first}{}", wrap(prefix)));
        assert_eq!(profile.goroutines.len(), 4, "{prefix}");
        assert_eq!(profile.inputs[0].seen.partial, 0, "{prefix}");
        // Any other goroutine has a creator, which is missing here.
        let first = first.replace("goroutine 1 ", "goroutine 8 ");
        let profile = parse(&format!("{first}cre{}", wrap(prefix)));
        assert!(profile.inputs[0].seen.partial >= 1, "{prefix}");
    }
}

#[test]
fn a_wrapped_crash_may_follow_the_first_goroutine() {
    let main = "goroutine 1 [running]:\nmain.f()\n\t/src/main.go:9 +0x1d\n\
                main.main()\n\t/src/main.go:7 +0x1d\n";
    let crash = format!("panic: boom\n\n{DUMP}");
    for prefix in ["Jan 02 10:31:41 host kubelet[22]: ", "2026-01-02T10:31:41.5Z stderr F "] {
        let wrapped: String = crash.lines().map(|line| format!("{prefix}{line}\n")).collect();
        let profile = parse(&format!("{main}{wrapped}"));
        assert_eq!(profile.goroutines.len(), 4, "{prefix}");
        assert!(profile.inputs[0].complete(), "{prefix}: {:?}", profile.inputs[0].warnings);
        let told = profile.inputs.iter().find_map(|input| input.crash.as_ref());
        assert_eq!(told.map(|crash| crash.text.as_str()), Some("boom"), "{prefix}");
    }
    // If more frames can follow, a log line in between ends nothing.
    let between = main.replace("main.main", "x: panic: handled\nmain.main");
    let profile = parse(&between);
    assert_eq!(profile.goroutines.len(), 1);
    assert_eq!(profile.stack(profile.samples[0].key.stack).len(), 2);
}

#[test]
fn a_long_escaped_dump_inside_another_container_is_read_whole() {
    let stack = "main.work(0x1)\n\t/src/main.go:7 +0x1d\ncreated by main.main in goroutine 1\n\t/src/main.go:3 +0x1d\n\n";
    let dump: String =
        (1..=30_000).map(|id| format!("goroutine {id} [select, 5 minutes]:\n{stack}")).collect();
    assert!(dump.len() > 3 << 20);
    let escaped = dump.replace('\n', "\\n").replace('\t', "\\t");
    let line = format!("time=\"2026-01-02T10:31:41Z\" level=info msg=\"{escaped}\"\nnext\n");
    let parts = line.split_inclusive('\n').flat_map(|line| {
        line.as_bytes().chunks(16 << 10).map(|part| String::from_utf8(part.to_vec()).unwrap())
    });
    let docker: String = parts
        .map(|part| {
            let part = serde_json::to_string(&part).unwrap();
            format!("{{\"log\":{part},\"stream\":\"stderr\",\"time\":\"t\"}}\n")
        })
        .collect();
    let cri: String = line
        .lines()
        .flat_map(|line| {
            let parts = line.as_bytes().chunks(16 << 10);
            let last = parts.len() - 1;
            parts.enumerate().map(move |(at, part)| {
                let tag = if at == last { "F" } else { "P" };
                let part = std::str::from_utf8(part).unwrap();
                format!("2026-01-02T10:31:41.5Z stderr {tag} {part}\n")
            })
        })
        .collect();
    let kubectl = format!("2026-01-02T10:31:41.5Z {line}");
    for (text, step) in [
        (&docker, usize::MAX),
        (&docker, 5000),
        (&cri, usize::MAX),
        (&line, usize::MAX),
        (&line, 5000),
        (&kubectl, usize::MAX),
        (&kubectl, 5000),
    ] {
        let (_, profile) = parse_as(text.as_bytes(), step);
        assert_eq!(profile.goroutines.len(), 30_000, "{step}");
        assert_eq!(profile.inputs[0].warnings, []);
        assert_eq!(profile.samples.len(), 1);
    }
}

#[test]
fn a_long_line_that_nothing_explains_is_cut_inside_a_container_too() {
    let long = "x".repeat((3 << 20) + 100);
    let text: String = format!("{long}\n{DUMP}")
        .split_inclusive('\n')
        .flat_map(|line| line.as_bytes().chunks(16 << 10))
        .map(|part| {
            let part = serde_json::to_string(std::str::from_utf8(part).unwrap()).unwrap();
            format!("{{\"log\":{part},\"stream\":\"stderr\",\"time\":\"t\"}}\n")
        })
        .collect();
    let profile = parse(&text);
    assert_eq!(profile.goroutines.len(), 3);
    assert!(profile.inputs[0].warnings[0].text.contains("2097252 bytes of them were dropped"));
}

#[test]
fn headers_need_no_blank_line_between_goroutines() {
    let profile = parse(&DUMP.replace("\n\n", "\n"));
    assert_eq!(profile.goroutines.len(), 3);
    assert_eq!(profile.samples.len(), 2);
}

#[test]
fn a_header_inside_a_panic_value_is_not_a_goroutine() {
    let old =
        format!("panic: boom\ngoroutine 7 [fake]:\n\ngoroutine 9 [fake]:\nnot a call\n\n{DUMP}");
    let profile = parse(&old);
    assert_eq!(profile.goroutines.len(), 3);
    let crash = profile.inputs[0].crash.as_ref().expect("a panic");
    assert_eq!((crash.kind, crash.goroutine), (CrashKind::Panic, Some(1)));
    assert!(crash.text.starts_with("boom\ngoroutine 7 [fake]:"), "{}", crash.text);
}

#[test]
fn a_test_timeout_names_the_tests_that_ran() {
    let text = format!(
        "panic: test timed out after 2s\n\trunning tests:\n\t\tTestPay (2s)\n\t\tTestPay/card (1s)\n\n{DUMP}"
    );
    let crash = parse(&text).inputs[0].crash.clone().expect("a timeout");
    assert_eq!(crash.kind, CrashKind::Timeout);
    assert_eq!(crash.text, "test timed out after 2s");
    assert_eq!(crash.running_tests, ["TestPay (2s)", "TestPay/card (1s)"]);
}

#[test]
fn crashes_are_told_apart() {
    let cases = [
        ("fatal error: all goroutines are asleep - deadlock!", CrashKind::Deadlock),
        ("fatal error: concurrent map writes", CrashKind::Fatal),
        ("SIGQUIT: quit\nPC=0x403f2e m=0 sigcode=0", CrashKind::Signal),
        ("panic: runtime error: index out of range [5] with length 3", CrashKind::Panic),
    ];
    for (message, kind) in cases {
        let crash = parse(&format!("{message}\n\n{DUMP}")).inputs[0].crash.clone();
        assert_eq!(crash.map(|crash| crash.kind), Some(kind), "{message}");
    }
}

#[test]
fn a_second_crash_in_one_stream_is_an_input_of_its_own() {
    let profile = parse(&format!("panic: one\n\n{DUMP}\npanic: two\n\n{DUMP}"));
    let texts: Vec<&str> =
        profile.inputs.iter().filter_map(|input| input.crash.as_ref()).map(|c| &*c.text).collect();
    assert_eq!(texts, ["one", "two"]);
    assert_eq!(profile.inputs.iter().map(|input| input.goroutines).collect::<Vec<_>>(), [3, 3]);
}

#[test]
fn sections_of_other_threads_stay_in_the_input_of_their_crash() {
    let section = "-----\n\nSIGQUIT: quit\nPC=0x1 m=1 sigcode=0\n\ngoroutine 0 gp=0x1 m=1 mp=0x2 [idle]:\nruntime.futex()\n\t/go/src/runtime/sys.s:5 +0x1\n";
    let profile = parse(&format!("SIGQUIT: quit\nPC=0x0 m=0 sigcode=0\n\n{DUMP}\n{section}"));
    assert_eq!(profile.inputs.len(), 1);
    assert_eq!(profile.inputs[0].goroutines, 4);
    let last = &profile.samples.last().expect("goroutine 0").key;
    assert!(profile.has_flag(last.flags, b"system"));
}

#[test]
fn race_reports_are_counted_and_hold_no_goroutines() {
    let report = "==================\nWARNING: DATA RACE\nRead at 0x1 by goroutine 7:\n  main.f()\n      /a.go:1 +0x1\n==================\n";
    let profile = parse(&report.repeat(2));
    assert_eq!(profile.inputs[0].seen.race_reports, 2);
    assert_eq!(profile.goroutines.len(), 0);
}

#[test]
fn ancestors_are_kept_and_not_counted() {
    let text = DUMP.replacen(
        "\t/src/app/main.go:12 +0x45\n",
        "\t/src/app/main.go:12 +0x45\n[originating from goroutine 1]:\nmain.start(...)\n\t/src/a.go:30 +0x87\ncreated by main.init\n\t/src/a.go:3 +0x1\n",
        1,
    );
    let profile = parse(&text);
    assert_eq!(profile.goroutines.len(), 3);
    let ancestors = &profile.ancestors[&1];
    assert_eq!(ancestors[0].id, 1);
    assert_eq!(profile.stack(ancestors[0].stack).len(), 1);
    assert!(ancestors[0].creator.is_some());
    assert!(profile.samples[1].key.creator.is_some());
}

#[test]
fn text_without_any_dump_is_unknown() {
    assert_eq!(parse_as(b"goroutines are great\nnothing here\n", usize::MAX).0, Outcome::Unknown);
    assert_eq!(parse_as(b"", usize::MAX).0, Outcome::Unknown);
}

#[test]
fn places_may_be_indented_by_blanks() {
    let profile = parse(&DUMP.replace('\t', "        "));
    assert_eq!(described(&profile), described(&parse(DUMP)));
}

#[test]
fn carriage_returns_stand_in_no_field() {
    let profile = parse(&DUMP.replace('\n', "\r\n"));
    assert_eq!(described(&profile), described(&parse(DUMP)));
}

#[test]
fn a_goroutine_without_a_stack_keeps_its_creator() {
    let text = "goroutine 7 [running]:\n\tgoroutine running on other thread; stack unavailable\ncreated by main.main in goroutine 1\n\t/src/main.go:12 +0x45\n";
    let profile = parse(text);
    let key = &profile.samples[0].key;
    assert!(profile.has_flag(key.flags, b"unavailable"));
    assert!(key.creator.is_some() && profile.stack(key.stack).is_empty());
    assert!(profile.inputs[0].complete());
}

#[test]
fn a_line_longer_than_the_limit_is_cut_and_the_rest_is_read() {
    let long = format!("main.long({})\n", "0x1, ".repeat(300_000));
    let text = DUMP.replacen("main.main()\n", &long, 1);
    let (_, profile) = parse_as(text.as_bytes(), 1 << 16);
    assert_eq!(profile.goroutines.len(), 3);
    assert!(
        profile.inputs[0].warnings.iter().any(|w| w.kind == crate::profile::WarningKind::LongLine)
    );
}

#[test]
fn a_dump_in_another_container_ends_the_one_before() {
    let dump = "goroutine 1 [running]:\nmain.f()\n\t/a.go:1 +0x1\ncreated by main.g in goroutine 2\n\t/a.go:2 +0x1\n";
    let each =
        |before: &str| -> String { dump.lines().map(|line| format!("{before}{line}\n")).collect() };
    let docker: String = dump
        .lines()
        .map(|line| {
            format!("{{\"log\":\"{}\\n\",\"stream\":\"stderr\"}}\n", line.replace('\t', "\\t"))
        })
        .collect();
    let logs = [
        dump.to_owned(),
        each("2026-01-02T10:31:41Z "),
        each("2026-01-02T10:31:41Z stderr F "),
        docker,
        each("Jan 02 10:31:41 host kubelet[7]: "),
        each("        "),
    ];
    for first in &logs {
        for second in &logs {
            let text = format!("{first}{second}");
            assert_eq!(parse(&text).goroutines.len(), 2, "{text}");
        }
    }
}

#[test]
fn blanks_in_front_of_headers_alone_are_no_part_of_them() {
    let profile = parse(
        &DUMP
            .replace("goroutine 1 [", " goroutine 1 [")
            .replace("goroutine 8 [", "  goroutine 8 ["),
    );
    assert_eq!(described(&profile), described(&parse(DUMP)));
}

#[test]
fn a_crash_inside_what_looks_like_a_goroutine_ends_at_a_blank_line() {
    let text = "goroutine 7 [select]:\npanic: x(0x1)\n\t/a.go:3 +0x1d\n\r\ngoroutine 8 [select]:\n";
    assert_eq!(parse(text).goroutines.len(), 2);
}

#[test]
fn the_start_of_a_header_behind_a_crash_is_a_goroutine_that_is_cut() {
    let crash = "fatal error: all goroutines are asleep - deadlock!\n\n";
    for (stump, complete) in [("go", false), ("goroutine 1", false), ("gone\n", true), ("", true)] {
        let profile = parse(&format!("{crash}{stump}"));
        assert_eq!(profile.inputs[0].complete(), complete, "{stump}");
    }
}
