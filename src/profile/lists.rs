//! Interned lists: stacks are lists of frames, label sets lists of labels.

use super::index::Index;
use super::slices::Slices;
use foldhash::fast::FixedState;
use std::hash::{BuildHasher, Hash};

/// Distinct lists of `T`, each kept once in one flat vector. List 0 is the empty list.
#[derive(Clone, Debug)]
pub struct Lists<T> {
    lists: Slices<T>,
    index: Index,
    hasher: FixedState,
}

impl<T: Copy + Eq + Hash> Default for Lists<T> {
    fn default() -> Self {
        let mut lists = Slices::default();
        // The empty list isn't in the index.
        lists.push(&[]);
        Lists { lists, index: Index::default(), hasher: FixedState::default() }
    }
}

impl<T: Copy + Eq + Hash> Lists<T> {
    /// The number of `list`, which is added if it is new.
    pub fn intern(&mut self, list: &[T]) -> u32 {
        if list.is_empty() {
            return 0;
        }
        let hash = self.hash(list);
        if let Some(id) = self.id(hash, list) {
            return id;
        }
        let Lists { lists, index, .. } = self;
        // 4 billion distinct lists would need far more memory than any input may use.
        let id = u32::try_from(lists.len()).expect("fewer than 2^32 lists");
        lists.push(list);
        index.insert(hash, id);
        id
    }

    /// Makes room for this many more lists with this many items.
    pub fn reserve(&mut self, lists: usize, items: usize) {
        self.lists.reserve(lists, items);
        self.index.reserve(lists);
    }

    fn hash(&self, list: &[T]) -> u64 {
        self.hasher.hash_one(list)
    }

    fn id(&self, hash: u64, list: &[T]) -> Option<u32> {
        self.index.find(hash, |id| self.get(id) == list)
    }

    /// The number of `list` if it was interned.
    pub fn find(&self, list: &[T]) -> Option<u32> {
        if list.is_empty() {
            return Some(0);
        }
        self.id(self.hash(list), list)
    }

    /// The items of a list.
    pub fn get(&self, id: u32) -> &[T] {
        self.lists.get(id as usize)
    }

    /// How many lists there are, the empty one included.
    pub fn len(&self) -> usize {
        self.lists.len()
    }

    /// Never true: the empty list is always there.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// About how many bytes the lists take.
    pub(super) fn bytes(&self) -> usize {
        self.lists.bytes()
    }

    /// The lists from `from` on.
    pub(super) fn tail(&self, from: usize) -> Slices<T> {
        self.lists.tail(from)
    }

    /// Drops all but the first `len` lists.
    pub(super) fn truncate(&mut self, len: usize) {
        for at in len..self.lists.len() {
            self.index.remove(self.hash(self.lists.get(at)), at as u32);
        }
        self.lists.truncate(len);
    }
}
