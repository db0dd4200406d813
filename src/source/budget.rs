//! Limits of unpacking: for a whole run, and for an archive and each member in proportion to its packed size.

use super::stream::Failure;
use crate::error::{Error, ErrorKind};
use crate::limits::{LIMITS, Limits};
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
    /// How many bytes may be used until the innermost archive is done.
    archive: Cell<u64>,
}

/// How many bytes all members of an archive of this size may unpack to, what is packed in them included.
pub(super) fn of_archive(packed: u64) -> u64 {
    packed.saturating_mul(LIMITS.ratio).max(LIMITS.archive_ratio_from)
}

impl Allowance {
    /// At most `left` bytes, in a run that is allowed to unpack `run` bytes in all.
    pub fn new(left: u64, run: u64) -> Allowance {
        Allowance { run, left, used: Cell::new(0), archive: Cell::new(u64::MAX) }
    }

    /// At most `archive` bytes, as that is what the whole archive of the unit may unpack to.
    pub fn within(self, archive: Option<u64>) -> Allowance {
        Allowance { archive: Cell::new(archive.unwrap_or(u64::MAX)), ..self }
    }

    /// Counts what an archive of this size unpacks to, until it is left with the number that is returned.
    pub(super) fn enter_archive(&self, packed: u64) -> u64 {
        let most = self.used().saturating_add(of_archive(packed));
        let outer = self.archive.get();
        self.archive.replace(most.min(outer))
    }

    /// Goes on with the archive outside.
    pub(super) fn leave_archive(&self, outer: u64) {
        self.archive.set(outer);
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
        match self.used.get() {
            used if used > self.left => Err(failure(self.run)),
            used if used > self.archive.get() => Err(archive_failure()),
            _ => Ok(()),
        }
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

fn archive_failure() -> Failure {
    let Limits { ratio, archive_ratio_from, .. } = LIMITS;
    let from = archive_ratio_from >> 20;
    let what = format!(
        "its archive unpacks to more than {ratio} times its size, and more than {from} MiB (archive_ratio_from)"
    );
    Failure::new(ErrorKind::Limit, what).advise("unpack it yourself if it can be trusted")
}

/// The error of the input with which an archive has unpacked to more than it may.
pub fn archive_exhausted(input: &str) -> Error {
    archive_failure().error(input)
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
    fn archives_in_each_other_count_together_and_those_side_by_side_do_not() {
        let allowance = Allowance::new(u64::MAX, u64::MAX);
        let most = of_archive(0);
        let failed = |bytes| allowance.take(bytes).err().map(|failure| failure.to_string());
        for _ in 0..2 {
            let outside = allowance.enter_archive(LIMITS.archive_ratio_from);
            for _ in 0..2 {
                let outer = allowance.enter_archive(0);
                assert_eq!(failed(most), None);
                assert!(failed(1).unwrap().contains("(archive_ratio_from)"));
                allowance.leave_archive(outer);
            }
            assert_eq!(failed(LIMITS.archive_ratio_from * (LIMITS.ratio - 2) - 2), None);
            assert!(failed(1).is_some());
            allowance.leave_archive(outside);
        }
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
