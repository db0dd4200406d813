//! The memory of what is read: of a process, of a core file.

/// Bytes at addresses. Nothing of what they say can be relied on.
pub trait Memory {
    /// Reads pieces of memory one right after the other, in this order, into the buffer, where they lie
    /// without gaps. Tells how many of the first ones were read whole.
    fn read_pieces(&self, pieces: &[Piece], buffer: &mut [u8]) -> usize;

    /// Whether nothing of it changes any more.
    fn stands_still(&self) -> bool {
        false
    }

    /// Whether there is nothing to be read any more: the process has ended.
    fn has_ended(&self) -> bool {
        false
    }

    /// Fills the buffer with the bytes from an address on; false if they can't all be read.
    fn fill(&self, address: u64, buffer: &mut [u8]) -> bool {
        self.read_pieces(&[Piece { address, len: buffer.len() }], buffer) == 1
    }

    /// So many bytes from an address on.
    fn array<const N: usize>(&self, address: u64) -> Option<[u8; N]> {
        let mut bytes = [0; N];
        self.fill(address, &mut bytes).then_some(bytes)
    }

    /// The word at an address.
    fn word(&self, address: u64) -> Option<u64> {
        self.array(address).map(u64::from_le_bytes)
    }
}

/// Where some bytes are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Piece {
    /// The address of the first byte.
    pub address: u64,
    /// How many there are.
    pub len: usize,
}

/// Pieces that the kernel takes in one call (`UIO_MAXIOV`).
pub(super) const PIECES: usize = 1024;
