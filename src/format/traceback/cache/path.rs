//! Paths: what goroutines with the same calls, gap and creator have in common, as lists of templates.

use super::addresses::PathAddresses;
use super::templates::{CROWD, ROOM, TemplateId, fold};
use crate::simd::prefetch;
use hashbrown::HashTable;

/// A path by the hash of its templates.
#[derive(Clone, Copy, Debug)]
struct Entry {
    hash: u64,
    path: u32,
}

/// The paths seen so far, numbered in order.
#[derive(Debug)]
pub(super) struct Paths {
    numbers: HashTable<Entry>,
    spans: Vec<Span>,
    templates: Vec<TemplateId>,
}

impl Default for Paths {
    fn default() -> Paths {
        Paths {
            numbers: HashTable::with_capacity(ROOM / 2),
            spans: Vec::with_capacity(ROOM / 2),
            templates: Vec::with_capacity(ROOM.saturating_mul(4)),
        }
    }
}

/// Where the templates of a path are in the list of all.
#[derive(Clone, Copy, Debug)]
struct Span {
    first: u32,
    count: u32,
    addresses: PathAddresses,
}

/// Whether a path was known before, and its number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Number {
    Known(u32),
    New(u32),
}

impl Paths {
    /// How many templates all paths have.
    pub(super) fn length(&self) -> usize {
        self.templates.len()
    }

    /// Prefetches what [`Paths::templates`] looks at first.
    #[inline(always)]
    pub(super) fn prefetch(&self, path: u32) {
        if let Some(span) = self.spans.get(path as usize) {
            prefetch(span);
        }
    }

    /// The calls of a path, the gap in them, its creator.
    #[inline(always)]
    pub(super) fn templates(&self, path: u32) -> Option<&[TemplateId]> {
        let span = self.spans.get(path as usize)?;
        self.templates.get(span.first as usize..)?.get(..span.count as usize)
    }

    /// The addresses in the arguments of a path's calls.
    #[inline(always)]
    pub(super) fn addresses(&self, path: u32) -> PathAddresses {
        self.spans.get(path as usize).map_or(PathAddresses::Nothing, |span| span.addresses)
    }

    /// Sets the addresses in the arguments of a path's calls.
    pub(super) fn set_addresses(&mut self, path: u32, addresses: PathAddresses) {
        if let Some(span) = self.spans.get_mut(path as usize) {
            span.addresses = addresses;
        }
    }

    /// The number of the path with these templates, which is added if it is new. `None`, and nothing is
    /// added, if [`CROWD`] other paths have its hash, or numbers run out of 32 bits.
    pub(super) fn number_of(&mut self, templates: &[TemplateId]) -> Option<Number> {
        let hash = hash(templates);
        let mut others: usize = 0;
        let same = |entry: &Entry| {
            if others >= CROWD || entry.hash != hash {
                return false;
            }
            let same = self.templates(entry.path) == Some(templates);
            others = others.saturating_add(usize::from(!same));
            same
        };
        if let Some(entry) = self.numbers.find(hash, same) {
            return Some(Number::Known(entry.path));
        }
        if others >= CROWD {
            return None;
        }
        let path = u32::try_from(self.spans.len()).ok()?;
        let first = u32::try_from(self.templates.len()).ok()?;
        let count = u32::try_from(templates.len()).ok()?;
        self.templates.extend_from_slice(templates);
        self.spans.push(Span { first, count, addresses: PathAddresses::Nothing });
        self.numbers.insert_unique(hash, Entry { hash, path }, |entry| entry.hash);
        Some(Number::New(path))
    }
}

fn hash(templates: &[TemplateId]) -> u64 {
    templates.iter().fold(0x9e37_79b9_7f4a_7c15, |hash: u64, template| {
        fold(hash ^ template.index() as u64, 0xd6e8_feb8_6659_fd93)
    })
}
