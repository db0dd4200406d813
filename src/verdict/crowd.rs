//! The place where most of some goroutines are.

use crate::profile::{InputId, Profile, StrId, lossy};
use crate::rules::Names;
use crate::view::rows::as_count;
use foldhash::fast::FixedState;
use hashbrown::HashMap;
use serde::Serialize;
use std::hash::Hash;

/// Goroutines at one place.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Crowd {
    /// The function, trimmed.
    pub function: String,
    /// The input's name, if inputs were counted separately.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input: Option<String>,
    /// How many.
    #[serde(rename = "goroutines", serialize_with = "as_count")]
    pub count: i128,
}

/// Counts by key.
pub(super) struct Tally<K>(HashMap<K, i128, FixedState>);

impl<K> Default for Tally<K> {
    fn default() -> Self {
        Tally(HashMap::default())
    }
}

impl<K: Copy + Eq + Hash> Tally<K> {
    pub(super) fn add(&mut self, key: K, count: i128) {
        let sum = self.0.entry(key).or_default();
        *sum += count;
    }

    /// The keys and their counts, most first; equal counts in the order of `rank`.
    pub(super) fn sorted<R: Ord>(self, rank: impl Fn(K) -> R) -> Vec<(K, i128)> {
        let mut list: Vec<(K, i128)> = self.0.into_iter().collect();
        list.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| rank(a.0).cmp(&rank(b.0))));
        list
    }

    /// The first of [`Tally::sorted`].
    fn most<R: Ord>(self, rank: impl Fn(K) -> R) -> Option<(K, i128)> {
        let order =
            |a: &(K, i128), b: &(K, i128)| b.1.cmp(&a.1).then_with(|| rank(a.0).cmp(&rank(b.0)));
        self.0.into_iter().min_by(order)
    }
}

/// The place where most of them are.
pub(super) fn largest_crowd(
    profile: &Profile,
    names: &Names,
    places: Tally<(Option<StrId>, Option<InputId>)>,
) -> Option<Crowd> {
    let text = |function: Option<StrId>| function.map(|function| names.text(function));
    let by_text = |(function, input)| (text(function), input);
    let ((function, input), count) = places.most(by_text)?;
    Some(Crowd {
        function: lossy(text(function)?),
        input: input.map(|input| profile.input(input).name.clone()),
        count,
    })
}
