//! The contents of a core file: memory by address, and notes.

use super::notes::Notes;
use crate::binary::{Arch, Binary, Slide};
use crate::error::{Error, ErrorKind, Result};
use crate::limits::LIMITS;
use crate::live::memory::{Memory, Piece};
use crate::read_at::{ReadAt, Tail};
use std::cell::OnceCell;
use std::io::{self, Read};

/// A core file whose headers were read.
pub(super) struct CoreFile<'a> {
    file: Bytes<'a>,
    /// Its processor.
    pub(super) arch: Arch,
    /// The memory, by ascending address.
    segments: Vec<Segment>,
    pub(super) notes: Notes,
    missing: u64,
}

/// A range of memory that the file has.
#[derive(Clone, Copy, Debug)]
struct Segment {
    address: u64,
    offset: u64,
    size: u64,
}

/// The bytes of the file, and the first error from reading them.
pub(super) struct Bytes<'a> {
    file: &'a dyn ReadAt,
    failure: OnceCell<io::Error>,
}

impl Bytes<'_> {
    /// Fills the buffer with the bytes at `at`; false if there are fewer.
    pub(super) fn fill(&self, at: u64, buffer: &mut [u8]) -> bool {
        match (Tail { file: self.file, at }).read_exact(buffer) {
            Ok(()) => return true,
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => {}
            // The first error says enough.
            Err(error) => drop(self.failure.set(error)),
        }
        false
    }

    pub(super) fn array<const N: usize>(&self, at: u64) -> Option<[u8; N]> {
        let mut bytes = [0; N];
        self.fill(at, &mut bytes).then_some(bytes)
    }
}

// Of `Elf64_Ehdr`, `Elf64_Phdr` and `Elf64_Shdr`.
const HEADER: usize = 64;
const PROGRAM_HEADER: usize = 56;
/// The field of the first section header that has the number of segments if that is 65,535 or more.
const SECTION_INFO: u64 = 44;
const MORE_SEGMENTS: u16 = 0xffff;
const PT_LOAD: u32 = 1;
const PT_NOTE: u32 = 4;

impl<'a> CoreFile<'a> {
    pub(super) fn read(file: &'a dyn ReadAt, input: &str) -> Result<CoreFile<'a>> {
        let length = file.length();
        let file = Bytes { file, failure: OnceCell::new() };
        let read = headers(&file, length, input);
        if let Some(error) = file.failure.into_inner() {
            return Err(Error::io(input, &error));
        }
        let file = Bytes { file: file.file, failure: OnceCell::new() };
        let Headers { arch, mut segments, notes, missing } = read?;
        segments.sort_by_key(|segment| segment.address);
        let notes = Notes::read(&file, &notes);
        Ok(CoreFile { file, arch, segments, notes, missing })
    }

    /// Bytes of segments that the file lists but doesn't have, because it is cut off.
    pub(super) fn missing(&self) -> u64 {
        self.missing
    }

    /// Why a part of the file couldn't be read.
    pub(super) fn failure(&self) -> Option<&io::Error> {
        self.file.failure.get()
    }

    /// The memory; what the core lacks comes from the program's file, which was moved by `slide`.
    pub(super) fn memory<'m>(&'m self, binary: &'m Binary, slide: Slide) -> CoreMemory<'m> {
        CoreMemory { core: self, binary, slide }
    }

    /// Reads from an address on, up to the end of its segment; returns how many bytes.
    fn read_some(&self, address: u64, buffer: &mut [u8]) -> usize {
        let after = self.segments.partition_point(|segment| segment.address <= address);
        let mut read = || {
            let segment = self.segments.get(after.checked_sub(1)?)?;
            let into = address.checked_sub(segment.address)?;
            let left = usize::try_from(segment.size.checked_sub(into)?).unwrap_or(usize::MAX);
            let part = buffer.get_mut(..left.min(buffer.len()))?;
            self.file.fill(segment.offset.checked_add(into)?, part).then_some(part.len())
        };
        read().unwrap_or(0)
    }

    /// Fills the buffer from the core alone; false if the core doesn't have all of it.
    pub(super) fn fill(&self, address: u64, buffer: &mut [u8]) -> bool {
        fill(address, buffer, |address, buffer| self.read_some(address, buffer))
    }

    /// The environment that the program was started with, if the core has it: it lies on the first stack,
    /// between the random bytes and the program's name, which the kernel puts there.
    pub(super) fn environment(&self, memory: &impl Memory) -> Vec<u8> {
        let found = || {
            let start = self.notes.random?;
            let len = self.notes.program_name?.checked_sub(start)?;
            let len = usize::try_from(len).ok().filter(|&len| len <= LIMITS.core_environment)?;
            let mut bytes = vec![0; len];
            memory.fill(start, &mut bytes).then_some(bytes)
        };
        found().unwrap_or_default()
    }
}

struct Headers {
    arch: Arch,
    segments: Vec<Segment>,
    /// Offsets and sizes of the notes in the file.
    notes: Vec<(u64, u64)>,
    missing: u64,
}

fn headers(file: &Bytes, length: u64, input: &str) -> Result<Headers> {
    let unknown = |what: &str| Error::new(ErrorKind::Unknown, input, what);
    let damaged = |what: &str| Error::new(ErrorKind::Damaged, input, what);
    let header: Option<[u8; HEADER]> = file.array(0);
    let header = header.ok_or_else(|| damaged("is a core file that is cut off in its header"))?;
    match header.get(4..6) {
        Some([2, 1]) => {}
        Some([1, _]) => return Err(unknown("is a core file of a 32-bit process")),
        _ => return Err(unknown("is a big-endian core file")),
    }
    let arch = match short(&header, 18) {
        Some(62) => Arch::Amd64,
        Some(183) => Arch::Arm64,
        _ => return Err(unknown("is a core file of another processor than amd64 or arm64")),
    };
    let odd = || damaged("is a damaged core file: its header can't be believed");
    let (Some(start), Some(sections), Some(count)) =
        (word(&header, 32), word(&header, 40), short(&header, 56))
    else {
        return Err(odd());
    };
    if short(&header, 54) != Some(PROGRAM_HEADER as u16) {
        return Err(odd());
    }
    let count = match count {
        MORE_SEGMENTS => {
            let at = sections.checked_add(SECTION_INFO).filter(|_| sections > 0);
            at.and_then(|at| file.array(at)).map(u32::from_le_bytes).ok_or_else(odd)?
        }
        count => count.into(),
    };
    if count > LIMITS.core_segments {
        let what = format!("has more than {} segments (core_segments)", LIMITS.core_segments);
        return Err(Error::new(ErrorKind::Limit, input, what));
    }
    let (mut segments, mut notes, mut missing) = (Vec::new(), Vec::new(), 0_u64);
    let mut left = length;
    for at in (start..).step_by(PROGRAM_HEADER).take(count as usize) {
        let Some(header) = file.array::<PROGRAM_HEADER>(at) else {
            return Err(damaged("is a core file that is cut off in its list of segments"));
        };
        let [offset, address, size] = [8, 16, 32].map(|at| word(&header, at).unwrap_or_default());
        // Fewer bytes if the file is cut off. No two segments have the same ones.
        let present = size.min(length.saturating_sub(offset)).min(left);
        left = left.saturating_sub(present);
        missing = missing.saturating_add(size.saturating_sub(present));
        match header.first_chunk().map(|kind| u32::from_le_bytes(*kind)) {
            Some(PT_LOAD) if present > 0 => {
                segments.push(Segment { address, offset, size: present })
            }
            Some(PT_NOTE) => notes.push((offset, present)),
            _ => {}
        }
    }
    Ok(Headers { arch, segments, notes, missing })
}

/// The 64 bits at an offset.
pub(super) fn word(bytes: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
}

/// The 32 bits at an offset.
pub(super) fn half(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
}

fn short(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
}

/// Fills a buffer with as many reads as it takes: ranges cross from one segment into the next.
fn fill(mut address: u64, mut buffer: &mut [u8], read: impl Fn(u64, &mut [u8]) -> usize) -> bool {
    while !buffer.is_empty() {
        let count = read(address, buffer);
        let Some(rest) = buffer.get_mut(count..).filter(|_| count > 0) else { return false };
        let Some(next) = address.checked_add(count as u64) else { return rest.is_empty() };
        (buffer, address) = (rest, next);
    }
    true
}

/// The memory of a process that has ended. What the core doesn't have is read from the program's file.
pub(super) struct CoreMemory<'a> {
    core: &'a CoreFile<'a>,
    binary: &'a Binary,
    slide: Slide,
}

impl Memory for CoreMemory<'_> {
    fn read_pieces(&self, pieces: &[Piece], mut buffer: &mut [u8]) -> usize {
        for (read, piece) in pieces.iter().enumerate() {
            let Some(into) = buffer.split_off_mut(..piece.len) else { return read };
            let read_some = |address, into: &mut [u8]| match self.core.read_some(address, into) {
                // One page at a time: a core may have some pages of a segment and not others.
                0 => {
                    let page = PAGE.saturating_sub(address % PAGE);
                    let len = into.len().min(usize::try_from(page).unwrap_or(usize::MAX));
                    let into = into.get_mut(..len).unwrap_or_default();
                    self.binary.read_memory(self.slide.to_binary(address), into)
                }
                count => count,
            };
            if !fill(piece.address, into, read_some) {
                return read;
            }
        }
        pieces.len()
    }

    fn is_frozen(&self) -> bool {
        true
    }
}

/// Cores have memory in multiples of at least this many bytes.
const PAGE: u64 = 4096;
