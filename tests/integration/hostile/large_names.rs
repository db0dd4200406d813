//! Long names that outputs repeat in each line.

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
    sound(sandbox.run_in(128 << 10, way)).code(0);
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
