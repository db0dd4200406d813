//! Tests of addresses in texts: they are kept if wanted, and change nothing else.

use super::{Outcome, ReadOptions};
use crate::profile::{Input, InputFormat, Keep, LocationId, Profile, ProfileBuilder};
use std::collections::BTreeMap;

fn read(text: &[u8], calls: bool) -> Profile {
    let keep = Keep { goroutines: true, calls, ..Keep::default() };
    let mut builder = ProfileBuilder::new(keep);
    let input = Input::new("x", "x", InputFormat::Debug2);
    let read = super::read(&mut { text }, input, &mut ReadOptions::default(), &mut builder);
    assert_eq!(read.unwrap(), Outcome::Read);
    builder.finish()
}

fn dumps() -> Vec<(String, Vec<u8>)> {
    let mut found = Vec::new();
    for folder in ["count", "traceback", "crashes"] {
        let folder = format!("{}/testdata/{folder}", env!("CARGO_MANIFEST_DIR"));
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_some_and(|extension| extension == "txt") {
                let text = std::fs::read(&path).unwrap();
                found.push((path.display().to_string(), text));
            }
        }
    }
    found
}

/// Counts of goroutines by stack, state and so on.
fn counts(profile: &Profile) -> BTreeMap<String, i64> {
    let mut counts = BTreeMap::new();
    for sample in &profile.samples {
        let key = &sample.key;
        let stack: Vec<_> = profile.stack(key.full).iter().map(|&id| profile.frame(id)).collect();
        let text = |id| String::from_utf8_lossy(profile.str(id)).into_owned();
        let stack: Vec<String> = stack
            .iter()
            .map(|frame| format!("{} {}:{}", text(frame.func), text(frame.file), frame.line))
            .collect();
        let labels = profile.labels(key.labels).len();
        let creator = key.creator.map(|frame| text(profile.frame(frame).func));
        let key_text = format!("{stack:?} {:?} {labels} {creator:?} {:?}", key.kind, key.elided);
        *counts.entry(key_text).or_default() += sample.count;
    }
    counts
}

#[test]
fn goroutines_are_the_same_with_their_addresses_and_without() {
    for (path, text) in dumps() {
        let (with, without) = (read(&text, true), read(&text, false));
        assert_eq!(counts(&with), counts(&without), "{path}");
        assert_eq!(with.goroutines.len(), without.goroutines.len(), "{path}");
        assert_eq!(with.inputs[0].seen, without.inputs[0].seen, "{path}");
        assert_eq!(without.locations().count(), 0, "{path}");
        let has_frames = with.frames().iter().any(|frame| frame.line > 0);
        assert_eq!(with.locations().count() > 0, has_frames, "{path}");
    }
}

#[test]
fn the_locations_of_a_traceback_hold_its_frames_with_what_was_inlined() {
    for (path, text) in dumps() {
        let profile = read(&text, true);
        for (id, sample) in profile.samples() {
            let list = profile.sample_locations(id);
            if path.contains("/count/") || list.is_empty() {
                continue;
            }
            let lines = list.iter().flat_map(|&location| profile.lines(location));
            let frames: Vec<_> = lines.map(|line| line.frame).collect();
            assert_eq!(frames, profile.stack(sample.key.full), "{path}");
        }
    }
}

/// The locations of the first sample: address, offset, bytes, names.
fn first(profile: &Profile) -> Vec<(u64, u32, u32, Vec<String>)> {
    let (id, _) = profile.samples().next().unwrap();
    let details_of = |&location: &LocationId| {
        let at = profile.location(location);
        let lines = profile.lines(location).iter();
        let names = lines.map(|line| profile.str(profile.function(line.function).name));
        let names = names.map(|name| String::from_utf8_lossy(name).into_owned()).collect();
        (at.address, at.offset, at.bytes, names)
    };
    profile.sample_locations(id).iter().map(details_of).collect()
}

#[test]
fn offsets_and_registers_of_a_crash_are_those_of_its_calls() {
    let text = "goroutine 7 gp=0xc000 m=nil [select]:\n\
        main.inlined(...)\n\t/src/a.go:3\n\
        main.f(0x1)\n\t/src/a.go:9 +0x1d fp=0xc000041fc8 sp=0xc000041fa8 pc=0x48c5b1\n\
        main.main()\n\t/src/a.go:12 +0x2a\n\n";
    let names = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect::<Vec<_>>();
    let expected = [
        (0x48_c5b0, 0x1d, 0x20, names(&["main.inlined", "main.f"])),
        (0, 0x2a, 0, names(&["main.main"])),
    ];
    assert_eq!(first(&read(text.as_bytes(), true)), expected);
}

#[test]
fn addresses_of_a_record_are_those_of_calls_and_hidden_ones_have_no_name() {
    let text = "goroutine profile: total 1\n1 @ 0x43e08e 0x40a1c5 0x0 0xffffffffffffffff\n\
        #\t0x40a1c4\tmain.f+0x44\t/src/a.go:9\n\n";
    let named = vec!["main.f".to_owned()];
    let expected = [(0x43_e08d, 0, 0, Vec::new()), (0x40_a1c4, 0x44, 0, named)];
    assert_eq!(first(&read(text.as_bytes(), true)), expected);
}
