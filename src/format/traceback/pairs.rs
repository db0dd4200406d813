//! Pairs of texts that come again and again: a call and its place, the two halves of a header.
//!
//! What is found was compared byte by byte. The hash looks at the ends of the texts only: whatever
//! it leaves out, the comparison sees, and hashing every byte took a tenth of the whole time.

use crate::simd::{Machine, WIDTH};
use hashbrown::HashTable;
use std::ops::Range;

/// Pairs of one hash that are kept. A hostile text can make thousands equal; those beyond this
/// number are never found, so that each costs the same.
pub(super) const CROWD: usize = 16;

/// How many pairs there is room for at first, and half as many paths: what a dump of 1 MB has. Growing
/// from nothing, tables were moved and hashed again for 4 % of its time.
pub(super) const ROOM: usize = 1 << 10;

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

    pub(super) fn one(&self) -> &'a [u8] {
        self.one.get(..self.one_length).unwrap_or_default()
    }

    pub(super) fn two(&self) -> &'a [u8] {
        self.two.get(..self.two_length).unwrap_or_default()
    }
}

/// What is known of a pair.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Seen {
    Before(PairId),
    Never,
    /// Too many others have its hash for it to be looked up or kept.
    Crowd,
}

/// The texts of a pair, as they are kept.
#[derive(Clone, Copy, Debug)]
pub(super) struct Texts {
    /// The first bytes of the first one, and which of the window are its own.
    one_front: [u8; WIDTH],
    one_bits: u64,
    /// The same of the second one.
    two_front: [u8; WIDTH],
    two_bits: u64,
    /// Where they start among those of all pairs.
    start: u32,
    /// How long the first one is.
    pub(super) one: u16,
    /// How long the second one is.
    two: u16,
    pub(super) sort: Sort,
    /// How far into the second one the first line of a step ends.
    pub(super) lead: u8,
    /// Whether the second text ends where its line does.
    pub(super) whole: bool,
    /// Whether there is nothing more of them than their first bytes.
    short: bool,
    /// Whether they are those of a call, short and whole.
    pub(super) plain: bool,
}

impl Texts {
    /// Which bytes of two windows differ from the first ones of the texts.
    #[inline(always)]
    pub(super) fn others(
        &self,
        one: &[u8; WIDTH],
        two: &[u8; WIDTH],
        machine: impl Machine,
    ) -> u64 {
        !machine.compare(one, &self.one_front) & self.one_bits
            | !machine.compare(two, &self.two_front) & self.two_bits
    }
}

/// The pairs seen so far.
#[derive(Debug)]
pub(super) struct Pairs {
    /// By their hashes.
    numbers: HashTable<PairId>,
    hashes: Vec<u64>,
    texts: Vec<Texts>,
    /// All bytes of the texts, each second one right behind its first.
    bytes: Vec<u8>,
}

impl Default for Pairs {
    fn default() -> Pairs {
        Pairs {
            numbers: HashTable::with_capacity(ROOM),
            hashes: Vec::with_capacity(ROOM),
            texts: Vec::with_capacity(ROOM),
            bytes: Vec::with_capacity(ROOM.saturating_mul(128)),
        }
    }
}

impl Pairs {
    /// Looks a pair up.
    pub(super) fn find(&self, pair: &Pair<'_>) -> Seen {
        let mut others: usize = 0;
        let same = |id: &PairId| {
            if others >= CROWD || self.hashes.get(id.index()) != Some(&pair.hash) {
                return false;
            }
            let same = self.texts(*id).is_some_and(|texts| self.is(texts, pair));
            others = others.saturating_add(usize::from(!same));
            same
        };
        match self.numbers.find(pair.hash, same) {
            Some(&id) => Seen::Before(id),
            None if others >= CROWD => Seen::Crowd,
            None => Seen::Never,
        }
    }

    /// The texts of a pair.
    #[inline(always)]
    pub(super) fn texts(&self, id: PairId) -> Option<&Texts> {
        self.texts.get(id.index())
    }

    /// Those of all pairs.
    #[inline(always)]
    pub(super) fn all(&self) -> &[Texts] {
        &self.texts
    }

    /// The bytes of all texts.
    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    fn is(&self, texts: &Texts, pair: &Pair<'_>) -> bool {
        let kept = self.bytes.get(texts.start as usize..).unwrap_or_default();
        texts.sort == pair.sort
            && (usize::from(texts.one), usize::from(texts.two)) == pair.lengths()
            && kept.strip_prefix(pair.one()).is_some_and(|kept| kept.starts_with(pair.two()))
    }

    /// Whether two texts start with those of a pair.
    ///
    /// False too where one of them is shorter than a window, which is rare: whoever asks has another
    /// way to find out.
    #[inline(always)]
    pub(super) fn start(
        &self,
        texts: &Texts,
        one: &[u8],
        two: &[u8],
        machine: impl Machine,
    ) -> bool {
        let (Some(one_front), Some(two_front)) = (one.first_chunk(), two.first_chunk()) else {
            return false;
        };
        texts.others(one_front, two_front, machine) == 0
            && (texts.short || self.go_on(texts, one, two))
    }

    /// Whether two texts go on as those of a pair do behind their first bytes.
    fn go_on(&self, texts: &Texts, one: &[u8], two: &[u8]) -> bool {
        let kept = self.bytes.get(texts.start as usize..).unwrap_or_default();
        let goes_on = |text: &[u8], kept: &[u8], length: usize| {
            length <= WIDTH
                || kept.get(WIDTH..length).is_some_and(|kept| text.get(WIDTH..length) == Some(kept))
        };
        goes_on(one, kept, texts.one.into())
            && kept.get(texts.one.into()..).is_some_and(|kept| goes_on(two, kept, texts.two.into()))
    }

    /// Whether a pair is the one with this number; false too as for [`Pairs::start`].
    #[inline(always)]
    pub(super) fn is_at(&self, id: PairId, pair: &Pair<'_>, machine: impl Machine) -> bool {
        let Some(texts) = self.texts(id) else { return false };
        texts.sort == pair.sort
            && (usize::from(texts.one), usize::from(texts.two)) == pair.lengths()
            && self.start(texts, pair.one, pair.two, machine)
    }

    /// Where the texts of the next pair that is kept will start.
    pub(super) fn next_start(&self) -> Option<u32> {
        u32::try_from(self.bytes.len()).ok()
    }

    /// Keeps a pair that was never seen; `None` when there is no room for more.
    pub(super) fn insert(&mut self, pair: &Pair<'_>) -> Option<PairId> {
        let id = PairId(u32::try_from(self.texts.len()).ok()?);
        let (one, two) = (pair.one(), pair.two());
        let lead = memchr::memchr(b'\n', two).unwrap_or(0);
        let (one_front, one_bits) = front(one);
        let (two_front, two_bits) = front(two);
        let whole = two.ends_with(b"\n");
        let short = one.len().max(two.len()) <= WIDTH;
        self.texts.push(Texts {
            one_front,
            one_bits,
            two_front,
            two_bits,
            start: self.next_start()?,
            one: u16::try_from(one.len()).ok()?,
            two: u16::try_from(two.len()).ok()?,
            sort: pair.sort,
            lead: u8::try_from(lead).ok()?,
            whole,
            short,
            plain: pair.sort == Sort::Call && whole && short,
        });
        self.bytes.extend_from_slice(one);
        self.bytes.extend_from_slice(two);
        self.hashes.push(pair.hash);
        let hashes = &self.hashes;
        let hash_of = |id: &PairId| hashes.get(id.index()).copied().unwrap_or_default();
        self.numbers.insert_unique(pair.hash, id, hash_of);
        Some(id)
    }
}

/// The first bytes of a text, and a bit for each.
fn front(text: &[u8]) -> ([u8; WIDTH], u64) {
    let mut front = [0; WIDTH];
    let length = text.len().min(WIDTH);
    if let (Some(kept), Some(text)) = (front.get_mut(..length), text.get(..length)) {
        kept.copy_from_slice(text);
    }
    (front, !u64::MAX.unbounded_shl(length as u32))
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

/// The bytes of a text of less than 16: of more than seven, as ` minutes]:`, without asking how many.
#[inline(always)]
fn short(text: &[u8]) -> u64 {
    match (text.first_chunk(), text.last_chunk()) {
        (Some(first), Some(last)) => {
            u64::from_le_bytes(*first).rotate_left(32) ^ u64::from_le_bytes(*last)
        }
        _ => text.iter().fold(0, |bytes: u64, &byte| bytes.rotate_left(8) ^ u64::from(byte)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simd::{Task, on_this_machine};
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

    #[derive(Clone, Copy)]
    struct Starting<'a>(&'a Pairs, PairId, &'a [u8], &'a [u8]);

    impl Task for Starting<'_> {
        type Output = bool;

        #[inline(always)]
        fn run(self, machine: impl Machine) -> bool {
            let Starting(pairs, id, one, two) = self;
            pairs.texts(id).is_some_and(|texts| pairs.start(texts, one, two, machine))
        }
    }

    proptest! {
        #[test]
        fn texts_start_with_those_of_a_pair_up_to_the_first_byte_that_differs(
            one in 0..200_usize, two in 0..200_usize, more in 0..100_usize, differs in 0..500_usize,
        ) {
            let text = vec![b'a'; one + two];
            let mut pairs = Pairs::default();
            let pair = Pair::new(Sort::Call, &text, 0..one, one..one + two).expect("inside");
            let id = pairs.insert(&pair).expect("room");
            let mut texts = (vec![b'a'; one + more], vec![b'a'; two + more]);
            if let Some(byte) = texts.0.iter_mut().chain(&mut texts.1).nth(differs) {
                *byte = b'b';
            }
            let is_same = texts.0[..one] == text[..one] && texts.1[..two] == text[..two];
            let has_windows = texts.0.len().min(texts.1.len()) >= WIDTH;
            let starting = Starting(&pairs, id, &texts.0, &texts.1);
            prop_assert_eq!(on_this_machine(starting), is_same && has_windows);
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
