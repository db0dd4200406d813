//! Texts that were cut, wrapped, or copied without their first line.

use super::*;

/// A goroutine up to a call, which follows.
const GOROUTINE: &str =
    "goroutine 9 [select]:\nshop.(*Cart).wait(0xc000012345)\n\t/src/shop/cart.go:31 +0x1d\n";

fn is_partial(text: &str) -> bool {
    let input = &parse(text).inputs[0];
    assert_eq!(input.seen.partial > 0, !input.complete(), "{text}");
    input.seen.partial > 0
}

pub(super) fn functions(profile: &Profile, id: u64) -> Vec<String> {
    let goroutine = profile.goroutines.iter().find(|goroutine| goroutine.id == id).unwrap();
    let stack = profile.stack(profile.sample(goroutine.sample).key.stack);
    stack.iter().map(|&frame| String::from_utf8_lossy(profile.func(frame)).into_owned()).collect()
}

#[test]
fn a_call_that_breaks_off_is_a_part_that_is_missing_whatever_comes_next() {
    let next = "\ngoroutine 10 [select]:\nmain.f()\n\t/src/a.go:3 +0x1d\ncreated by main.main in goroutine 1\n\t/src/a.go:9 +0x2\n";
    for call in [
        "shop.(*Cart).run(0xc0001, {0xf5b420,",
        "shop.(*Cart).run(0xc0001, {0xf5b420, ",
        "shop.(*Cart).run(",
        "example.org/shop.(*Ca",
        "example.org/shop/inter",
        "shop.run",
        "exam",
        "main.",
        "crea",
        "created by ",
    ] {
        for after in [
            "",
            "\n",
            "\n\n",
            "\n```\n\nIt hangs.\n",
            "\nIt hangs.\nAll day.\n",
            &format!("\n{next}"),
        ] {
            for indent in ["", "    ", "app-1 | "] {
                let text = GOROUTINE.to_owned() + call + after;
                let text: String =
                    text.split_inclusive('\n').map(|line| indent.to_owned() + line).collect();
                assert!(is_partial(&text), "{text}");
            }
        }
    }
}

#[test]
fn text_after_a_whole_goroutine_or_within_one_breaks_nothing_off() {
    let creator = "created by main.main in goroutine 1\n\t/src/shop/main.go:9 +0x2\n";
    for text in [
        format!("{GOROUTINE}{creator}example.org/shop\n"),
        format!("{GOROUTINE}shop.Ready\n{creator}"),
        format!("{GOROUTINE}shop.run(0x1, {{0x2\n{creator}"),
        format!("{GOROUTINE}\nshop.run(0x1, {{0x2\n"),
        format!("{GOROUTINE}exit status 2\n"),
        format!("{GOROUTINE}    at the end\nshop.run\n"),
        format!("{GOROUTINE}All done.\n"),
        "goroutine 1 [running]:\nmain.init.0()\n\t/src/main.go:7 +0x3d\nStopping...\n".to_owned(),
        "goroutine 1 [select]:\nmain.main()\n\t/src/shop/main.go:9 +0x2\nexample.org/shop\n"
            .to_owned(),
    ] {
        assert_eq!(parse(&text).inputs[0].seen.partial, 0, "{text}");
    }
}

#[test]
fn calls_that_a_terminal_wrapped_are_joined() {
    let text = "goroutine 9 [select]:
example.org/shop.(*Cart).total(0xc000012345, {0xc00045a000, 0x3, 0x8}, 0xc0003d8
00, 0x1)
\t/src/shop/cart.go:31 +0x1d
example.org/shop.(*Cart).pay(0xc000012345, {0xc00045a000, 0x3, 0x8}, {0xf5b420?,
 0xc00045a000}, 0xc000012345, 0xc000012345, 0xc000012345, 0xc000012345, 0xc00001
2345, ...)
\t/src/shop/cart.go:52 +0x1d
example.org/shop.(*Cart).Close(0xc000012345, {0xc00045a000, 0x3, 0x8}, 0x1, 0x2?
)
/src/shop/cart.go:60 +0x1d
created by main.main in goroutine 1
\t/src/shop/main.go:9 +0x2
";
    let profile = parse(text);
    let cart = |method| format!("example.org/shop.(*Cart).{method}");
    assert_eq!(functions(&profile, 9), [cart("total"), cart("pay"), cart("Close")]);
    assert!(profile.inputs[0].complete(), "{:?}", profile.inputs[0].warnings);
    assert_eq!(profile.inputs[0].seen.foreign_lines, 0);
}

#[test]
fn a_call_whose_end_is_lost_keeps_its_name() {
    for indent in ["\t", ""] {
        let text = format!("{GOROUTINE}shop.run(0x1, {{0x2,\n{indent}/src/shop/cart.go:52 +0x1d\n");
        assert_eq!(functions(&parse(&text), 9), ["shop.(*Cart).wait", "shop.run"], "{indent:?}");
    }
}

#[test]
fn a_call_over_very_many_lines_is_not_joined() {
    let more = "0xc000012345, 0xc000012345,\n".repeat(1000);
    let text = format!("{GOROUTINE}shop.run(0x1,\n{more}0x1)\n\t/src/shop/cart.go:52 +0x1d\n");
    let profile = parse(&text);
    assert_eq!(functions(&profile, 9), ["shop.(*Cart).wait"]);
    assert!(!profile.inputs[0].complete());
}

#[test]
fn what_is_left_of_a_call_is_no_line_of_text() {
    for (end, lines) in [("shop.run", 0), ("shop.run(0x1, {0x2", 0), ("exit status 2", 1)] {
        let profile = parse(&format!("{GOROUTINE}{end}\n\n"));
        assert_eq!(profile.inputs[0].seen.text_lines, lines, "{end}");
    }
}

#[test]
fn the_end_of_a_call_is_no_function() {
    for end in ["0, 0x1, 0x22d1bd1)", ")", "art).pay(0xc000012345)"] {
        let text = format!("{GOROUTINE}{end}\n\t/src/shop/cart.go:52 +0x1d\n");
        let profile = parse(&text);
        assert_eq!(functions(&profile, 9), ["shop.(*Cart).wait"], "{end}");
        assert!(profile.inputs[0].seen.partial > 0, "{end}");
    }
}

const RECORDS: &str = "12 @ 0x43a2f6 0x44b0e8 0x48c5b1
#\t0x44b0e7\tsync.runtime_Semacquire+0x27\t/go/src/runtime/sema.go:56
#\t0x48c5b0\texample.org/shop.(*Cart).pay+0x30\t/src/shop/cart.go:52
";

#[test]
fn records_without_the_first_line_of_their_profile_are_read_and_it_is_told() {
    let second = "\n3 @ 0x43a2f6 0x48c5c1\n#\t0x48c5c0\tshop.run+0x30\t/src/shop/run.go:7\n";
    let quoted: String = RECORDS.lines().map(|line| format!("> {line}\n")).collect();
    for (text, count) in [
        (RECORDS.to_owned(), 12),
        (format!("See:\n```\n{RECORDS}```\nIt grows.\n"), 12),
        (format!("{RECORDS}{second}"), 15),
        (format!("{RECORDS}\nand one more:\n{second}"), 15),
        (quoted, 12),
    ] {
        let profile = parse(&text);
        let [input] = &*profile.inputs else { panic!("{text}") };
        assert_eq!((input.format, input.goroutines), (InputFormat::Debug1, count), "{text}");
        let [warning] = &*input.warnings else { panic!("{:?} of {text}", input.warnings) };
        assert!(warning.text.contains("the first line of the profile is missing"), "{warning:?}");
        assert!(!input.complete());
    }
}

#[test]
fn records_behind_a_whole_profile_or_a_dump_are_counted_for_neither() {
    for (before, count) in
        [(format!("goroutine profile: total 12\n{RECORDS}\n"), 12), (DUMP.to_owned(), 3)]
    {
        let profile = parse(&format!("{before}\nAnd one hour later:\n{RECORDS}\n"));
        let goroutines: i64 = profile.inputs.iter().map(|input| input.goroutines).sum();
        assert_eq!(goroutines, count, "{before}");
        assert!(!profile.inputs[0].complete(), "{before}");
    }
}

#[test]
fn a_whole_profile_after_a_record_is_an_input_of_its_own() {
    let profile = parse(&format!("{RECORDS}\ngoroutine profile: total 12\n{RECORDS}\n"));
    let counts: Vec<i64> = profile.inputs.iter().map(|input| input.goroutines).collect();
    assert_eq!(counts, [12, 12]);
    assert!(!profile.inputs[0].complete() && profile.inputs[1].complete());
}

#[test]
fn calls_without_any_header_are_no_dump_and_their_line_is_told() {
    let calls = "shop.(*Cart).wait(0xc000012345)\n\t/src/shop/cart.go:31 +0x1d\n";
    for (text, line) in [
        (calls.to_owned(), 2),
        (format!("It hangs:\n\n{calls}"), 4),
        (format!("{calls}runtime stack:\nruntime.throw()\n\t/go/src/runtime/panic.go:1047 +0x5d\n"), 2),
        ("Jan  2 15:04:05 web shop[7]: /src/shop/cart.go:31 +0x1d\n".to_owned(), 1),
        ("runtime stack:\nruntime.throw({0xf1354a?, 0x3?})\n/go/src/runtime/panic.go:1047 +0x5d\n".to_owned(), 1),
    ] {
        let (outcome, profile) = parse_as(text.as_bytes(), usize::MAX);
        assert_eq!((outcome, profile.inputs.len()), (Outcome::Headless(line), 0), "{text}");
    }
}

#[test]
fn stacks_that_loggers_and_errors_write_are_no_dump_and_their_line_is_told() {
    let stack = "main.lose\n\t/srv/shop/main.go:12\nmain.main\n\t/srv/shop/main.go:5\n";
    let zap = serde_json::json!({"level": "error", "msg": "order is lost", "stacktrace": stack});
    let frames = serde_json::json!([{"func": "lose", "line": "12", "source": "main.go"}]);
    let zerolog = serde_json::json!({"level": "error", "stack": frames});
    for (text, line) in [
        (format!("{zap}\n"), 1),
        (format!("started\n{zerolog}"), 2),
        (format!("2026-01-02T10:31:41Z\tERROR\tshop/main.go:12\torder is lost\n{stack}"), 3),
    ] {
        let (outcome, profile) = parse_as(text.as_bytes(), usize::MAX);
        assert_eq!((outcome, profile.inputs.len()), (Outcome::Logged(line), 0), "{text}");
        assert!(parse(&format!("{text}\n{DUMP}")).inputs[0].complete(), "{text}");
    }
    for text in ["main.go:12\n", "\tmain.go:12: x is unused\n", "a.go\n", "{\"source\": \"x\"}\n"] {
        assert_eq!(parse_as(text.as_bytes(), usize::MAX).0, Outcome::Unknown, "{text}");
    }
}

#[test]
fn a_goroutine_whose_call_is_broken_is_read_below_the_message_of_a_crash_too() {
    for (call, goroutines) in [
        ("main.throw({0x1,\n 0x102?})\n\t/src/x.go:72 +0x4c\n", 1),
        ("2026/01/02 03:04:05 hello\nmain.throw(0x1)\n\t/src/x.go:72 +0x4c\n", 1),
        ("        goroutine running on other thread; stack unavailable\n", 1),
        ("...additional frames elided...\n", 1),
        ("is the header that it printed.\n", 0),
    ] {
        let profile = parse(&format!("panic: x\n\ngoroutine 20 [running]:\n{call}\n"));
        assert_eq!(profile.goroutines.len(), goroutines, "{call}");
        let crash = profile.inputs[0].crash.as_ref().expect("it is a crash");
        assert_eq!(crash.goroutine, (goroutines > 0).then_some(20), "{call}");
    }
}

#[test]
fn headers_that_grew_together_are_two_goroutines_of_which_the_first_is_cut() {
    let frames =
        "main.b()\n\t/src/a.go:3 +0x1\ncreated by main.x in goroutine 1\n\t/src/a.go:4 +0x1\n\n";
    for start in [
        "goroutine 2 [select]:",
        "goroutine 2 [chan receiv",
        "goroutine 2 [select]: | ",
        "goroutine 2 [select]:\nmain.a()",
        "goroutine 2 [select]:\nmain.a()\n\t/src/a.go:9 +0x1",
    ] {
        for before in ["", &format!("goroutine 1 [select]:\n{frames}")] {
            let text = format!("{before}{start}goroutine 77 [chan receive (nil chan)]:\n{frames}");
            let profile = parse(&text);
            let of = |id| {
                profile.goroutines.iter().find(|goroutine| goroutine.id == id).expect("it is there")
            };
            let last = profile.sample(of(77).sample);
            let state = profile.str(last.key.state.expect("a state"));
            assert_eq!(
                (profile.stack(last.key.stack).len(), state),
                (1, &b"chan receive (nil chan)"[..])
            );
            assert_ne!(of(2).sample, of(77).sample, "{text}");
            // After a whole place only the creator can be missing.
            assert!(start.ends_with("+0x1") || is_partial(&text), "{text}");
        }
    }
    let labels = "goroutine 7 [select] {q: \"goroutine 9 [select]:\", r: \"}\"}:\nmain.f()\n\t/src/a.go:3 +0x1\n";
    assert_eq!(parse(labels).goroutines.len(), 1);
}

#[test]
fn double_spaced_text_that_is_cut_before_the_last_place_keeps_the_call() {
    let text = GOROUTINE.replace('\n', "\n\n") + "shop.(*Cart).run(0xc0001)";
    for end in ["\n", "\n\n", "\n\n```\n"] {
        let text = format!("{text}{end}");
        assert!(is_partial(&text), "{text}");
        assert_eq!(functions(&parse(&text), 9), ["shop.(*Cart).wait", "shop.(*Cart).run"]);
    }
}

#[test]
fn a_last_place_that_is_cut_in_its_line_number_is_a_part_that_is_missing() {
    assert!(is_partial(&format!("{GOROUTINE}shop.run(0x1)\n\t/src/shop/cart.go:4\n")));
    let without =
        "goroutine 9 [select]:\nshop.wait(0x1)\n\t/src/a.go:31\nshop.run(0x1)\n\t/src/a.go:4\n";
    for whole in [without, &format!("{GOROUTINE}shop.run(...)\n\t/src/shop/cart.go:4\n")] {
        assert!(!is_partial(whole), "{whole}");
    }
}

#[test]
fn a_place_is_given_to_no_call_above_one_that_is_broken() {
    let text =
        "goroutine 9 [select]:\nshop.a(0x1)\nshop.b(0x1, 0x2, 0\nx3, 0x4)\n\t/src/b.go:4 +0x1\n";
    let profile = parse(text);
    assert!(is_partial(text));
    let stack = profile.stack(profile.samples[0].key.stack);
    let named = stack.iter().map(|&frame| (profile.func(frame), profile.frame(frame).line));
    assert_eq!(named.collect::<Vec<_>>(), [(&b"shop.a"[..], 0), (b"shop.b", 4)]);
}

#[test]
fn a_goroutine_without_a_stack_may_be_indented_by_blanks() {
    let text = "goroutine 7 [running]:\n    goroutine running on other thread; stack unavailable\n\
                created by x.y\n    /src/a.go:322 +0x1a2\n";
    let text: String = text.lines().map(|line| format!("    {line}\n")).collect();
    let profile = parse(&text);
    assert_eq!((profile.goroutines.len(), profile.inputs[0].seen.unavailable), (1, 1));
}

#[test]
fn a_stack_in_the_value_of_a_panic_lacks_no_header() {
    let stack = "\t\n\tmain.f(0x1)\n\t\t/src/a.go:12 +0x1d\n\tcreated by main.g in goroutine 5\n\t\t/src/b.go:3 +0x2\n\t\n";
    let goroutine = "goroutine 9 [running]:\nmain.main()\n\t/src/a.go:3 +0x1d\n";
    let indented = parse(&format!("panic: boom\n{stack}\n{goroutine}"));
    assert_eq!((indented.goroutines.len(), &indented.inputs[0].warnings[..]), (1, &[][..]));
    let bare = parse(&format!("panic: boom\n\nmain.f(0x1)\n\t/src/a.go:12 +0x1d\n\n{goroutine}"));
    assert!(!bare.inputs[0].complete());
}

#[test]
fn lines_that_grew_together_or_lost_their_start_make_no_names_without_a_word() {
    for (lines, told) in [
        ("main.f()\n\t/src/a.go:7 +0x1d\nated by main.g in goroutine 1\n\t/src/a.go:3 +0x1d\n", 1),
        ("main.f()\n\t/src/a.go:7 +0x1dcreated by main.g\t/src/a.go:3 +0x1d\n", 1),
        ("main.f()\n\t/src/a.go:7 +0x1d main.g() \t/src/a.go:3 +0x1d\n", 1),
        ("main.f() \t/src/a.go:7 +0x1d main.g()\n\t/src/a.go:3 +0x1d\n", 1),
        ("{\"msg\": \"main.f()\"\n\t/src/a.go:3 +0x1d\n", 1),
        (
            "main.f()\n\t/src/a.go:7 +0x1d\ncreated by main.g in goroutine 1\n\t/src/a.go:3 +0x1d\n",
            0,
        ),
    ] {
        let profile = parse(&format!("goroutine 7 [select]:\n{lines}\n{DUMP}"));
        let partial: u64 = profile.inputs.iter().map(|input| input.seen.partial).sum();
        assert_eq!(partial, told, "{lines}");
        let names = profile.frames().iter().map(|frame| profile.str(frame.func));
        let mut names = names.map(String::from_utf8_lossy);
        assert!(names.all(|name| !name.contains(' ') && !name.contains('{')), "{lines}");
    }
    // Calls in the line of a header.
    let joined =
        "goroutine 7 [select]: main.f()\t/src/a.go:7 +0x1d\nmain.main()\n\t/src/a.go:3 +0x1d\n\n";
    assert_eq!(parse(joined).inputs[0].seen.partial, 1);
}

#[test]
fn what_a_goroutine_has_lost_is_told_where_the_text_shows_it() {
    let whole = "goroutine 7 [select]:\nmain.f()\n\t/src/a.go:7 +0x1d\nmain.g()\n\t/src/a.go:9 +0x1d\n\
        created by main.main in goroutine 1\n\t/src/a.go:3 +0x1d\n\n";
    let complete = |text: &str| parse(text).inputs.iter().all(Input::complete);
    assert!(complete(&format!("{DUMP}{whole}")));
    for (what, text) in [
        ("the line of a call", whole.replacen("main.g()\n", "", 1)),
        ("the line of a creator", whole.replacen("created by main.main in goroutine 1\n", "", 1)),
        ("a call in one line with its place", whole.replacen("main.g()\n", "main.g()", 1)),
        ("a prefix in front of one call", whole.replacen("main.g()", "web-1  | main.g()", 1)),
        ("the end of a name", whole.replacen("main.g()", "main.(*Gat…", 1)),
        ("the arguments of one call", whole.replacen("main.g()", "main.g", 1)),
        ("what grep -A leaves out", whole.split("main.g").next().unwrap().to_owned() + "--\n"),
        ("ids that were hidden", whole.replace("goroutine 7", "goroutine N")),
        ("ids that were hidden", whole.replace("goroutine 7", "goroutine <id>")),
        ("a few bytes inside a line", whole.replacen("src/a", "\0\0\0\0\0", 1)),
        ("a line", whole.replacen("created by main.main in goroutine 1", "\0\0\0\0\0", 1)),
    ] {
        assert!(!complete(&format!("{DUMP}{text}")), "{what}");
    }
    for cut in ["gorou", "goroutine 18"] {
        for behind in
            ["Killed\n", "^C\n", "2026/03/14 10:00:00 started\n", "{\"level\":\"info\"}\n"]
        {
            assert!(!complete(&format!("{DUMP}{whole}{cut}{behind}")), "{cut}{behind}");
        }
    }
    let shown = whole.replace('\t', "^I").replace('\n', "$\n");
    let (whole_files, files) = (parse(whole), parse(&shown));
    assert_eq!(files.frames().len(), whole_files.frames().len());
    for (frame, whole_frame) in files.frames().iter().zip(whole_files.frames()) {
        assert_eq!(files.str(frame.file), whole_files.str(whole_frame.file));
    }
    // Some tools leave out all arguments.
    assert!(complete(&whole.replace("()\n", "\n")));
    assert!(complete(&format!("{whole}--\n\n{DUMP}")), "a line of a user");
    // Behind others that have creators, without a blank line.
    let cut = whole.split("created by").next().unwrap();
    assert!(!complete(&format!("{whole}{cut}```\n")));
    let records = |text: &str| -> String {
        text.lines().map(|line| format!("{}\n", serde_json::json!({"t": 1, "msg": line}))).collect()
    };
    let logged = records(&format!("{DUMP}{whole}"));
    assert!(complete(&logged));
    assert!(!complete(&logged.replacen(
        "{\"t\":1,\"msg\":\"main.g()\"}",
        "{\"t\":1,\"msg\":\"main.g()",
        1
    )));
    assert!(!complete(&logged.replacen(
        "{\"t\":1,\"msg\":\"main.g()\"}",
        "{\n\"t\":1,\"msg\":\"main.g()\"}",
        1
    )));
}

#[test]
fn frames_that_are_missing_inside_a_record_are_told() {
    // The first frame is one of the runtime, which Go hides but in contention profiles, the last one `runtime.goexit`;
    // two calls are inlined.
    let record = |head: &str| {
        let first =
            if head.starts_with('-') { "#\t0x40000\truntime.unlock+0x1\t/l.go:1\n" } else { "" };
        format!(
            "{head}1 @ 0x40001 0x41001 0x42001 0x42001 0x43001 0x49001\n{first}#\t0x41000\tmain.f+0x1\t/a.go:1\n\
             #\t0x42000\tmain.g+0x1\t/a.go:2\n#\t0x42000\tmain.g+0x1\t/a.go:2\n#\t0x43000\tmain.i+0x1\t/a.go:3\n\
             #\t0x43000\tmain.h+0x1\t/a.go:4\n\n"
        )
    };
    for head in [
        "goroutine profile: total 1\n",
        "--- mutex:\ncycles/second=1000\nsampling period=1\n107096 ",
    ] {
        let whole = record(head);
        assert!(parse(&whole).inputs[0].complete(), "{whole}");
        let lines: Vec<&str> = whole.split_inclusive('\n').collect();
        let at = lines.iter().position(|line| line.starts_with("#\t0x42000")).unwrap();
        // As `uniq` does, and without one of an inlined pair, which nothing shows.
        let without = |at: usize| [&lines[..at], &lines[at + 1..]].concat().concat();
        let lost_two = [&lines[..at], &lines[at + 2..]].concat().concat();
        assert!(!parse(&lost_two).inputs[0].complete(), "{lost_two}");
        assert!(parse(&without(at)).inputs[0].complete());
    }
    let recursion = "goroutine profile: total 1\n1 @ 0x42001 0x42001 0x42001 0x43001\n\
        #\t0x42000\tmain.g+0x1\t/a.go:2\n#\t0x43000\tmain.i+0x1\t/a.go:3\n\n";
    assert!(!parse(recursion).inputs[0].complete());
}

#[test]
fn the_first_word_of_a_header_alone_behind_a_dump_is_a_part_that_is_missing() {
    let creator = "created by main.main in goroutine 1\n\t/src/shop/main.go:9 +0x2\n";
    for (text, is_told) in [
        (format!("{GOROUTINE}{creator}\ngoroutine\n"), true),
        (format!("{GOROUTINE}{creator}\ngor\n"), true),
        (format!("{GOROUTINE}{creator}\n\x1b_bk;t=17\x07goroutine 18\x1b[0m\r\n"), true),
        (format!("{GOROUTINE}{creator}> goroutine 18\n"), true),
        (format!("{GOROUTINE}{creator}\ngoroutine 9 g\n"), true),
        (format!("{GOROUTINE}{creator}\ngoroutine 9 gp=0xc000 m=nil\n"), true),
        (
            format!("{GOROUTINE}{creator}\ngoroutine 9 gp=0xc000 m=nil\n2026/01/02 INFO next\n"),
            true,
        ),
        (format!("{GOROUTINE}{creator}\ngoroutine 9 goes on\n"), false),
        (format!("{GOROUTINE}{creator}\nthe last\ngoroutine\n"), false),
    ] {
        assert_eq!(parse(&text).inputs[0].complete(), !is_told, "{text}");
        let json = serde_json::json!({ "level": "error", "stack": text.trim_end() }).to_string();
        assert_eq!(parse(&format!("{json}\n")).inputs[0].complete(), !is_told, "{json}");
    }
}

#[test]
fn a_profile_of_locks_that_is_cut_at_any_byte_is_cut_unless_whole_records_are_left() {
    let frames = "#\t0x4eecb2\tsync.(*Mutex).Unlock+0x1\t/go/sync/mutex.go:3\n\
                  #\t0x4eec0f\tmain.f+0x1\t/src/main.go:4\n#\t0x4848a0\tmain.main+0x2\t/src/main.go:9\n";
    let record =
        |number: &str| format!("{number} @ 0x4eecb3 0x4eec10 0x4848a1 0x48a001\n{frames}\n");
    for head in [
        "--- mutex:\ncycles/second=2299998016\nsampling period=1\n",
        "--- contention:\ncycles/second=2299998016\n",
    ] {
        let records = [record("93329946 3"), record("5 1")];
        let whole = format!("{head}{}", records.concat());
        let places = |text: &str| {
            text.match_indices("main.go:9").map(|(at, found)| at + found.len()).collect::<Vec<_>>()
        };
        let ends = places(&whole);
        for at in 11..whole.len() {
            let cut = &whole[..at];
            // The head alone is a profile of no records, and an editor may have taken away the last line ends.
            let is_whole = at == head.len()
                || ends.iter().any(|end| (0..=2).contains(&(at as i64 - *end as i64)));
            let (outcome, profile) = parse_as(cut.as_bytes(), usize::MAX);
            let is_told = outcome != Outcome::Read || !profile.inputs[0].complete();
            assert_eq!(is_told, !is_whole, "{cut}");
        }
    }
}

#[test]
fn a_crash_whose_goroutines_are_indented_below_its_message_loses_none_without_a_word() {
    let dump: String = DUMP.lines().map(|line| format!("    {line}\n")).collect();
    assert!(parse(&format!("panic: boom\n\n{dump}")).inputs[0].complete());
    for cut in ["gorouti", "goroutine 7", "goroutine 7 [runn"] {
        let cut = format!("panic: boom\n\n    {cut}\n");
        assert!(!parse(&format!("{DUMP}\n{cut}")).inputs.iter().all(Input::complete), "{cut}");
    }
    let headless = dump.replacen("    goroutine 1 [running]:\n", "", 1);
    assert!(!parse(&format!("panic: boom\n\n{headless}")).inputs[0].complete(), "{headless}");
    let value = "panic: boom\n\tsecond line\n\tgoroutine 7 [fake]:\n\t\n";
    assert!(parse(value).inputs[0].complete(), "GOTRACEBACK=none");
    let first = dump.find("\n\n").or(dump.find("    \n")).unwrap();
    for at in dump.find("main.main").unwrap()..first - 8 {
        let cut = format!("panic: boom\n\n{}\n", &dump[..at]);
        assert!(!parse(&cut).inputs[0].complete(), "{cut}");
        let damaged = format!("{cut}\n{}", &dump[first..]);
        let profile = parse(&damaged);
        assert!(profile.goroutines.len() == 3 || !profile.inputs[0].complete(), "{damaged}");
    }
}
