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

/// A chain with at least this many goroutines is worth a line.
const MANY: i128 = 10;
/// A chain that has lasted this many minutes is worth a line: locks are rarely held that long.
const LONG: f32 = 1.0;
/// How many chains are shown; `tree --waits` shows all.
const SHOWN: usize = 3;

/// Sentences about who waits for whom.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct WaitFacts {
    /// Goroutines that wait for each other, or for themselves.
    pub deadlocks: Vec<Deadlock>,
    /// The chains with the most goroutines, each with what they wait for in the end.
    pub chains: Vec<WaitFact>,
    /// How many more chains there are.
    pub more: usize,
}

/// Goroutines that wait for another one.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct WaitFact {
    /// The input.
    pub input: String,
    /// How many of the selected goroutines wait.
    #[serde(rename = "goroutines", serialize_with = "as_count")]
    pub count: i128,
    /// `40 wait for goroutine 20 in cache.fetch, which waits 3 min for IO`
    pub text: String,
}

impl WaitFacts {
    /// The facts that `stuck` doesn't have yet; adds the holders of locks to `stuck`.
    pub(super) fn of(
        profile: &Profile,
        names: &Names,
        selection: &Selection,
        waits: &Waits,
        stuck: &mut [StuckFact],
    ) -> WaitFacts {
        let leads_to = waits.cycles_at_ends();
        let mut shown: Vec<bool> = leads_to.iter().map(Option::is_some).collect();
        waits.starters.iter().for_each(|starter| shown[starter.pile] = true);
        let twice = add_holders(profile, names, waits, stuck, &mut shown);
        let mut deadlocks = Deadlock::circles(profile, names, selection, waits, &leads_to);
        deadlocks.extend(waits.starters.iter().map(|starter| {
            let text = format!("probably: {}", waits.starter_text(names, starter));
            let goroutine = [(starter.id, starter.sample)];
            let mut one = Deadlock::of(profile, selection, starter.input, &goroutine, text);
            one.waiting = waits.piles[starter.pile].total();
            one
        }));
        deadlocks.extend(twice.into_iter().map(|twice| {
            let text = Waits::twice_text(names, twice);
            let goroutine = [(twice.id, twice.sample)];
            Deadlock::of(profile, selection, twice.input, &goroutine, text)
        }));
        // A part of a longer chain is shown there.
        let mut inner = vec![false; waits.piles.len()];
        for at in 0..waits.piles.len() {
            if let Some(next) = waits.next(at).filter(|&next| next > at) {
                inner[next] = true;
            }
        }
        let mut facts = WaitFacts { deadlocks, ..WaitFacts::default() };
        for (at, pile) in waits.piles.iter().enumerate() {
            let is_long = pile.longest.is_some_and(|minutes| minutes >= LONG);
            // A goroutine that sleeps with a lock is worth knowing, though it won't for long.
            let sleeps = |holder: &Holder| profile.sample(holder.sample).key.kind == Kind::Sleep;
            let moves = waits.changes_hands(profile, at) && !pile.holder().is_some_and(sleeps);
            let is_jam = pile.count >= MANY && !moves;
            let counts = is_jam || pile.count > 0 && is_long;
            // If the possible holders do different things, none of them is the reason.
            if !counts || inner[at] || shown[at] || !pile.holders_are_alike(profile) {
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

/// Adds to `stuck` who holds the locks, or took them twice, and marks the piles that these lines are
/// about in `shown`. Returns the goroutines that took a lock twice and have no line yet.
fn add_holders<'w>(
    profile: &Profile,
    names: &Names,
    waits: &'w Waits,
    stuck: &mut [StuckFact],
    shown: &mut [bool],
) -> Vec<&'w Twice> {
    let of_deadlocks = shown.to_vec();
    // There may be thousands of piles and goroutines.
    let piles_of = waits.piles_of_samples();
    let mut twice_of: HashMap<SampleId, Vec<usize>, FixedState> = HashMap::default();
    for (at, twice) in waits.twice.iter().enumerate() {
        twice_of.entry(twice.sample).or_default().push(at);
    }
    let mut has_line = vec![false; waits.twice.len()];
    for fact in stuck.iter_mut().filter(|fact| is_lock(fact.kind)) {
        let piles = fact.samples.iter().filter_map(|sample| piles_of.get(sample)).flatten();
        let piles = piles.map(|(at, _)| *at).filter(|&at| waits.piles[at].count > 0);
        let piles: BTreeSet<usize> = piles.collect();
        let piles: Vec<usize> = piles.into_iter().collect();
        fact.in_deadlock = !piles.is_empty() && piles.iter().all(|&at| of_deadlocks[at]);
        fact.held = waits.held(profile, names, &piles);
        if fact.held.is_none() {
            let here = fact.samples.iter().filter_map(|sample| twice_of.get(sample)).flatten();
            let here: BTreeSet<usize> = here.copied().filter(|&at| !has_line[at]).collect();
            let first = here.first().map(|&at| &waits.twice[at]);
            fact.held = first.map(|one| Waits::twice_text(names, one));
            here.into_iter().for_each(|at| has_line[at] = true);
        }
        piles.iter().for_each(|&at| shown[at] = true);
    }
    waits
        .twice
        .iter()
        .zip(has_line)
        .filter(|(_, has_line)| !has_line)
        .map(|(twice, _)| twice)
        .collect()
}
