//! The header of Go's table from PCs to functions, files, lines and stack sizes, and where to find it.
//!
//! ```text
//! magic u32, 0, 0, quantum u8, pointer size u8,
//! functions, files, text, then from the start of the table: names, units, files, values, functions
//! ```

use super::BinaryError;
use super::bytes::Bytes;
use super::container::Container;
use crate::limits::LIMITS;
use std::ops::Range;

/// The layout of records.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Debug)]
pub(super) enum Layout {
    /// Go 1.18 and 1.19.
    Go118,
    /// Go 1.20 to 1.27.
    Go120,
}

/// The parts of the table, as offsets in the file.
#[derive(Debug)]
pub(super) struct Header {
    pub(super) layout: Layout,
    /// The smallest instruction size, the unit of distances between PCs.
    pub(super) quantum: u32,
    /// The number of functions.
    pub(super) count: u32,
    /// The address of the table in memory.
    pub(super) address: u64,
    /// The address of the names in memory, by which moduledata is recognised.
    pub(super) names_address: u64,
    /// The offset of the list of functions from the table's start.
    pub(super) functions_offset: u64,
    pub(super) names: u64,
    pub(super) units: u64,
    pub(super) files: u64,
    pub(super) values: u64,
    pub(super) functions: u64,
    /// The end of the table's segment in the file.
    pub(super) end: u64,
}

/// The size of the header.
const SIZE: usize = 72;
const MAGIC_118: u32 = 0xffff_fff0;
const MAGIC_120: u32 = 0xffff_fff1;
/// The magic numbers of Go 1.16 and of Go 1.2.
const OLD: [u32; 2] = [0xffff_fffa, 0xffff_fffb];

impl Header {
    /// Headers of possible tables, the most probable first: that in the section of this name, else all that
    /// are found by searching.
    pub(super) fn candidates(bytes: &Bytes, container: &Container) -> Vec<Header> {
        let named = container.pclntab.as_ref().and_then(|section| {
            let header: [u8; SIZE] = bytes.array(section.start)?;
            Header::parse(&header, section.start, bytes, container)
        });
        if let Some(header) = named {
            return vec![header];
        }
        let mut found = Vec::new();
        for magic in [MAGIC_120, MAGIC_118] {
            for at in starts(bytes, container, magic) {
                let header = bytes.array(at);
                found
                    .extend(header.and_then(|header| Header::parse(&header, at, bytes, container)));
                if found.len() == LIMITS.binary_candidates {
                    return found;
                }
            }
        }
        found
    }

    /// Why there is no table.
    pub(super) fn missing(bytes: &Bytes, container: &Container) -> BinaryError {
        if let Some(section) = &container.pclntab {
            return match bytes.u32(section.start) {
                Some(magic) if magic != MAGIC_118 && magic != MAGIC_120 => {
                    BinaryError::Version(magic)
                }
                _ => BinaryError::Damaged("its table of functions can't be read"),
            };
        }
        let old = OLD.into_iter().find(|&magic| {
            starts(bytes, container, magic).any(|at| {
                let start: Option<[u8; 8]> = bytes.array(at);
                start.is_some_and(|start| plausible_start(&start))
            })
        });
        old.map_or(BinaryError::NotGo, BinaryError::Version)
    }

    fn parse(header: &[u8; SIZE], at: u64, bytes: &Bytes, container: &Container) -> Option<Header> {
        let (start, words) = header.split_first_chunk::<8>()?;
        let (magic, _) = start.split_first_chunk()?;
        let layout = match u32::from_le_bytes(*magic) {
            MAGIC_118 => Layout::Go118,
            MAGIC_120 => Layout::Go120,
            _ => return None,
        };
        if !plausible_start(start) {
            return None;
        }
        let (words, _) = words.as_chunks();
        let words: [[u8; 8]; 8] = *words.first_chunk()?;
        let [count, _files, _text, names, units, files, values, functions] =
            words.map(u64::from_le_bytes);
        let count = u32::try_from(count).ok()?;
        let address = container.address(at)?;
        let (_, left) = container.offset(address)?;
        let list = u64::from(count).checked_mul(8)?.checked_add(4)?;
        let ascending = SIZE as u64 <= names
            && names < units
            && units <= files
            && files <= values
            && values < functions
            && functions.checked_add(list)? <= left;
        let counted = count > 0 && count <= LIMITS.binary_functions;
        (ascending && counted).then_some(Header {
            layout,
            quantum: start.get(6).copied()?.into(),
            count,
            address,
            names_address: address.checked_add(names)?,
            functions_offset: functions,
            names: at.checked_add(names)?,
            units: at.checked_add(units)?,
            files: at.checked_add(files)?,
            values: at.checked_add(values)?,
            functions: at.checked_add(functions)?,
            end: at.checked_add(left)?.min(bytes.len()),
        })
    }
}

/// Whether the bytes after the magic number are possible; all pointers have 8 bytes here.
fn plausible_start(start: &[u8; 8]) -> bool {
    matches!(start, [.., 0, 0, 1 | 2 | 4, 8])
}

/// The offsets of this magic number in the file, in segments and at multiples of 8.
fn starts(bytes: &Bytes, container: &Container, magic: u32) -> impl Iterator<Item = u64> {
    let [a, b, c, d] = magic.to_le_bytes();
    let ranges: Vec<Range<u64>> = (container.segments.iter())
        .map(|segment| segment.offset..segment.offset.saturating_add(segment.size))
        .collect();
    let found = ranges.into_iter().flat_map(move |range| {
        let mut places = Vec::new();
        let needle = [a, b, c, d, 0, 0];
        for at in bytes.find(range, &needle) {
            let start: Option<[u8; 8]> = bytes.array(at);
            if at % 8 == 0 && start.is_some_and(|start| plausible_start(&start)) {
                places.push(at);
            }
            if places.len() == PLACES {
                break;
            }
        }
        places
    });
    found.take(PLACES)
}

/// How many matches are tried; programs that read tables have some in their code.
const PLACES: usize = 1000;
