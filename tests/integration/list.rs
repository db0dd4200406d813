//! `summarize --list`: sources with what their lines are worth.

use crate::sandbox::{Sandbox, stackgazer, testdata};
use crate::schema::{assert_valid, validator};
use serde_json::json;

const PROGRAM: &str = "package main

func main() {
	go work(1)
	select {}
}

func work(n int) {
	if n > 0 {
		park()
	}
}
";

const DUMP: &str = "goroutine 1 [select (no cases)]:
main.main()
\t/home/ci/shop/main.go:5 +0x1d

goroutine 2 [select (no cases)]:
main.park(...)
\t/home/ci/shop/park.go:4
main.work(0x1)
\t/home/ci/shop/main.go:10 +0x1d
";

#[test]
fn sources_are_listed_as_pprof_lists_them() {
    for profile in ["cpu.1", "heap.1", "mutex.1", "goroutine.2"] {
        let wanted = std::fs::read_to_string(testdata(&format!("profiles/{profile}.list.txt")));
        let program = testdata("profiles/program");
        let input = testdata(&format!("profiles/{profile}.pb.gz"));
        let command = ["summarize", "--list", r"main\.", "--unit", "auto", "--source-root"];
        let arguments = command.iter().map(std::ffi::OsStr::new);
        let ran = stackgazer(arguments.chain([program.as_os_str(), input.as_os_str()])).quiet();
        let lines = |text: &str| -> Vec<String> {
            let lines = text.lines().map(|line| line.split(" (here ").next().unwrap_or(line));
            lines.map(|line| line.trim_end().to_owned()).collect()
        };
        assert_eq!(lines(ran.text()), lines(&wanted.expect("what pprof wrote")), "{profile}");
    }
}

#[test]
fn a_dump_tells_how_many_goroutines_stand_on_each_line() {
    let sandbox = Sandbox::new();
    sandbox.file("dump.txt", DUMP);
    sandbox.file("src/main.go", PROGRAM);
    let ran = sandbox.run(["summarize", "dump.txt", "--list", "^main[.]w", "--source-root", "src"]);
    let expected = "Total: 2
ROUTINE ======================== main.work in /home/ci/shop/main.go (here src/main.go)
         0          1 (flat, cum) 50.00% of Total
         .          .      5:\tselect {}
         .          .      6:}
         .          .      7:
         .          .      8:func work(n int) {
         .          .      9:\tif n > 0 {
         .          1     10:\t\tpark()
         .          .     11:\t}
         .          .     12:}
";
    assert_eq!(ran.quiet().text(), expected);
}

#[test]
fn missing_sources_are_told_and_lines_are_there_all_the_same() {
    let sandbox = Sandbox::new();
    sandbox.file("dump.txt", DUMP);
    sandbox.file("src/main.go", PROGRAM);
    let ran = sandbox.run(["summarize", "dump.txt", "--list", "work|park", "--source-root", "src"]);
    assert!(
        ran.text().contains("main.park in /home/ci/shop/park.go (no source here)\n"),
        "{}",
        ran.text()
    );
    assert!(ran.text().contains("         1          1      4:\n"), "{}", ran.text());
    ran.code(0)
        .says("no source of /home/ci/shop/park.go is here; name its folder with --source-root");
    let list =
        ["summarize", "dump.txt", "--list", "park|main.main", "-o", "json", "--source-root", "src"];
    let document = sandbox.run(list).code(0).json();
    assert_valid(&validator("calls"), &document, "list");
    assert_eq!(document["view"], "list");
    let park = json!({"function": "main.park", "file": "/home/ci/shop/park.go", "source": null, "flat": 1, "cum": 1,
        "lines": [{"line": 4, "flat": 1, "cum": 1, "text": null}]});
    assert_eq!(document["rows"][1], park);
    assert_eq!(
        document["rows"][0]["lines"][4],
        json!({"line": 5, "flat": 1, "cum": 1, "text": "\tselect {}"})
    );
    sandbox
        .run(["summarize", "dump.txt", "--list", "nobody"])
        .code(0)
        .says("--list matches no function");
    sandbox.run(["summarize", "dump.txt", "--list", "("]).code(2).says("--list");
    sandbox
        .run(["summarize", "dump.txt", "--list", "x", "--by", "file"])
        .code(2)
        .says("listed by line");
    sandbox.run(["summarize", "dump.txt", "--source-root", "src"]).code(2).says("--list");
}

/// A dump is a stranger's: it may name any file.
#[test]
fn only_sources_that_hold_the_function_are_shown() {
    let sandbox = Sandbox::new();
    let secret = sandbox.file("secret.txt", "1\n2\n3\n4\nthe secret\n");
    sandbox.file("src/main.go", "package other\n\nfunc other() {\n}\n\n// the secret\n");
    let dump = DUMP.replace("/home/ci/shop/park.go", &secret.display().to_string());
    sandbox.file("dump.txt", dump);
    let ran = sandbox.run(["summarize", "dump.txt", "--list", "main", "--source-root", "src"]);
    assert!(!ran.text().contains("secret\n"), "{}", ran.text());
    ran.code(0).says("and 1 other file is here");
}
