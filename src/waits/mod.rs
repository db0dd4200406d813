//! Who waits for whom: locks, the goroutines that wait for them, and those that may hold them.
//!
//! Go doesn't say who holds a lock. There are two sources, and each statement says which of them it is
//! from ([`Evidence`]):
//!
//! - The arguments of calls in debug=2 and crash texts ([`Profile::addresses`]). A waiting goroutine
//!   shows the address of the lock. A goroutine that is in a method of that lock, or of the struct that
//!   the lock is in, and doesn't wait for the lock itself, may hold it.
//! - Stacks alone. A goroutine that is in the function that others wait in, on a line after their call,
//!   has got past that call.
//!
//! Locks of different inputs have nothing to do with each other.

mod cycle;
mod holder;
mod likelihood;
mod owner;
mod pile;
mod shape;
mod starter;
mod twice;
mod words;

pub use cycle::{Cycle, Member};
pub use holder::{Evidence, Holder};
pub use likelihood::continues_soon;
pub use pile::Pile;
pub use starter::Starter;
pub use twice::Twice;

use crate::filter::Selection;
use crate::profile::{Kind, Profile, SampleId};
use crate::view::frames::finder::FrameFinder;
use foldhash::fast::FixedState;
use hashbrown::HashMap;

/// By sample: the piles that its goroutines wait in, in order, and how many of them.
pub type PilesOf = HashMap<SampleId, Vec<(usize, i128)>, FixedState>;

/// What goroutines wait for, and which goroutines may be the reason.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Waits {
    /// One for each thing that selected goroutines, or those that they wait for, wait for; the one with
    /// the most selected goroutines first.
    pub piles: Vec<Pile>,
    /// Cycles of goroutines that wait for each other.
    pub cycles: Vec<Cycle>,
    /// Goroutines that probably wait for a lock that they hold themselves.
    pub twice: Vec<Twice>,
    /// Goroutines that probably wait for those that they have started, with a lock that these need.
    pub starters: Vec<Starter>,
    /// See [`Waits::end_of`].
    ends: Vec<usize>,
}

impl Waits {
    /// What the selected goroutines wait for. The goroutines that they wait for needn't be selected.
    pub fn of(profile: &Profile, selection: &Selection, frames: &FrameFinder<'_>) -> Waits {
        let mut piles = pile::Piles::gather(profile, selection, frames);
        if piles.list.is_empty() {
            return Waits::default();
        }
        let candidates = holder::Candidates::find(profile, &piles, frames);
        let cycles = cycle::cycles(profile, &piles, &candidates, frames);
        candidates.name(profile, &mut piles, frames);
        let twice = twice::twice(profile, &piles, &candidates, frames);
        let (list, moved) = piles.sorted();
        let moved = |pile: usize| moved[pile];
        let cycles = cycles.into_iter().map(|cycle| cycle.moved(&moved)).collect();
        let starters = starter::starters(profile, &list);
        let ends = ends(&list);
        Waits { piles: list, cycles, twice, starters, ends }
    }

    /// The piles that the goroutines of each sample wait in.
    pub fn piles_of_samples(&self) -> PilesOf {
        let mut found = PilesOf::default();
        for (at, pile) in self.piles.iter().enumerate() {
            for &(sample, count) in &pile.samples {
                found.entry(sample).or_default().push((at, count));
            }
        }
        found
    }

    /// By pile: the cycle that its goroutines wait for in the end.
    pub fn cycles_at_ends(&self) -> Vec<Option<usize>> {
        let mut waited_by: Vec<Vec<usize>> = vec![Vec::new(); self.piles.len()];
        for at in 0..self.piles.len() {
            if let Some(next) = self.next(at) {
                waited_by[next].push(at);
            }
        }
        let mut behind = vec![None; self.piles.len()];
        for (circle, cycle) in self.cycles.iter().enumerate() {
            let mut open: Vec<usize> = cycle.members.iter().map(|member| member.pile).collect();
            while let Some(pile) = open.pop() {
                if behind[pile].is_none() {
                    behind[pile] = Some(circle);
                    open.extend(&waited_by[pile]);
                }
            }
        }
        behind
    }

    /// The pile at the end of the chain from this one; if the chain ends in a cycle, one of its piles.
    pub fn end_of(&self, pile: usize) -> usize {
        self.ends[pile]
    }

    /// Whether a lock goes from one goroutine to the next: nobody has waited a minute for it, and a
    /// goroutine that may hold it, or the lock at the end of the chain, will soon continue by itself.
    pub fn changes_hands(&self, profile: &Profile, pile: usize) -> bool {
        let is_young = self.piles[pile].longest.is_some_and(|minutes| minutes < 1.0);
        let end = || &self.piles[self.end_of(pile)];
        is_young && end().holders.iter().any(|one| continues_soon(profile, one.sample))
    }

    /// The pile that the most likely holder of a lock waits in itself.
    pub fn next(&self, pile: usize) -> Option<usize> {
        self.piles[pile].holders.first()?.pile
    }
}

/// By pile: the last pile of the chain from it. Each pile is visited twice at most, however long the
/// parts are that chains have in common.
fn ends(piles: &[Pile]) -> Vec<usize> {
    const OPEN: usize = usize::MAX;
    let mut ends = vec![OPEN; piles.len()];
    let mut way = Vec::new();
    for start in 0..piles.len() {
        let mut at = start;
        while ends[at] == OPEN {
            // A cycle ends where it comes back to.
            ends[at] = at;
            way.push(at);
            match piles[at].holders.first().and_then(|holder| holder.pile) {
                Some(next) => at = next,
                None => break,
            }
        }
        let end = ends[at];
        way.drain(..).for_each(|passed| ends[passed] = end);
    }
    ends
}

/// Whether goroutines of this kind wait for a lock.
pub fn is_lock(kind: Kind) -> bool {
    matches!(kind, Kind::Mutex | Kind::RwMutexR | Kind::RwMutexW)
}

/// Whether goroutines of this kind wait for something that others have to do.
fn is_blocked(kind: Kind) -> bool {
    is_lock(kind) || matches!(kind, Kind::Cond | Kind::WaitGroup | Kind::ChanRecv | Kind::ChanSend)
}

#[cfg(test)]
mod tests;
