//! What a run reads is never written over, whatever names and descriptors lead to it.

#![cfg(unix)]

use crate::destinations::{DUMP, read, sandbox, shell};
use crate::sandbox::Sandbox;
use std::os::unix::fs::symlink;

#[test]
fn files_are_the_same_whatever_descriptors_lead_to_them() {
    let sandbox = sandbox();
    for (line, what) in [
        ("check dump.txt --report junit=/dev/fd/3 --report json=/proc/self/fd/4 3>r 4>r", "both"),
        ("check dump.txt --report junit=/dev/fd/3 --report json=r 3>r", "both write it"),
        ("check dump.txt --report junit=r > r", "r: stdout and --report would both write it"),
        ("export dump.txt -o csv --to r 2>> r; cat r >&2; false", "r: --to and stderr would both"),
        ("export dump.txt -o csv --to /dev/fd/3 3<> dump.txt", "--to would write over an input"),
        ("export dump.txt -o debug2 >> dump.txt", "stdout would write over an input"),
        ("capture --core dump.txt --to dump.txt", "--to would write over an input"),
        ("export -o csv < dump.txt 1<> dump.txt", "stdout would write over an input"),
    ] {
        let (code, _, said) = shell(&sandbox, &format!("$S {line}"));
        assert!(code != Some(0) && said.contains(what), "{line}: {said}");
        assert_eq!(read(&sandbox, "dump.txt"), DUMP, "{line}");
    }
    // The message goes there as well.
    let line = "$S tree dump.txt --to /dev/stderr 2>> dump.txt";
    assert_eq!(shell(&sandbox, line).0, Some(2));
    let told = read(&sandbox, "dump.txt");
    let told = told.strip_prefix(DUMP).expect("the dump");
    assert!(told.contains("--to would write over an input") && told.lines().count() == 1, "{told}");
    sandbox.file("dump.txt", DUMP);
    // Stdout and stderr may share a file, and all may share a pipe.
    for line in [
        "check dump.txt > log 2>&1",
        "check dump.txt --report junit=/dev/stderr > log 2>&1",
        "check dump.txt --report junit=/dev/fd/3 --report json=/dev/fd/4 3>&1 4>&1 | cat",
        "check dump.txt --report junit=/dev/null --report json=/dev/null > /dev/null",
    ] {
        let (code, _, said) = shell(&sandbox, &format!("$S {line}; cat log >&2"));
        assert!(code == Some(0) && !said.contains("would"), "{line}: {said}");
    }
}

#[test]
fn files_with_settings_and_those_that_options_look_for_are_not_written_over() {
    let sandbox = sandbox();
    sandbox.file("stackgazer.toml", "check.allow = 'allow.toml'\ncheck.baseline = 'base.toml'\n");
    sandbox.file("allow.toml", "");
    sandbox.file("base.toml", "");
    sandbox.file("go.mod", "module example.com/shop\n");
    sandbox.file("a.go", "package main\n\n\n\n\n\n\n\n\nfunc work(at int) {\n}\n");
    sandbox.file("b.go", "package main\n");
    symlink("go.mod", sandbox.path().join("link")).expect("a link");
    sandbox.file("module", "module example.com/other\n");
    sandbox.file("below/a.go", "");
    symlink("../module", sandbox.path().join("below/go.mod")).expect("a link");
    for (line, what) in [
        ("summarize --to stackgazer.toml", "the file of the project's settings"),
        ("check --write-baseline stackgazer.toml", "the file of the project's settings"),
        ("config show --to stackgazer.toml", "the file of the project's settings"),
        ("summarize -o html --to allow.toml", "the file of check.allow"),
        ("check --report json=base.toml", "the file of check.baseline"),
        ("check --report json=link", "a file that --report may read"),
        ("check --report json=module", "a file that --report may read"),
        ("check --report sarif=new --to go.mod", "a file that --report may read"),
        ("summarize --list main --source-root . --to a.go", "a source that --list reads"),
    ] {
        let inputs = ["dump.txt"].into_iter().filter(|_| !line.starts_with("config"));
        let ran = sandbox.run(line.split(' ').chain(inputs)).code(2);
        ran.says(&format!("would write over {what}"));
    }
    let (_, _, said) = shell(
        &sandbox,
        "STACKGAZER_CONFIG=base.toml $S summarize dump.txt --to base.toml < /dev/null",
    );
    assert!(said.contains("would write over the file of STACKGAZER_CONFIG"), "{said}");
    // A baseline of settings may be written anew, and what isn't looked for too.
    sandbox.run(["check", "dump.txt", "--write-baseline", "base.toml"]).code(0);
    for to in ["b.go", "new.go"] {
        let list = ["summarize", "--list", "main", "--source-root", ".", "dump.txt", "--to", to];
        sandbox.run(list).quiet();
    }
}

#[test]
fn what_only_an_option_makes_a_dump_in_a_folder_is_not_written_over() {
    let sandbox = Sandbox::new();
    let lines = DUMP.lines().map(|line| format!("XX| {line}\n")).collect::<String>();
    sandbox.file("dumps/goroutine.txt", &lines);
    let to = ["--to", "dumps/goroutine.txt"];
    let prefix = ["--line-prefix", "XX. "];
    let ran = sandbox.run(["summarize", "dumps"].into_iter().chain(prefix).chain(to)).code(2);
    ran.says("--to would write over an input");
    let report = ["check", "dumps", "--report", "json=dumps/goroutine.txt"];
    let ran = sandbox.run(report.into_iter().chain(prefix)).code(2);
    ran.says("--report would write over an input");
    assert_eq!(read(&sandbox, "dumps/goroutine.txt"), lines);
}
