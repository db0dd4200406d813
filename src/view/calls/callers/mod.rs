//! Who calls whom, with values: callers and callees of functions, the tree of calls, stacks, labels.

mod graph;
mod list;
mod path;
pub mod tags;
pub mod traces;
mod tree;

pub use graph::{Edge, Function, graph, peek};
pub use list::{Listing, Source, list};
pub use tree::{Branch, tree};

use crate::filter::Selection;
use crate::profile::{Profile, SampleId};
use crate::rules::Names;
use crate::view::table::Order;
use crate::view::table::key::Key;
use crate::view::values::equal::EqualSamples;
use crate::view::values::options::{ValueOptions, divisor};
use crate::view::values::sums::Sums;

/// The input of these views, and their options.
#[derive(Clone, Copy, Debug)]
pub struct Subject<'a> {
    /// The profile.
    pub profile: &'a Profile,
    /// The names of its stacks.
    pub names: &'a Names,
    /// The selected samples.
    pub selection: &'a Selection,
    /// The keys that make frames rows.
    pub by: &'a [Key],
    /// How values are counted, cut and written.
    pub value_options: &'a ValueOptions,
    /// The order of rows.
    pub order: Order,
}

impl Subject<'_> {
    /// Every sample that counts, with its sums. Equal samples of several inputs are one.
    fn samples(&self) -> Vec<(SampleId, Sums)> {
        let Subject { profile, selection, value_options, .. } = *self;
        let mut samples: Vec<(SampleId, Sums)> = Vec::new();
        let mut equal = (profile.inputs.len() > 1).then(EqualSamples::default);
        for (sample, _) in profile.samples().filter(|(sample, _)| selection.has(*sample)) {
            let value = i128::from(selection.count(sample));
            let divisor = if value_options.mean { divisor(profile, sample) } else { 0 };
            let added = Sums { value, divisor, base: 0 };
            let at = match &mut equal {
                Some(equal) => equal.number(profile, sample),
                None => samples.len(),
            };
            match samples.get_mut(at) {
                Some((_, sums)) => *sums += added,
                None => samples.push((sample, added)),
            }
        }
        samples.retain(|(_, sums)| *sums != Sums::default());
        samples
    }
}

/// The keys that make frames rows: functions, unless others were requested.
pub fn functions(by: Option<Vec<Key>>) -> Vec<Key> {
    by.unwrap_or_else(|| vec![Key::Function])
}
