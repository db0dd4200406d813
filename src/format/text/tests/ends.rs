//! Logs that end inside a line, and records of JSON that a hole has joined.

use super::*;

const STACK: &str = "\
panic: boom

goroutine 1 [running]:
example.com/shop.run(0x1)
\t/src/shop/run.go:3 +0x1d
main.main()
\t/src/shop/main.go:10 +0x1d

goroutine 7 [select]:
runtime.gopark(0x1, 0x2)
\t/src/runtime/proc.go:34 +0x1d
created by main.main in goroutine 1
\t/src/shop/main.go:9 +0x45
";

/// Whether the end of a text cuts a line is seen behind a prefix as without one.
#[test]
fn a_line_that_the_end_cuts_is_told_behind_a_prefix_too() {
    let docker = |line: &str| serde_json::to_string(line).unwrap();
    type Wrap<'a> = &'a dyn Fn(&str) -> String;
    let wraps: [(&str, Wrap<'_>); 7] = [
        ("CRI", &|line| format!("2026-11-28T10:00:00.1Z stderr F {line}")),
        ("kubectl", &|line| format!("2026-11-28T10:00:00.1Z {line}")),
        ("compose", &|line| format!("web-1  | {line}")),
        ("syslog", &|line| format!("Nov  2 10:00:01 web-0 shopd[176]: {line}")),
        ("klog", &|line| format!("E1102 10:00:01.000000   12345 main.go:88] {line}")),
        ("docker", &|line| {
            let text = docker(&format!("{line}\n"));
            format!("{{\"log\":{text},\"stream\":\"stderr\",\"time\":\"2026-11-28T10:00:00Z\"}}")
        }),
        ("docker with attributes", &|line| {
            let text = docker(&format!("{line}\n"));
            format!(
                "{{\"log\":{text},\"stream\":\"stderr\",\"attrs\":{{\"tag\":\"shop\"}},\"time\":\"2026-11-28T10:00:00Z\"}}"
            )
        }),
    ];
    let lines: Vec<&str> = STACK.lines().collect();
    for (name, wrap) in wraps {
        for at in 3..lines.len() {
            let before: String = lines[..at].iter().map(|line| wrap(line) + "\n").collect();
            let plain_before = lines[..at].join("\n") + "\n";
            for cut in 1..lines[at].len() {
                let whole = wrap(lines[at]);
                let escaped = docker(lines[at]);
                let text = escaped.trim_matches('"');
                let cut = &lines[at][..cut];
                let escaped = docker(cut);
                let start = match whole.find(text) {
                    Some(from) if name.starts_with("docker") => from + escaped.len() - 2,
                    _ => whole.len() - lines[at].len() + cut.len(),
                };
                let logged = format!("{before}{}", &whole[..start]);
                let is_plain = is_told(format!("{plain_before}{cut}"));
                assert!(!is_plain || is_told(&logged), "{name}: {logged}");
            }
        }
        let whole: String = lines.iter().map(|line| wrap(line) + "\n").collect();
        assert!(!is_told(&whole) && !is_told(whole.trim_end()), "{name}: {whole}");
    }
}

#[test]
fn a_record_of_docker_with_attributes_may_be_cut_anywhere() {
    let record = |line: &str| {
        let text = serde_json::to_string(&format!("{line}\n")).unwrap();
        format!(
            "{{\"log\":{text},\"stream\":\"stderr\",\"attrs\":{{\"tag\":\"shop\"}},\"time\":\"2026-11-28T10:00:00Z\"}}"
        )
    };
    let lines: Vec<&str> = STACK.lines().collect();
    for at in [3, 5] {
        let before: String = lines[..at].iter().map(|line| record(line) + "\n").collect();
        let last = record(lines[at]);
        for cut in 9..last.len() {
            let text = format!("{before}{}", &last[..cut]);
            assert!(is_told(&text), "{text}");
        }
    }
}

#[test]
fn a_record_that_the_end_cuts_behind_the_message_of_a_crash_is_no_line_of_it() {
    let record = |text: &str| format!("{{\"level\":\"error\",\"msg\":{text:?}}}\n");
    let whole = record("panic: boom");
    for cut in ["{\"level\":\"e", "{\"level\":\"error\",\"msg\":\"gorou"] {
        let text = format!("{whole}{}{cut}", record(""));
        let profile = parse(&text);
        assert_eq!(profile.inputs[0].crash.as_ref().unwrap().text, "boom", "{text}");
        assert!(is_told(&text), "{text}");
    }
    assert!(!is_told(&whole));
}

#[test]
fn records_that_a_hole_has_joined_are_told_beside_a_goroutine() {
    let record = |text: &str| {
        format!("{{\"level\":\"error\",\"logger\":\"shop\",\"msg\":{text:?},\"svc\":\"cart\"}}\n")
    };
    let lines =
        ["goroutine 7 [select]:", "main.z(0x1)", "\t/z.go:9 +0x1", "main.y(0x3)", "\t/y.go:3 +0x1"];
    let creator = ["created by main.main in goroutine 1", "\t/m.go:4 +0x3"];
    let all: String = lines.iter().chain(&creator).map(|line| record(line)).collect();
    assert!(!is_told(&all), "{all}");
    // Of the records of the first place and the second call these are left.
    for joined in [
        "{\"level\":\"error\",\"loggeg\":\"main.y(0x3)\",\"svc\":\"cart\"}\n",
        "{\"level\":\"error\",\"logger\":\"sh\",\"logger\":\"shop\",\"msg\":\"main.y(0x3)\",\"svc\":\"cart\"}\n",
    ] {
        let text = all.replacen(&(record(lines[2]) + &record(lines[3])), joined, 1);
        assert!(text.contains(joined) && is_told(&text), "{text}");
    }
}

#[test]
fn a_line_that_ends_in_a_brace_behind_a_prefix_in_brackets_is_no_json() {
    let profile = "goroutine profile: total 1\n1 @ 0x11 0x21\n#\t0x10\tmain.f+0x1\t\t/a.go:3\n#\t0x20\tmain.main+0x1\t/a.go:4\n";
    for line in ["server {", "list [", "ready"] {
        let text: String = [line]
            .into_iter()
            .chain(profile.lines())
            .map(|line| format!("[pod/web-1/app] {line}\n"))
            .collect();
        assert!(!is_told(&text), "{text}");
        assert_eq!(parse(&text).samples.len(), 1, "{text}");
    }
}

#[test]
fn lines_below_a_crash_that_were_cut_behind_the_word_of_a_header_are_told() {
    let stack = "main.work(\n\t/usr/loca\n";
    for header in ["goroutin", "goroutine", "goroutine "] {
        for text in [
            format!("panic: boom\n\n{header}\n{stack}\n{header}\n{stack}"),
            format!("SIGQUIT: quit\n\n{header}\n{stack}"),
            format!("panic: boom\n\n{header}"),
        ] {
            assert!(is_told(&text), "{text}");
        }
    }
    for header in ["goroutine 1592 [select]", "goroutine 7 [select, 5 minutes] {\"k\": \"v\"}"] {
        for message in ["panic: boom", "SIGQUIT: quit\nPC=0x47e0c1 m=0 sigcode"] {
            for stack in [stack, "example.com/acme/kv\n\t/usr/loca\n", "\t/usr/loca\n", ""] {
                let text = format!("{message}\n\n{header}\n{stack}");
                assert!(is_told(&text), "{text}");
            }
        }
    }
    let value = "panic: it hangs in\n\tgoroutine 7 [select]\n\t\n\tas before\n\n";
    let whole = format!("{value}goroutine 1 [running]:\nmain.main()\n\t/a.go:1 +0x1d\n");
    assert!(!is_told(&whole));
    let once = parse("panic: boom\n\ngoroutine ");
    let told: Vec<_> = once.inputs[0].warnings.iter().map(|warning| &*warning.text).collect();
    let header = "a line looks like the header of a goroutine and wasn't read as one";
    assert_eq!(told.iter().filter(|text| **text == header).count(), 1, "{told:?}");
}
