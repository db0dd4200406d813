//! `--binary`: dumps and profiles whose addresses a Go binary explains.

use crate::binaries::{binary, said, sandbox};
use crate::sandbox::{Ran, Sandbox, testdata};
use serde_json::Value;

/// How far a process of a PIE was moved.
const MOVED: u64 = 0x5555_5540_0000;

/// The frames that Go printed: address, function, offset, place.
fn frames(name: &str) -> Vec<(u64, String, String, String)> {
    let frames = said(name, "frame").into_iter().map(|fields| {
        let [pc, function, place] = fields.try_into().expect("three fields");
        let (function, offset) = function.rsplit_once('+').expect("an offset");
        let pc = u64::from_str_radix(&pc[2..], 16).expect("hex");
        (pc, function.to_owned(), offset.to_owned(), place)
    });
    frames.collect()
}

/// A record for each frame that Go printed, of which every third has its name still.
fn dump(name: &str, moved: u64) -> String {
    let frames = frames(name);
    let mut text = format!("goroutine profile: total {}\n", frames.len());
    for (at, (pc, function, offset, place)) in frames.iter().enumerate() {
        let pc = pc + moved;
        text.push_str(&format!("1 @ {:#x}\n", pc + 1));
        match at % 3 {
            0 => text.push_str(&format!("#\t{pc:#x}\t{function}+{offset}\t{place}\n")),
            _ => text.push_str(&format!("#\t{pc:#x}\n")),
        }
        text.push('\n');
    }
    text
}

fn symbolized(sandbox: &Sandbox, arguments: &[&str]) -> Ran {
    let all = ["filter", "-o", "ndjson", "--binary", "server"];
    sandbox.run(all.iter().chain(arguments))
}

/// The innermost function and place of each stack.
fn places(ran: &Ran) -> Vec<(String, String)> {
    let lines = ran.text().lines().map(|line| serde_json::from_str(line).expect("JSON"));
    let stacks = lines.filter(|line: &Value| line["type"] == "stack").map(|stack| {
        let frame = &stack["frames"][0];
        let text = |key: &str| frame[key].as_str().unwrap_or_default().to_owned();
        (text("func"), format!("{}:{}", text("file"), frame["line"]))
    });
    stacks.collect()
}

#[test]
fn addresses_without_names_get_those_that_go_prints() {
    let binaries = [
        ("go1.19-elf", 0),
        ("go1.21-elf-cgo-pie-stripped", MOVED),
        ("go1.27-elf", 0),
        ("go1.27-elf-pie-stripped", MOVED),
    ];
    for (name, moved) in binaries {
        let sandbox = sandbox(name);
        sandbox.file("dump.txt", dump(name, moved));
        let places = places(&symbolized(&sandbox, &["dump.txt"]).quiet());
        for (_, function, _, place) in frames(name) {
            assert!(places.contains(&(function.clone(), place)), "{name} {function}: {places:?}");
        }
        assert!(places.iter().all(|(function, _)| function != "<unknown>"), "{name}: {places:?}");
    }
}

/// Profiles of one file share their locations.
#[test]
fn all_profiles_of_a_file_get_their_names() {
    let sandbox = sandbox("go1.27-elf");
    sandbox.file("dump.txt", dump("go1.27-elf", 0).repeat(3));
    let ran = symbolized(&sandbox, &["dump.txt"]).quiet();
    let places = places(&ran);
    assert!(places.iter().all(|(function, _)| function != "<unknown>"), "{places:?}");
    assert!(!ran.text().contains("<unknown>"), "{}", ran.text());
}

/// The line on stderr of a run that was refused.
fn refused(ran: &Ran) -> String {
    assert_eq!(ran.code, Some(2), "{}", ran.stderr);
    assert_eq!(ran.stderr.lines().count(), 1, "{}", ran.stderr);
    ran.stderr.clone()
}

#[test]
fn the_binary_of_another_version_is_refused_with_what_disagrees() {
    let sandbox = sandbox("go1.19-elf");
    sandbox.file("dump.txt", dump("go1.27-elf", 0));
    let said = refused(&symbolized(&sandbox, &["dump.txt"]));
    assert!(said.contains("server: does not match dump.txt: "), "{said}");
    assert!(said.contains("10 of 10 frames disagree, 1 of them"), "{said}");
    assert!(said.contains("; the first is runtime.main+0x426"), "{said}");
    assert!(said.contains("--force-binary"), "{said}");
}

#[test]
fn the_binary_of_another_build_is_refused_with_what_disagrees() {
    let name = "go1.27-elf";
    let sandbox = sandbox(name);
    let other = dump(name, 0).replace("+0x", "+0x1");
    sandbox.file("dump.txt", &other);
    let said = refused(&symbolized(&sandbox, &["dump.txt"]));
    assert!(said.contains("frames disagree"), "{said}");
    let forced = symbolized(&sandbox, &["--force-binary", "dump.txt"]);
    let first = forced.text().lines().next().expect("a line");
    let document: Value = serde_json::from_str(first).expect("JSON");
    let warning = document["inputs"][0]["warnings"][0]["text"].as_str().expect("a warning");
    assert!(warning.starts_with("server is used by --force-binary; "), "{warning}");
}

#[test]
fn the_binary_of_another_program_lacks_functions() {
    let sandbox = sandbox("go1.27-elf");
    sandbox.file("dump.txt", dump("go1.27-elf", 0).replace("\tmain.", "\tmain.other"));
    let said = refused(&symbolized(&sandbox, &["dump.txt"]));
    assert!(said.contains(" of them of functions that it doesn't have; the first is "), "{said}");
    // The others are told, too.
    sandbox.file("crash.txt", traceback("go1.27-elf", |offset| format!("{offset}0")));
    let said = refused(&symbolized(&sandbox, &["dump.txt", "crash.txt"]));
    assert!(said.ends_with("; 1 more of the inputs match none either\n"), "{said}");
}

#[test]
fn another_build_id_is_reason_enough_to_refuse() {
    let sandbox = sandbox("go1.27-elf");
    let profile = std::fs::read(testdata("pprof/go1.27.3.debug0.pb.gz")).expect("a profile");
    sandbox.file("goroutine.pb.gz", profile);
    let said = refused(&symbolized(&sandbox, &["goroutine.pb.gz"]));
    assert!(said.contains("does not match goroutine.pb.gz: the profile's build id is "), "{said}");
}

#[test]
fn programs_of_other_languages_and_damaged_files_are_refused() {
    let sandbox = Sandbox::new();
    sandbox.file("dump.txt", dump("go1.27-elf", 0));
    let other = std::env::current_exe().expect("a program in Rust");
    let said =
        refused(&sandbox.run(["summarize", "--binary", &other.to_string_lossy(), "dump.txt"]));
    assert!(said.contains("isn't a Go binary"), "{said}");
    // Also where nothing that is asked for is missing.
    for name in [
        "go1.21-elf-cgo-pie-stripped",
        "go1.21-pe",
        "go1.27-elf",
        "go1.27-elf-pie-stripped",
        "go1.27-macho-arm64",
    ] {
        let whole = binary(name);
        for len in [whole.len() / 8, whole.len() / 2] {
            sandbox.file("server", &whole[..len]);
            let said = refused(&symbolized(&sandbox, &["dump.txt"]));
            let cut = format!("stackgazer: server: is cut off: it has {len} bytes, and ");
            assert!(said.starts_with(&cut) && said.contains(" ends at byte "), "{said}");
        }
    }
    let mut hostile = binary("go1.27-elf");
    hostile[0x28..0x30].fill(0xff);
    sandbox.file("server", hostile);
    let said = refused(&symbolized(&sandbox, &["dump.txt"]));
    assert!(said.contains("its list of sections ends at byte 18446744073709551615"), "{said}");
    sandbox.file("server", "no binary\n");
    let said = refused(&symbolized(&sandbox, &["dump.txt"]));
    assert!(said.contains("isn't a binary (ELF, Mach-O or PE)"), "{said}");
}

#[test]
fn a_binary_among_the_inputs_is_told_where_it_belongs() {
    let sandbox = sandbox("go1.27-elf");
    let ran = sandbox.run(["summarize", "server"]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.stderr.contains("server: is a binary; pass it with --binary"), "{}", ran.stderr);
}

/// A traceback of the calls of a crash, each in a goroutine of its own.
fn traceback(name: &str, offset: impl Fn(&str) -> String) -> String {
    let mut text = String::new();
    for (id, fields) in (1..).zip(said(name, "call")) {
        let [function, told, file, line, ..] = fields.as_slice() else { panic!("{fields:?}") };
        let told = offset(told);
        text.push_str(&format!(
            "goroutine {id} [select]:\n{function}(0x1)\n\t{file}:{line} +{told}\n\n"
        ));
    }
    text
}

#[test]
fn calls_of_a_crash_tell_whether_the_binary_is_the_one_that_crashed() {
    let name = "go1.27-elf";
    let sandbox = sandbox(name);
    sandbox.file("crash.txt", traceback(name, str::to_owned));
    let with = symbolized(&sandbox, &["crash.txt"]).quiet();
    let without = sandbox.run(["filter", "-o", "ndjson", "crash.txt"]);
    assert_eq!(places(&with), places(&without.quiet()));
    sandbox.file("crash.txt", traceback(name, |offset| format!("{offset}0")));
    let said = refused(&symbolized(&sandbox, &["crash.txt"]));
    assert!(said.contains("does not match crash.txt: "), "{said}");
}

/// Registers tell where a call is, so that another build is known by a call at another place.
#[test]
fn registers_of_a_crash_tell_how_far_it_was_moved_and_another_build() {
    for (name, moved) in [("go1.27-elf", 0), ("go1.27-elf-pie-stripped", MOVED)] {
        let sandbox = sandbox(name);
        let crash = |shift: u64| {
            let mut text = String::new();
            for (at, fields) in said(name, "call").iter().enumerate() {
                let [function, offset, file, line, pc, _] = fields.as_slice() else {
                    panic!("{fields:?}")
                };
                let pc = u64::from_str_radix(&pc[2..], 16).expect("hex") + moved;
                let pc = pc + if at > 0 { shift } else { 0 };
                text.push_str(&format!("goroutine {} [select]:\n{function}(0x1)\n", at + 1));
                let place =
                    format!("\t{file}:{line} +{offset} fp=0xc000010 sp=0xc000000 pc={pc:#x}");
                text.push_str(&format!("{place}\n\n"));
            }
            text
        };
        sandbox.file("crash.txt", crash(0));
        symbolized(&sandbox, &["crash.txt"]).quiet();
        sandbox.file("crash.txt", crash(0x40));
        let said = refused(&symbolized(&sandbox, &["crash.txt"]));
        assert!(said.contains(" frames disagree; the first is "), "{said}");
        assert!(said.contains(" in the profile and at 0x"), "{said}");
    }
}

#[test]
fn of_several_binaries_each_input_takes_its_own() {
    let sandbox = sandbox("go1.19-elf");
    sandbox.file("newer", binary("go1.27-elf"));
    sandbox.file("old.txt", dump("go1.19-elf", 0));
    sandbox.file("new.txt", dump("go1.27-elf", 0));
    let both = ["--binary", "newer", "old.txt", "new.txt"];
    let places = places(&symbolized(&sandbox, &both).quiet());
    for name in ["go1.19-elf", "go1.27-elf"] {
        for (_, function, _, place) in frames(name) {
            assert!(places.contains(&(function.clone(), place)), "{name} {function}");
        }
    }
}

#[test]
fn names_that_are_there_stay_unless_others_are_asked_for() {
    let name = "go1.27-elf";
    let sandbox = sandbox(name);
    let moved = dump(name, 0).replace("example.com/probe/", "/home/dev/probe/");
    sandbox.file("dump.txt", moved);
    let files = |arguments: &[&str]| {
        let places = places(&symbolized(&sandbox, arguments).quiet());
        places.iter().filter(|(_, place)| place.starts_with("/home/dev")).count()
    };
    assert!(files(&["dump.txt"]) > 0);
    assert_eq!(files(&["--resymbolize", "dump.txt"]), 0);
}

#[test]
fn threads_whose_start_is_not_known_say_nothing_against_a_binary() {
    // Go writes the addresses 0 and -1 for them.
    let sandbox = sandbox("go1.27-elf-pie-stripped");
    let profile = testdata("profiles/threadcreate.1.pb.gz").display().to_string();
    sandbox.run(["summarize", "--binary", "server", &profile]).quiet();
}
