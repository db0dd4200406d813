//! Dumps in logs of logfmt, a record for each line.

use super::*;

/// Records of log/slog, logrus and go-kit, with fields behind the message and without; `#` is the second of the line.
const RECORDS: [&str; 5] = [
    "time=2025-11-02T10:00:#.000Z level=ERROR msg=@ svc=shop n=0",
    "time=2025-11-02T10:00:#.000Z level=ERROR msg=@",
    "time=\"2025-11-02T10:00:#Z\" level=error msg=@ component=\"the shop\"",
    "ts=2025-11-02T10:00:#.000Z caller=main.go:88 level=error msg=@ pod=web-1",
    "level=error trace=@ at=2025-11-02T10:00:#Z",
];

fn in_log(record: &str) -> Vec<String> {
    let lines = GOROUTINES.lines().zip(10..);
    let line = |(line, second): (&str, u32)| {
        record.replace('#', &second.to_string()).replace('@', &format!("{line:?}"))
    };
    lines.map(line).collect()
}

#[test]
fn fields_behind_the_message_are_no_text() {
    for record in RECORDS {
        let lines = in_log(record);
        let other = record.replace('#', "10").replace('@', "\"ready to serve\"");
        for text in [
            lines.join("\n") + "\n",
            lines.join("\r\n"),
            format!("{0}\n{1}\n{0}", other, lines.join("\n")),
        ] {
            assert_eq!(described(&parse(&text))[1..], described(&parse(GOROUTINES))[1..], "{text}");
            assert!(!is_told(&text), "{text}");
        }
    }
}

/// logrus leaves the message out where it is empty, and others log records without one.
#[test]
fn records_without_a_message_are_whole() {
    for record in RECORDS.iter().filter(|record| record.contains("msg=")) {
        let lines = in_log(record);
        let without = record.replace('#', "10").replace(" msg=@", "");
        let (before, _) = without.rsplit_once('=').unwrap();
        let shorter = before.rsplit_once(' ').unwrap().0;
        let is_blank = |line: &str| line.contains("msg=\"\"");
        let of_logrus: Vec<String> = lines
            .iter()
            .map(|line| if is_blank(line) { without.clone() } else { line.clone() })
            .collect();
        assert_ne!(of_logrus, lines);
        let text = of_logrus.join("\n");
        assert!(!is_told(&text), "{text}");
        assert_eq!(described(&parse(&text))[1..], described(&parse(GOROUTINES))[1..], "{text}");
        let of_another = "level=info ts=2025-11-02T10:00:10.000Z caller=http.go:12 method=GET";
        let others = [&without, shorter, &format!("{shorter} err=EOF"), of_another];
        for other in others.into_iter().filter(|other| other.contains(' ')) {
            let text = format!("{}\n{other}\n{other}\n", lines.join("\n"));
            assert!(!is_told(&text), "{text}");
        }
    }
}

#[test]
fn a_hole_over_the_end_of_a_record_is_told() {
    let whole = described(&parse(GOROUTINES));
    for record in RECORDS.iter().filter(|record| record.contains("msg=")) {
        let lines = in_log(record);
        for at in 1..lines.len() - 1 {
            let (line, next) = (&lines[at], &lines[at + 1]);
            // Holes between two messages are those of plain text.
            let quote = line.find("msg=").unwrap() + 4;
            for from in (1..quote).step_by(3) {
                for until in (0..next.len()).step_by(3) {
                    let joined = format!("{}{}", &line[..from], &next[until..]);
                    // Without the name of a field it can be any text, and behind a whole time another record.
                    let is_other = from > line.find(' ').unwrap() && !joined.contains("msg=");
                    if !joined.contains('=') || is_other {
                        continue;
                    }
                    let text = [&lines[..at], &[joined], &lines[at + 2..]].concat().join("\n");
                    let is_read = || described(&parse(&text))[1..] == whole[1..];
                    assert!(is_told(&text) || is_read(), "{text}");
                }
            }
        }
    }
}

#[test]
fn lines_of_a_crash_behind_a_log_are_no_records() {
    let crash = "SIGQUIT: quit\nPC=0x1 m=0 sigcode=0\n\ngoroutine 1 gp=0xc0000061c0 m=0 mp=0x558b80 [syscall]:\nmain.main()\n\t/a.go:1 +0x1 fp=0x1 sp=0x2 pc=0x3\n\n";
    let json =
        "{\"level\":\"error\",\"caller\":\"a.go:9\",\"msg\":\"recovered from panic: boom\"}\n";
    let logfmt: String = in_log(RECORDS[0]).iter().map(|line| format!("{line}\n")).collect();
    for before in [json, &logfmt] {
        let text = format!("{before}{crash}");
        assert!(!is_told(&text), "{text}");
        let ids: Vec<u64> = parse(&text).goroutines.iter().map(|goroutine| goroutine.id).collect();
        assert_eq!(ids.last(), Some(&1), "{text}");
    }
}

/// `log.Printf("panic: %v stack=%q", value, debug.Stack())`
#[test]
fn a_quoted_stack_behind_the_message_of_a_crash_is_read() {
    let dump = serde_json::to_string(GOROUTINES).unwrap();
    for time in ["", "2026/01/02 10:31:41 ", "Jan  2 10:31:41 web-0 shop[7]: "] {
        for (message, told) in
            [("panic: boom stack=", "boom"), ("panic: boom twice ", "boom twice"), ("panic: ", "")]
        {
            let text = format!("{time}ready\n{time}{message}{dump}\n{time}bye\n");
            let profile = parse(&text);
            assert_eq!(described(&profile)[1..], described(&parse(GOROUTINES))[1..], "{text}");
            assert!(!is_told(&text), "{text}");
            let crash = profile.inputs[0].crash.as_ref().map(|crash| crash.text.as_str());
            assert_eq!(crash, Some(told), "{text}");
        }
    }
}
