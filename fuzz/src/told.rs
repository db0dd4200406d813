//! What profiles tell, as text that can be compared.

// Without tables, nothing is compared with what they hold.
#![cfg_attr(not(feature = "parquet"), allow(dead_code))]

use stackgazer::profile::{
    FlagsId, FrameId, Input, LabelValue, LabelsId, Profile, Sample, SampleKey, StackId, StrId,
    Warning, WarningKind,
};
use std::collections::BTreeMap;
use std::fmt::Write;

/// The texts of a profile: those of frames, states, flags and labels.
pub fn texts(profile: &Profile) -> impl Iterator<Item = &[u8]> {
    let frames = profile.frames().iter().flat_map(|frame| [frame.func, frame.file]);
    let samples = profile.samples.iter().flat_map(|sample| {
        let labels = profile.labels(sample.key.labels).iter().flat_map(|label| match label.value {
            LabelValue::Text(text) | LabelValue::Number(_, text) => [label.key, text],
        });
        let flags = profile.flags(sample.key.flags).iter().copied();
        sample.key.state.into_iter().chain(flags).chain(labels)
    });
    frames.chain(samples).map(|text| profile.str(text))
}

/// All that tables hold of a profile.
pub fn of_tables(profile: &Profile) -> String {
    let texts = Texts(profile);
    let mut out = String::new();
    for input in &profile.inputs {
        let Input { name, announced, goroutines, seen, warnings, .. } = input;
        let warnings: Vec<&Warning> =
            warnings.iter().filter(|one| one.kind != WarningKind::RepeatedId).collect();
        let labels = texts.labels_with_units(input.labels);
        writeln!(out, "{name} {announced:?} {goroutines} {seen:?} {warnings:?} {labels:?}")
            .expect("a text");
    }
    for sample in &profile.samples {
        let SampleKey { input, kind, elided, .. } = sample.key;
        let flags = texts.flags(sample.key.flags);
        let (shown, full) = (texts.stack(sample.key.stack), texts.stack(sample.key.full));
        let state = sample.key.state.map(|state| texts.text(state));
        let creator = sample.key.creator.map(|frame| texts.frame(frame));
        let labels = texts.labels_with_units(sample.key.labels);
        let Sample { count, waits, .. } = sample;
        writeln!(
            out,
            "{input:?} {shown:?} {full:?} {state:?} {kind:?} {flags:?} {labels:?} {creator:?} \
             {elided:?} {count} {waits:?}"
        )
        .expect("a text");
    }
    for (at, goroutine) in profile.goroutines.iter().enumerate() {
        writeln!(out, "{goroutine:?} {:?}", texts.ancestors(at)).expect("a text");
    }
    for (row, words) in profile.addresses.iter() {
        writeln!(out, "{row:?} {words:?}").expect("a text");
    }
    out
}

/// All that a dump holds of a profile: its groups, what each counts, and the goroutines that have ids. A dump
/// has neither inputs nor units, and no wait is one of no minutes.
pub fn of_dump(profile: &Profile) -> BTreeMap<String, (i128, Vec<String>)> {
    let texts = Texts(profile);
    let group = |key: &SampleKey| {
        let labels = profile.labels(key.labels).iter();
        let labels: Vec<String> = labels
            .map(|label| {
                let value = profile.label_text(label.value);
                format!("{}={}", texts.text(label.key), value.escape_ascii())
            })
            .collect();
        let state = key.state.map(|state| texts.text(state)).unwrap_or_default();
        let creator = key.creator.map(|frame| texts.frame(frame));
        let (stack, flags) = (texts.stack(key.stack), texts.flags(key.flags));
        format!("{stack:?} {state:?} {flags:?} {labels:?} {creator:?} {:?}", key.elided)
    };
    let mut groups: BTreeMap<String, (i128, Vec<String>)> = BTreeMap::new();
    for sample in &profile.samples {
        groups.entry(group(&sample.key)).or_default().0 += i128::from(sample.count);
    }
    for (at, goroutine) in profile.goroutines.iter().enumerate() {
        let (id, wait) = (goroutine.id, goroutine.wait.known().unwrap_or_default());
        let creator = goroutine.creator();
        let row = format!("{id} {wait} {creator:?} {:?}", texts.ancestors(at));
        let key = group(&profile.sample(goroutine.sample).key);
        groups.entry(key).or_default().1.push(row);
    }
    groups.values_mut().for_each(|(_, rows)| rows.sort());
    groups
}

struct Texts<'a>(&'a Profile);

impl Texts<'_> {
    fn text(&self, id: StrId) -> String {
        String::from_utf8_lossy(self.0.str(id)).into_owned()
    }

    fn frame(&self, id: FrameId) -> String {
        let frame = self.0.frame(id);
        format!("{} {}:{}", self.text(frame.func), self.text(frame.file), frame.line)
    }

    fn stack(&self, id: StackId) -> Vec<String> {
        self.0.stack(id).iter().map(|&id| self.frame(id)).collect()
    }

    fn flags(&self, id: FlagsId) -> Vec<String> {
        self.0.flags(id).iter().map(|&flag| self.text(flag)).collect()
    }

    fn labels_with_units(&self, id: LabelsId) -> Vec<String> {
        let value = |value| match value {
            LabelValue::Text(value) => self.text(value),
            LabelValue::Number(number, unit) => format!("{number} in {:?}", self.text(unit)),
        };
        let set = self.0.labels(id).iter();
        set.map(|label| format!("{}={}", self.text(label.key), value(label.value))).collect()
    }

    fn ancestors(&self, at: usize) -> Vec<String> {
        let ancestors = self.0.ancestors.get(&at).into_iter().flatten();
        ancestors
            .map(|ancestor| {
                let creator = ancestor.creator.map(|frame| self.frame(frame));
                format!("{} {:?} {creator:?}", ancestor.id, self.stack(ancestor.stack))
            })
            .collect()
    }
}
