//! Protos written byte by byte, sound and hostile.

mod by_prost;
mod labels;
mod proto;
mod written;

use self::labels::labels;
use self::proto::{Proto, bytes, number, varint};
use super::{Sniff, field, read, sniff};
use crate::error::{Error, Place};
use crate::format::{Outcome, ReadOptions};
use crate::limits::LIMITS;
use crate::profile::{
    Input, InputFormat, Keep, Kind, Profile, ProfileBuilder, Sample, WarningKind,
};
use std::path::Path;

fn read_bytes(proto: &[u8]) -> Result<Profile, Error> {
    let mut builder = ProfileBuilder::new(Keep { goroutines: true, ..Keep::default() });
    let input = Input::new("p", "p.pb", InputFormat::Debug2);
    let outcome = read(&mut { proto }, input, &mut ReadOptions::default(), &mut builder)?;
    assert_eq!(outcome, Outcome::Read);
    Ok(builder.finish())
}

fn frames(profile: &Profile, sample: &Sample) -> Vec<String> {
    let stack = profile.stack(sample.key.stack).iter();
    let frame = |&frame| {
        let frame = profile.frame(frame);
        let text = |id| String::from_utf8_lossy(profile.str(id)).into_owned();
        format!("{} {}:{}", text(frame.func), text(frame.file), frame.line)
    };
    stack.map(frame).collect()
}

fn state(profile: &Profile, sample: &Sample) -> Option<String> {
    sample.key.state.map(|state| String::from_utf8_lossy(profile.str(state)).into_owned())
}

#[test]
fn a_plain_proto_is_read() {
    let profile = Proto::default().read().unwrap();
    assert_eq!(profile.inputs[0].format, InputFormat::Debug0);
    assert_eq!(profile.inputs[0].goroutines, 5);
    assert_eq!(profile.inputs[0].seen.headers, 1);
    assert_eq!(frames(&profile, &profile.samples[0]), ["main.f a.go:3"]);
    assert_eq!(sniff(&Proto::default().bytes()), Sniff::Yes);
}

#[test]
fn references_to_what_is_not_there_are_named() {
    let proto = Proto::default();
    let samples = |stack: &[i64]| vec![(stack.to_vec(), vec![5], vec![])];
    let cases = [
        (
            Proto { samples: samples(&[2]), ..proto.clone() },
            "sample[0] has location 2, which is missing",
        ),
        (
            Proto { locations: vec![(1, 1, 0, vec![(77, 3)])], ..proto.clone() },
            "location[0] (id 1) has a line of function 77, which is missing",
        ),
        (
            Proto { functions: vec![(1, 99, 4)], ..proto.clone() },
            "function[0].name is string 99, but the string table has 5",
        ),
        (
            Proto { functions: vec![(1, 3, -1)], ..proto.clone() },
            "function[0].filename is string -1, but the string table has 5",
        ),
        (
            Proto {
                samples: vec![(vec![1], vec![5], vec![[number(1, 5), number(2, 1)].concat()])],
                ..proto.clone()
            },
            "sample[0].label.key is string 5, but the string table has 5",
        ),
        (
            Proto { locations: vec![(0, 1, 0, vec![(1, 3)])], ..proto.clone() },
            "location[0] has the reserved id 0",
        ),
        (
            Proto {
                locations: vec![(1, 1, 0, vec![(1, 3)]), (1, 1, 0, vec![(1, 4)])],
                ..proto.clone()
            },
            "location[0] and location[1] both have the id 1",
        ),
        (
            Proto { samples: vec![(vec![1], vec![5, 6], vec![])], ..proto.clone() },
            "sample[0] has 2 values vs. 1 sample types",
        ),
        (Proto { types: vec![], ..proto.clone() }, "missing sample type information"),
        (
            Proto {
                strings: vec![b"notempty", b"goroutine", b"count", b"f", b"a"],
                ..proto.clone()
            },
            "string_table[0] must be ''",
        ),
        (Proto { strings: vec![], ..proto.clone() }, "string_table is empty"),
    ];
    for (proto, fault) in cases {
        let found = proto.fault();
        let rest = found.strip_prefix(&format!("p.pb: damaged proto: {fault}"));
        let (place, _) = rest.unwrap_or_else(|| panic!("{found}")).split_once(';').unwrap();
        assert!(place.starts_with(" (at byte "), "{found}");
    }
    let empty = Proto { types: vec![], samples: vec![], ..proto }.fault();
    assert!(empty.starts_with("p.pb: a proto without sample types"), "{empty}");
}

#[test]
fn damaged_bytes_are_placed_and_the_field_is_named() {
    let whole = Proto::default().bytes();
    let fault = |bytes: &[u8]| read_bytes(bytes).map(|_| ()).unwrap_err().to_string();
    let cut = fault(&whole[..whole.len() - 3]);
    let place = format!("in field string_table (at byte {})", whole.len() - 3);
    assert!(cut.starts_with(&format!("p.pb: truncated {place}")), "{cut}");

    let over = [whole.clone(), varint(2 << 3 | 2), varint(1 << 40)].concat();
    assert!(fault(&over).contains("truncated in field sample"), "{}", fault(&over));

    let inner = [whole.clone(), bytes(4, b"\x22\x7f\x08")].concat();
    assert!(fault(&inner).contains("truncated in field location"), "{}", fault(&inner));

    let group = [whole.clone(), varint(40 << 3 | 3), varint(40 << 3 | 4)].concat();
    assert!(fault(&group).contains("a group"), "{}", fault(&group));

    let long = [whole, varint(9 << 3), vec![0xff; 11]].concat();
    assert!(fault(&long).contains("more than 64 bits in field time_nanos"), "{}", fault(&long));
}

#[test]
fn comments_of_one_field_are_placed_in_it() {
    let whole = Proto::default().bytes();
    let at = whole.len() + 2;
    let fault = |fields: &[&[u8]], at: usize| {
        let fields: Vec<_> = fields.iter().map(|numbers| bytes(13, numbers)).collect();
        let proto = [whole.clone(), fields.concat()].concat();
        let fault = read_bytes(&proto).map(|_| ()).unwrap_err().to_string();
        let expected =
            format!("comment[2].text is string 99, but the string table has 5 (at byte {at})");
        assert!(fault.contains(&expected), "{fault}");
    };
    fault(&[b"\x01\x02\x63"], at);
    fault(&[b"\x01\x02", b"\x63"], at + 4);
    // Where nothing is there to be placed, that is behind the last byte.
    let none = Proto { strings: vec![], ..Proto::default() };
    let end = none.bytes().len();
    assert!(none.fault().contains(&format!("string_table is empty (at byte {end})")));
}

#[test]
fn joined_protos_are_refused() {
    for extra in [number(9, 5), vec![]] {
        let one = Proto { extra, ..Proto::default() }.bytes();
        let fault = read_bytes(&[one.clone(), one].concat()).map(|_| ()).unwrap_err().to_string();
        assert!(fault.contains("concatenated profiles detected (at byte "), "{fault}");
    }
    // Two time stamps are enough, unless the first is none.
    let stamped = |first| {
        let extra = [number(9, first), number(9, 5)].concat();
        Proto { extra, ..Proto::default() }.read().map(|_| ())
    };
    let fault = stamped(4).unwrap_err().to_string();
    assert!(fault.contains("concatenated profiles detected (at byte "), "{fault}");
    assert!(stamped(0).is_ok());
}

#[test]
fn names_that_are_not_utf_8_are_kept_and_noted() {
    let strings: Vec<&[u8]> = vec![b"", b"goroutine", b"count", b"main.\xff\xfe", b"a.go"];
    let profile = Proto { strings, ..Proto::default() }.read().unwrap();
    let frame = profile.frame(profile.stack(profile.samples[0].key.stack)[0]);
    assert_eq!(profile.str(frame.func), b"main.\xff\xfe");
    assert_eq!(profile.inputs[0].warnings.len(), 1);
    assert!(profile.inputs[0].complete());
}

#[test]
fn texts_that_are_too_long_are_cut_between_characters_and_that_is_said() {
    let most = LIMITS.text;
    for (tail, kept) in [("", most), ("x", most), ("xx", most), ("ä", most - 1), ("😀😀", most - 1)]
    {
        let room = if tail.is_ascii() { 0 } else { 1 };
        let name = format!("{}{tail}", "f".repeat(most - room));
        // A proto lives as long as the program in these tests.
        let name: &'static str = name.leak();
        let strings: Vec<&[u8]> = vec![b"", b"goroutine", b"count", name.as_bytes(), b"a.go"];
        let profile = Proto { strings, ..Proto::default() }.read().unwrap();
        let frame = profile.frame(profile.stack(profile.samples[0].key.stack)[0]);
        assert_eq!(profile.str(frame.func).len(), kept, "{tail}");
        let is_cut = profile.inputs[0].warnings.iter().any(|one| one.kind == WarningKind::LongLine);
        assert_eq!(is_cut, !tail.is_empty(), "{tail}");
        assert_eq!(profile.inputs[0].complete(), tail.is_empty(), "{tail}");
    }
}

#[test]
fn every_cut_of_a_proto_is_an_error_or_a_smaller_profile() {
    let whole = Proto::default().bytes();
    for end in 0..whole.len() {
        if let Ok(profile) = read_bytes(&whole[..end]) {
            assert!(profile.inputs[0].goroutines <= 5);
        }
    }
}

#[test]
fn odd_but_sound_protos_are_read() {
    let proto = Proto::default();
    let sum = |proto: &Proto| proto.read().unwrap().inputs[0].goroutines;
    let huge = (1u64 << 63).wrapping_add(5) as i64;
    assert_eq!(
        sum(&Proto {
            locations: vec![(huge, 1, 0, vec![(1, 3)])],
            samples: vec![(vec![huge], vec![5], vec![])],
            ..proto.clone()
        }),
        5
    );
    // A missing mapping, unknown fields, negative counts and lines.
    assert_eq!(sum(&Proto { locations: vec![(1, 9, 0, vec![(1, 3)])], ..proto.clone() }), 5);
    let extra = [bytes(99, b"xxxxxxxxxx"), number(98, 7)].concat();
    assert_eq!(sum(&Proto { extra, ..proto.clone() }), 5);
    assert_eq!(sum(&Proto { samples: vec![(vec![1], vec![-5], vec![])], ..proto.clone() }), -5);
    let line = Proto { locations: vec![(1, 1, 0, vec![(1, -7)])], ..proto.clone() };
    let profile = line.read().unwrap();
    assert_eq!(frames(&profile, &profile.samples[0]), ["main.f a.go:-7"]);
    // Sums saturate at the ends of 64 bits, including the minimum.
    let most = (vec![1], vec![i64::MAX], vec![]);
    assert_eq!(sum(&Proto { samples: vec![most.clone(), most], ..proto.clone() }), i64::MAX);
    let least = vec![(vec![1], vec![i64::MIN], vec![])];
    assert_eq!(sum(&Proto { samples: least, ..proto.clone() }), i64::MIN);
    // No samples: an input without goroutines.
    assert_eq!(sum(&Proto { samples: vec![], ..proto.clone() }), 0);
}

#[test]
fn large_samples_are_read_without_recursion() {
    let label = [number(1, 3), number(2, 4)].concat();
    let many =
        Proto { samples: vec![(vec![1], vec![1], vec![label; 100_000])], ..Proto::default() };
    let profile = many.read().unwrap();
    assert_eq!(labels(&profile, &profile.samples[0]).len(), 100_000);
    let deep = Proto { samples: vec![(vec![1; 100_000], vec![5], vec![])], ..Proto::default() };
    let profile = deep.read().unwrap();
    assert_eq!(frames(&profile, &profile.samples[0]).len(), 100_000);
    let mut nested = Vec::new();
    while nested.len() < 20_000 {
        nested = bytes(99, &nested);
    }
    assert!(Proto { extra: nested, ..Proto::default() }.read().is_ok());
}

#[test]
fn the_value_that_counts_goroutines_is_found_among_others() {
    let proto = Proto {
        types: vec![(5, 2), (1, 2)],
        samples: vec![(vec![1], vec![70, 4], vec![])],
        strings: vec![b"", b"goroutine", b"count", b"main.f", b"a.go", b"other"],
        ..Proto::default()
    };
    assert_eq!(proto.read().unwrap().inputs[0].goroutines, 4);
    let nameless = Proto { types: vec![(2, 2)], ..Proto::default() };
    assert_eq!(nameless.read().unwrap().inputs[0].goroutines, 5);
    let heap = Proto {
        strings: vec![b"", b"inuse_space", b"bytes", b"main.f", b"a.go"],
        ..Proto::default()
    };
    let heap = heap.read().unwrap();
    assert_eq!(heap.inputs[0].format, InputFormat::HeapDebug0);
    assert_eq!((heap.inputs[0].goroutines, heap.samples[0].count), (0, 5));
}

#[test]
fn a_leak_profile_holds_leaked_goroutines() {
    let strings: Vec<&[u8]> = vec![b"", b"goroutineleak", b"count", b"main.f", b"a.go"];
    let profile = Proto { strings, ..Proto::default() }.read().unwrap();
    assert_eq!(profile.inputs[0].format, InputFormat::LeakDebug0);
    assert!(profile.has_flag(profile.samples[0].key.flags, b"leaked"));
}

/// A proto with one sample of frames that each have a location, `runtime.goexit` at the end.
fn stack_of(names: &[&'static [u8]]) -> Proto {
    let mut proto = Proto { functions: vec![], locations: vec![], ..Proto::default() };
    for (id, name) in (1..).zip(names) {
        proto.strings.push(name);
        proto.functions.push((id, id + 4, 4));
        proto.locations.push((id, 1, 0x1000 + id, vec![(id, id)]));
    }
    proto.samples = vec![((1..=names.len() as i64).collect(), vec![2], vec![])];
    proto
}

#[test]
fn leading_runtime_frames_are_hidden_and_tell_the_state() {
    let profile = stack_of(&[
        b"runtime.gopark",
        b"runtime.chanrecv1",
        b"main.Map[go.shape.[]int]",
        b"runtime.gopanic",
        b"internal/runtime/x.y",
        b"main.main",
        b"runtime.goexit",
    ])
    .read()
    .unwrap();
    let sample = &profile.samples[0];
    assert_eq!(
        frames(&profile, sample),
        [
            "main.Map[...] a.go:3",
            "runtime.gopanic a.go:4",
            "internal/runtime/x.y a.go:5",
            "main.main a.go:6"
        ]
    );
    assert_eq!(profile.stack(sample.key.full).len(), 7);
    assert_eq!(state(&profile, sample).as_deref(), Some("chan receive"));
    assert_eq!(sample.key.kind, Kind::ChanRecv);
}

#[test]
fn runtime_frames_are_shown_where_there_are_no_others() {
    let profile =
        stack_of(&[b"runtime.gopark", b"runtime.bgsweep", b"runtime.goexit"]).read().unwrap();
    let sample = &profile.samples[0];
    assert_eq!(frames(&profile, sample), ["runtime.gopark a.go:1", "runtime.bgsweep a.go:2"]);
    assert_eq!(state(&profile, sample).as_deref(), Some("GC sweep wait"));
    // Samples without any frame count too.
    let none = Proto { samples: vec![(vec![], vec![8], vec![])], ..Proto::default() };
    assert_eq!(none.read().unwrap().inputs[0].goroutines, 8);
}

#[test]
fn a_frame_without_symbol_is_called_as_pprof_does_and_all_that_follow_are_shown() {
    let mut proto = stack_of(&[b"runtime.gopark", b"", b"runtime.main"]);
    // One has a function without a name, the other no line at all.
    proto.locations[1].2 = 0xab;
    proto.locations[0].3.clear();
    let profile = proto.read().unwrap();
    assert_eq!(
        frames(&profile, &profile.samples[0]),
        ["<unknown> 0x1001:0", "<unknown> a.go:2", "runtime.main a.go:3"]
    );
    // It is in a mapping, but nobody knows of which file.
    proto.locations[0].2 = 0x40_0123;
    let profile = proto.read().unwrap();
    assert_eq!(frames(&profile, &profile.samples[0])[0], "<unknown> 0x400123:0");
}

#[test]
fn inlined_calls_come_before_their_callers() {
    let mut proto = stack_of(&[b"main.inner", b"main.outer"]);
    proto.locations[0].3 = vec![(1, 10), (2, 20)];
    proto.samples[0].0 = vec![1];
    let profile = proto.read().unwrap();
    assert_eq!(frames(&profile, &profile.samples[0]), ["main.inner a.go:10", "main.outer a.go:20"]);
}

proptest::proptest! {
    #[test]
    fn damage_of_a_real_proto_is_placed_in_it(kind in 0..3usize, at: usize, byte: u8, cut: bool) {
        let name = ["heap.1", "crafted.2", "cpu.1"][kind];
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/profiles");
        let mut proto = crate::format::tests::agreement::bytes(&folder.join(format!("{name}.pb.gz")));
        let at = at % proto.len();
        match cut {
            true => proto.truncate(at),
            false => proto[at] = byte,
        }
        if let Err(error) = read_bytes(&proto) {
            let text = error.to_string();
            let Some(Place::Byte(place)) = error.place else { panic!("{text}") };
            proptest::prop_assert!(place <= proto.len() as u64, "{}", text);
            // A tag that isn't a field any more has no name.
            let is_named = (1..=15).any(|number| text.contains(field::name(number)));
            proptest::prop_assert!(is_named || !cut, "{}", text);
        }
    }

    #[test]
    fn no_bytes_are_a_panic(bytes: Vec<u8>, at in 0..200usize) {
        sniff(&bytes);
        let _ = read_bytes(&bytes);
        // In the middle of a sound proto they get further.
        let mut proto = Proto::default().bytes();
        let at = at.min(proto.len());
        proto.splice(at..at, bytes);
        sniff(&proto);
        let _ = read_bytes(&proto);
    }
}

#[test]
fn a_small_proto_whose_stacks_would_fill_the_memory_is_refused() {
    // 90 KB: one location of 5,000 inlined frames, and stacks that have it once, twice, ...
    let proto = Proto {
        locations: vec![(1, 1, 0x400001, vec![(1, 3); 5_000])],
        samples: (1..100).map(|depth| (vec![1; depth], vec![5], vec![])).collect(),
        ..Proto::default()
    };
    assert!(proto.bytes().len() < 90_000);
    let fault = proto.fault();
    assert!(fault.contains("more than 1048576 frames in all (proto_frames_from)"), "{fault}");
}

#[test]
fn samples_that_share_one_very_long_stack_are_refused() {
    // 14 KB: 1,000 samples of one stack of 2,000 inlined frames, which every view goes through.
    let proto = Proto {
        locations: vec![(1, 1, 0x400001, vec![(1, 3); 2_000])],
        samples: (0..1_000).map(|_| (vec![1], vec![5], vec![])).collect(),
        ..Proto::default()
    };
    let fault = proto.fault();
    let said = "the stacks and labels of its samples have more than 1048576 frames in all (proto_frames_from)";
    assert!(fault.contains(said), "{fault}");
}

#[test]
fn stacks_with_very_long_names_count_as_several() {
    static NAME: [u8; 8000] = [b'x'; 8000];
    // 75 KB: each of 280 stacks shows a name of 8 KB up to 280 times.
    let stacks = |count: usize| Proto {
        locations: vec![(1, 1, 0x400001, vec![(1, 3)])],
        samples: (1..=count).map(|depth| (vec![1; depth], vec![5], vec![])).collect(),
        strings: vec![b"", b"goroutine", b"count", &NAME, b"a.go"],
        ..Proto::default()
    };
    stacks(10).read().unwrap();
    assert!(stacks(280).bytes().len() < 75_000);
    let fault = stacks(280).fault();
    assert!(fault.contains("frames in all (proto_frames_from)"), "{fault}");
}
