//! Messages of loggers in front of dumps, and prefixes that only their first line has.

use super::inside::{each, goroutine};
use super::*;

#[test]
fn a_message_of_several_lines_is_read_with_a_prefix_on_its_first_line_only() {
    let two = goroutine(7) + &goroutine(8);
    for time in [
        "2026-01-02T10:31:41.563Z",
        "[2026-01-02 10:31:41]",
        "2026/01/02 10:31:41",
        "Jan 02 10:31:41",
    ] {
        for middle in [
            " ",
            " - ERROR - Stack: ",
            "\tERROR\tserver\t",
            " [ERROR] agent: ",
            " | WARN | ",
            " host app: ",
            " main.go:31: stack=",
            " main.go:31: ",
            " [E] panic: boom\n\n",
        ] {
            let text = format!("{time}{middle}{two}{time} INFO ready\n");
            let profile = parse(&text);
            assert!(profile.inputs.iter().all(Input::complete), "{text}");
            let mut ids: Vec<u64> =
                profile.goroutines.iter().map(|goroutine| goroutine.id).collect();
            ids.sort_unstable();
            assert_eq!((ids, profile.samples.len()), (vec![7, 8], 1), "{text}");
        }
    }
}

#[test]
fn a_crash_whose_first_line_alone_has_a_prefix_is_named_with_its_goroutine() {
    for prefix in [
        "main.go:3: ",
        "[server.go:120] ",
        "2026/01/02 10:31:41 ",
        "2026/01/02 10:31:41 main.go:31: ",
        "2026-01-02T10:31:41.563Z [E] ",
        "Progress: 50%",
        "app: ",
        "run.sh: line 3: ",
    ] {
        for message in [
            "panic: boom\n",
            "panic: boom\n\n",
            "panic: boom\nof two lines\n\n",
            "SIGABRT: abort\nPC=0x1 m=3\nsignal arrived\n\n",
        ] {
            let text = format!("{prefix}{message}{}", goroutine(7));
            let profile = parse(&text);
            assert_eq!(profile.goroutines.len(), 1, "{text}");
            assert!(profile.inputs.iter().all(Input::complete), "{text}");
            let crash = profile.inputs.iter().find_map(|input| input.crash.as_ref());
            let first = message.lines().next().unwrap_or_default().trim_start_matches("panic: ");
            assert!(crash.is_some_and(|crash| crash.text.starts_with(first)), "{text}");
        }
    }
}

#[test]
fn a_message_may_stand_between_the_prefix_of_all_lines_and_the_header() {
    let two = goroutine(7) + &goroutine(8);
    for prefix in ["web: ", "(web) ", "web\t", "web-5d9 c ", "[pod/web-1/c] "] {
        for message in ["2026/01/02 10:31:41 boom ", "E | ctl: ", "ERROR recovered: "] {
            let text = each(prefix, &format!("{message}{two}ready\n"));
            let profile = parse(&text);
            assert!(profile.inputs.iter().all(Input::complete), "{text}");
            assert_eq!((profile.goroutines.len(), profile.samples.len()), (2, 1), "{text}");
        }
    }
}

/// As `t.Log` prints what leaktest found: lines below the first one are indented further.
#[test]
fn messages_in_front_of_the_headers_of_an_indented_dump_are_no_part_of_its_prefix() {
    for prefix in [
        "",
        "> ",
        "web: ",
        "<11>Jan 02 10:31:41 host web[7]: ",
        "web-1  | 2026-01-02T10:31:41Z ",
        "\x1b[36mweb-1  | \x1b[0m",
        "shop-7d9f8b-x2x4z shop ",
        "12:",
    ] {
        for messages in [
            ["    x_test.go:12: "; 3],
            ["    x_test.go:12: leaked goroutine: "; 3],
            ["        leaked goroutine: "; 3],
            ["    x_test.go:12: leaked: ", "    x_test.go:14: also leaked: ", "    y_test.go:3: "],
            ["ERRO[0000] stuck: ", "ERRO[0007] stuck: ", "WARN[0008] still: "],
            [
                "2026/01/02 10:31:41 leaked: ",
                "2026/01/02 10:31:42 leaked: ",
                "2026/01/02 10:31:43 ",
            ],
        ] {
            let mut log = "=== RUN   TestX\n".to_owned();
            for (message, id) in messages.iter().zip(7..) {
                log += &each("        ", &goroutine(id)).replacen("        ", message, 1);
            }
            let text = each(prefix, &format!("{log}ready\n--- FAIL: TestX (0.01s)\n"));
            let profile = parse(&text);
            assert!(profile.inputs.iter().all(Input::complete), "{text}");
            assert_eq!((profile.goroutines.len(), profile.samples.len()), (3, 1), "{text}");
        }
    }
}

#[test]
fn a_message_whose_first_line_alone_has_a_prefix_is_whole_or_told_as_without_it() {
    let dump = goroutine(7);
    let dump = dump.trim_end();
    for prefix in ["web-1  | ", "2026-01-02T10:31:41Z ERR ", "Jan  2 10:31:41 host app[12]: "] {
        let whole = format!("{prefix}{dump}");
        let profile = parse(&whole);
        assert!(profile.inputs[0].complete(), "{whole}");
        assert_eq!(described(&profile)[1..], described(&parse(&(whole.clone() + "\n")))[1..]);
        let behind = format!("{whole}\nweb-1 exited with code 2");
        assert!(parse(&behind).inputs[0].complete(), "{behind}");
        let first = "goroutine 7 [select]:\nmain.work(0x1)\n".len();
        for at in first + 1..dump.len() {
            for rest in ["", "\n", "\nready to serve\n", "\nlevel=info msg=ready\n"] {
                let plain = format!("{}{rest}", &dump[..at]);
                let text = format!("{prefix}{plain}");
                let is_whole = parse(&plain).inputs[0].complete();
                assert!(is_whole || !parse(&text).inputs[0].complete(), "{text}");
            }
        }
    }
}

#[test]
fn each_of_several_dumps_behind_the_place_of_a_call_of_the_logger_is_read() {
    let dumps = |prefix: &str, indent: &str| {
        let dump = |id| each(indent, &goroutine(id)).replacen(indent, prefix, 1);
        (7..10).map(dump).collect::<String>()
    };
    for prefix in [
        "main.go:23: ",
        "main.go:23: dump: ",
        "/src/app/main.go:23: ",
        "app: main.go:23: ",
        "2026/01/02 10:31:41 main.go:23: ",
        "main.go: ",
    ] {
        for indent in ["", "    ", "\t"] {
            for between in ["", "main.go:24: ready\n"] {
                let text = format!("{between}{}{between}", dumps(prefix, indent));
                let profile = parse(&text);
                assert!(profile.inputs.iter().all(Input::complete), "{text}");
                assert_eq!((profile.goroutines.len(), profile.samples.len()), (3, 1), "{text}");
            }
        }
    }
}

/// As hclog and charm write a field of several lines: its lines have bars, and another field follows.
#[test]
fn fields_behind_one_of_several_lines_are_no_rest_of_a_record() {
    let two = goroutine(7) + &goroutine(8);
    for (bar, indent) in [("  | ", "   "), ("  \u{2502} ", " ")] {
        for field in ["n=5", "err=\"a b\"", "request_id=7f3c ok=true"] {
            let text = format!(
                "2026-01-02T10:31:41.123Z [ERROR] app: dump:\n  stack=\n{}{indent}{field}\n\
                 2026-01-02T10:31:42.123Z [INFO]  app: ready\n",
                each(bar, two.trim_end())
            );
            let profile = parse(&text);
            assert!(profile.inputs.iter().all(Input::complete), "{text}");
            assert_eq!(profile.goroutines.len(), 2, "{text}");
        }
    }
}
