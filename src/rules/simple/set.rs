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
        (from..=to).fold(Set::NONE, |set, byte| set | Set::only(byte))
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
    pub(super) fn bytes(self) -> impl Iterator<Item = u8> {
        (0..128).filter(move |byte| self.has(*byte))
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
