//! What is read from binaries is what Go says about them.

use super::fixture::{NAMES, hex, open, said};
use crate::binary::{Arch, BinaryError, Evidence, Format, Mismatch, Observed, PrintedCall, Slide};
use crate::profile::function::printed;

/// `FILE:LINE`.
fn place(text: &str) -> (&str, u32) {
    let (file, line) = text.rsplit_once(':').unwrap();
    (file, line.parse().unwrap())
}

#[test]
fn frames_are_those_that_profiles_print() {
    let mut compared = 0;
    for name in NAMES {
        let binary = open(name);
        for fields in said(name, "frame") {
            let [pc, function, at] = fields.as_slice() else { panic!("{fields:?}") };
            let (pc, (function, offset)) = (hex(pc), function.rsplit_once('+').unwrap());
            let frames = binary.shown_frames(pc);
            let frame = frames.first().unwrap_or_else(|| panic!("{name}: nothing at {fields:?}"));
            let file = String::from_utf8_lossy(frame.file.as_ref().unwrap());
            assert_eq!(printed(&frame.function), printed(function.as_bytes()), "{name}");
            assert_eq!((&*file, frame.line), place(at), "{name} {pc:#x}");
            assert_eq!(pc - binary.function(pc).unwrap().entry(), hex(offset), "{name}");
            compared += 1;
        }
        for fields in said(name, "line") {
            let [pc, function, at] = fields.as_slice() else { panic!("{fields:?}") };
            let frames = binary.frames(hex(pc));
            let file = frames[0].file.as_ref().map(|file| String::from_utf8_lossy(file));
            assert_eq!(frames.last().unwrap().function, function.as_bytes(), "{name}");
            // Between functions there is no file, and the tool prints -1 for the line.
            let shown = file.map_or(":-1".to_owned(), |file| format!("{file}:{}", frames[0].line));
            assert_eq!(&shown, at, "{name}");
            compared += 1;
        }
    }
    assert!(compared > 100, "{compared}");
}

#[test]
fn inlined_calls_stand_in_front_of_the_function_that_has_their_code() {
    let binary = open("go1.27-elf");
    let found = said("go1.27-elf", "frame");
    let inner = found.iter().find(|fields| fields[1].starts_with("main.inner")).unwrap();
    let frames = binary.frames(hex(&inner[0]));
    let names: Vec<_> =
        frames.iter().map(|frame| String::from_utf8_lossy(&frame.function)).collect();
    assert_eq!(names, ["main.inner", "main.middle", "main.outer"]);
    let lines: Vec<u32> = frames.iter().map(|frame| frame.line - frame.start_line).collect();
    assert_eq!(lines, [2, 0, 0], "the call of park, and two functions of one line");
}

#[test]
fn calls_of_a_crash_are_found_by_name_and_offset() {
    let mut compared = 0;
    for name in NAMES {
        let binary = open(name);
        for fields in said(name, "call") {
            let [function, offset, file, line, pc, size] = fields.as_slice() else {
                panic!("{fields:?}")
            };
            let call = PrintedCall {
                function: function.as_bytes(),
                offset: hex(offset),
                file: file.as_bytes(),
                line: line.parse().unwrap(),
            };
            let addresses = binary.addresses(&call);
            assert!(addresses.contains(&hex(pc)), "{name}: {call:?} {addresses:x?}");
            let elsewhere = PrintedCall { line: call.line + 1000, ..call };
            assert!(binary.addresses(&elsewhere).is_empty(), "{name}");
            let calls = binary.stack_calls(&[hex(pc)], Slide::default()).calls;
            if function != "runtime.goexit" {
                assert_eq!(calls[0].bytes, size.parse::<u64>().unwrap(), "{name}: {call:?}");
            }
            compared += 1;
        }
    }
    assert!(compared > 50, "{compared}");
}

#[test]
fn used_bytes_are_what_registers_tell() {
    let mut compared = 0;
    for name in NAMES {
        let binary = open(name);
        let model = binary.stack_model().unwrap();
        assert_eq!(model.measured, binary.arch() == Arch::Amd64 && binary.format() == Format::Elf);
        for fields in said(name, "stack") {
            let returns: Vec<u64> = fields[1..].iter().map(|pc| hex(pc)).collect();
            let calls = binary.stack_calls(&returns, Slide::default());
            assert_eq!(model.used(&calls.calls), fields[0].parse::<u64>().unwrap(), "{name}");
            assert!(!calls.truncated && calls.unknown == 0, "{name}: {calls:?}");
            let cut = binary.stack_calls(&returns[..returns.len() - 1], Slide::default());
            assert!(cut.truncated, "{name}");
            compared += 1;
        }
    }
    assert!(compared > 12, "{compared}");
}

#[test]
fn inlined_calls_take_no_stack_of_their_own() {
    let binary = open("go1.27-elf");
    let found = said("go1.27-elf", "frame");
    let inner = found.iter().find(|fields| fields[1].starts_with("main.inner")).unwrap();
    let inner = hex(&inner[0]);
    // debug=1 has an address for each inlined call.
    let logical: Vec<u64> = binary.frames(inner).iter().map(|frame| frame.pc + 1).collect();
    assert_eq!(logical.len(), 3);
    let calls = binary.stack_calls(&logical, Slide::default()).calls;
    assert_eq!(calls.len(), 1);
    assert_eq!((calls[0].first, calls[0].count), (0, 3));
    assert_eq!(calls, {
        let mut physical = binary.stack_calls(&logical[..1], Slide::default()).calls;
        physical[0].count = 3;
        physical
    });
}

#[test]
fn builds_are_told() {
    for (name, go, system) in [
        ("go1.19-elf", "go1.19", "linux"),
        ("go1.27-elf", "go1.27", "linux"),
        ("go1.21-pe", "go1.21", "windows"),
    ] {
        let binary = open(name);
        let info = binary.build_info().unwrap();
        assert!(info.go.starts_with(go), "{name}: {}", info.go);
        assert_eq!(info.setting("GOOS"), Some(system), "{name}");
        assert_eq!(info.main.map(|main| main.path).as_deref(), Some("example.com/probe"), "{name}");
        assert_eq!(binary.go_build_id().unwrap().matches('/').count(), 3, "{name}");
    }
    let id = open("go1.27-elf").gnu_build_id().unwrap();
    assert_eq!(id.len(), 40, "{id}");
    assert_eq!(open("go1.19-elf").gnu_build_id(), None, "older versions of Go write none");
}

#[test]
fn a_moved_process_is_moved_back() {
    let name = "go1.27-elf-pie-stripped";
    let binary = open(name);
    let lines = said(name, "frame");
    let moved = 0x55d0_c0de_0000_u64;
    let observed: Vec<Observed> = (lines.iter())
        .map(|fields| {
            let (function, offset) = fields[1].rsplit_once('+').unwrap();
            let (file, line) = place(&fields[2]);
            let (function, file) = (function.as_bytes(), file.as_bytes());
            let pc = hex(&fields[0]) + moved;
            Observed { pc, function, offset: Some(hex(offset)), file, line }
        })
        .collect();
    let slide = binary.slide_of_frames(&observed);
    assert_eq!(slide.bytes(), moved);
    let mut evidence = Evidence { named: observed, ..Evidence::default() };
    assert_eq!(binary.check(&evidence, slide), Ok(()));
    assert!(matches!(binary.check(&evidence, Slide::default()), Err(Mismatch::Frames { .. })));
    // The mapping of its code leads to the same slide.
    let start = binary.text().start & !0xfff;
    let segment = binary.slide_of_mapping(start + moved, start + moved + 0x1000, 0x1000);
    assert_eq!(segment.map(Slide::bytes), Some(moved));
    assert_eq!(binary.slide_of_mapping(0, 0, 0), None, "what old versions of Go write");
    // One frame in a hundred may disagree; one of these is more.
    evidence.named[3].line += 1;
    let mismatch = binary.check(&evidence, slide).unwrap_err().to_string();
    assert!(mismatch.starts_with(&format!("1 of {} frames disagree", lines.len())));
}

#[test]
fn other_binaries_are_refused_with_the_evidence() {
    let lines = said("go1.27-elf", "stack");
    let stacks: Vec<Vec<u64>> =
        (lines.iter()).map(|fields| fields[1..].iter().map(|pc| hex(pc)).collect()).collect();
    let stacks = stacks.iter().map(Vec::as_slice).collect();
    let mut evidence = Evidence { stacks, ..Evidence::default() };
    // Code was cut away; the calls that the test needs are put back.
    let mut bytes = super::fixture::cut("go1.27-elf").bytes;
    for pc in evidence.stacks.iter().copied().flatten() {
        bytes[(pc - 0x40_0000) as usize - 5] = 0xe8;
    }
    // The last one is the second byte of runtime.goexit, which starts with a NOP.
    for pc in evidence.stacks.iter().filter_map(|stack| stack.last()) {
        bytes[(pc - 0x40_0000) as usize - 1] = 0x90;
    }
    let right = crate::binary::Binary::from_bytes(bytes).unwrap();
    let other = open("go1.19-elf");
    assert_eq!(right.check(&evidence, Slide::default()), Ok(()));
    let mismatch = other.check(&evidence, Slide::default()).unwrap_err();
    assert!(matches!(mismatch, Mismatch::Calls { outside: 1.., .. }), "{mismatch}");
    evidence.build_id = "0123456789abcdef";
    let mismatch = right.check(&evidence, Slide::default()).unwrap_err().to_string();
    let id = right.gnu_build_id().unwrap();
    assert_eq!(mismatch, format!("the profile's build id is 0123456789abcdef, the binary's {id}"));
}

#[test]
fn what_is_no_binary_for_us_is_named() {
    let told = |bytes: &[u8]| {
        let error = crate::binary::Binary::from_bytes(bytes.to_vec()).unwrap_err();
        (error.to_string(), error.advice().unwrap_or_default())
    };
    let elf = |class, order| {
        let mut bytes = vec![0; 64];
        bytes[..7].copy_from_slice(&[0x7f, b'E', b'L', b'F', class, order, 1]);
        bytes
    };
    assert_eq!(told(&elf(1, 1)).0, "is a 32-bit binary; 32-bit binaries aren't read");
    assert_eq!(told(&elf(2, 2)).0, "is a big-endian binary; big-endian binaries aren't read");
    assert_eq!(told(b"goroutine 1 [running]:").0, "isn't a binary (ELF, Mach-O or PE)");
    assert_eq!(told(b"").0, "isn't a binary (ELF, Mach-O or PE)");
    assert_eq!(told(b"!<arch>\n").0, "is an archive of object files");
    let mut core = elf(2, 1);
    core[16] = 4;
    assert_eq!(told(&core).0, "is a core file, not a binary");
    assert_eq!(told(&elf(2, 1)[..40]).0, "is damaged: its ELF header can't be read");
    // A program without Go's tables, and the start of one.
    let mut program = elf(2, 1);
    program[16] = 2;
    program[20] = 1;
    assert_eq!(told(&program).0, "isn't a Go binary: it has no table of functions");
    let mut bytes = super::fixture::cut("go1.27-elf").bytes;
    bytes.truncate(64 << 10);
    let (said, advice) = told(&bytes);
    assert!(said.starts_with("is cut off: it has 65536 bytes, and "), "{said}");
    assert_eq!(advice, "copy it again, whole");
}

#[test]
fn older_versions_of_go_are_named() {
    // The section's magic number is that of Go 1.16.
    let mut cut = super::fixture::cut("go1.27-elf");
    let at = memchr::memmem::find(&cut.bytes, &[0xf1, 0xff, 0xff, 0xff, 0, 0, 1, 8]).unwrap();
    cut.bytes[at] = 0xfa;
    let error = crate::binary::Binary::from_bytes(cut.bytes).unwrap_err();
    assert!(matches!(error, BinaryError::Version(0xffff_fffa)), "{error}");
    assert_eq!(error.to_string(), "was built by Go 1.16 or 1.17");
}
