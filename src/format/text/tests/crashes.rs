//! Messages about the end of a process or a handler, in the words of Go and of loggers.

use super::{DUMP, ReadOptions, described, parse, parse_with};
use crate::limits::LIMITS;
use crate::profile::{Crash, CrashKind, Input};

const STACK: &str = "\
goroutine 34 [running]:
net/http.(*conn).serve.func1()
\t/go/src/net/http/server.go:1947 +0xbe
panic({0x5d2c00, 0x6a1f30})
\t/go/src/runtime/panic.go:792 +0x132
main.charge(0x1)
\t/src/shop/pay.go:17 +0x1d
created by net/http.(*Server).Serve in goroutine 1
\t/go/src/net/http/server.go:3454 +0x485
";

/// The only crash of a text with one goroutine, which it belongs to.
fn crash_of(text: &str) -> Crash {
    let profile = parse(text);
    assert_eq!(profile.inputs.len(), 1, "{text}");
    let input = &profile.inputs[0];
    assert_eq!((input.goroutines, input.seen.headers), (1, 1), "{text}");
    assert_eq!(input.warnings, [], "{text}");
    assert!(input.later_crashes.is_empty(), "{text}");
    let crash = input.crash.clone().expect(text);
    assert!(crash.goroutine.is_some() && crash.sample.is_some(), "{text}");
    crash
}

#[test]
fn a_panic_that_a_function_above_it_handles_is_recovered_and_one_below_the_runtime_alone_is_not() {
    let frame = |call: &str| format!("{call}\n\t/src/a.go:3 +0x1d\n");
    let stack = |calls: &[&str]| calls.iter().map(|call| frame(call)).collect::<String>();
    for (calls, kind) in [
        (&["main.recovers(0x1)", "panic({0x1, 0x2})", "main.main()"][..], CrashKind::Recovered),
        (&["runtime/debug.Stack()", "panic({0x1, 0x2})", "main.main()"], CrashKind::Recovered),
        (
            &["main.a()", "panic({0x1, 0x2})", "main.b()", "panic({0x1, 0x2})", "main.main()"],
            CrashKind::Recovered,
        ),
        (&["panic({0x1, 0x2})", "main.main()"], CrashKind::Panic),
        (&["runtime.fatalpanic(0x1)", "panic({0x1, 0x2})", "main.main()"], CrashKind::Panic),
    ] {
        let text = format!("panic: boom\n\ngoroutine 1 [running]:\n{}", stack(calls));
        assert_eq!(crash_of(&text).kind, kind, "{text}");
    }
}

fn no_crash_in(text: &str) {
    let profile = parse(text);
    assert!(profile.inputs.iter().all(|input| input.crash.is_none()), "{text}");
}

#[test]
fn a_handler_that_panicked_is_told_in_whatever_its_log_is_wrapped() {
    for server in ["http", "http2"] {
        let message = format!("{server}: panic serving 10.0.0.1:5: boom");
        let lines = format!("2026/01/02 15:04:05 {message}\n{STACK}");
        let (escaped, quoted) = (STACK.replace('\n', "\\n").replace('\t', "\\t"), lines.trim_end());
        let json = |field: &str, text: &str| {
            format!("{}\n", serde_json::json!({"level": "error", field: text, "ts": 1.5}))
        };
        let each_line = |wrap: &dyn Fn(&str) -> String| lines.lines().map(wrap).collect::<String>();
        let docker = |line: &str| {
            let line = format!("{line}\n");
            format!(
                "{}\n",
                serde_json::json!({"log": line, "stream": "stderr", "time": "2026-01-02T15:04:05Z"})
            )
        };
        for log in [
            lines.clone(),
            json("msg", &format!("{message}\n{STACK}")),
            json("textPayload", quoted),
            format!("time=\"2026-01-02T15:04:05Z\" level=warning msg=\"{message}\\n{escaped}\"\n"),
            format!("2026/01/02 15:04:05 {message}\\n{escaped}\n"),
            format!("app | {}", json("msg", &format!("{message}\n{STACK}"))),
            each_line(&docker),
            each_line(&|line| json("textPayload", line)),
            each_line(&|line| json("line", line)),
            each_line(&|line| format!("web-1  | {line}\n")),
            each_line(&|line| format!("2026-01-02T15:04:05.123456789Z stderr F {line}\n")),
            format!("web-1  | up\n{}", each_line(&|line| format!("web-1  | {line}\n"))),
        ] {
            let crash = crash_of(&log);
            assert_eq!((crash.kind, crash.text.as_str()), (CrashKind::Recovered, message.as_str()));
        }
    }
    no_crash_in(&format!(
        "why do I see \"http: panic serving 10.0.0.1:5: boom\"?\n\n{}",
        STACK.replace("panic({", "f({")
    ));
}

#[test]
fn a_panic_whose_value_starts_with_a_line_end_is_one() {
    let text = "panic: \n\tYour test failed.\n\tSee README.\n\ngoroutine 8 [running]:\n\
        main.check(0x1)\n\t/src/check.go:5 +0x1d\ncreated by main.main in goroutine 1\n\
        \t/src/main.go:9 +0x2e\nexit status 2\n";
    for text in [
        text.to_owned(),
        text.replace("panic: ", "panic:"),
        text.replace("\tYour", "Your").replace("\tSee", "See"),
        text.replace("\tYour", "\n\n\tYour"),
        text.replace('\n', "\r\n"),
        text.lines().map(|line| format!("> {line}\n")).collect(),
        text.lines().map(|line| format!("app | {line}\n")).collect(),
    ] {
        let crash = crash_of(&text);
        assert_eq!(crash.kind, CrashKind::Panic);
        assert_eq!(crash.text.lines().next(), Some("Your test failed."), "{text}");
    }
    // A word above what was pasted.
    let stack = "goroutine 1 [running]:\nmain.main()\n\t/src/main.go:9 +0x1d\n";
    let text = format!("panic:\n```\npanic: boom\n\n{stack}```\n");
    for text in [text.clone(), text.replace("```\n", "")] {
        assert_eq!(crash_of(&text).text, "boom", "{text}");
    }
    no_crash_in(&format!("panic:\n```\n{stack}```\n"));
    // A word in a text, which no stack follows.
    no_crash_in(&format!(
        "{}\nThe rest of the settings:\npanic:\n  when: never\n",
        text.replace("panic: ", "")
    ));
}

#[test]
fn the_error_of_a_recovered_panic_belongs_to_the_goroutine_above() {
    let observed = "2026-01-02T15:04:05Z\tERROR\tObserved a panic\t";
    let record = |fields: serde_json::Value| format!("{fields}\n");
    let stack = record(serde_json::json!({"controller": "a", "stacktrace": STACK}));
    let with_value = record(
        serde_json::json!({"controller": "a", "panic": "failpoint panic: {}", "stacktrace": STACK}),
    );
    let error = |value: &str| {
        let fields = record(serde_json::json!({"error": format!("panic: {value} [recovered]")}));
        format!(
            "2026-01-02T15:04:05Z\tERROR\tReconciler error\t{fields}main.reconcile\n\t/src/a.go:3\n"
        )
    };
    for (log, text) in [
        (format!("{observed}{with_value}"), "Observed a panic: failpoint panic: {}"),
        (
            format!("{observed}{with_value}{0}{0}", error("failpoint panic: {}")),
            "Observed a panic: failpoint panic: {}",
        ),
        (
            format!("{}{stack}{}", observed.replace("Observed a panic", "Caught"), error("boom")),
            "boom",
        ),
        (format!("{STACK}{}", error("boom")), "boom"),
        (format!("{STACK}\npanic: boom [recovered]\n"), "boom"),
        (format!("{STACK}\npanic: boom [recovered]\nmore\n"), "boom"),
    ] {
        let crash = crash_of(&log);
        assert_eq!((crash.kind, crash.text.as_str()), (CrashKind::Recovered, text), "{log}");
    }
    // The next stack isn't that of the error above it.
    let log = format!("{observed}{with_value}{}", error("failpoint panic: {}"));
    let profile = parse(&log.repeat(2));
    assert_eq!(profile.inputs.len(), 1);
    assert_eq!(profile.inputs[0].later_crashes.len(), 1);
    assert_eq!(profile.inputs[0].later_crashes[0].text, "Observed a panic: failpoint panic: {}");
    assert!(profile.inputs[0].later_crashes[0].sample.is_some());
    // Go itself goes on with the panic that was raised after it.
    let crash = crash_of(&format!("panic: first [recovered]\n\tpanic: second\n\n{STACK}"));
    assert_eq!(
        (crash.kind, crash.text.as_str()),
        (CrashKind::Panic, "first [recovered]\npanic: second")
    );
}

#[test]
fn an_error_below_a_stack_is_of_its_goroutine_if_that_alone_recovered_and_nothing_is_told_of_it() {
    let own = "net/http.(*conn).serve.func1()\n\t/go/src/net/http/server.go:1947 +0xbe\n";
    for (stacks, goroutine) in [
        (STACK.to_owned(), Some(34)),
        (STACK.replace(own, ""), None),
        (format!("{STACK}\n{}", STACK.replace("goroutine 34", "goroutine 35")), None),
        (format!("recovered: else\n{STACK}"), None),
    ] {
        let profile = parse(&format!("{stacks}\npanic: boom [recovered]\n"));
        let input = &profile.inputs[0];
        let mut told = input.crash.iter().chain(&input.later_crashes);
        let crash = told.find(|crash| crash.text == "boom").expect(&stacks);
        assert_eq!((crash.kind, crash.goroutine), (CrashKind::Recovered, goroutine), "{stacks}");
    }
}

#[test]
fn a_message_about_a_panic_is_of_a_goroutine_that_runs() {
    assert_eq!(crash_of(&format!("recovered: boom\n{STACK}")).text, "recovered: boom");
    no_crash_in(&format!("recovered: boom\n{}", STACK.replace("[running]", "[select]")));
}

#[test]
fn a_word_above_the_message_of_a_handler_is_not_its_panic() {
    let crash =
        crash_of(&format!("panic:\n2026/01/02 15:04:05 http: panic serving :1: boom\n{STACK}"));
    let text = "http: panic serving :1: boom";
    assert_eq!((crash.kind, crash.text.as_str()), (CrashKind::Recovered, text));
}

#[test]
fn a_panic_that_a_text_quotes_above_the_crash_is_not_its_reason() {
    let crash = "panic: runtime error: index out of range [5] with length 2\n\n";
    let text = "runtime error: index out of range [5] with length 2";
    let quoted = "panic: close of nil channel";
    const PREFIXES: [&str; 5] = ["", "> ", "    ", "web-1  | ", "2026-01-02T10:31:41.123456789Z "];
    for (before, prefixes) in [
        (format!("# {quoted}\n\nIn May it was `{quoted}`. Today:\n"), &PREFIXES[..]),
        (format!("acme/shop · issue #7\n# '{quoted}' in `TestPay`\n\n"), &PREFIXES),
        // Behind a prefix a line of its own could be a part of the value.
        (format!("{quoted}\n\nis what I read in another issue.\n"), &PREFIXES[..2]),
    ] {
        for prefix in prefixes {
            let lines = [crash, STACK].concat();
            let lines: String = lines.lines().map(|line| format!("{prefix}{line}\n")).collect();
            for text_above in [before.clone(), format!("{before}```\n")] {
                assert_eq!(
                    crash_of(&format!("{text_above}{lines}")).text,
                    text,
                    "{text_above}{lines}"
                );
            }
        }
    }
}

#[test]
fn blanks_before_a_panic_alone_are_no_part_of_it() {
    let stack = "goroutine 1 [running]:\nmain.main()\n\t/src/main.go:5 +0x1d\nexit status 2\n";
    for (text, kind) in [
        (format!("$ app\n      panic: boom\n\n{stack}"), CrashKind::Panic),
        (
            format!(" panic: boom\n[signal SIGSEGV: segmentation violation code=0x1]\n\n{stack}"),
            CrashKind::Panic,
        ),
        (format!("   fatal error: boom\n\n{stack}"), CrashKind::Fatal),
    ] {
        let crash = crash_of(&text);
        assert_eq!((crash.kind, crash.text.lines().next()), (kind, Some("boom")), "{text}");
    }
}

#[test]
fn a_logger_that_ends_the_process_is_told_with_its_message() {
    let stack = |leaf: &str| {
        format!(
            "goroutine 1 [running]:\n{leaf}(0x1, 0x2)\n\t/mod/log.go:21 +0xb9\nmain.main()\n\
             \t/src/main.go:14 +0x4e\n\ngoroutine 6 [select]:\nmain.work()\n\t/src/main.go:40 +0x1d\n\
             created by main.main\n\t/src/main.go:9 +0x2e\n"
        )
    };
    let (klog, cockroach) =
        ("k8s.io/klog/v2.stacks", "github.com/cockroachdb/cockroach/pkg/util/log.getStacks");
    let f = "F0102 10:31:41.123456       1 main.go:14] ";
    let v2 = "F260102 10:31:41.123456 12 server/node.go:7 ⋮ [n1] 249 ";
    let marked =
        |stack: String| stack.lines().map(|line| format!("{v2}!{line}\n")).collect::<String>();
    let told = |text: &str| {
        let profile = parse(text);
        assert_eq!((profile.inputs.len(), profile.inputs[0].goroutines), (1, 2), "{text}");
        profile.inputs[0].crash.clone()
    };
    for (text, message) in [
        (format!("{f}no such port\n{}", stack(klog)), "no such port"),
        (format!("{f}no such port\n{}", stack("github.com/golang/glog.stacks")), "no such port"),
        (format!("{f}no such port\r\n{}", stack(klog).replace('\n', "\r\n")), "no such port"),
        (format!("{v2} boom: x\n{}", marked(stack(cockroach))), "boom: x"),
        (format!("{v2} boom: x\n{v2}+more\n{}", marked(stack(cockroach))), "boom: x\nmore"),
        (format!("F160102 10:31:41.123456 disk.go:22  full\n{}", stack(cockroach)), "full"),
    ] {
        let crash = told(&text).expect(&text);
        assert_eq!((crash.kind, crash.text.as_str()), (CrashKind::Fatal, message), "{text}");
        assert_eq!(crash.goroutine, Some(1), "{text}");
    }
    for text in [
        format!("{f}no such port\n{}", stack("main.report")),
        format!("{f}no such port\nI am text\n{}", stack(klog)),
        format!("{}no such port\n{}", f.replace('F', "E"), stack(klog)),
    ] {
        assert_eq!(told(&text), None, "{text}");
    }
}

#[test]
fn a_message_in_the_field_of_a_record_is_told_without_the_record() {
    let logfmt = "time=\"2026-01-02T15:04:05Z\" level=error msg=";
    let escaped = STACK.replace('\n', "\\n").replace('\t', "\\t");
    let record = format!("{logfmt}\"Stack: {escaped}\"\n");
    let message = format!("{logfmt}\"Recovered from panic: boom\" route=x\n");
    let klog = "E0102 10:31:41.123456  1 runtime.go:142] \"Observed a panic\" pod=\"x\" panic=\"boom\" stack=<\n";
    let indented: String = STACK.lines().map(|line| format!("\t{line}\n")).collect();
    for (log, text) in [
        (format!("{message}{record}"), "Recovered from panic: boom"),
        (format!("app | {message}app | {record}"), "Recovered from panic: boom"),
        (format!("{klog}{indented} >\n"), "Observed a panic: boom"),
    ] {
        let crash = crash_of(&log);
        assert_eq!((crash.kind, crash.text.as_str()), (CrashKind::Recovered, text), "{log}");
    }
}

#[test]
fn a_signal_in_brackets_is_told_without_them() {
    let signal = "SIGSEGV: segmentation violation code=0x1 addr=0x18 pc=0xdc773a";
    let crash = crash_of(&format!("[signal {signal}]\n{STACK}"));
    assert_eq!((crash.kind, crash.text.as_str()), (CrashKind::Signal, signal));
}

/// The texts of the crashes of each input.
fn told(text: &str) -> Vec<Vec<String>> {
    let of = |input: &Input| {
        input.crash.iter().chain(&input.later_crashes).map(|crash| crash.text.clone()).collect()
    };
    parse(text).inputs.iter().map(of).collect()
}

#[test]
fn each_crash_that_ends_a_process_is_an_input_of_its_own() {
    for (text, wanted) in [
        (
            format!("http: panic serving 10.0.0.1:5: one\npanic: two\n\n{DUMP}"),
            vec![vec!["http: panic serving 10.0.0.1:5: one"], vec!["two"]],
        ),
        (format!("{DUMP}\npanic: two\n\n{DUMP}"), vec![vec![], vec!["two"]]),
        (format!("goroutine profile: total 0\n\npanic: two\n\n{DUMP}"), vec![vec![], vec!["two"]]),
        (
            format!("runtime stack:\nruntime.throw()\n\t/x.go:1 +0x1\npanic: a\n\n{DUMP}"),
            vec![vec!["a"]],
        ),
    ] {
        assert_eq!(told(&text), wanted, "{text}");
    }
}

#[test]
fn a_log_that_goes_on_after_a_crash_is_no_part_of_its_message() {
    let wrapped: String =
        DUMP.lines().map(|line| format!("2026-01-02T10:31:41.5Z stderr F {line}\n")).collect();
    let profile = parse(&format!("panic: boom\nand so on\n{wrapped}"));
    assert_eq!(profile.goroutines.len(), 3);
    let crash = profile.inputs[0].crash.as_ref().expect("a panic");
    assert_eq!(crash.text, "boom\nand so on");
}

#[test]
fn of_handlers_that_panicked_one_after_another_the_last_has_the_goroutine() {
    let message = "2026/01/02 15:04:05 http: panic serving 10.0.0.1:5: boom\n";
    let profile = parse(&format!("{message}{message}{STACK}"));
    let input = &profile.inputs[0];
    assert_eq!(input.crash.as_ref().map(|crash| crash.goroutine), Some(None));
    assert_eq!(
        input.later_crashes.iter().map(|crash| crash.goroutine).collect::<Vec<_>>(),
        [Some(34)]
    );
}

#[test]
fn a_message_about_a_panic_is_told_of_a_goroutine_that_runs() {
    let stack = STACK.replace("net/http.(*conn).serve.func1", "main.work.func1");
    let log = format!("recovered: boom\n{stack}");
    assert_eq!(told(&log), [["recovered: boom"]]);
    assert_eq!(told(&log.replace("[running]", "[select]")), [[""; 0]]);
}

#[test]
fn the_goroutine_of_an_exception_needs_no_header() {
    let text = "Exception 0xc0000005 0x1 0x18 0x7ff6c0de\nPC=0x7ff6c0de\n\n\
                main.f(0x1)\n\t/src/a.go:3 +0x1d\nmain.main()\n\t/src/a.go:9 +0x1d\n\n\
                goroutine 7 [select]:\nmain.g()\n\t/src/a.go:5 +0x1d\n";
    let profile = parse(text);
    let ids: Vec<u64> = profile.goroutines.iter().map(|goroutine| goroutine.id).collect();
    assert_eq!(ids, [0, 7]);
    assert_eq!(profile.inputs[0].crash.as_ref().map(|crash| crash.goroutine), Some(Some(0)));
}

#[test]
fn the_value_of_a_panic_goes_on_after_a_goroutine_in_it() {
    let value = "\tgoroutine 5 [running]:\n\tmain.f()\n\t\t/src/a.go:3 +0x1d\n\
                 \tcreated by main.g in goroutine 1\n\t\t/src/a.go:9 +0x1d\n\n\tthat was it\n";
    let profile = parse(&format!("panic: boom\n{value}\n{DUMP}"));
    assert_eq!(profile.goroutines.len(), 4);
    assert!(profile.inputs[0].complete(), "{:?}", profile.inputs[0].warnings);
    let text = format!("panic: boom\n{value}\n{DUMP}");
    let mut observer = |_: &[u8]| true;
    let mut options = ReadOptions { observer: Some(&mut observer), ..ReadOptions::default() };
    let (_, slowly) = parse_with(&mut text.as_bytes(), &mut options);
    assert_eq!(described(&slowly), described(&profile));
}

#[test]
fn a_fence_before_the_first_line_of_a_crash_takes_its_message_from_no_log() {
    for prefix in [
        "",
        "2026/01/02 10:31:41 ",
        "shop-1  | ",
        "2026-01-02T10:31:41.123456789Z ",
        "Jan 02 10:31:41 n1 shop[7]: ",
    ] {
        let text = format!("panic: boom\n\n{STACK}");
        let log: String = text.lines().map(|line| format!("{prefix}{line}\n")).collect();
        for fence in ["```", "It dies:\n```", "`"] {
            let crash =
                crash_of(&format!("{fence}{log}{}\n", fence.trim_start_matches("It dies:\n")));
            assert_eq!(crash.text, "boom", "{fence}{log}");
        }
    }
}

#[test]
fn a_message_of_klog_is_told_whichever_field_of_a_record_holds_its_lines() {
    let text = format!(
        "F0102 10:31:41.123456       1 main.go:14] no \"such\" port\n{}",
        STACK.replace("net/http.(*conn).serve.func1", "k8s.io/klog/v2.stacks")
    );
    for field in ["log", "message", "textPayload", "anything"] {
        for stream in [None, Some("stderr")] {
            let record = |line: &str| serde_json::json!({"ts": "2026-01-02T10:31:41Z", "stream": stream, field: line});
            let log: String = text.lines().map(|line| format!("{}\n", record(line))).collect();
            let crash = crash_of(&log);
            assert_eq!(
                (crash.kind, crash.text.as_str()),
                (CrashKind::Fatal, "no \"such\" port"),
                "{log}"
            );
        }
    }
}

#[test]
fn the_value_of_a_panic_that_was_observed_is_told_with_all_its_lines() {
    let klog = "E0102 10:31:41.123456       1 runtime.go:79] ";
    let value = "Observed a panic: \"boom {\" (boom {\nat: panic(1)\n})";
    let record = format!("{klog}{value}\n{STACK}");
    for before in ["", "I0102 10:31:41.123456  1 a.go:7] panics: ({(\n"] {
        let crash = crash_of(&format!("{before}{record}"));
        assert_eq!((crash.kind, crash.text.as_str()), (CrashKind::Recovered, value), "{before}");
    }
    assert_eq!(told(&format!("{klog}Observed a panic: boom\nhello\n{STACK}")), [[""; 0]]);
}

#[test]
fn of_very_many_handlers_that_panicked_some_are_told_and_a_note_says_so_once() {
    let most = LIMITS.crashes_per_input + 1;
    for (panics, notes) in [(most, 0), (most + 1, 1), (most + 3, 1)] {
        let panic = |id: usize| {
            format!(
                "2026/01/02 10:31:41 http: panic serving 1.2.3.4:{id}: boom\n{}\n",
                STACK.replace("34", &id.to_string())
            )
        };
        let input = parse(&(1..=panics).map(panic).collect::<String>()).inputs.remove(0);
        assert_eq!(input.later_crashes.len(), most - 1, "{panics}");
        let is_note = |text: &str| text == "more crashes are logged than are told one by one";
        let told = input.warnings.iter().filter(|warning| is_note(&warning.text)).count();
        assert_eq!(told, notes, "{panics}");
    }
}

#[test]
fn the_idle_goroutine_of_a_crash_in_c_has_no_frames_and_nothing_is_missing() {
    let next = "goroutine 9 [running]:\nmain.main()\n\t/src/a.go:3 +0x1d\n";
    for idle in [
        "goroutine 0 [idle]:\n\n",
        "goroutine 0 [idle]:\n\n\n",
        "goroutine 0 gp=0x1 m=0 mp=0x2 [idle]:\n\n",
    ] {
        let profile = parse(&format!("SIGABRT: abort\nPC=0x1 m=0 sigcode=1\n\n{idle}{next}"));
        let ids: Vec<u64> = profile.goroutines.iter().map(|goroutine| goroutine.id).collect();
        assert_eq!((ids, profile.inputs[0].warnings.len()), (vec![0, 9], 0), "{idle}");
    }
}

#[test]
fn a_message_and_the_header_of_its_goroutine_may_stand_in_one_line() {
    for prefix in [
        "",
        "2026/01/02 15:04:05 ",
        "2026/01/02 15:04:05 main.go:7: ",
        "2026-01-02T15:04:05.5Z ",
        "web-1  | ",
    ] {
        let text = format!("{prefix}panic: boom {STACK}");
        let each_line: String = format!("panic: boom {STACK}")
            .lines()
            .map(|line| format!("{prefix}{line}\n"))
            .collect();
        for text in [text, each_line] {
            let profile = parse(&text);
            assert_eq!(profile.goroutines.len(), 1, "{text}");
            assert!(profile.inputs.iter().all(Input::complete), "{text}");
            let crash = profile.inputs[0].crash.as_ref().expect(&text);
            assert_eq!((crash.text.as_str(), crash.goroutine.is_some()), ("boom", true), "{text}");
        }
    }
}
