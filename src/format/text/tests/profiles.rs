//! debug=1 texts in logs: behind prefixes, beside messages of crashes.

use super::prefixes::{PREFIXES, in_log};
use super::*;

const PROFILE: &str = "\
goroutine profile: total 3
2 @ 0x486baa 0x41642e 0x696534 0x48dac1
# labels: {\"batch\":\"nightly\"}
#\t0x41642d\tshop/queue.(*Pool).take+0x2d\t/src/shop/queue/take.go:38
#\t0x696533\tshop/queue.(*Pool).work+0x53\t/src/shop/queue/queue.go:25

1 @ 0x486baa 0x448677 0x4cb447 0x4cbea8 0x48dac1
#\t0x448676\tinternal/poll.runtime_pollWait+0x84\t\truntime/netpoll.go:351
#\t0x4cb446\tshop/api.(*Server).wait+0x26\t\t/src/shop/api/api.go:84
#\t0x4cbea7\tshop/api.(*Server).Run+0x2a7\t/src/shop/api/api.go:89
";

#[test]
fn a_hole_from_inside_a_prefix_into_a_line_of_a_record_is_told() {
    for prefix in PREFIXES {
        let lines = in_log(prefix, PROFILE);
        assert!(!is_told(lines.join("\n") + "\n"), "{prefix}");
        let width = prefix.replace('#', "10").len();
        // From the labels or the first frame of a record to a frame below.
        for (at, to) in [(2, 3), (2, 4), (7, 8), (7, 9), (8, 9)] {
            for from in 2..width {
                for until in (width + 1..lines[to].len()).step_by(3) {
                    let joined = format!("{}{}", &lines[at][..from], &lines[to][until..]);
                    let text = [&lines[..at], &[joined], &lines[to + 1..]].concat().join("\n");
                    assert!(is_told(text.clone() + "\n"), "{text}");
                }
            }
        }
    }
}

#[test]
fn a_hole_from_inside_a_line_of_a_record_into_a_later_prefix_is_told() {
    for prefix in PREFIXES {
        let lines = in_log(prefix, PROFILE);
        let width = prefix.replace('#', "10").len();
        for (at, to) in (1..lines.len()).flat_map(|at| [(at, at + 1), (at, at + 2)]) {
            // The end of the last record, and all of the blank line above it.
            if to >= lines.len() || at == 5 {
                continue;
            }
            for from in (width + 1..lines[at].len()).step_by(3) {
                for until in 0..width {
                    // `queue.go:2 `, `main.go:88] `: a place that may be one.
                    let is_blank = lines[to].len() == width;
                    let rest = lines[to][until..].trim();
                    if is_blank && (rest.is_empty() || rest.ends_with(']') && !rest.contains(' ')) {
                        continue;
                    }
                    let joined = format!("{}{}", &lines[at][..from], &lines[to][until..]);
                    let text = [&lines[..at], &[joined], &lines[to + 1..]].concat().join("\n");
                    assert!(is_told(text.clone() + "\n"), "{text}");
                }
            }
        }
    }
}

#[test]
fn a_message_without_goroutines_is_not_what_is_measured_beside_a_profile() {
    const HEAP: &str = "heap profile: 1: 2 [3: 4] @ heap/1048576\n1: 2 [3: 4] @ 0x43a2f6 0x44a001\n\
         #\t0x43a2f5\tmain.f+0x15\t/src/a.go:3\n#\t0x44a000\tmain.main+0x10\t/src/a.go:9\n\n";
    let message = "SIGTERM: stopping\n";
    let names = |text: &str| {
        let profile = parse(text);
        let samples: i64 = profile.samples().map(|(_, sample)| sample.count).sum();
        (String::from_utf8_lossy(profile.value_name().0).into_owned(), samples > 0)
    };
    for text in [format!("{message}{HEAP}"), format!("{HEAP}{message}"), HEAP.to_owned()] {
        assert_eq!(names(&text), ("inuse_space".to_owned(), true), "{text}");
    }
    // Goroutines are what is looked at first, also where there are none.
    let goroutine = "goroutine 7 [select]:\nmain.f()\n\t/src/a.go:3 +0x1d\n\n";
    for (text, any) in [
        (format!("{message}{goroutine}{HEAP}"), true),
        (format!("{HEAP}panic: x\n\n{goroutine}"), true),
        (format!("{HEAP}goroutine profile: total 0\n"), false),
        (message.to_owned(), false),
    ] {
        assert_eq!(names(&text), ("goroutine".to_owned(), any), "{text}");
    }
}

/// Of the files of these folders.
fn profiles() -> Vec<String> {
    let folders =
        ["count", "values"].map(|name| format!("{}/testdata/{name}", env!("CARGO_MANIFEST_DIR")));
    let files = folders.iter().flat_map(|folder| std::fs::read_dir(folder).expect("it is there"));
    let paths = files.map(|file| file.expect("it can be read").path());
    let texts = paths.filter(|path| path.extension().is_some_and(|end| end == "txt"));
    texts.map(|path| std::fs::read_to_string(path).expect("it is text")).collect()
}

/// The systemd journal drops blank lines, and programs trim what they log.
#[test]
fn a_message_directly_behind_the_last_record_is_no_line_of_it() {
    let all = profiles();
    assert!(all.len() > 10);
    for profile in all {
        let trimmed = profile.trim_end();
        let without_blanks: String = profile
            .lines()
            .filter(|line| !line.is_empty())
            .map(|line| format!("{line}\n"))
            .collect();
        let record =
            |text: &str| serde_json::json!({"level": "info", "msg": text}).to_string() + "\n";
        for message in ["queue depth 3", "done", "retry: worker 7 failed (EOF)"] {
            for text in [
                format!("{without_blanks}{message}\n"),
                format!("{trimmed}\n{message}\nready to serve\n"),
                record(trimmed) + &record(message),
            ] {
                assert!(!is_told(&text), "{text}");
            }
        }
        // Between a record and its blank line.
        if let Some((first, rest)) = profile.split_once("\n\n") {
            let text = format!("{first}\n2026/11/28 10:00:00 tick\ntick\n\n{rest}");
            let values =
                |text: &str| parse(text).samples().map(|(_, sample)| sample.count).sum::<i64>();
            assert_eq!(values(&text), values(&profile), "{text}");
            assert!(!is_told(&text), "{text}");
        }
        // What is left of the next record is another thing, but behind the comments of a heap.
        if !trimmed.lines().next_back().is_some_and(|last| last.starts_with("#\t")) {
            continue;
        }
        for rest in ["c/sync/mutex.go:223", "s:463", "526 3 @ 0x467765", "0x4bc1e9 0x4bc0b6", "26"]
        {
            let text = format!("{trimmed}\n{rest}\n");
            assert!(is_told(&text), "{text}");
        }
    }
}

#[test]
fn numbers_of_a_record_of_contentions_at_the_end_of_a_text_are_told() {
    let whole = "\
--- mutex:
cycles/second=2400000000
sampling period=1
60000 3 @ 0x445c61
#\t0x445c60\tmain.a+0x1\t/src/a.go:1

";
    for prefix in ["", "> ", "    ", "2026-03-04T10:31:41.123456789Z ", "a.log:", "web-1  | "] {
        for numbers in ["50000", "50000 ", "50000 2", "50000 2 ", "50000 2\n"] {
            for end in ["", "\n"] {
                let text = in_log(prefix, &format!("{whole}{numbers}")).join("\n") + end;
                assert!(is_told(&text), "{text}");
            }
        }
        for behind in
            ["", "200\n", "12 34\n", "  12345 67890\n", "70000 12\n", "50000 2\nserver started\n"]
        {
            let text = in_log(prefix, &format!("{whole}{behind}")).join("\n") + "\n";
            assert!(!is_told(&text), "{text}");
        }
    }
}

#[test]
fn a_message_of_a_ci_job_directly_below_a_profile_is_no_part_of_it() {
    for message in
        ["##[error]Process completed with exit code 1.", "##[group]Run x", "##[endgroup]"]
    {
        let text = format!("{PROFILE}{message}\n");
        assert!(!is_told(&text), "{text}");
        let (cut, _) = text.split_once("\t0x4cbea7").unwrap();
        assert!(is_told(format!("{cut}\n{message}\n")), "{message}");
    }
}
