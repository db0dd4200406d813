//! The order of groups: names by bytes, inputs naturally, unknown values first.

use super::ids::StackHash;
use crate::profile::{FrameId, InputId, LabelValue, LabelsId, Profile, SampleId, StackId};
use crate::rules::Names;
use std::cmp::Ordering;

/// The inputs of a profile in the order in which documents list them: by name, naturally.
pub fn inputs(profile: &Profile) -> Vec<InputId> {
    let mut ids: Vec<InputId> = profile.inputs().map(|(id, _)| id).collect();
    ids.sort_by(|a, b| {
        let (left, right) = (&profile.input(*a).name, &profile.input(*b).name);
        natural(left.as_bytes(), right.as_bytes()).then(a.cmp(b))
    });
    ids
}

/// Compares names as people count: `n2` comes before `n10`.
pub fn natural(left: &[u8], right: &[u8]) -> Ordering {
    let (mut a, mut b) = (left, right);
    loop {
        match (a.first(), b.first()) {
            (Some(x), Some(y)) if x.is_ascii_digit() && y.is_ascii_digit() => {
                let (number_a, number_b) = (number(&mut a), number(&mut b));
                // Without leading zeros the longer number is the larger one.
                match number_a.len().cmp(&number_b.len()).then(number_a.cmp(number_b)) {
                    Ordering::Equal => {}
                    other => return other,
                }
            }
            (Some(x), Some(y)) if x == y => (a, b) = (&a[1..], &b[1..]),
            // Equal but for leading zeros: the bytes decide.
            (None, None) => return left.cmp(right),
            (x, y) => return x.cmp(&y),
        }
    }
}

/// Takes the digits at the start of `text`, without leading zeros.
fn number<'a>(text: &mut &'a [u8]) -> &'a [u8] {
    let digits = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let (number, rest) = text.split_at(digits);
    *text = rest;
    let zeros = number.iter().take_while(|&&byte| byte == b'0').count();
    &number[zeros..]
}

/// The ranks of stacks, inputs, states and so on in the order of groups, so that samples are sorted by
/// numbers, however long their names are.
pub(super) struct Order {
    stacks: Vec<u32>,
    inputs: Vec<u32>,
    states: Vec<u32>,
    flags: Vec<u32>,
    labels: Vec<u32>,
    creators: Vec<u32>,
}

impl Order {
    pub(super) fn new(
        profile: &Profile,
        names: &Names,
        samples: &[SampleId],
        ids: &[StackHash],
    ) -> Order {
        let keys = || samples.iter().map(|&sample| profile.sample(sample).key);
        let stacks = ranks(keys().map(|key| key.stack), StackId::index, |a, b| {
            let name = |stack| (names.category(stack), names.name(profile, stack));
            name(*a).cmp(&name(*b)).then_with(|| ids[a.index()].cmp(&ids[b.index()]))
        });
        let mut input_ranks = vec![0; profile.inputs.len()];
        for (rank, input) in inputs(profile).into_iter().enumerate() {
            input_ranks[input.index()] = rank as u32;
        }
        let states = ranks(
            keys().filter_map(|key| key.state),
            |state| state.index(),
            |a, b| profile.str(*a).cmp(profile.str(*b)),
        );
        let flags = ranks(
            keys().map(|key| key.flags),
            |flags| flags.0 as usize,
            |a, b| {
                let texts = |set| profile.flags(set).iter().map(|&flag| profile.str(flag));
                texts(*a).cmp(texts(*b))
            },
        );
        let labels = ranks(
            keys().map(|key| key.labels),
            |labels| labels.0 as usize,
            |a, b| compare_labels(profile, *a, *b),
        );
        let creators = ranks(keys().filter_map(|key| key.creator), FrameId::index, |a, b| {
            compare_frames(profile, names, *a, *b)
        });
        Order { stacks, inputs: input_ranks, states, flags, labels, creators }
    }

    /// The rank of a sample; samples of equal rank are one group. Unknown values come first.
    pub(super) fn of(&self, profile: &Profile, sample: SampleId) -> [u32; 6] {
        let key = &profile.sample(sample).key;
        [
            self.stacks[key.stack.index()],
            self.inputs[key.input.index()],
            key.state.map_or(0, |state| 1 + self.states[state.index()]),
            self.flags[key.flags.0 as usize],
            self.labels[key.labels.0 as usize],
            key.creator.map_or(0, |creator| 1 + self.creators[creator.index()]),
        ]
    }
}

/// The rank of each distinct id among `used`, by index.
fn ranks<T: Copy + Ord>(
    used: impl Iterator<Item = T>,
    index: impl Fn(T) -> usize,
    compare: impl Fn(&T, &T) -> Ordering,
) -> Vec<u32> {
    let mut distinct: Vec<T> = used.collect();
    distinct.sort_unstable();
    distinct.dedup();
    distinct.sort_by(compare);
    let mut ranks = vec![0; distinct.iter().map(|&id| index(id) + 1).max().unwrap_or(0)];
    for (rank, &id) in distinct.iter().enumerate() {
        ranks[index(id)] = rank as u32;
    }
    ranks
}

fn compare_labels(profile: &Profile, a: LabelsId, b: LabelsId) -> Ordering {
    // Text comes before numbers that look the same, so only equal sets compare as equal.
    let number = |value| matches!(value, LabelValue::Number(..));
    let parts = |set| {
        profile.labels(set).iter().map(move |label| {
            let value = profile.label_text(label.value);
            (profile.str(label.key), value, number(label.value))
        })
    };
    parts(a).cmp(parts(b))
}

fn compare_frames(profile: &Profile, names: &Names, a: FrameId, b: FrameId) -> Ordering {
    let shown = |frame| (names.func(frame), names.file(frame), profile.frame(frame).line);
    let written = |id| {
        let frame = profile.frame(id);
        (profile.str(frame.func), profile.str(frame.file))
    };
    shown(a).cmp(&shown(b)).then_with(|| written(a).cmp(&written(b)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sorted(mut names: Vec<&str>) -> Vec<&str> {
        names.sort_by(|a, b| natural(a.as_bytes(), b.as_bytes()));
        names
    }

    #[test]
    fn names_are_sorted_as_people_count() {
        assert_eq!(sorted(vec!["n2", "n10", "n1", "n20", "n3"]), ["n1", "n2", "n3", "n10", "n20"]);
        assert_eq!(sorted(vec!["a#10", "a", "a#2"]), ["a", "a#2", "a#10"]);
        assert_eq!(sorted(vec!["1.9/b", "1.10/a"]), ["1.9/b", "1.10/a"]);
    }

    #[test]
    fn leading_zeros_only_break_ties() {
        assert_eq!(sorted(vec!["n01", "n1", "n001", "n2"]), ["n001", "n01", "n1", "n2"]);
        assert_eq!(natural(b"n01x", b"n1y"), Ordering::Less);
    }

    #[test]
    fn numbers_of_any_length_are_compared() {
        let long = "9".repeat(40);
        let longer = format!("1{}", "0".repeat(40));
        assert_eq!(natural(long.as_bytes(), longer.as_bytes()), Ordering::Less);
    }
}
