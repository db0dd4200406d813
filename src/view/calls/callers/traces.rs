//! Stacks with their values.

use super::Subject;
use super::path::Paths;
use crate::error::Result;
use crate::profile::unit::{self, LabelUnits};
use crate::profile::{Label, LabelValue, Profile, lossy};
use crate::view::table::Order;
use crate::view::table::key::Key;
use crate::view::values::sums::Sums;
use foldhash::fast::FixedState;
use hashbrown::HashMap;
use std::cmp::Reverse;
use std::rc::Rc;

/// The keys that make frames rows, unless others were requested: function and place.
pub const FRAMES: [Key; 2] = [Key::Function, Key::Line];

/// What equal samples have in common: the rows of their frames, and their labels.
type Alike<'p> = (&'p [u32], Vec<Label>);

/// Function and place of a frame; for other keys, all values are in the first text.
pub type Frame = Rc<(String, String)>;

/// A stack with labels.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Trace {
    /// The value of all samples that are equal to it.
    pub value: i128,
    /// Sorted by key; equal ones are shared, as a few bytes of a proto repeat one.
    pub labels: Vec<Rc<TraceLabel>>,
    /// Its frames, leaf first; traces that differ in labels share them.
    pub frames: Rc<[Frame]>,
}

/// A label of a stack.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct TraceLabel {
    /// Its key.
    pub key: String,
    /// Its value as in the input.
    pub value: String,
    /// Its value for people: numbers in the unit that suits them best.
    pub text: String,
}

/// Every stack with its labels, the largest value first.
///
/// # Errors
/// If the names of all frames are too long together.
pub fn traces(subject: &Subject<'_>) -> Result<Vec<Trace>> {
    let profile = subject.profile;
    let paths = Paths::new(subject)?;
    let frame = |row: usize| -> (String, String) {
        match (subject.by == FRAMES, paths.rows[row].as_slice()) {
            (true, [func, place]) => {
                let func = func.clone().unwrap_or_else(|| match place {
                    Some(_) => String::new(),
                    None => paths.names[row].to_string(),
                });
                (func, place.clone().unwrap_or_default())
            }
            _ => (paths.names[row].to_string(), String::new()),
        }
    };
    let rows: Vec<Frame> = (0..paths.rows.len()).map(|row| Rc::new(frame(row))).collect();
    let mut values: HashMap<Alike<'_>, Sums, FixedState> = HashMap::default();
    for (sample, stack) in paths.samples() {
        let labels = profile.all_labels(sample).iter();
        let labels = labels.filter(|label| !label.is_empty()).copied().collect();
        *values.entry((stack.path, labels)).or_default() += stack.sums;
    }
    let units = LabelUnits::new(profile);
    let mut frames: HashMap<&[u32], Rc<[Frame]>, FixedState> = HashMap::default();
    let mut frames_of = |path| {
        let leaf_first = |&row: &u32| rows[row as usize].clone();
        frames.entry(path).or_insert_with(|| path.iter().rev().map(leaf_first).collect()).clone()
    };
    let mut known: HashMap<Label, Rc<TraceLabel>, FixedState> = HashMap::default();
    let mut text = |label: &Label| {
        let made = || Rc::new(text(profile, &units, label));
        Rc::clone(known.entry(*label).or_insert_with(made))
    };
    let mut traces: Vec<Trace> = values
        .into_iter()
        .filter(|(_, sums)| sums.value != 0)
        .map(|((path, labels), sums)| Trace {
            value: sums.mean(),
            labels: labels.iter().map(&mut text).collect(),
            frames: frames_of(path),
        })
        .collect();
    traces.sort_by(|a, b| {
        let key = |trace: &Trace| match subject.order {
            Order::Name => Reverse(0),
            Order::Count | Order::Cum | Order::Wait => Reverse(trace.value.unsigned_abs()),
        };
        key(a).cmp(&key(b)).then_with(|| (&a.frames, &a.labels).cmp(&(&b.frames, &b.labels)))
    });
    Ok(traces)
}

fn text(profile: &Profile, units: &LabelUnits, label: &Label) -> TraceLabel {
    let lossy = |bytes: &[u8]| lossy(bytes);
    let value = lossy(&profile.label_text(label.value));
    let text = match label.value {
        LabelValue::Text(_) => value.clone(),
        LabelValue::Number(number, _) => {
            unit::label(number.into(), units.of(label.key), unit::AUTO)
        }
    };
    TraceLabel { key: lossy(profile.str(label.key)), value, text }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::fixture::{Fixture, G, all};
    use crate::view::values::options::ValueOptions;

    #[test]
    fn equal_stacks_with_equal_labels_are_one() {
        let mut fixture = Fixture::new("n1");
        let frames: &[&str] = &["f.hash hash.go:5", "main.main"];
        fixture.add(G { id: 1, frames, labels: &[("class", "gold")], ..G::default() });
        // An empty label doesn't count as one.
        fixture.add(G { id: 2, frames, labels: &[("class", "")], ..G::default() });
        // Another place in the same function.
        fixture.add(G { id: 3, frames: &["f.hash hash.go:6", "main.main"], ..G::default() });
        fixture.input("n2");
        fixture.add(G { id: 1, frames, ..G::default() });
        let (profile, names) = fixture.done();
        let found = |by: &[Key]| {
            let (profile, names, selection) = (&profile, &names, &all(&profile));
            let (value_options, order) = (&ValueOptions::default(), Order::Count);
            traces(&Subject { profile, names, selection, by, value_options, order }).unwrap()
        };
        let values = |traces: &[Trace]| -> Vec<(i128, usize)> {
            traces.iter().map(|trace| (trace.value, trace.labels.len())).collect()
        };
        let by_place = found(&FRAMES);
        assert_eq!(values(&by_place), [(2, 0), (1, 1), (1, 0)]);
        assert_eq!(*by_place[0].frames[0], ("f.hash".to_owned(), "hash.go:5".to_owned()));
        assert!(Rc::ptr_eq(&by_place[0].frames, &by_place[1].frames), "labels cost no frames");
        let by_function = found(&[Key::Function]);
        assert_eq!(values(&by_function), [(3, 0), (1, 1)]);
        assert_eq!(*by_function[0].frames[0], ("f.hash".to_owned(), String::new()));
    }
}
