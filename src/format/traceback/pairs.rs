//! Pairs of texts that come again and again: a call and its place, the two halves of a header.
//!
//! What is found was compared byte by byte. The hash looks at the ends of the texts only: whatever
//! it leaves out, the comparison sees, and hashing every byte took a tenth of the whole time.

use super::window::{Compare, WIDTH, starts_alike};
use hashbrown::HashTable;
use std::ops::Range;

/// Pairs of one hash that are kept. A hostile text can make thousands equal; those beyond this
/// number are never found, so that each costs the same.
const CROWD: usize = 16;

/// What a pair is of; the same texts may be pairs of several sorts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Sort {
    Header,
    /// Up to the parenthesis that opens its arguments, and from the one that closes them on.
    Call,
    /// Up to the number of its goroutine, and from the end of the line on.
    Creator,
    /// One without a goroutine, as before Go 1.21.
    OldCreator,
    /// The line alone.
    Gap,
}

/// How many pairs there were before one.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub(super) struct PairId(u32);

impl PairId {
    /// How many pairs were made before this one.
    pub(super) fn index(self) -> usize {
        self.0 as usize
    }
}

/// Two parts of a text, with their hash.
#[derive(Clone, Debug)]
pub(super) struct Pair<'a> {
    sort: Sort,
    /// From the start of the first and of the second on.
    one: &'a [u8],
    two: &'a [u8],
    one_length: usize,
    two_length: usize,
    hash: u64,
}

impl<'a> Pair<'a> {
    #[inline(always)]
    pub(super) fn new(
        sort: Sort,
        text: &'a [u8],
        one: Range<usize>,
        two: Range<usize>,
    ) -> Option<Pair<'a>> {
        let one_length = one.end.checked_sub(one.start)?;
        let two_length = two.end.checked_sub(two.start)?;
        let (one, two) = (text.get(one.start..)?, text.get(two.start..)?);
        let hash = hash(sort, one.get(..one_length)?, two.get(..two_length)?);
        Some(Pair { sort, one, two, one_length, two_length, hash })
    }

    #[inline(always)]
    pub(super) fn hash(&self) -> u64 {
        self.hash
    }

    /// How long its texts are.
    #[inline(always)]
    pub(super) fn lengths(&self) -> (usize, usize) {
        (self.one_length, self.two_length)
    }

    pub(super) fn sort(&self) -> Sort {
        self.sort
    }

    pub(super) fn one(&self) -> &'a [u8] {
        self.one.get(..self.one_length).unwrap_or_default()
    }

    pub(super) fn two(&self) -> &'a [u8] {
        self.two.get(..self.two_length).unwrap_or_default()
    }
}

/// A pair that is kept.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Kept {
    pub(super) id: PairId,
    /// Where its two texts start in those of all pairs.
    pub(super) start: u32,
}

/// What is known of a pair.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Seen {
    Before(Kept),
    Never,
    /// Too many others have its hash for it to be looked up or kept.
    Crowd,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    hash: u64,
    kept: Kept,
    sort: Sort,
    one_length: u32,
    two_length: u32,
}

/// Bytes behind all texts, so that as many can always be compared.
const PADDING: usize = 2 * WIDTH;

/// The pairs seen so far.
#[derive(Debug, Default)]
pub(super) struct Pairs {
    entries: HashTable<Entry>,
    /// The texts, and [`PADDING`] behind the last.
    texts: Vec<u8>,
}

impl Pairs {
    /// Looks a pair up.
    pub(super) fn find(&self, pair: &Pair<'_>) -> Seen {
        let mut others: usize = 0;
        let same = |entry: &Entry| {
            if others >= CROWD || entry.hash != pair.hash {
                return false;
            }
            let same = self.is(entry, pair);
            others = others.saturating_add(usize::from(!same));
            same
        };
        match self.entries.find(pair.hash, same) {
            Some(entry) => Seen::Before(entry.kept),
            None if others >= CROWD => Seen::Crowd,
            None => Seen::Never,
        }
    }

    /// The texts that start there, and what follows them.
    #[inline(always)]
    pub(super) fn texts(&self, start: u32) -> Option<&[u8]> {
        self.texts.get(start as usize..)
    }

    fn is(&self, entry: &Entry, pair: &Pair<'_>) -> bool {
        let start = entry.kept.start as usize;
        let middle = start.saturating_add(pair.one_length);
        entry.sort == pair.sort
            && entry.one_length as usize == pair.one_length
            && entry.two_length as usize == pair.two_length
            && self.texts.get(start..middle) == Some(pair.one())
            && self.texts.get(middle..middle.saturating_add(pair.two_length)) == Some(pair.two())
    }

    /// Whether the texts that start there, which are so long, are those of a pair.
    #[inline(always)]
    pub(super) fn are_at(
        &self,
        start: u32,
        lengths: (usize, usize),
        pair: &Pair<'_>,
        compare: impl Compare,
    ) -> bool {
        let Some(one) = self.texts.get(start as usize..) else { return false };
        let Some(two) = one.get(pair.one_length..) else { return false };
        lengths == pair.lengths()
            && starts_alike(one, pair.one, pair.one_length, compare)
            && starts_alike(two, pair.two, pair.two_length, compare)
    }

    /// Bytes of all texts.
    pub(super) fn text_length(&self) -> usize {
        self.texts.len()
    }

    /// Where the texts of the next pair that is kept will start.
    pub(super) fn next_start(&self) -> Option<u32> {
        u32::try_from(self.texts.len().saturating_sub(PADDING)).ok()
    }

    /// Keeps a pair that was never seen; `None` when there is no room for more.
    pub(super) fn insert(&mut self, pair: &Pair<'_>) -> Option<Kept> {
        let id = PairId(u32::try_from(self.entries.len()).ok()?);
        let start = self.next_start()?;
        let kept = Kept { id, start };
        let entry = Entry {
            hash: pair.hash,
            kept,
            sort: pair.sort,
            one_length: u32::try_from(pair.one_length).ok()?,
            two_length: u32::try_from(pair.two_length).ok()?,
        };
        self.texts.truncate(start as usize);
        self.texts.extend_from_slice(pair.one());
        self.texts.extend_from_slice(pair.two());
        self.texts.extend_from_slice(&[0; PADDING]);
        self.entries.insert_unique(entry.hash, entry, |entry| entry.hash);
        Some(kept)
    }
}

/// Hashes the ends of two texts: where functions of one package differ, and places of one folder.
#[inline(always)]
fn hash(sort: Sort, one: &[u8], two: &[u8]) -> u64 {
    const ODD: [u64; 2] = [0x9e37_79b9_7f4a_7c15, 0xd6e8_feb8_6659_fd93];
    let (one_first, one_last) = match (one.first_chunk(), one.last_chunk()) {
        (Some(first), Some(last)) => (u64::from_le_bytes(*first), u64::from_le_bytes(*last)),
        _ => (short(one), 0),
    };
    let (two_first, two_last) = match two.last_chunk::<16>() {
        Some(last) => {
            let last = u128::from_le_bytes(*last);
            (last as u64, (last >> 64) as u64)
        }
        None => (short(two), 0),
    };
    let lengths = (one.len() as u64) << 34 ^ (two.len() as u64) << 3 ^ sort as u64;
    let left = one_first.wrapping_add(two_last.rotate_left(29)) ^ ODD[0];
    let right = one_last.rotate_left(11).wrapping_add(two_first).wrapping_add(lengths) ^ ODD[1];
    fold(left, right)
}

/// Multiplies two numbers and puts both halves of the product together.
#[inline(always)]
pub(super) fn fold(one: u64, other: u64) -> u64 {
    let product = u128::from(one).wrapping_mul(u128::from(other));
    product as u64 ^ (product >> 64) as u64
}

/// The bytes of a text of less than 16.
#[inline(always)]
fn short(text: &[u8]) -> u64 {
    text.iter().fold(0, |bytes: u64, &byte| bytes.rotate_left(8) ^ u64::from(byte))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn pair<'a>(sort: Sort, text: &'a [u8], cut: usize) -> Pair<'a> {
        Pair::new(sort, text, 0..cut, cut..text.len()).expect("inside the text")
    }

    proptest! {
        #[test]
        fn a_pair_is_found_by_its_own_bytes_alone(
            one in "[ab]{0,140}", two in "[ab]{0,140}", behind in "[ab]{0,80}", at in 0..280_usize,
        ) {
            let text = format!("{one}{two}{behind}").into_bytes();
            let whole = Pair::new(Sort::Call, &text, 0..one.len(), one.len()..one.len() + two.len());
            let mut pairs = Pairs::default();
            let id = pairs.insert(whole.as_ref().expect("inside the text")).expect("room");
            let mut other = format!("{one}{two}").into_bytes();
            prop_assert_eq!(pairs.find(&pair(Sort::Call, &other, one.len())), Seen::Before(id));
            prop_assert_eq!(pairs.find(&pair(Sort::Creator, &other, one.len())), Seen::Never);
            if one.len() + two.len() > 0 {
                let at = at % other.len();
                other[at] ^= 1;
                prop_assert_eq!(pairs.find(&pair(Sort::Call, &other, one.len())), Seen::Never);
                other[at] ^= 1;
                let moved = (one.len() + 1) % (other.len() + 1);
                prop_assert_eq!(pairs.find(&pair(Sort::Call, &other, moved)), Seen::Never);
            }
        }
    }

    #[test]
    fn pairs_that_crowd_behind_one_hash_are_never_taken_for_each_other() {
        let mut pairs = Pairs::default();
        let mut kept = 0;
        for number in 0..100 {
            // The hash sees the ends alone.
            let text = format!("main.aaaa{number:03}bbbbbbbb|/src/main.go:0000000012");
            let crowded = pair(Sort::Call, text.as_bytes(), 20);
            match pairs.find(&crowded) {
                Seen::Never => {
                    let id = pairs.insert(&crowded).expect("room");
                    assert_eq!(pairs.find(&crowded), Seen::Before(id));
                    kept += 1;
                }
                Seen::Crowd => {}
                Seen::Before(_) => panic!("{text} was never seen"),
            }
        }
        assert_eq!(kept, CROWD);
    }
}
