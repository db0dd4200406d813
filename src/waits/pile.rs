//! Goroutines that wait for the same thing.

use super::holder::Holder;
use super::owner::receiver;
use super::{is_blocked, is_lock};
use crate::filter::Selection;
use crate::profile::{Address, FrameId, InputId, Kind, Profile, SampleId, StackId, StrId};
use crate::view::frames::finder::FrameFinder;
use foldhash::fast::FixedState;
use hashbrown::HashMap;
use std::cmp::Reverse;

/// Goroutines of one input that wait for the same lock, channel, WaitGroup and so on.
#[derive(Clone, PartialEq, Debug)]
pub struct Pile {
    /// The input.
    pub input: InputId,
    /// The address of what they wait for, if Go was sure of it.
    pub lock: Option<u64>,
    /// Without that, the address that the waiting methods were called on: they wait for a lock in there.
    /// If neither is known, the pile is all goroutines that wait in one function, maybe for several locks.
    pub owner: Option<u64>,
    /// The kind of most of them.
    pub kind: Kind,
    /// Where most of them wait: the first frame outside the runtime and `sync`.
    pub place: FrameId,
    /// How many selected goroutines wait.
    pub count: i128,
    /// How many wait in all, selected or not, by sample.
    pub samples: Vec<(SampleId, i128)>,
    /// The lowest id of the waiting goroutines, if ids are known.
    pub first: Option<u64>,
    /// The longest wait in minutes, as far as it is known.
    pub longest: Option<f32>,
    /// The goroutines that may hold it, the most likely first: a few of them.
    pub holders: Vec<Holder>,
    /// How many more may hold it.
    pub more_holders: usize,
}

impl Pile {
    /// How many wait, selected or not.
    pub fn total(&self) -> i128 {
        self.samples.iter().map(|(_, count)| count).sum()
    }

    /// The address of the lock, or of its owner; 0 if neither is known.
    pub(super) fn address(&self) -> u64 {
        self.lock.or(self.owner).unwrap_or_default()
    }
}

/// All piles while they are being filled.
pub(super) struct Piles {
    pub(super) list: Vec<Pile>,
    /// By row of [`Profile::addresses`]: the pile that its goroutine waits in.
    pub(super) of_row: Vec<Option<usize>>,
    /// By pile: its rows of [`Profile::addresses`].
    pub(super) rows: Vec<Vec<usize>>,
    /// By input and function: the largest pile that waits there.
    pub(super) at_place: HashMap<(InputId, StrId), usize, FixedState>,
}

impl Piles {
    pub(super) fn gather(
        profile: &Profile,
        selection: &Selection,
        frames: &FrameFinder<'_>,
    ) -> Piles {
        let mut piles = Piles {
            list: Vec::new(),
            of_row: Vec::new(),
            rows: Vec::new(),
            at_place: HashMap::default(),
        };
        let waits = |sample: &crate::profile::Sample| is_lock(sample.key.kind) && sample.count > 0;
        let any_waits = profile.addresses.iter().any(|(row, _)| row.waits);
        if !profile.counts_goroutines() || !(any_waits || profile.samples.iter().any(waits)) {
            return piles;
        }
        let of_samples = piles.by_address(profile, selection, frames);
        piles.by_place(profile, selection, frames, &of_samples);
        piles.settle(profile, frames);
        piles
    }

    /// Makes the piles of known addresses; returns how many goroutines of each sample are in them.
    fn by_address(
        &mut self,
        profile: &Profile,
        selection: &Selection,
        frames: &FrameFinder<'_>,
    ) -> HashMap<SampleId, Taken, FixedState> {
        let mut known: HashMap<(InputId, u64, bool), usize, FixedState> = HashMap::default();
        let mut taken: HashMap<SampleId, Taken, FixedState> = HashMap::default();
        self.of_row = vec![None; profile.addresses.len()];
        for (at, (row, words)) in profile.addresses.iter().enumerate() {
            let key = &profile.sample(row.sample).key;
            if !row.waits || !is_blocked(key.kind) {
                continue;
            }
            let Some(place) = frames.blocking(key.stack) else { continue };
            let lock = Some(row.lock).filter(|lock| lock.is_some() && lock.is_sure());
            let address = lock.or_else(|| match is_lock(key.kind) {
                true => owner(profile, key.stack, place, words),
                false => None,
            });
            let Some(address) = address else { continue };
            let next = self.list.len();
            let of_lock = lock.is_some();
            let pile = *known.entry((key.input, address.word(), of_lock)).or_insert(next);
            if pile == next {
                self.add(key.input, key.kind, place);
                let new = &mut self.list[pile];
                let into = if of_lock { &mut new.lock } else { &mut new.owner };
                *into = Some(address.word());
            }
            let is_selected = match row.position() {
                Some(position) => selection.has_goroutine(profile, position),
                None => selection.count(row.sample) != 0,
            };
            let into = &mut self.list[pile];
            into.first = Some(into.first.map_or(row.id, |first| first.min(row.id)));
            into.longest = longer(into.longest, row.wait.known());
            into.count += i128::from(is_selected);
            add_to(&mut into.samples, row.sample, 1);
            self.of_row[at] = Some(pile);
            self.rows[pile].push(at);
            let taken = taken.entry(row.sample).or_default();
            taken.all += 1;
            taken.selected += i64::from(is_selected);
            taken.pile = pile;
        }
        taken
    }

    /// Makes piles of the goroutines whose lock has no known address, by the function they wait in.
    fn by_place(
        &mut self,
        profile: &Profile,
        selection: &Selection,
        frames: &FrameFinder<'_>,
        taken: &HashMap<SampleId, Taken, FixedState>,
    ) {
        let mut known: HashMap<(InputId, StrId), usize, FixedState> = HashMap::default();
        for (id, sample) in profile.samples().filter(|(_, sample)| is_lock(sample.key.kind)) {
            let key = &sample.key;
            let Taken { all, selected, pile } = taken.get(&id).copied().unwrap_or_default();
            let left = sample.count.saturating_sub(all);
            let (true, Some(place)) = (left > 0, frames.blocking(key.stack)) else {
                continue;
            };
            let is_capped = all >= i64::from(crate::limits::LIMITS.addressed_waiters);
            let pile = match is_capped {
                // More wait than are kept: the rest wait for the same as the ones that are.
                true => pile,
                false => {
                    let next = self.list.len();
                    let function = profile.frame(place).func;
                    let pile = *known.entry((key.input, function)).or_insert(next);
                    if pile == next {
                        self.add(key.input, key.kind, place);
                    }
                    pile
                }
            };
            let into = &mut self.list[pile];
            into.count += i128::from(selection.count(id).saturating_sub(selected).max(0));
            if let Some((_, longest)) = sample.waits.range() {
                into.longest = longer(into.longest, Some(longest));
            }
            add_to(&mut into.samples, id, i128::from(left));
        }
    }

    fn add(&mut self, input: InputId, kind: Kind, place: FrameId) {
        self.rows.push(Vec::new());
        self.list.push(Pile {
            input,
            lock: None,
            owner: None,
            kind,
            place,
            count: 0,
            samples: Vec::new(),
            first: None,
            longest: None,
            holders: Vec::new(),
            more_holders: 0,
        });
    }

    /// Sets how and where most of each pile wait, and which pile is the largest at each place.
    fn settle(&mut self, profile: &Profile, frames: &FrameFinder<'_>) {
        for (at, pile) in self.list.iter_mut().enumerate() {
            let most = pile.samples.iter().min_by_key(|(id, count)| (Reverse(*count), *id));
            if let Some((sample, _)) = most {
                let key = &profile.sample(*sample).key;
                pile.kind = key.kind;
                pile.place = frames.blocking(key.stack).unwrap_or(pile.place);
            }
            let place = (pile.input, profile.frame(pile.place).func);
            self.at_place.entry(place).or_insert(at);
        }
        for (at, pile) in self.list.iter().enumerate() {
            let place = (pile.input, profile.frame(pile.place).func);
            if let Some(largest) = self.at_place.get_mut(&place)
                && self.list[*largest].total() < pile.total()
            {
                *largest = at;
            }
        }
    }

    /// The piles, the one with the most selected goroutines first, and the new position of each.
    pub(super) fn sorted(self) -> (Vec<Pile>, Vec<usize>) {
        let mut order: Vec<usize> = (0..self.list.len()).collect();
        order.sort_by_key(|&at| (Reverse(self.list[at].count), at));
        let mut moved = vec![0; order.len()];
        order.iter().enumerate().for_each(|(to, &from)| moved[from] = to);
        let mut list: Vec<Option<Pile>> = self.list.into_iter().map(Some).collect();
        let mut sorted: Vec<Pile> = order.iter().filter_map(|&at| list[at].take()).collect();
        for holder in sorted.iter_mut().flat_map(|pile| &mut pile.holders) {
            holder.pile = holder.pile.map(|pile| moved[pile]);
        }
        (sorted, moved)
    }
}

/// How many goroutines of a sample are in piles of known addresses.
#[derive(Clone, Copy, Default)]
struct Taken {
    all: i64,
    selected: i64,
    /// The last of those piles.
    pile: usize,
}

/// The receiver of the method that waits.
fn owner(profile: &Profile, stack: StackId, place: FrameId, words: &[Address]) -> Option<Address> {
    receiver(profile.func(place))?;
    let waits_at = profile.stack(stack).iter().position(|&frame| frame == place)?;
    words.iter().copied().find(|word| word.frame() == waits_at).filter(|word| word.is_sure())
}

fn longer(one: Option<f32>, other: Option<f32>) -> Option<f32> {
    match (one, other) {
        (Some(one), Some(other)) => Some(one.max(other)),
        (one, other) => one.or(other),
    }
}

/// Adds to the count of a sample. Rows of one sample mostly follow each other, so only the last few
/// samples are searched.
fn add_to(samples: &mut Vec<(SampleId, i128)>, sample: SampleId, count: i128) {
    match samples.iter_mut().rev().take(64).find(|(known, _)| *known == sample) {
        Some((_, sum)) => *sum += count,
        None => samples.push((sample, count)),
    }
}
