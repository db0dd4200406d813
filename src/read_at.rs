//! Bytes that can be read from anywhere: files, members of archives, what a test makes up.

use crate::limits::LIMITS;
use std::io::{self, Read};
use std::ops::Deref;

/// Bytes that can be read from anywhere.
pub trait ReadAt {
    /// How many there are.
    fn length(&self) -> u64;

    /// Reads what stands at a place, as much as the system gives at once.
    ///
    /// # Errors
    /// What the system says.
    fn read_at(&self, buffer: &mut [u8], at: u64) -> io::Result<usize>;

    /// The bytes from a place on, at most so many.
    ///
    /// # Errors
    /// What the system says.
    fn bytes_at(&self, at: u64, most: usize) -> io::Result<Vec<u8>> {
        // A vector without room is filled in small steps, each a system call.
        let mut bytes = Vec::with_capacity(most.min(LIMITS.read_buffer));
        Tail { file: self, at }.take(most as u64).read_to_end(&mut bytes)?;
        Ok(bytes)
    }
}

/// The bytes from a place on, one after the other.
#[derive(Debug)]
pub struct Tail<F> {
    /// What is read.
    pub file: F,
    /// Where the next byte stands.
    pub at: u64,
}

impl<F: Deref<Target: ReadAt>> Read for Tail<F> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.file.read_at(buffer, self.at)?;
        self.at = self.at.saturating_add(count as u64);
        Ok(count)
    }
}
