//! Paths: the frames of samples from the root to the leaf, as numbers of rows.

use super::Subject;
use crate::error::Result;
use crate::profile::{Profile, SampleId, WaitRange};
use crate::view::calls::Stack;
use crate::view::table::part::Part;
use crate::view::table::row_index::{RowIndex, printed};
use crate::view::values::sums::Sums;
use foldhash::fast::FixedState;
use hashbrown::HashMap;
use std::ops::Range;
use std::rc::Rc;

/// The paths of all samples that count.
#[derive(Debug, Default)]
pub(super) struct Paths {
    /// The values of each row for the keys.
    pub(super) rows: Vec<Vec<Option<String>>>,
    /// The name of each row in pprof. Rows of 64 KiB can occur thousands of times in a view, which share them.
    pub(super) names: Vec<Rc<str>>,
    samples: Vec<(SampleId, Sums, Range<usize>)>,
    paths: Vec<u32>,
    /// Parallel to `paths`.
    inlined: Vec<bool>,
}

impl Paths {
    /// # Errors
    /// If the values of all rows have more bytes than [`key_texts`](crate::limits::Limits::key_texts).
    pub(super) fn new(subject: &Subject<'_>) -> Result<Paths> {
        let Subject { profile, names, by, .. } = *subject;
        let mut keyed = RowIndex::new(profile, names, by);
        let mut all = Paths::default();
        // Thousands of samples that differ in labels can share a stack of thousands of frames.
        let mut known: HashMap<_, Range<usize>, FixedState> = HashMap::default();
        for (sample, sums) in subject.samples() {
            let (count, waits) = (sums.value, WaitRange::default());
            let part = Part { sample, count, waits, range: None };
            let equal = (profile.sample(sample).key.full, profile.location_list(sample));
            let range = known.entry(equal).or_insert_with(|| {
                let start = all.paths.len();
                keyed.rows_of(&part, |row, _| all.paths.push(row as u32));
                let end = all.paths.len();
                all.paths[start..].reverse();
                all.inlined.extend(inlined(profile, sample));
                all.inlined.resize(end, false);
                all.inlined[start..].reverse();
                start..end
            });
            all.samples.push((sample, sums, range.clone()));
        }
        keyed.check_texts()?;
        all.rows = (0..keyed.len()).map(|row| keyed.values(row)).collect();
        all.names = all.rows.iter().map(|values| printed(by, values).into()).collect();
        Ok(all)
    }

    /// Each sample with its stack.
    pub(super) fn samples(&self) -> impl Iterator<Item = (SampleId, Stack<'_>)> {
        self.samples.iter().map(|(sample, sums, range)| {
            let (path, inlined) = (&self.paths[range.clone()], &self.inlined[range.clone()]);
            (*sample, Stack { sums: *sums, path, lines: &[], inlined })
        })
    }

    /// The stacks.
    pub(super) fn stacks(&self) -> impl Iterator<Item = Stack<'_>> {
        self.samples().map(|(_, stack)| stack)
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
