//! Who waits for whom.

use super::StuckFact;
use crate::filter::Selection;
use crate::profile::Profile;
use crate::rules::Names;
use crate::waits::{Pile, Twice, Waits, is_lock};

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
        selection: &Selection,
        stuck: &mut [StuckFact],
    ) -> WaitFacts {
        let waits = Waits::of(profile, selection);
        let told = tell_holders(profile, names, &waits, stuck);
        let certain = waits.cycles.iter().filter(|cycle| cycle.is_certain);
        let deadlocks: Vec<String> = certain.map(|cycle| Waits::circle(names, cycle)).collect();
        // What another chain goes through is told there.
        let mut inner = vec![false; waits.piles.len()];
        for at in 0..waits.piles.len() {
            if let Some(next) = waits.next(at).filter(|&next| next > at) {
                inner[next] = true;
            }
        }
        let circle = |at: usize| {
            waits.cycles.iter().flat_map(|cycle| &cycle.members).any(|member| member.pile == at)
        };
        let mut facts = WaitFacts { deadlocks, ..WaitFacts::default() };
        for (at, pile) in waits.piles.iter().enumerate() {
            let is_long = pile.longest.is_some_and(|minutes| minutes >= LONG);
            let counts = pile.count >= MANY || pile.count > 0 && is_long;
            if !counts || inner[at] || told[at] || circle(at) {
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
    for fact in stuck.iter_mut().filter(|fact| is_lock(fact.kind)) {
        let is_in = |pile: &Pile| {
            let mut samples = pile.samples.iter();
            pile.count > 0 && samples.any(|(sample, _)| fact.samples.binary_search(sample).is_ok())
        };
        let piles: Vec<usize> = (0..told.len()).filter(|&at| is_in(&waits.piles[at])).collect();
        piles.iter().for_each(|&at| told[at] = true);
        let twice = || {
            let is_here = |one: &&Twice| fact.samples.binary_search(&one.sample).is_ok();
            waits.twice.iter().find(is_here).map(|one| Waits::alone(names, one))
        };
        fact.held = waits.held(profile, names, &piles).or_else(twice);
    }
    told
}
