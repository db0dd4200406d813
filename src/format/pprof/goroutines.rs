//! Goroutines as samples of a proto, such that reading it back gives the same goroutines.
//!
//! ```text
//! write_goroutines(profile: &Profile, count: &dyn Fn(SampleId) -> i64,
//!                  selected: &dyn Fn(usize) -> bool, out: W) -> io::Result<W>
//! ```
//! Kept: stacks as shown, counts, ids, creators, states, waits, flags, labels, elisions, the names
//! of inputs. Not kept: ancestors, what was hidden, warnings and crashes.

use super::write::{LabelText, LocationId, ProtoWriter};
use super::{AS_SHOWN, key};
use crate::profile::{FrameId, Goroutine, LabelValue, Profile, Sample, SampleId};
use std::io::{self, Write};

/// Writes goroutines: a sample for each that has an id, one for all of a count-only sample.
///
/// `count` tells how many of a sample are wanted; `selected`, by position in
/// [`Profile::goroutines`], which ones where ids are kept.
pub fn write_goroutines<W: Write>(
    profile: &Profile,
    count: &dyn Fn(SampleId) -> i64,
    selected: &dyn Fn(usize) -> bool,
    out: W,
) -> io::Result<W> {
    let mut proto = ProtoWriter::new(out, &[(b"goroutine", b"count")])?;
    proto.comment(AS_SHOWN);
    let mut locations: Vec<Option<LocationId>> = vec![None; profile.frames().len()];
    let mut has_ids = vec![false; profile.samples.len()];
    let mut stack = Vec::new();
    let mut write = |sample: &Sample, count: i64, goroutine: Option<&Goroutine>| {
        stack.clear();
        stack.extend(profile.stack(sample.key.stack).iter().map(|&frame| {
            *locations[frame.index()].get_or_insert_with(|| {
                let at = profile.frame(frame);
                proto.location(profile.str(at.func), profile.str(at.file), at.line)
            })
        }));
        let extra = Extra::new(profile, sample, goroutine);
        proto.sample(&stack, &[count], &labels(profile, sample, goroutine, &extra))
    };
    for (at, goroutine) in profile.goroutines.iter().enumerate() {
        has_ids[goroutine.sample.index()] = true;
        if selected(at) {
            write(profile.sample(goroutine.sample), 1, Some(goroutine))?;
        }
    }
    for (id, sample) in profile.samples() {
        let count = count(id);
        if !has_ids[id.index()] && count != 0 {
            write(sample, count, None)?;
        }
    }
    proto.finish()
}

/// Texts of labels that must be composed.
struct Extra {
    creator: Option<Vec<u8>>,
    elided: Option<String>,
    wait: Option<String>,
}

impl Extra {
    fn new(profile: &Profile, sample: &Sample, goroutine: Option<&Goroutine>) -> Extra {
        let wait = goroutine.and_then(|goroutine| goroutine.wait.known());
        Extra {
            creator: sample.key.creator.map(|creator| creator_text(profile, creator)),
            elided: sample.key.elided.map(|elided| {
                let count = elided.count.map_or(String::new(), |count| count.to_string());
                format!("{}/{count}", elided.after)
            }),
            wait: wait.filter(|&wait| whole_minutes(wait).is_none()).map(|wait| wait.to_string()),
        }
    }
}

/// `FUNC`, a tab, `FILE:LINE`: names and files may hold blanks.
fn creator_text(profile: &Profile, creator: FrameId) -> Vec<u8> {
    let frame = profile.frame(creator);
    let line = frame.line.to_string();
    [profile.str(frame.func), b"\t", profile.str(frame.file), b":", line.as_bytes()].concat()
}

/// The wait as a whole number that comes back the same.
fn whole_minutes(wait: f32) -> Option<i64> {
    let minutes = wait as i64;
    // A negative zero would lose its sign.
    (minutes as f32 == wait && !(wait == 0.0 && wait.is_sign_negative())).then_some(minutes)
}

fn labels<'a>(
    profile: &'a Profile,
    sample: &Sample,
    goroutine: Option<&Goroutine>,
    extra: &'a Extra,
) -> Vec<(&'a [u8], LabelText<'a>)> {
    let key = &sample.key;
    let mut labels = Vec::new();
    let mut text = |key, value| labels.push((key, LabelText::Text(value)));
    if profile.inputs.len() > 1 {
        text(key::INPUT, profile.input(key.input).name.as_bytes());
    }
    if let Some(state) = key.state {
        text(key::STATE, profile.str(state));
    }
    for &flag in profile.flags(key.flags) {
        text(key::FLAG, profile.str(flag));
    }
    if let Some(creator) = &extra.creator {
        text(key::CREATED_BY, creator);
    }
    if let Some(elided) = &extra.elided {
        text(key::ELIDED, elided.as_bytes());
    }
    if let Some(wait) = &extra.wait {
        text(key::WAIT, wait.as_bytes());
    }
    let mut number = |key, value, unit| labels.push((key, LabelText::Number(value, unit)));
    if let Some(goroutine) = goroutine {
        // Ids are 64 bits without a sign; they come back from the signed field unchanged.
        number(key::GOROUTINE, goroutine.id as i64, b"");
        if let Some(creator) = goroutine.creator() {
            number(key::CREATED_BY_ID, creator as i64, b"");
        }
        if let Some(minutes) = goroutine.wait.known().and_then(whole_minutes) {
            // With a unit pprof shows a 0 too.
            number(key::WAIT, minutes, b"minutes");
        }
    }
    labels.extend(profile.labels(key.labels).iter().map(|label| {
        let value = match label.value {
            LabelValue::Text(text) => LabelText::Text(profile.str(text)),
            LabelValue::Number(number, unit) => LabelText::Number(number, profile.str(unit)),
        };
        (profile.str(label.key), value)
    }));
    labels
}
