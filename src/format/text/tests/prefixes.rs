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
const PREFIXES: [&str; 12] = [
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

fn in_log(prefix: &str) -> Vec<String> {
    let lines = DUMP.lines().zip(10..);
    lines.map(|(line, second)| prefix.replace('#', &second.to_string()) + line).collect()
}

fn is_told(text: &str) -> bool {
    let (outcome, profile) = parse_as(text.as_bytes(), usize::MAX);
    outcome != Outcome::Read || !profile.inputs[0].complete()
}

#[test]
fn a_text_that_ends_inside_the_prefix_of_the_next_line_is_cut() {
    for prefix in PREFIXES {
        let lines = in_log(prefix);
        assert!(!is_told(&(lines.join("\n") + "\n")), "{prefix}");
        for at in 3..lines.len() {
            let before = lines[..at].join("\n") + "\n";
            let width = prefix.replace('#', "10").trim_end().len();
            for cut in 1..width {
                // Where all is there but for a blank word at the end, an editor may have taken away blanks.
                let start = &lines[at][..cut];
                assert!(is_told(&format!("{before}{start}")), "{before}{start}");
            }
        }
    }
}

#[test]
fn a_last_line_without_its_end_is_no_part_of_a_prefix_if_it_has_more_or_another() {
    for prefix in PREFIXES {
        let whole = in_log(prefix).join("\n") + "\n";
        for last in ["$ ", "root@web:~# ", "FAIL"] {
            assert!(!is_told(&format!("{whole}{last}")), "{whole}{last}");
        }
        let prefix = prefix.replace('#', "59");
        let failed = format!("{whole}{prefix}FAIL\tshop\t0.1s\n{prefix}FAIL");
        assert!(!is_told(&failed), "{failed}");
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
