//! Protos that are small where they come from and large where they arrive.

use super::sound;
use super::write::*;
use crate::sandbox::Sandbox;

#[test]
fn values_and_labels_of_a_proto_take_what_their_bytes_take() {
    let sandbox = Sandbox::new();
    let types = Proto { types: vec![(1, 2); 20_000], ..Proto::default() };
    let samples = (0..50).map(|_| (vec![1], vec![1; 20_000], Vec::new())).collect();
    sandbox.file("types.pb", Proto { samples, ..types }.bytes());
    let samples = (0..200_000).map(|at| (vec![1], vec![1], vec![[3, 0, at, 0]])).collect();
    sandbox.file("labels.pb", Proto { samples, ..Proto::default() }.bytes());
    for name in ["types.pb", "labels.pb"] {
        for command in ["summarize", "filter"] {
            sound(sandbox.run_small([command, name]));
        }
    }
}

/// A proto with these sample types.
fn typed(types: std::ops::Range<i64>) -> Vec<u8> {
    let mut proto = Proto { types: Vec::new(), ..Proto::default() };
    for at in types.clone() {
        proto.types.push((proto.strings.len() as i64, 2));
        proto.strings.push(format!("t{at}").into_bytes());
    }
    proto.samples = vec![(vec![1], types.collect(), Vec::new()); 2];
    proto.bytes()
}

#[test]
fn of_many_sample_types_the_first_are_named_and_the_others_counted() {
    let sandbox = Sandbox::new();
    for name in ["old.pb", "new.pb"] {
        sandbox.file(name, typed(0..1000));
    }
    for command in [&["diff", "old.pb"][..], &["summarize"]] {
        let ran = sandbox.run_small(command.iter().copied().chain(["new.pb"])).code(0);
        let total = "total    1,998 t999 · 0 t0 · 2 t1 · 4 t2 · 6 t3 · 995 more";
        assert!(ran.text().contains(total), "{}", ran.text());
    }
}

/// Outputs with a profile or a row for each sample type of each sample took time without end.
#[test]
fn more_sample_types_than_there_can_be_are_refused_in_one_profile_and_in_many() {
    let sandbox = Sandbox::new();
    sandbox.file("one.pb", typed(0..100_000));
    let few = |at: i64| member(format!("{at}.pb"), typed(at * 2..at * 2 + 2));
    sandbox.file("many.zip", zip(&(0..2000).map(few).collect::<Vec<_>>()));
    for name in ["one.pb", "many.zip"] {
        for format in
            [&["-o", "speedscope"][..], &["-o", "json"], &["-o", "parquet", "--to", "tables"]]
        {
            let ran = sandbox.run_small(["export", name].iter().chain(format));
            sound(ran).code(2).says("more than 1000 different sample types (sample_types)");
        }
    }
}

#[test]
fn as_many_frames_as_a_proto_may_have_are_written_in_little_memory() {
    let sandbox = Sandbox::new();
    // One location of 3,000 inlined frames, and stacks that have it once, twice, and so on: the frames of
    // the first 25 stacks are within the limit.
    let mut proto = Proto::default();
    proto.locations[0].2 = vec![(1, 3); 3000];
    proto.samples = (1..60).map(|depth| (vec![1; depth], vec![1], Vec::new())).collect();
    sandbox.file("inlined.pb", proto.bytes());
    for format in ["json", "html"] {
        let ran = sound(sandbox.run_small(["export", "-o", format, "inlined.pb"])).code(2);
        assert!(ran.stderr.contains("proto_frames"), "{}", ran.stderr);
        let least = if format == "html" { 100 << 10 } else { 30 << 20 };
        assert!(ran.stdout.len() > least, "{format}: {} bytes", ran.stdout.len());
    }
}

#[test]
fn protos_of_empty_entries_or_of_one_huge_one_are_refused() {
    let sandbox = Sandbox::new();
    let many = |of: u64| field(of, b"").repeat(4 << 20);
    let label = field(3, b"").repeat(4 << 20);
    for (name, extra, limit) in [
        ("mappings.pb.gz", many(3), "proto_entries"),
        ("locations.pb.gz", many(4), "proto_entries"),
        ("strings.pb.gz", many(6), "proto_entries"),
        ("sample.pb.gz", field(2, &label), "proto_entry"),
    ] {
        sandbox.file(name, gzip(&Proto { extra, ..Proto::default() }.bytes(), 6));
        let ran = sound(sandbox.run_in(128 << 10, ["summarize", "--threads", "1", name]));
        ran.code(2).says(limit);
    }
}

#[test]
fn texts_that_a_proto_repeats_without_end_are_refused() {
    let sandbox = Sandbox::new();
    let mut proto = Proto::default();
    let long = proto.strings.len() as i64;
    proto.strings.push("v".repeat(60_000).into_bytes());
    let extra = number(13, long).repeat(60_000);
    sandbox.file("comments.pb", Proto { extra, ..proto.clone() }.bytes());
    let locations: Vec<LocationRow> = (1..=50).map(|at| (at, 1, vec![(1, at)])).collect();
    let samples = (1..5_000).map(|at| ((1..=at % 50 + 1).collect(), vec![at], vec![])).collect();
    let functions = vec![(1, 3, long)];
    sandbox.file("files.pb", Proto { locations, samples, functions, ..proto.clone() }.bytes());
    let samples = vec![(vec![1], vec![1], vec![[long, long, 0, 0]; 200])];
    sandbox.file("labels.pb", Proto { samples, ..proto.clone() }.bytes());
    let locations = (1..=20_000).map(|at| (at, 1, vec![(1, at)])).collect();
    let stack = |at: i64| (0..4).map(|more| at + more * 5_000).collect();
    let samples = (1..=5_000).map(|at| (stack(at), vec![1], vec![])).collect();
    let functions = vec![(1, long, long)];
    sandbox.file("places.pb", Proto { locations, samples, functions, ..proto.clone() }.bytes());
    // Numbers with a long unit, each a value of its own.
    let samples = (1..=50_000).map(|at| (vec![1], vec![1], vec![[1, 0, at, long]])).collect();
    sandbox.file("units.pb", Proto { samples, ..proto }.bytes());
    for (name, cap) in [
        ("labels.pb", "(proto_entry)"),
        ("places.pb", "16777216 frames"),
        ("units.pb", "the labels of its samples count as more than 16777216 frames"),
    ] {
        sound(sandbox.run_small(["summarize", "--call-graph", "-n", "5", name])).code(2).says(cap);
    }
    for name in ["comments.pb", "files.pb"] {
        for way in [&["-o", "json"][..], &["-o", "parquet", "--to", "tables"], &["-o", "pprof"]] {
            let way = [&["export", "--threads", "1", name][..], way].concat();
            sound(sandbox.run_in(400 << 10, way))
                .code(2)
                .says("frames in all (proto_frames_ratio)");
        }
    }
}

/// Copies for each row took a gigabyte for a proto of 200 KB.
#[test]
fn long_texts_that_a_proto_repeats_are_held_once() {
    let sandbox = Sandbox::new();
    let mut proto = Proto::default();
    let label = proto.strings.len() as i64;
    proto.strings.push("v".repeat(60_000).into_bytes());
    let keys = label + 1;
    proto.strings.extend((0..10).map(|at| format!("k{at}").into_bytes()));
    let labels = |sample: i64| (0..10).filter(move |at| sample >> at & 1 == 1);
    let labels = |sample| labels(sample).map(|at| [keys + at, label, 0, 0]).collect();
    proto.samples = (1..1_000).map(|at| (vec![1], vec![at], labels(at))).collect();
    sandbox.file("labels.pb", proto.bytes());
    for (mebibytes, way) in [
        (100, &["summarize", "--traces", "-n", "5"][..]),
        (350, &["export", "-o", "parquet", "--to", "tables"]),
    ] {
        let way = way.iter().chain(&["--threads", "1", "labels.pb"]);
        sound(sandbox.run_in(mebibytes << 10, way)).code(0);
    }
    sound(sandbox.run_in(350 << 10, ["summarize", "--threads", "1", "tables"])).code(0);
    // Each function calls each other one.
    let mut proto = Proto { functions: Vec::new(), locations: Vec::new(), ..Proto::default() };
    for at in 1..=100 {
        proto.functions.push((at, proto.strings.len() as i64, 0));
        proto.strings.push([b"main.".as_slice(), &[b'f'; 20_000], &[at as u8]].concat());
        proto.locations.push((at, 1, vec![(at, 1)]));
    }
    let pairs = (1..=100).flat_map(|a| (1..=100).map(move |b| vec![a, b]));
    proto.samples = pairs.map(|pair| (pair, vec![1], Vec::new())).collect();
    sandbox.file("calls.pb", proto.bytes());
    for view in ["--call-tree", "--call-graph"] {
        let arguments = ["summarize", view, "-n", "5", "calls.pb"];
        sound(sandbox.run_in(300 << 10, arguments)).code(0);
    }
}
