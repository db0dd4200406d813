//! Ways in which a gate could pass though it should fail, or fail though it should pass, and what
//! `check` and the selecting flags say of what isn't there.

use crate::leaks::dump;
use crate::sandbox::{Ran, Sandbox};
use serde_json::Value;
use std::fmt::Write;

/// A dump of goroutines in these states, each with its function, so many of each.
fn goroutines(groups: &[(&str, &str, u32)]) -> String {
    let mut text = String::from("goroutine 1 [select]:\nmain.main()\n\t/src/main.go:5 +0x1\n\n");
    let mut id = 10;
    for (state, function, count) in groups {
        for _ in 0..*count {
            id += 1;
            // Writing to a String can't fail.
            let _ = write!(
                text,
                "goroutine {id} [{state}]:\n{function}()\n\t/src/shop.go:7 +0x1\n\
                 created by main.start in goroutine 1\n\t/src/main.go:9 +0x1\n\n"
            );
        }
    }
    text
}

fn check(sandbox: &Sandbox, arguments: &str) -> Ran {
    sandbox.run(["check"].into_iter().chain(arguments.split_whitespace()))
}

#[test]
fn a_series_of_thousands_of_crashes_is_judged_in_little_memory() {
    let sandbox = Sandbox::new();
    let mut log = String::new();
    for at in 0..8000 {
        log += &format!(
            "panic: x{at}\n\ngoroutine 1 [running]:\nmain.f()\n\t/a.go:1 +0x1\nexit status 2\n"
        );
    }
    sandbox.file("log.txt", log);
    // Each crash printed one goroutine of all, so the gate is blind.
    let ran = sandbox.run_small(["check", "--series", "log.txt"]).code(2);
    assert!(ran.stderr.contains("7999 more like it"), "{}", ran.stderr);
    assert!(ran.text().contains("0 → 0 → 0 → … → 0 → 0 → 0"), "{}", ran.text());
}

#[test]
fn what_the_catalogue_takes_out_is_counted_and_listed() {
    let sandbox = Sandbox::new();
    sandbox.file("end.txt", dump("matrix/go1.27.3", "healthy-test/end.txt"));
    let ran = check(&sandbox, "--at-end end.txt").quiet();
    let says = "1 finding suppressed by built-in entries; --explain-suppressed lists them";
    assert!(ran.text().contains(says), "{}", ran.text());
    let ran = check(&sandbox, "--at-end --explain-suppressed end.txt").quiet();
    for line in [
        "error  leftover  1 goroutine of os/signal.loop is still there after the end",
        "by built-in signals: os/signal waits for signals as long as the program runs",
    ] {
        assert!(ran.text().contains(line), "{}", ran.text());
    }
    let json = check(&sandbox, "--at-end --explain-suppressed -o json end.txt").quiet().json();
    assert_eq!(json["suppressed_built_in"], 1);
    assert_eq!(json["built_in"][0]["function"], "os/signal.loop");
    assert_eq!(json["built_in"][0]["suppressed"]["source"], "built-in signals");
    let json = check(&sandbox, "--at-end -o json end.txt").quiet().json();
    assert_eq!((&json["suppressed_built_in"], json.get("built_in")), (&Value::from(1), None));
    // Without the catalogue it counts, and nothing is suppressed.
    let json = check(&sandbox, "--at-end --no-default-allow -o json end.txt").code(1).json();
    assert_eq!(json["suppressed_built_in"], 0);
}

#[test]
fn what_allow_lists_take_out_is_listed_with_the_entry() {
    let sandbox = Sandbox::new();
    sandbox.file("end.txt", goroutines(&[("select", "shop.work", 3)]));
    sandbox.file("a.toml", "[[allow]]\nfunction = 'shop.work'\nreason = 'the pool'\n");
    let ran = check(&sandbox, "--at-end --allow a.toml --explain-suppressed end.txt").quiet();
    assert!(ran.text().contains("1 finding suppressed by allow-lists or the baseline:"));
    assert!(ran.text().contains("    by a.toml:1: the pool"), "{}", ran.text());
}

#[test]
fn selections_of_what_is_not_there_say_what_is() {
    let sandbox = Sandbox::new();
    sandbox.file("dump.txt", goroutines(&[("chan receive", "shop.work", 3)]));
    for (command, note) in [
        ("filter --state chan\u{a0}recieve", "is in this state; did you mean \"chan receive\"?"),
        ("summarize --kind mutex", "no goroutine is of this kind; there are \"chan-recv\""),
        ("export --category zebra -o json", "no goroutine is of this category"),
        ("filter --label tenant=x", "no goroutine carries any label"),
        ("summarize --input nope.txt", "no goroutine is of this input; there are \"dump.txt\""),
        ("summarize --by label:tenant", "--by label:tenant: no goroutine carries any label"),
    ] {
        let arguments: Vec<String> =
            command.split(' ').map(|word| word.replace('\u{a0}', " ")).collect();
        let arguments = arguments.iter().map(String::as_str).chain(["dump.txt"]);
        sandbox.run(arguments).code(0).says("note: ").says(note);
    }
    // Whatever matches something is quiet, though another condition rejects it.
    let ran = sandbox.run(["filter", "--kind", "chan-recv", "--frame", "nothing", "dump.txt"]);
    assert_eq!(ran.code(0).stderr, "stackgazer: note: no goroutine matches\n");
}

#[test]
fn findings_say_which_of_several_processes_they_are_in() {
    let sandbox = Sandbox::new();
    for (name, count) in [("n1", 2), ("n2", 40), ("n3", 1), ("n4", 3), ("n5", 0)] {
        let text = goroutines(&[("chan send", "shop.work", count)]);
        sandbox.file(format!("fleet/{name}.txt"), text);
    }
    let arguments = "--fleet --at-end --member *.txt fleet";
    let places = "n2.txt (40), n4.txt (3), n1.txt (2) and 1 more";
    let ran = check(&sandbox, arguments).code(1);
    assert!(ran.text().contains(&format!("  in {places}\n")), "{}", ran.text());
    for format in ["markdown", "junit", "github", "gitlab", "sarif"] {
        let to = format!("{arguments} --report {format}=report.txt");
        check(&sandbox, &to).code(1);
        let text = std::fs::read_to_string(sandbox.path().join("report.txt")).expect("a report");
        let text = text.replace("\\(", "(").replace("\\)", ")");
        assert!(text.contains(places), "{format}: {text}");
    }
    let json = check(&sandbox, &format!("{arguments} -o json")).code(1).json();
    let processes = &json["findings"][0]["processes"];
    assert_eq!(processes[0], serde_json::json!({"name": "n2.txt", "count": 40}));
    assert_eq!(processes.as_array().expect("processes").len(), 4);
}

#[test]
fn slips_that_would_let_everything_pass_are_told() {
    let sandbox = Sandbox::new();
    sandbox.file("end.txt", goroutines(&[("select", "shop.work", 3)]));
    sandbox.file("empty.toml", "# none yet\n");
    sandbox.file("typo.toml", "[[allow]]\nfunction = 'shop.wrok'\n");
    // Own code that is nowhere would make a warning of every error.
    check(&sandbox, "--at-end --own ^example.com/shp end.txt")
        .code(2)
        .says("--own matches no function")
        .says("note: --own");
    check(&sandbox, "--own ^example.com/shp end.txt").code(0).says("matches no function");
    check(&sandbox, "--at-end --own ^shop end.txt").code(1);
    check(&sandbox, "--max-goroutines category=nothing:5 end.txt")
        .code(0)
        .says("note: --max-goroutines category=nothing:5: no goroutine has the category");
    check(&sandbox, "--leak-label test end.txt").code(0).says("no goroutine carries any label");
    check(&sandbox, "--allow empty.toml end.txt").code(0).says("holds no [[allow]] entry");
    let ran = check(&sandbox, "--at-end --allow typo.toml end.txt").code(1);
    assert!(ran.text().contains("did you mean \"shop.work\"?"), "{}", ran.text());
    check(&sandbox, "--skip-first 3 end.txt").code(2).says("leaves no point");
    let unread = check(&sandbox, "--at-end missing.txt").code(2);
    assert!(!unread.text().contains("goroutineleak"), "a note on formats: {}", unread.text());
    // The entry has expired; the day after is given.
    sandbox.file("old.toml", "[[allow]]\nfunction = 'shop.work'\nexpires = 2026-01-31\n");
    check(&sandbox, "--at-end --allow old.toml --today 2026-01-31 end.txt").code(0);
    check(&sandbox, "--at-end --allow old.toml --today 2026-02-01 end.txt").code(1);
}

#[test]
fn a_growth_limit_over_different_processes_can_not_be_judged() {
    let sandbox = Sandbox::new();
    for (name, count) in
        [("old/n1/a.txt", 1), ("old/n2/a.txt", 1), ("new/m1/a.txt", 90), ("new/m2/a.txt", 9)]
    {
        sandbox.file(name, goroutines(&[("select", "shop.work", count)]));
    }
    check(&sandbox, "--max-growth 5 --member *.txt old new")
        .code(2)
        .says("--max-growth 5 needs a process that is there at the first and at the last point");
}

#[test]
fn a_leak_limit_needs_a_go_that_can_prove_leaks() {
    let sandbox = Sandbox::new();
    let frame = "runtime.gopark(0x1)\n\t/opt/go1.24.1/src/runtime/proc.go:4 +0x1\n";
    sandbox.file(
        "old.txt",
        format!("goroutine 7 [select]:\n{frame}main.work()\n\t/src/a.go:1 +0x1\n"),
    );
    check(&sandbox, "--max-leaked 0 old.txt").code(2).says("which Go has from 1.26 on");
    check(&sandbox, "--leak-label test old.txt").code(2).says("needs a format that prints labels");
}

#[test]
fn a_baseline_covers_what_was_found_and_not_what_was_there_before() {
    let sandbox = Sandbox::new();
    sandbox.file("1.txt", goroutines(&[("select", "shop.work", 90)]));
    sandbox.file("2.txt", goroutines(&[("select", "shop.work", 3)]));
    sandbox.file("3.txt", goroutines(&[("select", "shop.work", 4)]));
    check(&sandbox, "--at-end --write-baseline base.toml 1.txt 2.txt").code(0);
    let json = check(&sandbox, "--at-end --baseline base.toml 1.txt 2.txt -o json").code(0).json();
    assert_eq!(json["findings"][0]["counts"], serde_json::json!([90, 3]));
    assert_eq!(json["findings"][0]["found"], 3);
    check(&sandbox, "--at-end --baseline base.toml 3.txt").code(1);
}

#[test]
fn the_allow_list_of_the_readme_works() {
    let readme = include_str!("../../README.md");
    let blocks = readme.split("```toml\n").skip(1).filter_map(|text| text.split("```").next());
    let list = blocks.into_iter().find(|block| block.starts_with("[[allow]]")).expect("a list");
    let sweeper = |count| {
        goroutines(&[("select", "example.com/shop/cache.(*Cache).sweep", count)])
            .replace("main.start", "example.com/shop/cache.New")
    };
    let sandbox = Sandbox::new();
    sandbox.file("allowed.toml", list);
    sandbox.file("one.txt", sweeper(1));
    sandbox.file("two.txt", sweeper(2));
    let allowed = "--at-end --allow allowed.toml --today 2027-06-30";
    check(&sandbox, &format!("{allowed} one.txt")).quiet();
    check(&sandbox, &format!("{allowed} two.txt")).code(1);
    check(&sandbox, "--at-end --allow allowed.toml --today 2027-07-01 one.txt").code(1);
}

/// A runner of GitHub takes lines that start with `::`, also behind blanks, and `##[` anywhere, for commands; an agent
/// of Azure `##vso[` anywhere, one of TeamCity `##teamcity[`.
#[test]
fn in_ci_no_name_and_no_line_of_settings_becomes_a_command() {
    let sandbox = Sandbox::new();
    let begins = ["##[group]", "##vso[task.setvariable variable=PATH]", "##teamcity[x 'y']"];
    let dump = format!(
        "panic: {}\n\ngoroutine 1 [running]:\n::error::main.{}f()\n\t/a.go:3 +0x1\n",
        begins.join(" "),
        begins[1],
    );
    let path = "::stop-commands::x/##[group]##vso[a.b]##teamcity[c 'd']y.txt";
    sandbox.file(path, dump);
    sandbox.file("stackgazer.toml", "x = [\n  ::stop-commands::##vso[a.b]tok\n]\n");
    for (variable, value) in
        [("GITHUB_ACTIONS", "true"), ("TF_BUILD", "True"), ("TEAMCITY_VERSION", "2025.07")]
    {
        let runs = |line: &str| match variable {
            "GITHUB_ACTIONS" => line.trim_start().starts_with("::") || line.contains("##["),
            "TF_BUILD" => line.contains("##vso[") || line.contains("##["),
            _ => line.contains("##teamcity["),
        };
        let in_ci = [(variable, value)];
        let mut commands = 0;
        for arguments in [
            &["summarize", "--no-config"][..],
            &["filter", "--no-config"],
            &["filter", "--no-config", "-o", "text"],
            &["filter", "--no-config", "-o", "markdown"],
            &["filter", "--no-config", "--to", "/dev/stderr"],
            &["name", "--no-config"],
            &["tree", "--no-config"],
            &["check", "--no-config"],
            &["check", "--no-config", "--at-end"],
            &["check", "--no-config", "--report", "markdown=-"],
            &["check", "--no-config", "--report", "markdown=/dev/stderr"],
        ] {
            let arguments = [arguments, &[path]].concat();
            let outside = sandbox.run(&arguments);
            commands += outside.text().lines().filter(|line| runs(line)).count();
            let inside = sandbox.run_with(&arguments, b"", &in_ci);
            let all = format!("{}{}", inside.text(), inside.stderr);
            assert!(!all.lines().any(runs), "{variable} {arguments:?}: {all}");
        }
        assert!(commands > 0, "{variable}: nothing that could have run");
        let inside = sandbox.run_with(["summarize", path], b"", &in_ci).code(2);
        assert!(inside.stderr.contains("stop-commands"), "{}", inside.stderr);
        assert!(!inside.stderr.lines().any(runs), "{}", inside.stderr);
        // The errors of clap, which parses arguments.
        let typed = format!("--sort={}", begins.concat());
        let inside = sandbox.run_with(["summarize", &typed, path], b"", &in_ci).code(2);
        assert!(inside.stderr.contains("possible values"), "{}", inside.stderr);
        assert!(!inside.stderr.lines().any(runs), "{}", inside.stderr);
    }
}

#[test]
fn an_input_that_is_missing_is_told_once_and_nothing_is_said_of_goroutines() {
    let sandbox = Sandbox::new();
    let ran = sandbox.run(["check", "missing.txt"]).code(2);
    let missing = "missing.txt: No such file or directory (os error 2)";
    assert_eq!(ran.text().trim(), format!("fail: nothing was read\n  can't be judged: {missing}"));
    assert_eq!(ran.stderr, format!("stackgazer: {missing}\n"));
}

#[test]
fn stacks_of_recovered_panics_alone_are_no_dump_and_do_no_harm_beside_one() {
    let sandbox = Sandbox::new();
    let recovered = |id: u32| {
        format!(
            "goroutine {id} [running]:\nruntime/debug.Stack()\n\t/go/src/runtime/debug/stack.go:26 +0x5e\n\
             main.recovers()\n\t/src/web.go:9 +0x1\npanic({{0x1, 0x2}})\n\t/go/src/runtime/panic.go:785 +0x132\n\
             main.handle()\n\t/src/web.go:{id} +0x1\ncreated by main.start in goroutine 1\n\t/src/main.go:9 +0x1\n\n"
        )
    };
    sandbox.file("dump.txt", goroutines(&[("select", "main.serve", 3)]));
    for message in ["", "2026/01/02 15:04:05 http: panic serving 10.0.0.1:8: boom\n"] {
        sandbox.file("one.log", format!("{message}{}", recovered(7)));
        sandbox.file("two.log", format!("{message}{}{message}{}", recovered(7), recovered(8)));
        sandbox.run(["check", "one.log"]).code(2).says("recovered");
        sandbox.run(["check", "two.log"]).code(2).says("recovered");
        sandbox.run(["check", "one.log", "two.log"]).code(2).says("recovered");
        sandbox.run(["check", "one.log", "dump.txt"]).code(0);
        sandbox.run(["check", "two.log", "dump.txt"]).code(0);
    }
    // The panic that ended the process after one that was recovered, and before one of the next process.
    let ended = "panic: boom\n\ngoroutine 1 [running]:\nmain.main()\n\t/src/main.go:9 +0x1d\n\n";
    for log in [format!("{ended}{}", recovered(7)), format!("{}{ended}", recovered(7))] {
        sandbox.file("ended.log", log);
        sandbox.run(["check", "ended.log"]).code(2);
        sandbox.run(["check", "ended.log", "dump.txt"]).code(2);
    }
    let profile = "goroutine profile: total 1\n1 @ 0x401 0x402 0x403\n#\t0x400\tmain.recovers+0x1\t/src/web.go:9\n\
                   #\t0x401\truntime.gopanic+0x1\t/go/src/runtime/panic.go:785\n#\t0x402\tmain.main+0x1\t/src/web.go:7\n\n";
    sandbox.file("profile.txt", profile);
    sandbox.run(["check", "profile.txt"]).code(0);
}

/// A list made by a script has thousands of them.
#[test]
fn of_many_labels_that_nothing_carries_some_are_noted() {
    let sandbox = Sandbox::new();
    sandbox.file("dump.txt", goroutines(&[("chan receive", "shop.work", 3)]));
    let keys: Vec<String> = (0..3_000).map(|at| format!("label:q{at}")).collect();
    let ran = sandbox.run(["summarize", "--by", &keys.join(","), "dump.txt"]);
    let ran = ran.code(0).says("--by: 2990 more labels that nothing carries");
    assert_eq!(ran.stderr.lines().count(), 11, "{}", ran.stderr);
}
