//! `stacksize`: the bytes that stacks take.

use crate::binaries::{binary, said, sandbox};
use crate::schema::{assert_valid, validator};
use serde_json::Value;
use std::collections::BTreeMap;

#[test]
fn functions_take_at_least_what_their_calls_took_in_a_crash() {
    for name in ["go1.19-elf", "go1.27-elf", "go1.27-elf-pie-stripped"] {
        let document = sandbox(name).run(["stacksize", "--functions", "server", "-o", "json"]);
        let document = document.quiet().json();
        assert_valid(&validator("frame-sizes"), &document, name);
        let rows = document["rows"].as_array().expect("rows");
        let number = |text: &str| u64::from_str_radix(&text[2..], 16).expect("a number");
        let address = |row: &Value, key: &str| number(row[key].as_str().expect("an address"));
        let mut calls = said(name, "call");
        // A cut keeps no sizes of the function that no goroutine returns to.
        calls.retain(|call| call[0] != "runtime.goexit");
        let mut equal = 0;
        for call in &calls {
            let [.., pc, size] = call.as_slice() else { panic!("{call:?}") };
            let size = size.parse::<u64>().expect("a size");
            let at = number(pc) - 1;
            let row =
                rows.iter().find(|row| (address(row, "start")..address(row, "end")).contains(&at));
            let row = row.unwrap_or_else(|| panic!("{name}: no function at {pc}"));
            let bytes = row["bytes"].as_u64().expect("bytes");
            assert!(bytes >= size, "{name}: {call:?} took more than {row}");
            equal += usize::from(bytes == size);
        }
        assert!(equal == calls.len() && equal > 10, "{name}: {equal} of {}", calls.len());
    }
}

#[test]
fn stubs_of_reflection_are_no_large_functions() {
    let sandbox = sandbox("go1.27-elf");
    let all = sandbox.run(["stacksize", "--functions", "server", "-o", "csv"]).quiet();
    let mut lines = all.text().lines();
    assert_eq!(lines.next(), Some("function,start,end,bytes"));
    let largest = lines.next().expect("a function");
    assert_eq!(largest, "main.frame64K,0x5942c0,0x594340,65552");
    assert!(!all.text().contains("runtime.call1073741824"), "{}", all.text());
    let ran =
        sandbox.run(["stacksize", "--functions", "server", "-n", "1", "--sort", "name"]).quiet();
    assert!(ran.text().ends_with(" more functions not shown\n"), "{}", ran.text());
    sandbox
        .run(["stacksize", "--functions", "server", "--sort", "wait"])
        .code(2)
        .says("use count or name");
}

#[test]
fn what_is_no_binary_has_no_functions() {
    let sandbox = sandbox("go1.27-elf");
    sandbox.file("dump.txt", "goroutine 1 [running]:\nmain.main()\n");
    for format in ["table", "json", "csv"] {
        let ran = sandbox.run(["stacksize", "--functions", "dump.txt", "-o", format]).code(2);
        assert!(ran.stdout.is_empty());
        assert!(ran.stderr.contains("isn't a binary (ELF, Mach-O or PE)"), "{}", ran.stderr);
    }
    sandbox
        .run(["stacksize", "--functions", "server", "--to", "server"])
        .code(2)
        .says("would write over");
}

/// Two builds of one program by two versions of Go.
#[test]
fn a_comparison_of_binaries_names_the_functions_whose_frames_changed() {
    let sandbox = sandbox("go1.27-elf");
    sandbox.file("old", binary("go1.19-elf"));
    let ran = sandbox.run([
        "diff",
        "old",
        "server",
        "-o",
        "json",
        "--all",
        "--where",
        "package == 'main'",
    ]);
    let document = ran.quiet().json();
    assert_valid(&validator("diff"), &document, "diff");
    assert_eq!(document["value"]["type"], "frames");
    assert_eq!(document["inputs"][0]["format"], "binary");
    let rows = document["rows"].as_array().expect("rows");
    let counts: BTreeMap<&str, &Value> = rows
        .iter()
        .map(|row| (row["function"].as_str().expect("a name"), &row["counts"]))
        .collect();
    // What was a closure in 1.19 is inlined into it in 1.27.
    assert_eq!(counts["main.start.func7"].to_string(), "[64,200]", "{counts:?}");
    let table = sandbox.run(["diff", "old", "server", "--where", "package == 'main'"]).quiet();
    assert!(table.text().contains("old → server: "), "{}", table.text());
    sandbox.run(["diff", "old", "server", "--fail-on", "grown"]).code(1);
    sandbox.run(["diff", "server", "server", "--fail-on", "changed"]).code(0);
}

#[test]
fn a_binary_isnt_compared_with_a_dump() {
    let sandbox = sandbox("go1.27-elf");
    sandbox.file("dump.txt", "goroutine 1 [running]:\nmain.main()\n");
    sandbox.run(["diff", "dump.txt", "server"]).code(2);
    let mut core = binary("go1.27-elf");
    core[16] = 4;
    sandbox.file("core", core);
    sandbox.run(["diff", "server", "core"]).code(2).says("is a core file, not a binary");
}
