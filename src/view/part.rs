//! What is selected of each sample: the unit that every count is made of.

use super::key::{WAITS, wait_range};
use crate::filter::Selection;
use crate::profile::{Profile, SampleId, WaitRange};
use foldhash::fast::FixedState;
use hashbrown::HashMap;
use hashbrown::hash_map::Entry;
use std::borrow::Cow;

/// The selected goroutines of one sample, or those of them whose waits fall into one range.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Part {
    /// The sample.
    pub sample: SampleId,
    /// How many of its goroutines.
    pub count: i128,
    /// Their waits, as far as they are known.
    pub waits: WaitRange,
    /// The position in [`WAITS`] of the range they fall into; `None` when not known or not asked for.
    pub range: Option<usize>,
}

/// What is selected of each sample; nothing is looked at goroutine by goroutine unless some
/// goroutines of a sample are selected and others aren't.
pub fn selected(profile: &Profile, selection: &Selection) -> Vec<Part> {
    match selection.goroutines {
        None => {
            // Mostly all of them.
            let mut parts = Vec::with_capacity(profile.samples.len());
            parts.extend(counts(profile, selection).map(|part| whole(profile, part)));
            parts
        }
        Some(_) => by_goroutine(profile, selection, 1),
    }
}

/// The same with samples that are selected although they count nothing.
pub fn selected_with_zeros(profile: &Profile, selection: &Selection) -> Vec<Part> {
    let mut parts = selected(profile, selection);
    let zeros = profile
        .samples()
        .filter(|(sample, _)| selection.has(*sample) && selection.count(*sample) == 0)
        .map(|(sample, _)| Part { sample, count: 0, waits: WaitRange::default(), range: None });
    parts.extend(zeros);
    parts
}

/// [`selected`], told apart by range of waits; needs the goroutine columns.
pub fn selected_by_wait(profile: &Profile, selection: &Selection) -> Vec<Part> {
    by_goroutine(profile, selection, WAITS.len())
}

/// The same with samples added up that differ only in labels, addresses and where they were created.
///
/// A CPU profile has a sample for every stack and set of labels. Goroutines stay as they are: they
/// are added up when they are read.
pub fn selected_joined(profile: &Profile, selection: &Selection) -> Vec<Part> {
    match profile.counts_goroutines() {
        true => selected(profile, selection),
        false => join(profile, counts(profile, selection).map(|part| whole(profile, part))),
    }
}

/// Parts added up in the same way.
pub fn joined<'a>(profile: &Profile, parts: &'a [Part]) -> Cow<'a, [Part]> {
    match profile.counts_goroutines() {
        true => Cow::Borrowed(parts),
        false => Cow::Owned(join(profile, parts.iter().copied())),
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

/// A sample of which all that is selected is one part.
fn whole(profile: &Profile, (sample, count): (SampleId, i128)) -> Part {
    Part { sample, count, waits: profile.sample(sample).waits, range: None }
}

fn counts(profile: &Profile, selection: &Selection) -> impl Iterator<Item = (SampleId, i128)> {
    profile
        .samples()
        .map(|(sample, _)| (sample, i128::from(selection.count(sample))))
        .filter(|(_, count)| *count != 0)
}

/// Goes over the goroutine column; `ranges` is 1 where ranges of waits aren't told apart.
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
        // Goroutines that stand in no column, or whose wait isn't told.
        if rest != 0 {
            parts.push(Part { sample, count: rest, waits: WaitRange::default(), range: None });
        }
    }
    parts
}
