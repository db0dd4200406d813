//! How processes of Go die, whatever killed them: what was raised, in which goroutine, and the line of
//! one's own code that did it. The texts are real, of three versions of Go.

use crate::sandbox::{Sandbox, files_below, stackgazer, testdata};
use std::path::Path;

/// What kills the process in `testdata/crashes/program`, and what is to be told of it.
struct Death {
    /// The word in the file's name.
    way: &'static str,
    kind: &'static str,
    /// In what was raised.
    raised: &'static str,
    /// The function to blame, without its package; none where nobody's goroutine crashed.
    function: Option<&'static str>,
    /// What stands in the line of source to blame.
    source: &'static str,
}

const fn death(
    way: &'static str,
    kind: &'static str,
    raised: &'static str,
    function: &'static str,
    source: &'static str,
) -> Death {
    let function = if function.is_empty() { None } else { Some(function) };
    Death { way, kind, raised, function, source }
}

const DEATHS: &[Death] = &[
    death("asleep", "deadlock", "asleep - deadlock!", "orders.asleep", "<-make(chan int)"),
    death("callback", "panic", "index out of range [3]", "orders.callback.func1", "names[j+3]"),
    death("cgo", "signal", "SIGSEGV: segmentation violation", "main.pay", "C.total(nil)"),
    death("command", "panic", "-h", "base.hcrash", ""),
    death("deferred", "panic", "clean-up failed", "orders.deferred", r#"panic("no such order")"#),
    death("error", "panic", "no customer", "orders.raiseError", "panic(fmt.Errorf"),
    death("goexit", "deadlock", "main called runtime.Goexit", "", ""),
    death("lategoexit", "panic", "too late", "orders.lateGoexit.func1", r#"panic("too late")"#),
    death("mapwrites", "fatal", "concurrent map writes", "orders.mapWrites.func1", "counts[j%8]++"),
    death("nilfunc", "fatal", "go of nil func value", "", ""),
    death("outofmemory", "fatal", "out of memory", "orders.hoard", "make([]byte, 64<<20)"),
    death("recovered", "panic", "no such order [recovered", "orders.recovered", "no such order"),
    death(
        "stackoverflow",
        "fatal",
        "stack overflow (goroutine stack exceeds 1000000000-byte limit)",
        "orders.descend",
        "",
    ),
    death("thrice", "panic", "third", "orders.thrice", r#"panic("first")"#),
    death("unlock", "fatal", "unlock of unlocked mutex", "orders.unlockTwice", "Unlock()"),
    death("value", "panic", "(orders.order)", "orders.raiseValue", "panic(order{"),
    death("waitgroup", "panic", "negative WaitGroup counter", "orders.doneTwice", "Done()"),
];

#[test]
fn whatever_killed_a_process_is_told_with_the_line_to_blame() {
    let (mut wrong, mut compared) = (Vec::new(), 0);
    for path in files_below(&testdata("crashes")) {
        if path.extension().is_none_or(|end| end != "txt") {
            continue;
        }
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        let way = name.rsplit('.').next().unwrap();
        let death = DEATHS.iter().find(|death| death.way == way).expect(&name);
        compared += 1;
        if let Err(what) = tell(&path, death) {
            wrong.push(format!("{name}: {what}"));
        }
    }
    assert_eq!(compared, DEATHS.len() * 3);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn tell(path: &Path, death: &Death) -> Result<(), String> {
    let text = std::fs::read_to_string(path).expect("UTF-8");
    let headers = text.lines().filter(|line| line.starts_with("goroutine ") && line.ends_with(':'));
    let ran = stackgazer(["summarize", "--strict", "-o", "json", &path.to_string_lossy()]);
    let document = ran.code(0).json();
    let check = |what: &str, is: bool| if is { Ok(()) } else { Err(format!("{what}: {document}")) };
    check("goroutines", document["total"] == headers.count())?;
    check("complete", document["verdict"]["complete"] == true)?;
    let crash = &document["verdict"]["crashes"][0];
    let text_of = |field: &str| crash[field].as_str().unwrap_or_default();
    check("kind", crash["kind"] == death.kind)?;
    check("what was raised", text_of("text").contains(death.raised))?;
    let Some(function) = death.function else {
        return check("nobody to blame", crash["goroutine"].is_null());
    };
    check("goroutine", crash["goroutine"].is_string())?;
    check("function", text_of("function").ends_with(function))?;
    let own = text_of("file").strip_prefix("example.com/crashes/");
    check("file", own.is_some() || death.source.is_empty())?;
    if let Some(own) = own {
        let source = testdata("crashes/program").join(own);
        let source = std::fs::read_to_string(source).expect("a source");
        let line = crash["line"].as_u64().expect("a line") as usize;
        let line = source.lines().nth(line - 1).unwrap_or_default();
        check(&format!("line {line:?}"), line.contains(death.source))?;
    }
    Ok(())
}

/// Handlers that panic leave their stacks in one log; ids of goroutines come back in another process.
#[test]
fn several_crashes_in_one_log_keep_each_its_own_stack() {
    let sandbox = Sandbox::new();
    let panic = |handler: &str, id: u64, line: u64| {
        format!(
            "2026/01/02 10:31:41 http: panic serving 10.0.0.1:{line}: {handler} failed\n\
             goroutine {id} [running]:\nnet/http.(*conn).serve.func1()\n\
             \t/go/src/net/http/server.go:1947 +0xb8\npanic({{0x1, 0x2}})\n\
             \t/go/src/runtime/panic.go:787 +0x132\nmain.{handler}(0x1)\n\
             \t/src/main.go:{line} +0x1d\nnet/http.(*conn).serve(0x1)\n\
             \t/go/src/net/http/server.go:2102 +0x6ed\n\
             created by net/http.(*Server).Serve in goroutine 1\n\
             \t/go/src/net/http/server.go:3454 +0x485\n"
        )
    };
    // The same id twice, the same place from two goroutines, and two places that take turns.
    let crashes =
        [("pay", 7, 10), ("ship", 7, 20), ("pay", 8, 10), ("list", 9, 30), ("ship", 9, 20)];
    let log: String = crashes.iter().map(|&(handler, id, line)| panic(handler, id, line)).collect();
    sandbox.file("app.log", log);
    for more in [&[][..], &["--by", "wait"]] {
        let arguments = ["summarize", "-o", "json", "app.log"].iter().chain(more);
        let document = sandbox.run(arguments).json();
        let told = document["verdict"]["crashes"].as_array().expect("crashes").iter();
        let told: Vec<_> = told
            .map(|crash| {
                let text = |field: &str| crash[field].as_str().unwrap_or_default().to_owned();
                (text("function"), text("goroutine"), crash["frames"].as_array().unwrap().len())
            })
            .collect();
        let wanted: Vec<_> = crashes
            .iter()
            .map(|&(handler, id, _)| (format!("main.{handler}"), id.to_string(), 4))
            .collect();
        assert_eq!(told, wanted);
    }
}

/// Who recovers a panic and logs it has words of their own for it, above the stack or beside it.
#[test]
fn a_panic_that_was_logged_is_told_with_what_the_log_says_of_it() {
    let stack = "goroutine 34 [running]:\nruntime/debug.Stack()\n\t/go/src/runtime/debug/stack.go:26 +0x5e\n\
        main.recoverer.func1()\n\t/src/shop/mw.go:12 +0x4b\npanic({0x5d2c00?, 0x6a1f30?})\n\
        \t/go/src/runtime/panic.go:785 +0x132\nmain.charge(...)\n\t/src/shop/pay.go:17\n\
        main.handler()\n\t/src/shop/pay.go:9 +0x1d\ncreated by main.main in goroutine 1\n\
        \t/src/shop/main.go:5 +0x4b4\n";
    let json = |message: &str, field: &str, value: &str| {
        let record =
            serde_json::json!({"level": "error", "msg": message, field: value, "stack": stack});
        format!("{record}\n")
    };
    let cases = [
        (format!("2026/01/02 15:04:05 recovered: boom\n{stack}"), "recovered: boom"),
        (
            format!("2026/01/02 15:04:05 http: panic serving 127.0.0.1:1: boom\n{stack}"),
            "http: panic serving 127.0.0.1:1: boom",
        ),
        (
            format!("2026/01/02 15:04:05 http2: panic serving 127.0.0.1:1: boom\n{stack}"),
            "http2: panic serving 127.0.0.1:1: boom",
        ),
        (
            format!("E0102 10:31:41.123456       1 runtime.go:79] Observed a panic: boom\n{stack}"),
            "Observed a panic: boom",
        ),
        (format!("panic: boom\n{stack}"), "boom"),
        (json("recovered from panic", "error", "boom"), "boom"),
        (json("panic", "panic", "boom"), "boom"),
        (json("caught", "user", "boom"), "its message is no part of the stack"),
    ];
    let sandbox = Sandbox::new();
    for (log, text) in cases {
        sandbox.file("app.log", &log);
        let document = sandbox.run(["summarize", "-o", "json", "app.log"]).quiet().json();
        let crashes = document["verdict"]["crashes"].as_array().expect("crashes");
        assert_eq!(crashes.len(), 1, "{log}");
        assert_eq!(crashes[0]["kind"], "recovered", "{log}");
        assert!(crashes[0]["text"].as_str().unwrap().contains(text), "{log}: {}", crashes[0]);
        assert_eq!(crashes[0]["function"], "main.charge", "{log}");
        // The process went on; nothing was left out.
        let told = sandbox.run(["summarize", "app.log"]);
        assert!(!told.text().contains("GOTRACEBACK"), "{}", told.text());
    }
    // A dump that a signal asked for, below a line that speaks of something else.
    let asked = stack.replace("panic({", "main.wait({");
    sandbox.file("app.log", format!("2026/01/02 15:04:05 recovered 5 sessions\n{asked}"));
    let document = sandbox.run(["summarize", "-o", "json", "app.log"]).quiet().json();
    assert_eq!(document["verdict"]["crashes"].as_array().map_or(0, Vec::len), 0);
}

#[test]
fn all_goroutines_in_the_value_of_a_panic_are_found() {
    let value = "\tgoroutine 7 [select]:\n\tmain.f(0x1)\n\t\t/src/a.go:3 +0x1d\n\
                 \tand what else the error says\n\
                 \tgoroutine 8 [select]:\n\tmain.h(0x1)\n\t\t/src/a.go:3 +0x1d\n";
    let behind = "goroutine 1 [running]:\nmain.main()\n\t/src/main.go:9 +0x1d\n\n\
                  goroutine 9 [select]:\nmain.w()\n\t/src/main.go:19 +0x1d\n";
    let sandbox = Sandbox::new();
    sandbox.file("crash.txt", format!("panic: wrapped:\n{value}\n{behind}"));
    let json = sandbox.run(["export", "crash.txt"]).quiet().json();
    let document = crate::document::Document::new(json);
    let mut ids: Vec<&str> =
        document.goroutines.iter().filter_map(|one| one.id.as_deref()).collect();
    ids.sort_unstable();
    assert_eq!(ids, ["1", "7", "8", "9"]);
}

#[test]
fn text_below_the_message_of_the_runtime_is_no_part_of_it() {
    let sandbox = Sandbox::new();
    for (message, text) in [
        (
            "runtime: program exceeds 10000-thread limit\nfatal error: thread exhaustion\n",
            "thread exhaustion",
        ),
        (
            "SIGSEGV: segmentation violation\nPC=0x1 m=0\nsignal arrived during cgo execution\n",
            "SIGSEGV: segmentation violation\nsignal arrived during cgo execution",
        ),
        (
            "fatal error: fault\n\n[signal SIGBUS: bus error code=0x2 addr=0x1 pc=0x2]\n",
            "fault\n\n[signal SIGBUS: bus error code=0x2 addr=0x1 pc=0x2]",
        ),
        (
            "panic: two lines\n\nof one error\n",
            "two lines\n\nof one error\n\nIt happens twice a day.",
        ),
    ] {
        sandbox.file("app.log", format!("{message}\nIt happens twice a day.\n"));
        let document = sandbox.run(["summarize", "-o", "json", "app.log"]).quiet().json();
        assert_eq!(document["verdict"]["crashes"][0]["text"], text);
    }
}

/// Go up to 1.10 prints the call that raised a panic as the first frame; code that recovers prints its own
/// frames first.
#[test]
fn a_stack_that_starts_where_a_panic_was_raised_is_that_of_a_crash() {
    let sandbox = Sandbox::new();
    let below = "panic(0x5d2c00, 0xc42000e020)\n\t/go/src/runtime/panic.go:491 +0x283\n\
        main.charge(0x1)\n\t/src/shop/pay.go:17 +0x1d\nmain.main()\n\t/src/shop/main.go:5 +0x4b\n";
    let above = "main.report()\n\t/src/shop/report.go:12 +0x4b\n";
    for (frames, kind) in [(below.to_owned(), "panic"), (format!("{above}{below}"), "recovered")] {
        sandbox.file("app.log", format!("goroutine 1 [running]:\n{frames}"));
        let document = sandbox.run(["summarize", "-o", "json", "app.log"]).quiet().json();
        let crash = &document["verdict"]["crashes"][0];
        assert_eq!(crash["kind"], kind, "{crash}");
        assert_eq!(crash["function"], "main.charge", "{crash}");
        assert!(crash["text"].as_str().unwrap().starts_with("panic ("), "{crash}");
    }
}

/// Texts that are copied from a header on lack the message.
#[test]
fn a_crash_without_its_message_is_told_by_what_its_stack_shows() {
    let stack = |calls: &[&str]| {
        let frames = calls.iter().map(|call| format!("{call}\n\t/src/a.go:31 +0x4b\n"));
        format!("goroutine 19 [running]:\n{}\n", frames.collect::<String>())
    };
    let other = "goroutine 1 [chan receive]:\nmain.main()\n\t/src/main.go:9 +0x1d\n\n";
    let sandbox = Sandbox::new();
    for (calls, kind, text, function) in [
        (
            &["runtime.throw(0x1a2b3c, 0x15)", "runtime.mapassign_faststr(0x1)", "main.count(0x1)"]
                [..],
            "fatal",
            "fatal error (its message is missing: it comes before the stack)",
            Some("main.count"),
        ),
        (
            &["runtime.throw(0x1, 0x5)", "runtime.sigpanic()", "main.load(0x7)"],
            "fatal",
            "",
            Some("main.load"),
        ),
        (
            &[
                "internal/sync.fatal({0x5b2c, 0x20})",
                "internal/sync.(*Mutex).unlockSlow(0x1, 0x2)",
                "main.free()",
            ],
            "fatal",
            "",
            Some("main.free"),
        ),
        (
            &["runtime.systemstack_switch()", "panic({0x1, 0x2})", "main.charge(0x3)"],
            "panic",
            "panic (its message is missing: it comes before the stack)",
            Some("main.charge"),
        ),
        (&["log.Panicf({0x1, 0x2})", "main.charge(0x3)"], "panic", "", Some("main.charge")),
        (
            &["testing.(*M).startAlarm.func1()", "created by time.goFunc"],
            "timeout",
            "test timeout (its message is missing: it comes before the stack)",
            None,
        ),
        (
            &["runtime/debug.Stack()", "main.guard()", "panic({0x1, 0x2})", "main.charge(0x3)"],
            "recovered",
            "panic (recovered and logged; its message is no part of the stack)",
            Some("main.charge"),
        ),
    ] {
        sandbox.file("crash.txt", stack(calls) + other);
        let document = sandbox.run(["summarize", "-o", "json", "crash.txt"]).quiet().json();
        let crash = &document["verdict"]["crashes"][0];
        assert_eq!(
            (&crash["kind"], &crash["function"]),
            (&kind.into(), &function.into()),
            "{crash}"
        );
        let told = crash["text"].as_str().expect("a text").to_owned();
        assert!(told.starts_with(text), "{crash}");
        let document = sandbox.run(["check", "-o", "json", "crash.txt"]).code(0).json();
        let finding = &document["findings"][0];
        assert_eq!((&finding["check"], &finding["level"]), (&"crash".into(), &"note".into()));
        assert_eq!(finding["text"], format!("crash.txt shows a {told}"));
        // Other goroutines aren't there, so nothing can be judged.
        sandbox.file("alone.txt", stack(calls));
        sandbox.run(["check", "alone.txt"]).code(2);
    }
    // A function of the same name, a goroutine that waits, and a dump that a program wrote of itself.
    let calm = stack(&["main.throw(0x1)", "main.main()"]);
    let waits = stack(&["runtime.gopark(0x1)", "runtime.throw(0x1)"]).replace("running", "select");
    for text in [calm, waits, stack(&["runtime/pprof.writeGoroutineStacks({0x1, 0x2})"])] {
        sandbox.file("calm.txt", text + other);
        let document = sandbox.run(["summarize", "-o", "json", "calm.txt"]).quiet().json();
        assert_eq!(document["verdict"]["crashes"], serde_json::json!([]), "{document}");
    }
}

/// Each was raised by a deferred function while the one before it was going on.
#[test]
fn of_panics_that_follow_each_other_all_name_the_one_that_ended_the_process() {
    let sandbox = Sandbox::new();
    sandbox.file(
        "twice.txt",
        "panic: no such order [recovered]\n\tpanic: log is closed\n\ngoroutine 1 [running]:\n\
         main.main()\n\t/src/main.go:9 +0x1d\n\ngoroutine 8 [select]:\nmain.w()\n\t/src/w.go:3 +0x1\n\n",
    );
    let ran = sandbox.run(["summarize", "twice.txt"]).quiet();
    assert!(ran.text().contains("crash    panic: log is closed\n"), "{}", ran.text());
    let document = sandbox.run(["check", "-o", "json", "twice.txt"]).code(0).json();
    let finding = &document["findings"][0];
    assert_eq!(finding["text"], "twice.txt was printed by a panic: log is closed");
    assert_eq!(finding["facts"]["crash"], "no such order [recovered]\npanic: log is closed");
}

#[test]
fn the_code_that_called_a_logger_is_to_blame_for_the_end_of_the_process() {
    let sandbox = Sandbox::new();
    let cockroach = "github.com/cockroachdb/cockroach/pkg/util";
    for logger in [
        vec!["k8s.io/klog/v2.stacks".to_owned(), "k8s.io/klog/v2.Fatalf".to_owned()],
        vec!["k8s.io/klog/v2/internal/dbg.Stacks".to_owned(), "k8s.io/klog/v2.Fatal".to_owned()],
        vec!["github.com/golang/glog.stacks".to_owned(), "github.com/golang/glog.Exit".to_owned()],
        // glog since version 1.1
        vec![],
        vec![
            format!("{cockroach}/allstacks.GetWithBuf"),
            format!("{cockroach}/log.(*loggerT).outputLogEntry"),
        ],
    ] {
        let frames = logger.iter().map(|func| format!("{func}(0x1)\n\t/mod/log.go:21 +0xb9\n"));
        let frames: String = frames.collect();
        sandbox.file(
            "app.log",
            format!(
                "F0102 10:31:41.123456       1 serve.go:14] no such port\ngoroutine 1 [running]:\n{frames}\
                 example.com/shop/serve.Listen(0x1)\n\t/src/shop/serve/serve.go:14 +0x4e\n\
                 main.main()\n\t/src/shop/main.go:5 +0x4b\n\ngoroutine 6 [select]:\nmain.work()\n\
                 \t/src/shop/main.go:40 +0x1d\n"
            ),
        );
        let document = sandbox.run(["summarize", "-o", "json", "app.log"]).quiet().json();
        let crash = &document["verdict"]["crashes"][0];
        assert_eq!(crash["kind"], "fatal", "{crash}");
        assert_eq!(crash["text"], "no such port", "{crash}");
        assert_eq!(crash["function"], "example.com/shop/serve.Listen", "{crash}");
    }
}

#[test]
fn what_a_logger_said_when_it_ended_the_process_is_told_behind_any_prefix() {
    let log = "I0102 10:31:40.000001       1 serve.go:9] starting\n\
        F0102 10:31:41.123456       1 serve.go:14] no such port\ngoroutine 1 [running]:\n\
        k8s.io/klog/v2.stacks(0x1)\n\t/mod/klog.go:21 +0xb9\n\
        example.com/shop/serve.Listen(0x1)\n\t/src/shop/serve/serve.go:14 +0x4e\n\
        main.main()\n\t/src/shop/main.go:5 +0x4b\n";
    let sandbox = Sandbox::new();
    for prefix in [
        "",
        "    ",
        "2026-01-02T10:31:41.123Z ",
        "Jan 02 10:31:41 n1 kubelet[7]: ",
        "web-1  | ",
        "10:31:41  ",
    ] {
        let lines = log.lines().map(|line| format!("{prefix}{line}\n"));
        sandbox.file("app.log", lines.collect::<String>());
        let document = sandbox.run(["summarize", "-o", "json", "app.log"]).quiet().json();
        let crash = &document["verdict"]["crashes"][0];
        assert_eq!(crash["kind"], "fatal", "{prefix}");
        assert_eq!(crash["text"], "no such port", "{prefix}");
    }
}

#[test]
fn a_crash_that_is_only_quoted_below_a_dump_doesnt_make_a_gate_blind() {
    let sandbox = Sandbox::new();
    let dump = "panic: boom\n\ngoroutine 1 [running]:\nmain.main()\n\t/src/main.go:9 +0x1d\n\n\
                goroutine 9 [select]:\nmain.w()\n\t/src/main.go:19 +0x1d\n\n";
    let quoted = "It may be the same as\n\npanic: assignment to entry in nil map\n";
    sandbox.file("issue.txt", format!("{dump}{quoted}"));
    sandbox.run(["check", "issue.txt"]).code(0);
    // Alone it can't be judged, and neither can it beside another file.
    sandbox.file("quoted.txt", quoted);
    sandbox.run(["check", "quoted.txt"]).code(2);
    sandbox.run(["check", "issue.txt", "quoted.txt"]).code(2);
}

/// Go prints all goroutines after some crashes, whatever is set; what is advised must be true.
#[test]
fn gotraceback_is_advised_only_where_it_prints_more() {
    let sandbox = Sandbox::new();
    let stack = "goroutine 7 [running]:\nmain.pay(0x1)\n\t/src/shop/pay.go:9 +0x1d\n\
        created by main.main in goroutine 1\n\t/src/shop/main.go:5 +0x2f\n";
    let message = |text: &str| format!("{text}\n\n{stack}");
    let served = format!("2026/01/02 15:04:05 http: panic serving 10.0.0.1:8: boom\n{stack}");
    let asleep = "asleep - deadlock!\n\ngoroutine 1 [chan receive]:\nmain.main()\n\
        \t/src/shop/main.go:5 +0x2f\n";
    let set = "set GOTRACEBACK=all";
    for (text, hint, reason) in [
        (message("panic: boom"), true, Some(set)),
        (message("fatal error: concurrent map writes"), true, Some(set)),
        (message("fatal error: sync: unlock of unlocked mutex"), true, Some(set)),
        (message("fatal error: go of nil func value"), true, Some(set)),
        (message("panic: deadlock: all goroutines in bubble are blocked"), true, Some(set)),
        (message("fatal error: out of memory"), false, Some("Go prints all goroutines")),
        (message("SIGSEGV: segmentation violation"), false, Some("Go prints all goroutines")),
        (message("panic: test timed out after 1s"), false, Some("Go prints all goroutines")),
        (served, false, Some("a panic that was recovered shows only")),
        (format!("fatal error: all goroutines are {asleep}"), false, None),
    ] {
        sandbox.file("dump.txt", &text);
        let told = sandbox.run(["summarize", "dump.txt"]);
        assert_eq!(told.text().contains("GOTRACEBACK=all prints them"), hint, "{}", told.text());
        let code = if reason.is_some() { 2 } else { 0 };
        let judged = sandbox.run(["check", "dump.txt"]).code(code);
        let reasons: Vec<&str> =
            judged.text().lines().filter(|line| line.contains("can't be judged")).collect();
        assert_eq!(reasons.len(), reason.into_iter().count(), "{text}{}", judged.text());
        assert!(reason.is_none_or(|reason| reasons[0].contains(reason)), "{reasons:?}");
    }
    for way in ["asleep", "goexit"] {
        let path = testdata(&format!("crashes/go1.27.3.{way}.txt"));
        let told = stackgazer(["summarize", path.to_str().expect("UTF-8")]);
        assert!(!told.text().contains("GOTRACEBACK"), "{}", told.text());
    }
}
