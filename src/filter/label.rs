//! `--label`: labels of goroutines, including those of their input's path.

use super::pattern::Pattern;
use super::wait::{Interval, parse_number};
use crate::profile::{Label, Profile, SampleKey};

/// The labels of a group, and those of its input's path whose keys the group doesn't have.
pub(super) fn labels_of<'a>(
    profile: &'a Profile,
    key: &SampleKey,
) -> impl Iterator<Item = &'a Label> {
    let own = profile.labels(key.labels);
    let of_path = profile.labels(profile.input(key.input).labels);
    own.iter().chain(of_path.iter().filter(|label| !own.iter().any(|other| other.key == label.key)))
}

/// A condition on the labels of one key; it holds if any label of that key satisfies it.
#[derive(Clone, Debug)]
pub(super) struct LabelPredicate {
    pub(super) key: Vec<u8>,
    pub(super) value: LabelCondition,
}

/// The condition on a label's value.
#[derive(Clone, Debug)]
pub(super) enum LabelCondition {
    /// There is a label, with any value.
    Present,
    /// Its text; a number is followed by its unit.
    Text(Pattern),
    /// Its number, whatever its unit, or its text read as a number.
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

/// A number as in [`parse_number`], or its negative.
pub(super) fn parse_signed(text: &str) -> Option<f64> {
    match text.strip_prefix('-') {
        Some(positive) => parse_number(positive).map(|number| -number),
        None => parse_number(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_may_be_negative() {
        assert_eq!(parse_signed("-1.5"), Some(-1.5));
        assert_eq!(parse_signed("1.5"), Some(1.5));
        assert_eq!((parse_signed("--1"), parse_signed("-"), parse_signed("x")), (None, None, None));
    }
}
