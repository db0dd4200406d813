//! Samples that are written again, of one proto and of several.

use super::proto::{Proto, bytes, number};
use crate::format::ReadOptions;
use crate::format::pprof::message::Message;
use crate::format::pprof::{read, write_samples};
use crate::profile::{Input, InputFormat, Keep, Profile, ProfileBuilder};
use std::io::Read;

fn profile(protos: &[Proto]) -> Profile {
    let mut builder = ProfileBuilder::new(Keep::default());
    for (proto, name) in protos.iter().zip(["a", "b", "c", "d"]) {
        let input = Input::new(name, name, InputFormat::Debug2);
        let options = &mut ReadOptions::default();
        read(&mut proto.bytes().as_slice(), input, options, &mut builder).unwrap();
    }
    builder.finish()
}

fn written(profile: &Profile) -> Vec<u8> {
    let gzipped = write_samples(profile, &|_| true, Vec::new()).unwrap();
    let mut proto = Vec::new();
    flate2::read::GzDecoder::new(&*gzipped).read_to_end(&mut proto).unwrap();
    proto
}

/// Ids and starts of mappings.
fn mappings(message: &Message<'_>) -> Vec<(u64, u64)> {
    message.profile.mapping.iter().map(|mapping| (mapping.id, mapping.start)).collect()
}

/// Ids, mappings and addresses of locations.
fn locations(message: &Message<'_>) -> Vec<(u64, u64, u64)> {
    let locations = message.profile.location.iter();
    locations.map(|location| (location.id, location.mapping, location.address)).collect()
}

/// Locations and values of samples.
fn samples(message: &Message<'_>) -> Vec<(Vec<u64>, Vec<i64>)> {
    let mut samples = message.read_samples();
    std::iter::from_fn(|| {
        samples.read().unwrap().map(|sample| (sample.location_id.clone(), sample.value.clone()))
    })
    .collect()
}

fn comments<'a>(message: &Message<'a>) -> Vec<&'a [u8]> {
    message.profile.comment.iter().map(|&comment| message.string(comment)).collect()
}

/// One more mapping, with the id 2.
fn mapping(start: i64, size: i64) -> Vec<u8> {
    bytes(3, &[number(1, 2), number(2, start), number(3, start + size)].concat())
}

#[test]
fn a_single_proto_is_written_with_all_that_it_repeats_and_does_not_use() {
    let proto = Proto {
        types: vec![(1, 2), (1, 2)],
        samples: vec![(vec![1], vec![5, 6], vec![]), (vec![1], vec![5, 6], vec![])],
        locations: vec![(1, 1, 0x40_0001, vec![(1, 3)]), (2, 1, 0x40_0002, vec![(1, 4)])],
        extra: [mapping(0x60_0000, 0x1000), bytes(13, b"\x03\x03"), number(9, 7), number(12, -3)]
            .concat(),
        ..Proto::default()
    };
    let proto = written(&profile(&[proto]));
    let message = Message::decode(&proto).unwrap();
    assert_eq!(message.profile.sample_type.len(), 2);
    assert_eq!(mappings(&message), [(1, 0x40_0000), (2, 0x60_0000)]);
    assert_eq!(locations(&message), [(1, 1, 0x40_0001), (2, 1, 0x40_0002)]);
    assert_eq!(samples(&message), [(vec![1], vec![5, 6]), (vec![1], vec![5, 6])]);
    assert_eq!(comments(&message), [b"main.f", b"main.f"]);
    assert_eq!((message.profile.time_nanos, message.profile.period), (7, -3));
}

#[test]
fn several_protos_become_one_whose_equal_parts_are_one() {
    // The second has the mapping of the program elsewhere, and none of the last is used.
    let of = |mapped: (i64, i64), address: i64, comments: &[u8], time: i64, period: i64| Proto {
        locations: vec![(1, 2, address, vec![(1, 3)])],
        extra: [
            mapping(mapped.0, mapped.1),
            bytes(13, comments),
            number(9, time),
            number(12, period),
        ]
        .concat(),
        ..Proto::default()
    };
    let library = (0x60_0000, 0x1000);
    let first = of(library, 0x60_0001, b"\x03", 7, 3);
    let second = of((0x90_0000, 0x10_0000), 0x90_0001, b"\x03\x04", 5, 9);
    let last = Proto { samples: vec![], ..of(library, 0x60_0002, b"", 9, 4) };
    let proto = written(&profile(&[first.clone(), second, first, last]));
    let message = Message::decode(&proto).unwrap();
    assert_eq!(message.profile.sample_type.len(), 1);
    // That of the program stays the first, though the first sample is in another.
    assert_eq!(mappings(&message), [(1, 0x40_0000), (2, 0x60_0000)]);
    assert_eq!(locations(&message), [(1, 2, 0x60_0001), (2, 1, 0x40_0001)]);
    assert_eq!(samples(&message), [(vec![1], vec![10]), (vec![2], vec![5])]);
    assert_eq!(comments(&message), [&b"main.f"[..], b"a.go"]);
    assert_eq!((message.profile.time_nanos, message.profile.period), (5, 9));
}

#[test]
fn of_protos_without_the_selected_type_nothing_is_written() {
    let heap = Proto {
        strings: vec![b"", b"inuse_space", b"bytes", b"main.f", b"b.go"],
        locations: vec![(1, 2, 0x60_0001, vec![(1, 3)])],
        extra: mapping(0x60_0000, 0x1000),
        ..Proto::default()
    };
    let mut both = profile(&[Proto::default(), heap]);
    let goroutines = both.types_of(both.samples[0].key.input)[0];
    both.use_value(goroutines);
    let proto = written(&both);
    let message = Message::decode(&proto).unwrap();
    assert_eq!(message.profile.sample_type.len(), 1);
    assert_eq!(mappings(&message), [(1, 0x40_0000)]);
    assert_eq!(locations(&message), [(1, 1, 0x40_0001)]);
    assert_eq!(samples(&message), [(vec![1], vec![5])]);
}
