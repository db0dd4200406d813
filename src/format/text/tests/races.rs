//! Reports of the race detector in the text.

use super::*;

const REPORT: &str = "\
==================
WARNING: DATA RACE
Write at 0x00c00011c0f8 by goroutine 8:
  main.bump()
      /src/a.go:17 +0x44

Goroutine 8 (running) created at:
  main.main()
      /src/a.go:24 +0x13b
";
const GOROUTINE: &str = "\
main.bump(0xc00011c0f8)
\t/src/a.go:18 +0x66
created by main.main in goroutine 1
\t/src/a.go:24 +0x13b
";

/// A hole can take its last line, and the header of the goroutine behind it.
#[test]
fn frames_of_a_goroutine_in_a_report_are_told() {
    let end = "==================\n";
    for prefix in ["", "web-1  | ", "2026-01-02T10:31:41Z "] {
        let log = |text: &str| -> String {
            text.lines().map(|line| format!("{prefix}{line}\n")).collect()
        };
        let header = "goroutine 8 [running]:\n";
        for whole in [
            REPORT.to_owned() + end,
            format!("{REPORT}{end}\n{header}{GOROUTINE}"),
            format!("{REPORT}{end}{REPORT}{end}"),
        ] {
            assert!(!is_told(log(&whole)), "{whole}");
        }
        for rest in ["", "outine 8 [running]:\n"] {
            for start in [REPORT, &REPORT[..REPORT.find("\n\n").unwrap() + 1]] {
                let text = log(&format!("{start}{rest}{GOROUTINE}"));
                assert!(is_told(&text), "{text}");
            }
        }
    }
}

/// `go run -race` prints what has been found while the process ends.
#[test]
fn a_report_directly_below_a_goroutine_is_none_of_its_lines() {
    let crash = "panic: boom\n\ngoroutine 1 [running]:\nmain.main()\n\t/src/a.go:12 +0x45\n";
    let created = format!("goroutine 8 [running]:\n{GOROUTINE}");
    for goroutine in [crash, &created] {
        for between in ["", "exit status 2\n", "\n"] {
            let text = format!("{goroutine}{between}{REPORT}==================\n");
            let found = parse(&text);
            assert_eq!(found.inputs[0].seen.race_reports, 1, "{text}");
            assert!(!is_told(&text), "{text}");
        }
    }
}

/// Programs log such lines and go on.
#[test]
fn reports_below_a_line_that_starts_as_a_crash_does_are_read() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/testdata/goleak/go1.27.3");
    let leaks = ["new", "old", "main-new", "main-old"]
        .map(|name| std::fs::read_to_string(format!("{folder}.{name}.txt")).expect("it is there"));
    for line in
        ["SIGTERM: stopping", "panic: order 17 is lost", "fatal error: too many connections"]
    {
        for between in ["", "ready\n", "\n"] {
            let text = format!("{line}\n{between}{REPORT}==================\nready\n");
            let found = parse(&text);
            assert_eq!(found.inputs[0].seen.race_reports, 1, "{text}");
            assert!(!is_told(&text), "{text}");
            for leaks in &leaks {
                let text = format!("{line}\n{between}{leaks}");
                let found = parse(&text).goroutines.len();
                assert_eq!(found, parse(leaks).goroutines.len(), "{text}");
                assert!(!is_told(&text), "{text}");
            }
        }
    }
}

/// Go indents the lines of a value by a tab.
#[test]
fn a_list_of_goleak_in_the_value_of_a_panic_is_its_text() {
    let goroutine = "goroutine 1 [running]:\nmain.main()\n\t/src/a.go:9 +0x1d\n";
    let text = format!(
        "panic: leaks: \n\t[Goroutine 8 in state select, with main.g on top of the stack:\n\
         \tmain.g()\n\t\t/src/a.go:3 +0x1d\n\t]\n\n{goroutine}"
    );
    let found = parse(&text);
    let ids: Vec<u64> = found.goroutines.iter().map(|goroutine| goroutine.id).collect();
    let crash = found.inputs[0].crash.as_ref().map(|crash| crash.goroutine);
    assert_eq!((ids, crash), (vec![1], Some(Some(1))), "{text}");
}
