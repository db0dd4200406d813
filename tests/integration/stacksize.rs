//! `stacksize`: the bytes that stacks take.

use crate::binaries::{binary, said, sandbox};
use crate::hostile::write::{field, number, varint};
use crate::sandbox::{stackgazer, testdata};
use crate::schema::{assert_valid, validator};
use serde_json::Value;
use std::collections::BTreeMap;

#[test]
fn functions_take_at_least_what_their_calls_took_in_a_crash() {
    for name in
        ["go1.19-elf", "go1.21-elf-cgo-pie-stripped", "go1.27-elf", "go1.27-elf-pie-stripped"]
    {
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
    let input = &document["inputs"][0];
    assert_eq!(input["format"], "binary");
    let functions = sandbox.run(["stacksize", "--functions", "old", "-o", "json"]).quiet().json();
    assert_eq!(input["seen"]["headers"], functions["functions"]);
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
    sandbox.run(["diff", "server", "core"]).code(2).says("server: is a binary");
    // Two core files are dumps, each with its program.
    let programs = ["diff", "core", "core", "--binary", "server"];
    assert!(!sandbox.run(programs).code(2).stderr.contains("not a binary"));
}

/// By goroutine: `fp` of the outermost call but `runtime.goexit`, less `sp` of the innermost one, and the
/// four words above.
fn by_registers(text: &str) -> Vec<u64> {
    let number = |line: &str, name: &str| {
        let digits = line.split(name).nth(1).and_then(|rest| rest.split(' ').next());
        digits.and_then(|digits| u64::from_str_radix(digits, 16).ok())
    };
    let mut used = Vec::new();
    for goroutine in text.split("\n\n").filter(|part| part.contains("goroutine ")) {
        let calls = goroutine.split("runtime.goexit(").next().expect("a start");
        let fp = calls.lines().filter_map(|line| number(line, " fp=0x")).next_back();
        let sp = calls.lines().find_map(|line| number(line, " sp=0x"));
        used.push(fp.expect("fp") - sp.expect("sp") + 32);
    }
    used
}

fn stacksize(arguments: &[&str]) -> Value {
    let document = stackgazer(["stacksize", "-o", "json"].iter().chain(arguments)).quiet().json();
    assert_valid(&validator("stacksize"), &document, "stacksize");
    document
}

#[test]
fn registers_tell_the_bytes_in_use_exactly() {
    for name in ["before", "after"] {
        let path = testdata(&format!("stacks/{name}.txt"));
        let text = std::fs::read_to_string(&path).expect("a dump");
        let used = by_registers(&text);
        let document = stacksize(&[&path.display().to_string()]);
        let total = &document["total"];
        assert_eq!(total["goroutines"], used.len(), "{name}");
        assert_eq!(total["used"], used.iter().sum::<u64>(), "{name}");
        assert_eq!(total["truncated"], 0, "{name}");
        let least = |used: &u64| (used + 800).next_power_of_two().max(2048);
        assert_eq!(total["least"], used.iter().map(least).sum::<u64>(), "{name}");
        let stack_inuse = text.lines().find_map(|line| line.strip_prefix("StackInuse = "));
        let stack_inuse =
            stack_inuse.and_then(|digits| digits.parse::<u64>().ok()).expect("a number");
        assert!(total["least"].as_u64() <= Some(stack_inuse), "{total} of {stack_inuse}");
    }
}

#[test]
fn of_stacks_with_elided_frames_more_is_in_use_than_is_told() {
    for version in ["go1.21.13", "go1.23.9", "go1.27.3"] {
        let path = testdata(&format!("crashes/{version}.stackoverflow.txt")).display().to_string();
        let document = stacksize(&[&path]);
        assert_eq!(document["total"]["truncated"], 1, "{version}");
        let rows = document["rows"].as_array().expect("rows");
        let cut: Vec<&Value> = rows.iter().filter(|row| row["truncated"] != 0).collect();
        assert_eq!(cut.len(), 1, "{version}");
        assert_eq!(cut[0]["name"], "orders.descend", "{version}");
        let ran = stackgazer(["stacksize", &path]);
        let text = ran.text();
        let row = text.lines().find(|line| line.ends_with("orders.descend")).expect("a row");
        assert_eq!(row.matches("KiB+").count(), 4, "{row}");
        assert!(text.contains("\n  cut      1 stack of them: calls are missing"), "{text}");
    }
}

#[test]
fn stacks_are_counted_by_their_size() {
    let path = testdata("crashes/go1.27.3.stackoverflow.txt").display().to_string();
    let ran = stackgazer(["stacksize", "--by", "size", &path]);
    let rows: Vec<Vec<&str>> = ran
        .text()
        .lines()
        .skip(5)
        .map(|line| line.split("  ").map(str::trim).filter(|cell| !cell.is_empty()).collect())
        .collect();
    assert_eq!(rows[0], ["SIZE", "COUNT", "USED", "LEAST", "MOST"]);
    assert_eq!(rows[1], ["64.0 KiB", "1", "49.0 KiB+", "64.0 KiB+", "128 KiB+"]);
    assert_eq!(rows[2][..2], ["2.00 KiB", "5"]);
    assert_eq!(rows.len(), 3);
}

/// A debug=1 text of goroutines with these calls, of which those that Go printed in one have their
/// names: the code of a cut is gone, so that addresses alone don't tell whether it is the right one.
fn debug1(name: &str, count: usize, returns: &[String]) -> String {
    let mut text = format!("goroutine profile: total {count}\n{count} @ {}\n", returns.join(" "));
    let number = |text: &str| u64::from_str_radix(&text[2..], 16).expect("a number");
    let frames = said(name, "frame");
    for address in returns {
        let pc = number(address) - 1;
        let mut named = frames.iter().filter(|frame| number(&frame[0]) == pc).peekable();
        if named.peek().is_none() {
            text.push_str(&format!("#\t{pc:#x}\n"));
        }
        for frame in named {
            let [pc, function, place] = frame.as_slice() else { panic!("{frame:?}") };
            text.push_str(&format!("#\t{pc}\t{function}\t{place}\n"));
        }
    }
    text + "\n"
}

/// The first stack that Go printed: its bytes, and such a text.
fn goroutines(name: &str, count: usize) -> (u64, String) {
    let stacks = said(name, "stack");
    let (used, returns) = stacks[0].split_first().expect("bytes");
    (used.parse().expect("a number"), debug1(name, count, returns))
}

/// The same goroutines as a debug=1 text, which has addresses and no registers.
#[test]
fn addresses_and_a_binary_tell_the_same_bytes_as_registers() {
    for name in ["go1.19-elf", "go1.27-elf"] {
        let stacks = said(name, "stack");
        assert!(stacks.len() > 5);
        let sandbox = sandbox(name);
        for stack in &stacks {
            let (used, returns) = stack.split_first().expect("bytes");
            sandbox.file("goroutine.txt", debug1(name, 3, returns));
            let run = ["stacksize", "--binary", "server", "goroutine.txt", "-o", "json"];
            let document = sandbox.run(run).quiet().json();
            let total = &document["total"];
            let used = used.parse::<u64>().expect("a number");
            assert_eq!(
                (&total["used"], &total["goroutines"]),
                (&(3 * used).into(), &3.into()),
                "{stack:?}"
            );
            assert_eq!(total["truncated"], 0);
            // Without where it starts, it isn't whole.
            let cut = debug1(name, 1, &returns[..returns.len() - 1]);
            sandbox.file("goroutine.txt", cut);
            assert_eq!(sandbox.run(run).quiet().json()["total"]["truncated"], 1);
        }
    }
}

#[test]
fn functions_have_what_their_calls_take_and_what_they_call() {
    let after = testdata("stacks/after.txt").display().to_string();
    let document = stacksize(&[&after, "--by", "function"]);
    let rows = document["rows"].as_array().expect("rows");
    let worker = rows.iter().find(|row| row["function"] == "main.worker").expect("a row");
    // fp - sp of main.worker is 1680, of all that it calls 192, in each of 30 goroutines.
    assert_eq!(
        (&worker["self"], &worker["used"]),
        (&(30 * 1680).into(), &(30 * (1680 + 192)).into())
    );
    let own: u64 = rows.iter().filter_map(|row| row["self"].as_u64()).sum();
    let goroutines = document["total"]["goroutines"].as_u64().expect("a number");
    assert_eq!(Some(own + 32 * goroutines), document["total"]["used"].as_u64());
    let by_size = stacksize(&[&after, "--by", "size"]);
    let sizes: u64 = by_size["rows"]
        .as_array()
        .expect("rows")
        .iter()
        .filter_map(|row| row["least"].as_u64())
        .sum();
    assert_eq!(by_size["total"]["least"], sizes);
    let modules = stacksize(&[&after, "--by", "module", "--where", "func == 'main.worker'"]);
    assert_eq!(modules["total"]["goroutines"], 30);
}

#[test]
fn what_the_runtime_says_is_reconciled() {
    let after = testdata("stacks/after.txt").display().to_string();
    let document = stacksize(&[&after, "--stack-inuse", "416K"]);
    let stack_inuse = &document["stack_inuse"];
    assert_eq!(stack_inuse["bytes"], 425_984);
    assert_eq!(stack_inuse["explained"], document["total"]["least"]);
    let text = stack_inuse["text"].as_str().expect("a text");
    assert!(text.contains("explains 34%") && text.contains("after 3 to 5 collections"), "{text}");
    // More than there is can't be.
    let ran = stackgazer(["stacksize", &after, "--stack-inuse", "100K"]).code(2);
    ran.says("says that all stacks take 102400 bytes, but these take 143360 at least");
}

/// What happened in golang/go#65532: a function was inlined into one that all goroutines wait in.
#[test]
fn a_comparison_names_the_function_whose_frame_grew() {
    let dumps = ["before", "after"]
        .map(|name| testdata(&format!("stacks/{name}.txt")).display().to_string());
    let [before, after] = &dumps;
    let document =
        stackgazer(["diff", "--value", "stack", "-o", "json", before, after]).quiet().json();
    assert_eq!(document["value"]["type"], "stack");
    let totals = [
        stacksize(&[before])["total"]["least"].clone(),
        stacksize(&[after])["total"]["least"].clone(),
    ];
    assert_eq!(document["totals"], Value::from(totals.to_vec()));
    let largest = &document["rows"][0];
    assert_eq!(
        (&largest["function"], &largest["status"]),
        (&"main.worker".into(), &"grown".into())
    );
    assert_eq!(largest["flat"], serde_json::json!([30 * 64, 30 * 1680]));
}

#[test]
fn exports_have_the_bytes_of_each_frame_and_a_leaf_for_what_is_free() {
    let after = testdata("stacks/after.txt").display().to_string();
    let ran = stackgazer(["export", "--value", "stack", "-o", "folded", &after]).quiet();
    let value = |line: &str| {
        line.rsplit(' ').next().and_then(|digits| digits.parse::<u64>().ok()).expect("a value")
    };
    let sum: u64 = ran.text().lines().map(value).sum();
    assert_eq!(stacksize(&[&after])["total"]["least"], sum);
    let worker = ran.text().lines().find(|line| line.starts_with("runtime.goexit;main.worker "));
    assert_eq!(worker.map(value), Some(30 * 1680));
    assert!(ran.text().contains(";[free stack] "), "{}", ran.text());
    stackgazer(["export", "--value", "stack", "-o", "flamegraph", &after]).quiet();
}

#[test]
fn what_tells_nothing_of_stacks_is_an_error_that_says_what_does() {
    let sandbox = sandbox("go1.27-elf");
    sandbox.file("dump.txt", "goroutine 1 [running]:\nmain.main()\n\t/src/main.go:3\n");
    for command in [
        &["stacksize", "dump.txt"][..],
        &["stacksize", "--binary", "server", "dump.txt"],
        &["diff", "--value", "stack", "dump.txt", "dump.txt"],
    ] {
        sandbox
            .run(command.iter().copied())
            .code(2)
            .says("nothing tells what the stacks take; pass");
    }
    sandbox.run(["stacksize", "--functions"]).code(2).says("takes one binary");
    sandbox
        .run(["stacksize", "--functions", "server", "--state", "select"])
        .code(2)
        .says("--state");
    // A profile of another program.
    let other = "goroutine profile: total 1\n1 @ 0x44 0x45\n#\t0x44\tmain.other+0x4\tother.go:3\n";
    sandbox.file("goroutine.txt", other);
    let ran = sandbox.run(["stacksize", "--binary", "server", "goroutine.txt"]).code(2);
    ran.says("server: does not match goroutine.txt: 1 of 1 frames disagree");
}

#[test]
fn each_input_is_measured_by_the_binary_that_made_it() {
    let sandbox = sandbox("go1.27-elf");
    sandbox.file("older", binary("go1.19-elf"));
    let (used_old, old) = goroutines("go1.19-elf", 2);
    let (used_new, new) = goroutines("go1.27-elf", 3);
    sandbox.file("old.txt", old);
    sandbox.file("new.txt", new);
    let binaries = ["--binary", "server", "--binary", "older"];
    let both = ["stacksize", "-o", "json", "old.txt", "new.txt"];
    let document = sandbox.run(both.iter().chain(&binaries)).quiet().json();
    assert_eq!(document["total"]["used"], 2 * used_old + 3 * used_new);
    // Bytes of stacks by frame are made of them too, wherever they are asked for.
    let least = document["total"]["least"].as_u64().expect("bytes");
    for arguments in [
        &["export", "--value", "stack", "-o", "folded", "old.txt", "new.txt"][..],
        &["summarize", "--value", "stack", "-o", "json", "old.txt", "new.txt"],
    ] {
        let ran = sandbox.run(arguments.iter().chain(&binaries)).quiet();
        let sum: u64 = match arguments[0] {
            "export" => {
                let value = |line: &str| line.rsplit(' ').next()?.parse::<u64>().ok();
                ran.text().lines().filter_map(value).sum()
            }
            _ => ran.json()["total"].as_u64().expect("a total"),
        };
        assert_eq!(sum, least, "{arguments:?}");
    }
    let diff = ["diff", "--value", "stack", "old.txt", "new.txt", "-o", "json"];
    let document = sandbox.run(diff.iter().chain(&binaries)).quiet().json();
    let totals: Vec<u64> =
        document["totals"].as_array().expect("totals").iter().filter_map(Value::as_u64).collect();
    assert_eq!(totals.iter().sum::<u64>(), least);
}

#[test]
fn goroutines_whose_stacks_nothing_tells_are_counted() {
    let sandbox = sandbox("go1.27-elf");
    let (used, text) = goroutines("go1.27-elf", 3);
    // An address that is in no function.
    sandbox.file("goroutine.txt", text.replace("total 3", "total 5") + "2 @ 0x1234\n#\t0x1233\n\n");
    let run = |command: &[&str]| {
        let arguments = ["--binary", "server", "goroutine.txt", "-o", "json"];
        sandbox.run(command.iter().chain(&arguments)).code(0).json()
    };
    let document = run(&["stacksize"]);
    let total = &document["total"];
    assert_eq!((&total["goroutines"], &total["used"]), (&3.into(), &(3 * used).into()));
    assert_eq!(document["unknown"], 2);
    let document = run(&["summarize", "--value", "stack"]);
    assert_eq!(document["total"], total["least"]);
    let warnings = document["inputs"][0]["warnings"].as_array().expect("warnings");
    let texts: Vec<&str> = warnings.iter().filter_map(|one| one["text"].as_str()).collect();
    assert_eq!(texts, ["of 2 of its goroutines nothing tells the stack"]);
    sandbox.file("goroutine.txt", text);
    assert_eq!(run(&["stacksize"])["unknown"], 0);
    let document = run(&["summarize", "--value", "stack"]);
    assert_eq!(document["inputs"][0]["warnings"], serde_json::json!([]));
}

/// A goroutine profile of one stack of these return addresses, without names.
fn proto(returns: &[u64]) -> Vec<u8> {
    let kind = field(1, &[number(1, 1), number(2, 2)].concat());
    let ids: Vec<u8> = (1..=returns.len() as u64).flat_map(varint).collect();
    let sample = field(2, &[field(1, &ids), field(2, &varint(1))].concat());
    let locations = (1..).zip(returns).map(|(id, address)| {
        field(4, &[number(1, id), number(3, address.cast_signed() - 1)].concat())
    });
    let strings = ["", "goroutine", "count"].map(|text| field(6, text.as_bytes()));
    [kind, sample].into_iter().chain(locations).chain(strings).flatten().collect()
}

/// Up to Go 1.22 they have 32 calls at most, later ones 128.
#[test]
fn protos_with_as_many_calls_as_they_can_have_are_cut() {
    for (name, version, most) in [
        ("go1.19-elf", "go1.19.8", 32),
        ("go1.27-elf", "go1.27.3", 128),
        ("go1.27-elf", "go1.23.3", 128),
    ] {
        let mut server = binary(name);
        let made_by = if name == "go1.19-elf" { "go1.19.8" } else { "go1.27.3" };
        for at in 0..server.len() - made_by.len() {
            if server[at..].starts_with(made_by.as_bytes()) {
                server[at..at + version.len()].copy_from_slice(version.as_bytes());
            }
        }
        let sandbox = sandbox(name);
        sandbox.file("server", server);
        let stacks = said(name, "stack");
        let (used, returns) = stacks[0].split_first().expect("bytes");
        // Where every goroutine starts is left out.
        let (_, returns) = returns.split_last().expect("a start");
        let number = |text: &String| u64::from_str_radix(&text[2..], 16).expect("a number");
        let returns: Vec<u64> = returns.iter().map(number).collect();
        // Two of their calls were inlined and have no address.
        let short = returns.len() + 2;
        for (calls, truncated) in [(short, 0), (most - 1, 0), (most, 1)] {
            let deeper = vec![returns[0]; calls - short];
            sandbox.file("goroutine.pb", proto(&[&deeper[..], &returns].concat()));
            let run = ["stacksize", "--binary", "server", "--force-binary", "goroutine.pb"];
            let document = sandbox.run(run.iter().chain(&["-o", "json"])).code(0).json();
            let total = &document["total"];
            assert_eq!(total["truncated"], truncated, "{version} {calls}");
            if deeper.is_empty() {
                assert_eq!(total["used"].to_string(), *used, "{version}");
            }
        }
    }
}

/// What is hidden from the rows takes its bytes all the same.
#[test]
fn hidden_frames_take_their_bytes() {
    let after = testdata("stacks/after.txt").display().to_string();
    let whole = stacksize(&[&after]);
    let hidden = stacksize(&[&after, "--hide", "^main.worker$", "--by", "function"]);
    assert_eq!(hidden["total"]["used"], whole["total"]["used"]);
    let rows = hidden["rows"].as_array().expect("rows");
    assert!(!rows.is_empty() && rows.iter().all(|row| row["function"] != "main.worker"));
}

#[test]
fn another_binary_is_used_only_by_force() {
    let sandbox = sandbox("go1.27-elf");
    let (_, text) = goroutines("go1.27-elf", 1);
    sandbox.file("goroutine.txt", text.replace("main.park+", "main.other+"));
    let run = ["stacksize", "--binary", "server", "goroutine.txt", "-o", "json"];
    sandbox.run(run).code(2).says("does not match goroutine.txt");
    let ran = sandbox.run(run.iter().chain(&["--force-binary"])).code(0);
    assert!(ran.stderr.contains("server is used by --force-binary"), "{}", ran.stderr);
}
