//! Who waits for whom.

use super::StuckFact;
use crate::profile::{Profile, SampleId};
use crate::rules::Names;
use crate::waits::{Waits, is_lock};
use foldhash::fast::FixedState;
use hashbrown::HashMap;
use std::collections::BTreeSet;

/// From so many goroutines on a chain is worth a line ...
const MANY: i128 = 10;
/// ... and from so many minutes on: locks are rarely held that long.
const LONG: f32 = 1.0;
/// Chains that are told; `tree --waits` tells all.
const SHOWN: usize = 3;

/// Who waits for whom, in sentences.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct WaitFacts {
    /// Circles of goroutines that wait for each other.
    pub deadlocks: Vec<String>,
    /// The largest numbers that wait, with what they wait for in the end.
    pub chains: Vec<WaitFact>,
    /// How many more chains there are.
    pub more: usize,
}

/// Goroutines that wait for another one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WaitFact {
    /// The input.
    pub input: String,
    /// How many of the selected ones wait.
    pub count: i128,
    /// `40 wait for goroutine 20 in cache.fetch, which waits 3 min for IO`
    pub text: String,
}

impl WaitFacts {
    /// What is told beside what is stuck; of that it is added who holds the locks.
    pub(super) fn of(
        profile: &Profile,
        names: &Names,
        waits: &Waits,
        stuck: &mut [StuckFact],
    ) -> WaitFacts {
        let told = tell_holders(profile, names, waits, stuck);
        let certain = waits.cycles.iter().filter(|cycle| cycle.is_certain);
        let deadlocks: Vec<String> = certain.map(|cycle| Waits::circle(names, cycle)).collect();
        // What another chain goes through is told there.
        let mut inner = vec![false; waits.piles.len()];
        for at in 0..waits.piles.len() {
            if let Some(next) = waits.next(at).filter(|&next| next > at) {
                inner[next] = true;
            }
        }
        let mut in_circle = vec![false; waits.piles.len()];
        for member in waits.cycles.iter().flat_map(|cycle| &cycle.members) {
            in_circle[member.pile] = true;
        }
        let mut facts = WaitFacts { deadlocks, ..WaitFacts::default() };
        for (at, pile) in waits.piles.iter().enumerate() {
            let is_long = pile.longest.is_some_and(|minutes| minutes >= LONG);
            let counts = pile.count >= MANY || pile.count > 0 && is_long;
            if !counts || inner[at] || told[at] || in_circle[at] {
                continue;
            }
            if facts.chains.len() >= SHOWN {
                facts.more += usize::from(!pile.holders.is_empty());
            } else if let Some(text) = waits.sentence(profile, names, at) {
                let input = profile.input(pile.input).name.clone();
                facts.chains.push(WaitFact { input, count: pile.count, text });
            }
        }
        facts
    }
}

/// Adds to what is stuck who holds the locks, or took them twice, and gives the piles that are told by that.
fn tell_holders(
    profile: &Profile,
    names: &Names,
    waits: &Waits,
    stuck: &mut [StuckFact],
) -> Vec<bool> {
    let mut told = vec![false; waits.piles.len()];
    let mut stuck: Vec<_> = stuck.iter_mut().filter(|fact| is_lock(fact.kind)).collect();
    if stuck.is_empty() {
        return told;
    }
    // There may be thousands of either.
    let mut piles_of: HashMap<SampleId, Vec<usize>, FixedState> = HashMap::default();
    for (at, pile) in waits.piles.iter().enumerate().filter(|(_, pile)| pile.count > 0) {
        for (sample, _) in &pile.samples {
            piles_of.entry(*sample).or_default().push(at);
        }
    }
    let mut twice_of: HashMap<SampleId, usize, FixedState> = HashMap::default();
    for (at, twice) in waits.twice.iter().enumerate() {
        twice_of.entry(twice.sample).or_insert(at);
    }
    for fact in &mut stuck {
        let piles: BTreeSet<usize> = fact
            .samples
            .iter()
            .filter_map(|sample| piles_of.get(sample))
            .flatten()
            .copied()
            .collect();
        let piles: Vec<usize> = piles.into_iter().collect();
        piles.iter().for_each(|&at| told[at] = true);
        let twice = || {
            let first = fact.samples.iter().filter_map(|sample| twice_of.get(sample)).min()?;
            Some(Waits::alone(names, &waits.twice[*first]))
        };
        fact.held = waits.held(profile, names, &piles).or_else(twice);
    }
    told
}
