//! Who waits for whom.

use crate::filter::Selection;
use crate::profile::Profile;
use crate::rules::Names;
use crate::waits::Waits;

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
    pub(super) fn of(profile: &Profile, names: &Names, selection: &Selection) -> WaitFacts {
        let waits = Waits::of(profile, selection);
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
            if !counts || inner[at] || circle(at) {
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
