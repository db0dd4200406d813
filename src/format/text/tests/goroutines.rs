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
    let unicode = dump.replace('\n', "\\u000A").replace('\t', "\\u0009");
    let entities = dump.replace('\n', "&#13;&#10;").replace('\t', "&#9;");
    let event = format!("<Event><Data Name=\"text\">{entities}</Data></Event>");
    let texts = [&escaped, &octal, &unicode, &event, &format!("x: {escaped}")];
    let below = texts.map(|text| format!("{text}\nhello\n"));
    for text in texts.into_iter().chain(&below) {
        let profile = parse(text);
        // Both have lines of their own around the dump.
        assert_eq!(described(&profile)[1..], described(&parse(&dump))[1..], "{text}");
        assert_eq!(profile.inputs[0].warnings, [], "{text}");
    }
}

#[test]
fn a_dump_in_one_line_that_is_cut_anywhere_is_told_as_in_lines_of_its_own() {
    let dump = format!("{DUMP}goroutine 9 [select]:\nmain.f(0x1)\n{PLACE}main.g()\n{PLACE}");
    let ways = [("", "\\n", "\\t"), ("Nov 27 10:00:00 n1 shop[7]: ", "#012", "#011")];
    let ends = ["", "\n", "\nNov 27 10:00:01 n1 shop[7]: ready\n", "\nready to serve\n"];
    let first = dump.find("+0x1d").unwrap();
    for at in first..=dump.len() {
        let cut = &dump[..at];
        let expected = parse(cut);
        let is_told = !expected.inputs[0].complete();
        for (prefix, newline, tab) in ways {
            for end in ends {
                let line = cut.replace('\n', newline).replace('\t', tab);
                let text = format!("{prefix}{line}{end}");
                let profile = parse(&text);
                let found = profile.goroutines.len() == expected.goroutines.len();
                assert!(found || !profile.inputs[0].complete(), "{text}");
                assert!(!is_told || !profile.inputs[0].complete(), "{text}");
                let (_, trickled) = parse_as(text.as_bytes(), 9);
                assert_eq!(described(&trickled), described(&profile), "{text}");
            }
        }
    }
}

#[test]
fn a_line_of_another_program_ends_a_dump_in_one_line() {
    let goroutine = "goroutine 7 [select]:\nmain.f(0x1)\n\t/src/a.go:3 +0x1d\n";
    for line in ["exit status 2", "make: *** [test] Error 1", "2026/11/28 10:00:00 bye"] {
        for end in ["", "\n", "\nready to serve\n"] {
            for prefix in ["", "2026-11-28T10:00:00Z ERROR ", "Nov 27 10:00:00 n1 shop[7]: "] {
                let line = format!("{goroutine}{line}").replace('\n', "\\n").replace('\t', "\\t");
                let text = format!("{prefix}{line}{end}");
                assert!(parse(&text).inputs[0].complete(), "{text}");
            }
        }
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
fn a_place_without_its_call_or_with_a_part_of_it_is_of_a_goroutine_that_is_cut() {
    let frame = "shop.f(0x1)\n\t/src/a.go:9 +0x1\n";
    for (text, functions_left) in [
        ("INFO waiting\n/src/shop/run.go:9 +0x1d\n", &[][..]),
        ("INFO starting worker 7\n\t/src/shop/run.go:9 +0x1d\n", &[]),
        ("/src/shop/run.go:9 +0x1d\n", &[]),
        ("\t/src/shop/run.go:9 +0x1d\n", &[]),
        ("leep(0x1)\n\t/go/src/runtime/time.go:9 +0x1d\n", &["leep"]),
        ("(*T).g(0x1)\n\t/src/shop/run.go:9 +0x1d\n", &["(*T).g"]),
        (".g(0x1)\n\t/src/shop/run.go:9 +0x1d\n", &[".g"]),
        ("shop.(0x1)\n\t/src/shop/run.go:9 +0x1d\n", &["shop."]),
        ("net/http.\n\t/go/src/net/http/server.go:9 +0x1d\n", &[]),
        ("example.com/shop/or\n\t/src/orders.go:39\n", &[]),
        ("shop.or\n\t/src/orders.go:39\n", &["shop.or"]),
    ] {
        for indented in [true, false] {
            let text = format!("goroutine 9 [select]:\n{text}{frame}{CREATOR}\n");
            if !indented && !text.contains("run.go:9 +0x") {
                // A name and a place that a log may have too.
                continue;
            }
            let text = if indented { text } else { text.replace('\t', "") };
            let profile = parse(&text);
            if indented {
                let left = [functions_left, &["shop.f"]].concat();
                assert_eq!(functions(&profile, 9), left, "{text}");
            }
            assert_eq!(partial(&text), 1, "{text}");
        }
    }
    for whole in [
        "panic({0x1, 0x2})\n\t/go/src/runtime/panic.go:9 +0x1d\n",
        "aeshashbody()\n\t/go/src/runtime/asm_amd64.s:1140 +0x1\n",
        "_cgoexp_fee7cfcb5d5c_call(0x1)\n\t_cgo_gotypes.go:42 +0x25\n",
        "type:.eq.struct { main.a int }(0x1)\n\t<autogenerated>:1 +0x1\n",
        "main.(*T[...]).f(0x1)\n\t/src/a.go:42 +0x25\n",
    ] {
        let text = format!("goroutine 9 [select]:\n{whole}{frame}{CREATOR}\n");
        assert_eq!(partial(&text), 0, "{text}");
    }
}

#[test]
fn a_creators_line_that_a_terminal_broke_is_joined() {
    for (start, rest) in [
        ("main.mai", "n in goroutine 1"),
        ("main.main", "in goroutine 1"),
        ("main.main in gorou", "tine 1"),
    ] {
        for prefix in ["", "Nov  2 10:00:03 web-0 shopd[17613]: "] {
            let text = format!(
                "{prefix}goroutine 9 [select]:\n{prefix}shop.f(0x1)\n{prefix}{PLACE}{prefix}created by {start}\n{rest}\n{prefix}\t/src/a.go:3 +0x1\n{prefix}\n"
            );
            let profile = parse(&text);
            let creator = profile.samples[0].key.creator.expect("a creator");
            assert_eq!(profile.str(profile.frame(creator).func), b"main.main", "{text}");
            assert_eq!(profile.goroutines[0].creator(), Some(1), "{text}");
            assert_eq!(partial(&text), 0, "{text}");
        }
    }
}

#[test]
fn arguments_that_break_off_are_missed_as_they_tell_who_waits_for_whom() {
    for call in ["sync.(*Mutex).Lock(0xc00001", "sync.(*Mutex).Lock(", "main.f(0x1, {0x…"] {
        let text = format!("goroutine 9 [select]:\n{call}\n{PLACE}{CREATOR}\n");
        let function = call.split_at(call.rfind('(').unwrap()).0;
        assert_eq!(functions(&parse(&text), 9), [function], "{text}");
        assert_eq!(partial(&text), 1, "{text}");
    }
}

#[test]
fn a_creator_whose_line_is_cut_is_of_a_goroutine_that_is_cut() {
    for (creator, func) in [
        ("main.start in goroutine", "main.start"),
        ("main.start in gorou", "main.start"),
        ("main.start in ...", "main.start"),
        ("main.sta…", "main.sta…"),
        ("main.sta...", "main.sta..."),
        ("main.", "main."),
        ("start", "start"),
    ] {
        let text = format!(
            "goroutine 9 [select]:\nshop.f(0x1)\n{PLACE}created by {creator}\n\t/src/a.go:3 +0x1\n\n"
        );
        let profile = parse(&text);
        let found = profile.samples[0].key.creator.map(|frame| profile.frame(frame).func);
        assert_eq!(
            found.map(|func| String::from_utf8_lossy(profile.str(func)).into_owned()).as_deref(),
            Some(func),
            "{text}"
        );
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
    for (between, lines) in
        [("server started (v1)\n", 1), ("    at the end\n", 1), (&"INFO waiting\n".repeat(64), 64)]
    {
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
        ("main.main()\n\t/src/a.go:40 +0x1d\nFAIL\tshop\t0.02s\nFAIL", 0),
        ("main.main()\n\t/src/a.go:40 +0x1d\nexit status 2\nFAIL", 0),
        ("main.run()\n\t/src/a.go:40 +0x1d\nexit status 2\nmain.ma", 1),
    ] {
        assert_eq!(partial(&format!("goroutine 1 [running]:\n{end}")), expected, "{end}");
    }
}

/// Whatever stands behind the cut: loggers, shells and people have their own words for it.
#[test]
fn a_cut_line_with_a_mark_behind_it_is_of_a_goroutine_that_is_cut() {
    let marks = [
        "...",
        "…",
        "... (truncated)",
        "[truncated]",
        "(12 more bytes)",
        " (output limited)",
        "..\"",
        "..```",
    ];
    for id in [1, 7] {
        let head = format!("goroutine {id} [select]:\nmain.f(0x1)\n{PLACE}");
        for cut in [
            "main.g(0x2, 0x",
            "main.g(0x2, {0x1, ",
            "main.g(_, {0x0, 0x1",
            "main.(*T).g({0x1",
            "main.g[...](0x2",
        ] {
            for mark in marks {
                for end in ["", "\n", "\n\ngoroutine 8 [select]:\nmain.f(0x1)\n\t/a.go:3 +0x1\n"] {
                    let text = format!("{head}{cut}{mark}{end}");
                    assert!(partial(&text) > 0, "{text}");
                }
            }
        }
    }
    for cut in ["creat", "main.g", "example.com/sh", "\t/src/shop/ca", "\t/a.go"] {
        for mark in ["...", "... (truncated)```", "[truncated]\""] {
            let text = format!("goroutine 7 [select]:\nmain.f(0x1)\n{PLACE}{cut}{mark}\n");
            assert!(partial(&text) > 0, "{text}");
        }
    }
    for line in
        ["main.g(x) ", "see main.g(0x1: boom", "cache.get(key...) (truncated)", "main.go(3)..."]
    {
        let text = format!("goroutine 7 [select]:\nmain.f(0x1)\n{PLACE}{CREATOR}{line}\n");
        assert_eq!(partial(&text), 0, "{text}");
    }
}

#[test]
fn a_last_goroutine_without_its_creator_is_cut_where_others_have_theirs() {
    for (last, expected) in [
        ("goroutine 9 [select]:\nshop.f()\n\t/src/a.go:3 +0x1d\n", 1),
        ("goroutine 1 [select]:\nshop.f()\n\t/src/a.go:3 +0x1d\n", 0),
        ("goroutine 9 [select]:\nruntime.goexit()\n\t/src/a.s:3 +0x1d\n", 0),
        ("goroutine 17 [running]:\n_cgoexp_4b6f3d_call()\n\t_cgo_gotypes.go:65 +0x1d\n", 0),
        ("goroutine 9 [running]:\n\tgoroutine running on other thread; stack unavailable\n", 0),
        ("goroutine 0 gp=0x1 m=1 mp=0x2 [idle]:\n", 1),
        ("goroutine 9 [select]:\n", 1),
    ] {
        assert_eq!(partial(&format!("{DUMP}\n{last}")), expected, "{last}");
        // Go ends each goroutine with a blank line.
        let is_empty = last.lines().count() == 1 && !last.starts_with("goroutine 0 ");
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

#[test]
fn what_go_can_not_print_in_a_state_or_a_place_is_told_as_lost() {
    let goroutine = "goroutine 7 [chan receive, 5 minutes]:\nmain.foo(0x1)\n\t/src/app/main.go:4 +0x1d\n\
                     created by main.main in goroutine 1\n\t/src/a.go:9 +0x2b\n";
    assert!(parse(goroutine).inputs[0].complete());
    for (from, to) in [
        ("[chan receive", "[chan receive[chan receive"),
        ("[chan receive", "[chan receive (nil ch"),
        ("[chan receive, 5 minutes", "[chan rec, 5 minu"),
        ("[chan receive, 5 minutes", "[IO wait, 5 minutes000 m=nil [select"),
        (", 5 minutes", ", 5 minutes, 3 minutes"),
        (", 5 minutes", " 5 minutes"),
        (", 5 minutes", ", x5 minutes"),
        (", 5 minutes", ", locked to thr"),
        ("[chan", "[\u{fffd}han"),
        ("/src/app/main.go", "/src/ap\t/src/c/main.go"),
        ("\t/src/app", "\t026-03-14T10:00:00Z \t/src/app"),
        ("/src/app/main.go", "/src/     "),
        ("/src/app", "/src/a\u{fffd}p"),
        ("main.foo", "main.f\u{fffd}o"),
        ("main.foo", "│main.foo"),
        ("main.foo", r"main.f\oo"),
    ] {
        let text = goroutine.replace(from, to);
        // Once before it was learnt, and once after.
        let profile = parse(&format!("{text}\n{goroutine}\n{text}"));
        assert_eq!(profile.inputs[0].seen.partial, 2, "{text}");
    }
    for (from, to) in [
        ("[chan receive", "[GC worker (idle)"),
        ("[chan receive", "[chan\u{a0}receive"),
        ("+0x1d", "+0x1d fp=0xc000100fe0 sp=0xc000100fd8 pc=0x47af21```"),
        (", 5 minutes", ", 30s"),
        ("[chan receive, 5 minutes", "[chan receive (nil chan) (synctest), synctest bubble 1"),
        ("[chan receive", "[sync.(*Cond).Wait"),
        ("main.foo", "main.größe"),
        ("/src/app/main.go", "/src/größe (1)/main.go"),
        ("/src/app/main.go", "<autogenerated>"),
        ("/src/app/main.go", "D:/golang/goroutine 1/goroutine demo/main.go"),
    ] {
        let text = goroutine.replace(from, to);
        assert!(parse(&text).inputs[0].complete(), "{text}");
    }
}

#[test]
fn addresses_and_creators_that_are_cut_behind_the_root_are_told() {
    let head = "goroutine 34 gp=0xc0000061c0 m=3 mp=0xc000080008 [IO wait]:\n\
                kv.read(0xc000012345)\n\t/go/kv/node.go:40 +0x1d fp=0xc000100fd0 sp=0xc000100f80 pc=0x47af11\n\
                runtime.goexit({})\n";
    let root = "\t/go/asm_amd64.s:1700 +0x1 fp=0xc000100fe0 sp=0xc000100fd8 pc=0x47af21\n";
    let creator = "created by kv.Start in goroutine 1\n\t/go/kv.go:12 +0x45\n\n";
    let log = "2026/03/14 10:00:00 INFO next\n";
    for text in [
        format!("{head}{root}{creator}{log}"),
        format!("{head}{root}"),
        format!("{head}{root}\n{log}"),
    ] {
        assert!(parse(&text).inputs[0].complete(), "{text}");
    }
    let is_told = |text: String| {
        let warnings = &parse(&text).inputs[0].warnings;
        assert!(warnings.iter().any(|warning| warning.kind.means_loss()), "{text}");
    };
    // Of the last address nobody knows how many digits it has.
    let tail = root.find(" fp=").unwrap() + 5..=root.find("pc=0x").unwrap() + 5;
    for at in tail {
        is_told(format!("{head}{}", &root[..at]));
        is_told(format!("{head}{}\n{log}", &root[..at]));
    }
    // A hole joined two places.
    is_told(format!("{head}{}{root}{creator}", root.trim_end()).replace("\t/go/asm_amd64.s:1700 +0x1 fp=0xc000100fe0 sp=0xc000100fd8 pc=0x47af21\t/go/asm_amd64.s:1700 +0x1", "\t/go/asm_amd64.s:1700 +0x1 fp=0xc000100fe0 sp=0xc000100fd8"));
    for end in ["created b\n", "created by\n", "created b\n[... 33 lines omitted ...]\n"] {
        is_told(format!("{head}{root}{end}{log}"));
    }
    for end in [
        "goroutine 57 gp=0xc0000061c0 m=3 mp=0xc00[TRUNCATED]",
        "goroutine 57 g...",
        "goroutine 57 gp=(truncated)",
        "goroutine... (1234 more bytes)",
        "goroutine 57 ... (1234 more bytes)",
    ] {
        is_told(format!("{head}{root}{creator}{end}"));
        is_told(format!("{head}{root}{creator}{end}\n{log}"));
    }
    is_told(format!("{head}{root}{creator}").replace("/go/kv/node", "/go/goroutine 7 [se/node"));
}

/// `GOTRACEBACK=crash` prints the stack of the thread itself first, as goroutine 0.
#[test]
fn a_lost_header_behind_the_stack_of_a_thread_is_told() {
    let thread = "goroutine 0 gp=0x5a m=0 mp=0x5b [idle]:\nruntime.schedule()\n\t/src/runtime/proc.go:3975 +0x3a fp=0x7fff75a0e448 sp=0x7fff75a0e410 pc=0x441eba\nruntime.mcall()\n\t/src/runtime/asm_amd64.s:459 +0x4e fp=0x7fff75a0e4b8 sp=0x7fff75a0e4a0 pc=0x47452e\n\n";
    let header = "goroutine 1 gp=0xc0000061c0 m=nil [select (no cases)]:\n";
    let frames = "runtime.gopark(0xc0000aaba0?)\n\t/src/runtime/proc.go:424 +0xce fp=0xc00008ee58 sp=0xc00008ee38 pc=0x46e58e\nmain.main()\n\t/src/main.go:9 +0x1d fp=0xc00008ef50 sp=0xc00008ee88 pc=0x47d71e\n\n";
    let crash = format!("SIGQUIT: quit\nPC=0x1 m=0 sigcode=0\n\n{thread}");
    assert!(parse(&format!("{crash}{header}{frames}")).inputs[0].complete());
    assert!(!parse(&format!("{crash}{frames}")).inputs[0].complete());
    let doubled = format!("{thread}{header}{frames}").replace('\n', "\n\n");
    assert!(parse(&doubled).inputs[0].complete(), "{doubled}");
}

#[test]
fn what_is_left_of_lines_in_a_goroutine_is_told() {
    let head = "SIGQUIT: quit\nPC=0x1 m=0 sigcode=0\n\n";
    let idle = "goroutine 0 gp=0x5a m=0 mp=0x5b [idle]:\n";
    let futex =
        "runtime.futex(0x99eec0)\n\t/src/runtime/sys.s:9 +0x1d fp=0x7ff8 sp=0x7ff0 pc=0x441eba\n";
    let frame = "main.f(0x9)\n\t/src/a.go:3 +0x1d fp=0xc8 sp=0xc0 pc=0x47d71e\n";
    let select = "goroutine 7 gp=0x5c m=nil [select]:\n";
    let registers = "\nrax    0x1\nrbx    0x2\n";
    let whole = format!("{head}{idle}{futex}\n{select}{frame}{CREATOR}{registers}");
    assert!(parse(&whole).inputs[0].complete(), "{whole}");
    for (part, damaged) in [
        (idle, format!("{idle}{idle}")),
        (&format!("{futex}\n{select}{frame}{CREATOR}"), String::new()),
        (futex, format!("{futex}runtime.mcall()i    0x2f0f5a43\n")),
        (futex, format!("{futex}runtime.sys | rcx 0x48d603\n")),
        (select, select.replace("]:", "]: pc=0x403e6e")),
        (frame, format!("{frame}main.g(0x9)\n\t/src/a.go:3 +0x1d pc=0x47d71e\n")),
        (frame, format!("{frame}crea9 +0x45\n")),
        (frame, format!("{frame}utine 8 [select]:\nmain.g()\n\t/src/a.go:3 +0x1d\n")),
        (frame, String::new()),
    ] {
        let text = whole.replacen(part, &damaged, 1);
        assert!(!parse(&text).inputs[0].complete(), "{text}");
    }
}

/// Go prints no offset for a call that is inlined.
#[test]
fn an_inlined_call_with_the_place_of_another_is_told() {
    let goroutine = |id: u64, call: &str, place: &str| {
        format!("goroutine {id} [select]:\n{call}\n\t/src/a.go:{place}\n{CREATOR}\n")
    };
    let whole = goroutine(7, "main.f(0x1)", "3 +0x1d")
        + &goroutine(8, "main.f(0x2)", "3 +0x1d")
        + &goroutine(9, "main.g(...)", "5");
    for (damaged, expected) in [
        (String::new(), 0),
        (goroutine(10, "main.g(...)", "5"), 0),
        (goroutine(10, "main.f(...)", "3 +0x1d"), 1),
        (goroutine(10, "main.g(...)", "5 +0x1d"), 1),
        (goroutine(10, "main.g(...)", "3 +0x1d fp=0x1 sp=0x2 pc=0x3"), 1),
    ] {
        assert_eq!(partial(&format!("{whole}{damaged}")), expected, "{damaged}");
    }
}
