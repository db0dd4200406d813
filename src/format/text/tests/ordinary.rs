//! Whole dumps beside the lines that logs, shells and tools write: nothing is missing, and nothing is said to be.

use super::*;
use std::path::Path;

/// Lines and short texts, each in the words of what writes it. None belongs to a dump.
const ORDINARY: [&str; 94] = [
    "",
    "$ ",
    "# ",
    "%",
    "> ",
    "root@web-1:/# ",
    "[root@web-1 ~]# ",
    "^C",
    "$ ^C",
    "```",
    "```text",
    "</details>",
    "<!-- -->",
    "----",
    "==> a.log <==",
    "==================",
    "ok",
    "done",
    "Done.",
    "null",
    "{",
    "}",
    "{\"status\":\"ok\"}",
    "goroutine leak check: ok",
    "goroutine 7 is done",
    "goroutine 12 finished in 3ms",
    "goroutine 3: waiting for jobs...",
    "goroutine 12:30:45 started",
    "goroutine 18sec elapsed",
    "goroutineCount=12",
    "goroutineID=7 waiting",
    "goroutinePool: started",
    "goroutines: 12",
    "goroutine dump follows",
    "Goroutine 3 stopped",
    "gorouter is up",
    "going on...",
    "created 3 workers",
    "I0314 10:00:00.000000       1 main.go:42] started",
    "E0314 10:00:00.000000    1 a.go:1] sync failed err=\"x\"",
    "{\"level\":\"info\",\"ts\":1710410400.1,\"caller\":\"a/b.go:3\",\"msg\":\"started\"}",
    "2026-03-14T10:00:00.000Z\tINFO\tmain/a.go:12\tstarted\t{\"n\":3}",
    "time=2026-03-14T10:00:00Z level=INFO msg=started n=3",
    "INFO[0003] started   n=3",
    "2026/03/14 10:00:00 started",
    "10:00:00.123 INFO started",
    "[GIN] 2026/03/14 - 10:00:00 | 200 | 1ms | ::1 | GET \"/\"",
    "12",
    "12 34",
    "  12345 67890",
    "1764291720 42",
    "42 GET /x handler.go:31",
    "server.go:88",
    "SELECT version()",
    "\tat java.lang.Thread.run(Thread.java:829)",
    "  42",
    "1710410400",
    "3 5 7",
    "(3 rows)",
    " count \n-------\n    42\n(1 row)",
    "  30  120 2040 goroutine.txt",
    "512KiB  mutex.txt",
    "4.0K\tmutex.txt",
    "512 /tmp/x",
    "total 12",
    "-rw-r--r-- 1 root root 123 Mar 14 10:00 x",
    "real\t0m1.003s",
    "  PID TTY TIME CMD\n 12345 pts/0    00:00:01 go",
    "[1]+  Done   curl -s localhost:6060",
    "[1] 12345",
    "1st try",
    "3 x 4",
    "5m ago",
    "7%",
    "2026-03-14",
    "10:00:00",
    "0x1f",
    "12,345 bytes",
    "HTTP/1.1 200 OK",
    "curl: (7) Failed to connect to localhost port 6060",
    "Handling connection for 6060",
    "Connection to web-1 closed.",
    "logout",
    "command terminated with exit code 2",
    "exit status 2",
    "signal: killed",
    "Killed",
    "make: *** [Makefile:3: run] Error 2",
    "--- FAIL: TestCart (0.00s)",
    "=== RUN   TestCart",
    "PASS",
    "ok  \tshop/cart\t0.012s",
    "Saved profile in /home/dev/pprof/a.pb.gz",
    "Warning: Permanently added 'web-1' (ED25519) to the list of known hosts.",
];

/// What stands before each line of a log.
const PREFIXES: [&str; 7] = [
    "",
    "2026-03-14T10:00:00.123456789Z stderr F ",
    "web-1  | ",
    "I0314 10:00:00.000000       1 main.go:42] ",
    "Mar 14 10:00:00 web-1 app[123]: ",
    "2026/03/14 10:00:00 ",
    "    ",
];

/// Dumps of all kinds, as Go wrote them.
fn dumps() -> impl Iterator<Item = (&'static str, String)> {
    [
        "traceback/go1.27.3.deadlock.txt",
        "traceback/go1.27.3.debug2.txt",
        "traceback/go1.27.3.nilpointer.txt",
        "crashes/go1.27.3.recovered.txt",
        "log/go1.27.3.timeout.txt",
        "goleak/go1.27.3.new.txt",
        "count/go1.27.3.debug1.txt",
        "values/go1.27.3.block.debug1.txt",
        "values/go1.27.3.mutex.debug1.txt",
        "values/go1.27.3.carts.debug1.txt",
    ]
    .into_iter()
    .map(|name| {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata").join(name);
        let text = std::fs::read_to_string(path).expect("it is there");
        // Goroutines of a debug=2 text are alike in what stands around them.
        let end = if text.len() < 8_000 { None } else { text[4_000..].find("\n\ngoroutine ") };
        (name, text[..end.map_or(text.len(), |end| 4_000 + end + 1)].to_owned())
    })
}

/// Goroutines and values of all samples, if nothing is missing.
fn whole(text: &str, prefix: &str) -> Option<(usize, i64)> {
    let text: String = text.lines().map(|line| format!("{prefix}{line}\n")).collect();
    let (outcome, profile) = parse_as(text.as_bytes(), usize::MAX);
    let is_whole = outcome == Outcome::Read && profile.inputs.iter().all(Input::complete);
    let count = profile.samples.iter().map(|sample| sample.count).sum();
    is_whole.then_some((profile.samples.len(), count))
}

#[test]
fn ordinary_lines_around_a_whole_dump_are_no_loss() {
    let mut wrong = Vec::new();
    for (name, dump) in dumps() {
        let wanted = PREFIXES.map(|prefix| whole(&dump, prefix));
        assert!(wanted.iter().all(Option::is_some), "{name}: {wanted:?}");
        for (at, line) in ORDINARY.iter().enumerate() {
            let mut texts = vec![
                ("above", format!("{line}\n{dump}")),
                ("above", format!("{line}\n\n{dump}")),
                ("below", format!("{dump}{line}\n")),
                ("below", format!("{dump}\n{line}\n")),
            ];
            if let Some(between) = dump.find("\n\ngoroutine ") {
                let (start, end) = dump.split_at(between);
                texts.push(("between", format!("{start}\n\n{line}{end}")));
            }
            // Plain, and behind one of the prefixes.
            for number in [0, 1 + at % (PREFIXES.len() - 1)] {
                for (place, text) in &texts {
                    if whole(text, PREFIXES[number]) != wanted[number] {
                        wrong.push(format!("{name}, {:?}: {line:?} {place}", PREFIXES[number]));
                    }
                }
            }
        }
    }
    assert_eq!(wrong, [""; 0]);
}

#[test]
fn what_a_program_prints_of_its_goroutines_is_no_header_unless_a_goroutine_stands_above() {
    let line = ["goroutine 3", "Goroutine 3", "goroutine 3...", "Goroutine 12"]
        .map(|line| format!("{line}\n"));
    for (name, dump) in dumps() {
        let wanted = whole(&dump, "");
        for lines in &line {
            let above = format!("{lines}{lines}{dump}");
            assert_eq!(whole(&above, ""), wanted, "{name}: {above}");
            let between = format!("{dump}\n2026/03/14 10:00:00 started\n{lines}");
            assert_eq!(whole(&between, ""), wanted, "{name}: {between}");
            if name == "traceback/go1.27.3.debug2.txt" {
                assert_eq!(whole(&format!("{dump}\n{lines}"), ""), None, "{name}: {lines}");
            }
        }
    }
}

#[test]
fn a_whole_dump_in_quotes_parentheses_or_fences_is_no_loss() {
    let mut wrong = Vec::new();
    // Programs name profiles of their own, so these have to begin their line.
    for (name, dump) in dumps().filter(|(name, _)| !name.contains("carts")) {
        let wanted = whole(&dump, "");
        let dump = dump.trim_end();
        for (open, close) in [
            ("time,stack,host\n10:00,\"", "\",web-1"),
            ("time,stack,host\n10:00,\"", "\",\"web 1 is up\",3"),
            ("level=error stack=\"", "\" host=web-1"),
            ("stack=\"", "\""),
            ("'", "'"),
            ("it is stuck (", ")."),
            ("```\n", "```"),
            ("`", "`"),
            ("<![CDATA[", "]]>"),
            ("<pre>", "</pre>"),
        ] {
            if whole(&format!("{open}{dump}{close}\n"), "") != wanted {
                wrong.push(format!("{name}: {open:?} {close:?}"));
            }
            // The field itself was cut.
            for start in ["\n\ngoroutin", "\n\ngoroutine 9", "\n\ngor", "\n[truncated]"] {
                let is_goroutine = name.starts_with("traceback") || name.starts_with("crashes");
                let cut = format!("{open}{dump}{start}{close}\n");
                if is_goroutine && close.starts_with(['"', '\'']) && whole(&cut, "").is_some() {
                    wrong.push(format!("{name}: {start:?} {close:?}"));
                }
            }
        }
    }
    assert_eq!(wrong, [""; 0]);
}

#[test]
fn a_fence_around_a_log_that_is_quoted_or_in_a_list_is_no_loss() {
    for (name, dump) in dumps() {
        for prefix in PREFIXES {
            let wanted = whole(&dump, prefix);
            for outer in ["  ", "> ", "    "] {
                let log: String =
                    dump.lines().map(|line| format!("{outer}{prefix}{line}\n")).collect();
                for fence in ["```", "~~~"] {
                    let text = format!("{outer}{fence}\n{log}{outer}{fence}\n");
                    assert_eq!(whole(&text, ""), wanted, "{name}\n{text}");
                }
                // A blank line of a mail.
                let text = format!("{log}{outer}\n{outer}best regards\n");
                assert_eq!(whole(&text, ""), wanted, "{name}\n{text}");
            }
        }
    }
}

#[test]
fn a_line_of_another_service_below_the_header_of_a_crash_is_no_loss() {
    for (own, other) in
        [("api-7c9d server ", "web-5d4c server "), ("[api] ", "[web] "), ("api> ", "web> ")]
    {
        for line in [
            "ready",
            "\tat com.acme.Pool.take(Pool.java:118)",
            "    at handler (/app/src/server.js:88:11)",
            "#0 /app/b.php(12): run()",
            "--- FAIL: TestPool (0.00s)",
            "\tVALUES ($1, $2)",
        ] {
            let text = format!(
                "{own}panic: boom\n{own}\n{own}goroutine 1 [running]:\n{other}{line}\n\
                 {own}main.main()\n{own}\t/src/main.go:9 +0x3\n"
            );
            assert!(whole(&text, "").is_some(), "{text}");
        }
    }
}

/// What zap, winston, zerolog, logrus and structlog write to a console.
#[test]
fn fields_of_a_record_behind_the_last_line_of_its_message_are_no_damage() {
    let goroutines: Vec<&str> = GOROUTINES.trim_end().split("\n\n").collect();
    let whole = described(&parse(GOROUTINES));
    for (prefix, fields) in [
        ("2026-01-02T03:04:05.000Z\tERROR\tkv/main.go:77\t", "\t{\"pid\": 77}"),
        ("error: ", " {\"service\":\"user-service\"}"),
        ("3:04PM ERR ", " pid=77 unit=\"a b\""),
        ("ERRO[0003] ", "      pid=77"),
    ] {
        let record = |text: &str| format!("{prefix}{text}{fields}\n");
        let all = record(GOROUTINES.trim_end());
        let each: String = goroutines.iter().map(|text| record(text)).collect();
        for text in [all.clone(), each] {
            let text = format!("{}{text}{}", record("up"), record("bye"));
            assert!(!is_told(&text), "{text}");
            assert_eq!(described(&parse(&text))[1..], whole[1..], "{text}");
        }
        // A hole that ends in the fields of a later record takes the rest of a goroutine, which goes on here.
        let holed = all.replacen("store.go:34 +0x1d", &format!("store.go:34 +0x1{fields}"), 1);
        assert!(holed != all && is_told(&holed), "{holed}");
    }
}

#[test]
fn a_box_of_lines_around_a_dump_is_no_damage() {
    let lines: String = GOROUTINES.lines().map(|line| format!("│ {line}\n")).collect();
    let text = format!("╷\n│ Error: The plugin crashed\n│ \n{lines}╵\n");
    for text in [text.clone(), text.replace("│ \n", "│\n")] {
        assert!(!is_told(&text), "{text}");
        assert_eq!(described(&parse(&text))[1..], described(&parse(GOROUTINES))[1..]);
    }
}
