//! What is small and takes minutes if time doesn't grow in proportion to it: each has half a minute of a processor's time.

use super::large::goroutines;
use super::sound;
use super::write::*;
use crate::sandbox::Sandbox;

/// For each of them the rest of the line was looked through.
#[test]
fn lines_of_very_many_headers_take_time_in_proportion_to_their_length() {
    let sandbox = Sandbox::new();
    for (at, header) in [
        "goroutine 1 [",
        "goroutine 1 [a]: ",
        "goroutine 1 gp=0x1 m=nil [",
        "Goroutine 1 in state ",
    ]
    .iter()
    .enumerate()
    {
        let line = header.repeat((1000 << 10) / header.len()) + "goroutine 1 [b]:\n";
        let name = format!("{at}.gz");
        sandbox.file(&name, gzip(line.repeat(4).as_bytes(), 6));
        sound(sandbox.run_small(["summarize", "--strict", "--threads", "1", &name])).code(2);
    }
}

/// Whether one of the goroutines before has a creator was asked of all of them, for each crash anew.
#[test]
fn logs_of_very_many_crashes_that_end_their_process_take_time_in_proportion_to_their_length() {
    let sandbox = Sandbox::new();
    let crash = |at| {
        format!(
            "panic: p\n\ngoroutine {at} [running]:\nmain.f{at}()\n\t/a.go:3 +0x1d\nexit status 2\n"
        )
    };
    sandbox.file("crashes.txt", goroutines(60_000, crash));
    sound(sandbox.run_in(1 << 20, ["summarize", "--threads", "1", "crashes.txt"]));
}

#[test]
fn what_a_rule_made_too_long_is_left_to_no_other_rule() {
    let sandbox = Sandbox::new();
    let dump = |id| format!("goroutine {id} [select]:\nmain.f{id}()\n\t/a.go:1 +0x1d\n\n");
    sandbox.file("dump.txt", goroutines(2000, dump));
    let trim = format!("[name]\ntrim = [{}]\n", "'s|^(.*)$|$1$1|',".repeat(1000));
    sandbox.file("rules.toml", trim);
    // Each was applied to each name of 4 KiB: 8 GB of texts.
    sound(sandbox.run_small(["name", "--config", "rules.toml", "dump.txt"])).code(0);
}

#[test]
fn a_stack_of_very_many_creators_is_laid_out_once() {
    // For each creator anew it took 20 s of an optimized build.
    let sandbox = Sandbox::new();
    let created = |at| format!("created by main.start{at} in goroutine 1\n\t/a.go:{at} +0x1\n");
    let one = |at| format!("main.f()\n\t/a.go:1 +0x1\n{}", created(at));
    let dump = (1..=10_000).map(|at| format!("goroutine {at} [select]:\n{}\n", one(at)));
    sandbox.file("dump.txt", dump.collect::<String>());
    sound(sandbox.run_small(["filter", "dump.txt"])).code(0);
}

#[test]
fn ten_thousands_of_crashes_are_reported_in_little_memory_and_few_lines() {
    let sandbox = Sandbox::new();
    let crash =
        |at| format!("panic: p{at}\n\ngoroutine {at} [running]:\nmain.a()\n\t/a.go:{at}\n\n");
    sandbox.file("crashes.txt", goroutines(40_000, crash));
    let report = ["check", "--threads", "1", "--report", "sarif=a.sarif", "crashes.txt"];
    let ran = sound(sandbox.run_small(report)).code(2);
    assert!(ran.says("39999 more like it").stderr.lines().count() < 10);
    let sarif = std::fs::read(sandbox.path().join("a.sarif")).expect("a report");
    let sarif: serde_json::Value = serde_json::from_slice(&sarif).expect("a document");
    assert_eq!(sarif["runs"][0]["results"].as_array().map(Vec::len), Some(40_000));
}

/// With each line all of the text so far was looked through for what another program may have written into it.
#[test]
fn records_that_are_broken_into_very_many_lines_take_time_in_proportion_to_their_length() {
    let sandbox = Sandbox::new();
    let first = r#"{"stack":"goroutine 1 [running]:\nmain.f()\n\t/"#;
    let rest = format!("{}\n", "a".repeat(first.len())).repeat(1400);
    let record = format!("{first}\n{rest}\"}}\n");
    sandbox.file("records.log", record.repeat(40));
    sound(sandbox.run_small(["summarize", "--threads", "1", "records.log"]));
}

/// For each frame all addresses of its record were looked through.
#[test]
fn a_record_of_very_many_frames_takes_time_in_proportion_to_their_number() {
    let sandbox = Sandbox::new();
    let address = |at: u32| 0x40_0000 + 16 * at;
    let addresses: String = (0..70_000).map(|at| format!(" {:#x}", address(at) + 1)).collect();
    let frame = |at| format!("#\t{:#x}\tmain.f{at}+0x1\t/a.go:{at}\n", address(at));
    for gap in ["", "\n"] {
        let frames: String = (0..70_000).map(|at| frame(at) + gap).collect();
        let text = format!("goroutine profile: total 1\n1 @{addresses}\n{frames}\n\n");
        sandbox.file("profile.txt", text);
        sound(sandbox.run_small(["export", "--strict", "-o", "csv", "profile.txt"])).code(0);
    }
    let frames: String = (0..70_000).rev().map(frame).collect();
    sandbox.file("profile.txt", format!("goroutine profile: total 1\n1 @{addresses}\n{frames}\n"));
    sound(sandbox.run_small(["export", "--strict", "-o", "csv", "profile.txt"])).code(2);
}

/// For each line below it what stands between its addresses, or behind them, was looked through.
#[test]
fn a_record_of_a_very_long_first_line_takes_time_in_proportion_to_its_lines() {
    let sandbox = Sandbox::new();
    let frame = |at| format!("#\t0x{:x}\tmain.f{at}+0x1\t/a.go:{at}\n", 0x3f_ffff + at % 2);
    for first in [
        " ".repeat(500_000),
        "a ".repeat(250_000),
        "0x0 ".repeat(125_000),
        "0x".to_owned() + &"0".repeat(500_000),
    ] {
        for below in ["", "# \n", "a line of text\n"] {
            let lines: String = (0..12_000).map(|at| frame(at) + below).collect();
            for addresses in ["", "0x400000 0x400001 "] {
                let text =
                    format!("threadcreate profile: total 1\n1 @ {addresses}{first}\n{lines}\n");
                sandbox.file("profile.txt", text);
                sound(sandbox.run_small(["summarize", "--threads", "1", "profile.txt"]));
            }
        }
    }
}

/// For each group the counts at all points were laid out.
#[test]
fn a_series_of_very_many_points_and_groups_takes_time_in_proportion_to_both() {
    let sandbox = Sandbox::new();
    let record =
        |at| format!("goroutine profile: total 1\n1 @ 0x1\n#\t0x1\tmain.f{at}+0x1\t/a.go:1\n\n");
    sandbox.file("many.txt", goroutines(30_000, record));
    sandbox.file("many.tgz", series(30_000, "select"));
    for name in ["many.txt", "many.tgz"] {
        sound(sandbox.run_in(1 << 20, ["check", "--series", "--threads", "1", name])).code(0);
    }
}

/// A pull request may change settings: each rule and pattern was compared with each stack.
#[test]
fn settings_have_no_more_rules_and_patterns_than_can_be_compared_with_each_stack() {
    let sandbox = Sandbox::new();
    let dump = |id| {
        format!(
            "goroutine {id} [select]:\na.b()\n\t/x:{id} +0x1\ncreated by c.f{id}\n\t/x:1 +0x1\n\n"
        )
    };
    sandbox.file("dump.txt", goroutines(20_000, dump));
    let entry = |at| format!("[[allow]]\nfunction = 'a.b'\ncreated_by = 'c.f{at}'\n");
    let entries: String = (1..=20_000).map(entry).collect();
    sandbox.file("baseline.toml", entries);
    let check = |name: &str| {
        let way = ["check", "--at-end", "--threads", "1", "--allow", name, "dump.txt"];
        sound(sandbox.run_in(1 << 20, way))
    };
    check("baseline.toml").code(0);
    for entry in ["name = 'z*'", "function = ['a.b', 'a.c']", "function = 'a.b'\nkind = 'io'"] {
        sandbox.file("list.toml", format!("[[allow]]\n{entry}\n").repeat(1001));
        check("list.toml").code(2).says("(listed_entries)");
    }
    for list in ["name.skip", "name.find", "trim.func", "category.match"] {
        let rules = format!("{list} = [{}]\n", "'a.b',".repeat(1001));
        sandbox.file("rules.toml", rules);
        let way = ["summarize", "--config", "rules.toml", "dump.txt"];
        sound(sandbox.run_small(way)).code(2).says("(listed_entries)");
    }
}
