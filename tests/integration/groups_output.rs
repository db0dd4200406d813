//! The table of `filter`.

use crate::sandbox::{Sandbox, stackgazer, testdata};

const DUMP: &str = "\
goroutine 1 [select, 5 minutes]:
main.wait({0x1, 0x2})
\t/src/main.go:5 +0x1
main.main()
\t/src/main.go:9 +0x1

goroutine 11 [chan receive, 2 minutes]:
main.work()
\t/src/work.go:12 +0x1
created by main.start in goroutine 1
\t/src/main.go:21 +0x2

goroutine 12 [chan receive, 3 minutes]:
main.work()
\t/src/work.go:12 +0x1
created by main.start in goroutine 1
\t/src/main.go:21 +0x2

goroutine 13 [chan receive, 3 minutes]:
main.work()
\t/src/work.go:12 +0x1
created by main.start in goroutine 1
\t/src/main.go:21 +0x2

goroutine 14 [chan receive, 3 minutes]:
main.work()
\t/src/work.go:12 +0x1
created by main.start in goroutine 1
\t/src/main.go:21 +0x2
";

#[test]
fn stacks_stand_with_their_frames_and_who_is_in_them() {
    let sandbox = Sandbox::new();
    sandbox.file("dump.txt", DUMP);
    let ran = sandbox.run(["filter", "dump.txt", "--state", "chan receive"]).quiet();
    let lines: Vec<&str> = ran.text().lines().collect();
    assert!(lines[0].contains("main.work"), "{}", lines[0]);
    assert!(lines[0].ends_with("4 goroutines  2-3m"), "{}", lines[0]);
    assert_eq!(
        &lines[1..],
        [
            "  main.work              /src/work.go:12",
            "  created by main.start  /src/main.go:21",
            "  chan receive, 2-3m: 11, 12, 13, and 1 more",
            "",
            "4 of 5 goroutines in 1 of 2 stacks",
        ]
    );
}

#[test]
fn frames_are_shown_as_asked() {
    let sandbox = Sandbox::new();
    sandbox.file("dump.txt", DUMP);
    for (style, shown, hidden) in [
        ("both", "  main.main\n      /src/main.go:9\n", "main.main  "),
        ("columns", "  main.wait  /src/main.go:5\n  main.main  /src/main.go:9\n", "0x1"),
        ("func", "  main.wait\n  main.main\n", "main.go"),
        ("loc", "  /src/main.go:5\n  /src/main.go:9\n", "  main.main"),
        ("none", "goroutine  5m\n  select, 5m: 1\n", "main.go"),
    ] {
        let ran = sandbox.run(["filter", "dump.txt", "--id", "1", "--frames", style]).quiet();
        assert!(ran.text().contains(shown), "{style}: no {shown:?} in {}", ran.text());
        assert!(!ran.text().contains(hidden), "{style}: {hidden:?} in {}", ran.text());
    }
}

#[test]
fn stacks_are_sorted_and_limited() {
    let sandbox = Sandbox::new();
    sandbox.file("dump.txt", DUMP);
    let first = |order: &str| {
        let ran = sandbox.run(["filter", "dump.txt", "--sort", order, "-n", "1"]).quiet();
        assert!(ran.text().contains("... and 1 more stack; 5 of 5 goroutines"), "{}", ran.text());
        ran.text().lines().next().expect("a line").to_owned()
    };
    assert!(first("count").contains("4 goroutines"));
    assert!(first("wait").contains("5m"));
}

#[test]
fn inputs_and_labels_are_named_where_there_are_any() {
    let bundle = testdata("bundle.zip");
    let bundle = bundle.to_str().expect("UTF-8");
    let ran = stackgazer(["filter", bundle, "--label", "tenant=acme"]).quiet();
    assert!(ran.text().contains("tenant=acme"));
    assert!(ran.text().contains("n1"), "{}", ran.text());
}

#[test]
fn stacks_that_go_cut_say_so() {
    let sandbox = Sandbox::new();
    let dump = "goroutine 1 [running]:\nmain.f()\n\t/m.go:1 +0x1\n...23 frames elided...\n\
                main.main()\n\t/m.go:2 +0x1\n";
    sandbox.file("dump.txt", dump);
    let ran = sandbox.run(["filter", "dump.txt"]).quiet();
    let text = "  main.f     /m.go:1\n  ... 23 frames left out by Go\n  main.main  /m.go:2\n";
    assert!(ran.text().contains(text), "{}", ran.text());
}
