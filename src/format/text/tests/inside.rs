//! Containers inside each other: what the inner ones hold is read when the outer one ends.

use super::*;
use crate::format::log::LAYERS;
use crate::profile::WarningKind;

/// The text with this before each line.
pub(super) fn each(prefix: &str, text: &str) -> String {
    text.lines().map(|line| format!("{prefix}{line}\n")).collect()
}

pub(super) fn goroutine(id: u32) -> String {
    format!(
        "goroutine {id} [select]:\nmain.work(0x1)\n\t/src/main.go:7 +0x1d\n\
         created by main.main in goroutine 1\n\t/src/main.go:3 +0x1d\n\n"
    )
}

fn reversed(text: &str) -> String {
    text.split_inclusive('\n').rev().collect()
}

#[test]
fn what_containers_inside_another_hold_is_read_when_that_ends() {
    let three: String = (7..10).map(goroutine).collect();
    let pretty = serde_json::to_string_pretty(&serde_json::json!({"a": 1, "s": three})).unwrap();
    let forms = [
        ("reversed", reversed(&three)),
        ("compose", each("web-1  | ", &three)),
        ("stern", each("pod-1 ctr › ", &three)),
        ("several streams", each("web-1  | ", &three) + &each("web-2  | ", &goroutine(20))),
        ("JSON over lines", pretty + "\n"),
        ("CRLF", each("pod › ", &three).replace('\n', "\r\n")),
        ("reversed inside compose", each("web-1  | ", &reversed(&three))),
        ("no header", three.replacen("goroutine 7 ", "goroutine ", 1)),
    ];
    for outer in ["\t", "        "] {
        for (name, inner) in &forms {
            let dump = each(outer, &format!("{}{inner}", goroutine(5)));
            let alone = parse(&dump);
            for after in ["FAIL\n", "=== RUN   TestX\n", "\ndone\n"] {
                let told = format!("{name} after {outer:?}, then {after:?}");
                let profile = parse(&format!("{dump}{after}"));
                assert_eq!(profile.goroutines.len(), alone.goroutines.len(), "{told}");
                let complete = |profile: &Profile| profile.inputs.iter().all(Input::complete);
                assert_eq!(complete(&profile), complete(&alone), "{told}");
                assert_eq!(complete(&profile), *name != "no header", "{told}");
                assert!(profile.goroutines.len() >= 3, "{told}");
            }
        }
    }
}

#[test]
fn each_of_many_containers_in_a_row_is_read_whole() {
    let stretch = each("    ", &format!("{}{}", goroutine(5), reversed(&goroutine(6))));
    let profile = parse(&format!("{stretch}=== RUN   TestX\n").repeat(30));
    assert_eq!(profile.goroutines.len(), 60);
    let headless = goroutine(6).replace("goroutine 6 ", "goroutine ");
    let stretch = each("    ", &format!("{}\n{headless}", goroutine(5)));
    let profile = parse(&format!("{stretch}=== RUN   TestX\n").repeat(30));
    assert_eq!(profile.goroutines.len(), 30);
    assert!(!profile.inputs[0].complete());
}

#[test]
fn a_label_that_holds_a_dump_is_no_dump() {
    let label = r#"{"path": "x\n\ngoroutine 666 [running]:\nforged.f()\n\t/f.go:1\n\n"}"#;
    let octal = r##"{"path": "x#012#012goroutine 666 [running]:#012forged.f()#012"}"##;
    let long =
        format!(r#"{{"path": "{}\n\ngoroutine 666 [running]:\nforged.f()"}}"#, "x".repeat(90_000));
    for label in [label, octal, &long] {
        let labelled = |id: u32| goroutine(id).replacen("]:", &format!("] {label}:"), 1);
        let dump = format!("{}{}{}", labelled(5), goroutine(6), labelled(7));
        for prefix in [
            "    ",
            "\t",
            "pod-1 ctr › ",
            "time=2026 level=INFO ",
            r"C:\app\main.go:5: ",
            "SIGNER goroutine pool: ",
        ] {
            for end in ["\n", "\r\n"] {
                let profile = parse(&each(prefix, &dump).replace('\n', end));
                let mut ids: Vec<u64> = profile.goroutines.iter().map(|one| one.id).collect();
                ids.sort_unstable();
                assert_eq!(ids, [5, 6, 7], "{prefix:?} {end:?} {}", label.len());
            }
        }
    }
}

/// Lines of Docker's log; the text of the last has no line end if it has none.
fn docker(text: &str) -> String {
    let lines = text.split_inclusive('\n');
    let line = |line: &str| serde_json::json!({"log": line, "stream": "stderr", "time": "t"});
    lines.map(|text| format!("{}\n", line(text))).collect()
}

#[test]
fn three_containers_around_each_other_are_unwrapped_and_not_more() {
    let (mut whole, mut open) =
        (DUMP.to_owned(), "msg=\"goroutine 1 [running]:\\nmain.main()\"".to_owned());
    for depth in 1..=LAYERS + 1 {
        whole = docker(&whole);
        assert_eq!(parse_as(whole.as_bytes(), usize::MAX).1.goroutines.len() == 3, depth <= LAYERS);
        // The last line of each has no end.
        open = docker(&format!("started\n{open}"));
        open.pop();
        let found = parse_as(open.as_bytes(), usize::MAX).1.goroutines.len();
        assert_eq!(found, usize::from(depth < LAYERS), "{depth}: {open}");
    }
}

#[test]
fn the_last_line_of_a_log_belongs_to_the_stream_that_it_names() {
    let text = docker(DUMP);
    let other = serde_json::json!({"log": "x\n", "stream": "stdout", "time": "t"});
    for text in [&*text, text.trim_end(), docker(DUMP.trim_end()).trim_end()] {
        let profile = parse(&format!("{other}\n{text}"));
        assert_eq!(profile.goroutines.len(), 3, "{text}");
        assert!(profile.inputs[0].complete(), "{:?}", profile.inputs[0].warnings);
    }
}

#[test]
fn a_line_in_several_parts_has_the_number_of_its_first() {
    let lines = [
        "stderr P goroutine 7 [sel",
        "stdout F hello",
        "stdout F hello",
        "stderr P ect]",
        "stdout F hello",
        "stderr F :",
        "stderr F main.f()",
        "stdout F hello",
    ];
    let text: String = lines.iter().map(|line| format!("2026-01-02T10:31:41Z {line}\n")).collect();
    let profile = parse(&text);
    let [warning] = &*profile.inputs[0].warnings else { panic!("{:?}", profile.inputs) };
    assert_eq!((warning.kind, warning.line), (WarningKind::Partial, Some(1)));
}

#[test]
fn a_line_in_several_parts_that_another_program_interrupts_is_told() {
    let part = |text: &str| format!("2026-01-02T10:31:41.123Z stderr {text}\n");
    let above = ["F goroutine 1 [running]:", "F main.f(0x1)", "F \t/src/a.go:10 +0x1d", "F "];
    let above = above.map(part).concat() + &part("P goroutine");
    let below = part("F main.g(0x1)") + &part("F \t/src/b.go:11 +0x1d");
    let whole = above.clone() + &part("F  8 [select]:") + &below;
    assert!(parse(&whole).inputs[0].complete(), "{whole}");
    for other in ["2026-ready\n01-02T10:31:41.123Z stderr F  8 [select]:\n", "ready\n"] {
        let text = format!("{above}{other}{below}");
        assert!(!parse(&text).inputs[0].complete(), "{text}");
    }
}

#[test]
fn a_profile_is_read_behind_whatever_ends_where_it_starts() {
    let profile = "goroutine profile: total 6\n\
        2 @ 0x400001 0x400488 0x400499\n#\t0x400001\tmain.f+0x1d\t/src/a.go:1\n\
        #\t0x400487\tmain.g+0x3\t/src/b.go:9\n#\t0x400498\tmain.h+0x3\t/src/b.go:19\n\n\
        4 @ 0x400101 0x400488\n#\t0x400101\tmain.k+0x1d\t/src/a.go:2\n\
        #\t0x400487\tmain.g+0x3\t/src/b.go:9\n\n";
    let whole = goroutine(1);
    let cut = whole.lines().take(3).collect::<Vec<_>>().join("\n");
    let record = |text: &str| format!("{}\n", serde_json::json!({"level": "error", "stack": text}));
    let stamped = each("2026-01-02T10:31:41.123456789Z ", profile);
    for (before, profile, goroutines) in [
        ("panic: boom\n", profile, 6),
        ("panic: boom\n\n", profile, 6),
        ("fatal error: boom\nlog line\n\nlog line\n", profile, 6),
        ("SIGQUIT: quit\n", profile, 6),
        ("ValueError: panic: boom\nmessage: 'panic: boom'\n", profile, 6),
        ("panic: boom\n", &*stamped, 6),
        ("panic: boom\n", &*record(profile), 6),
        (&*format!("{cut}\n"), profile, 7),
        ("WARNING: DATA RACE\n", profile, 6),
        (&*each("app: ", &whole), profile, 7),
        (&*format!("{profile}panic: boom\n"), profile, 12),
        (&*record(&whole), profile, 7),
        (&*record(&cut), profile, 7),
    ] {
        let text = format!("{before}{profile}");
        let read = parse(&text);
        let counts = read.samples.iter().map(|sample| sample.count).sum::<i64>();
        assert_eq!(counts, goroutines, "{text}");
        assert!(read.inputs.iter().all(Input::complete), "{text}");
        for sample in &read.samples {
            let frames: Vec<&[u8]> =
                read.stack(sample.key.stack).iter().map(|&frame| read.func(frame)).collect();
            let is_first = frames.contains(&&b"main.f"[..]);
            assert_eq!(is_first, frames.contains(&&b"main.h"[..]), "{text}");
        }
    }
}

#[test]
fn a_paste_that_begins_inside_the_prefix_of_its_first_line_is_read_whole() {
    let two = goroutine(7) + &goroutine(8);
    for prefix in [
        "2026-01-02T10:31:41.563Z ",
        "Jan 02 10:31:41 host web[44]: ",
        "2026-01-02T10:31:41.563812Z stderr F ",
        "[10:31:41] ",
        "web-7d9f-abcde app ",
        "2026-01-02T10:31:41.5-0400 [DEBUG] plugin.provider: ",
        "05-08 12:05:18.894 7661 7661 E Go      : ",
    ] {
        for head in ["", "panic: boom\n\n"] {
            let text = each(prefix, &format!("{head}{two}"));
            let text = &text[prefix.len() / 2..];
            let profile = parse(text);
            let crash = profile.inputs.iter().find_map(|input| input.crash.as_ref());
            assert!(profile.inputs.iter().all(Input::complete), "{text}");
            assert_eq!(crash.is_some(), !head.is_empty(), "{text}");
            assert_eq!((profile.goroutines.len(), profile.samples.len()), (2, 1), "{text}");
        }
    }
}

#[test]
fn a_record_that_quotes_a_panic_takes_nothing_from_the_plain_dump_behind_it() {
    let quoting = r#"{"level":"error","error":"rpc error: code = Internal desc = panic: boom"}"#;
    let records = "goroutine profile: total 2\n2 @ 0x400001 0x400488\n#\t0x400001\tmain.f+0x1d\t/src/a.go:1\n\
                   #\t0x400487\tmain.g+0x3\t/src/b.go:9\n\n";
    for dump in [
        goroutine(7) + &goroutine(8),
        format!("panic: bang\n\n{}", goroutine(7)),
        records.to_owned(),
    ] {
        for before in ["", "{\"level\":\"info\",\"msg\":\"ready\"}\n", "2026 hello\n"] {
            for stamp in ["", "2026-01-02T10:31:41.563812Z stderr F "] {
                let text = each(stamp, &format!("{quoting}\n{before}{dump}"));
                let profile = parse(&text);
                assert!(profile.inputs.iter().all(Input::complete), "{text}");
                let told = profile.inputs.iter().flat_map(|input| &input.warnings);
                assert_eq!(told.count(), 0, "{text}");
                let frames =
                    profile.samples.iter().map(|sample| profile.stack(sample.key.stack).len());
                assert_eq!(frames.sum::<usize>(), if dump == records { 2 } else { 1 }, "{text}");
            }
        }
    }
}

#[test]
fn a_line_that_is_left_of_a_record_is_told_wherever_it_stands() {
    let left = "#\t0x400487\tmain.g+0x3\t/src/b.go:9\n\n";
    let profile = format!(
        "goroutine profile: total 3\n3 @ 0x400001 0x400488\n#\t0x400001\tmain.f+0x1d\t/src/a.go:1\n{left}"
    );
    for (before, behind) in [
        (goroutine(7), goroutine(8)),
        ("hello\n".to_owned(), goroutine(8)),
        (goroutine(7), profile.clone()),
        (profile.clone(), goroutine(8)),
        (profile.clone(), profile.clone()),
    ] {
        for prefix in ["", "2026-01-02T10:31:41.563812Z stderr F ", "web-1  | "] {
            let whole = each(prefix, &format!("{before}{behind}"));
            assert!(parse(&whole).inputs.iter().all(Input::complete), "{whole}");
            let text = each(prefix, &format!("{before}{left}{behind}"));
            assert!(!parse(&text).inputs.iter().all(Input::complete), "{text}");
        }
    }
}

#[test]
fn a_plain_profile_behind_lines_with_a_guessed_prefix_is_whole() {
    let profile = "--- mutex:\ncycles/second=1000\nsampling period=1\n5 2 @ 0x401 0x402\n\
                   #\t0x400\tmain.f+0x1\t/src/a.go:3\n#\t0x401\tmain.g+0x1\t/src/a.go:3\n\n";
    for prefix in ["app: ", "[n1] ", "stderr: "] {
        let text = each(prefix, &goroutine(7)) + profile;
        let profile = parse(&text);
        assert!(profile.inputs.iter().all(Input::complete), "{text}");
        let stacks = profile.samples.iter().map(|sample| profile.stack(sample.key.stack).len());
        assert_eq!(stacks.sum::<usize>(), 3, "{text}");
    }
}

#[test]
fn a_cut_line_above_the_stack_of_an_ancestor_is_told_at_each_byte() {
    let ancestor = "[originating from goroutine 17]:";
    let whole = goroutine(7);
    let whole = whole.trim_end();
    for at in 3..ancestor.len() {
        for mark in ["", "...", "…", " (truncated)", " [...]"] {
            let text = format!("{whole}\n{}{mark}\n", &ancestor[..at]);
            assert!(!parse(&text).inputs[0].complete(), "{text}");
        }
    }
    let text = format!("{whole}\n{ancestor}\nmain.g()\n\t/src/a.go:4 +0x1d\n");
    assert!(parse(&text).inputs[0].complete(), "{text}");
}

#[test]
fn a_record_of_json_that_ends_with_the_input_behind_a_goroutine_is_a_part_that_is_missing() {
    let lines = ["goroutine 9 [select]:", "shop.wait(0x1)", "\\t/src/a.go:31 +0x1d"];
    for prefix in ["", "data: ", "\x1e", "web-1 1.2s "] {
        let log = lines.map(|line| format!("{prefix}{{\"log\":\"{line}\\n\"}}\n")).concat();
        assert!(parse(&log).inputs[0].complete(), "{log}");
        for cut in ["shop.run(...)", "goroutine 18 [select]:", "goroutine 1", "created by sho"] {
            let text = format!("{log}{prefix}{{\"log\":\"{cut}");
            assert!(!parse(&text).inputs[0].complete(), "{text}");
        }
    }
}

#[test]
fn lines_of_other_programs_behind_a_record_are_no_damaged_records() {
    for prefix in ["", "kube.shop: "] {
        let record = format!("{prefix}{}\n", serde_json::json!({"level": "error", "stack": DUMP}));
        for (line, is_damaged) in [
            ("[GIN-debug] GET    /users/{id}", false),
            ("2026/03/14 10:00:00 config: {Addr::8080 Debug:true}", false),
            ("+ echo ${X}", false),
            ("{Addr::8080 Debug:true}", false),
            ("kube.shop: {}", false),
            (r#"kube.shop: {"msg":"\ud83d"}"#, false),
            (r#"kube.shop: {"msg":"ok"} done"#, false),
            (r#"ge":"goroutine 9 [select]:","ts":12}"#, true),
            (r#"26-03-14T10:00:00Z","message":"\t/src/main.go:18 +0x77"}"#, true),
            (r#""message":"\t/src/main.go:18 +0x77"}"#, true),
            (r#"go:18 +0x77"}"#, true),
            (r#"ge":"goroutine 9 [select]:","at":{"x":12}}"#, true),
            (r#"{"message":"goroutine 9 [sel{"message":"main.f()"}"#, true),
        ] {
            let profile = parse(&format!("{record}{line}\n"));
            assert_eq!(profile.goroutines.len(), 3, "{record}{line}");
            assert_eq!(profile.inputs[0].complete(), !is_damaged, "{record}{line}");
        }
    }
    let record = serde_json::json!({"message": DUMP});
    let text =
        format!("{record}\n{}x}}\n", serde_json::json!({"message": "goroutine 9 [select]:"}));
    assert!(!parse(&text).inputs[0].complete(), "{text}");
}

#[test]
fn a_document_of_json_that_has_no_end_is_told_at_each_byte() {
    let dump = goroutine(7) + &goroutine(8);
    let lines: Vec<&str> = dump.lines().collect();
    for document in [
        serde_json::json!({"app": "shop", "stack": dump, "at": {"pod": "web-1"}}),
        serde_json::json!({"app": "shop", "stack": lines, "at": {"pod": "web-1"}}),
        serde_json::json!([{"stack": goroutine(7)}, {"stack": goroutine(8)}]),
    ] {
        let whole = serde_json::to_string_pretty(&document).unwrap();
        assert!(parse(&whole).inputs[0].complete(), "{whole}");
        let header = whole.find("goroutine 7 [").unwrap();
        for at in header + "goroutine 7 [".len()..whole.len() {
            let (outcome, profile) = parse_as(&whole.as_bytes()[..at], usize::MAX);
            let is_told = match outcome {
                Outcome::Read => profile.inputs.iter().any(|input| !input.complete()),
                outcome => matches!(outcome, Outcome::Stump(_)),
            };
            assert!(is_told, "{outcome:?}\n{}", &whole[..at]);
            let trickled = parse_as(&whole.as_bytes()[..at], 9);
            assert_eq!(trickled.0, outcome, "{}", &whole[..at]);
            assert_eq!(described(&trickled.1), described(&profile), "{}", &whole[..at]);
        }
    }
}

#[test]
fn a_dump_in_one_line_of_html_that_is_cut_is_told_at_each_byte() {
    let dump = goroutine(7);
    for prefix in ["", "web-1  | ", "Jan  2 10:31:41 host app[12]: ", "<Data>"] {
        for line_end in ["&#10;", "&#13;&#10;", "<br>", "\u{2028}"] {
            let whole = format!("{prefix}{}", dump.replace('\n', line_end));
            let behind = format!("\n{prefix}stopped\n");
            for rest in ["", "\n", &behind] {
                let text = format!("{whole}{rest}");
                assert!(parse(&text).inputs[0].complete(), "{text}");
            }
            let call = whole.find(line_end).unwrap() + line_end.len();
            let place = call + whole[call..].find(line_end).unwrap() + line_end.len();
            let last = whole.trim_end_matches(line_end).len();
            for at in (place + 1..last).filter(|&at| whole.is_char_boundary(at)) {
                let cut = &whole[..at];
                let plain = cut[prefix.len()..].replace(line_end, "\n");
                // A part of a line end ends its line as well.
                if parse(&plain).inputs[0].complete() || cut.ends_with("&#13;") {
                    continue;
                }
                for rest in ["", "\n", &behind] {
                    let text = format!("{cut}{rest}");
                    assert!(!parse(&text).inputs[0].complete(), "{text}");
                }
            }
        }
    }
}

#[test]
fn a_table_that_is_cut_inside_a_quoted_cell_is_told() {
    let dump = goroutine(7);
    let row = |line: &str| format!("2026-01-02T10:31:01,\"{line}\"\n");
    let whole: String = dump.trim_end().lines().map(row).collect();
    for rest in
        ["", "2026-01-02T10:31:02,\"ready\"\n", "2026-01-02T10:31:02,\"a message of\ntwo lines\"\n"]
    {
        let text = format!("time,message\n{whole}{rest}");
        assert!(parse(&text).inputs[0].complete(), "{text}");
    }
    for last in ["\"main.f(0x1", "\"main.f", "\"created by main.ma", "\"created"] {
        let frame: String = dump.lines().take(3).map(row).collect();
        for rest in ["", "\n"] {
            let text = format!("time,message\n{frame}2026-01-02T10:31:01,{last}{rest}");
            assert!(!parse(&text).inputs[0].complete(), "{text}");
        }
    }
}
