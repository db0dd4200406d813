//! Each well-known leak, at the end of a test binary and in a running HTTP server, in dumps of seven
//! versions of Go: what `check` must find of it, and that nothing is found in the healthy twins.

use crate::leaks::dump;
use crate::sandbox::Sandbox;
use serde_json::Value;

/// The versions of Go that made the dumps of `testdata/leaks/matrix`.
const VERSIONS: [&str; 7] =
    ["go1.21.13", "go1.22.10", "go1.23.9", "go1.24.11", "go1.25.5", "go1.26.6", "go1.27.3"];

/// Dumps of the server, after each round of two requests.
const SERIES: [&str; 5] = ["1.txt", "2.txt", "3.txt", "4.txt", "5.txt"];

/// A leak of `testdata/leaks/matrix/leaks`.
struct Leak {
    name: &'static str,
    /// How the function begins that the goroutines are blocked in.
    function: &'static str,
    /// Goroutines that each request leaves.
    each: i64,
    /// Those that it has more or less of.
    offset: i64,
    /// A check that finds it by what it is, besides `leftover` and `growth`.
    proof: Option<&'static str>,
}

const fn leak(name: &'static str, function: &'static str) -> Leak {
    Leak { name, function, each: 1, offset: 0, proof: None }
}

/// All of them, in the order of the program.
const LEAKS: [Leak; 22] = [
    leak("stranded-sender", "example.com/matrix/leaks.sendPrice"),
    leak("unanswered-receive", "example.com/matrix/leaks.awaitAnswer"),
    leak("unclosed-range", "example.com/matrix/leaks.weigh"),
    leak("select-without-exit", "example.com/matrix/leaks.sortForever"),
    leak("time-after-loop", "example.com/matrix/leaks.remind"),
    leak("ticker-loop", "example.com/matrix/leaks.tick"),
    leak("forgotten-cancel", "example.com/matrix/leaks.watch"),
    Leak { proof: Some("nil-channel"), ..leak("nil-channel", "example.com/matrix/leaks.listen") },
    Leak {
        proof: Some("empty-select"),
        ..leak("empty-select", "example.com/matrix/leaks.stayForever")
    },
    leak("sleep-loop", "example.com/matrix/leaks.sleepOn"),
    // One of three is received.
    Leak { each: 2, ..leak("fan-out", "example.com/matrix/leaks.askCarrier") },
    leak("signal-loop", "example.com/matrix/leaks.reload"),
    // The one that has forgotten the lock is gone.
    Leak { offset: -1, ..leak("lost-lock", "example.com/matrix/leaks.(*stock).take") },
    leak("lock-per-request", "example.com/matrix/leaks.(*prices).refresh"),
    leak("wait-group", "example.com/matrix/leaks.awaitMembers"),
    leak("condition", "example.com/matrix/leaks.awaitFull"),
    leak("response-body", "net/http.(*persistConn).readLoop"),
    leak("test-server", "net/http/httptest.(*Server).goServe.func"),
    leak("http-server", "example.com/matrix/leaks.serve"),
    // One more that all requests share, and that isn't closed either.
    Leak { offset: 1, ..leak("sql-db", "database/sql.(*DB).connectionOpener") },
    leak("sql-rows", "database/sql.(*Rows).awaitDone"),
    leak("exec-pipe", "os/exec.(*Cmd).Start.func"),
];

/// Checks files of a folder of an archive; the arguments that don't name any stay as they are.
#[track_caller]
fn check(version: &str, folder: &str, arguments: &[&str], code: i32) -> Vec<Value> {
    let sandbox = Sandbox::new();
    for name in arguments.iter().filter(|name| name.ends_with(".txt")) {
        sandbox.file(name, dump(&format!("matrix/{version}"), &format!("{folder}/{name}")));
    }
    let document = sandbox.run([&["check", "-o", "json"], arguments].concat()).code(code).json();
    document["findings"].as_array().expect("findings").clone()
}

/// Errors of a check about a leak.
fn errors<'f>(findings: &'f [Value], check: &str, leak: &Leak) -> Vec<&'f Value> {
    let function = |one: &Value| one["function"].as_str().unwrap_or_default().to_owned();
    findings
        .iter()
        .filter(|one| one["level"] == "error" && one["check"] == check)
        .filter(|one| function(one).starts_with(leak.function))
        .collect()
}

/// No error is about anything else.
#[track_caller]
fn assert_only_leaks(findings: &[Value], what: &str) {
    for one in findings.iter().filter(|one| one["level"] != "note") {
        let function = one["function"].as_str().unwrap_or_default();
        assert!(LEAKS.iter().any(|leak| function.starts_with(leak.function)), "{what}: {one:#}");
    }
}

#[test]
fn what_tests_leave_behind_is_an_error() {
    for version in VERSIONS {
        for file in ["end.txt", "end.debug1.txt"] {
            let findings = check(version, "test", &["--at-end", file], 1);
            for leak in &LEAKS {
                let what = format!("{version} {file} {}", leak.name);
                let left: i64 = errors(&findings, "leftover", leak)
                    .iter()
                    .map(|one| one["found"].as_i64().expect("a number"))
                    .sum();
                assert_eq!(left, 2 * leak.each + leak.offset, "{what}");
                if let (Some(proof), "end.txt") = (leak.proof, file) {
                    assert_eq!(errors(&findings, proof, leak).len(), 1, "{what}: no {proof}");
                }
            }
            assert_only_leaks(&findings, &format!("{version} {file}"));
        }
    }
}

#[test]
fn what_a_running_server_gathers_is_an_error() {
    for version in VERSIONS {
        let findings = check(version, "server", &SERIES, 1);
        for leak in &LEAKS {
            let what = format!("{version} {}", leak.name);
            let grown = errors(&findings, "growth", leak);
            let [growth] = grown.as_slice() else { panic!("{what}: {grown:#?}") };
            let mut counts: Vec<i64> =
                (1..=5).map(|round| 2 * leak.each * round + leak.offset).collect();
            if leak.name == "lock-per-request" {
                // The first writer waits for readers, the others for it.
                counts.iter_mut().for_each(|count| *count -= 1);
            }
            assert_eq!(growth["counts"], serde_json::json!(counts), "{what}");
            if let Some(proof) = leak.proof {
                assert_eq!(errors(&findings, proof, leak).len(), 1, "{what}: no {proof}");
            }
        }
        assert_only_leaks(&findings, version);
    }
}

#[test]
fn nothing_is_found_in_the_healthy_twins() {
    for version in VERSIONS {
        let mut ways: Vec<(&str, Vec<&str>)> = vec![
            ("healthy-test", vec!["--at-end", "end.txt"]),
            ("healthy-test", vec!["--at-end", "end.debug1.txt"]),
            ("healthy-server", SERIES.to_vec()),
        ];
        ways.extend(SERIES.map(|file| ("healthy-server", vec![file])));
        for (folder, way) in ways {
            let findings = check(version, folder, &way, 0);
            assert_eq!(findings, [] as [Value; 0], "{version} {folder} {way:?}");
        }
    }
}
