//! Exit codes, messages, and the promise that the user's mistakes are found first.

use crate::sandbox::{Sandbox, stackgazer, testdata};

#[test]
fn help_lists_every_command() {
    let help = stackgazer(["--help"]).quiet();
    for command in ["summarize", "filter", "name", "tree", "export", "config", "completions", "man"]
    {
        assert!(help.text().contains(command), "{command}");
        assert!(stackgazer([command, "--help"]).quiet().text().contains("Usage:"), "{command}");
    }
}

#[test]
fn manual_pages_are_written_into_a_folder_that_is_made() {
    let sandbox = Sandbox::new();
    sandbox.run(["man", "--dir", "share/man/man1"]).quiet();
    assert!(sandbox.path().join("share/man/man1/stackgazer-filter.1").is_file());
}

#[test]
fn where_nothing_could_be_read_there_is_an_error_and_no_summary() {
    for command in ["summarize", "name", "stacksize"] {
        let ran = stackgazer([command, "missing.txt"]).code(2).says("missing.txt");
        assert_eq!(ran.text(), "", "{command}");
    }
}

#[test]
fn an_unknown_command_or_option_is_wrong_usage() {
    stackgazer(["frobnicate"]).code(2);
    stackgazer(["summarize", "--frobnicate"]).code(2);
}

#[test]
fn mistakes_in_the_users_text_come_before_any_input() {
    let sandbox = Sandbox::new();
    for (flag, text) in [
        ("--where", "state = = \"x\""),
        ("--query", "wait:5-3"),
        ("--wait", "soon"),
        ("--frame", "(unclosed"),
        ("--created-by", "[a"),
        ("--label", "=x"),
        ("--keep", "wait >"),
        ("--rule", "no.such.list=x"),
        ("--rule", "name.find=s|(|x|"),
        ("--input-format", "jpeg"),
        ("--line-prefix", "("),
        ("--path-label", "("),
        ("--output", "jpeg"),
        ("--max-bytes", "many"),
    ] {
        let ran = sandbox.run(["filter", flag, text, "missing.txt"]).code(2);
        assert!(!ran.stderr.contains("missing.txt"), "{flag} {text}: {}", ran.stderr);
        assert!(ran.stdout.is_empty(), "{flag} {text}");
    }
    let ran = sandbox.run(["filter", "--to", "no/such/folder/x", "missing.txt"]).code(2);
    assert!(!ran.stderr.contains("missing.txt"), "{}", ran.stderr);
}

#[test]
fn mistakes_are_pointed_at() {
    let ran = stackgazer(["filter", "--where", "state == \"a\" and bogus == 1", "x.txt"]).code(2);
    let ran = ran.says("column 18");
    let caret = ran.stderr.lines().find(|line| line.trim() == "^").expect("a caret");
    let shown = ran.stderr.lines().find(|line| line.contains("bogus ==")).expect("the expression");
    assert_eq!(caret.find('^'), shown.find("bogus =="));
}

#[test]
fn a_selection_of_nothing_is_done_with_a_note() {
    let bundle = testdata("bundle.zip");
    let arguments = ["filter", "--match", "zzzzzz", bundle.to_str().expect("UTF-8")];
    let ran = stackgazer(arguments).code(0);
    assert!(!ran.stderr.is_empty());
}

#[test]
fn to_writes_a_file_and_leaves_none_behind_when_it_fails() {
    let sandbox = Sandbox::new();
    let bundle = testdata("bundle.zip");
    let bundle = bundle.to_str().expect("UTF-8");
    let printed = sandbox.run(["export", "-o", "csv", bundle]).quiet().stdout;
    let ran = sandbox.run(["export", "-o", "csv", "--to", "out.csv", bundle]).quiet();
    assert!(ran.stdout.is_empty());
    assert_eq!(std::fs::read(sandbox.path().join("out.csv")).expect("out.csv"), printed);
    sandbox.run(["filter", "--where", "(", "--to", "bad.csv", bundle]).code(2);
    let left: Vec<_> = std::fs::read_dir(sandbox.path()).expect("a folder").collect();
    assert_eq!(left.len(), 1, "{left:?}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error() {
    let bundle = testdata("bundle.zip");
    let bundle = bundle.to_str().expect("UTF-8");
    let script = "exec \"$0\" export -o json \"$1\" > /dev/full";
    let status = std::process::Command::new("sh")
        .args(["-c", script, env!("CARGO_BIN_EXE_stackgazer"), bundle])
        .stderr(std::process::Stdio::null())
        .status();
    assert_eq!(status.expect("a shell").code(), Some(2));
}

#[cfg(unix)]
#[test]
fn a_closed_stdout_ends_the_run_quietly() {
    use std::process::{Command, Stdio};
    let mut child = Command::new(env!("CARGO_BIN_EXE_stackgazer"))
        .args([
            "export".as_ref(),
            "-o".as_ref(),
            "json".as_ref(),
            testdata("bundle.zip").as_os_str(),
        ])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("stackgazer starts");
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("stackgazer ends");
    assert_eq!((output.status.code(), output.stderr.len()), (Some(0), 0));
}

#[test]
fn the_output_format_never_changes_the_code() {
    let sandbox = Sandbox::new();
    sandbox.file("notes.txt", "nothing");
    for format in ["text", "json", "csv", "ndjson"] {
        sandbox.run(["filter", "-o", format, "notes.txt"]).code(2);
    }
}

#[test]
fn a_file_alone_is_summarized() {
    let sandbox = Sandbox::new();
    let bundle = testdata("bundle.zip");
    std::fs::copy(&bundle, sandbox.path().join("check")).expect("a copy");
    let named = sandbox.run(["summarize", "./check"]).quiet();
    assert_eq!(sandbox.run(["./check"]).quiet().stdout, named.stdout);
    let by_state = sandbox.run(["summarize", "--by", "state", "check"]).quiet();
    assert_eq!(sandbox.run(["--by", "state", "check"]).quiet().stdout, by_state.stdout);
    let piped = std::fs::read(&bundle).expect("the bundle");
    let nothing: [&str; 0] = [];
    let stdin = sandbox.pipe(["summarize"], &piped).quiet();
    assert_eq!(sandbox.pipe(nothing, &piped).quiet().stdout, stdin.stdout);
    // The command wins over a file of its name, which has to be written as a path.
    sandbox.run(["check", "nowhere.txt"]).code(2).says("nowhere.txt");
    sandbox.run(["nowhere.txt"]).code(2).says("nowhere.txt: No such file");
    sandbox.run(["sumarize"]).code(2).says("did you mean summarize?");
}

#[test]
fn short_help_fits_a_screen() {
    for command in ["summarize", "filter", "name", "diff", "check", "tree", "export", "config"] {
        let short = stackgazer([command, "-h"]).quiet();
        assert!(short.text().lines().count() < 24, "{command}: {}", short.text());
        let long = stackgazer([command, "--help"]).quiet();
        assert!(long.text().lines().count() > short.text().lines().count(), "{command}");
    }
    let short = stackgazer(["-h"]).quiet();
    assert!(short.text().contains("Usage: stackgazer [COMMAND]"), "{}", short.text());
}

#[test]
fn no_limit_is_told_by_0() {
    let bundle = testdata("bundle.zip");
    let bundle = bundle.to_str().expect("UTF-8");
    for command in ["summarize", "filter", "name"] {
        let all = stackgazer([command, bundle]).quiet().stdout;
        assert_eq!(stackgazer([command, bundle, "-n", "0"]).quiet().stdout, all, "{command}");
    }
}

#[test]
fn a_heading_of_any_width_is_written() {
    let sandbox = Sandbox::new();
    sandbox.file("dump.txt", "goroutine 1 [running]:\nmain.main()\n\t/a.go:1 +0x1\n\n");
    let label = format!("label:{}", "k".repeat(70_000));
    sandbox.run(["summarize", "dump.txt", "--by", &label]).no_panic().code(0);
}
