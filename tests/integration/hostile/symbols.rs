//! Binaries (`--binary`) that make small inputs large, and inputs that are many.

use super::large::goroutines;
use super::sound;
use super::write::*;
use crate::binaries::{binary, sandbox};
use crate::sandbox::Sandbox;

/// The binary that is changed.
const BINARY: &str = "go1.27-elf";
/// A third of a megabyte that is all zeros in the cut binary.
const SPACE: std::ops::Range<usize> = 0x30_0000..0x34_f000;

/// A binary with these bytes in the space, from an offset on.
fn with(mut binary: Vec<u8>, offset: usize, bytes: &[u8]) -> Vec<u8> {
    let at = SPACE.start + offset;
    assert!(at + bytes.len() <= SPACE.end, "{} bytes", bytes.len());
    let space = &mut binary[at..at + bytes.len()];
    assert!(space.iter().all(|&byte| byte == 0), "there is something at {at:#x}");
    space.copy_from_slice(bytes);
    binary
}

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

/// For each input all modules of the binary were read and added.
#[test]
fn a_binary_of_very_many_modules_is_asked_for_them_once() {
    let sandbox = Sandbox::new();
    let modules: String = (0..20_000).map(|at| format!("dep\tm{at}\tv1\n")).collect();
    let modules = format!("path\tmain\nmod\tmain\tv1\n{modules}").into_bytes();
    let text = |bytes: &[u8]| [varint(bytes.len() as u64), bytes.to_vec()].concat();
    let framed = [&[b'<'; 16], &modules[..], &[b'>'; 16]].concat();
    let start = b"\xff Go buildinf:\x08\x02".iter().copied().chain([0; 16]).collect();
    let info = [start, text(b"go1.27.3"), text(&framed)].concat();
    sandbox.file("server", with(binary(BINARY), 0, &info));
    sandbox.file(
        "dumps.txt",
        "goroutine profile: total 1\n1 @ 0x594093\n#\t0x594092\n\n".repeat(3_000),
    );
    let way = ["summarize", "--by", "module", "--binary", "server", "--force-binary", "dumps.txt"];
    let ran = sound(sandbox.run_small(way)).code(0);
    assert!(ran.text().contains("main@v1"), "{}", ran.text());
}
