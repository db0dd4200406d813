//! Who waits for whom, in dumps of programs that got stuck in known ways, and of one that is healthy.

use crate::sandbox::{Sandbox, member, testdata};
use crate::schema::{assert_valid, validator};
use serde_json::Value;

/// The versions of Go that made the dumps of `testdata/waits`.
const VERSIONS: [&str; 3] = ["go1.21.13", "go1.24.11", "go1.27.3"];

/// One file of an archive.
pub(crate) fn dump(version: &str, name: &str) -> Vec<u8> {
    member(&format!("waits/{version}.zip"), name)
}

fn sandbox(version: &str, way: &str) -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.file("dump.txt", dump(version, &format!("{way}.txt")));
    sandbox
}

/// What `tree --waits` says of a dump.
#[track_caller]
fn waits(version: &str, way: &str) -> Value {
    let json =
        sandbox(version, way).run(["tree", "--waits", "-o", "json", "dump.txt"]).quiet().json();
    assert_valid(&validator("waits"), &json, &format!("{version} {way}"));
    json
}

/// The findings of `check` of one name: level and text.
#[track_caller]
fn found(version: &str, way: &str, check: &str, code: i32) -> Vec<(String, String)> {
    let ran = sandbox(version, way).run(["check", "-o", "json", "dump.txt"]).code(code);
    let json = ran.json();
    let findings = json["findings"].as_array().expect("findings").iter();
    let of_check = findings.filter(|one| one["check"] == check);
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    of_check.map(|one| (text(&one["level"]), text(&one["text"]))).collect()
}

/// A text without the numbers of goroutines, which differ from run to run.
fn without_ids(text: &str) -> String {
    let mut words: Vec<&str> = Vec::new();
    for word in text.split(' ') {
        let is_id = words.last() == Some(&"goroutine") && word.parse::<u64>().is_ok();
        words.push(if is_id { "N" } else { word });
    }
    words.join(" ")
}

#[test]
fn two_that_lock_crosswise_are_an_error_with_both_stacks() {
    for version in VERSIONS {
        let errors = found(version, "cross", "deadlock", 1);
        let [(level, text)] = errors.as_slice() else { panic!("{version}: {errors:?}") };
        assert_eq!(level, "error", "{version}");
        let text = without_ids(text);
        let stock = "goroutine N in main.(*Stock).Take";
        let ledger = "goroutine N in main.(*Ledger).Total";
        let either = [
            format!("{stock} waits for {ledger}, which waits for it"),
            format!("{ledger} waits for {stock}, which waits for it"),
        ];
        assert!(either.contains(&text), "{version}: {text}");
        let json =
            sandbox(version, "cross").run(["check", "-o", "json", "dump.txt"]).code(1).json();
        let one = json["findings"]
            .as_array()
            .expect("findings")
            .iter()
            .find(|one| one["check"] == "deadlock");
        let facts = one.expect("a finding")["facts"].as_object().expect("facts");
        let stacks: Vec<&str> = facts
            .iter()
            .filter(|(name, _)| name.starts_with("stack of goroutine "))
            .filter_map(|(_, stack)| stack.as_str())
            .collect();
        assert!(stacks.iter().any(|stack| stack.ends_with("main.(*Ledger).Post")), "{stacks:?}");
        assert!(stacks.iter().any(|stack| stack.ends_with("main.(*Stock).Audit")), "{stacks:?}");
        // The twelve that only wait for one of them are no part of the circle, and wait for it.
        let waits = waits(version, "cross");
        assert_eq!(waits["cycles"][0]["members"].as_array().expect("members").len(), 2);
        let waiting = |pile: &Value| pile["waiting"].as_i64().expect("a number");
        let piles = waits["piles"].as_array().expect("piles").iter();
        assert_eq!(piles.map(waiting).collect::<Vec<_>>(), [13, 1], "{version}");
    }
}

#[test]
fn one_function_that_locks_two_things_crosswise_is_an_error() {
    for version in VERSIONS {
        let errors = found(version, "transfer", "deadlock", 1);
        let [(level, text)] = errors.as_slice() else { panic!("{version}: {errors:?}") };
        assert_eq!(level, "error", "{version}");
        let one = "goroutine N in main.move";
        assert_eq!(without_ids(text), format!("{one} waits for {one}, which waits for it"));
    }
}

#[test]
fn a_pile_is_told_with_who_holds_the_lock_and_for_how_long() {
    for version in VERSIONS {
        let waits = waits(version, "pile");
        let text = waits["piles"][0]["text"].as_str().unwrap_or_default();
        assert_eq!(
            without_ids(text),
            "40 wait for goroutine N in main.(*Cache).fetch, which waits 2 min for IO",
            "{version}"
        );
        let ran = sandbox(version, "pile")
            .run(["filter", "--state", "sync.Mutex.Lock", "-o", "json", "dump.txt"])
            .quiet();
        assert_eq!(ran.json()["total"], waits["piles"][0]["waiting"], "as many as filter shows");
    }
}

#[test]
fn a_chain_is_followed_to_the_one_that_waits_for_something_else() {
    for version in VERSIONS {
        let waits = waits(version, "chain");
        let text = waits["piles"][0]["text"].as_str().unwrap_or_default();
        // Go isn't sure of what the calls of those were given that wait at once.
        let text = without_ids(text).replace(", probably", "");
        assert_eq!(
            text,
            "15 wait for goroutine N in main.(*Log).Append, which waits for goroutine N in \
             main.(*Disk).Write, which waits for goroutine N in main.(*Disk).Write, which waits for IO",
            "{version}"
        );
        let text = sandbox(version, "chain").run(["tree", "--waits", "dump.txt"]).quiet();
        let line = |name: &str| text.text().lines().position(|line| line.contains(name));
        let (io, most) = (line("[IO wait]"), line("15 × "));
        assert!(io.is_some() && io < most, "the reason stands on top: {}", text.text());
    }
}

#[test]
fn channels_and_groups_are_called_so_and_nobody_holds_them() {
    let sandbox = Sandbox::new();
    let dump = std::fs::read(testdata("traceback/go1.27.3.crash.txt")).expect("a dump");
    sandbox.file("dump.txt", dump);
    let tree = sandbox.run(["tree", "--waits", "dump.txt"]).quiet();
    let above = |waiting: &str| {
        let lines: Vec<&str> = tree.text().lines().collect();
        let at = lines.iter().position(|line| line.contains(waiting));
        lines[at.unwrap_or_else(|| panic!("{waiting}: {}", tree.text())) - 1].to_owned()
    };
    assert_eq!(
        above("] example.com/shop/report.Region.sum"),
        "nobody else seen has channel 0xd84f21a47e0"
    );
    assert_eq!(
        above("21 [sync.WaitGroup.Wait] example.com/shop/queue."),
        "nobody else seen has WaitGroup 0xd84f2144220"
    );
    assert!(above("25 [sync.Mutex.Lock]").contains(" holds 0xd84f2204150 (by address"));
    let json = sandbox.run(["tree", "--waits", "-o", "json", "dump.txt"]).quiet().json();
    let kinds = json["piles"].as_array().expect("piles").iter().map(|pile| &pile["kind"]);
    assert_eq!(kinds.filter(|kind| *kind == "chan-send").count(), 3, "{json}");
}

#[test]
fn a_lock_that_is_taken_twice_is_a_warning() {
    for version in VERSIONS {
        let warnings = found(version, "relock", "deadlock", 0);
        let [(level, text)] = warnings.as_slice() else { panic!("{version}: {warnings:?}") };
        assert_eq!(level, "warning", "{version}");
        assert_eq!(
            without_ids(text),
            "goroutine N in main.(*Queue).Trim waits for a lock that it probably took itself in \
             main.(*Queue).Push, or that was never unlocked"
        );
        let warnings = found(version, "reader", "deadlock", 0);
        let [(level, text)] = warnings.as_slice() else { panic!("{version}: {warnings:?}") };
        assert_eq!(level, "warning", "{version}");
        assert_eq!(
            without_ids(text),
            "goroutine N in main.(*Table).Row waits for a lock that it probably took itself in \
             main.(*Table).Sum: it reads already, and a writer waits in between"
        );
    }
}

#[test]
fn circles_with_channels_and_groups_are_probable() {
    // Go 1.21 isn't sure of the lock here.
    for version in &VERSIONS[1..] {
        let warnings = found(version, "feed", "deadlock", 0);
        let [(level, text)] = warnings.as_slice() else { panic!("{version}: {warnings:?}") };
        assert_eq!(level, "warning", "{version}");
        assert!(text.starts_with("probably a deadlock: goroutine "), "{text}");
        assert!(text.contains("(*Feed).Refresh") && text.contains("(*Feed).Publish"), "{text}");
    }
    for version in VERSIONS {
        let warnings = found(version, "drain", "deadlock", 0);
        let [(level, text)] = warnings.as_slice() else { panic!("{version}: {warnings:?}") };
        assert_eq!(level, "warning", "{version}");
        assert_eq!(
            without_ids(text),
            "probably a deadlock: goroutine N in main.(*Pool).Drain waits for a WaitGroup, and all 6 \
             that it has started wait for the lock that it holds, in main.(*Pool).finish"
        );
        let waits = waits(version, "drain");
        assert_eq!(waits["starters"][0]["started"], 6, "{version}");
        let sandbox = sandbox(version, "drain");
        let lines = sandbox.run(["tree", "--waits", "-o", "ndjson", "dump.txt"]).quiet();
        let types: Vec<String> = lines
            .text()
            .lines()
            .map(|line| serde_json::from_str::<Value>(line).expect("JSON")["type"].to_string())
            .collect();
        assert_eq!(types.last().map(String::as_str), Some("\"starter\""), "{types:?}");
        let told = sandbox.run(["summarize", "dump.txt"]).quiet();
        assert!(told.text().contains("deadlock probably: goroutine "), "{}", told.text());
    }
}

#[test]
fn locks_that_many_want_and_everybody_gives_back_are_no_deadlock() {
    for version in VERSIONS {
        for at in 1..=20 {
            let way = format!("healthy.{at:02}");
            let findings = found(version, &way, "deadlock", 0);
            assert!(findings.is_empty(), "{version} {way}: {findings:?}");
        }
    }
}

#[test]
fn formats_without_addresses_say_that_they_guess() {
    let sandbox = Sandbox::new();
    let text = "goroutine profile: total 12\n11 @ 0x1 0x2\n\
                #\t0x1\tsync.runtime_SemacquireMutex+0x1\t/s/sema.go:1\n\
                #\t0x1\tsync.(*Mutex).Lock+0x1\t/s/mutex.go:1\n\
                #\t0x2\tmain.(*Cache).get+0x1\t/s/main.go:5\n\n\
                1 @ 0x3 0x4\n\
                #\t0x3\tinternal/poll.runtime_pollWait+0x1\t/s/netpoll.go:1\n\
                #\t0x4\tmain.(*Cache).get+0x2\t/s/main.go:7\n\n";
    sandbox.file("dump.txt", text);
    let ran = sandbox.run(["tree", "--waits", "-o", "json", "dump.txt"]).code(0);
    let ran = ran.says("print no arguments");
    let json = ran.json();
    let text = json["piles"][0]["text"].as_str().unwrap_or_default();
    assert!(text.starts_with("11 wait, probably for the goroutine in "), "{text}");
    assert_eq!(json["piles"][0]["holders"][0]["evidence"], "by shape");
}

#[test]
fn every_format_of_who_waits_for_whom_holds_the_same_piles() {
    let sandbox = sandbox("go1.27.3", "chain");
    let run = |format: &str| {
        sandbox.run(["tree", "--waits", "-o", format, "dump.txt"]).quiet().text().to_owned()
    };
    assert_eq!(run("ndjson").lines().count(), 3);
    let csv = run("csv");
    assert_eq!(csv.lines().count(), 4, "{csv}");
    assert!(csv.contains(",15,"), "{csv}");
    let dot = run("dot");
    assert!(dot.starts_with("digraph waits {"), "{dot}");
    assert_eq!(dot.matches("->").count(), 3, "{dot}");
}

/// The lines of calls: those above a place.
fn calls(text: &str) -> Vec<&str> {
    let lines: Vec<&str> = text.lines().collect();
    let is_call = |pair: &&[&str]| pair[0].ends_with(')') && pair[1].starts_with('\t');
    lines.windows(2).filter(is_call).map(|pair| pair[0]).collect()
}

#[test]
fn arguments_are_written_as_they_were_read_where_they_are_asked_for() {
    for name in ["go1.21.13.debug2.txt", "go1.27.3.debug2.txt", "go1.25.5.sigquit.txt"] {
        let path = testdata(&format!("traceback/{name}"));
        let text = std::fs::read_to_string(&path).expect("a dump");
        let sandbox = Sandbox::new();
        sandbox.file("dump.txt", &text);
        let ran = sandbox.run(["export", "-o", "debug2", "--args", "dump.txt"]).code(0);
        let mut expected = calls(&text);
        expected.retain(|call| !call.starts_with("created by "));
        assert_eq!(calls(ran.text()), expected, "{name}");
        let ran = sandbox.run(["export", "-o", "debug2", "dump.txt"]).code(0);
        assert!(calls(ran.text()).iter().all(|call| call.ends_with("(...)")), "{name}");
    }
}

#[test]
fn pointers_of_several_goroutines_are_marked() {
    let sandbox = sandbox("go1.27.3", "chain");
    let json = sandbox.run(["export", "--args", "dump.txt"]).quiet().json();
    assert_valid(&validator("export"), &json, "arguments");
    let all = json["categories"][0]["stacks"].as_array().expect("stacks");
    let waiting = all.iter().find(|stack| stack["frames"].to_string().contains("(*Index).Len"));
    let goroutines = &waiting.expect("those that wait")["inputs"][0]["groups"][0]["goroutines"];
    let shared = goroutines[0]["shared"].as_object().expect("shared pointers");
    // Fifteen that want the lock, whose address lockSlow was given.
    assert!(shared.values().any(|count| count == 15), "{shared:?}");
    let text = sandbox.run(["filter", "-m", "Index", "-o", "text", "--args", "dump.txt"]).quiet();
    assert!(text.text().contains(" (15 goroutines)"), "{}", text.text());
    sandbox
        .run(["export", "-o", "csv", "--args", "dump.txt"])
        .code(2)
        .says("-o csv can't hold arguments");
}
