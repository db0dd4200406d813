//! Interned lists: stacks are lists of frames, label sets lists of labels.

use super::slices::Slices;
use foldhash::fast::FixedState;
use hashbrown::HashTable;
use std::hash::{BuildHasher, Hash};

/// Distinct lists of `T`, each kept once in one flat vector. List 0 is the empty list.
#[derive(Clone, Debug)]
pub struct Lists<T> {
    lists: Slices<T>,
    index: HashTable<Entry>,
    hasher: FixedState,
}

/// A list by half of its hash, so that the index can grow without a look at what the lists hold.
#[derive(Clone, Copy, Debug)]
struct Entry {
    hash: u32,
    id: u32,
}

impl Entry {
    /// The hash that the index goes by.
    fn key(self) -> u64 {
        key(self.hash)
    }
}

/// Its upper bits tell entries apart, its lower ones where they stand.
fn key(hash: u32) -> u64 {
    u64::from(hash).wrapping_mul(0x9e37_79b9_7f4a_7c15)
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
        let hash = self.hash(list);
        if let Some(id) = self.id(hash, list) {
            return id;
        }
        let Lists { lists, index, .. } = self;
        // 4 billion distinct lists would need far more memory than any input may use.
        let id = u32::try_from(lists.len()).expect("fewer than 2^32 lists");
        lists.push(list);
        index.insert_unique(key(hash), Entry { hash, id }, |entry| entry.key());
        id
    }

    /// Makes room for so many more lists with so many items.
    pub fn reserve(&mut self, lists: usize, items: usize) {
        self.lists.reserve(lists, items);
        self.index.reserve(lists, |entry| entry.key());
    }

    fn hash(&self, list: &[T]) -> u32 {
        self.hasher.hash_one(list) as u32
    }

    fn id(&self, hash: u32, list: &[T]) -> Option<u32> {
        let is = |entry: &Entry| entry.hash == hash && self.get(entry.id) == list;
        Some(self.index.find(key(hash), is)?.id)
    }

    /// The number of `list` if it is there.
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
            let key = key(self.hash(self.lists.get(at)));
            if let Ok(entry) = self.index.find_entry(key, |entry| entry.id as usize == at) {
                entry.remove();
            }
        }
        self.lists.truncate(len);
    }
}
