//! What stands between the parentheses of calls, kept where it was asked for.

use super::{Goroutine, Lists, SampleId, StrId};
use foldhash::fast::FixedState;
use hashbrown::HashSet;

/// The arguments of each goroutine's calls, as written: lists of texts, each distinct one once.
#[derive(Clone, Debug, Default)]
pub struct Arguments {
    lists: Lists<StrId>,
    of: Vec<u32>,
    /// Samples whose calls aren't those that were read any more.
    forgotten: HashSet<SampleId, FixedState>,
}

impl Arguments {
    /// Notes those of the goroutine at this position; those before it have none if nothing was noted.
    pub(super) fn note(&mut self, goroutine: usize, texts: &[StrId]) {
        let list = self.lists.intern(texts);
        self.of.resize(goroutine, 0);
        self.of.push(list);
    }

    /// Forgets those of a sample.
    pub(super) fn forget(&mut self, sample: SampleId) {
        if !self.is_empty() {
            self.forgotten.insert(sample);
        }
    }

    /// The number of the list that a goroutine at this position has; 0 is the empty one.
    pub(super) fn list(&self, at: usize, goroutine: &Goroutine) -> u32 {
        match self.forgotten.contains(&goroutine.sample) {
            true => 0,
            false => self.noted(at),
        }
    }

    pub(super) fn noted(&self, at: usize) -> u32 {
        self.of.get(at).copied().unwrap_or(0)
    }

    /// The texts of a list, leaf first.
    pub fn texts(&self, list: u32) -> &[StrId] {
        self.lists.get(list)
    }

    /// Whether nothing was kept.
    pub fn is_empty(&self) -> bool {
        self.of.is_empty()
    }

    /// How many goroutines were looked at; those behind have none.
    pub(super) fn len(&self) -> usize {
        self.of.len()
    }
}
