//! Interned lists: stacks are lists of frames, label sets lists of labels.

use foldhash::fast::FixedState;
use hashbrown::HashTable;
use std::hash::{BuildHasher, Hash};

/// Distinct lists of `T`, each kept once in one flat vector. List 0 is the empty list.
#[derive(Clone, Debug)]
pub struct Lists<T> {
    items: Vec<T>,
    starts: Vec<usize>,
    index: HashTable<u32>,
    hasher: FixedState,
}

impl<T: Copy + Eq + Hash> Default for Lists<T> {
    fn default() -> Self {
        Lists {
            items: Vec::new(),
            // The empty list stands at their start, and needs no place in the index.
            starts: vec![0, 0],
            index: HashTable::new(),
            hasher: FixedState::default(),
        }
    }
}

impl<T: Copy + Eq + Hash> Lists<T> {
    /// The number of `list`, which is added if it is new.
    pub fn intern(&mut self, list: &[T]) -> u32 {
        if list.is_empty() {
            return 0;
        }
        let hash = self.hasher.hash_one(list);
        let (items, starts) = (&self.items, &self.starts);
        let at = |id: u32| &items[starts[id as usize]..starts[id as usize + 1]];
        if let Some(&id) = self.index.find(hash, |&id| at(id) == list) {
            return id;
        }
        let id = u32::try_from(self.starts.len() - 1).expect("fewer than 2^32 lists");
        self.items.extend_from_slice(list);
        self.starts.push(self.items.len());
        let (items, starts, hasher) = (&self.items, &self.starts, &self.hasher);
        self.index.insert_unique(hash, id, |&id| {
            hasher.hash_one(&items[starts[id as usize]..starts[id as usize + 1]])
        });
        id
    }

    /// The items of a list.
    pub fn get(&self, id: u32) -> &[T] {
        &self.items[self.starts[id as usize]..self.starts[id as usize + 1]]
    }

    /// How many lists there are, the empty one included.
    pub fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// Never true: the empty list is always there.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}
