//! What labels of samples say, about goroutines and otherwise.

use super::proto::{LabelRow, Proto, number};
use super::state;
use crate::format::ReadOptions;
use crate::format::pprof::{AS_SHOWN, read};
use crate::profile::{Input, InputFormat, Keep, LabelValue, Profile, ProfileBuilder, Sample};

pub(super) fn labels(profile: &Profile, sample: &Sample) -> Vec<(String, String)> {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let pair = |label: &crate::profile::Label| {
        (text(profile.str(label.key)), text(&profile.label_text(label.value)))
    };
    profile.labels(sample.key.labels).iter().map(pair).collect()
}

#[test]
fn labels_keep_numbers_units_zeros_and_empty_texts() {
    let mut proto = Proto::default();
    proto.strings.extend([b"k".as_slice(), b"bytes"]);
    proto.samples[0].2 = vec![
        [number(1, 5), number(2, 3)].concat(),
        number(1, 5),
        [number(1, 5), number(3, 0)].concat(),
        [number(1, 5), number(3, -7), number(4, 6)].concat(),
        [number(1, 5), number(4, 6)].concat(),
        [number(1, 5), number(2, 4), number(3, 7)].concat(),
    ];
    let profile = proto.read().unwrap();
    let values: Vec<String> =
        labels(&profile, &profile.samples[0]).into_iter().map(|(_, value)| value).collect();
    assert_eq!(values, ["main.f", "", "0", "-7bytes", "0bytes", "a.go"]);
    let set = profile.labels(profile.samples[0].key.labels);
    assert!(matches!(set[1].value, LabelValue::Text(_)));
    assert!(matches!(set[2].value, LabelValue::Number(0, _)));
    // The observer gets each of them.
    let mut offered = Vec::new();
    let mut observer = |line: &[u8]| {
        offered.push(String::from_utf8_lossy(line).into_owned());
        offered.len() < 3
    };
    let mut options = ReadOptions { observer: Some(&mut observer), ..ReadOptions::default() };
    let mut builder = ProfileBuilder::new(Keep::default());
    let input = Input::new("p", "p.pb", InputFormat::Debug2);
    read(&mut proto.bytes().as_slice(), input, &mut options, &mut builder).unwrap();
    assert_eq!(offered, ["k=main.f", "k=", "k=0"]);
}

/// A proto with a sample for each goroutine; labels are given as rows.
fn goroutines(labels: &[&[LabelRow]]) -> Proto {
    let mut proto = Proto { samples: vec![], ..Proto::default() };
    for labels in labels {
        let mut fields = Vec::new();
        for &(key, text, value) in *labels {
            let mut index = |text: &'static [u8]| {
                proto.strings.push(text);
                proto.strings.len() as i64 - 1
            };
            let mut label = number(1, index(key));
            if !text.is_empty() {
                label.extend(number(2, index(text)));
            }
            label.extend(value.map(|value| number(3, value)).unwrap_or_default());
            fields.push(label);
        }
        proto.samples.push((vec![1], vec![1], fields));
    }
    proto
}

#[test]
fn a_sample_for_each_goroutine_gives_ids_creators_states_and_waits() {
    let profile = goroutines(&[
        &[
            (b"go::goroutine_state", b"chan receive (leaked), 3 minutes, locked to thread", None),
            (b"tenant", b"acme", None),
            (b"go::goroutine", b"", Some(7)),
            (b"go::goroutine_created_by", b"", Some(1)),
            (b"go::goroutine_wait_minutes", b"", Some(9)),
        ],
        &[
            (b"go::goroutine_state", b"select", None),
            (b"go::goroutine", b"", Some(-1)),
            (b"go::goroutine_created_by", b"", None),
            (b"go::goroutine_wait_minutes", b"", None),
        ],
        &[(b"go::goroutine_state", b"select, 3 minutes", None), (b"go::goroutine", b"", Some(9))],
        &[(b"go::goroutine", b"not a number", None), (b"go::goroutine_wait_minutes", b"", Some(2))],
    ])
    .read()
    .unwrap();
    let column: Vec<_> = profile
        .goroutines
        .iter()
        .map(|goroutine| (goroutine.id, goroutine.creator(), goroutine.wait.known()))
        .collect();
    assert_eq!(
        column,
        [(7, Some(1), Some(9.0)), (u64::MAX, None, Some(0.0)), (9, None, Some(3.0))]
    );
    let first = &profile.samples[0];
    assert_eq!(state(&profile, first).as_deref(), Some("chan receive"));
    assert!(profile.has_flag(first.key.flags, b"leaked"));
    assert!(profile.has_flag(first.key.flags, b"locked to thread"));
    assert_eq!(labels(&profile, first), [("tenant".to_owned(), "acme".to_owned())]);
    // Labels that don't describe a goroutine stay labels.
    let last = profile.samples.last().unwrap();
    let keys: Vec<String> = labels(&profile, last).into_iter().map(|(key, _)| key).collect();
    assert_eq!(keys, ["go::goroutine", "go::goroutine_wait_minutes"]);
    assert_eq!(profile.inputs[0].goroutines, 4);
}

#[test]
fn a_wait_below_zero_or_without_end_is_a_label_as_any() {
    let wait = b"go::goroutine_wait_minutes";
    for (text, number) in [(&b""[..], Some(-5)), (b"-5", None), (b"inf", None)] {
        let goroutine = [(&b"go::goroutine"[..], &b""[..], Some(7)), (wait, text, number)];
        let profile = goroutines(&[&goroutine]).read().unwrap();
        assert_eq!(profile.goroutines[0].wait.known(), None);
        let labels = labels(&profile, &profile.samples[0]);
        assert_eq!(labels.len(), 1, "{labels:?}");
    }
}

#[test]
fn a_goroutine_that_is_counted_more_than_once_is_noted() {
    let mut proto = goroutines(&[&[(b"go::goroutine", b"", Some(7))]]);
    proto.samples[0].1 = vec![3];
    let profile = proto.read().unwrap();
    assert_eq!((profile.goroutines.len(), profile.inputs[0].goroutines), (0, 3));
    assert_eq!(profile.inputs[0].warnings[0].text, "goroutine 7 is counted 3 times");
}

#[test]
fn of_a_creator_its_function_or_its_place_is_enough() {
    for (key, text, expected) in [
        (&b"stackgazer::created_by"[..], &b"main.start"[..], "main.start :0"),
        (b"stackgazer::created_at", b"/a.go:7", " /a.go:7"),
    ] {
        let mut proto = goroutines(&[&[(key, text, None)]]);
        proto.strings.push(AS_SHOWN);
        proto.extra = number(13, proto.strings.len() as i64 - 1);
        let profile = proto.read().unwrap();
        let frame = profile.frame(profile.samples[0].key.creator.unwrap());
        let text = |id| String::from_utf8_lossy(profile.str(id)).into_owned();
        let found = format!("{} {}:{}", text(frame.func), text(frame.file), frame.line);
        assert_eq!(found, expected);
    }
}

#[test]
fn labels_of_an_export_are_the_users_own_elsewhere() {
    let profile = goroutines(&[&[(b"stackgazer::flags", b"leaked", None)]]).read().unwrap();
    let sample = &profile.samples[0];
    assert_eq!(labels(&profile, sample), [("stackgazer::flags".to_owned(), "leaked".to_owned())]);
    assert_eq!(profile.flags(sample.key.flags), []);
}
