//! The core file of testdata/core: a kernel wrote it of `tests/go/live`; it is cut down to the parts from which
//! goroutines are read.

use super::notes::Registers;
use super::{CorePrograms, Wanted, capture_core, is_core, most_text};
use crate::binary::tests::fixture::restored;
use crate::error::{ErrorKind, Result};
use crate::limits::LIMITS;
use crate::live::{Capture, CaptureCounts};
use crate::read_at::ReadAt;
use proptest::prelude::*;
use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::PathBuf;

/// The program of the core, which lists it as a segment at 0x400000.
const HEADERS: usize = 64;
const SEGMENT: usize = 56;

/// A file in memory.
struct Core {
    bytes: Vec<u8>,
    reads: Cell<u64>,
    broken: bool,
}

impl ReadAt for Core {
    fn length(&self) -> u64 {
        self.bytes.len() as u64
    }

    fn read_at(&self, buffer: &mut [u8], at: u64) -> io::Result<usize> {
        if self.broken && at > 0x2000 {
            return Err(io::Error::other("the disk is gone"));
        }
        let rest = self.bytes.get(at as usize..).unwrap_or_default();
        // Short reads, as a system may return them.
        let count = buffer.len().min(rest.len()).min(5000);
        buffer[..count].copy_from_slice(&rest[..count]);
        self.reads.set(self.reads.get() + count as u64);
        Ok(count)
    }
}

fn testdata(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("testdata").join(name)
}

fn core() -> Core {
    core_of("core/go1.27.core.cut.gz")
}

fn core_of(name: &str) -> Core {
    Core { bytes: restored(&testdata(name)).bytes, reads: Cell::new(0), broken: false }
}

/// A program of the test data in a file of its own.
struct Program(tempfile::NamedTempFile);

impl Program {
    fn of(name: &str) -> Program {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), restored(&testdata(name)).bytes).unwrap();
        Program(file)
    }

    fn right() -> Program {
        Program::of("core/go1.27.program.cut.gz")
    }

    fn given(&self, force: bool) -> CorePrograms {
        CorePrograms { given: vec![self.0.path().to_owned()], force }
    }
}

fn capture(core: &Core) -> Result<Capture> {
    capture_core(core, &Program::right().given(false), Wanted::All, "core")
}

fn blocks(text: &str) -> BTreeMap<u64, &str> {
    let blocks = text.trim_end().split("\n\n").map(|block| {
        let id = block.split(' ').nth(1).unwrap().parse().unwrap();
        (id, block.trim_end())
    });
    blocks.collect()
}

#[test]
fn goroutines_of_a_core_are_as_their_process_printed_them() {
    let core = core();
    let capture = capture(&core).unwrap();
    let said = std::fs::read_to_string(testdata("core/go1.27.txt")).unwrap();
    let text = String::from_utf8(capture.text).unwrap();
    let (mut ours, mut its) = (blocks(&text), blocks(&said));
    // The goroutine that dumped itself was printing that when the core was written.
    let first = ours.remove(&1).unwrap();
    assert!(first.starts_with("goroutine 1 [syscall]:\nsyscall.Syscall(0x1, 0x1, "), "{first}");
    assert!(first.contains("\nmain.main()\n"), "{first}");
    its.remove(&1).unwrap();
    assert!(its.len() > 20, "{}", its.len());
    assert_eq!(ours, its);
    let exact = its.len() as u64 + 1;
    assert_eq!(capture.captured.counts, CaptureCounts { exact, ..CaptureCounts::default() });
    assert_eq!((capture.captured.losses, capture.captured.notes), (vec![], vec![]));
    assert!(capture.pid.is_some());
}

#[test]
fn goroutines_that_ran_have_stacks_by_the_registers_of_their_threads() {
    let mut core = core_of("core/go1.27-busy.core.cut.gz");
    let program = Program::of("core/go1.27-busy.program.cut.gz");
    let capture = |core: &Core| {
        let capture = capture_core(core, &program.given(false), Wanted::All, "core").unwrap();
        let text = String::from_utf8(capture.text).unwrap();
        let ran = blocks(&text).into_values().filter(|block| block.contains(" [running]:"));
        let calls = ran.map(|block| {
            let calls = block.lines().filter(|line| line.starts_with("main."));
            let calls = calls.map(|call| call.split('(').next().unwrap().to_owned());
            (calls.collect(), block.contains("stack unavailable"))
        });
        (calls.collect::<Vec<(Vec<String>, bool)>>(), capture.captured.counts)
    };
    let (ran, counts) = capture(&core);
    let calls = ["main.spin", "main.runs"].map(str::to_owned).to_vec();
    assert_eq!(ran, [(calls.clone(), false), (calls, false)]);
    assert_eq!(counts, CaptureCounts { exact: 3, ..CaptureCounts::default() });
    // Only the notes of kind 1, of 336 bytes, have the registers.
    let note = [5_u32, 336, 1].map(u32::to_le_bytes).concat();
    while let Some(at) = memchr::memmem::find(&core.bytes, &note) {
        core.bytes[at + 8] = 77;
    }
    let (ran, counts) = capture(&core);
    assert_eq!(ran, [(vec![], true), (vec![], true)]);
    assert_eq!((counts.exact, counts.unstable), (1, 2));
}

/// A core file of tests/go/annotate, its program, and what that printed about a goroutine: its number, the
/// address of `object`, the pointers in `live` and `dead`, and `number`.
fn annotated(version: &str) -> (Core, Program, [u64; 5]) {
    let part = |kind: &str| format!("core/{version}-annotate.{kind}");
    let said = std::fs::read_to_string(testdata(&part("txt"))).unwrap();
    let numbers: Vec<u64> = said
        .split_whitespace()
        .map(|text| match text.strip_prefix("0x") {
            Some(digits) => u64::from_str_radix(digits, 16).unwrap(),
            None => text.parse().unwrap(),
        })
        .collect();
    let program = Program::of(&part("program.cut.gz"));
    (core_of(&part("core.cut.gz")), program, numbers.try_into().unwrap())
}

/// Programs with versions 4 and 5 of DWARF.
#[test]
fn variables_have_the_names_that_dwarf_gives_them() {
    for version in ["go1.24", "go1.27"] {
        let (core, program, [id, object, live, _, number]) = annotated(version);
        let words = |program: &Program| {
            let programs = program.given(true);
            let capture = capture_core(&core, &programs, Wanted::Words(id), "core").unwrap();
            capture.words.unwrap()
        };
        let told = words(&program);
        assert_eq!(told.lacks_names, None);
        let of = |at: usize| told.frames[at].calls.last().unwrap().function.clone();
        let mut named: Vec<(String, String, u64)> = Vec::new();
        for word in &told.words {
            for variable in word.variables.iter().filter(|it| of(it.frame) == "main.inner") {
                assert_eq!((variable.offset, variable.local.inlined.as_deref()), (0, None));
                let local = &variable.local;
                named.push((local.name.to_string(), local.type_name.to_string(), word.value));
            }
        }
        let expected = [
            ("object", "*[4]*main.node", object),
            ("live", "*main.node", live),
            ("number", "uintptr", number),
        ];
        let expected = expected.map(|(name, kind, value)| (name.into(), kind.into(), value));
        assert_eq!(named, expected, "{version}");
        // Sections with other names aren't DWARF.
        let mut bytes = std::fs::read(program.0.path()).unwrap();
        let name = memchr::memmem::find(&bytes, b"\0.debug_info\0").unwrap();
        bytes[name + 7] = b'X';
        std::fs::write(program.0.path(), bytes).unwrap();
        let told = words(&program);
        assert_eq!(told.lacks_names, Some("variables have no names: the program has no DWARF"));
        assert!(told.words.iter().all(|word| word.variables.is_empty()));
    }
}

#[test]
fn registers_are_where_each_processor_has_them() {
    let status = |size: u64| -> Vec<u8> { (0..size / 8).flat_map(u64::to_le_bytes).collect() };
    let read = |size| {
        let Registers { pc, sp, lr } = Registers::of(&status(size))?;
        Some([pc, sp, lr])
    };
    // `pr_reg` starts with the 14th word.
    assert_eq!(read(336), Some([14 + 16, 14 + 19, 0]));
    assert_eq!(read(392), Some([14 + 32, 14 + 31, 14 + 30]));
    assert_eq!(read(384), None);
}

#[test]
fn of_a_large_core_only_what_is_asked_for_is_read() {
    let core = core();
    capture(&core).unwrap();
    let (read, all) = (core.reads.get(), core.bytes.len() as u64);
    assert!(read * 10 < all, "{read} of {all} bytes");
}

#[test]
fn a_small_core_cannot_become_gigabytes_of_text() {
    let (core, program) = (core(), Program::right());
    assert_eq!(most_text(core.length()), LIMITS.core_text_from.max(core.length() * 16));
    assert_eq!([most_text(1), most_text(u64::MAX)], [LIMITS.core_text_from, LIMITS.live_text]);
    let read = super::CoreFile::read(&core, "core").unwrap();
    let found = super::program::find(&read, &program.given(false), "core").unwrap();
    let memory = read.memory(&found.binary, found.slide);
    let target = super::Target::find(&memory, &found.binary, found.slide, b"", false);
    let target = super::Target { most_text: 1 << 10, ..target.ok().unwrap() };
    let refused = target.capture(|| 0, |_, _| Ok(Vec::new()));
    assert!(matches!(refused, Err(super::Refusal::TooMuch(1024))));
}

/// The segments of a core: address, offset in the file and size.
fn segments(core: &Core) -> Vec<[u64; 3]> {
    let word = |at: usize| u64::from_le_bytes(core.bytes[at..at + 8].try_into().unwrap());
    let count = usize::from(u16::from_le_bytes(core.bytes[56..58].try_into().unwrap()));
    let headers = (0..count).map(|at| HEADERS + at * SEGMENT);
    let memory = headers.filter(|&at| core.bytes[at..at + 4] == 1_u32.to_le_bytes());
    memory.map(|at| [word(at + 16), word(at + 8), word(at + 32)]).collect()
}

/// The addresses of the `g`s in a core, which have their own address in `sched.g`, and their offsets in the file.
fn goroutines(core: &Core) -> Vec<(u64, usize)> {
    let word = |at: usize| Some(u64::from_le_bytes(*core.bytes.get(at..)?.first_chunk()?));
    let places = segments(core).into_iter().flat_map(|[address, offset, size]| {
        (0..size).step_by(8).map(move |into| (address + into, (offset + into) as usize))
    });
    let is_one = |&(address, at): &(u64, usize)| {
        let [low, high, itself] = [0, 8, 72].map(|field| word(at + field));
        low < high && low > Some(0) && itself == Some(address)
    };
    places.filter(is_one).collect()
}

/// Where a core file has the length of its list of goroutines: between the address of an array of their
/// addresses and its size.
fn list_length(core: &Core) -> usize {
    let all: BTreeSet<u64> = goroutines(core).into_iter().map(|(address, _)| address).collect();
    let segments = segments(core);
    let word = |at: usize| Some(u64::from_le_bytes(*core.bytes.get(at..)?.first_chunk()?));
    let at_address = |address: u64| {
        let mut holding = segments.iter();
        let [start, offset, _] = holding.find(|it| (it[0]..it[0] + it[2]).contains(&address))?;
        word((offset + address - start) as usize)
    };
    let is_list = |at: &usize| {
        let [start, length, room] = [0, 8, 16].map(|field| word(at + field).unwrap_or(0));
        let is_slice = (20..=room).contains(&length) && room < 1000;
        is_slice && at_address(start).is_some_and(|first| all.contains(&first))
    };
    (0..core.bytes.len()).step_by(8).find(is_list).unwrap() + 8
}

#[test]
fn goroutines_behind_the_end_of_a_damaged_list_are_read_and_told() {
    let mut core = core();
    let whole = capture(&core).unwrap();
    let at = list_length(&core);
    let length = core.bytes[at];
    core.bytes[at] = 8;
    let damaged = capture(&core).unwrap();
    assert_eq!((damaged.text, damaged.captured.counts), (whole.text, whole.captured.counts));
    let more = length - 8;
    let said =
        format!("its list of goroutines is damaged: {more} goroutines follow the 8 that it counts");
    assert_eq!(damaged.captured.losses, [said]);
}

/// All goroutines say that their stack is the largest segment, in three ways.
#[test]
fn a_stack_that_many_goroutines_claim_is_read_once() {
    for way in 0..3 {
        let mut core = core();
        let mut put = |at: usize, word: u64| {
            core.bytes[at..at + 8].copy_from_slice(&word.to_le_bytes());
        };
        let all = goroutines(&self::core());
        assert!(all.len() > 20);
        let [low, _, size] = segments(&self::core()).into_iter().max_by_key(|it| it[2]).unwrap();
        let size = size.min(LIMITS.live_stack as u64);
        for (number, &(_, at)) in (0..).zip(&all) {
            // Each starts in the middle of another one, or all are equal.
            let start = low + 8 + number * 64 * u64::from(way > 0);
            let end = low + size - number * 64 * u64::from(way > 1);
            // `stack.lo`, `stack.hi`, `sched.sp`, `syscallsp`.
            for (field, word) in [(0, low), (8, end), (56, start), (104, 0)] {
                put(at + field, word);
            }
        }
        let Capture { text, captured, overlapping, .. } = capture(&core).unwrap();
        let untouched = self::core();
        capture(&untouched).unwrap();
        let more = core.reads.get().saturating_sub(untouched.reads.get());
        assert!(more < 2 * size, "{more} of {size} bytes");
        let lost = all.len() as u64 - 1;
        assert!(overlapping > 20 && overlapping <= lost, "{overlapping}");
        let counts = captured.counts;
        assert_eq!((counts.unstable, counts.exact + counts.broken), (overlapping, 1));
        let said = format!(
            "nothing is known of the stacks of {overlapping} goroutines: others have that memory"
        );
        assert!(captured.losses.contains(&said), "{:?}", captured.losses);
        assert_eq!(blocks(std::str::from_utf8(&text).unwrap()).len() as u64, overlapping + 1);
    }
}

#[test]
fn bytes_of_a_core_that_many_segments_have_are_read_once() {
    let mut core = core();
    let count = usize::from(u16::from_le_bytes(core.bytes[56..58].try_into().unwrap()));
    assert!(count > 10);
    // A list of mapped files.
    let (offset, size) = (core.bytes.len() as u64, LIMITS.core_files);
    core.bytes.extend([5, size as u32, 0x4649_4c45].map(u32::to_le_bytes).concat());
    core.bytes.extend(b"CORE\0\0\0\0");
    core.bytes.resize(core.bytes.len() + size as usize, 0);
    for at in (HEADERS..).step_by(SEGMENT).take(count) {
        core.bytes[at..at + 4].copy_from_slice(&4_u32.to_le_bytes());
        core.bytes[at + 8..at + 16].copy_from_slice(&offset.to_le_bytes());
        core.bytes[at + 32..at + 40].copy_from_slice(&(size + 20).to_le_bytes());
    }
    assert!(capture(&core).is_err());
    let (read, all) = (core.reads.get(), core.bytes.len() as u64);
    assert!(all / 5 < read && read < all * 3 / 2, "{read} of {all} bytes");
}

#[test]
fn what_is_missing_of_a_core_that_is_cut_off_is_said() {
    let whole = core();
    let mut cut = core();
    let end = whole.bytes.iter().rposition(|&byte| byte != 0).unwrap();
    let mut seen = BTreeMap::new();
    for tenths in (1..10).rev() {
        cut.bytes.truncate(end / 10 * tenths);
        match capture(&cut) {
            Ok(capture) => {
                let losses = capture.captured.losses;
                assert!(losses[0].starts_with("is cut off: "), "{losses:?}");
                seen.insert(capture.captured.counts.exact, tenths);
            }
            Err(error) => {
                let said = error.to_string();
                assert!(said.contains("it is cut off: was there a limit"), "{said}");
                seen.insert(0, tenths);
            }
        }
    }
    assert!(seen.contains_key(&0), "{seen:?}");
    cut.bytes.truncate(40);
    assert!(capture(&cut).unwrap_err().to_string().contains("cut off in its header"));
}

#[test]
fn another_program_than_the_one_that_ran_is_refused_with_the_evidence() {
    let core = core();
    let other = Program::of("binary/go1.27-elf.cut.gz");
    let error =
        capture_core(&core, &other.given(false), Wanted::All, "core").unwrap_err().to_string();
    assert!(error.contains(" does not match: its build id is "), "{error}");
    assert!(error.contains(", that of the core "), "{error}");
    assert!(error.contains("--force-binary"), "{error}");
    // Of several programs the right one is used.
    let right = Program::right();
    let mut both = other.given(false);
    both.given.extend(right.given(false).given);
    assert!(capture_core(&core, &both, Wanted::All, "core").unwrap().captured.notes.is_empty());
    // If it is used anyway, either the goroutines aren't found or a note says so.
    match capture_core(&core, &other.given(true), Wanted::All, "core") {
        Ok(capture) => assert!(capture.captured.notes[0].ends_with("used by --force-binary")),
        Err(error) => assert_eq!(error.kind, ErrorKind::Damaged, "{error}"),
    }
    let elsewhere = Program::of("binary/go1.27-macho-arm64.cut.gz");
    let error =
        capture_core(&core, &elsewhere.given(false), Wanted::All, "core").unwrap_err().to_string();
    assert!(error.contains("it is for another processor"), "{error}");
}

#[test]
fn the_program_that_a_core_names_is_told_where_it_is_not_there() {
    let error = capture_core(&core(), &CorePrograms::default(), Wanted::All, "core")
        .unwrap_err()
        .to_string();
    assert!(error.starts_with("core: its program /"), "{error}");
    assert!(error.contains("give a copy of the program with --binary"), "{error}");
}

#[test]
fn a_disk_that_fails_is_an_error_and_no_loss() {
    let broken = Core { broken: true, ..core() };
    let error = capture(&broken).unwrap_err();
    assert_eq!((error.kind, error.what.as_str()), (ErrorKind::Io, "the disk is gone"));
}

#[test]
fn cores_are_known_by_their_bytes() {
    let core = core();
    assert!(is_core(&core.bytes[..18]));
    assert!(!is_core(&core.bytes[..17]));
    for (at, byte, said) in [
        (4, 1, "is a core file of a 32-bit process"),
        (18, 40, "of another processor than amd64 or arm64"),
        (54, 32, "its header can't be believed"),
    ] {
        let mut other = Core { bytes: core.bytes.clone(), ..self::core() };
        other.bytes[at] = byte;
        let error = capture(&other).unwrap_err().to_string();
        assert!(error.contains(said), "{error}");
    }
    let mut big = core.bytes[..64].to_vec();
    big[5] = 2;
    big[16..18].copy_from_slice(&[0, 4]);
    assert!(is_core(&big));
}

#[test]
fn segments_beyond_those_that_the_header_can_count_are_read() {
    let mut core = core();
    let count = u16::from_le_bytes(core.bytes[56..58].try_into().unwrap());
    let section = core.bytes.len() as u64;
    core.bytes[40..48].copy_from_slice(&section.to_le_bytes());
    core.bytes[56..58].copy_from_slice(&u16::MAX.to_le_bytes());
    let mut header = [0; 64];
    header[44..48].copy_from_slice(&u32::from(count).to_le_bytes());
    core.bytes.extend(header);
    assert!(capture(&core).unwrap().captured.counts.exact > 20);
    let at = core.bytes.len() - 64 + 44;
    core.bytes[at..at + 4].copy_from_slice(&u32::MAX.to_le_bytes());
    assert_eq!(capture(&core).unwrap_err().kind, ErrorKind::Limit);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    /// Whatever DWARF says, the words are described, each with few names.
    #[test]
    fn hostile_dwarf_takes_nothing_from_the_words(
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..40),
    ) {
        let (core, program, [id, ..]) = annotated("go1.27");
        let mut bytes = std::fs::read(program.0.path()).unwrap();
        // DWARF is in the last half, before the list of sections.
        let from = bytes.len() / 2;
        let there: Vec<usize> = (from..bytes.len()).filter(|&at| bytes[at] != 0).collect();
        for (place, byte) in changes {
            bytes[there[place.index(there.len())]] = byte;
        }
        std::fs::write(program.0.path(), bytes).unwrap();
        let capture = capture_core(&core, &program.given(true), Wanted::Words(id), "core");
        if let Ok(capture) = capture {
            let words = capture.words.unwrap().words;
            prop_assert!(words.len() > 60);
            let named = words.iter().map(|word| word.variables.len()).sum::<usize>();
            prop_assert!(named <= 2 * LIMITS.live_words);
        }
    }

    /// Whatever its headers and notes say, reading a core ends.
    #[test]
    fn hostile_cores_are_read_to_an_end(
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u64>()), 1..12),
    ) {
        let mut core = core();
        let count = usize::from(u16::from_le_bytes(core.bytes[56..58].try_into().unwrap()));
        let end = HEADERS + (count + 1) * SEGMENT + 0x400;
        for (place, word) in changes {
            let at = 32 + place.index(end - 40) / 4 * 4;
            let word = match word % 4 {
                0 => word,
                1 => word % 0x10000,
                2 => u64::MAX - word % 0x10000,
                _ => word % core.bytes.len() as u64,
            };
            core.bytes[at..at + 8].copy_from_slice(&word.to_le_bytes());
        }
        let _ = capture_core(&core, &Program::right().given(true), Wanted::All, "core");
    }
}
