//! Calls that are very many: frames of stacks, nodes of trees, frames that labels add.

use super::sound;
use super::write::*;
use crate::sandbox::Sandbox;

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
