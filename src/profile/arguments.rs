//! Arguments of calls as printed between their parentheses, kept if a command needs them.

use super::{Goroutine, Lists, SampleId, StrId};
use foldhash::fast::FixedState;
use hashbrown::HashSet;

/// The arguments of each goroutine's calls, as printed: lists of texts, each distinct list once.
#[derive(Clone, Debug, Default)]
pub struct Arguments {
    lists: Lists<StrId>,
    list_of_goroutine: Vec<u32>,
    /// Samples whose calls have been replaced since they were read.
    forgotten: HashSet<SampleId, FixedState>,
}

impl Arguments {
    /// Notes the arguments of the goroutine at this position; goroutines skipped before it have
    /// none.
    pub(super) fn note(&mut self, goroutine: usize, texts: &[StrId]) {
        let list = self.lists.intern(texts);
        self.list_of_goroutine.resize(goroutine, 0);
        self.list_of_goroutine.push(list);
    }

    /// Forgets the arguments of a sample.
    pub(super) fn forget(&mut self, sample: SampleId) {
        if !self.is_empty() {
            self.forgotten.insert(sample);
        }
    }

    /// The number of the list of a goroutine at this position; 0 is the empty list.
    pub(super) fn list(&self, at: usize, goroutine: &Goroutine) -> u32 {
        match self.forgotten.contains(&goroutine.sample) {
            true => 0,
            false => self.noted(at),
        }
    }

    pub(super) fn noted(&self, at: usize) -> u32 {
        self.list_of_goroutine.get(at).copied().unwrap_or(0)
    }

    /// The texts of a list, leaf first.
    pub fn texts(&self, list: u32) -> &[StrId] {
        self.lists.get(list)
    }

    /// Whether no arguments were kept.
    pub fn is_empty(&self) -> bool {
        self.list_of_goroutine.is_empty()
    }

    /// How many goroutines have an entry; later ones have no arguments.
    pub(super) fn len(&self) -> usize {
        self.list_of_goroutine.len()
    }
}
