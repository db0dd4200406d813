//! Limits of unpacking: for a whole run, and for one member in proportion to its packed size.

use super::stream::Failure;
use crate::error::{Error, ErrorKind};
use crate::limits::LIMITS;
use std::cell::{Cell, RefCell};
use std::io::{self, Read, Seek, SeekFrom};
use std::rc::Rc;

/// The number of bytes that one unit is allowed to unpack. Each unit is counted on its own, so what
/// fails doesn't depend on which thread comes first; the sums are made when units are merged.
#[derive(Debug)]
pub struct Allowance {
    run: u64,
    left: u64,
    used: Cell<u64>,
}

impl Allowance {
    /// At most `left` bytes, in a run that is allowed to unpack `run` bytes in all.
    pub fn new(left: u64, run: u64) -> Allowance {
        Allowance { run, left, used: Cell::new(0) }
    }

    /// An allowance of the whole run's size, for reading something twice.
    pub(super) fn for_second_reading(&self) -> Allowance {
        Allowance::new(self.run, self.run)
    }

    /// How many bytes were unpacked, including those that exceeded the allowance.
    pub fn used(&self) -> u64 {
        self.used.get()
    }

    /// Counts bytes that were unpacked.
    pub(super) fn take(&self, bytes: u64) -> Result<(), Failure> {
        self.used.set(self.used.get().saturating_add(bytes));
        if self.used.get() > self.left { Err(failure(self.run)) } else { Ok(()) }
    }
}

/// A reader of bytes from elsewhere that counts them as they are.
pub(super) struct Metered<'a, R> {
    pub(super) inner: R,
    pub(super) allowance: &'a Allowance,
}

impl<R: Read> Read for Metered<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(buffer)?;
        self.allowance.take(count as u64)?;
        Ok(count)
    }
}

fn failure(run: u64) -> Failure {
    Failure::new(
        ErrorKind::Limit,
        format!("more than {run} bytes would be unpacked in all (total_bytes)"),
    )
    .advise("raise --max-bytes if the input can be trusted")
}

/// The error of the input with which a run has unpacked more than it is allowed to.
pub fn exhausted(input: &str, run: u64) -> Error {
    failure(run).error(input)
}

/// Facts about the packed side of a decoder.
#[derive(Clone, Debug, Default)]
pub(super) struct PackedSide(Rc<RefCell<Seen>>);

#[derive(Debug, Default)]
struct Seen {
    bytes: u64,
    ended: bool,
    failure: Option<Failure>,
}

impl PackedSide {
    /// How many bytes were read so far.
    pub(super) fn get(&self) -> u64 {
        self.0.borrow().bytes
    }

    /// Whether its end was reached.
    pub(super) fn ended(&self) -> bool {
        self.0.borrow().ended
    }

    /// Why it could not be read.
    pub(super) fn failure(&self) -> Option<Failure> {
        self.0.borrow().failure.clone()
    }
}

/// A packed stream that notes these facts while it is read.
pub(super) struct Packed<R> {
    pub(super) inner: R,
    pub(super) side: PackedSide,
}

impl<R: Read> Read for Packed<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let result = self.inner.read(buffer);
        let mut seen = self.side.0.borrow_mut();
        match &result {
            Ok(0) => seen.ended |= !buffer.is_empty(),
            Ok(count) => seen.bytes = seen.bytes.saturating_add(*count as u64),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => seen.failure = Some(Failure::of(error)),
        }
        drop(seen);
        result
    }
}

impl<R: Seek> Seek for Packed<R> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.inner.seek(to)
    }
}

/// Compares what was unpacked with its packed size, and with the allowance of the run.
#[derive(Clone, Debug)]
pub(super) struct Meter<'a> {
    pub(super) packed: PackedSide,
    pub(super) allowance: &'a Allowance,
    pub(super) produced: u64,
}

impl<'a> Meter<'a> {
    pub(super) fn new(packed: PackedSide, allowance: &'a Allowance) -> Meter<'a> {
        Meter { packed, allowance, produced: 0 }
    }

    /// Counts bytes that were unpacked.
    pub(super) fn add(&mut self, bytes: usize) -> io::Result<()> {
        self.produced = self.produced.saturating_add(bytes as u64);
        self.allowance.take(bytes as u64)?;
        let most = self.packed.get().saturating_mul(LIMITS.ratio);
        if self.produced > LIMITS.ratio_from && self.produced > most {
            let what = format!(
                "unpacks to more than {} times its size: {} bytes from {} (ratio)",
                LIMITS.ratio,
                self.produced,
                self.packed.get()
            );
            return Err(Failure::new(ErrorKind::Limit, what)
                .advise("unpack it yourself if it can be trusted")
                .into());
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_allowance_ends_for_good() {
        let allowance = Allowance::new(10, 10);
        assert!(allowance.take(10).is_ok());
        assert!(allowance.take(1).is_err());
        assert!(allowance.take(0).is_err());
        assert_eq!(allowance.used(), 11);
    }

    #[test]
    fn a_ratio_counts_only_beyond_its_floor() {
        let allowance = Allowance::new(u64::MAX, u64::MAX);
        let packed = PackedSide::default();
        packed.0.borrow_mut().bytes = 10;
        let mut meter = Meter::new(packed, &allowance);
        let floor = usize::try_from(LIMITS.ratio_from).unwrap();
        assert!(meter.add(floor).is_ok());
        assert!(meter.add(1).is_err());
    }
}
