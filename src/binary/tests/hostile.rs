//! Damaged binaries lead to an error or to answers, never to a panic or an endless loop.

use super::fixture::{NAMES, cut, said};
use crate::binary::container::unpacked;
use crate::binary::{Binary, Evidence, Observed, PrintedCall, Slide};
use crate::limits::LIMITS;
use proptest::prelude::*;
use std::io::Write;

/// Calls everything that reads a binary; `fuzz/` calls it too.
fn exercise(bytes: Vec<u8>) {
    let Ok(binary) = Binary::from_bytes(bytes) else {
        return;
    };
    let info = binary.build_info().unwrap_or_default();
    let modules = info.modules();
    let _ = (binary.gnu_build_id(), binary.go_build_id(), binary.stack_model());
    let functions: Vec<_> = binary.functions().step_by(97).collect();
    for function in functions {
        let _ = modules.owner(&function.name());
        for pc in [function.entry(), function.end().wrapping_sub(1), function.entry() + 40] {
            let frames = binary.shown_frames(pc);
            let named: Vec<Observed> = (frames.iter())
                .map(|frame| Observed {
                    pc,
                    function: &frame.function,
                    offset: Some(1),
                    file: frame.file.as_deref().unwrap_or_default(),
                    line: frame.line,
                })
                .collect();
            let slide = binary.slide_of_frames(&named);
            let _ = binary.check(&Evidence { named, ..Evidence::default() }, slide);
            let returns = [pc, pc, 0, u64::MAX];
            let stacks = vec![&returns[..]];
            let _ = binary.check(&Evidence { stacks, ..Evidence::default() }, slide);
            let _ = binary.stack_calls(&returns, Slide::default());
            let call =
                PrintedCall { function: &function.name(), offset: 40, file: b"a.go", line: 1 };
            let _ = binary.addresses(&call);
        }
    }
    let _ = binary.slide_of_mapping(0x1000, u64::MAX, 0);
    assert!(binary.frame_sizes().count() <= binary.function_count());
}

#[test]
fn the_cuts_themselves_are_answered() {
    for name in NAMES {
        exercise(cut(name).bytes);
    }
}

#[test]
fn a_name_that_thousands_of_functions_have_finds_none() {
    let mut bytes = cut("go1.27-elf").bytes;
    let binary = Binary::from_bytes(bytes.clone()).unwrap();
    // Most binaries have their names cut out.
    let is_found = |name: &[u8]| binary.functions_named(name).next().is_some();
    let first = binary.functions().find(|one| is_found(&one.name())).unwrap();
    let name = first.name().into_owned();
    // All get its name.
    let table = binary.header.functions as usize;
    let word = |bytes: &[u8], at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap());
    let record = |bytes: &[u8], at: usize| table + word(bytes, table + at * 8 + 4) as usize;
    let of_first = word(&bytes, record(&bytes, first.index as usize) + 4);
    for at in 0..binary.function_count() {
        let name = record(&bytes, at) + 4;
        bytes[name..name + 4].copy_from_slice(&of_first.to_le_bytes());
    }
    let binary = Binary::from_bytes(bytes).unwrap();
    assert!(binary.function_count() > LIMITS.binary_namesakes);
    assert_eq!(binary.functions().last().unwrap().name(), name);
    assert_eq!(binary.functions_named(&name).count(), 0);
}

#[test]
fn a_call_that_was_inlined_into_itself_is_one_call() {
    let mut bytes = cut("go1.27-elf").bytes;
    let binary = Binary::from_bytes(bytes.clone()).unwrap();
    let inlined = said("go1.27-elf", "stack").into_iter().flatten().find_map(|pc| {
        let pc = u64::from_str_radix(pc.strip_prefix("0x")?, 16).ok()?.checked_sub(1)?;
        Some(pc).filter(|&pc| binary.frames(pc).len() > 2)
    });
    let pc = inlined.unwrap();
    let function = binary.function(pc).unwrap();
    let (at, tree) = (function.distance(pc).unwrap(), function.inline_tree().unwrap());
    let caller = tree.start as usize + tree.index(at).unwrap() as usize * 16 + 8;
    bytes[caller..caller + 4].copy_from_slice(&at.to_le_bytes());
    let hostile = Binary::from_bytes(bytes).unwrap();
    assert_eq!(hostile.frames(pc), binary.frames(pc)[..1]);
    assert!(hostile.read_error().is_none());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, ..ProptestConfig::default() })]

    /// Bytes of headers and tables are replaced; in one case of four the rest is cut off.
    #[test]
    fn replaced_bytes_do_no_harm(
        which in 0..NAMES.len(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>(), any::<u8>()), 1..12),
        end in prop::option::weighted(0.25, any::<prop::sample::Index>()),
    ) {
        let mut cut = cut(NAMES[which]);
        for (piece, byte, value) in changes {
            let piece = cut.pieces[piece.index(cut.pieces.len())].clone();
            cut.bytes[piece.start + byte.index(piece.len())] = value;
        }
        if let Some(end) = end {
            let piece = cut.pieces[end.index(cut.pieces.len())].clone();
            cut.bytes.truncate(piece.start + end.index(piece.len()));
        }
        exercise(cut.bytes);
    }

    /// Words of headers get values that are slightly or very wrong.
    #[test]
    fn replaced_words_do_no_harm(
        which in 0..NAMES.len(),
        piece in any::<prop::sample::Index>(),
        word in any::<prop::sample::Index>(),
        value in prop_oneof![
            Just(0_u64), Just(1), Just(u64::MAX), Just(1 << 63), Just(0xffff_ffff),
            Just(0x7fff_ffff), any::<u64>(), 0_u64..1 << 24
        ],
    ) {
        let mut cut = cut(NAMES[which]);
        // Headers and module data are in small pieces, which are chosen as often as large ones.
        let piece = cut.pieces[piece.index(cut.pieces.len())].clone();
        let at = piece.start + word.index(piece.len()) / 8 * 8;
        if let Some(place) = cut.bytes.get_mut(at..at + 8) {
            place.copy_from_slice(&value.to_le_bytes());
        }
        exercise(cut.bytes);
    }
}

#[test]
fn a_section_that_unpacks_to_more_than_it_may_is_not_read() {
    let mut section = vec![0; 24];
    section[0] = 1;
    let mut encoder = flate2::write::ZlibEncoder::new(section, flate2::Compression::best());
    encoder.write_all(&[7; 1 << 20]).unwrap();
    let packed = encoder.finish().unwrap();
    assert!(packed.len() < 4096);
    assert_eq!(unpacked(&packed, (1 << 20) - 1), None);
    assert_eq!(unpacked(&packed, 1 << 20), Some(vec![7; 1 << 20]));
}

/// An ELF file of code, and with segments: kind, flags, offset, address and size of each.
fn elf(code: usize, segments: impl Iterator<Item = (u32, u32, u64, u64, u64)>) -> Vec<u8> {
    let mut bytes = b"\x7fELF\x02\x01\x01".to_vec();
    let segments: Vec<_> = segments.collect();
    let count = u16::try_from(segments.len()).unwrap();
    bytes.resize(16, 0);
    bytes.extend([2_u16, 62].map(u16::to_le_bytes).concat());
    bytes.extend(1_u32.to_le_bytes());
    bytes.extend([0x40_0000, 64 + code as u64, 0].map(u64::to_le_bytes).concat());
    bytes.extend(0_u32.to_le_bytes());
    bytes.extend([64, 56, count, 64, 0, 0].map(u16::to_le_bytes).concat());
    bytes.resize(64 + code, 1);
    for (kind, flags, offset, address, size) in segments {
        bytes.extend([kind, flags].map(u32::to_le_bytes).concat());
        bytes.extend([offset, address, address, size, size, 16].map(u64::to_le_bytes).concat());
    }
    bytes
}

/// Why a file isn't read.
fn refusal(bytes: Vec<u8>) -> String {
    Binary::from_bytes(bytes).map(drop).unwrap_err().to_string()
}

/// All segments are searched, and a file may list 65,535 of them.
#[test]
fn segments_that_lie_over_each_other_are_damage() {
    let size = 1 << 20;
    let file = |count: u64| {
        let segments = (0..count).map(|at| (1, 5, 64, 0x40_0000 + at * 16, size));
        refusal(elf(size as usize, segments))
    };
    assert!(file(1).contains("isn't a Go binary"), "{}", file(1));
    assert!(file(3).contains("its segments overlap"), "{}", file(3));
}

/// The time to find things in them grows with the square of their number.
#[test]
fn segments_without_end_are_refused() {
    let file = |count: u64, size| {
        let segments = (0..count).map(|at| (1, 4, 64 + at * 16, 0x40_0000 + at * 16, size));
        refusal(elf(1 << 16, segments))
    };
    assert!(file(256, 16).contains("isn't a Go binary"), "{}", file(256, 16));
    assert!(file(257, 16).contains("has more segments than a program has (binary_segments)"));
    // These aren't searched.
    assert!(file(257, 0).contains("isn't a Go binary"), "{}", file(257, 0));
}

/// 65,000 over the same 64 KiB took seconds for each input.
#[test]
fn lists_of_notes_without_end_are_refused() {
    let file = |count: u64| {
        let notes = (0..count).map(|_| (4, 4, 64, 0, 64 << 10));
        refusal(elf(64 << 10, notes))
    };
    assert!(file(256).contains("isn't a Go binary"), "{}", file(256));
    assert!(file(257).contains("has more lists of notes than a program has (binary_segments)"));
    assert_eq!(LIMITS.binary_segments, 256, "the message says so");
}

#[test]
fn the_build_id_is_kept_as_each_input_is_compared_with_it() {
    let binary = Binary::from_bytes(cut("go1.27-elf").bytes).unwrap();
    let id = binary.gnu_build_id();
    assert!(id.is_some());
    assert_eq!(binary.gnu_build_id.get(), Some(&id));
}
