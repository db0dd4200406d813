//! Who waits for whom.

use super::{Deadlock, StuckFact};
use crate::filter::Selection;
use crate::profile::{Kind, Profile, SampleId};
use crate::rules::Names;
use crate::view::rows::as_count;
use crate::waits::{Holder, Twice, Waits, is_lock};
use foldhash::fast::FixedState;
use hashbrown::HashMap;
use serde::Serialize;
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
    /// Goroutines that wait for each other, or for themselves.
    pub deadlocks: Vec<Deadlock>,
    /// The largest numbers that wait, with what they wait for in the end.
    pub chains: Vec<WaitFact>,
    /// How many more chains there are.
    pub more: usize,
}

/// Goroutines that wait for another one.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct WaitFact {
    /// The input.
    pub input: String,
    /// How many of the selected ones wait.
    #[serde(rename = "goroutines", serialize_with = "as_count")]
    pub count: i128,
    /// `40 wait for goroutine 20 in cache.fetch, which waits 3 min for IO`
    pub text: String,
}

impl WaitFacts {
    /// What is told beside what is stuck; of that it is added who holds the locks.
    pub(super) fn of(
        profile: &Profile,
        names: &Names,
        selection: &Selection,
        waits: &Waits,
        stuck: &mut [StuckFact],
    ) -> WaitFacts {
        let leads_to = waits.circles_behind();
        let mut told: Vec<bool> = leads_to.iter().map(Option::is_some).collect();
        waits.starters.iter().for_each(|starter| told[starter.pile] = true);
        let twice = tell_holders(profile, names, waits, stuck, &mut told);
        let mut deadlocks = Deadlock::circles(profile, names, selection, waits, &leads_to);
        deadlocks.extend(waits.starters.iter().map(|starter| {
            let text = format!("probably: {}", waits.starter(names, starter));
            let goroutine = [(starter.id, starter.sample)];
            let mut one = Deadlock::of(profile, selection, starter.input, &goroutine, text);
            one.waiting = waits.piles[starter.pile].total();
            one
        }));
        deadlocks.extend(twice.into_iter().map(|twice| {
            let text = Waits::alone(names, twice);
            let goroutine = [(twice.id, twice.sample)];
            Deadlock::of(profile, selection, twice.input, &goroutine, text)
        }));
        // What another chain goes through is told there.
        let mut inner = vec![false; waits.piles.len()];
        for at in 0..waits.piles.len() {
            if let Some(next) = waits.next(at).filter(|&next| next > at) {
                inner[next] = true;
            }
        }
        let mut facts = WaitFacts { deadlocks, ..WaitFacts::default() };
        for (at, pile) in waits.piles.iter().enumerate() {
            let is_long = pile.longest.is_some_and(|minutes| minutes >= LONG);
            // Who sleeps with a lock is worth knowing, though it won't for long.
            let sleeps = |holder: &Holder| profile.sample(holder.sample).key.kind == Kind::Sleep;
            let moves = waits.is_on_the_move(profile, at) && !pile.holder().is_some_and(sleeps);
            let is_jam = pile.count >= MANY && !moves;
            let counts = is_jam || pile.count > 0 && is_long;
            // One of many that do this and that is no reason.
            if !counts || inner[at] || told[at] || !pile.is_alike(profile) {
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

/// Adds to what is stuck who holds the locks, or took them twice, and notes which piles are told by
/// that. Gives those that took a lock twice where nothing says so yet.
fn tell_holders<'w>(
    profile: &Profile,
    names: &Names,
    waits: &'w Waits,
    stuck: &mut [StuckFact],
    told: &mut [bool],
) -> Vec<&'w Twice> {
    let of_deadlocks = told.to_vec();
    // There may be thousands of everything.
    let piles_of = waits.piles_of_samples();
    let mut twice_of: HashMap<SampleId, Vec<usize>, FixedState> = HashMap::default();
    for (at, twice) in waits.twice.iter().enumerate() {
        twice_of.entry(twice.sample).or_default().push(at);
    }
    let mut said = vec![false; waits.twice.len()];
    for fact in stuck.iter_mut().filter(|fact| is_lock(fact.kind)) {
        let piles = fact.samples.iter().filter_map(|sample| piles_of.get(sample)).flatten();
        let piles = piles.map(|(at, _)| *at).filter(|&at| waits.piles[at].count > 0);
        let piles: BTreeSet<usize> = piles.collect();
        let piles: Vec<usize> = piles.into_iter().collect();
        fact.in_deadlock = !piles.is_empty() && piles.iter().all(|&at| of_deadlocks[at]);
        fact.held = waits.held(profile, names, &piles);
        if fact.held.is_none() {
            let here = fact.samples.iter().filter_map(|sample| twice_of.get(sample)).flatten();
            let here: BTreeSet<usize> = here.copied().filter(|&at| !said[at]).collect();
            let first = here.first().map(|&at| &waits.twice[at]);
            fact.held = first.map(|one| Waits::alone(names, one));
            here.into_iter().for_each(|at| said[at] = true);
        }
        piles.iter().for_each(|&at| told[at] = true);
    }
    waits.twice.iter().zip(said).filter(|(_, said)| !said).map(|(twice, _)| twice).collect()
}
