//! Calls that are very many: frames of stacks, nodes of trees, frames that labels add.

use super::sound;
use super::write::*;
use crate::sandbox::Sandbox;

/// A packed proto of stacks of a thousand frames, of which no two have the same callers: 5 bytes for each stack.
fn deep(stacks: i64) -> Vec<u8> {
    let mut proto = Proto::default();
    let first = proto.strings.len() as i64;
    let ids = 1..=100_i64;
    proto.strings.extend(ids.clone().map(|id| format!("main.f{id}").into_bytes()));
    proto.functions = ids.clone().map(|id| (id, first + id - 1, 4)).collect();
    proto.locations = ids.map(|id| (id, 1, vec![(id, 1)])).collect();
    let stack = |at: i64| {
        let frames = (0..1000).map(|depth| 1 + depth % 8);
        frames.chain([1 + at % 100, 1 + at / 100]).collect()
    };
    proto.samples = (0..stacks).map(|at| (stack(at), vec![1], Vec::new())).collect();
    gzip(&proto.bytes(), 6)
}

/// A node of a tree took 220 bytes, and a frame that is explained 150.
#[test]
fn a_million_frames_are_shown_in_little_memory() {
    let sandbox = Sandbox::new();
    sandbox.file("deep.pb.gz", deep(1_000));
    for way in [
        &["summarize", "--call-tree", "--to", "out"][..],
        &["export", "-o", "flamegraph"],
        &["name"],
        &["name", "-o", "csv"],
    ] {
        let way = [way, &["--threads", "1", "deep.pb.gz"]].concat();
        sound(sandbox.run_in(128 << 10, way)).code(0);
    }
}

#[test]
fn a_tree_of_more_nodes_than_it_may_have_is_refused() {
    let sandbox = Sandbox::new();
    sandbox.file("deep.pb.gz", deep(4_500));
    for way in [&["summarize", "--call-tree"][..], &["export", "-o", "flamegraph"]] {
        let way = [way, &["--threads", "1", "deep.pb.gz"]].concat();
        let ran = sound(sandbox.run_in(320 << 10, way)).code(2);
        ran.says("the tree of calls has more than 4194304 nodes (tree_nodes)");
    }
}

/// Profiles of all sample types were in memory together, with 200 bytes for each sample of each.
#[test]
fn speedscope_profiles_of_many_sample_types_are_written_in_little_memory() {
    let sandbox = Sandbox::new();
    let mut proto = Proto::default();
    let first = proto.strings.len() as i64;
    proto.strings.extend((0..300).map(|at| format!("t{at}").into_bytes()));
    proto.types = (0..300).map(|at| (first + at, 2)).collect();
    let label = |at: i64| [3, 0, at, 0];
    let stack = |at: i64| vec![1; 1 + at as usize % 100];
    proto.samples = (1..3_000).map(|at| (stack(at), vec![1; 300], vec![label(at)])).collect();
    sandbox.file("types.pb", proto.bytes());
    let way = ["export", "-o", "speedscope", "--threads", "1", "types.pb"];
    let ran = sound(sandbox.run_in(96 << 10, way)).code(0);
    assert_eq!(ran.json()["profiles"].as_array().map(Vec::len), Some(300));
}

/// 2,000 keys of 20,000 samples took more than 8 GB.
#[test]
fn labels_add_a_limited_number_of_frames() {
    let sandbox = Sandbox::new();
    let mut proto = Proto::default();
    let label = |at: i64| [3, 0, at, 0];
    proto.samples = (1..=5_000).map(|at| (vec![1], vec![1], vec![label(at)])).collect();
    sandbox.file("labels.pb", proto.bytes());
    let keys = |count: usize| (0..count).map(|at| format!("k{at}")).collect::<Vec<_>>().join(",");
    for (option, count, code) in
        [("--tagroot", 100, 0), ("--tagroot", 839, 2), ("--tagleaf", 839, 2)]
    {
        let keys = keys(count);
        let way = ["summarize", "--threads", "1", option, &keys, "labels.pb"];
        let ran = sound(sandbox.run_in(160 << 10, way)).code(code);
        if code == 2 {
            ran.says("839 keys for 5000 samples add more than 4194304 frames (tag_frames)");
        }
    }
}

/// Each byte of a list of numbers takes a hundred once it is parsed.
#[test]
fn settings_that_are_named_are_parsed_in_limited_memory() {
    let sandbox = Sandbox::new();
    sandbox.file("dump.txt", "goroutine 1 [select]:\nmain.f()\n\t/a.go:1\n");
    let list = |length: usize| format!("a = [{}]\n", "1,".repeat(length / 2 - 8));
    for (length, says) in [(4 << 20, "unknown key"), (5 << 20, "longer than 4 MiB (named_file)")] {
        sandbox.file("list.toml", list(length));
        for way in [&["summarize", "--config"][..], &["check", "--at-end", "--allow"]] {
            let way = [way, &["list.toml", "dump.txt"]].concat();
            sound(sandbox.run_in(512 << 10, way)).code(2).says(says);
        }
    }
}
