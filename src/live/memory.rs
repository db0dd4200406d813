//! Memory that is read: that of a process, or of a core file.

/// Bytes at addresses, which aren't trusted.
pub trait Memory {
    /// Reads pieces into the buffer, in this order and without gaps. Returns how many were read in full
    /// before the first that wasn't.
    fn read_pieces(&self, pieces: &[Piece], buffer: &mut [u8]) -> usize;

    /// Whether it can't change any more: a copy, or a core file.
    fn is_frozen(&self) -> bool {
        false
    }

    /// Whether nothing can be read any more because the process has ended.
    fn has_ended(&self) -> bool {
        false
    }

    /// Fills the buffer from an address on; false if not all of it can be read.
    fn fill(&self, address: u64, buffer: &mut [u8]) -> bool {
        self.read_pieces(&[Piece { address, len: buffer.len() }], buffer) == 1
    }

    /// The `N` bytes at an address.
    fn array<const N: usize>(&self, address: u64) -> Option<[u8; N]> {
        let mut bytes = [0; N];
        self.fill(address, &mut bytes).then_some(bytes)
    }

    /// The word at an address.
    fn word(&self, address: u64) -> Option<u64> {
        self.array(address).map(u64::from_le_bytes)
    }
}

/// A range of memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Piece {
    /// The address of the first byte.
    pub address: u64,
    /// The number of bytes.
    pub len: usize,
}

/// The most pieces that the kernel reads in one call (`UIO_MAXIOV`).
pub(super) const PIECES: usize = 1024;
