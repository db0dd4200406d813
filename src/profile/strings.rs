//! Every distinct byte string of a profile, kept once.

use foldhash::fast::FixedState;
use hashbrown::HashTable;
use std::hash::BuildHasher;

/// A string of one [`Strings`] table. Only valid for the table that made it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
pub struct StrId(pub(crate) u32);

impl StrId {
    /// The empty string, which every table holds.
    pub const EMPTY: StrId = StrId(0);

    /// The position in the table, for side tables indexed by string.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// Interned byte strings in one arena; bytes are kept as they came, UTF-8 or not.
///
/// ```
/// let mut strings = stackgazer::profile::Strings::default();
/// let main = strings.intern(b"main.main");
/// assert_eq!(strings.intern(b"main.main"), main);
/// assert_eq!(strings.get(main), b"main.main");
/// ```
#[derive(Clone, Debug)]
pub struct Strings {
    bytes: Vec<u8>,
    /// Where each string starts; one more entry than there are strings.
    starts: Vec<usize>,
    index: HashTable<u32>,
    hasher: FixedState,
}

impl Default for Strings {
    fn default() -> Self {
        let mut strings = Strings {
            bytes: Vec::new(),
            starts: vec![0],
            index: HashTable::new(),
            hasher: FixedState::default(),
        };
        strings.intern(b"");
        strings
    }
}

impl Strings {
    /// The id of `text`, which is added if it is new.
    pub fn intern(&mut self, text: &[u8]) -> StrId {
        let hash = self.hasher.hash_one(text);
        let (bytes, starts) = (&self.bytes, &self.starts);
        let at = |id: u32| &bytes[starts[id as usize]..starts[id as usize + 1]];
        if let Some(&id) = self.index.find(hash, |&id| at(id) == text) {
            return StrId(id);
        }
        // 4 billion distinct strings would need far more memory than any input may use.
        let id = u32::try_from(self.starts.len() - 1).expect("fewer than 2^32 strings");
        self.bytes.extend_from_slice(text);
        self.starts.push(self.bytes.len());
        let (bytes, starts, hasher) = (&self.bytes, &self.starts, &self.hasher);
        self.index.insert_unique(hash, id, |&id| {
            hasher.hash_one(&bytes[starts[id as usize]..starts[id as usize + 1]])
        });
        StrId(id)
    }

    /// The id of `text` if the table holds it.
    pub fn find(&self, text: &[u8]) -> Option<StrId> {
        let hash = self.hasher.hash_one(text);
        self.index.find(hash, |&id| self.get(StrId(id)) == text).map(|&id| StrId(id))
    }

    /// The bytes of a string.
    pub fn get(&self, id: StrId) -> &[u8] {
        &self.bytes[self.starts[id.index()]..self.starts[id.index() + 1]]
    }

    /// How many strings there are, the empty one included.
    pub fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// Never true: the empty string is always there.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}
