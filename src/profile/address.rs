//! Addresses among the arguments of single goroutines' calls.

use super::slices::Slices;
use super::{SampleId, Wait};

/// An address among the arguments of a call, the position of that call in its stack, and whether Go
/// was sure of the address: `0xc0000120a0?` may be an earlier value of the argument.
///
/// It is a single word, as a dump has many; 57 bits are enough for addresses on the platforms that
/// Go runs on.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Address(u64);

impl Address {
    const UNSURE: u64 = 1 << 63;
    const FRAME: u32 = 57;
    const LAST_FRAME: u64 = 63;

    /// No address.
    pub const NONE: Address = Address(0);

    /// The first page is never mapped: lower words are numbers.
    const LEAST: u64 = 1 << 12;

    /// An address from a word as printed; `None` if the word can't be an address.
    pub fn new(word: u64, sure: bool, frame: usize) -> Option<Address> {
        if !(Self::LEAST..1 << Self::FRAME).contains(&word) {
            return None;
        }
        let frame = u64::try_from(frame).unwrap_or(u64::MAX).min(Self::LAST_FRAME);
        Some(Address(word | frame << Self::FRAME | if sure { 0 } else { Self::UNSURE }))
    }

    /// Whether this is an address.
    pub fn is_some(self) -> bool {
        self != Self::NONE
    }

    /// The address, its frame and its certainty, as a number.
    pub fn bits(self) -> u64 {
        self.0
    }

    /// The address from such a number.
    pub fn from_bits(bits: u64) -> Address {
        Address(bits)
    }

    /// The address.
    pub fn word(self) -> u64 {
        self.0 & ((1 << Self::FRAME) - 1)
    }

    /// Whether Go was sure of it.
    pub fn is_sure(self) -> bool {
        self.0 & Self::UNSURE == 0
    }

    /// The position of the call in the stack, leaf first; beyond the 64th frame that of the 64th.
    pub fn frame(self) -> usize {
        (self.0 >> Self::FRAME & Self::LAST_FRAME) as usize
    }
}

/// A goroutine whose addresses are kept.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Addressed {
    /// Its id.
    pub id: u64,
    /// The sample it counts in.
    pub sample: SampleId,
    /// How many goroutines of its sample come before it.
    pub ordinal: u32,
    /// How long it has been blocked.
    pub wait: Wait,
    /// Its position in [`Profile::goroutines`](super::Profile::goroutines), if that is kept.
    pub(super) position: u32,
    /// Whether it is in a function that waits: for a lock, a WaitGroup, a Cond, a channel.
    pub waits: bool,
    /// The address of what it waits for, if known.
    pub lock: Address,
}

impl Addressed {
    pub(super) const NO_POSITION: u32 = u32::MAX;

    /// Its position in [`Profile::goroutines`](super::Profile::goroutines), if that is kept.
    pub fn position(&self) -> Option<usize> {
        (self.position != Self::NO_POSITION).then_some(self.position as usize)
    }
}

/// The goroutines whose addresses are kept, in the order of the inputs: those that wait, and the
/// first other ones of each sample, as others may wait for them.
#[derive(Clone, Debug, Default)]
pub struct Addresses {
    rows: Vec<Addressed>,
    words: Slices<Address>,
}

impl Addresses {
    pub(super) fn push(&mut self, row: Addressed, words: &[Address]) {
        self.rows.push(row);
        self.words.push(words);
    }

    pub(super) fn forget_waits(&mut self) {
        self.rows.iter_mut().for_each(|row| row.wait = Wait::UNKNOWN);
    }

    pub(super) fn rows_mut(&mut self) -> impl Iterator<Item = &mut Addressed> {
        self.rows.iter_mut()
    }

    /// The goroutine of this row.
    pub fn row(&self, at: usize) -> &Addressed {
        &self.rows[at]
    }

    pub(super) fn clear(&mut self) {
        self.rows.clear();
        self.words.truncate(0);
    }

    /// How many goroutines there are.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Each goroutine, and the addresses in the arguments of its calls, leaf first: the receivers
    /// of methods and, for goroutines that wait for something, other arguments too.
    pub fn iter(&self) -> impl Iterator<Item = (&Addressed, &[Address])> {
        self.rows.iter().zip(self.words.iter())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_keeps_its_word_its_frame_and_its_doubt() {
        for (word, sure, frame) in [(0xc0_0001_20a0, true, 0), (0x2e32_9e4a_0450, false, 63)] {
            let address = Address::new(word, sure, frame).unwrap();
            assert_eq!((address.word(), address.is_sure(), address.frame()), (word, sure, frame));
        }
        assert_eq!(Address::new(0xc0_0001_20a0, true, 5000).unwrap().frame(), 63);
    }

    #[test]
    fn numbers_are_no_addresses() {
        for word in [0, 1, 0xfff, u64::MAX, 1 << 57] {
            assert_eq!(Address::new(word, true, 0), None, "{word:#x}");
        }
    }
}
