//! Calls that are very many: frames of stacks, nodes of trees, frames that labels add.

use super::sound;
use crate::sandbox::Sandbox;

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
