//! Texts that many rows share.

use parquet::data_type::ByteArray;
use std::collections::HashMap;
use std::hash::Hash;

/// Bytes of texts that are remembered: a proto of kilobytes can have thousands of sets of labels of 60 KiB.
const MOST: usize = 16 << 20;

/// A cache of the `N` texts that something has.
#[derive(Debug)]
pub(super) struct Texts<K, const N: usize> {
    known: HashMap<K, [ByteArray; N]>,
    bytes: usize,
}

impl<K, const N: usize> Default for Texts<K, N> {
    fn default() -> Texts<K, N> {
        Texts { known: HashMap::new(), bytes: 0 }
    }
}

impl<K: Eq + Hash, const N: usize> Texts<K, N> {
    /// Its texts, made if they aren't known.
    pub(super) fn get(&mut self, of: K, make: impl FnOnce() -> [ByteArray; N]) -> &[ByteArray; N] {
        if self.bytes > MOST {
            self.known.clear();
            self.bytes = 0;
        }
        self.known.entry(of).or_insert_with(|| {
            let made = make();
            self.bytes += made.iter().map(ByteArray::len).sum::<usize>();
            made
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_so_many_bytes_are_remembered() {
        let mut texts = Texts::<u32, 1>::default();
        let long = ByteArray::from(vec![b'x'; MOST / 4]);
        for at in 0..100 {
            assert_eq!(texts.get(at, || [long.clone()])[0].len(), MOST / 4);
            assert!(texts.known.len() <= 6, "{}", texts.known.len());
        }
        texts.get(100, || [long.clone()]);
        texts.get(100, || unreachable!("it is known"));
    }
}
