//! Who calls whom, with values: callers and callees of functions, the tree of calls, stacks, labels.

mod graph;
mod list;
mod path;
pub mod tags;
pub mod traces;
mod tree;

pub use graph::{Edge, Function, graph, peek};
pub use list::{Listing, Source, list};
pub use tree::{Branch, Tree};

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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::{Input, InputFormat, Keep, NewSample, ProfileBuilder, SampleSpec};
    use crate::rules::RuleSet;
    use crate::view::fixture::all;
    use regex::Regex;

    /// Objects and bytes of stacks, leaf first. No two samples have the same labels.
    fn heap(samples: &[(&[&str], [i64; 2])]) -> (Profile, Names) {
        let mut builder = ProfileBuilder::new(Keep::default());
        let mut input = Input::new("heap", "heap", InputFormat::HeapDebug0);
        let types = [(&b"objects"[..], &b"count"[..]), (b"space", b"bytes")];
        input.header.sample_types =
            types.map(|(kind, unit)| builder.sample_type(kind, unit)).to_vec();
        input.header.default_type = input.header.sample_types.last().copied();
        let input = builder.input(input);
        for (at, (functions, values)) in samples.iter().enumerate() {
            let frames: Vec<_> =
                functions.iter().map(|name| builder.frame(name.as_bytes(), b"a.go", 7)).collect();
            let stack = builder.stack(&frames);
            let labels = builder.text_labels([(b"at".to_vec(), at.to_string().into_bytes())]);
            let spec = SampleSpec { labels, ..SampleSpec::new(input, stack) };
            builder.add_sample(&NewSample { spec, values, locations: 0, labels });
        }
        let profile = builder.finish();
        let names = RuleSet::default().apply(&profile).unwrap();
        (profile, names)
    }

    #[test]
    fn a_mean_is_of_all_samples_and_not_of_means() {
        // 100 bytes in 10 objects, 80 of them in 6 objects of `f`.
        let (profile, names) =
            heap(&[(&["f", "main"], [2, 20]), (&["f", "main"], [4, 60]), (&["main"], [4, 20])]);
        let value_options = &ValueOptions { mean: true, ..ValueOptions::default() };
        let (selection, by, order) = (&all(&profile), &[Key::Function][..], Order::Name);
        let (profile, names) = (&profile, &names);
        let subject = Subject { profile, names, selection, by, value_options, order };
        let tree = Tree::new(&subject).unwrap();
        let values = |of: Branch| (of.name, of.flat, of.cum);
        let expected = [("main".into(), 5, 10), ("f".into(), 13, 13)];
        assert_eq!(tree.branches().map(values).collect::<Vec<_>>(), expected);
        let mut functions: Vec<_> =
            graph(&subject).unwrap().0.into_iter().map(|of| (of.name, of.flat, of.cum)).collect();
        functions.reverse();
        assert_eq!(functions, expected);
        let lines = list(&subject, &Regex::new("^main$").unwrap());
        assert_eq!((lines[0].flat, lines[0].cum), (5, 10));
        // These are told apart by their labels.
        let stacks = traces::traces(&Subject { order: Order::Count, ..subject }).unwrap();
        assert_eq!(stacks.iter().map(|stack| stack.value).collect::<Vec<_>>(), [15, 10, 5]);
    }
}
