//! The containers of binaries: which parts they have, in the file and in memory.

mod elf;
mod macho;
mod pe;

use super::BinaryError;
use super::bytes::{Bytes, Stream};
use crate::limits::LIMITS;
pub(crate) use elf::{named_sections, unpacked};
use object::read::{ReadCache, ReadRef};
use std::collections::BTreeMap;
use std::ops::Range;

/// The kinds of containers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    /// Linux, the BSDs and others.
    Elf,
    /// macOS and iOS.
    MachO,
    /// Windows.
    Pe,
}

/// The processors whose code and stacks are known; only tables are read of others.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Arch {
    /// x86-64.
    Amd64,
    /// AArch64.
    Arm64,
    /// Any other 64-bit, little-endian processor.
    Other,
}

/// Bytes of the file that are loaded when the program runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Segment {
    /// Their address in memory, before the program is moved.
    pub(super) address: u64,
    /// Their offset in the file.
    pub(super) offset: u64,
    /// Their number in the file.
    pub(super) size: u64,
    /// Whether they are code.
    pub(super) executable: bool,
}

/// The headers of a binary.
#[derive(Debug)]
pub(super) struct Container {
    pub(super) format: Format,
    pub(super) arch: Arch,
    /// The address at which the program starts, before it is moved.
    pub(super) base: u64,
    /// The address of the entry point, before the program is moved; 0 if the container doesn't say.
    pub(super) entry: u64,
    /// Sorted by address.
    pub(super) segments: Vec<Segment>,
    /// The section with the table of functions, in the file.
    pub(super) pclntab: Option<Range<u64>>,
    /// The section with the build info, in the file.
    pub(super) build_info: Option<Range<u64>>,
    /// Tables of relocations with addends, in the file.
    pub(super) relocations: Vec<Range<u64>>,
    /// Notes, in the file.
    pub(super) notes: Vec<Range<u64>>,
    /// Sections of DWARF, by their names.
    pub(super) debug: BTreeMap<String, DebugSection>,
}

/// A section of DWARF.
#[derive(Clone, Debug)]
pub(super) struct DebugSection {
    /// Where it is in the file.
    pub(super) range: Range<u64>,
    /// Whether it has a header and compressed bytes.
    pub(super) is_packed: bool,
}

/// Bytes that the segments of any file may have together.
const SHARED: u64 = 1 << 20;

/// The input of the readers of `object`.
type Data<'a> = &'a ReadCache<Stream<'a>>;

impl Container {
    /// Reads the headers.
    pub(super) fn read(bytes: &Bytes) -> Result<Container, BinaryError> {
        let cache = ReadCache::new(bytes.stream());
        let start: [u8; 8] = bytes.array(0).ok_or(BinaryError::Unknown)?;
        let mut container = match start {
            [0x7f, b'E', b'L', b'F', 2, 1, ..] => elf::read(&cache)?,
            [0x7f, b'E', b'L', b'F', 2, ..] => return Err(big_endian()),
            [0x7f, b'E', b'L', b'F', ..] => return Err(narrow()),
            [0xcf, 0xfa, 0xed, 0xfe, ..] => macho::read(&cache)?,
            [0xce, 0xfa, 0xed, 0xfe, ..] | [0xfe, 0xed, 0xfa, 0xce, ..] => return Err(narrow()),
            [0xfe, 0xed, 0xfa, 0xcf, ..] => return Err(big_endian()),
            // Java's class files start alike, with a version instead of the number of programs.
            [0xca, 0xfe, 0xba, 0xbe | 0xbf, 0, 0, 0, 1..=20] => {
                return Err(BinaryError::Not(
                    "is a universal binary, with one program for each processor",
                    "take out the one that ran with `lipo -thin`",
                ));
            }
            [b'M', b'Z', ..] => pe::read(&cache)?,
            [b'!', b'<', b'a', b'r', b'c', b'h', b'>', ..] => {
                return Err(BinaryError::Not("is an archive of object files", "link it first"));
            }
            _ => return Err(BinaryError::Unknown),
        };
        // Each can have 64 KiB of notes of 12 bytes, and any number of them the same ones.
        if container.notes.len() > LIMITS.binary_segments {
            return Err(BinaryError::Not(
                "has more lists of notes than a program has (binary_segments)",
                "",
            ));
        }
        // They are kept as long as the binary.
        if container.debug.len() > LIMITS.binary_segments {
            return Err(BinaryError::Not(
                "has more sections of DWARF than a program has (binary_segments)",
                "",
            ));
        }
        container.segments.retain(|segment| segment.size > 0 && segment.offset < bytes.len());
        for segment in &mut container.segments {
            segment.size = segment.size.min(bytes.len().saturating_sub(segment.offset));
        }
        // Up to 64 places of each are tried, and each is looked for in all segments: 16,000 segments took 17 seconds.
        if container.segments.len() > LIMITS.binary_segments {
            return Err(BinaryError::Not(
                "has more segments than a program has (binary_segments)",
                "",
            ));
        }
        // Linkers let them share a page at most. All are searched: 65,000 copies of one took minutes.
        let stored = container.segments.iter().map(|segment| segment.size);
        let stored = stored.fold(0, u64::saturating_add);
        if stored > bytes.len().saturating_mul(2).max(SHARED) {
            return Err(BinaryError::Damaged("its segments overlap"));
        }
        container.segments.sort_by_key(|segment| segment.address);
        Ok(container)
    }

    /// An empty container.
    fn new(format: Format, arch: Arch) -> Container {
        Container {
            format,
            arch,
            base: 0,
            entry: 0,
            segments: Vec::new(),
            pclntab: None,
            build_info: None,
            relocations: Vec::new(),
            notes: Vec::new(),
            debug: BTreeMap::new(),
        }
    }

    /// Adds a segment, unless there are too many.
    fn add(&mut self, segment: Segment) {
        if self.segments.len() < LIMITS.binary_parts {
            self.segments.push(segment);
        }
    }

    /// The offset in the file of the byte at an address, and how many bytes of its segment are left there.
    pub(super) fn offset(&self, address: u64) -> Option<(u64, u64)> {
        let after = self.segments.partition_point(|segment| segment.address <= address);
        let segment = self.segments.get(after.checked_sub(1)?)?;
        let into = address.checked_sub(segment.address)?;
        let left = segment.size.checked_sub(into).filter(|&left| left > 0)?;
        Some((segment.offset.checked_add(into)?, left))
    }

    /// The address of the byte at an offset in the file.
    pub(super) fn address(&self, offset: u64) -> Option<u64> {
        self.segments.iter().find_map(|segment| {
            let into = offset.checked_sub(segment.offset)?;
            (into < segment.size).then(|| segment.address.checked_add(into))?
        })
    }
}

/// Fails if the file ends before this part of it.
fn complete(
    data: Data,
    part: impl FnOnce() -> String,
    offset: u64,
    size: u64,
) -> Result<(), BinaryError> {
    let len = data.len().map_err(|()| BinaryError::Damaged("its size can't be told"))?;
    match offset.saturating_add(size) {
        end if end > len && size > 0 => Err(BinaryError::CutOff { len, part: part(), end }),
        _ => Ok(()),
    }
}

/// "its section .text", if the name can be printed.
fn section_named(name: Option<&[u8]>) -> String {
    let name = name.filter(|name| (1..=32).contains(&name.len()));
    match name.filter(|name| name.iter().all(u8::is_ascii_graphic)) {
        Some(name) => format!("its section {}", String::from_utf8_lossy(name)),
        None => "a section that it lists".to_owned(),
    }
}

fn narrow() -> BinaryError {
    BinaryError::Not("is a 32-bit binary; 32-bit binaries aren't read", "")
}

fn big_endian() -> BinaryError {
    BinaryError::Not("is a big-endian binary; big-endian binaries aren't read", "")
}

/// `offset..offset + size`, if that doesn't overflow.
fn range(offset: u64, size: u64) -> Option<Range<u64>> {
    Some(offset..offset.checked_add(size)?)
}
