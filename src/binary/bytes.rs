//! The bytes of a binary, read when they are needed.

use crate::limits::LIMITS;
use std::borrow::Cow;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, OnceLock};

/// The bytes of a file, read in chunks when they are first needed, or bytes in memory.
///
/// A file isn't mapped: that needs `unsafe`, and if the file was cut meanwhile it would end the program.
/// Chunks are kept, as tables are read many times.
#[derive(Debug)]
pub(super) struct Bytes {
    len: u64,
    storage: Storage,
    failure: OnceLock<io::Error>,
    /// Steps through tables, and bytes of names, that may still be read.
    steps: AtomicU64,
}

#[derive(Debug)]
enum Storage {
    Memory(Vec<u8>),
    File { file: Mutex<File>, chunks: Vec<OnceLock<Box<[u8]>>> },
}

const CHUNK: usize = LIMITS.binary_chunk;

impl Bytes {
    /// Bytes in memory.
    pub(super) fn from_memory(bytes: Vec<u8>) -> Bytes {
        Bytes::new(bytes.len() as u64, Storage::Memory(bytes))
    }

    /// The bytes of a file of this length.
    pub(super) fn from_file(file: File, len: u64) -> Bytes {
        let count = len.div_ceil(CHUNK as u64) as usize;
        let chunks = std::iter::repeat_with(OnceLock::new).take(count).collect();
        Bytes::new(len, Storage::File { file: Mutex::new(file), chunks })
    }

    fn new(len: u64, storage: Storage) -> Bytes {
        let steps = AtomicU64::new(LIMITS.lookup_steps);
        Bytes { len, storage, failure: OnceLock::new(), steps }
    }

    /// The number of bytes.
    pub(super) fn len(&self) -> u64 {
        self.len
    }

    /// Why a part of it couldn't be read.
    pub(super) fn failure(&self) -> Option<&io::Error> {
        self.failure.get()
    }

    /// Steps through tables that may still be taken.
    pub(super) fn steps_left(&self) -> u64 {
        self.steps.load(Ordering::Relaxed)
    }

    /// Counts steps that were taken. After the last one nothing is looked up any more, which is a failure.
    pub(super) fn count_steps(&self, count: u64) {
        let less = |left: u64| Some(left.saturating_sub(count));
        let before = self.steps.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less);
        if before.is_ok_and(|before| before <= count) {
            let most = LIMITS.lookup_steps;
            self.refuse(format!(
                "its tables and names take more than {most} steps to look at (lookup_steps)"
            ));
        }
    }

    /// Notes that a part of it is too large to be read.
    pub(super) fn refuse(&self, what: String) {
        // The first failure says enough.
        self.failure.get_or_init(|| io::Error::other(what));
    }

    /// The bytes from `offset` to the end of its chunk. Empty past the end.
    pub(super) fn part(&self, offset: u64) -> &[u8] {
        let Ok(at) = usize::try_from(offset) else {
            return &[];
        };
        match &self.storage {
            Storage::Memory(bytes) => bytes.get(at..).unwrap_or_default(),
            Storage::File { file, chunks } => {
                let Some(chunk) = chunks.get(at / CHUNK) else {
                    return &[];
                };
                let bytes = chunk.get_or_init(|| {
                    let start = offset.saturating_sub((at % CHUNK) as u64);
                    let len = self.len.saturating_sub(start).min(CHUNK as u64) as usize;
                    read_chunk(file, start, len).unwrap_or_else(|error| {
                        // The first error says enough.
                        let _ = self.failure.set(error);
                        Box::default()
                    })
                });
                bytes.get(at % CHUNK..).unwrap_or_default()
            }
        }
    }

    /// Fills the buffer with the bytes from `offset` on; false if there are fewer.
    pub(super) fn fill(&self, mut offset: u64, mut buffer: &mut [u8]) -> bool {
        while !buffer.is_empty() {
            let part = self.part(offset);
            let len = part.len().min(buffer.len());
            let (Some(from), Some((to, rest))) =
                (part.get(..len), buffer.split_at_mut_checked(len))
            else {
                return false;
            };
            if from.is_empty() {
                return false;
            }
            to.copy_from_slice(from);
            buffer = rest;
            offset = offset.saturating_add(len as u64);
        }
        true
    }

    /// The `N` bytes from `offset` on, if there are that many.
    pub(super) fn array<const N: usize>(&self, offset: u64) -> Option<[u8; N]> {
        // They are nearly always in one chunk.
        if let Some(bytes) = self.part(offset).first_chunk() {
            return Some(*bytes);
        }
        let mut bytes = [0; N];
        self.fill(offset, &mut bytes).then_some(bytes)
    }

    /// The 32 bits at an offset.
    pub(super) fn u32(&self, offset: u64) -> Option<u32> {
        self.array(offset).map(u32::from_le_bytes)
    }

    /// So many numbers of 32 bits from an offset on.
    pub(super) fn words<const N: usize>(&self, offset: u64) -> Option<[u32; N]> {
        let mut words = [[0; 4]; N];
        self.fill(offset, words.as_flattened_mut()).then(|| words.map(u32::from_le_bytes))
    }

    /// The 64 bits at an offset.
    pub(super) fn u64(&self, offset: u64) -> Option<u64> {
        self.array(offset).map(u64::from_le_bytes)
    }

    /// The bytes of a range; `None` if it goes past the end.
    pub(super) fn range(&self, range: Range<u64>) -> Option<Cow<'_, [u8]>> {
        let len = usize::try_from(range.end.checked_sub(range.start)?).ok()?;
        if range.end > self.len {
            return None;
        }
        if let Some(bytes) = self.part(range.start).get(..len) {
            return Some(bytes.into());
        }
        let mut bytes = vec![0; len];
        self.fill(range.start, &mut bytes).then(|| bytes.into())
    }

    /// The bytes from `offset` to a NUL; `…` stands for the rest of more than [`LIMITS`]`.binary_name`. `None` if no
    /// step may be taken any more: each byte is one, as names are copied, and any number of functions and calls can
    /// share a long one.
    pub(super) fn text(&self, offset: u64) -> Option<Cow<'_, [u8]>> {
        let text = self.text_at(offset).filter(|_| self.steps_left() > 0)?;
        self.count_steps(text.len() as u64);
        Some(text)
    }

    fn text_at(&self, offset: u64) -> Option<Cow<'_, [u8]>> {
        let start = |at, length| {
            let part = self.part(at);
            part.get(..part.len().min(length)).unwrap_or_default()
        };
        let part = start(offset, LIMITS.binary_name);
        if let Some(end) = memchr::memchr(0, part) {
            return part.get(..end).map(Cow::from);
        }
        let mut text = part.to_vec();
        while text.len() < LIMITS.binary_name {
            let at = offset.saturating_add(text.len() as u64);
            let part = start(at, LIMITS.binary_name.saturating_sub(text.len()));
            let end = memchr::memchr(0, part);
            text.extend_from_slice(part.get(..end.unwrap_or(part.len()))?);
            if end.is_some() {
                return Some(text.into());
            }
            if part.is_empty() {
                return None;
            }
        }
        text.extend_from_slice("…".as_bytes());
        Some(text.into())
    }

    /// Like [`Bytes::part`], but a chunk that has to be read isn't kept.
    fn passing_part(&self, offset: u64) -> Cow<'_, [u8]> {
        if let Storage::File { file, chunks, .. } = &self.storage
            && let Ok(at) = usize::try_from(offset)
            && let Some(chunk) = chunks.get(at / CHUNK)
            && chunk.get().is_none()
        {
            let len = CHUNK.saturating_sub(at % CHUNK) as u64;
            let len = self.len.saturating_sub(offset).min(len) as usize;
            if let Ok(bytes) = read_chunk(file, offset, len) {
                return bytes.into_vec().into();
            }
        }
        self.part(offset).into()
    }

    /// The offsets of `needle` in a range, in ascending order. Chunks that have to be read aren't kept.
    pub(super) fn find<'a>(
        &'a self,
        range: Range<u64>,
        needle: &'a [u8],
    ) -> impl Iterator<Item = u64> + 'a {
        let overlap = needle.len().saturating_sub(1);
        let finder = memchr::memmem::Finder::new(needle);
        let end = range.end.min(self.len);
        let mut at = range.start;
        // The end of the previous part, in which a match may start.
        let mut before: Vec<u8> = Vec::new();
        let parts = std::iter::from_fn(move || {
            let most = usize::try_from(end.checked_sub(at)?).unwrap_or(usize::MAX);
            let part = self.passing_part(at);
            let part = part.get(..most).unwrap_or(&part);
            if part.is_empty() {
                return None;
            }
            let start = at.saturating_sub(before.len() as u64);
            before.extend_from_slice(part.get(..overlap).unwrap_or(part));
            let across = finder.find_iter(&before).map(|found| start.saturating_add(found as u64));
            let mut found: Vec<u64> = across.filter(|&found| found < at).collect();
            found.extend(finder.find_iter(part).map(|found| at.saturating_add(found as u64)));
            before.clear();
            before.extend_from_slice(part.get(part.len().saturating_sub(overlap)..)?);
            at = at.saturating_add(part.len() as u64);
            Some(found)
        });
        parts.flatten()
    }

    /// The bytes as a stream, for readers that want one.
    pub(super) fn stream(&self) -> Stream<'_> {
        Stream { bytes: self, at: 0 }
    }
}

fn read_chunk(file: &Mutex<File>, start: u64, len: usize) -> io::Result<Box<[u8]>> {
    let mut file = file.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    file.seek(SeekFrom::Start(start))?;
    let mut bytes = vec![0; len];
    file.read_exact(&mut bytes)?;
    Ok(bytes.into_boxed_slice())
}

/// [`Bytes`] as a stream.
#[derive(Debug)]
pub(super) struct Stream<'a> {
    bytes: &'a Bytes,
    at: u64,
}

impl Read for Stream<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let part = self.bytes.part(self.at);
        let len = part.len().min(buffer.len());
        if let (Some(to), Some(from)) = (buffer.get_mut(..len), part.get(..len)) {
            to.copy_from_slice(from);
        }
        self.at = self.at.saturating_add(len as u64);
        Ok(len)
    }
}

impl Seek for Stream<'_> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let at = match to {
            SeekFrom::Start(at) => Some(at),
            SeekFrom::End(by) => self.bytes.len.checked_add_signed(by),
            SeekFrom::Current(by) => self.at.checked_add_signed(by),
        };
        self.at = at.ok_or(io::ErrorKind::InvalidInput)?;
        Ok(self.at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    /// The bytes as a file, read in chunks.
    fn on_disk(bytes: &[u8], name: &str) -> Bytes {
        let path = std::env::temp_dir().join(format!("bytes-{name}-{}", std::process::id()));
        let mut file = File::create(&path).unwrap();
        file.write_all(bytes).unwrap();
        let file = File::open(&path).unwrap();
        std::fs::remove_file(path).unwrap();
        Bytes::from_file(file, bytes.len() as u64)
    }

    #[test]
    fn what_lies_across_chunks_is_read_as_what_lies_in_one() {
        let mut plain = vec![b'.'; 3 * CHUNK + 100];
        for at in [CHUNK - 3, 2 * CHUNK - 1, 3 * CHUNK, 5] {
            plain[at..at + 6].copy_from_slice(b"needle");
        }
        plain[CHUNK + 50] = 0;
        let (file, memory) = (on_disk(&plain, "across"), Bytes::from_memory(plain));
        for range in [0..file.len(), 6..file.len(), 0..(CHUNK + 2) as u64, 0..u64::MAX] {
            let found: Vec<u64> = file.find(range.clone(), b"needle").collect();
            assert_eq!(found, memory.find(range, b"needle").collect::<Vec<_>>());
        }
        assert_eq!(file.find(0..file.len(), b"needle").count(), 4);
        let at = (CHUNK - 3) as u64;
        assert_eq!(file.array::<6>(at), Some(*b"needle"));
        assert_eq!(file.range(at..at + 6).as_deref(), Some(&b"needle"[..]));
        assert_eq!(file.text(at), memory.text(at));
        assert_eq!(file.u64(file.len() - 7), None);
        assert_eq!(file.text(file.len() - 7), None, "text without an end");
        let long = [".".repeat(LIMITS.binary_name).as_bytes(), "…".as_bytes()].concat();
        assert_eq!(file.text((CHUNK + 51) as u64).as_deref(), Some(&long[..]));
    }

    #[test]
    fn names_can_be_read_until_their_bytes_are_too_many() {
        let bytes = Bytes::from_memory(b"main.main\0".to_vec());
        bytes.count_steps(bytes.steps_left() - 19);
        for left in [10, 1, 0] {
            assert_eq!(bytes.text(0).as_deref(), Some(&b"main.main"[..]));
            assert_eq!((bytes.steps_left(), bytes.failure().is_some()), (left, left == 0));
        }
        assert_eq!(bytes.text(0), None);
        assert!(bytes.failure().unwrap().to_string().contains("(lookup_steps)"));
    }

    #[test]
    fn a_file_that_was_cut_is_told_and_read_as_nothing() {
        let bytes = on_disk(&[1; 10], "cut");
        let cut = Bytes { len: 20, ..bytes };
        assert_eq!(cut.u32(0), None);
        assert_eq!(cut.failure().map(io::Error::kind), Some(io::ErrorKind::UnexpectedEof));
    }
}
