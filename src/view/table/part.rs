//! Parts: what is selected of each sample, which all counts are made from.

use super::key::{WAITS, wait_range};
use crate::filter::Selection;
use crate::profile::{Profile, SampleId, WaitRange};
use crate::view::rows::as_count;
use foldhash::fast::FixedState;
use hashbrown::HashMap;
use hashbrown::hash_map::Entry;
use serde::Serialize;
use std::borrow::Cow;

/// What is selected of one sample: its goroutines or its value, or those goroutines whose waits are in one
/// range.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Part {
    /// The sample.
    pub sample: SampleId,
    /// How many goroutines, or the value of the sample type that is shown.
    pub count: i128,
    /// Their waits, as far as they are known.
    pub waits: WaitRange,
    /// The position in [`WAITS`] of the range of the waits; `None` if unknown, or not requested.
    pub range: Option<usize>,
}

/// Parts of a profile in the order of its samples.
///
/// If whole samples are selected, parts are made when they are needed: a list of them would take as
/// much memory as the samples.
#[derive(Clone, Debug)]
pub struct Parts<'a>(Source<'a>);

#[derive(Clone, Debug)]
enum Source<'a> {
    Samples(&'a Profile, &'a Selection),
    List(Vec<Part>),
}

impl<'a> Parts<'a> {
    /// The parts in the order of the points of their inputs, as they mostly are already.
    pub fn in_time(self, profile: &Profile) -> Parts<'a> {
        let point = |part: &Part| profile.input(profile.sample(part.sample).key.input).point;
        if self.iter().is_sorted_by_key(|part| point(&part)) {
            return self;
        }
        let mut parts: Vec<Part> = self.iter().collect();
        parts.sort_by_key(point);
        Parts(Source::List(parts))
    }

    /// Each part, with its number for [`Parts::get`].
    pub fn numbered(&self) -> impl Iterator<Item = (u32, Part)> {
        let numbers = match &self.0 {
            Source::Samples(profile, _) => profile.samples.len(),
            Source::List(parts) => parts.len(),
        };
        // Samples have numbers of 32 bits, and so have their parts.
        (0..numbers as u32).filter_map(|number| Some((number, self.get(number)?)))
    }

    /// Each part.
    pub fn iter(&self) -> impl Iterator<Item = Part> {
        self.numbered().map(|(_, part)| part)
    }

    /// The part with a number from [`Parts::numbered`].
    pub fn get(&self, number: u32) -> Option<Part> {
        match &self.0 {
            Source::Samples(profile, selection) => {
                let sample = SampleId(number);
                let count = i128::from(selection.count(sample));
                let waits = profile.sample(sample).waits;
                (count != 0).then_some(Part { sample, count, waits, range: None })
            }
            Source::List(parts) => parts.get(number as usize).copied(),
        }
    }
}

/// What is selected of each sample; single goroutines are only read if some of a sample's
/// goroutines are selected and others aren't.
pub fn selected<'a>(profile: &'a Profile, selection: &'a Selection) -> Parts<'a> {
    Parts(match selection.goroutines {
        None => Source::Samples(profile, selection),
        Some(_) => Source::List(by_goroutine(profile, selection, 1)),
    })
}

/// The selected parts, including samples that are selected although their count is 0.
pub fn selected_with_zeros<'a>(profile: &'a Profile, selection: &'a Selection) -> Parts<'a> {
    let zeros = profile
        .samples()
        .filter(|(sample, _)| selection.has(*sample) && selection.count(*sample) == 0)
        .map(|(sample, _)| Part { sample, count: 0, waits: WaitRange::default(), range: None });
    Parts(Source::List(selected(profile, selection).iter().chain(zeros).collect()))
}

/// [`selected`], split by range of waits; needs the goroutine columns.
pub fn selected_by_wait<'a>(profile: &Profile, selection: &Selection) -> Parts<'a> {
    Parts(Source::List(by_goroutine(profile, selection, WAITS.len())))
}

/// The selected parts, with samples added up that differ only in labels, addresses and creators.
///
/// A CPU profile has a sample for every stack and set of labels. Samples of goroutines stay as they
/// are: they are added up when they are read.
pub fn selected_joined<'a>(profile: &'a Profile, selection: &'a Selection) -> Parts<'a> {
    match profile.counts_goroutines() {
        true => selected(profile, selection),
        false => joined(profile, &selected(profile, selection)).into_owned(),
    }
}

/// Parts added up in the same way.
pub fn joined<'p, 'a>(profile: &Profile, parts: &'p Parts<'a>) -> Cow<'p, Parts<'a>> {
    match profile.counts_goroutines() {
        true => Cow::Borrowed(parts),
        false => Cow::Owned(Parts(Source::List(join(profile, parts.iter())))),
    }
}

fn join(profile: &Profile, parts: impl Iterator<Item = Part>) -> Vec<Part> {
    let mut joined: Vec<Part> = Vec::new();
    let mut known: HashMap<_, usize, FixedState> = HashMap::default();
    for part in parts {
        let key = &profile.sample(part.sample).key;
        let same = (key.input, key.stack, key.full, key.state, key.kind, key.flags);
        match known.entry(same) {
            Entry::Occupied(at) => {
                let into = &mut joined[*at.get()];
                into.count += part.count;
                into.waits.merge(&part.waits);
            }
            Entry::Vacant(new) => {
                new.insert(joined.len());
                joined.push(part);
            }
        }
    }
    joined
}

fn counts(profile: &Profile, selection: &Selection) -> impl Iterator<Item = (SampleId, i128)> {
    profile
        .samples()
        .map(|(sample, _)| (sample, i128::from(selection.count(sample))))
        .filter(|(_, count)| *count != 0)
}

/// Reads the goroutine column; `ranges` is 1 if ranges of waits don't matter.
fn by_goroutine(profile: &Profile, selection: &Selection, ranges: usize) -> Vec<Part> {
    let mut cells: Vec<(i128, WaitRange)> =
        vec![(0, WaitRange::default()); profile.samples.len() * ranges];
    for (at, goroutine) in profile.goroutines.iter().enumerate() {
        if !selection.has_goroutine(profile, at) {
            continue;
        }
        if let Some(minutes) = goroutine.wait.known() {
            let range = if ranges == 1 { 0 } else { wait_range(minutes) };
            let cell = &mut cells[goroutine.sample.index() * ranges + range];
            cell.0 += 1;
            cell.1.add(goroutine.wait, goroutine.id);
        }
    }
    let mut parts = Vec::new();
    for (sample, count) in counts(profile, selection) {
        let mut rest = count;
        let cells = &cells[sample.index() * ranges..][..ranges];
        if ranges == 1 {
            parts.push(Part { sample, count, waits: cells[0].1, range: None });
            continue;
        }
        for (range, &(count, waits)) in cells.iter().enumerate() {
            if count != 0 {
                parts.push(Part { sample, count, waits, range: Some(range) });
                rest -= count;
            }
        }
        // Goroutines that aren't in the column, or whose wait isn't known.
        if rest != 0 {
            parts.push(Part { sample, count: rest, waits: WaitRange::default(), range: None });
        }
    }
    parts
}

/// How much of a profile is selected.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Selected {
    /// Goroutines selected.
    #[serde(serialize_with = "as_count")]
    pub goroutines: i128,
    /// Goroutines in all.
    #[serde(serialize_with = "as_count")]
    pub of: i128,
    /// Stacks with a selected goroutine.
    pub stacks: usize,
    /// Stacks in all.
    pub of_stacks: usize,
    /// Goroutines that failed a wait condition only because their wait isn't known.
    pub unknown_wait: i64,
}

/// How many stacks have goroutines; the table also has those of ancestors and hidden frames.
pub(in crate::view) fn count_stacks(profile: &Profile) -> usize {
    let mut used = vec![false; profile.stack_count()];
    for sample in profile.samples.iter().filter(|sample| sample.count != 0) {
        used[sample.key.stack.index()] = true;
    }
    used.into_iter().filter(|used| *used).count()
}
