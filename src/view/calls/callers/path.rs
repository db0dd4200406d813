//! Paths: the frames of samples from the root to the leaf, as numbers of rows.

use super::{Subject, Weight};
use crate::profile::{Profile, SampleId, WaitRange};
use crate::view::calls::graph::Step;
use crate::view::table::part::Part;
use crate::view::table::row_index::{RowIndex, printed};
use std::ops::Range;

/// The paths of all samples that count.
#[derive(Debug, Default)]
pub(super) struct Paths {
    /// The values of each row for the keys.
    pub(super) rows: Vec<Vec<Option<String>>>,
    /// The name of each row in pprof.
    pub(super) names: Vec<String>,
    weights: Vec<(Weight, Range<usize>)>,
    steps: Vec<Step>,
}

impl Paths {
    pub(super) fn new(subject: &Subject<'_>) -> Paths {
        let Subject { profile, names, by, .. } = *subject;
        let mut keyed = RowIndex::new(profile, names, by);
        let mut paths = Paths::default();
        for weight in subject.weights() {
            let Weight { sample, value: count, .. } = weight;
            let part = Part { sample, count, waits: WaitRange::default(), range: None };
            let mut inlined = inlined(profile, sample).into_iter();
            let start = paths.steps.len();
            keyed.rows_of(&part, |row, _| {
                let inlined = inlined.next().unwrap_or(false);
                paths.steps.push(Step { function: row as u32, inlined });
            });
            paths.steps[start..].reverse();
            paths.weights.push((weight, start..paths.steps.len()));
        }
        paths.rows = (0..keyed.len()).map(|row| keyed.values(row)).collect();
        paths.names = paths.rows.iter().map(|values| printed(by, values)).collect();
        paths
    }

    /// Each sample with its path from the root to the leaf.
    pub(super) fn all(&self) -> impl Iterator<Item = (&Weight, &[Step])> {
        self.weights.iter().map(|(weight, steps)| (weight, &self.steps[steps.clone()]))
    }
}

/// By frame, leaf first: whether it was inlined into its caller.
fn inlined(profile: &Profile, sample: SampleId) -> Vec<bool> {
    let locations = profile.sample_locations(sample).iter();
    let flags = locations.flat_map(|&location| {
        let last = profile.lines(location).len().max(1) - 1;
        (0..=last).map(move |at| at != last)
    });
    flags.collect()
}
