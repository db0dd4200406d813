//! Groups: goroutines of one input with one stack, state, flags, labels and creator, sorted as every
//! document shows them.

pub mod ids;
pub mod order;
pub mod presence;

use crate::filter::Selection;
use crate::profile::{
    Elision, FlagsId, FrameId, InputId, Kind, LabelsId, Profile, SampleId, StackId, StrId,
    WaitRange,
};
use crate::rules::Names;
use ids::StackHash;
use order::Order;
use std::ops::Range;

/// Selected goroutines of one input that differ only in their ids and waits.
#[derive(Clone, PartialEq, Debug)]
pub struct Group {
    /// Their input.
    pub input: InputId,
    /// Their stack.
    pub stack: StackId,
    /// Their state; `None` if the input doesn't print it.
    pub state: Option<StrId>,
    /// Their state made comparable across Go versions.
    pub kind: Kind,
    /// Their flags.
    pub flags: FlagsId,
    /// Their labels, without those of the input's path.
    pub labels: LabelsId,
    /// The `go` statement that created them.
    pub creator: Option<FrameId>,
    /// The largest gap that Go left in their stacks.
    pub elided: Option<Elision>,
    /// How many they are; negative in delta profiles.
    pub count: i128,
    /// Their waits, as far as they are known.
    pub waits: WaitRange,
    /// The sums of all values, one for each of [`Profile::sample_types`], in profiles that don't count
    /// goroutines; empty in those that do.
    pub values: Vec<i128>,
    /// The first of their samples in the input.
    pub first: SampleId,
    members: Range<usize>,
}

impl Group {
    /// How many of them have no id, as the input only counts them.
    pub fn only_counted(&self) -> i128 {
        self.count - self.members.len() as i128
    }
}

/// All selected groups, by category, name and id of the stack, input, state, flags, labels, creator.
#[derive(Clone, Debug, Default)]
pub struct Groups {
    /// The groups in order.
    pub list: Vec<Group>,
    /// Positions in [`Profile::goroutines`], group by group, by goroutine id.
    goroutines: Vec<u32>,
    /// Ids of the stacks, by [`StackId`]; only those of selected stacks are filled in.
    ids: Vec<StackHash>,
}

impl Groups {
    /// Groups the selected samples. Sorts samples, not goroutines: those only go into buckets.
    pub fn new(profile: &Profile, names: &Names, selection: &Selection) -> Groups {
        let types = if profile.counts_goroutines() { 0 } else { profile.sample_types().len() };
        // A sample whose selected value is 0 may have a value of another type.
        let is_there = |&id: &SampleId| {
            selection.count(id) != 0
                || types > 1 && selection.has(id) && counts_something(profile, id)
        };
        let mut samples: Vec<SampleId> =
            profile.samples().map(|(id, _)| id).filter(is_there).collect();
        let ids = stack_ids(profile, &samples);
        let order = Order::new(profile, names, &samples, &ids);
        // The sort is stable: samples of one group stay in the order of the input.
        samples.sort_by_cached_key(|&sample| order.of(profile, sample));

        let mut list: Vec<Group> = Vec::new();
        let mut group_of_sample = vec![u32::MAX; profile.samples.len()];
        let mut last = None;
        for &id in &samples {
            let sample = profile.sample(id);
            let key = &sample.key;
            let place = order.of(profile, id);
            if last != Some(place) {
                last = Some(place);
                list.push(Group {
                    input: key.input,
                    stack: key.stack,
                    state: key.state,
                    kind: key.kind,
                    flags: key.flags,
                    labels: key.labels,
                    creator: key.creator,
                    elided: None,
                    count: 0,
                    waits: WaitRange::default(),
                    values: vec![0; types],
                    first: id,
                    members: 0..0,
                });
            }
            let at = list.len() - 1;
            let group = &mut list[at];
            group.count += i128::from(selection.count(id));
            if types > 0 {
                let of_input = profile.types_of(key.input).iter();
                for (of, &value) in of_input.zip(profile.values(id)) {
                    group.values[of.index()] += i128::from(value);
                }
            }
            group.elided = larger(group.elided, key.elided);
            if group.kind == Kind::Unknown {
                group.kind = key.kind;
            }
            if selection.count(id) == sample.count {
                group.waits.merge(&sample.waits);
            }
            group_of_sample[id.index()] = at as u32;
        }
        let goroutines = bucket(profile, selection, &mut list, &group_of_sample);
        Groups { list, goroutines, ids }
    }

    /// Positions in [`Profile::goroutines`] of a group's goroutines, by id; empty for groups of
    /// formats that only count.
    pub fn goroutines(&self, group: &Group) -> &[u32] {
        &self.goroutines[group.members.clone()]
    }

    /// The id of a selected stack.
    pub fn id(&self, stack: StackId) -> StackHash {
        self.ids[stack.index()]
    }
}

/// Whether any value of a sample isn't 0, and its input has the selected sample type.
fn counts_something(profile: &Profile, sample: SampleId) -> bool {
    let input = profile.sample(sample).key.input;
    profile.value_type().is_some_and(|of| profile.has_type(input, of))
        && profile.values(sample).iter().any(|&value| value != 0)
}

/// Puts selected goroutines into the buckets of their groups and sorts each bucket by id.
fn bucket(
    profile: &Profile,
    selection: &Selection,
    groups: &mut [Group],
    group_of_sample: &[u32],
) -> Vec<u32> {
    let selected = || {
        profile.goroutines.iter().enumerate().filter_map(|(at, goroutine)| {
            let group = group_of_sample[goroutine.sample.index()];
            let taken = group != u32::MAX && selection.has_goroutine(profile, at);
            taken.then_some((at, goroutine, group as usize))
        })
    };
    for (_, goroutine, group) in selected() {
        groups[group].members.end += 1;
        // The waits of samples that are selected as a whole have been added already.
        if selection.count(goroutine.sample) != profile.sample(goroutine.sample).count {
            groups[group].waits.add(goroutine.wait, goroutine.id);
        }
    }
    let mut next = 0;
    for group in &mut *groups {
        let size = group.members.len();
        group.members = next..next;
        next += size;
    }
    let mut goroutines = vec![0; next];
    for (at, _, group) in selected() {
        let members = &mut groups[group].members;
        goroutines[members.end] = at as u32;
        members.end += 1;
    }
    for group in groups {
        goroutines[group.members.clone()]
            .sort_unstable_by_key(|&at| (profile.goroutines[at as usize].id, at));
    }
    goroutines
}

/// The larger of two gaps; a gap of unknown size is larger than none.
pub(crate) fn larger(a: Option<Elision>, b: Option<Elision>) -> Option<Elision> {
    match (a, b) {
        (Some(x), Some(y)) => Some(if y.count > x.count { y } else { x }),
        (x, y) => x.or(y),
    }
}

fn stack_ids(profile: &Profile, samples: &[SampleId]) -> Vec<StackHash> {
    let mut ids = vec![StackHash::default(); profile.stack_count()];
    let mut done = vec![false; profile.stack_count()];
    for &sample in samples {
        let stack = profile.sample(sample).key.stack;
        if !std::mem::replace(&mut done[stack.index()], true) {
            ids[stack.index()] = ids::id(profile, stack);
        }
    }
    ids
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::filter::Filter;
    use crate::profile::{
        Input, InputFormat, Keep, Label, LabelValue, NewGoroutine, ProfileBuilder, SampleSpec, Wait,
    };
    use crate::rules::RuleSet;

    /// Builds samples that differ in exactly the fields that a test chooses.
    struct Maker {
        builder: ProfileBuilder,
        spec: SampleSpec,
    }

    impl Maker {
        fn new() -> Maker {
            let mut builder = ProfileBuilder::new(Keep { goroutines: true, ..Keep::default() });
            let input = builder.input(Input::new("n1", "n1.txt", InputFormat::Debug2));
            let frame = builder.frame(b"main.work", b"main.go", 9);
            let stack = builder.stack(&[frame]);
            let state = Some(builder.string(b"select"));
            let spec = SampleSpec { state, ..SampleSpec::new(input, stack) };
            Maker { builder, spec }
        }

        fn add(&mut self, spec: &SampleSpec, goroutines: &[(u64, f32)]) {
            let sample = self.builder.sample(spec);
            for &(id, minutes) in goroutines {
                let wait = Wait::minutes(minutes);
                let new = NewGoroutine { id, created_by: None, wait };
                self.builder.goroutine(sample, &new);
            }
        }

        fn groups(self) -> (Profile, Groups) {
            let profile = self.builder.finish();
            let names = RuleSet::default().apply(&profile).unwrap();
            let selection = Filter::default().select(&profile, &names);
            let groups = Groups::new(&profile, &names, &selection);
            (profile, groups)
        }
    }

    fn ids(profile: &Profile, groups: &Groups, at: usize) -> Vec<u64> {
        let members = groups.goroutines(&groups.list[at]);
        members.iter().map(|&at| profile.goroutines[at as usize].id).collect()
    }

    #[test]
    fn samples_that_only_differ_in_hidden_or_elided_frames_are_one_group() {
        let mut maker = Maker::new();
        let spec = maker.spec;
        let gopark = maker.builder.frame(b"runtime.gopark", b"proc.go", 1);
        let frames: Vec<FrameId> = maker.builder.profile().stack(spec.stack).to_vec();
        let full = maker.builder.stack(&[&[gopark], frames.as_slice()].concat());
        maker.add(&spec, &[(30, 5.0), (4, 1.0)]);
        maker.add(&SampleSpec { full, ..spec }, &[(11, 9.0)]);
        let elided = Some(Elision { after: 50, count: Some(23) });
        maker.add(&SampleSpec { elided, ..spec }, &[(7, 0.0)]);
        let (profile, groups) = maker.groups();
        assert_eq!(groups.list.len(), 1);
        assert_eq!(groups.list[0].count, 4);
        assert_eq!(groups.list[0].elided, elided);
        assert_eq!(groups.list[0].waits.range(), Some((0.0, 9.0)));
        assert_eq!(ids(&profile, &groups, 0), [4, 7, 11, 30]);
    }

    #[test]
    fn groups_are_sorted_by_input_state_flags_labels_and_creator() {
        let mut maker = Maker::new();
        let spec = maker.spec;
        let n10 = maker.builder.input(Input::new("n10", "n10.txt", InputFormat::Debug2));
        let n2 = maker.builder.input(Input::new("n2", "n2.txt", InputFormat::Debug2));
        let state = Some(maker.builder.string(b"running"));
        let locked = maker.builder.string(b"locked to thread");
        let flags = maker.builder.flags(&mut vec![locked]);
        let key = maker.builder.string(b"k");
        let value = LabelValue::Text(maker.builder.string(b"v"));
        let labels = maker.builder.labels(&mut [Label { key, value }]);
        let creator = Some(maker.builder.frame(b"main.start", b"main.go", 3));
        for (id, spec) in [
            (1, SampleSpec { input: n10, ..spec }),
            (2, SampleSpec { input: n2, ..spec }),
            (3, SampleSpec { creator, ..spec }),
            (4, SampleSpec { labels, ..spec }),
            (5, SampleSpec { flags, ..spec }),
            (6, spec),
            (7, SampleSpec { state, ..spec }),
        ] {
            maker.add(&spec, &[(id, 0.0)]);
        }
        let (profile, groups) = maker.groups();
        let order: Vec<u64> =
            (0..groups.list.len()).flat_map(|at| ids(&profile, &groups, at)).collect();
        assert_eq!(order, [7, 6, 3, 4, 5, 2, 1]);
    }

    #[test]
    fn a_number_and_a_text_that_looks_like_it_are_two_groups() {
        let mut maker = Maker::new();
        let spec = maker.spec;
        let key = maker.builder.string(b"k");
        let text = LabelValue::Text(maker.builder.string(b"3"));
        let number = LabelValue::Number(3, StrId::EMPTY);
        for (id, value) in [(1, number), (2, text)] {
            let labels = maker.builder.labels(&mut [Label { key, value }]);
            maker.add(&SampleSpec { labels, ..spec }, &[(id, 0.0)]);
        }
        let (profile, groups) = maker.groups();
        assert_eq!((ids(&profile, &groups, 0), ids(&profile, &groups, 1)), (vec![2], vec![1]));
    }

    #[test]
    fn a_selection_of_single_goroutines_counts_and_waits_for_those_only() {
        let mut maker = Maker::new();
        let spec = maker.spec;
        maker.add(&spec, &[(1, 5.0), (2, 7.0), (3, 9.0)]);
        let profile = maker.builder.finish();
        let names = RuleSet::default().apply(&profile).unwrap();
        let selection = Selection {
            counts: vec![2],
            goroutines: Some(vec![true, true, false]),
            unknown_wait: 0,
            samples: None,
        };
        let groups = Groups::new(&profile, &names, &selection);
        assert_eq!(groups.list[0].count, 2);
        assert_eq!(groups.list[0].waits.range(), Some((5.0, 7.0)));
        assert_eq!(ids(&profile, &groups, 0), [1, 2]);
    }

    #[test]
    fn goroutines_that_are_only_counted_have_no_members() {
        let mut maker = Maker::new();
        let spec = maker.spec;
        let sample = maker.builder.sample(&spec);
        maker.builder.count(sample, 12);
        maker.add(&spec, &[(5, 1.0)]);
        let (profile, groups) = maker.groups();
        assert_eq!(groups.list[0].count, 13);
        assert_eq!(groups.list[0].only_counted(), 12);
        assert_eq!(ids(&profile, &groups, 0), [5]);
    }

    #[test]
    fn counts_beyond_64_bits_are_added_up() {
        let mut maker = Maker::new();
        let spec = maker.spec;
        let sample = maker.builder.sample(&spec);
        maker.builder.count(sample, i64::MAX);
        let elided = Some(Elision { after: 1, count: None });
        let other = maker.builder.sample(&SampleSpec { elided, ..spec });
        maker.builder.count(other, i64::MAX);
        let (_, groups) = maker.groups();
        assert_eq!(groups.list[0].count, 2 * i128::from(i64::MAX));
    }
}
