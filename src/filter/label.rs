//! `--label`: labels of goroutines, those told by the path of their input included.

use super::pattern::Pattern;
use super::wait::{Interval, parse_number};
use crate::profile::{Label, Profile, SampleKey};

/// The labels of a group; a label of the input's path stands back behind one of the same key that
/// the goroutine carries itself.
pub(super) fn labels_of<'a>(
    profile: &'a Profile,
    key: &SampleKey,
) -> impl Iterator<Item = &'a Label> {
    let own = profile.labels(key.labels);
    let of_path = profile.labels(profile.input(key.input).labels);
    own.iter().chain(of_path.iter().filter(|label| !own.iter().any(|other| other.key == label.key)))
}

/// A condition on the labels of one key; it holds if any label of that key has it.
#[derive(Clone, Debug)]
pub(super) struct LabelPredicate {
    pub(super) key: Vec<u8>,
    pub(super) value: LabelCondition,
}

/// What is asked of a label's value.
#[derive(Clone, Debug)]
pub(super) enum LabelCondition {
    /// That there is one.
    Present,
    /// Its text; a number is followed by its unit.
    Text(Pattern),
    /// The number that it is, whatever its unit, or that its text is.
    Number(Interval),
}

impl LabelPredicate {
    pub(super) fn holds(&self, profile: &Profile, key: &SampleKey) -> bool {
        labels_of(profile, key).filter(|label| profile.str(label.key) == self.key).any(|label| {
            match &self.value {
                LabelCondition::Present => true,
                LabelCondition::Text(pattern) => pattern.is_match(&profile.label_text(label.value)),
                LabelCondition::Number(interval) => {
                    number_of(profile, label).is_some_and(|number| interval.contains(number))
                }
            }
        })
    }
}

fn number_of(profile: &Profile, label: &Label) -> Option<f64> {
    match label.value {
        crate::profile::LabelValue::Number(number, _) => Some(number as f64),
        crate::profile::LabelValue::Text(text) => {
            parse_signed(std::str::from_utf8(profile.str(text)).ok()?)
        }
    }
}

/// A number as in [`parse_number`], which may be negative.
pub(super) fn parse_signed(text: &str) -> Option<f64> {
    match text.strip_prefix('-') {
        Some(positive) => parse_number(positive).map(|number| -number),
        None => parse_number(text),
    }
}
