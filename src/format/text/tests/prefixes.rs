//! Dumps in logs whose lines have prefixes, cut at any byte.

use super::*;

const DUMP: &str = "\
goroutine 1 [running]:
main.main()
\t/src/shop/main.go:10 +0x1d

goroutine 7 [chan receive, 3 minutes]:
shop/orders.(*Store).wait(0xc000010000)
\t/src/shop/orders/store.go:34 +0x1d
created by main.main in goroutine 1
\t/src/shop/main.go:9 +0x45

goroutine 8 [select]:
shop/orders.(*Store).loop(0xc000010000)
\t/src/shop/orders/store.go:44 +0x1d
created by main.main in goroutine 1
\t/src/shop/main.go:8 +0x45";

/// Prefixes of Docker, Compose, kubectl, stern, syslog, glog, containerd, the log package, GitLab, the journal and of
/// loggers; `#` is the second of the line.
pub(super) const PREFIXES: [&str; 12] = [
    "2025-11-02T10:00:#.000791900Z ",
    "web-1  | ",
    "[pod/web-1/app] ",
    "web-7d9f app ",
    "Nov  2 10:00:# web-0 shopd[17613]: ",
    "E1102 10:00:#.000000   12345 main.go:88] ",
    "2025-11-02T10:00:#.000791Z stderr F ",
    "2025/11/02 10:00:#.123456 app: ",
    "[10:00:#] web: ",
    "2025-11-02T10:00:#.000791Z app[web.1]: ",
    "2025-11-02T10:00:#.000791Z 00O ",
    "2025-11-02 10:00:#,123 INFO [main] ",
];

/// The lines of a text in a log, one for each second.
pub(super) fn in_log(prefix: &str, text: &str) -> Vec<String> {
    let line = |(second, line): (usize, &str)| prefix.replace('#', &second.to_string()) + line;
    (10..).zip(text.lines()).map(line).collect()
}

#[test]
fn a_text_that_ends_inside_the_prefix_of_the_next_line_is_cut() {
    for prefix in PREFIXES {
        let lines = in_log(prefix, DUMP);
        assert!(!is_told(&(lines.join("\n") + "\n")), "{prefix}");
        for at in 3..lines.len() {
            let before = lines[..at].join("\n") + "\n";
            let width = prefix.replace('#', "10").trim_end().len();
            for cut in 1..width {
                // Where all is there but for a blank word at the end, an editor may have taken away blanks.
                let start = &lines[at][..cut];
                assert!(is_told(format!("{before}{start}")), "{before}{start}");
            }
        }
    }
}

#[test]
fn a_last_line_without_its_end_is_no_part_of_a_prefix_if_it_has_more_or_another() {
    for prefix in PREFIXES {
        let whole = in_log(prefix, DUMP).join("\n") + "\n";
        for last in ["$ ", "root@web:~# ", "FAIL"] {
            assert!(!is_told(format!("{whole}{last}")), "{whole}{last}");
        }
        let prefix = prefix.replace('#', "59");
        let failed = format!("{whole}{prefix}FAIL\tshop\t0.1s\n{prefix}FAIL");
        assert!(!is_told(&failed), "{failed}");
    }
}

/// A hole from inside a prefix to inside a later one takes a line with it, or more.
#[test]
fn a_hole_over_a_line_end_that_joins_two_prefixes_is_told() {
    for prefix in PREFIXES {
        let lines = in_log(prefix, DUMP);
        let width = prefix.replace('#', "10").len();
        for (at, to) in (1..lines.len() - 1).flat_map(|at| [(at, at + 1), (at, at + 2)]) {
            let Some(last) = lines.get(to) else { continue };
            // Nothing is lost but a blank line, or a blank line ends what the next header would have ended.
            if (at, to) == (3, 4) || (at, to) == (9, 10) || [3, 9].contains(&to) {
                continue;
            }
            for from in (1..width).step_by(3) {
                for until in (0..width).step_by(3) {
                    let (start, end) = (&lines[at][..from], &last[until..width]);
                    if shape(&format!("{start}{end}")) == shape(&lines[0][..width]) {
                        continue;
                    }
                    let joined = format!("{start}{}", &last[until..]);
                    let text = [&lines[..at], &[joined], &lines[to + 1..]].concat().join("\n");
                    assert!(is_told(&(text.clone() + "\n")), "{text}");
                }
            }
        }
    }
}

/// A hole from inside a prefix, or before it, to inside the text of that line or of a later one.
#[test]
fn the_rest_of_a_line_without_its_prefix_is_told_beside_a_goroutine() {
    for prefix in PREFIXES {
        let lines = in_log(prefix, DUMP);
        let width = prefix.replace('#', "10").len();
        for (at, to) in (1..lines.len()).flat_map(|at| (at..at + 4).map(move |to| (at, to))) {
            let Some(last) = lines.get(to) else { continue };
            for from in (0..width).step_by(5) {
                for until in (width + 1..last.len()).step_by(4) {
                    let start = &lines[at][..from];
                    // Where only a blank is lost and the start of the name, a shorter prefix fits all lines.
                    if at == 1 && to == 1 && from + 1 == width {
                        continue;
                    }
                    let joined = format!("{start}{}", &last[until..]);
                    let text = [&lines[..at], &[joined], &lines[to + 1..]].concat().join("\n");
                    assert!(is_told(&(text.clone() + "\n")), "{text}");
                }
            }
        }
    }
}

#[test]
fn a_message_whose_first_line_alone_has_a_prefix_may_have_line_ends_of_windows() {
    let goroutine = DUMP.lines().skip(4).take(5).collect::<Vec<_>>().join("\r\n");
    // GitLab puts one before each line.
    for prefix in PREFIXES.iter().filter(|prefix| !prefix.ends_with("00O ")) {
        let prefix = prefix.replace('#', "10");
        let text = format!("{prefix}{goroutine}\r\n{prefix}ready to serve\r\n");
        assert!(!is_told(&text), "{text}");
    }
}

#[test]
fn a_profile_whose_first_line_alone_has_a_prefix_is_read() {
    for profile in [
        "count/go1.27.3.debug1.txt",
        "values/go1.21.13.threadcreate.debug1.txt",
        "values/go1.27.3.heap.debug1.txt",
        "values/go1.27.3.mutex.debug1.txt",
        "values/go1.27.3.block.debug1.txt",
    ] {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata").join(profile);
        let text = std::fs::read_to_string(path).unwrap();
        let plain = parse(&text);
        // GitLab puts one before each line.
        for prefix in PREFIXES.iter().filter(|prefix| !prefix.ends_with("00O ")) {
            let prefix = prefix.replace('#', "10");
            let logged = format!("{prefix}{text}{prefix}ready to serve\n");
            assert!(!is_told(&logged), "{prefix}{profile}");
            let found = parse(&logged);
            assert_eq!(found.samples.len(), plain.samples.len(), "{prefix}{profile}");
        }
    }
}

/// What a prefix is recognised by: numbers may have any length, seconds no fraction, and a time no zone.
fn shape(prefix: &str) -> String {
    let mut shape = String::new();
    for char in prefix.chars() {
        let char = if char.is_ascii_digit() { '0' } else { char };
        if !(shape.ends_with(char) && "0 ".contains(char)) {
            shape.push(char);
        }
    }
    shape.replace('Z', "").replace(".0", "")
}

#[test]
fn lines_of_other_programs_beside_goroutines_are_whole() {
    for prefix in PREFIXES {
        let lines = in_log(prefix, DUMP);
        let other = prefix.replace('#', "10");
        for other in [
            other.replace("web", "db"),
            other.replace("shopd[17613]", "sshd[1]"),
            other.replace("web-1", "web-12"),
            other.replace("stderr", "stdout"),
            other.trim_end().to_owned(),
        ] {
            for message in ["ready to serve", "main: done (2 of 3)", ""] {
                for at in 0..lines.len() {
                    let line = format!("{other}{message}");
                    let text = [&lines[..at], &[line], &lines[at..]].concat().join("\n");
                    let is_own = in_log(prefix, DUMP)[0].starts_with(&other);
                    assert!(is_own || !is_told(&(text.clone() + "\n")), "{text}");
                }
            }
        }
    }
}

#[test]
fn records_behind_one_that_tells_of_a_panic_are_whole() {
    let whole = DUMP.to_owned() + "\n";
    for prefix in PREFIXES {
        let prefix = prefix.replace('#', "10");
        for next in ["ready", "re", "ok", "x", "retry (2)"] {
            let text = format!(
                "{prefix}recovered from panic: runtime error: index out of range [3] with length 3\n{prefix}{next}\n"
            );
            let logged = in_log(&prefix, DUMP).join("\n") + "\n";
            for dump in [&whole, &logged] {
                assert!(!is_told(format!("{text}{dump}")), "{text}{dump}");
            }
        }
    }
}

#[test]
fn streams_whose_names_are_alike_are_whole() {
    for (one, other) in [
        ("[pod/web-7d9f/app] ", "[pod/db-0/db] "),
        ("[pod/web-1/app] ", "[pod/web-12/app] "),
        ("[pod/web-12/app] ", "[pod/web-1/app] "),
        ("web-1   | ", "web-10  | "),
        ("web-10  | ", "web-1   | "),
        ("Nov  2 10:00:01 web-0 shopd[176]: ", "Nov  2 10:00:01 web-0 shopd[17613]: "),
    ] {
        let lines = |prefix: &str| -> Vec<String> {
            DUMP.lines().map(|line| format!("{prefix}{line}\n")).collect()
        };
        let (one, other) = (lines(one), lines(other));
        let ready = |lines: &[String]| {
            let prefix = lines[3].trim_end_matches('\n');
            ["ready", "done (2)", "[INFO]:", "a: b", "flush(3)"]
                .map(|text| format!("{prefix}{text}\n"))
                .concat()
        };
        let between = one[..6].concat() + &ready(&other) + &one[6..].concat() + &other.concat();
        assert!(!is_told(&between), "{between}");
        let turns = one.iter().zip(&other).map(|(one, other)| format!("{one}{other}")).collect();
        for text in [turns, one.concat() + &other.concat()] {
            assert!(!is_told(&text), "{text}");
            assert_eq!(parse(&text).goroutines.len(), 6, "{text}");
        }
    }
}

/// `grep -A` writes `--` for the lines that it leaves out, without the prefixes of their log.
#[test]
fn lines_that_grep_leaves_out_of_a_log_are_told() {
    let goroutine = "goroutine 7 [select]:\nmain.f()\n\t/src/a.go:7 +0x1d\n";
    let creator = "created by main.main in goroutine 1\n\t/src/a.go:3 +0x1d\n";
    let json = |text: &str| -> String {
        let record = |line| serde_json::json!({"log": format!("{line}\n"), "stream": "stderr", "time": "2026-01-02T10:31:41Z"});
        text.lines().map(|line| format!("{}\n", record(line))).collect()
    };
    let text = format!("{0}--\n{0}", json(goroutine));
    assert!(is_told(&text), "{text}");
    let text = format!("{0}{1}--\n{0}{1}", json(goroutine), json(creator));
    assert!(!is_told(&text), "{text}");
    for prefix in [
        "2026-01-02T10:31:41.003Z ",
        "web-1  | ",
        "10:31:41 web.1 | ",
        "Jan 02 10:31:41 db1 shop[7]: ",
        "web-7d9f8b-x2 app ",
        "logs/a.log-",
        "12-",
        "    ",
        "\t",
        "2026-01-02T10:31:41.003Z     ",
        "2026-01-02T10:31:41.003123Z 01O ",
        "",
    ] {
        let prefixed = |text: &str| -> String {
            text.lines().map(|line| format!("{prefix}{line}\n")).collect()
        };
        let [cut, creator] = [goroutine, creator].map(prefixed);
        let text = format!("{cut}--\n{cut}--\n{cut}");
        assert!(is_told(&text), "{text}");
        let crash = text.replace("+0x1d", "+0x1d fp=0xc0 sp=0xb0 pc=0x45f");
        assert!(is_told(&crash), "{crash}");
        let text = format!("{cut}{creator}--\nready\n");
        assert!(!is_told(&text), "{text}");
        let root = "goroutine 1 [running]:\nmain.main()\n\t/src/a.go:3 +0x1d\n";
        let text = format!("{}--\nready\n", prefixed(root));
        assert!(!is_told(&text), "{text}");
    }
}

/// A number in front of a record's count, or of the name of a profile, is no part of it.
#[test]
fn profiles_of_debug_1_are_read_with_numbers_of_lines_in_front() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/testdata");
    for name in [
        "count/go1.27.3.debug1.txt",
        "values/go1.27.3.block.debug1.txt",
        "values/go1.27.3.carts.debug1.txt",
        "values/go1.27.3.heap.debug1.txt",
        "values/go1.27.3.mutex.debug1.txt",
        "values/go1.27.3.threadcreate.debug1.txt",
    ] {
        let text = std::fs::read_to_string(format!("{folder}/{name}")).expect("it is there");
        let expected = described(&parse(&text));
        // `grep -A` has a dash instead of the colon in all but the first.
        let forms = [("#:", "#:"), ("#:", "#-"), ("a.log:#:", "a.log-#-"), ("    #\t", "    #\t")];
        for (first, other) in forms {
            let prefixes = std::iter::once(first).chain(std::iter::repeat(other));
            let lines = text.lines().zip(1..).zip(prefixes);
            let numbered: String = lines
                .map(|((line, number), prefix)| {
                    prefix.replace('#', &format!("{number}")) + line + "\n"
                })
                .collect();
            assert!(!is_told(&numbered), "{name}, {other}");
            assert_eq!(described(&parse(&numbered)), expected, "{name}, {other}");
        }
    }
}

/// A hole begins in the prefix of one line and ends in that of another, or in what stands behind it.
#[test]
fn a_hole_that_ends_in_another_prefix_is_told() {
    let lines = [
        "goroutine 1 [select]:",
        "main.run(0x1)",
        "\t/src/main.go:20 +0x5",
        "main.main()",
        "\t/src/main.go:31 +0x9e",
        "",
        "goroutine 19 [IO wait]:",
        "main.work(0xc1)",
        "\t/src/pool.go:57 +0xb2",
        "created by main.New in goroutine 1",
        "\t/src/pool.go:33 +0x145",
    ];
    for prefix in PREFIXES {
        let prefix = prefix.replace('#', "10");
        let logged = |from: usize, lines: &[&str]| -> String {
            lines.iter().skip(from).map(|line| format!("{prefix}{line}\n")).collect()
        };
        assert!(!is_told(logged(0, &lines)), "{prefix}");
        for cut in 1..prefix.trim_end().len() {
            let rest = &prefix[cut..];
            // `025/11/02 10:00:10` is a date as well.
            if shape(rest) == shape(&prefix) {
                continue;
            }
            // The end of the prefix in front of a call whose place follows, and in a header.
            let mixed = logged(0, &lines[..3]) + rest + "main.main()\n" + &logged(4, &lines);
            assert!(is_told(&mixed), "{mixed}");
            let whole = logged(0, &lines[..6]);
            let joined = format!("{prefix}goroutine 18{rest}{}\n", lines[6]);
            let text = format!("{whole}{joined}{}", logged(7, &lines));
            assert!(is_told(&text), "{text}");
        }
        // In a header that ends before its state, in front of another or of a blank line.
        for start in ["gor", "goroutine", "goroutine ", "goroutine 7"] {
            let rest = &prefix[prefix.trim_end().len() / 2..];
            let joined = format!("{prefix}{start}{rest}{}\n", lines[6]);
            let text = logged(0, &lines[..6]) + &joined + &logged(7, &lines);
            assert!(is_told(&text), "{text}");
            let text = logged(0, &lines[..6]) + &prefix + "\n" + &prefix + start + rest + "\n";
            assert!(is_told(&text), "{text}");
        }
        // Behind the start of a line, or behind nothing.
        for rest in ["ux(0xc5c, 0x0, 0x1)", "ain.main({0x1, 0x2})", "n.f(...)"] {
            let text = logged(0, &lines[..3]) + rest + "\n" + &logged(4, &lines);
            assert!(is_told(&text), "{text}");
        }
        let cut = logged(0, &["goroutine 18 [c] "]) + &logged(6, &lines);
        assert!(is_told(&cut), "{cut}");
        let crash = ["\tpanic: order 17", "\tis lost", "", "goroutine 1 [running]:", "main.main()"];
        let text = logged(6, &lines[..9]) + &logged(0, &crash) + &logged(4, &lines[..5]);
        assert!(is_told(&text), "{text}");
    }
}

#[test]
fn a_prefix_may_start_as_a_header_does() {
    for prefix in ["gorouter[4711]: ", "goroutine stack: ", "goroutines-1: "] {
        let log: String = DUMP.lines().map(|line| format!("{prefix}{line}\n")).collect();
        assert_eq!(parse(&log).goroutines.len(), 3, "{log}");
        assert!(!is_told(&log), "{log}");
    }
}

#[test]
fn a_line_about_a_goroutine_above_a_log_is_no_header() {
    let prefixed = |line: &str| format!("web-1  | {line}\n");
    let dump: String = DUMP.lines().map(prefixed).collect();
    let text = prefixed("goroutine 12 [worker] started") + &dump;
    assert!(!is_told(&text), "{text}");
}

#[test]
fn lines_of_other_services_between_those_of_a_dump_are_no_loss() {
    for [own, other] in [
        ["app-1  | ", "db-1   | "],
        ["app-1  | ", "my-app-1  | "],
        ["web-1 | ", "web-1-1 | "],
        ["app-0 app ", "app-0-0 app "],
        ["[pod/app-7f/app] ", "[pod/db-0/db] "],
        ["app-7f9c app ", "db-0 db "],
        ["Nov 28 10:00:01 web-0 app[4711]: ", "Nov 28 10:00:01 web-0 db[12]: "],
        ["2026-11-28T01:02:00.1Z app[web.1]: ", "2026-11-28T01:02:00.1Z app[db.1]: "],
        ["2026-11-28T01:02:00.1Z app[web.1]: ", "2026-11-28T01:02:00.1Z gw[web.1]: "],
        ["[web-2] ", "[web-1] "],
    ] {
        for text in [
            "statement: SELECT now()",
            "at Thread.run()",
            "close(3)",
            "free(0x7f12)",
            "created by root in group 3",
            "go1.27.3",
            "retry at worker.go:12",
            "level=warn caller=store.go:12",
            "slow: 1.2s /app/db.go:88",
            "check failed at file.cc:12",
            "stuck in goroutine 7",
            "worker stuck in goroutine 7",
            "read at pc=0x4012",
        ] {
            let lines: Vec<&str> = DUMP.lines().collect();
            for at in 1..lines.len() {
                let (before, behind) = lines.split_at(at);
                let of = |lines: &[&str]| -> String {
                    lines.iter().map(|line| format!("{own}{line}\n")).collect()
                };
                let log = format!("{other}ready\n{}{other}{text}\n{}", of(before), of(behind));
                assert!(!is_told(&log), "{log}");
            }
        }
    }
    // A goroutine that is whole is no more beside a record that another service has lost the end of.
    let json = |text: &str, pod: &str| -> String {
        let record = |line| serde_json::json!({"msg": line, "pod": pod}).to_string() + "\n";
        text.lines().map(record).collect()
    };
    let log = json(DUMP, "app") + &json("ready", "db");
    assert!(!is_told(log + "{\"msg\":\"rea\n"));
}

/// Errors print their stacks without arguments and offsets.
#[test]
fn a_stack_of_another_pod_behind_a_guessed_prefix_is_no_loss() {
    for [own, other] in [["app-7f9c app ", "db-0 db "], ["[web-2] ", "[api-1] "]] {
        let mut lines: Vec<String> = DUMP.lines().map(|line| format!("{own}{line}\n")).collect();
        let stack = format!("{other}main.load\n{other}\t/app/x.go:12\n");
        for at in 1..lines.len() {
            lines.insert(at, stack.clone());
            let log = format!("{other}ready\n{}", lines.concat());
            assert!(!is_told(&log), "{log}");
            lines.remove(at);
        }
    }
}

/// Its own line isn't directly above.
#[test]
fn a_damaged_line_behind_one_of_another_service_is_told() {
    const JSON: &str = r#"{"level": "error", "msg": "%", "pod": "!"}"#;
    let forms = [
        ("!-1  | %", 0..4),
        ("[pod/!-7f/app] %", 0..12),
        ("!-7f9c app %", 0..8),
        ("Nov 28 10:00:01 web-0 ![4711]: %", 0..25),
        ("<34>1 2026-01-02T10:31:41.003Z host ! 4711 - - %", 0..36),
        ("2026-11-28T01:02:00.1Z app[!.1]: %", 0..28),
        ("2026-11-28 01:02:01 +0000 kube.!: {\"stream\": \"stderr\", \"log\": \"%\"}", 0..34),
        (JSON, 2..10),
        ("level=error pod=! msg=\"%\"", 0..10),
    ];
    for (form, cuts) in forms {
        let line = |service: &str, text: &str| {
            let text = if form.contains('"') { text.replace('\t', "\\t") } else { text.into() };
            form.replace('!', service).replace('%', &text)
        };
        let log = |middle: &[String]| {
            let own = |text: &&str| line("app", text);
            let first = ["ready", "goroutine 1 [select]:", "main.run(0x1)"];
            let last = ["\t/src/a.go:3 +0x1d", "main.main()", "\t/src/a.go:9 +0x1d", ""];
            let before = [line("db", "ready")].into_iter().chain(first.iter().map(own));
            let lines = before.chain(middle.iter().cloned()).chain(last.iter().map(own));
            lines.map(|line| line + "\n").collect::<String>()
        };
        let other = line("db", "checkpoint complete");
        assert!(!is_told(log(std::slice::from_ref(&other))), "{form}");
        let (call, damaged) = (line("app", "main.g(0x2)"), line("app", "main.h(0x3)"));
        for cut in cuts {
            let joined = format!("{}{}", &call[..cut], &damaged[cut / 2 + 1..]);
            // A number that is longer may be that of another service.
            if shape(&joined) != shape(&damaged) {
                let text = log(&[other.clone(), joined]);
                assert!(is_told(&text), "{text}");
            }
        }
    }
}
