//! Paths: the frames of a sample from the root to the leaf, as numbers of rows.

use crate::filter::Selection;
use crate::profile::{Profile, SampleId};
use crate::rules::Names;
use crate::view::key::Key;
use crate::view::keyed::Keyed;
use crate::view::part::{self, Part};

/// A frame on the way.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Step {
    pub(super) row: usize,
    /// Whether it was inlined into the frame before it.
    pub(super) inlined: bool,
}

/// Makes paths.
pub(super) struct Paths<'a> {
    profile: &'a Profile,
    keyed: Keyed<'a>,
}

impl<'a> Paths<'a> {
    pub(super) fn new(profile: &'a Profile, names: &'a Names, by: &'a [Key]) -> Paths<'a> {
        Paths { profile, keyed: Keyed::new(profile, names, by) }
    }

    /// The path of a part.
    pub(super) fn of(&mut self, part: &Part) -> Vec<Step> {
        let mut inlined = inlined(self.profile, part.sample).into_iter();
        let mut path = Vec::new();
        self.keyed.rows_of(part, |row, _| {
            path.push(Step { row, inlined: inlined.next().unwrap_or(false) });
        });
        path.reverse();
        path
    }

    /// What the frames of a row are called.
    pub(super) fn name(&self, row: usize) -> String {
        super::printed(&self.keyed.values(row))
    }
}

/// What is selected.
pub(super) fn parts(profile: &Profile, selection: &Selection) -> Vec<Part> {
    part::selected(profile, selection)
}

/// By frame, leaf first: whether it was inlined into its caller.
pub(super) fn inlined(profile: &Profile, sample: SampleId) -> Vec<bool> {
    let locations = profile.sample_locations(sample).iter();
    let flags = locations.flat_map(|&location| {
        let last = profile.lines(location).len().max(1) - 1;
        (0..=last).map(move |at| at != last)
    });
    flags.collect()
}
