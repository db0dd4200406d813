//! Stacks with their values.

use super::path::parts;
use crate::filter::Selection;
use crate::profile::{LabelsId, Profile, StackId};
use foldhash::fast::FixedState;
use hashbrown::HashMap;
use std::cmp::Reverse;

/// A stack with labels.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Trace {
    /// The value of all samples that are equal to it.
    pub value: i128,
    /// Keys and values, sorted by key.
    pub labels: Vec<(String, String)>,
    /// Function and place of each frame, leaf first.
    pub frames: Vec<(String, String)>,
}

/// Every stack with its labels, the most first.
pub fn traces(profile: &Profile, selection: &Selection) -> Vec<Trace> {
    let mut values: HashMap<(StackId, LabelsId), i128, FixedState> = HashMap::default();
    for part in parts(profile, selection) {
        let written = profile.written_labels(part.sample);
        let key = &profile.sample(part.sample).key;
        let labels = if written == LabelsId::NONE { key.labels } else { written };
        *values.entry((key.full, labels)).or_default() += part.count;
    }
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let trace = |(stack, labels): (StackId, LabelsId), value| Trace {
        value,
        labels: profile
            .labels(labels)
            .iter()
            .map(|label| (text(profile.str(label.key)), text(&profile.label_text(label.value))))
            .collect(),
        frames: profile
            .stack(stack)
            .iter()
            .map(|&frame| {
                let frame = profile.frame(frame);
                let file = text(profile.str(frame.file));
                let place = if file.is_empty() { file } else { format!("{file}:{}", frame.line) };
                (text(profile.str(frame.func)), place)
            })
            .collect(),
    };
    let known = values.into_iter().filter(|(_, value)| *value != 0);
    let mut traces: Vec<Trace> = known.map(|(key, value)| trace(key, value)).collect();
    traces.sort_by(|a, b| {
        let key = |trace: &Trace| Reverse(trace.value.unsigned_abs());
        key(a).cmp(&key(b)).then_with(|| (&a.frames, &a.labels).cmp(&(&b.frames, &b.labels)))
    });
    traces
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::sketch::{G, Sketch, all};

    #[test]
    fn equal_stacks_with_equal_labels_are_one() {
        let mut sketch = Sketch::new("n1");
        let frames: &[&str] = &["f.hash hash.go:5", "main.main"];
        sketch.add(G { id: 1, frames, labels: &[("class", "gold")], ..G::default() });
        sketch.add(G { id: 2, frames, ..G::default() }).add(G { id: 3, frames, ..G::default() });
        let (profile, _) = sketch.done();
        let found = traces(&profile, &all(&profile));
        let values: Vec<_> = found.iter().map(|trace| (trace.value, trace.labels.len())).collect();
        assert_eq!(values, [(2, 0), (1, 1)]);
        assert_eq!(found[0].frames[0], ("f.hash".to_owned(), "hash.go:5".to_owned()));
    }
}
