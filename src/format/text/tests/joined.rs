//! Lines that a hole has joined, behind the prefixes of logs.

use super::prefixes::PREFIXES;
use super::*;

fn behind(prefix: &str, lines: &[&str]) -> String {
    lines.iter().map(|line| format!("{prefix}{line}\n")).collect()
}

const FIRST: [&str; 7] = [
    "panic: boom",
    "",
    "goroutine 1 [running]:",
    "main.f(0x1)",
    "\t/src/a.go:3 +0x1d",
    "main.main()",
    "\t/src/a.go:9 +0x1d",
];

const SECOND: [&str; 6] = [
    "",
    "goroutine 18 [sleep]:",
    "main.work(0xc1)",
    "\t/src/pool.go:57 +0xb2",
    "created by main.f in goroutine 1",
    "\t/src/pool.go:33 +0x145",
];

/// The call of goroutine 1 goes with its place.
#[test]
fn a_call_that_ends_in_the_prefix_of_the_next_header_is_told() {
    for prefix in PREFIXES {
        let prefix = prefix.replace('#', "10");
        let whole = behind(&prefix, &FIRST) + &behind(&prefix, &SECOND);
        assert!(!is_told(&whole), "{whole}");
        for cut in 1..prefix.len() - 3 {
            for start in ["main.ma", "main.main()", "main.(*T).f(0x1, 0x", "\t/src/a.go:"] {
                let joined = format!("{prefix}{start}{}{}\n", &prefix[cut..], SECOND[1]);
                let text = behind(&prefix, &FIRST[..5]) + &joined + &behind(&prefix, &SECOND[2..]);
                assert!(is_told(&text), "{text}");
            }
        }
    }
}

/// Two threads write to one terminal.
#[test]
fn a_header_between_the_arguments_of_a_call_is_told() {
    for header in ["goroutine 9 [chan receive]:", "goroutine 9 gp=0xc000002380 m=nil [select]:"] {
        let call = FIRST[3].replace(')', &format!("{header}, 0x2)"));
        for lines in [["main.f(0x1)", FIRST[4], &call, FIRST[4]], [&call, FIRST[4], "main.g()", ""]]
        {
            let text = behind("", &FIRST[2..3]) + &behind("", &lines) + &behind("", &SECOND);
            assert!(is_told(&text), "{text}");
        }
    }
}

#[test]
fn a_header_that_ends_in_the_prefix_of_a_blank_line_is_told_below_a_message() {
    for prefix in PREFIXES {
        let prefix = prefix.replace('#', "10");
        for cut in 1..prefix.trim_end().len() - 1 {
            for start in ["gor", "goroutine 1 [runn"] {
                let joined = format!("{prefix}{start}{}\n", &prefix[cut..]);
                let text = behind(&prefix, &FIRST[..2]) + &joined + &behind(&prefix, &SECOND[1..]);
                assert!(is_told(&text), "{text}");
            }
        }
    }
}

#[test]
fn what_is_left_of_an_entry_of_goleak_is_told() {
    const LIST: &str = "\
--- FAIL: TestShop (0.45s)
    leaks.go:78: found unexpected goroutines:
        [Goroutine 19 in state chan receive, with shop.leak on top of the stack:
        shop.leak(0xc1)
        \t/src/shop/shop.go:7 +0x3f
        created by shop.Test in goroutine 18
        \t/src/shop/shop_test.go:9 +0x5b
         Goroutine 20 in state select, with shop.leak on top of the stack:
        shop.leak(0xc1)
        \t/src/shop/shop.go:7 +0x3f
        created by shop.Test in goroutine 18
        \t/src/shop/shop_test.go:9 +0x5b
        ]
";
    for prefix in PREFIXES {
        let prefix = prefix.replace('#', "10");
        let lines: Vec<&str> = LIST.lines().collect();
        let whole = behind(&prefix, &lines);
        assert!(!is_told(&whole), "{whole}");
        for from in (2..prefix.len()).step_by(3) {
            for until in (12..lines[7].len() - 4).step_by(3) {
                let joined = format!("{}{}\n", &prefix[..from], &lines[7][until..]);
                let text = behind(&prefix, &lines[..7]) + &joined + &behind(&prefix, &lines[8..]);
                assert!(is_told(&text), "{text}");
            }
        }
    }
}

/// Logs in logs, and messages that end as the prefix does.
#[test]
fn the_end_of_a_prefix_in_another_prefix_or_message_is_no_loss() {
    for (prefix, inner) in [
        ("2025-11-02T10:00:10.000791900Z ", "2025-11-02T10:00:10.12Z "),
        ("2025-11-02T10:00:10.000791900Z ", "2025-11-02T09:00:00.000791911Z "),
        ("[pod/web-7f9c/web] ", "[web] "),
        ("Nov  2 10:00:10 node1 web[1003]: ", "web[1003]: "),
        ("Nov  2 10:00:10 node1 web[1003]: ", "[recover]: "),
        ("my-web-1  | ", "web-1  | "),
        ("web-1  | ", "api    | "),
        ("2025-11-02T10:00:10.000791Z app[web.1]: ", "web.1]: "),
    ] {
        let whole = [&FIRST[..], &SECOND[..]].concat();
        let nested: Vec<String> = whole.iter().map(|line| format!("{inner}{line}")).collect();
        let of_headers = |line: &&str| match line.starts_with("goroutine") {
            true => format!("{inner}{line}"),
            false => (*line).to_owned(),
        };
        let headers: Vec<String> = whole.iter().map(of_headers).collect();
        for lines in [nested, headers] {
            let text = behind(prefix, &lines.iter().map(String::as_str).collect::<Vec<_>>());
            assert!(!is_told(&text), "{text}");
        }
    }
    for (prefix, message) in [
        ("[10:00:10] web: ", "ready: web: "),
        ("web-1  | ", "a  | b  | "),
        ("web-1  | ", "id  | name-1  | "),
        ("[pod/web-1/app] ", "restarted [pod/web-1/app] "),
        ("web-7d9f web ", "shutting down web "),
        ("web.log:", "tail of web.log:"),
        ("Nov  2 10:00:10 node1 web[1003]: ", "restarting web[1003]: "),
    ] {
        let dump = behind(prefix, &FIRST) + &behind(prefix, &SECOND);
        let message = format!("{prefix}{message}\n");
        for text in [format!("{message}{dump}"), format!("{dump}{message}")] {
            assert!(!is_told(&text), "{text}");
        }
    }
}

#[test]
fn other_rests_of_two_lines_are_told() {
    for text in [
        // An entry of goleak, and the end of a place.
        "    x_test.go:35: found unexpected goroutines:
        [Goroutine 7 in state select, with shop.leak on top of the stack:
        shop.leak(...)
        \tshop/list.go:48
        created by shop.start in goroutine 6
        \tshop/list_test.go:14 +0x72
         Goroutine 8 in st+0x91
        ]
",
        // The end of a frame without a blank line behind it.
        "--- contention:
cycles/second=2299998016
324772832 4 @ 0x414d72 0x4eec1c 0x4848a1
#\t0x414d71\truntime.chanrecv1+0x11\truntime/chan.go:509
#\t0x4eec1b\u{20}
87296066 3 @ 0x4eeb23 0x4eeb1f 0x4eec10 0x4848a1
#\t0x4eeb22\tsync.(*Mutex).Lock+0x22\tsync/mutex.go:46
#\t0x4eeb1e\tmain.pay+0x1e\t\t/src/main.go:111
#\t0x4eec0f\tmain.contend.func1+0x4f\t/src/main.go:101

",
        // A record of contentions behind the first.
        "--- mutex:
cycles/second=2300008870
sampling period=1
100 1 @ 0x467765 0x4bc1e9
#\t0x467764\tsync.(*Mutex).Unlock+0x24\tsync/mutex.go:223
#\t0x4bc1e8\tmain.pay+0x88\t/src/main.go:114

7803roc.go:267

",
        // The goroutine that crashed is gone.
        "panic: runtime error: invalid memory addresignal/signal.go:164 +0x1f

goroutine 21 [IO wait]:
main.f()
\t/src/a.go:3 +0x1d
",
        // A prefix of Buildkite without its end.
        "\x1b_bk;t=1764324000000\x07goroutine 1 [running]:
\x1b_bk;t=1764324000000\x07main.g(0x1)
\x1b_bk;t=176ain()
\x1b_bk;t=1764324001000\x07\t/src/a.go:9 +0x1d
",
    ] {
        assert!(is_told(text), "{text}");
    }
}

/// Errors and loggers print stacks without arguments and offsets.
#[test]
fn a_stack_of_a_logger_below_the_main_goroutine_is_no_part_of_it() {
    let dump = "goroutine 1 [running]:\nmain.f(0x1)\n\t/src/a.go:3 +0x1d\nmain.main()\n\t/src/a.go:9 +0x1d\n";
    for message in
        ["2026/11/28 10:00:00 request failed: boom\n", "", "ready\n2026/11/28 10:00:00 boom\n"]
    {
        let stack = "main.load\n\t/app/x.go:12\nnet/http.HandlerFunc.ServeHTTP\n\t/usr/local/go/src/net/http/server.go:2294\n";
        let text = format!("{dump}{message}{stack}2026/11/28 10:00:02 GET /x 200\n");
        assert!(!is_told(&text), "{text}");
        assert_eq!(parse(&text).goroutines.len(), 1);
        let frames = parse(&text).samples().map(|(_, sample)| sample.key.stack).collect::<Vec<_>>();
        assert_eq!(parse(&text).stack(frames[0]).len(), 2, "{text}");
    }
}
