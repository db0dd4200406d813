//! Finds positions in a table by hash.

use hashbrown::HashTable;
use std::fmt;

/// Positions in a table, each with half of the hash of the item there, so the index can grow
/// without access to the table.
#[derive(Clone, Default)]
pub(super) struct Index(HashTable<Entry>);

impl fmt::Debug for Index {
    /// Only the length: the order depends on how the index grew, not on the contents of the table.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_tuple("Index").field(&self.0.len()).finish()
    }
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    hash: u32,
    at: u32,
}

impl Entry {
    /// The hash in the index, of which hashbrown uses the lower bits to choose a bucket and the
    /// upper ones to compare entries.
    fn key(self) -> u64 {
        u64::from(self.hash).wrapping_mul(0x9e37_79b9_7f4a_7c15)
    }
}

impl Index {
    /// The position of an item with this hash for which `is` returns true.
    pub(super) fn find(&self, hash: u64, is: impl Fn(u32) -> bool) -> Option<u32> {
        let wanted = Entry { hash: hash as u32, at: 0 };
        let found = self.0.find(wanted.key(), |entry| entry.hash == wanted.hash && is(entry.at));
        Some(found?.at)
    }

    /// Adds the position of an item with this hash.
    pub(super) fn insert(&mut self, hash: u64, at: u32) {
        let entry = Entry { hash: hash as u32, at };
        self.0.insert_unique(entry.key(), entry, |entry| entry.key());
    }

    /// Removes the position of an item with this hash.
    pub(super) fn remove(&mut self, hash: u64, at: u32) {
        let removed = Entry { hash: hash as u32, at };
        if let Ok(entry) = self.0.find_entry(removed.key(), |entry| entry.at == at) {
            entry.remove();
        }
    }

    /// Makes room for this many more positions.
    pub(super) fn reserve(&mut self, more: usize) {
        self.0.reserve(more, |entry| entry.key());
    }

    /// Removes all positions.
    pub(super) fn clear(&mut self) {
        self.0.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_the_same_hash_is_told_apart() {
        let table = ["a", "b", "c"];
        let mut index = Index::default();
        (0..3).for_each(|at| index.insert(7 << 32 | 1, at));
        let find = |index: &Index, text| index.find(1, |at| table[at as usize] == text);
        assert_eq!(
            ["a", "b", "c", "d"].map(|text| find(&index, text)),
            [Some(0), Some(1), Some(2), None]
        );
        index.remove(1, 1);
        assert_eq!(["a", "b", "c"].map(|text| find(&index, text)), [Some(0), None, Some(2)]);
        assert_eq!(index.find(2, |_| true), None, "another hash");
        index.clear();
        assert_eq!(find(&index, "a"), None);
    }
}
