//! `-o speedscope`: the file format of <https://www.speedscope.app>, which also works offline.
//!
//! Frames are functions. Each sample type is a profile; the selected one is shown first. Stacks with a
//! negative sum can't be shown there and are left out, see [`Document::left_out`].

use crate::profile::{Profile, SampleId, TypeId};
use crate::rules::Names;
use crate::view::calls::{Calls, Stack};
use crate::view::rows::saturated;
use serde::Serialize;
use std::collections::BTreeMap;
use std::io::{self, Write};

/// A speedscope document.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Document {
    #[serde(rename = "$schema")]
    schema: &'static str,
    exporter: String,
    name: String,
    active_profile_index: usize,
    shared: Shared,
    profiles: Vec<Sampled>,
    #[serde(skip)]
    left_out: usize,
}

#[derive(Debug, Serialize)]
struct Shared {
    frames: Vec<Frame>,
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
struct Frame {
    name: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    file: String,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Sampled {
    r#type: &'static str,
    name: String,
    unit: &'static str,
    start_value: i64,
    end_value: i64,
    /// Root first.
    samples: Vec<Vec<usize>>,
    weights: Vec<i64>,
}

/// The units that speedscope supports.
const UNITS: [&str; 5] = ["bytes", "microseconds", "milliseconds", "nanoseconds", "seconds"];

impl Document {
    /// The document of the selected samples: `value` returns a sample's value of a type, or its value if
    /// the profile has no types.
    pub fn new(
        profile: &Profile,
        names: &Names,
        value: &dyn Fn(SampleId, Option<TypeId>) -> i64,
    ) -> Document {
        let types: Vec<Option<TypeId>> = match profile.value_type() {
            None => vec![None],
            // For inputs that count goroutines, other types are the same count with another name.
            Some(kind) if profile.counts_goroutines() => vec![Some(kind)],
            Some(_) => profile.type_ids().map(Some).collect(),
        };
        let active = types.iter().position(|&kind| kind == profile.value_type()).unwrap_or(0);
        let calls: Vec<Calls<'_>> = types
            .iter()
            .map(|&kind| Calls::of(profile, names, |_| false, |sample| value(sample, kind)))
            .collect();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let mut numbers: BTreeMap<Frame, usize> = BTreeMap::new();
        let frame = |function: &crate::view::calls::Function<'_>| Frame {
            name: text(function.name),
            file: text(function.file),
        };
        for calls in &calls {
            for function in &calls.functions {
                numbers.insert(frame(function), 0);
            }
        }
        numbers.values_mut().enumerate().for_each(|(at, number)| *number = at);
        let mut left_out = 0;
        let profiles = types.iter().zip(&calls).map(|(&kind, calls)| {
            let of_function: Vec<usize> =
                calls.functions.iter().map(|function| numbers[&frame(function)]).collect();
            let (mut samples, mut weights, mut total) = (Vec::new(), Vec::new(), 0_i128);
            let stacks: Vec<Stack<'_>> = calls.stacks().collect();
            // Stacks that differ only in places are one.
            for equal in stacks.chunk_by(|a, b| a.path == b.path) {
                let value: i128 = equal.iter().map(|stack| stack.sums.value).sum();
                if value < 0 {
                    left_out += 1;
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
                name: text(name),
                unit: UNITS.into_iter().find(|known| known.as_bytes() == unit).unwrap_or("none"),
                start_value: 0,
                end_value: saturated(total),
                samples,
                weights,
            }
        });
        let profiles = profiles.collect();
        let inputs: Vec<&str> = profile.inputs.iter().map(|input| input.name.as_str()).collect();
        Document {
            schema: "https://www.speedscope.app/file-format-schema.json",
            exporter: concat!("stackgazer@", env!("CARGO_PKG_VERSION")).to_owned(),
            name: inputs.join(", "),
            active_profile_index: active,
            shared: Shared { frames: numbers.into_keys().collect() },
            profiles,
            left_out,
        }
    }

    /// How many stacks are left out because speedscope has no negative values.
    pub fn left_out(&self) -> usize {
        self.left_out
    }

    /// Writes the document.
    ///
    /// # Errors
    /// The error of writing to `out`.
    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        serde_json::to_writer(&mut *out, self)?;
        out.write_all(b"\n")
    }
}
