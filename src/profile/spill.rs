//! Goroutines on disk: rows that a command writes one by one needn't stay in memory until all
//! inputs are read.
//!
//! Stacks, names and samples stay in memory, as a dump of a million goroutines has few. Rows go to
//! temporary files without names, so an interrupted run leaves nothing behind.

use super::address::Addressed;
use super::{Address, Goroutine, Profile, SampleId, Wait};
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Seek, Write};
use std::path::Path;

/// Goroutines that are kept in memory before they go to disk: as many as a row group of a table
/// has.
const HELD: usize = if cfg!(test) { 4 } else { 1 << 17 };

/// The first rows of [`Profile::goroutines`] and of [`Profile::addresses`], on disk.
#[derive(Debug)]
pub struct Spill {
    goroutines: File,
    addresses: File,
    count: usize,
    address_count: usize,
}

impl Spill {
    /// Creates temporary files in this folder.
    pub(super) fn new(folder: &Path) -> io::Result<Spill> {
        Ok(Spill {
            goroutines: tempfile::tempfile_in(folder)?,
            addresses: tempfile::tempfile_in(folder)?,
            count: 0,
            address_count: 0,
        })
    }

    /// Whether a profile has so many rows that they should go to disk. Profiles with ancestors or
    /// arguments stay in memory, as these are looked up by position.
    pub(super) fn is_due(profile: &Profile) -> bool {
        let held = profile.goroutines.len().max(profile.addresses.len());
        held >= HELD && profile.ancestors.is_empty() && profile.arguments.is_empty()
    }

    /// How many goroutines are on disk.
    pub(super) fn len(&self) -> usize {
        self.count
    }

    /// Moves the rows of a profile to disk.
    pub(super) fn take(&mut self, profile: &mut Profile) -> io::Result<()> {
        let mut to = BufWriter::with_capacity(1 << 16, &self.goroutines);
        for Goroutine { id, created_by, sample, wait } in profile.goroutines.drain(..) {
            put(&mut to, &[id, created_by, pair(sample.0, bits(wait))])?;
            self.count += 1;
        }
        to.flush()?;
        let mut to = BufWriter::with_capacity(1 << 16, &self.addresses);
        for (row, words) in profile.addresses.iter() {
            let Addressed { id, sample, ordinal, wait, position, waits, lock } = *row;
            let count = u32::try_from(words.len()).unwrap_or(u32::MAX);
            let (group, wait) = (pair(sample.0, ordinal), pair(bits(wait), position));
            put(&mut to, &[id, lock.bits(), group, wait, pair(waits.into(), count)])?;
            words.iter().try_for_each(|word| put(&mut to, &[word.bits()]))?;
            self.address_count += 1;
        }
        to.flush()?;
        profile.addresses.clear();
        Ok(())
    }

    /// The goroutines, in the order in which they were moved.
    pub(super) fn goroutines(&self) -> impl Iterator<Item = io::Result<Goroutine>> {
        let mut from = from_start(&self.goroutines);
        (0..self.count).map(move |_| {
            let from = from.as_mut().map_err(copy_of)?;
            let [id, created_by, rest] = words(from)?;
            let (sample, wait) = halves(rest);
            Ok(Goroutine { id, created_by, sample: SampleId(sample), wait: wait_of(wait) })
        })
    }

    /// Calls `take` with each goroutine whose addresses are kept, in the order in which they were
    /// moved, and these.
    fn each_address(
        &self,
        take: &mut impl FnMut(&Addressed, &[Address]) -> io::Result<()>,
    ) -> io::Result<()> {
        let mut from = from_start(&self.addresses)?;
        let mut addresses = Vec::new();
        for _ in 0..self.address_count {
            let [id, lock, group, wait, rest] = words(&mut from)?;
            let ((sample, ordinal), (wait, position)) = (halves(group), halves(wait));
            let (waits, count) = halves(rest);
            let (sample, wait, lock) = (SampleId(sample), wait_of(wait), Address::from_bits(lock));
            let row = Addressed { id, sample, ordinal, wait, position, waits: waits != 0, lock };
            addresses.clear();
            for _ in 0..count {
                let [word] = words(&mut from)?;
                addresses.push(Address::from_bits(word));
            }
            take(&row, &addresses)?;
        }
        Ok(())
    }
}

fn from_start(mut file: &File) -> io::Result<BufReader<&File>> {
    file.rewind()?;
    Ok(BufReader::with_capacity(1 << 16, file))
}

fn copy_of(error: &mut io::Error) -> io::Error {
    io::Error::new(error.kind(), error.to_string())
}

fn put<const N: usize>(to: &mut impl Write, words: &[u64; N]) -> io::Result<()> {
    words.iter().try_for_each(|word| to.write_all(&word.to_le_bytes()))
}

fn words<const N: usize>(from: &mut impl Read) -> io::Result<[u64; N]> {
    let mut words = [0; N];
    for word in &mut words {
        let mut bytes = [0; 8];
        from.read_exact(&mut bytes)?;
        *word = u64::from_le_bytes(bytes);
    }
    Ok(words)
}

fn pair(high: u32, low: u32) -> u64 {
    u64::from(high) << 32 | u64::from(low)
}

fn halves(word: u64) -> (u32, u32) {
    ((word >> 32) as u32, word as u32)
}

/// All unknown waits have the same bits, those of a NaN.
fn bits(wait: Wait) -> u32 {
    wait.known().unwrap_or(f32::NAN).to_bits()
}

fn wait_of(bits: u32) -> Wait {
    Wait::minutes(f32::from_bits(bits))
}

impl Profile {
    /// How many goroutines are on disk, which come before [`Profile::goroutines`].
    pub(super) fn spilled(&self) -> usize {
        self.spill.as_ref().map_or(0, |spill| spill.len())
    }

    /// Every goroutine with its position: those on disk, then [`Profile::goroutines`].
    pub fn all_goroutines(&self) -> impl Iterator<Item = io::Result<(usize, Goroutine)>> {
        let on_disk = self.spill.iter().flat_map(|spill| spill.goroutines());
        let all = on_disk.chain(self.goroutines.iter().map(|&goroutine| Ok(goroutine)));
        all.enumerate().map(|(at, goroutine)| Ok((at, goroutine?)))
    }

    /// Calls `take` with every row of [`Profile::addresses`], those on disk first.
    ///
    /// # Errors
    /// If they can't be read from disk.
    pub fn each_address(
        &self,
        mut take: impl FnMut(&Addressed, &[Address]) -> io::Result<()>,
    ) -> io::Result<()> {
        if let Some(spill) = &self.spill {
            spill.each_address(&mut take)?;
        }
        self.addresses.iter().try_for_each(|(row, words)| take(row, words))
    }

    /// A goroutine by its position among all, if it is in memory; those with ancestors or arguments
    /// are.
    pub fn held_goroutine(&self, at: usize) -> Option<&Goroutine> {
        self.goroutines.get(at.checked_sub(self.spilled())?)
    }
}
