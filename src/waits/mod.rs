//! Who waits for whom: locks with those that wait for them, and who may hold them.
//!
//! Go doesn't say who holds a lock. What is known comes from two places, and each answer says from
//! which ([`Evidence`]):
//!
//! - The arguments of calls in debug=2 and crash texts ([`Profile::addresses`]). A goroutine that
//!   waits tells the address of the lock. One that stands in a method of that lock, or of what the
//!   lock is a part of, and doesn't wait for it itself, may be the one that holds it.
//! - Stacks alone. A goroutine that stands in the function that others wait in, behind the line of
//!   their call, has got past it.
//!
//! Locks of different inputs have nothing to do with each other.

mod cycle;
mod holder;
mod owner;
mod pile;
mod shape;
mod standing;
mod starter;
mod words;

pub use cycle::{Cycle, Member, Twice};
pub use holder::{Evidence, Holder};
pub use pile::Pile;
pub use standing::goes_on;
pub use starter::Starter;

use crate::filter::Selection;
use crate::profile::{Kind, Profile, SampleId};
use crate::view::frames::finder::FrameFinder;
use foldhash::fast::FixedState;
use hashbrown::HashMap;

/// By sample: the piles that its goroutines wait in, in order, and how many of them.
pub type PilesOf = HashMap<SampleId, Vec<(usize, i128)>, FixedState>;

/// What goroutines wait for, and who may be the reason.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Waits {
    /// What is waited for by selected goroutines, or by those that others wait for: of the largest
    /// number first.
    pub piles: Vec<Pile>,
    /// Goroutines that wait for each other in a circle.
    pub cycles: Vec<Cycle>,
    /// Goroutines that probably wait for a lock that they hold themselves.
    pub twice: Vec<Twice>,
    /// Goroutines that probably wait for those that they have started, with a lock that these want.
    pub starters: Vec<Starter>,
    /// See [`Waits::end_of`].
    ends: Vec<usize>,
}

impl Waits {
    /// What the selected goroutines wait for. Whoever they wait for need not be selected.
    pub fn of(profile: &Profile, selection: &Selection, frames: &FrameFinder<'_>) -> Waits {
        let mut piles = pile::Piles::gather(profile, selection, frames);
        if piles.list.is_empty() {
            return Waits::default();
        }
        let candidates = holder::Candidates::find(profile, &piles, frames);
        let cycles = cycle::cycles(profile, &piles, &candidates, frames);
        let twice = cycle::twice(profile, &piles, &candidates, frames);
        candidates.name(profile, &mut piles, frames);
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

    /// By pile: the circle that those who wait there end up behind.
    pub fn circles_behind(&self) -> Vec<Option<usize>> {
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

    /// What those in a pile wait for in the end; of those that end up in a circle one of its piles.
    pub fn end_of(&self, pile: usize) -> usize {
        self.ends[pile]
    }

    /// Whether a lock goes from one to the next: nobody has waited a minute for it, and one who may
    /// hold it, or what that one waits for, goes on without anybody's help.
    pub fn is_on_the_move(&self, profile: &Profile, pile: usize) -> bool {
        let is_young = self.piles[pile].longest.is_some_and(|minutes| minutes < 1.0);
        let end = || &self.piles[self.end_of(pile)];
        is_young && end().holders.iter().any(|one| goes_on(profile, one.sample))
    }

    /// What the most likely holder of a lock waits for itself.
    pub fn next(&self, pile: usize) -> Option<usize> {
        self.piles[pile].holders.first()?.pile
    }
}

/// By pile: the last one of those that lead from each to the next. Each is gone over twice at most,
/// however long the ways are that piles share.
fn ends(piles: &[Pile]) -> Vec<usize> {
    const OPEN: usize = usize::MAX;
    let mut ends = vec![OPEN; piles.len()];
    let mut way = Vec::new();
    for start in 0..piles.len() {
        let mut at = start;
        while ends[at] == OPEN {
            // So that a circle ends where it comes back.
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
