//! `check --watch`, of a server that answers with another dump each time. What it and `capture --watch` do with
//! real processes of Go is for tests/go/watch.py, which needs toolchains.

use crate::destinations::is_ignored;
use crate::http::{Server, answer};
use crate::sandbox::{Ran, Sandbox, stackgazer};
use crate::schema::{assert_valid, validator};
use serde_json::Value;
use std::io::Write;
use std::process::{Command, Output, Stdio};
use std::time::Duration;

/// As many goroutines that stay.
fn dump(count: u64) -> Vec<u8> {
    let blocked = |id| format!("goroutine {id} [select]:\nmain.work(0x1)\n\t/src/a.go:9 +0x1d\n\n");
    answer("200 OK", "", (10..10 + count).map(blocked).collect::<String>())
}

fn watch(server: &Server, more: &[&str]) -> Ran {
    let url = server.url("/debug/pprof/goroutine?debug=2");
    let watch = ["check", &url, "--every", "0.001s", "-o", "json", "--watch"];
    stackgazer(watch.iter().chain(more))
}

fn points(document: &Value) -> usize {
    assert_valid(&validator("check"), document, "a series");
    document["points"].as_array().expect("points").len()
}

#[test]
fn growth_that_is_proved_ends_the_series() {
    let server = Server::start((1..20).map(|time| dump(10 * time)).collect());
    let ran = watch(&server, &["20"]).code(1);
    let document = ran.json();
    assert_eq!(points(&document), 5);
    assert_eq!(document["findings"][0]["check"], "growth");
    assert_eq!(document["findings"][0]["counts"], serde_json::json!([10, 20, 30, 40, 50]));
    ran.says("note: 5 captures of 20: growth is proved\n");
    assert_eq!(server.requests.try_iter().count(), 5);
}

#[test]
fn growth_that_may_pass_ends_nothing() {
    // Not at every step: a warning.
    let counts = [10, 20, 28, 41, 39, 60, 71];
    let ran = watch(&Server::start(counts.map(dump).to_vec()), &["7"]).code(0);
    let document = ran.json();
    assert_eq!(points(&document), 7);
    assert_eq!(document["findings"][0]["level"], "warning");
    ran.says("note: 7 captures\n");
    let server = Server::start(counts.map(dump).to_vec());
    let ran = watch(&server, &["7", "--fail-on", "note"]).code(1);
    assert_eq!(points(&ran.json()), 3);
}

#[test]
fn a_series_that_does_not_grow_passes_when_it_ends() {
    let server = Server::start(vec![dump(40); 9]);
    let ran = watch(&server, &["6"]).code(0);
    assert_eq!(points(&ran.json()), 6);
    assert_eq!(server.requests.try_iter().count(), 6);
}

#[test]
fn what_was_read_before_a_server_failed_is_judged_and_the_failure_told() {
    let mut answers = vec![dump(40); 3];
    answers.push(answer("503 Service Unavailable", "", "too many"));
    let ran = watch(&Server::start(answers), &["6"]).code(2);
    assert_eq!(points(&ran.json()), 3);
    ran.says("503").says("note: 3 captures of 6\n");
    // Reports are written whether anything was read or not.
    let failed = vec![answer("503 Service Unavailable", "", "too many")];
    let ran = watch(&Server::start(failed), &["6"]).code(2);
    let document = ran.json();
    assert_eq!((points(&document), &document["verdict"]), (0, &Value::from("fail")));
    ran.says("503").says("note: 0 captures of 6\n");
}

#[test]
fn where_no_thread_can_start_neither_a_series_nor_one_request_panics() {
    let server = Server::start((1..3).map(dump).collect());
    let url = server.url("/debug/pprof/goroutine?debug=2");
    // More than there is of addresses for the stack of a thread.
    let stack = (1_u64 << 47).to_string();
    for (more, what) in [(&["--watch"][..], "each capture"), (&[], "look up the host")] {
        let way = ["check", &url].into_iter().chain(more.iter().copied());
        let ran = Sandbox::new().run_with(way, b"", &[("RUST_MIN_STACK", &stack)]);
        ran.code(2).no_panic().says("needs a thread").says(what);
    }
    assert_eq!(server.requests.try_iter().count(), 0);
}

#[test]
fn what_is_not_live_is_not_watched() {
    let sandbox = Sandbox::new();
    sandbox.file("dump.txt", "goroutine 1 [select]:\nmain.work()\n\t/src/a.go:9\n");
    let run = |arguments: &[&str]| sandbox.run(["check"].iter().chain(arguments)).code(2);
    run(&["dump.txt", "--watch"])
        .says("--watch: dump.txt stays as it is; name a process (pid:1234)");
    run(&["pid:1", "pid:2", "--watch"]).says("--watch: takes one input, not 2");
    run(&["--watch", "pid:1"]).says("write --watch=20, or --watch alone behind the input");
    run(&["pid:1", "--watch", "0"]).says("write --watch=20");
    run(&["pid:1", "--watch", "--fleet"]).says("cannot be used with");
    run(&["pid:1", "--every", "1s"]).says("--watch");
    run(&["pid:1", "--watch", "--every", "10"]).says("isn't a time");
    run(&["pid:2147483646", "--watch"]).says("pid:2147483646: no such process");
}

/// A series without an end, sent a signal when it has asked so many times.
fn interrupted(server: &Server, signal: &str, asked: usize) -> Output {
    let folder = Sandbox::new();
    let child = Command::new(env!("CARGO_BIN_EXE_stackgazer"))
        .args(["check", &server.url("/"), "-o", "json", "--watch", "--every", "0.05s"])
        .args(["--report", "junit=leaks.xml", "--http-timeout", "20"])
        .current_dir(folder.path())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("stackgazer starts");
    for _ in 0..asked {
        server.requests.recv_timeout(Duration::from_secs(60)).expect("a request");
    }
    let process = child.id().to_string();
    Command::new("kill").args(["-s", signal, &process]).status().expect("kill");
    let output = child.wait_with_output().expect("an end");
    assert_eq!(folder.path().join("leaks.xml").exists(), !output.stdout.is_empty(), "{output:?}");
    output
}

/// The signals that end a series and reach a process that this test starts.
fn signals() -> impl Iterator<Item = &'static str> {
    let arrives = |&(number, signal): &(u32, &str)| {
        if is_ignored(number) {
            let why = format!("whoever started this test has it ignore SIG{signal}");
            let _ = writeln!(std::io::stderr(), "skipped: {why}");
        }
        !is_ignored(number)
    };
    [(2, "INT"), (15, "TERM")].into_iter().filter(arrives).map(|(_, signal)| signal)
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn a_signal_ends_the_series_and_what_was_read_is_judged() {
    for signal in signals() {
        let server = Server::start(vec![dump(40); 10_000]);
        let output = interrupted(&server, signal, 4);
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        let document = serde_json::from_slice(&output.stdout).expect("a document");
        let interrupted = usize::from(said(&output).contains("; another was interrupted"));
        let read = 4 + server.requests.try_iter().count() - interrupted;
        assert_eq!(points(&document), read);
        assert_eq!(document["verdict"], "pass");
        assert!(said(&output).contains(&format!("note: {read} captures")), "{output:?}");
    }
}

#[test]
fn a_signal_ends_the_series_while_the_server_does_not_answer() {
    for signal in signals() {
        let server = Server::answering([vec![Some(dump(40)); 3], vec![None]].concat());
        let output = interrupted(&server, signal, 4);
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        let document = serde_json::from_slice(&output.stdout).expect("a document");
        assert_eq!((points(&document), &document["verdict"]), (3, &"pass".into()));
        let note =
            "note: 3 captures; another was interrupted while it was read, and isn't judged\n";
        assert!(said(&output).contains(note), "{output:?}");
    }
}

#[test]
fn a_signal_before_the_first_answer_leaves_nothing_to_judge() {
    for signal in signals() {
        let output = interrupted(&Server::answering(vec![None]), signal, 1);
        assert_eq!(output.status.code(), Some(2), "{output:?}");
        assert!(output.stdout.is_empty(), "{output:?}");
        assert!(said(&output).contains("nothing was read before it was interrupted"), "{output:?}");
    }
}
