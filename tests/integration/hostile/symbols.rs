//! Binaries (`--binary`) that make small inputs large, and inputs that are many.

use super::large::goroutines;
use super::sound;
use super::write::*;
use crate::binaries::sandbox;

/// The binary.
const BINARY: &str = "go1.27-elf";

/// For each input the samples of all inputs were looked through.
#[test]
fn very_many_inputs_of_a_binary_take_time_in_proportion_to_their_number() {
    let sandbox = sandbox(BINARY);
    let one = "goroutine profile: total 1\n1 @ 0x594093\n#\t0x594092\n\n";
    let record = |at| format!("1 @ 0x594093 {:#x}\n#\t0x594092\n\n", 0x1_0000 + at);
    let large = [&b"goroutine profile: total 150000\n"[..], &goroutines(150_000, record)].concat();
    let small = (0..20_000).map(|at| member(format!("{at}.txt"), one));
    let members: Vec<Member> = small.chain([member("large.txt", large)]).collect();
    sandbox.file("many.zip", zip(&members));
    let way = ["summarize", "--threads", "1", "--binary", "server", "--force-binary", "many.zip"];
    let ran = sound(sandbox.run_in(1 << 20, way)).code(0);
    assert!(ran.text().contains("170,000 stand in main.park"), "{}", ran.text());
}
