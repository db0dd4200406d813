//! Sets of ASCII characters.

use std::ops::{BitAnd, BitOr, Not};

/// A set of ASCII characters, a bit for each.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Set([u64; 2]);

impl Set {
    pub(super) const NONE: Set = Set([0; 2]);

    /// What `.` stands for.
    pub(super) const ANY: Set = Set([!(1 << b'\n'), u64::MAX]);

    /// The bytes of a range, both ends included.
    pub(super) fn range(from: u8, to: u8) -> Set {
        let up_to = |byte: u8| u128::MAX >> (127 - (byte & 127));
        let all = up_to(to) & !(up_to(from) >> 1);
        Set([all as u64, (all >> 64) as u64])
    }

    pub(super) fn only(byte: u8) -> Set {
        let mut set = Set::NONE;
        set.0[usize::from(byte >> 6 & 1)] = 1 << (byte & 63);
        set
    }

    pub(super) fn has(self, byte: u8) -> bool {
        self.0[usize::from(byte >> 6 & 1)] >> (byte & 63) & 1 != 0
    }

    /// All that is in it.
    fn bytes(self) -> impl Iterator<Item = u8> {
        let mut left = u128::from(self.0[0]) | u128::from(self.0[1]) << 64;
        std::iter::from_fn(move || {
            let byte = (left != 0).then(|| left.trailing_zeros() as u8)?;
            left &= left - 1;
            Some(byte)
        })
    }
}

/// Where bytes of a set are looked for: those that are few are found many at a time.
#[derive(Clone, Copy, Debug)]
pub(super) enum Seek {
    Nothing,
    One(u8),
    Two(u8, u8),
    Three(u8, u8, u8),
    OneOf(Set),
}

impl Seek {
    /// Looks for the bytes of a set.
    pub(super) fn new(set: Set) -> Seek {
        let mut bytes = set.bytes();
        match (bytes.next(), bytes.next(), bytes.next(), bytes.next()) {
            (None, ..) => Seek::Nothing,
            (Some(one), None, ..) => Seek::One(one),
            (Some(one), Some(two), None, _) => Seek::Two(one, two),
            (Some(one), Some(two), Some(three), None) => Seek::Three(one, two, three),
            _ => Seek::OneOf(set),
        }
    }

    /// The first place in a text.
    pub(super) fn first(self, text: &[u8]) -> Option<usize> {
        match self {
            Seek::Nothing => None,
            Seek::One(one) => memchr::memchr(one, text),
            Seek::Two(one, two) => memchr::memchr2(one, two, text),
            Seek::Three(one, two, three) => memchr::memchr3(one, two, three, text),
            Seek::OneOf(set) => text.iter().position(|byte| set.has(*byte)),
        }
    }

    /// The last one.
    pub(super) fn last(self, text: &[u8]) -> Option<usize> {
        match self {
            Seek::Nothing => None,
            Seek::One(one) => memchr::memrchr(one, text),
            Seek::Two(one, two) => memchr::memrchr2(one, two, text),
            Seek::Three(one, two, three) => memchr::memrchr3(one, two, three, text),
            Seek::OneOf(set) => text.iter().rposition(|byte| set.has(*byte)),
        }
    }
}

impl BitOr for Set {
    type Output = Set;

    fn bitor(self, other: Set) -> Set {
        Set([self.0[0] | other.0[0], self.0[1] | other.0[1]])
    }
}

impl BitAnd for Set {
    type Output = Set;

    fn bitand(self, other: Set) -> Set {
        Set([self.0[0] & other.0[0], self.0[1] & other.0[1]])
    }
}

impl Not for Set {
    type Output = Set;

    fn not(self) -> Set {
        Set([!self.0[0], !self.0[1]])
    }
}
