//! Paths: all that goroutines ran through, as lists of pairs.

use super::addresses::Tells;
use crate::format::traceback::pairs::{CROWD, PairId, ROOM, fold};
use crate::simd::fetch;
use hashbrown::HashTable;

/// A path by the hash of its pairs.
#[derive(Clone, Copy, Debug)]
struct Entry {
    hash: u64,
    path: u32,
}

/// The paths seen so far; their numbers count them.
#[derive(Debug)]
pub(super) struct Paths {
    numbers: HashTable<Entry>,
    spans: Vec<Span>,
    pairs: Vec<PairId>,
}

impl Default for Paths {
    fn default() -> Paths {
        Paths {
            numbers: HashTable::with_capacity(ROOM / 2),
            spans: Vec::with_capacity(ROOM / 2),
            pairs: Vec::with_capacity(ROOM.saturating_mul(4)),
        }
    }
}

/// Where the pairs of a path stand in those of all.
#[derive(Clone, Copy, Debug)]
struct Span {
    first: u32,
    count: u32,
    tells: Tells,
}

/// What is known of a path.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Number {
    Before(u32),
    New(u32),
}

impl Paths {
    /// How many pairs all paths have.
    pub(super) fn length(&self) -> usize {
        self.pairs.len()
    }

    /// Has what [`Paths::pairs`] looks at first brought into the cache.
    #[inline(always)]
    pub(super) fn fetch(&self, path: u32) {
        if let Some(span) = self.spans.get(path as usize) {
            fetch(span);
        }
    }

    /// The calls of a path, the gap in them, its creator.
    #[inline(always)]
    pub(super) fn pairs(&self, path: u32) -> Option<&[PairId]> {
        let span = self.spans.get(path as usize)?;
        self.pairs.get(span.first as usize..)?.get(..span.count as usize)
    }

    /// What its arguments can tell.
    #[inline(always)]
    pub(super) fn tells(&self, path: u32) -> Tells {
        self.spans.get(path as usize).map_or(Tells::Nothing, |span| span.tells)
    }

    /// Notes what its arguments can tell.
    pub(super) fn set_tells(&mut self, path: u32, tells: Tells) {
        if let Some(span) = self.spans.get_mut(path as usize) {
            span.tells = tells;
        }
    }

    /// The number of the path with these pairs; `None` when too many others have its hash, or there
    /// is no room for more.
    pub(super) fn number(&mut self, pairs: &[PairId]) -> Option<Number> {
        let hash = hash(pairs);
        let mut others: usize = 0;
        let same = |entry: &Entry| {
            if others >= CROWD || entry.hash != hash {
                return false;
            }
            let same = self.pairs(entry.path) == Some(pairs);
            others = others.saturating_add(usize::from(!same));
            same
        };
        if let Some(entry) = self.numbers.find(hash, same) {
            return Some(Number::Before(entry.path));
        }
        if others >= CROWD {
            return None;
        }
        let path = u32::try_from(self.spans.len()).ok()?;
        let first = u32::try_from(self.pairs.len()).ok()?;
        let count = u32::try_from(pairs.len()).ok()?;
        self.pairs.extend_from_slice(pairs);
        self.spans.push(Span { first, count, tells: Tells::Nothing });
        self.numbers.insert_unique(hash, Entry { hash, path }, |entry| entry.hash);
        Some(Number::New(path))
    }
}

fn hash(pairs: &[PairId]) -> u64 {
    pairs.iter().fold(0x9e37_79b9_7f4a_7c15, |hash: u64, pair| {
        fold(hash ^ pair.index() as u64, 0xd6e8_feb8_6659_fd93)
    })
}
