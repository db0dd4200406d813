//! Planted leaks are found by the checks that should find them, in dumps of four versions of Go, and
//! nothing is in their healthy twin or in a busy server.

use crate::sandbox::{Sandbox, member, testdata};
use serde_json::Value;

/// The versions of Go that made the dumps of `testdata/leaks`.
pub(crate) const VERSIONS: [&str; 4] = ["go1.24.11", "go1.25.5", "go1.26.6", "go1.27.3"];

/// After each round of work.
const SERIES: [&str; 6] = ["1.txt", "2.txt", "3.txt", "4.txt", "5.txt", "6.txt"];

/// A mistake, where it blocks, how many are left at the end, and the shape that gives it away.
struct Mistake {
    name: &'static str,
    function: &'static str,
    left: i64,
    shape: Option<&'static str>,
}

const MISTAKES: [Mistake; 8] = [
    Mistake {
        name: "premature-return",
        function: "main.quote.func1",
        left: 30,
        shape: Some("stranded-sender"),
    },
    Mistake {
        name: "abandoned-sender",
        function: "main.listParcels",
        left: 30,
        shape: Some("stranded-sender"),
    },
    Mistake {
        name: "unclosed-range",
        function: "main.weigh",
        left: 60,
        shape: Some("unclosed-range"),
    },
    Mistake {
        name: "broadcast",
        function: "main.askCarrier",
        left: 60,
        shape: Some("stranded-sender"),
    },
    Mistake { name: "forgotten-cancel", function: "main.(*depot).watch", left: 30, shape: None },
    // The one that has forgotten the lock is gone.
    Mistake {
        name: "lost-lock",
        function: "main.(*stock).take",
        left: 29,
        shape: Some("lock-pile-up"),
    },
    Mistake { name: "growing-pool", function: "main.(*pool).work", left: 30, shape: None },
    Mistake { name: "ticker", function: "main.(*line).keepAlive", left: 30, shape: None },
];

/// One file of an archive.
pub(crate) fn dump(version: &str, name: &str) -> Vec<u8> {
    member(&format!("leaks/{version}.zip"), name)
}

/// Checks files of a folder of an archive; the arguments that don't name any stay as they are.
#[track_caller]
fn check(version: &str, folder: &str, arguments: &[&str], code: i32) -> Value {
    let sandbox = Sandbox::new();
    for name in arguments.iter().filter(|name| name.ends_with(".txt")) {
        sandbox.file(name, dump(version, &format!("{folder}/{name}")));
    }
    let arguments = [&["check", "-o", "json"], arguments].concat();
    sandbox.run(arguments).code(code).json()
}

fn findings(document: &Value) -> &[Value] {
    document["findings"].as_array().expect("findings")
}

/// The mistake is the only error, found by this check, and the number is right.
#[track_caller]
fn assert_found(document: &Value, check: &str, mistake: &Mistake, version: &str) {
    let what = format!("{version} {}", mistake.name);
    let errors: Vec<&Value> =
        findings(document).iter().filter(|one| one["level"] == "error").collect();
    let [error] = errors.as_slice() else { panic!("{what}: {errors:#?}") };
    assert_eq!(error["check"], check, "{what}");
    assert_eq!(error["function"], mistake.function, "{what}");
    let counts = error["counts"].as_array().expect("counts");
    assert_eq!(counts.last().expect("a count"), mistake.left, "{what}");
    // Nothing else in the program is to blame for anything.
    for one in findings(document) {
        assert_eq!(one["function"], mistake.function, "{what}: {one:#}");
    }
}

#[test]
fn what_grows_with_every_round_is_an_error() {
    for version in VERSIONS {
        for mistake in &MISTAKES {
            let document = check(version, mistake.name, &SERIES, 1);
            assert_found(&document, "growth", mistake, version);
            assert_eq!(findings(&document)[0]["counts"].as_array().expect("counts").len(), 6);
        }
    }
}

#[test]
fn what_is_left_at_the_end_is_an_error_and_its_shape_is_seen() {
    for version in VERSIONS {
        for mistake in &MISTAKES {
            let document = check(version, mistake.name, &["--at-end", "end.txt"], 1);
            assert_found(&document, "leftover", mistake, version);
            if let Some(shape) = mistake.shape {
                let seen = findings(&document).iter().any(|one| one["check"] == shape);
                assert!(seen, "{version} {}: no {shape}", mistake.name);
            }
        }
    }
}

#[test]
fn what_still_carries_the_label_of_a_request_is_an_error() {
    for version in VERSIONS {
        for mistake in &MISTAKES {
            let arguments = ["--leak-label", "request", "end.debug1.txt"];
            let document = check(version, mistake.name, &arguments, 1);
            assert_found(&document, "leak-label", mistake, version);
        }
    }
}

#[test]
fn what_the_runtime_proves_is_an_error() {
    for mistake in &MISTAKES {
        let arguments = ["--require-leak-profile", "end.leak.debug1.txt"];
        let document = check("go1.27.3", mistake.name, &arguments, 1);
        assert_found(&document, "leaked", mistake, "go1.27.3");
    }
}

#[test]
fn nothing_is_found_in_the_healthy_twin() {
    for version in VERSIONS {
        let mut ways: Vec<Vec<&str>> = vec![
            SERIES.to_vec(),
            vec!["--at-end", "end.txt"],
            vec!["--leak-label", "request", "end.debug1.txt"],
            // A round is not the end, but no check may mind what is under way.
            vec!["6.txt"],
        ];
        if version == "go1.27.3" {
            ways.push(vec!["--require-leak-profile", "end.leak.debug1.txt"]);
        }
        for way in ways {
            let document = check(version, "healthy", &way, 0);
            assert_eq!(findings(&document), [] as [Value; 0], "{version} {way:?}");
            assert_eq!(document["verdict"], "pass");
        }
    }
}

#[test]
fn a_busy_server_passes_without_any_allow_list() {
    let load = ["1-before.txt", "2-load.txt", "3-load.txt", "4-load.txt", "5-load.txt"];
    for version in VERSIONS {
        for points in
            [&["1-before.txt", "6-after.txt"][..], &[&load[..], &["6-after.txt"]].concat()]
        {
            let arguments = [&["--no-default-allow"][..], points].concat();
            let document = check(version, "server", &arguments, 0);
            assert_eq!(findings(&document), [] as [Value; 0], "{version} {points:?}");
        }
        let end = check(version, "server", &["--at-end", "7-end.txt"], 0);
        assert_eq!(findings(&end), [] as [Value; 0], "{version}");
    }
}

#[test]
fn growth_is_found_in_dumps_of_which_only_some_print_ids() {
    let sandbox = Sandbox::new();
    for mix in ["22222222", "21212121", "22212221", "12121212", "11111111"] {
        let files: Vec<String> = (1..).zip(mix.chars()).map(|(point, form)| {
            let count = 3 * point;
            let text = match form {
                '2' => (1..=count).map(|id| {
                    format!("goroutine {id} [select]:\nmain.f()\n\t/a.go:3 +0x1\n\n")
                }).collect(),
                _ => format!("goroutine profile: total {count}\n{count} @ 0x1\n#\t0x1\tmain.f+0x1\t/a.go:3\n"),
            };
            let name = format!("{mix}-{point}.txt");
            sandbox.file(&name, text);
            name
        }).collect();
        let mut command = vec!["check", "-o", "json"];
        command.extend(files.iter().map(String::as_str));
        let found = sandbox.run(command).code(1).json();
        assert_eq!(found["findings"][0]["check"], "growth", "{mix}");
    }
}

#[test]
fn the_members_of_an_archive_are_a_series() {
    let archive = testdata("leaks/go1.26.6.zip");
    let archive = archive.to_str().expect("UTF-8");
    let series = ["check", "-o", "json", "--series", archive, "--member"];
    let sandbox = Sandbox::new();
    let ticker = sandbox.run([&series[..], &["ticker/?.txt"]].concat()).code(1).json();
    assert_eq!(findings(&ticker)[0]["counts"], serde_json::json!([5, 10, 15, 20, 25, 30]));
    sandbox.run([&series[..], &["healthy/?.txt"]].concat()).code(0);
}

#[test]
fn a_leak_profile_that_is_required_must_be_there() {
    let document = check("go1.27.3", "healthy", &["--require-leak-profile", "end.txt"], 2);
    assert_eq!(document["verdict"], "fail");
}
