//! `-o speedscope`: the file format of <https://www.speedscope.app>, which also works offline.
//!
//! Frames are functions. Each sample type is a profile; the selected one is shown first. Stacks with a
//! negative sum can't be shown there and are left out, which [`Document::write`] counts.

use crate::profile::{Profile, SampleId, TypeId, lossy};
use crate::rules::Names;
use crate::view::calls::{Calls, Function, Stack};
use crate::view::rows::saturated;
use serde::{Serialize, Serializer};
use std::cell::Cell;
use std::collections::BTreeSet;
use std::io::{self, Write};

/// A speedscope document.
pub struct Document<'a> {
    profile: &'a Profile,
    names: &'a Names,
    value: &'a dyn Fn(SampleId, Option<TypeId>) -> i64,
    types: Vec<Option<TypeId>>,
    /// Sorted.
    frames: Vec<Frame>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Written<'a> {
    #[serde(rename = "$schema")]
    schema: &'static str,
    exporter: &'static str,
    name: String,
    active_profile_index: usize,
    shared: Shared<'a>,
    profiles: Profiles<'a>,
}

#[derive(Serialize)]
struct Shared<'a> {
    frames: &'a [Frame],
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
struct Frame {
    name: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    file: String,
}

impl Frame {
    fn of(function: &Function<'_>) -> Frame {
        Frame { name: lossy(function.name), file: lossy(function.file) }
    }
}

/// The profiles, each made when it is written: all of 900 sample types, of a proto of 6 MB, took 1.3 GB.
struct Profiles<'a> {
    document: &'a Document<'a>,
    left_out: &'a Cell<usize>,
}

impl Serialize for Profiles<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Profiles { document, left_out } = self;
        serializer.collect_seq(document.types.iter().map(|&kind| document.sampled(kind, left_out)))
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Sampled {
    r#type: &'static str,
    name: String,
    unit: &'static str,
    start_value: i64,
    end_value: i64,
    /// Root first.
    samples: Vec<Vec<u32>>,
    weights: Vec<i64>,
}

/// The units that speedscope supports.
const UNITS: [&str; 5] = ["bytes", "microseconds", "milliseconds", "nanoseconds", "seconds"];

impl<'a> Document<'a> {
    /// The document of the selected samples: `value` returns a sample's value of a type, or its value if
    /// the profile has no types.
    pub fn new(
        profile: &'a Profile,
        names: &'a Names,
        value: &'a dyn Fn(SampleId, Option<TypeId>) -> i64,
    ) -> Document<'a> {
        let types: Vec<Option<TypeId>> = match profile.value_type() {
            None => vec![None],
            // For inputs that count goroutines, other types are the same count with another name.
            Some(kind) if profile.counts_goroutines() => vec![Some(kind)],
            Some(_) => profile.type_ids().map(Some).collect(),
        };
        let mut frames = BTreeSet::new();
        for &kind in &types {
            let functions = Calls::functions_of(profile, names, |sample| value(sample, kind));
            frames.extend(functions.iter().map(Frame::of));
        }
        Document { profile, names, value, types, frames: frames.into_iter().collect() }
    }

    fn sampled(&self, kind: Option<TypeId>, left_out: &Cell<usize>) -> Sampled {
        let Document { profile, names, value, frames, .. } = self;
        let calls = Calls::of(profile, names, |_| false, |sample| value(sample, kind));
        let number = |function| frames.binary_search(&Frame::of(function)).unwrap_or(0) as u32;
        let of_function: Vec<u32> = calls.functions.iter().map(number).collect();
        let (mut samples, mut weights, mut total) = (Vec::new(), Vec::new(), 0_i128);
        let stacks: Vec<Stack<'_>> = calls.stacks().collect();
        // Stacks that differ only in places are one.
        for equal in stacks.chunk_by(|a, b| a.path == b.path) {
            let value: i128 = equal.iter().map(|stack| stack.sums.value).sum();
            if value < 0 {
                left_out.set(left_out.get() + 1);
                continue;
            }
            let path = equal[0].path.iter().map(|&at| of_function[at as usize]);
            samples.push(path.collect());
            weights.push(saturated(value));
            total += value;
        }
        let (name, unit) = kind.map_or(profile.value_name(), |kind| {
            let kind = profile.sample_type(kind);
            (profile.str(kind.kind), profile.str(kind.unit))
        });
        Sampled {
            r#type: "sampled",
            name: lossy(name),
            unit: UNITS.into_iter().find(|known| known.as_bytes() == unit).unwrap_or("none"),
            start_value: 0,
            end_value: saturated(total),
            samples,
            weights,
        }
    }

    /// Writes the document; returns how many stacks are left out because speedscope has no negative values.
    ///
    /// # Errors
    /// The error of writing to `out`.
    pub fn write(&self, out: &mut dyn Write) -> io::Result<usize> {
        let Document { profile, types, frames, .. } = self;
        let inputs: Vec<&str> = profile.inputs.iter().map(|input| input.name.as_str()).collect();
        let left_out = Cell::new(0);
        let active = types.iter().position(|&kind| kind == profile.value_type());
        let written = Written {
            schema: "https://www.speedscope.app/file-format-schema.json",
            exporter: concat!("stackgazer@", env!("CARGO_PKG_VERSION")),
            name: inputs.join(", "),
            active_profile_index: active.unwrap_or(0),
            shared: Shared { frames },
            profiles: Profiles { document: self, left_out: &left_out },
        };
        serde_json::to_writer(&mut *out, &written)?;
        out.write_all(b"\n")?;
        Ok(left_out.get())
    }
}
