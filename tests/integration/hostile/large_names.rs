//! Names that are long, have many parts or are many.

use super::large::goroutines;
use super::sound;
use super::write::*;
use crate::sandbox::Sandbox;

/// 250 stacks of 60 names of 7,000 bytes are 105 MB as folded lines, which were all held to be sorted.
#[test]
fn folded_lines_of_long_names_are_not_held() {
    let sandbox = Sandbox::new();
    let mut proto = Proto::default();
    let first = proto.strings.len() as i64;
    let ids = 1..=310_i64;
    proto.strings.extend(ids.clone().map(|id| format!("main.f{id:x>6994}").into_bytes()));
    proto.functions = ids.clone().map(|id| (id, first + id - 1, 0)).collect();
    proto.locations = ids.map(|id| (id, 1, vec![(id, 1)])).collect();
    proto.samples = (1..=250).map(|at| ((at..at + 60).collect(), vec![1], vec![])).collect();
    sandbox.file("names.pb", proto.bytes());
    let way = ["export", "-o", "folded", "--threads", "1", "--to", "out.txt", "names.pb"];
    // With more room the allocator reserves 64 MiB of it for another thread now and then.
    sound(sandbox.run_in(96 << 10, way)).code(0);
    let length = std::fs::metadata(sandbox.path().join("out.txt")).expect("a file").len();
    assert!(length > 100 << 20, "{length}");
}

/// Lists of the parts of all paths took 32 KB for each of them.
#[test]
fn paths_of_very_many_parts_are_not_held_in_parts() {
    let sandbox = Sandbox::new();
    let inner: Vec<Member> = (0..4_000)
        .map(|at| member(format!("{at}.txt"), b"goroutine 1 [select]:\nmain.f()\n\t/a.go:1\n"))
        .collect();
    let outer = member(format!("{}x.zip", "a/".repeat(2_000)), zip(&inner));
    sandbox.file("outer.zip", zip(&[outer]));
    let way = ["summarize", "--threads", "1", "outer.zip"];
    sound(sandbox.run_in(160 << 10, way)).code(0);
}

/// Parsed, a table of one key takes a thousand times the bytes of its part of a name.
#[test]
fn settings_of_names_with_many_parts_are_refused_in_little_memory() {
    let sandbox = Sandbox::new();
    sandbox.file("dump.txt", "goroutine 1 [select]:\nmain.f()\n\t/a.go:1\n");
    sandbox.file(".git/HEAD", "");
    let name = "[x".to_owned() + &".x".repeat(60) + "]\n";
    let text: String = (0..8_000).map(|at| name.replacen('x', &format!("a{at}"), 1)).collect();
    sandbox.file("stackgazer.toml", text);
    sound(sandbox.run_in(384 << 10, ["summarize", "dump.txt"])).code(2).says("unknown key");
}

#[test]
fn a_baseline_that_could_not_be_read_is_not_written() {
    let sandbox = Sandbox::new();
    let name = |at| format!("main.f{at}{}", "x".repeat(8_000));
    let text = goroutines(2_200, |at| {
        format!("goroutine {at} [chan send]:\n{}()\n\t/a.go:1\n\n", name(at))
    });
    sandbox.file("dump.txt", text);
    let way = ["check", "--at-end", "--write-baseline", "base.toml", "dump.txt"];
    sound(sandbox.run(way)).code(2).says("named_file");
    assert!(!sandbox.path().join("base.toml").exists());
}

/// The decoder of each left a hole of 15 KB between the results.
#[test]
fn many_packed_members_leave_no_holes_in_memory() {
    let sandbox = Sandbox::new();
    let dump = gzip(b"goroutine 1 [select]:\nmain.f()\n\t/a.go:1\n", 6);
    let mut tar: Vec<u8> = (0..12_000)
        .flat_map(|at| tar_entry(b'0', format!("{at}.txt.gz").as_bytes(), &dump))
        .collect();
    tar.resize(tar.len() + 1024, 0);
    sandbox.file("dumps.tar.gz", gzip(&tar, 6));
    sound(sandbox.run_in(160 << 10, ["summarize", "--threads", "1", "dumps.tar.gz"])).code(0);
}

/// A few kilobytes of rules gave each stack of 45 bytes a name and a category of 4 KiB, which were in memory several
/// times.
#[test]
fn rules_cannot_make_the_names_of_many_stacks_long() {
    let sandbox = Sandbox::new();
    let stack = |at| format!("goroutine {at} [select]:\nmain.f{at}()\n\t/a.go:1\n\n");
    sandbox.file("few.txt", goroutines(1_000, stack));
    sandbox.file("many.txt", goroutines(40_000, stack));
    let long = "x".repeat(4_000);
    for (name, rules) in [
        ("trim", format!("[name]\ntrim = [{{ regex = '^(.*)$', to = '$1{long}' }}]\n")),
        ("fold", format!("[name]\nfold = [{{ regex = '.', to = '{long}' }}]\n")),
        ("match", format!("[category]\nmatch = [{{ regex = '^(.*)$', to = '$1{long}' }}]\n")),
        ("same", format!("[name]\ndistinct = false\nfold = [{{ regex = '.', to = '{long}' }}]\n")),
    ] {
        sandbox.file(name, rules);
        let way = |input| ["filter", "--threads", "1", "-o", "ndjson", "--config", name, input];
        sound(sandbox.run_in(224 << 10, way("few.txt"))).code(0);
        let many = sound(sandbox.run_in(224 << 10, way("many.txt"))).code(2);
        many.says("longer than 67108864 bytes (names_from)");
    }
}

/// A label of 4 KB stood in the row of each stack: a proto of a megabyte took half a gigabyte.
#[test]
fn texts_that_rows_share_have_a_limit_together() {
    let sandbox = Sandbox::new();
    for (name, count) in [("one.pb", 1), ("few.pb", 1_000), ("many.pb", 80_000)] {
        let mut proto = Proto::default();
        let first = proto.strings.len() as i64;
        proto.strings.extend([b"k".to_vec(), vec![b'v'; 4_000]]);
        proto.strings.extend((0..count).map(|at| format!("main.f{at}").into_bytes()));
        proto.functions = (1..=count).map(|id| (id, first + 1 + id, 0)).collect();
        proto.locations = (1..=count).map(|id| (id, 1, vec![(id, 1)])).collect();
        let label = [first, first + 1, 0, 0];
        proto.samples = (1..=count).map(|id| (vec![id], vec![1], vec![label])).collect();
        sandbox.file(name, proto.bytes());
    }
    for way in [&["summarize"][..], &["diff", "one.pb"]] {
        let run = |input| {
            let way = [way, &["--threads", "1", "--by", "stack,label:k", input]].concat();
            sound(sandbox.run_in(448 << 10, way))
        };
        run("few.pb").code(0);
        run("many.pb").code(2).says("(key_texts)");
    }
}

/// A path of 8 KB stood in the row of each of its functions, three times.
#[test]
fn paths_that_the_frames_of_traces_share_have_a_limit_together() {
    let sandbox = Sandbox::new();
    for (name, count) in [("few.pb", 1_000), ("many.pb", 40_000)] {
        let mut proto = Proto::default();
        let first = proto.strings.len() as i64;
        proto.strings.push(vec![b'p'; 8_000]);
        proto.strings.extend((0..count).map(|at| format!("main.f{at}").into_bytes()));
        proto.functions = (1..=count).map(|id| (id, first + id, first)).collect();
        proto.locations = (1..=count).map(|id| (id, 1, vec![(id, 1)])).collect();
        proto.samples = (1..=count).map(|id| (vec![id], vec![1], vec![])).collect();
        sandbox.file(name, proto.bytes());
    }
    let run = |input| {
        let way = ["summarize", "--traces", "-n", "1", "--threads", "1", input];
        sound(sandbox.run_in(160 << 10, way))
    };
    run("few.pb").code(0);
    run("many.pb").code(2).says("(key_texts)");
}
