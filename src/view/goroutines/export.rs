//! The whole model: categories, their stacks, the inputs of each stack, groups, goroutines.

use super::arguments::SharedPointers;
use crate::filter::Selection;
use crate::group::ids::{Shapes, StackHash};
use crate::group::{Group, Groups};
use crate::profile::{
    Elision, Goroutine, InputId, Profile, StackId, StrId, WaitRange, WarningKind,
};
use crate::rules::Names;
use crate::view::table::Order;
use crate::view::table::part::{Selected, count_stacks};
use std::cmp::Reverse;
use std::ops::Range;

/// The selected part of a profile, sorted as documents show it.
#[derive(Clone, Debug)]
pub struct Export<'a> {
    /// The tables that all ids refer to.
    pub profile: &'a Profile,
    /// The names of its frames and stacks.
    pub names: &'a Names,
    /// Totals of all goroutines.
    pub facts: Facts,
    /// By name.
    pub categories: Vec<Category<'a>>,
    /// How much was selected.
    pub selected: Selected,
    /// Pointers that several goroutines have as arguments, if arguments were kept.
    pub shared: SharedPointers,
    groups: Groups,
}

/// Totals of a set of goroutines.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Facts {
    /// How many there are.
    pub total: i128,
    /// How many are in each state, by name; those of unknown state first.
    pub states: Vec<(Option<StrId>, i128)>,
    /// Their waits, as far as they are known.
    pub waits: WaitRange,
}

/// The stacks of one category.
#[derive(Clone, PartialEq, Debug)]
pub struct Category<'a> {
    /// Its name.
    pub name: &'a [u8],
    /// Totals of its goroutines.
    pub facts: Facts,
    /// By name, then by id.
    pub stacks: Vec<Stack<'a>>,
}

/// One stack and its goroutines.
#[derive(Clone, PartialEq, Debug)]
pub struct Stack<'a> {
    /// Its frames in the profile.
    pub stack: StackId,
    /// Its id: equal frames have equal ids, everywhere.
    pub id: StackHash,
    /// Its shape: equal for the same code in different builds.
    pub shape: StackHash,
    /// Its name: what it is doing.
    pub name: &'a [u8],
    /// Totals of its goroutines.
    pub facts: Facts,
    /// The largest gap that Go left in it.
    pub elided: Option<Elision>,
    /// By name of the input, naturally.
    pub inputs: Vec<StackInput>,
}

/// The goroutines of one input in one stack.
#[derive(Clone, PartialEq, Debug)]
pub struct StackInput {
    /// The input.
    pub input: InputId,
    /// How many they are.
    pub total: i128,
    groups: Range<usize>,
}

impl<'a> Export<'a> {
    /// The selected part of a profile.
    pub fn new(profile: &'a Profile, names: &'a Names, selection: &Selection) -> Export<'a> {
        let groups = Groups::new(profile, names, selection);
        let mut categories: Vec<Category<'a>> = Vec::new();
        let mut shapes = Shapes::new(profile);
        for (at, group) in groups.list.iter().enumerate() {
            let name = names.category(group.stack);
            if categories.last().is_none_or(|category| category.name != name) {
                categories.push(Category { name, facts: Facts::default(), stacks: Vec::new() });
            }
            let Some(category) = categories.last_mut() else { continue };
            add(category, at, group, |stack| Stack {
                stack,
                id: groups.id(stack),
                shape: shapes.of(stack),
                name: names.name(profile, stack),
                facts: Facts::default(),
                elided: None,
                inputs: Vec::new(),
            });
        }
        let mut facts = Facts::default();
        for category in &mut categories {
            for stack in &mut category.stacks {
                stack.facts.sort(profile);
                category.facts.merge(&stack.facts);
            }
            category.facts.sort(profile);
            facts.merge(&category.facts);
        }
        facts.sort(profile);
        let selected = Selected {
            goroutines: facts.total,
            of: profile.samples.iter().map(|sample| i128::from(sample.count)).sum(),
            stacks: categories.iter().map(Category::counted_stacks).sum(),
            of_stacks: count_stacks(profile),
            unknown_wait: selection.unknown_wait,
        };
        let shared = SharedPointers::of(profile, selection);
        Export { profile, names, facts, categories, selected, shared, groups }
    }

    /// The groups of an input in a stack: by state, flags, labels, creator.
    pub fn groups(&self, input: &StackInput) -> &[Group] {
        &self.groups.list[input.groups.clone()]
    }

    /// Positions in [`Profile::goroutines`] of a group's goroutines, by id; empty for groups of
    /// formats that only count.
    pub fn goroutines(&self, group: &Group) -> &[u32] {
        self.groups.goroutines(group)
    }

    /// The goroutine at one of these positions.
    pub fn goroutine(&self, at: u32) -> &Goroutine {
        &self.profile.goroutines[at as usize]
    }

    /// Every group, with its stack and the category of that.
    pub fn all_groups(&self) -> impl Iterator<Item = (&Category<'a>, &Stack<'a>, &Group)> {
        self.all_stacks().flat_map(|(category, stack)| {
            let groups = stack.inputs.iter().flat_map(|input| self.groups(input));
            groups.map(move |group| (category, stack, group))
        })
    }

    /// Every stack with its category: by category, name and id.
    pub fn all_stacks(&self) -> impl Iterator<Item = (&Category<'a>, &Stack<'a>)> {
        self.categories
            .iter()
            .flat_map(|category| category.stacks.iter().map(move |stack| (category, stack)))
    }

    /// The stacks, each with its category, in an order. Of those that wait equally long the larger ones
    /// come first; equal ones are in the order of [`Export::all_stacks`].
    pub fn stacks(&self, order: Order) -> Vec<(&Category<'a>, &Stack<'a>)> {
        let mut stacks: Vec<_> = self.all_stacks().collect();
        let size = |stack: &Stack<'_>| Reverse(stack.facts.total.unsigned_abs());
        match order {
            Order::Count | Order::Cum => stacks.sort_by_key(|(_, stack)| size(stack)),
            Order::Name => {}
            Order::Wait => stacks.sort_by(|(_, a), (_, b)| {
                let waited = a.facts.waits.longest_first(&b.facts.waits);
                waited.then_with(|| size(a).cmp(&size(b)))
            }),
        }
        stacks
    }
}

impl Category<'_> {
    /// Stacks with a count other than 0 of the selected sample type: they can have a value of another
    /// type, and a difference can be 0.
    fn counted_stacks(&self) -> usize {
        self.stacks.iter().filter(|stack| stack.facts.total != 0).count()
    }
}

/// Adds the group at `at` to its category; groups come in order.
fn add<'a>(
    category: &mut Category<'a>,
    at: usize,
    group: &Group,
    new: impl FnOnce(StackId) -> Stack<'a>,
) {
    if category.stacks.last().is_none_or(|stack| stack.stack != group.stack) {
        category.stacks.push(new(group.stack));
    }
    let Some(stack) = category.stacks.last_mut() else { return };
    if stack.inputs.last().is_none_or(|input| input.input != group.input) {
        stack.inputs.push(StackInput { input: group.input, total: 0, groups: at..at });
    }
    let Some(input) = stack.inputs.last_mut() else { return };
    input.groups.end = at + 1;
    input.total += group.count;
    stack.elided = crate::group::larger(stack.elided, group.elided);
    stack.facts.merge(&Facts {
        total: group.count,
        // Values that aren't numbers of goroutines have no states.
        states: if group.values.is_empty() { vec![(group.state, group.count)] } else { Vec::new() },
        waits: group.waits,
    });
}

impl Facts {
    fn merge(&mut self, other: &Facts) {
        self.total += other.total;
        self.states.extend_from_slice(&other.states);
        self.waits.merge(&other.waits);
    }

    /// Merges equal states.
    fn sort(&mut self, profile: &Profile) {
        self.states.sort_by_key(|(state, _)| state.map(|state| profile.str(state)));
        self.states.dedup_by(|next, kept| {
            let same = next.0 == kept.0;
            if same {
                kept.1 += next.1;
            }
            same
        });
    }
}

/// Notes, on the first input, that sums don't fit into the 64 bits that documents have for them.
pub fn note_large_sums(profile: &mut Profile) {
    let size = |sample: &crate::profile::Sample| i128::from(sample.count).abs();
    let sum: i128 = profile.samples.iter().map(size).sum();
    if sum > i64::MAX.into()
        && let Some(input) = profile.inputs.first_mut()
    {
        let text =
            "sums may be larger than 64 bits can hold and are then shown as the largest number";
        input.warn(WarningKind::Note, None, text);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::fixture::{Fixture, G, all};

    #[test]
    fn stacks_are_sorted_by_size_by_name_and_by_wait_with_the_unknown_last() {
        let mut fixture = Fixture::new("n1");
        for (id, frame, minutes) in
            [(1, "main.c", 0.0), (2, "main.b", 9.0), (3, "main.a", -1.0), (4, "main.c", 0.0)]
        {
            fixture.add(G { id, frames: &[frame], minutes, ..G::default() });
        }
        let (profile, names) = fixture.done();
        let export = Export::new(&profile, &names, &all(&profile));
        let sorted = |order| {
            let stacks = export.stacks(order).into_iter();
            stacks
                .map(|(_, stack)| String::from_utf8_lossy(stack.name))
                .collect::<Vec<_>>()
                .join(" ")
        };
        assert_eq!(sorted(Order::Count), "main.c main.a main.b");
        assert_eq!(sorted(Order::Name), "main.a main.b main.c");
        assert_eq!(sorted(Order::Wait), "main.b main.c main.a");
    }

    #[test]
    fn of_stacks_that_wait_equally_long_the_larger_comes_first() {
        let mut fixture = Fixture::new("n1");
        for (id, frame) in [(1, "main.c"), (2, "main.b"), (3, "main.b"), (4, "main.a")] {
            fixture.add(G { id, frames: &[frame], minutes: 5.0, ..G::default() });
        }
        let (profile, names) = fixture.done();
        let export = Export::new(&profile, &names, &all(&profile));
        let stacks = export.stacks(Order::Wait).into_iter();
        let names: Vec<_> = stacks.map(|(_, stack)| stack.name).collect();
        assert_eq!(names, [b"main.b", b"main.a", b"main.c"]);
    }
}
