//! Counts the rows of a summary.

use super::{Row, Spread};
use crate::error::Result;
use crate::profile::{InputId, Profile, SampleKey, StackId, StrId, WaitRange, lossy};
use crate::rules::Names;
use crate::view::table::key::Key;
use crate::view::table::part::{Part, Parts};
use crate::view::table::row_index::RowIndex;
use foldhash::fast::FixedState;
use hashbrown::HashMap;
use std::hash::Hash;

/// Counts parts by their keys.
pub(super) struct Rows<'a> {
    profile: &'a Profile,
    names: &'a Names,
    by: &'a [Key],
    keyed: RowIndex<'a>,
    rows: Vec<Counts>,
    /// Whether each row is also counted by input.
    counts_inputs: bool,
}

/// The counts of a row. Parts come sorted by stack (see [`by_stack`]), so a row can count its distinct
/// stacks without a set of them; for rows of functions, those sets would have an entry for every frame
/// of every stack.
#[derive(Clone, Default)]
struct Counts {
    /// The turn of the part that was added last; 0 before any.
    last_turn: usize,
    total: i128,
    flat: i128,
    states: Runs<Option<StrId>>,
    stacks: usize,
    /// The stack of the last part, and how many goroutines have it so far.
    stack: Option<(StackId, i128)>,
    /// The most frequent of the stacks before.
    top: Option<(StackId, i128)>,
    waits: WaitRange,
    /// What the sum `flat` is divided by for its mean (`--mean`).
    flat_divisor: i128,
    /// What the sum `total` is divided by for its mean.
    total_divisor: i128,
    /// By input, if rows are also counted by input.
    inputs: Runs<InputId>,
}

/// Sums by key. While the same key is added again, it costs a comparison instead of a look-up.
#[derive(Clone)]
struct Runs<K> {
    current: Option<(K, i128)>,
    others: HashMap<K, i128, FixedState>,
}

impl<K> Default for Runs<K> {
    fn default() -> Self {
        Runs { current: None, others: HashMap::default() }
    }
}

impl<K: Copy + Eq + Hash> Runs<K> {
    fn add(&mut self, key: K, count: i128) {
        match &mut self.current {
            Some((current, sum)) if *current == key => *sum += count,
            current => {
                if let Some((key, sum)) = current.replace((key, count)) {
                    *self.others.entry(key).or_default() += sum;
                }
            }
        }
    }

    fn finish(mut self) -> impl Iterator<Item = (K, i128)> {
        // Most rows have a single key, for which no map is made: there may be a million rows.
        let only = self.current.take_if(|_| self.others.is_empty());
        if let Some((key, sum)) = self.current {
            *self.others.entry(key).or_default() += sum;
        }
        self.others.into_iter().chain(only)
    }
}

/// The more frequent of two stacks; of equally frequent ones the first by name, then by frames.
fn more_frequent(
    profile: &Profile,
    names: &Names,
    one: Option<(StackId, i128)>,
    other: Option<(StackId, i128)>,
) -> Option<(StackId, i128)> {
    let (Some(a), Some(b)) = (one, other) else { return one.or(other) };
    let frames = |stack| {
        let frames = profile.stack(stack).iter().map(|&frame| profile.frame(frame));
        frames.map(|frame| (profile.str(frame.func), profile.str(frame.file), frame.line))
    };
    let order = a.1.cmp(&b.1).then_with(|| {
        // Plain names do for this; distinct ones would have to be made first.
        names
            .shared_name(b.0)
            .cmp(names.shared_name(a.0))
            .then_with(|| frames(b.0).cmp(frames(a.0)))
    });
    if order.is_ge() { one } else { other }
}

impl Counts {
    /// Adds a part to this row; `is_leaf` says whether the row's function is the leaf of its stack. If a
    /// function is on a stack several times, its row gets the part several times, one after the other:
    /// it adds to the total once.
    fn add(&mut self, added: &Added<'_>, is_leaf: bool) {
        if is_leaf {
            self.flat += added.part.count;
            self.flat_divisor += added.divisor;
        }
        if std::mem::replace(&mut self.last_turn, added.turn) == added.turn {
            return;
        }
        self.total_divisor += added.divisor;
        self.total += added.part.count;
        self.waits.merge(&added.part.waits);
        self.states.add(added.key.state, added.part.count);
        if added.counts_inputs {
            self.inputs.add(added.key.input, added.part.count);
        }
        match &mut self.stack {
            Some((stack, count)) if *stack == added.key.stack => *count += added.part.count,
            stack => {
                // Parts come sorted by stack, so the one before is complete.
                let before = stack.replace((added.key.stack, added.part.count));
                self.stacks += 1;
                self.top = more_frequent(added.profile, added.names, self.top, before);
            }
        }
    }
}

/// A part, with what its rows need to count it.
struct Added<'a> {
    part: &'a Part,
    key: &'a SampleKey,
    /// What its value is divided by for a mean.
    divisor: i128,
    /// Its position in the order of stacks, from 1.
    turn: usize,
    counts_inputs: bool,
    profile: &'a Profile,
    names: &'a Names,
}

/// The numbers of parts (for [`Parts::get`]), sorted by stack. They are put into buckets: sorting them was
/// 3 % of the instructions for a debug=1 text of 3,000 stacks.
fn by_stack(profile: &Profile, parts: &Parts<'_>) -> Vec<u32> {
    let bucket = |part: &Part| profile.sample(part.sample).key.stack.index();
    // First the size of each bucket, then where its next part goes.
    let mut next: Vec<usize> = vec![0; profile.stack_count()];
    for part in parts.iter() {
        next[bucket(&part)] += 1;
    }
    let mut count = 0;
    for next in &mut next {
        count += std::mem::replace(next, count);
    }
    let mut numbers = vec![0; count];
    for (number, part) in parts.numbered() {
        let next = &mut next[bucket(&part)];
        numbers[*next] = number;
        *next += 1;
    }
    numbers
}

impl<'a> Rows<'a> {
    pub(super) fn new(
        profile: &'a Profile,
        names: &'a Names,
        by: &'a [Key],
        counts_inputs: bool,
    ) -> Rows<'a> {
        let keyed = RowIndex::new(profile, names, by);
        Rows { profile, names, by, keyed, rows: Vec::new(), counts_inputs }
    }

    /// Adds parts; `divisor` gives what a part's value is divided by for a mean.
    pub(super) fn add(&mut self, parts: &Parts<'_>, divisor: impl Fn(&Part) -> i128) {
        let Rows { profile, names, keyed, rows, counts_inputs, .. } = self;
        for (before, number) in by_stack(profile, parts).into_iter().enumerate() {
            let Some(part) = &parts.get(number) else { continue };
            let key = &profile.sample(part.sample).key;
            let shared = keyed.shared_values(part);
            let (divisor, turn) = (divisor(part), before + 1);
            let counts_inputs = *counts_inputs;
            let added = Added { part, key, divisor, turn, counts_inputs, profile, names };
            keyed.rows_from(shared, part, |row, leaf| {
                if row >= rows.len() {
                    rows.resize_with(row + 1, Counts::default);
                }
                rows[row].add(&added, leaf);
            });
        }
    }

    /// The rows.
    ///
    /// # Errors
    /// If the values of their keys are too long together.
    pub(super) fn finish(self) -> Result<Vec<Row>> {
        let Rows { profile, names, by, keyed, rows, .. } = self;
        keyed.check_texts()?;
        let of_frames = by.iter().any(Key::is_of_frames);
        // A function whose values cancel out (in deltas) gets no row, as in pprof.
        let is_row = |counts: &Counts| {
            counts.last_turn > 0 && !(of_frames && counts.flat == 0 && counts.total == 0)
        };
        let rows = rows.into_iter().enumerate().filter(|(_, counts)| is_row(counts));
        let rows = rows.map(|(id, counts)| {
            // Only goroutines have states.
            let states = counts.states.finish().filter(|_| profile.counts_goroutines());
            let mut states: Vec<(Option<String>, i128)> = states
                .map(|(state, count)| (state.map(|state| lossy(profile.str(state))), count))
                .collect();
            states.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
            let top = more_frequent(profile, names, counts.top, counts.stack);
            Row {
                keys: keyed.values(id),
                total: counts.total,
                flat: counts.flat,
                cum: if of_frames { counts.total } else { 0 },
                sum: 0,
                stacks: counts.stacks,
                states,
                waits: counts.waits,
                top_stack: top,
                top: None,
                spread: Spread::default(),
                by_input: counts.inputs.finish().collect(),
                flat_divisor: counts.flat_divisor,
                cum_divisor: counts.total_divisor,
            }
        });
        Ok(rows.collect())
    }
}

#[cfg(test)]
mod tests {
    use crate::rules::fixture::distinct_rules;
    use crate::view::fixture::{Fixture, G, all};
    use crate::view::table::Order;
    use crate::view::table::key::Key;
    use crate::view::table::summary::{Options, Row, summarize};
    use crate::view::values::options::ValueOptions;
    use proptest::prelude::*;

    type Stack = (Vec<&'static str>, i64);

    /// The rows of stacks by these keys, with all names made distinct before or not.
    fn rows(stacks: &[Stack], by: &str, tells_all: bool) -> Vec<Row> {
        let mut fixture = Fixture::new("n1");
        for (frames, count) in stacks {
            fixture.count(*count, G { frames, ..G::default() });
        }
        let (profile, _) = fixture.done();
        let names = distinct_rules().apply(&profile).unwrap();
        if tells_all {
            profile.stacks().for_each(|stack| _ = names.name(&profile, stack));
        }
        let options = Options {
            by: Key::list(by).unwrap(),
            order: Order::Count,
            limit: None,
            selecting: false,
            value_options: ValueOptions::default(),
            pivot: None,
        };
        summarize(&profile, &names, &all(&profile), &options).unwrap().rows
    }

    fn tops(rows: &[Row]) -> Vec<Option<(&str, i128)>> {
        rows.iter().map(|row| row.top.as_ref().map(|(name, count)| (&**name, *count))).collect()
    }

    #[test]
    fn the_top_is_one_stack_under_a_name_of_its_own() {
        let stacks = [
            (vec!["a.lock f.go:1", "a.get f.go:2"], 3),
            (vec!["a.lock f.go:1", "a.put f.go:3"], 4),
            (vec!["a.read f.go:1"], 4),
        ];
        let rows = rows(&stacks, "category", false);
        assert_eq!(tops(&rows), [Some(("a.put → a.lock", 4))], "by what rules call it: a.lock");
        assert_eq!(rows[0].stacks, 3);
    }

    const FRAMES: [&str; 5] =
        ["a.f a.go:1", "a.f a.go:2", "a.g a.go:1", "b.f b.go:1", "b.g b.go:1"];

    proptest! {
        #[test]
        fn a_row_is_the_same_whichever_stack_came_first_and_whatever_names_were_made_before(
            stacks in prop::collection::vec(
                (prop::collection::vec(prop::sample::select(&FRAMES[..]), 0..5), -3..6i64),
                1..16,
            ),
            by in prop::sample::select(&["category", "state", "function", "category,input"][..]),
        ) {
            let few = rows(&stacks, by, false);
            let all = rows(&stacks, by, true);
            prop_assert_eq!(tops(&few), tops(&all));
            let mut reversed = stacks;
            reversed.reverse();
            let reversed = rows(&reversed, by, false);
            prop_assert_eq!(tops(&few), tops(&reversed));
        }
    }
}
