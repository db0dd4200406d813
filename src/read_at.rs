//! Bytes that can be read at any offset: files, members of archives, test data.

use crate::limits::LIMITS;
use std::io::{self, Read};
use std::ops::Deref;

/// Bytes that can be read at any offset.
pub trait ReadAt {
    /// The number of bytes.
    fn length(&self) -> u64;

    /// Reads the bytes at an offset, as many as the system returns at once.
    ///
    /// # Errors
    /// The system's error.
    fn read_at(&self, buffer: &mut [u8], at: u64) -> io::Result<usize>;

    /// The bytes from an offset on, `most` at most.
    ///
    /// # Errors
    /// The system's error.
    fn bytes_at(&self, at: u64, most: usize) -> io::Result<Vec<u8>> {
        // An empty vector would be filled in small steps, each a system call.
        let mut bytes = Vec::with_capacity(most.min(LIMITS.read_buffer));
        Tail { file: self, at }.take(most as u64).read_to_end(&mut bytes)?;
        Ok(bytes)
    }
}

/// Reads the bytes from an offset on, in order.
#[derive(Debug)]
pub struct Tail<F> {
    /// The bytes to read from.
    pub file: F,
    /// The offset of the next byte.
    pub at: u64,
}

impl<F: Deref<Target: ReadAt>> Read for Tail<F> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.file.read_at(buffer, self.at)?;
        self.at = self.at.saturating_add(count as u64);
        Ok(count)
    }
}
