//! `tree`: who created whom.

use crate::sandbox::Sandbox;

const DUMP: &str = "\
goroutine 1 [running]:
main.main()
\t/src/main.go:3 +0x1d

goroutine 5 [select]:
main.parent()
\t/src/main.go:9 +0x1d
created by main.main in goroutine 1
\t/src/main.go:4 +0x1d

goroutine 6 [chan receive, 7 minutes]:
main.child()
\t/src/main.go:19 +0x1d
created by main.parent in goroutine 5
\t/src/main.go:10 +0x1d

goroutine 8 [select]:
main.other()
\t/src/main.go:29 +0x1d
created by main.main in goroutine 1
\t/src/main.go:5 +0x1d
";

fn sandbox(text: &str) -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.file("dump.txt", text);
    sandbox
}

#[test]
fn creators_and_created_stand_below_each_other() {
    let ran = sandbox(DUMP).run(["tree", "--id", "5", "dump.txt"]).quiet();
    let line = |name: &str| ran.text().lines().position(|line| line.contains(name));
    let (root, parent, child) = (line("main.main"), line("main.parent"), line("main.child"));
    assert!(root.is_some() && root < parent && parent < child, "{}", ran.text());
}

#[test]
fn dot_is_a_graph() {
    let ran = sandbox(DUMP).run(["tree", "-o", "dot", "dump.txt"]).quiet();
    assert!(ran.text().starts_with("digraph"), "{}", ran.text());
    assert_eq!(ran.text().matches("->").count(), 3, "{}", ran.text());
}

#[test]
fn json_has_its_schema() {
    let json = sandbox(DUMP).run(["tree", "-o", "json", "dump.txt"]).quiet().json();
    assert_eq!(json["schema"], "stackgazer.tree/1");
}

#[test]
fn a_cycle_of_creators_ends() {
    let cycle = DUMP.replace(
        "goroutine 1 [running]:\nmain.main()\n\t/src/main.go:3 +0x1d\n",
        "goroutine 1 [running]:\nmain.main()\n\t/src/main.go:3 +0x1d\ncreated by main.x in goroutine 6\n\t/src/main.go:1 +0x1\n",
    );
    for format in ["text", "json", "dot"] {
        sandbox(&cycle).run(["tree", "-o", format, "dump.txt"]).no_panic().code(0);
    }
}

#[test]
fn formats_without_ids_are_told() {
    let text = "goroutine profile: total 1\n1 @ 0x1\n#\t0x1\tmain.main+0x1\t/src/a.go:3\n";
    sandbox(text).run(["tree", "dump.txt"]).code(2).says("id");
}

#[test]
fn limit_and_sort_shorten_and_order_the_trees() {
    let sandbox = Sandbox::new();
    let goroutine = |id: u32, minutes: u32| {
        format!("goroutine {id} [select, {minutes} minutes]:\nmain.work{id}()\n\t/a.go:1 +0x1\n\n")
    };
    let dump: String = [(1, 2), (7, 9), (9, 4)].map(|(id, wait)| goroutine(id, wait)).concat();
    sandbox.file("dump.txt", dump);
    let ran = sandbox.run(["tree", "dump.txt", "--sort", "wait", "-n", "1", "--to", "-"]).code(0);
    let text = ran.text();
    assert!(text.starts_with("7 [select, 9 minutes]"), "{text}");
    assert!(text.contains("... and 2 more trees") && !text.contains("4 minutes"), "{text}");
    let document = sandbox.run(["tree", "dump.txt", "-n", "2", "-o", "json"]).code(0).json();
    let ids: Vec<&str> = document["goroutines"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["id"].as_str().unwrap())
        .collect();
    assert_eq!(ids, ["1", "7"]);
    assert_eq!(document["left_out"], 1);
    crate::schema::assert_valid(&crate::schema::validator("tree"), &document, "tree -n");
}
