//! Every distinct byte string of a profile, kept once.

use super::lists::Lists;

/// A text as people read it: what isn't UTF-8 becomes U+FFFD.
pub fn lossy(text: &[u8]) -> String {
    String::from_utf8_lossy(text).into_owned()
}

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

/// Interned byte strings in one arena; bytes are kept unchanged, UTF-8 or not.
///
/// ```
/// let mut strings = stackgazer::profile::Strings::default();
/// let main = strings.intern(b"main.main");
/// assert_eq!(strings.intern(b"main.main"), main);
/// assert_eq!(strings.get(main), b"main.main");
/// ```
#[derive(Clone, Debug, Default)]
pub struct Strings(pub(super) Lists<u8>);

impl Strings {
    /// The id of `text`, which is added if it is new.
    pub fn intern(&mut self, text: &[u8]) -> StrId {
        StrId(self.0.intern(text))
    }

    /// Makes room for this many more strings of this many bytes in all.
    pub fn reserve(&mut self, strings: usize, bytes: usize) {
        self.0.reserve(strings, bytes);
    }

    /// The id of `text` if the table holds it.
    pub fn find(&self, text: &[u8]) -> Option<StrId> {
        self.0.find(text).map(StrId)
    }

    /// The bytes of a string.
    pub fn get(&self, id: StrId) -> &[u8] {
        self.0.get(id.0)
    }

    /// The length of the longest string.
    pub fn longest(&self) -> usize {
        (0..self.len() as u32).map(|id| self.0.get(id).len()).max().unwrap_or_default()
    }

    /// About how many bytes the strings take.
    pub fn bytes(&self) -> usize {
        self.0.bytes()
    }

    /// How many strings there are, the empty one included.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Never true: the empty string always exists.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}
