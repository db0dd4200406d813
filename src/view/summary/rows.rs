//! Rows in the making.

use super::Row;
use crate::profile::{Profile, SampleKey, StackId, StrId, WaitRange};
use crate::rules::Names;
use crate::view::key::Key;
use crate::view::keyed::Keyed;
use crate::view::part::{Part, Parts};
use foldhash::fast::FixedState;
use hashbrown::HashMap;
use std::hash::Hash;

/// Counts parts by their keys.
pub(super) struct Rows<'a> {
    profile: &'a Profile,
    names: &'a Names,
    by: &'a [Key],
    keyed: Keyed<'a>,
    rows: Vec<Counts>,
}

/// What is counted in a row. Parts come stack by stack and name by name, see [`Rows::add`], so that
/// a row needn't remember its stacks: with rows of functions those would be as many as there are
/// frames.
#[derive(Clone, Default)]
struct Counts {
    /// The number of the part that was added last; 0 for none.
    part: usize,
    total: i128,
    flat: i128,
    states: Runs<Option<StrId>>,
    stacks: usize,
    stack: Option<StackId>,
    /// The name of the stacks at hand, and how many have it.
    name: Option<(StrId, i128)>,
    /// The most frequent of the names before.
    top: Option<(StrId, i128)>,
    waits: WaitRange,
    divisors: (i128, i128),
}

/// Sums by key. One that comes again and again costs a comparison.
#[derive(Clone, Default)]
struct Runs<K> {
    now: Option<(K, i128)>,
    before: HashMap<K, i128, FixedState>,
}

impl<K: Copy + Eq + Hash> Runs<K> {
    fn add(&mut self, key: K, count: i128) {
        match &mut self.now {
            Some((now, sum)) if *now == key => *sum += count,
            now => {
                if let Some((key, sum)) = now.replace((key, count)) {
                    *self.before.entry(key).or_default() += sum;
                }
            }
        }
    }

    fn finish(mut self) -> impl Iterator<Item = (K, i128)> {
        if let Some((key, sum)) = self.now {
            *self.before.entry(key).or_default() += sum;
        }
        self.before.into_iter()
    }
}

/// The more frequent of two names, the first in the alphabet of equally frequent ones.
fn more_frequent(
    names: &Names,
    one: Option<(StrId, i128)>,
    other: Option<(StrId, i128)>,
) -> Option<(StrId, i128)> {
    let (Some(a), Some(b)) = (one, other) else { return one.or(other) };
    let order = a.1.cmp(&b.1).then_with(|| names.text(b.0).cmp(names.text(a.0)));
    if order.is_ge() { one } else { other }
}

impl Counts {
    /// Adds a part, once however often it leads here: a function that calls itself still counts
    /// its goroutine once.
    fn add(&mut self, of: &Added<'_>, leaf: bool) {
        if leaf {
            self.flat += of.part.count;
            self.divisors.0 += of.divisor;
        }
        if std::mem::replace(&mut self.part, of.number) == of.number {
            return;
        }
        self.divisors.1 += of.divisor;
        self.total += of.part.count;
        self.waits.merge(&of.part.waits);
        self.states.add(of.key.state, of.part.count);
        if self.stack.replace(of.key.stack) != Some(of.key.stack) {
            self.stacks += 1;
        }
        match &mut self.name {
            Some((name, count)) if *name == of.name => *count += of.part.count,
            name => {
                let before = name.replace((of.name, of.part.count));
                self.top = more_frequent(of.names, self.top, before);
            }
        }
    }
}

/// A part on its way into rows.
struct Added<'a> {
    part: &'a Part,
    key: &'a SampleKey,
    name: StrId,
    /// What a mean is divided by.
    divisor: i128,
    number: usize,
    names: &'a Names,
}

/// Where a part stands among all, by its fields in this order.
struct Place {
    own: u32,
    name: StrId,
    stack: StackId,
    at: u32,
}

impl Place {
    /// One number is sorted several times faster than four.
    fn packed(&self) -> u128 {
        [self.own, self.name.0, self.stack.0, self.at]
            .into_iter()
            .fold(0, |packed, field| packed << 32 | u128::from(field))
    }

    fn of_packed(packed: u128) -> Place {
        let [own, name, stack, at] = [96, 64, 32, 0].map(|shift| (packed >> shift) as u32);
        Place { own, name: StrId(name), stack: StackId(stack), at }
    }
}

impl<'a> Rows<'a> {
    pub(super) fn new(profile: &'a Profile, names: &'a Names, by: &'a [Key]) -> Rows<'a> {
        let keyed = Keyed::new(profile, names, by);
        Rows { profile, names, by, keyed, rows: Vec::new() }
    }

    /// Adds parts; `divisor` tells what a mean of each is divided by.
    pub(super) fn add(&mut self, parts: &Parts<'_>, divisor: impl Fn(&Part) -> i128) {
        let Rows { profile, names, keyed, rows, .. } = self;
        let places = parts.numbered().map(|(at, part)| {
            let stack = profile.sample(part.sample).key.stack;
            Place { own: keyed.own_values(&part), name: names.name_id(stack), stack, at }.packed()
        });
        let mut order: Vec<u128> = places.collect();
        order.sort_unstable();
        for (number, place) in order.into_iter().map(Place::of_packed).enumerate() {
            let Place { own, name, at, .. } = place;
            let Some(part) = &parts.get(at) else { continue };
            let key = &profile.sample(part.sample).key;
            let added =
                Added { part, key, name, divisor: divisor(part), number: number + 1, names };
            keyed.rows_from(own, part, |row, leaf| {
                if row >= rows.len() {
                    rows.resize_with(row + 1, Counts::default);
                }
                rows[row].add(&added, leaf);
            });
        }
    }

    pub(super) fn finish(self) -> Vec<Row> {
        let Rows { profile, names, by, keyed, rows } = self;
        let lossy = |text: &[u8]| String::from_utf8_lossy(text).into_owned();
        let of_frames = by.iter().any(Key::is_of_frames);
        // What nothing is left of (deltas) is no row of functions, as in pprof.
        let is_row = |counts: &Counts| {
            counts.part > 0 && !(of_frames && counts.flat == 0 && counts.total == 0)
        };
        let rows = rows.into_iter().enumerate().filter(|(_, counts)| is_row(counts));
        rows.map(|(id, counts)| {
            // Only goroutines have states.
            let states = counts.states.finish().filter(|_| profile.counts_goroutines());
            let mut states: Vec<(Option<String>, i128)> = states
                .map(|(state, count)| (state.map(|state| lossy(profile.str(state))), count))
                .collect();
            states.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
            let top = more_frequent(names, counts.top, counts.name);
            Row {
                keys: keyed.values(id),
                total: counts.total,
                flat: counts.flat,
                cum: if of_frames { counts.total } else { 0 },
                sum: 0,
                stacks: counts.stacks,
                states,
                waits: counts.waits,
                top: top.map(|(name, count)| (lossy(names.text(name)), count)),
                divisors: counts.divisors,
            }
        })
        .collect()
    }
}
