//! Interned lists: stacks are lists of frames, label sets lists of labels.

use super::slices::Slices;
use foldhash::fast::FixedState;
use hashbrown::HashTable;
use std::hash::{BuildHasher, Hash};

/// Distinct lists of `T`, each kept once in one flat vector. List 0 is the empty list.
#[derive(Clone, Debug)]
pub struct Lists<T> {
    lists: Slices<T>,
    index: HashTable<u32>,
    hasher: FixedState,
}

impl<T: Copy + Eq + Hash> Default for Lists<T> {
    fn default() -> Self {
        let mut lists = Slices::default();
        // It needs no place in the index.
        lists.push(&[]);
        Lists { lists, index: HashTable::new(), hasher: FixedState::default() }
    }
}

impl<T: Copy + Eq + Hash> Lists<T> {
    /// The number of `list`, which is added if it is new.
    pub fn intern(&mut self, list: &[T]) -> u32 {
        if list.is_empty() {
            return 0;
        }
        let Lists { lists, index, hasher } = self;
        let hash = hasher.hash_one(list);
        if let Some(&id) = index.find(hash, |&id| lists.get(id as usize) == list) {
            return id;
        }
        // 4 billion distinct lists would need far more memory than any input may use.
        let id = u32::try_from(lists.len()).expect("fewer than 2^32 lists");
        lists.push(list);
        index.insert_unique(hash, id, |&id| hasher.hash_one(lists.get(id as usize)));
        id
    }

    /// The number of `list` if it is there.
    pub fn find(&self, list: &[T]) -> Option<u32> {
        if list.is_empty() {
            return Some(0);
        }
        let hash = self.hasher.hash_one(list);
        self.index.find(hash, |&id| self.get(id) == list).copied()
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

    /// How many bytes they take, about.
    pub(super) fn bytes(&self) -> usize {
        self.lists.bytes()
    }

    /// The lists from `from` on.
    pub(super) fn tail(&self, from: usize) -> Slices<T> {
        self.lists.tail(from)
    }

    /// Forgets all but the first `len` lists.
    pub(super) fn truncate(&mut self, len: usize) {
        for at in len..self.lists.len() {
            let hash = self.hasher.hash_one(self.lists.get(at));
            if let Ok(entry) = self.index.find_entry(hash, |&id| id as usize == at) {
                entry.remove();
            }
        }
        self.lists.truncate(len);
    }
}
