//! Binaries (`--binary`) that make small inputs large, and inputs that are many.

use super::large::goroutines;
use super::sound;
use super::write::*;
use crate::binaries::{binary, sandbox};
use crate::sandbox::Sandbox;
use std::ops::Range;

/// The binary that is changed, and a function of it with its place in the file.
const BINARY: &str = "go1.27-elf";
const FUNCTION: u64 = 0x59_4e00;
const RECORD: usize = 0x2b_e248;
/// Tables of the binary in the file, to which the offsets in records are relative.
const VALUES: usize = 0x1e_12b0;
const TREES: usize = 0x2b_eb08;
/// A third of a megabyte that is all zeros in the cut binary.
const SPACE: Range<usize> = 0x30_0000..0x34_f000;

/// A binary with these bytes in the space, from an offset on.
fn with(mut binary: Vec<u8>, offset: usize, bytes: &[u8]) -> Vec<u8> {
    let at = SPACE.start + offset;
    assert!(at + bytes.len() <= SPACE.end, "{} bytes", bytes.len());
    let space = &mut binary[at..at + bytes.len()];
    assert!(space.iter().all(|&byte| byte == 0), "there is something at {at:#x}");
    space.copy_from_slice(bytes);
    binary
}

/// A binary whose [`FUNCTION`] consists of calls that were inlined, each into the next one.
fn nested(calls: u32) -> Vec<u8> {
    let mut indexes = [2, 1].repeat(calls as usize);
    indexes.push(0);
    // The files and lines of 8,000 instructions are the first ones.
    let positions = [2, 0xc0, 0x3e, 0];
    // Each has the first name of all.
    let row = |call: u32| [0, 1, call + 1, 1].map(u32::to_le_bytes).concat();
    let tree: Vec<u8> = (0..calls).flat_map(row).collect();
    let mut bytes = with(binary(BINARY), 0, &indexes);
    bytes = with(with(bytes, 0x8000, &positions), 0x1_0000, &tree);
    // Five tables of values follow the record, of which the third is for indexes; then data, the fourth a tree.
    assert_eq!((bytes[RECORD + 28], bytes[RECORD + 43]), (5, 7), "another record");
    for (field, offset) in [
        (20, SPACE.start + 0x8000 - VALUES),
        (24, SPACE.start + 0x8000 - VALUES),
        (44 + 2 * 4, SPACE.start - VALUES),
        (44 + (5 + 3) * 4, SPACE.start + 0x1_0000 - TREES),
    ] {
        let at = RECORD + field;
        bytes[at..at + 4].copy_from_slice(&(offset as u32).to_le_bytes());
    }
    bytes
}

/// The location at an instruction of [`FUNCTION`], without names.
fn location(at: i64) -> LocationRow {
    // Their addresses are their ids and the start of the mapping.
    (FUNCTION as i64 - 0x40_0000 + at, 1, Vec::new())
}

/// A location of one byte became a thousand frames in each stack: 100 KB took 1.1 GB.
#[test]
fn inlined_calls_make_no_stacks_without_end() {
    let sandbox = Sandbox::new();
    sandbox.file("server", nested(300));
    let ids: Vec<i64> = (0..50).map(|at| location(at).0).collect();
    let stack = |sample: usize, length: usize| -> Vec<i64> {
        (0..length).map(|at| ids[(sample * 7 + at * (sample + 1)) % 50]).collect()
    };
    let labels = |sample: i64| vec![[3, 0, sample, 0]];
    // One location has its name, by which the binary is known.
    let functions = vec![(1, 3, 4)];
    let mut strings = Proto::default().strings;
    strings.truncate(3);
    strings.extend([b"main.park".to_vec(), b"example.com/probe/main.go".to_vec()]);
    let named = (0x19_4092, 1, vec![(1, 31)]);
    let proto = |samples: Vec<SampleRow>| {
        let samples = samples.into_iter().chain([(vec![named.0], vec![1], Vec::new())]).collect();
        let locations = (0..50).map(location).chain([named.clone()]).collect();
        let (functions, strings) = (functions.clone(), strings.clone());
        Proto { locations, samples, functions, strings, ..Proto::default() }.bytes()
    };
    let many = |samples, length| {
        let sample = |at| (stack(at, length + at), vec![1], Vec::new());
        proto((0..samples).map(sample).collect())
    };
    sandbox.file("few.pb", many(10, 50));
    sandbox.file("short.pb", many(30, 300));
    sandbox.file("many.pb", many(100, 1000));
    let shared = |at| (stack(1, 100), vec![1], labels(at));
    sandbox.file("shared.pb", proto((0..100).map(shared).collect()));
    let one = member("one.pb", proto(vec![(vec![ids[0]; 20], vec![1], Vec::new())]));
    let fleet: Vec<Member> =
        (0..300).map(|at| Member { name: format!("{at}.pb").into(), ..one.clone() }).collect();
    sandbox.file("fleet.zip", zip(&fleet));
    let run = |command, name| {
        let way = [command, "--threads", "1", "--binary", "server", name];
        sound(sandbox.run_in(224 << 10, way))
    };
    run("summarize", "few.pb").code(0);
    for (name, says) in [
        ("short.pb", "more than 1048576 frames in all (inlined_from)"),
        ("many.pb", "more than 1679216 frames in all (inlined_average)"),
        ("shared.pb", "(inlined_from)"),
        ("fleet.zip", "(inlined_from)"),
    ] {
        run("summarize", name).code(2).says(says);
    }
    run("stacksize", "many.pb").code(2).says("(inlined_average)");
    run("check", "many.pb").code(2).says("(inlined_average)");
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

/// Build info with these lines.
fn build_info(lines: impl Iterator<Item = String>) -> Vec<u8> {
    let modules = format!("path\tmain\nmod\tmain\tv1\n{}", lines.collect::<String>()).into_bytes();
    let text = |bytes: &[u8]| [varint(bytes.len() as u64), bytes.to_vec()].concat();
    let framed = [&[b'<'; 16], &modules[..], &[b'>'; 16]].concat();
    let start = b"\xff Go buildinf:\x08\x02".iter().copied().chain([0; 16]).collect();
    [start, text(b"go1.27.3"), text(&framed)].concat()
}

/// For each input all modules of the binary were read and added.
#[test]
fn a_binary_of_very_many_modules_is_asked_for_them_once() {
    let sandbox = Sandbox::new();
    let info = build_info((0..20_000).map(|at| format!("dep\tm{at}\tv1\n")));
    sandbox.file("server", with(binary(BINARY), 0, &info));
    sandbox.file(
        "dumps.txt",
        "goroutine profile: total 1\n1 @ 0x594093\n#\t0x594092\n\n".repeat(3_000),
    );
    let way = ["summarize", "--by", "module", "--binary", "server", "--force-binary", "dumps.txt"];
    let ran = sound(sandbox.run_small(way)).code(0);
    assert!(ran.text().contains("main@v1"), "{}", ran.text());
}

/// The texts of each place that looks like build info were copied: 120 GB for these.
#[test]
fn build_info_is_copied_from_no_place_without_a_version() {
    const TEXT: usize = (4 << 20) - 1;
    const SEGMENTS: u64 = 240;
    let sandbox = Sandbox::new();
    let mut place = b"\xff Go buildinf:\x08\x02".to_vec();
    place.resize(32, 0);
    place.extend(varint(TEXT as u64));
    place.resize(48, 0);
    let mut places = place.repeat(64);
    places.resize(places.len() + 2 * TEXT + 100, b'x');
    // The second text follows the first one.
    for at in (0..64).map(|place| 48 * place + 36 + TEXT) {
        places[at..at + 4].copy_from_slice(&varint(TEXT as u64));
    }
    let mut bytes = binary(BINARY);
    let word = |bytes: &[u8], at: usize| {
        u64::from_le_bytes(bytes[at..at + 8].try_into().expect("8 bytes"))
    };
    // The program headers move to the end, with more of them.
    let (headers, count) = (word(&bytes, 32) as usize, u16::from_le_bytes([bytes[56], bytes[57]]));
    let mut table = bytes[headers..headers + 56 * usize::from(count)].to_vec();
    let offset = bytes.len() as u64;
    bytes.extend(places);
    for at in 0..SEGMENTS {
        table.extend([1_u32, 4].map(u32::to_le_bytes).concat());
        let (address, size) = (0x1000 + at * 16, 64 * 48);
        table.extend([offset, address, address, size, size, 16].map(u64::to_le_bytes).concat());
    }
    let end = bytes.len() as u64;
    bytes[32..40].copy_from_slice(&end.to_le_bytes());
    bytes[56..58].copy_from_slice(&(count + SEGMENTS as u16).to_le_bytes());
    bytes.extend(table);
    sandbox.file("server", bytes);
    let ran = sound(sandbox.run_small(["symbolize", "server", "main.park+1"])).code(0);
    assert!(ran.text().contains("main.park"), "{}", ran.text());
}

/// A binary with these bytes at its end, and a section for each of these names in them and ranges of them.
fn with_sections(
    mut binary: Vec<u8>,
    end: &[u8],
    sections: impl Iterator<Item = (usize, Range<usize>)>,
) -> Vec<u8> {
    // Build info is aligned.
    let at = binary.len().next_multiple_of(16);
    binary.resize(at, 0);
    let row = |name: usize, kind: u32, range: Range<usize>| {
        let words = [name as u32, kind].map(u32::to_le_bytes).concat();
        let (offset, size) = ((at + range.start) as u64, range.len() as u64);
        [words, [0, 0, offset, size, 0, 1, 0].map(u64::to_le_bytes).concat()].concat()
    };
    let mut table = [row(0, 0, 0..0), row(0, 3, 0..end.len())].concat();
    table.extend(sections.flat_map(|(name, range)| row(name, 1, range)));
    binary.extend(end);
    let start = (binary.len() as u64).to_le_bytes();
    binary[40..48].copy_from_slice(&start);
    let count = (table.len() / 64) as u16;
    binary[58..64].copy_from_slice(&[64, count, 1].map(u16::to_le_bytes).concat());
    binary.extend(table);
    binary
}

/// Each name was kept: 500 MB of 10, where names of 4 KiB share their bytes.
#[test]
fn names_of_sections_take_no_memory() {
    let sandbox = Sandbox::new();
    let symbolize = |binary: Vec<u8>| {
        sandbox.file("server", binary);
        sound(sandbox.run_in(160 << 10, ["symbolize", "server", "main.park+1"]))
    };
    let names: String = (0..650).map(|at| ".text_".repeat(680) + &format!("{at:03}\0")).collect();
    let places = (0..65_000).map(|at| (at / 100 * 4084 + at % 100 * 6, 0..16));
    let ran = symbolize(with_sections(binary(BINARY), names.as_bytes(), places)).code(0);
    assert!(ran.text().contains("main.park"), "{}", ran.text());
    let names: String = (0..257).map(|at| format!(".debug_{at:03}\0")).collect();
    let debug = |count| {
        with_sections(binary(BINARY), names.as_bytes(), (0..count).map(|at| (at * 11, 0..16)))
    };
    symbolize(debug(256)).code(0);
    symbolize(debug(257))
        .code(2)
        .says("more sections of DWARF than a program has (binary_segments)");
}

/// Each takes 700 bytes: twelve binaries of 4 MB took 2 GB.
#[test]
fn modules_of_all_binaries_together_have_a_limit() {
    let sandbox = Sandbox::new();
    let with_modules = |name, modules: Range<usize>| {
        let info = build_info(modules.map(|at| format!("dep\tm{at}\tv1\n")));
        let info = [&b".go.buildinfo\0\0\0"[..], &info].concat();
        let range = 16..info.len();
        with_sections(binary(name), &info, [(0, range)].into_iter())
    };
    sandbox.file("new", with_modules(BINARY, 0..40_000));
    sandbox.file(
        "new.txt",
        "goroutine profile: total 1\n1 @ 0x594093\n#\t0x594092\tmain.park+0x32\t/probe/main.go:31\n\n",
    );
    sandbox.file(
        "old.txt",
        "goroutine profile: total 1\n1 @ 0x510355\n#\t0x510354\tmain.park+0x34\t/probe/main.go:31\n\n",
    );
    let run = |modules| {
        sandbox.file("old", with_modules("go1.19-elf", modules));
        let way = [
            "summarize",
            "--by",
            "module",
            "--binary",
            "new",
            "--binary",
            "old",
            "new.txt",
            "old.txt",
        ];
        sound(sandbox.run_small(way))
    };
    run(20_000..60_000).code(0);
    run(30_000..70_000).code(2).says("there are more than 65536 modules (binary_modules)");
    run(0..70_000).code(2).says("old: it was built from more than 65536 modules (binary_modules)");
    let large = build_info(std::iter::once(format!("dep\t{}\n", "m".repeat(4 << 20))));
    let large = [&b".go.buildinfo\0\0\0"[..], &large].concat();
    let range = 16..large.len();
    sandbox.file("old", with_sections(binary("go1.19-elf"), &large, [(0, range)].into_iter()));
    let way = ["symbolize", "old", "0x510354"];
    sound(sandbox.run_small(way)).code(2).says("more than 4194304 bytes (build_info)");
}
