//! `check --report FORMAT=FILE`: every format, whatever the verdict.

use crate::leaks::dump;
use crate::sandbox::{Sandbox, testdata};
use crate::schema::{assert_valid, validator};
use serde_json::Value;

const FORMATS: [&str; 7] = ["sarif", "junit", "github", "gitlab", "markdown", "json", "html"];

/// Checks one dump as the last of a run and writes every report into its own file.
fn reports(sandbox: &Sandbox, code: i32, arguments: &[&str]) {
    let files: Vec<String> = FORMATS.map(|format| format!("--report={format}=out.{format}")).into();
    let mut all = vec!["check", "--today", "2026-11-21"];
    all.extend(files.iter().map(String::as_str));
    all.extend(arguments);
    sandbox.run(all).code(code);
}

fn read(sandbox: &Sandbox, format: &str) -> String {
    let path = sandbox.path().join(format!("out.{format}"));
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{format}: {error}"))
}

fn json(sandbox: &Sandbox, format: &str) -> Value {
    serde_json::from_str(&read(sandbox, format)).expect("JSON")
}

/// What the official schema of SARIF asks for.
fn sarif() -> jsonschema::Validator {
    let schema = std::fs::read_to_string(testdata("schemas/sarif-2.1.0-rtm.5.json"));
    // A bracket too many in it: a pattern that ECMAScript takes literally and Rust refuses.
    let schema = schema.expect("a schema").replace("[a-zA-Z]{2}]?$", "[a-zA-Z]{2}$");
    jsonschema::draft4::new(&serde_json::from_str(&schema).expect("JSON")).expect("a schema")
}

#[test]
fn of_a_deep_stack_a_report_is_written_in_little_memory() {
    let sandbox = Sandbox::new();
    let mut dump = String::from("goroutine 9 [chan send (nil chan)]:\n");
    for depth in 0..120_000 {
        dump += &format!("main.f{depth}(0x1)\n\t/src/a{depth}.go:{depth} +0x1\n");
    }
    sandbox.file("deep.txt", dump);
    let arguments = ["check", "--report", "sarif=out.sarif", "deep.txt"];
    sandbox.run_small(arguments).code(1);
    let frames = &json(&sandbox, "sarif")["runs"][0]["results"][0]["stacks"][0]["frames"];
    assert_eq!(frames.as_array().map(Vec::len), Some(120_000));
}

#[test]
fn a_leak_is_in_every_report() {
    let sandbox = Sandbox::new();
    sandbox.file("go.mod", "module example.com/parcels\n");
    sandbox.file("end.txt", dump("go1.27.3", "lost-lock/end.txt"));
    reports(&sandbox, 1, &["--at-end", "end.txt"]);

    let log = json(&sandbox, "sarif");
    assert_valid(&sarif(), &log, "sarif");
    let result = &log["runs"][0]["results"][0];
    assert_eq!(result["ruleId"], "leftover");
    let place = &result["locations"][0]["physicalLocation"]["artifactLocation"];
    assert_eq!(place["uri"], "mistakes.go");
    assert_eq!(place["uriBaseId"], "%SRCROOT%");

    let document = json(&sandbox, "json");
    assert_valid(&validator("check"), &document, "json");
    let printed = sandbox.run(["check", "--at-end", "end.txt", "-o", "json"]).code(1);
    assert_eq!(read(&sandbox, "json").as_bytes(), printed.stdout);

    let annotations = read(&sandbox, "github");
    assert!(annotations.starts_with("::error file=mistakes.go,line="), "{annotations}");
    assert!(read(&sandbox, "html").starts_with("<!doctype html>"));
    assert!(read(&sandbox, "junit").contains("<failure "));
    assert!(read(&sandbox, "markdown").starts_with("## ❌ stackgazer check: fail\n"));
    assert_eq!(json(&sandbox, "gitlab")[0]["location"]["path"], "mistakes.go");
}

#[cfg(target_os = "linux")]
#[test]
fn a_go_mod_is_opened_only_for_a_report() {
    use rustix::fs::inotify;
    let sandbox = Sandbox::new();
    sandbox.file("go.mod", "module example.com/parcels\n");
    sandbox.file("dump.txt", "goroutine 1 [running]:\nmain.main()\n\t/src/a.go:3 +0x1d\n");
    let is_opened = |arguments: &[&str]| {
        let watch = inotify::init(inotify::CreateFlags::NONBLOCK).expect("a watch");
        inotify::add_watch(&watch, sandbox.path(), inotify::WatchFlags::OPEN).expect("a watch");
        sandbox.run(arguments).code(0);
        let mut buffer = [std::mem::MaybeUninit::uninit(); 4096];
        let mut events = inotify::Reader::new(watch, &mut buffer);
        let mut opened = Vec::new();
        while let Ok(event) = events.next() {
            opened.extend(event.file_name().map(|name| name.to_string_lossy().into_owned()));
        }
        assert!(opened.iter().any(|name| name == "dump.txt"), "{arguments:?}: {opened:?}");
        opened.iter().any(|name| name == "go.mod")
    };
    for format in FORMATS {
        let report = format!("--report={format}=out.{format}");
        assert!(is_opened(&["check", "dump.txt", &report]), "{format}");
    }
    for more in [&[][..], &["-o", "json"], &["--to", "out"], &["--write-baseline", "base"]] {
        let arguments = [&["check", "dump.txt"], more].concat();
        assert!(!is_opened(&arguments), "{arguments:?}");
    }
    assert!(!is_opened(&["summarize", "dump.txt"]));
}

#[test]
fn a_pass_is_reported_too() {
    let sandbox = Sandbox::new();
    sandbox.file("end.txt", dump("go1.27.3", "healthy/end.txt"));
    reports(&sandbox, 0, &["--at-end", "end.txt"]);
    let log = json(&sandbox, "sarif");
    assert_valid(&sarif(), &log, "sarif");
    assert_eq!(log["runs"][0]["results"], serde_json::json!([]));
    assert!(!log["runs"][0]["tool"]["driver"]["rules"].as_array().expect("rules").is_empty());
    assert_eq!(read(&sandbox, "github"), "");
    assert_eq!(read(&sandbox, "gitlab"), "[]\n");
    assert!(!read(&sandbox, "junit").contains("<failure"));
    assert!(read(&sandbox, "markdown").starts_with("## ✅ stackgazer check: pass\n"));
    assert_valid(&validator("check"), &json(&sandbox, "json"), "json");
}

#[test]
fn what_could_not_be_read_is_reported_and_the_rest_as_well() {
    let dump = dump("go1.27.3", "lost-lock/end.txt");
    for (name, bytes) in [
        ("empty.txt", &b""[..]),
        ("unknown.txt", b"hello\n"),
        ("cut.txt", &dump[..dump.len() * 2 / 3]),
    ] {
        let sandbox = Sandbox::new();
        sandbox.file("end.txt", &dump);
        sandbox.file(name, bytes);
        reports(&sandbox, 2, &["--at-end", "end.txt", name]);
        unread(&sandbox, name);
    }
    let sandbox = Sandbox::new();
    reports(&sandbox, 2, &["--at-end", "missing.txt"]);
    unread(&sandbox, "missing.txt");
}

#[track_caller]
fn unread(sandbox: &Sandbox, name: &str) {
    let log = json(sandbox, "sarif");
    assert_valid(&sarif(), &log, name);
    assert_eq!(log["runs"][0]["invocations"][0]["executionSuccessful"], false, "{name}");
    assert_eq!(json(sandbox, "json")["verdict"], "fail");
    assert!(read(sandbox, "junit").contains("<error "), "{name}");
    assert!(read(sandbox, "github").starts_with("::error title=stackgazer check::"), "{name}");
    assert!(read(sandbox, "markdown").contains("could not be decided"), "{name}");
}

#[test]
fn reports_do_not_depend_on_threads() {
    let bundle = testdata("bundle.zip");
    let bundle = bundle.to_str().expect("UTF-8");
    let first = Sandbox::new();
    reports(&first, 1, &["-j1", bundle]);
    let second = Sandbox::new();
    reports(&second, 1, &["-j4", bundle]);
    for format in FORMATS {
        assert_eq!(read(&first, format), read(&second, format), "{format}");
    }
    assert_valid(&sarif(), &json(&first, "sarif"), "the bundle");
    assert_valid(&validator("check"), &json(&first, "json"), "the bundle");
}

#[test]
fn fingerprints_stay_when_lines_move() {
    let fingerprint = |text: &str| {
        let sandbox = Sandbox::new();
        sandbox.file("end.txt", text);
        reports(&sandbox, 1, &["--at-end", "end.txt"]);
        let log = json(&sandbox, "sarif");
        log["runs"][0]["results"][0]["partialFingerprints"].clone()
    };
    let text = String::from_utf8(dump("go1.27.3", "broadcast/end.txt")).expect("UTF-8");
    let moved = text.replace("mistakes.go:1", "mistakes.go:3");
    assert_ne!(text, moved);
    assert_eq!(fingerprint(&text), fingerprint(&moved));
}

#[test]
fn with_a_baseline_the_known_is_suppressed_and_the_rest_is_new() {
    let sandbox = Sandbox::new();
    sandbox.file("old.txt", dump("go1.27.3", "broadcast/end.txt"));
    sandbox.file("new.txt", dump("go1.27.3", "ticker/end.txt"));
    let written = ["check", "--at-end", "old.txt", "--write-baseline", "known.toml"];
    sandbox.run(written).code(0);
    reports(&sandbox, 0, &["--at-end", "old.txt", "--baseline", "known.toml"]);
    let log = json(&sandbox, "sarif");
    assert_valid(&sarif(), &log, "a baseline");
    let known = &log["runs"][0]["results"][0];
    assert_eq!(known["baselineState"], "unchanged");
    assert_eq!(known["suppressions"][0]["status"], "accepted");
    reports(&sandbox, 1, &["--at-end", "new.txt", "--baseline", "known.toml"]);
    assert_eq!(json(&sandbox, "sarif")["runs"][0]["results"][0]["baselineState"], "new");
}

#[test]
fn a_report_that_can_not_be_written_is_told_first() {
    let sandbox = Sandbox::new();
    for report in ["sarif=no/such/folder/x", "pdf=x", "junit="] {
        let ran = sandbox.run(["check", "--report", report, "missing.txt"]).code(2);
        assert!(!ran.stderr.contains("missing.txt"), "{}", ran.stderr);
    }
    let two = ["check", "--report", "github", "--report", "junit", "missing.txt"];
    sandbox.run(two).code(2).says("second document on stdout");
    sandbox.run(["check", "-o", "json", "--report", "github", "missing.txt"]).code(2);
}

#[cfg(target_os = "linux")]
#[test]
fn reports_are_written_even_if_the_answer_or_the_baseline_can_not_be() {
    let sandbox = Sandbox::new();
    sandbox.file("end.txt", dump("go1.25.5", "ticker/end.txt"));
    for lost in ["--to", "--write-baseline"] {
        let report = sandbox.path().join("leaks.json");
        let ran = sandbox
            .run(["check", "--at-end", "end.txt", lost, "/dev/full", "--report", "json=leaks.json"])
            .code(2);
        ran.says("/dev/full: No space left on device");
        assert!(report.exists(), "{lost}");
        std::fs::remove_file(report).expect("a report");
    }
}

#[test]
fn one_report_may_follow_the_table() {
    let sandbox = Sandbox::new();
    sandbox.file("end.txt", dump("go1.25.5", "ticker/end.txt"));
    let ran = sandbox.run(["check", "--at-end", "end.txt", "--report", "github"]).code(1);
    let (table, annotations) = ran.text().split_once("::error ").expect("an annotation");
    assert!(table.starts_with("fail: "), "{table}");
    assert!(annotations.contains("title=leftover%3A "), "{annotations}");
}

#[test]
fn the_order_of_a_fleet_and_of_named_points_does_not_matter() {
    let points = ["1.txt", "2.txt", "3.txt", "4.txt", "5.txt", "6.txt"];
    let shuffled = ["4.txt", "1.txt", "6.txt", "2.txt", "5.txt", "3.txt"];
    for (how, code) in [(&["--fleet"][..], 0), (&["--order", "name"], 1)] {
        let [first, second] = [points, shuffled].map(|order| {
            let sandbox = Sandbox::new();
            for name in points {
                sandbox.file(name, dump("go1.25.5", &format!("ticker/{name}")));
            }
            reports(&sandbox, code, &[how, &order[..]].concat());
            sandbox
        });
        for format in FORMATS {
            assert_eq!(read(&first, format), read(&second, format), "{how:?} {format}");
        }
    }
}

#[test]
fn no_name_of_an_input_is_a_command_to_the_runner() {
    let sandbox = Sandbox::new();
    let goroutine = |id: u64| {
        format!(
            "goroutine {id} [chan send (nil chan)]:\n::stop-commands::x/a.f()\n\t/src/a.go:9 +0x1d\n\n"
        )
    };
    let dump: String = (1..=3).map(goroutine).collect();
    for name in ["::stop-commands::x", "##[group]x"] {
        sandbox.file(name, &dump);
        // No function of Go has that name.
        let ran = sandbox.run(["check", name, "--report", "github"]).code(2);
        let lines: Vec<&str> = ran.text().lines().collect();
        let commands = lines.iter().filter(|line| line.trim_start().starts_with("::"));
        let ours = |line: &&&str| {
            ["::error ", "::warning ", "::notice "].iter().any(|o| line.starts_with(o))
        };
        assert!(
            commands.clone().count() > 0 && commands.clone().all(|line| ours(&line)),
            "{}",
            ran.text()
        );
        let before = lines.iter().take_while(|line| !ours(line));
        assert!(before.clone().all(|line| !line.contains("##[")), "{}", ran.text());
    }
}
