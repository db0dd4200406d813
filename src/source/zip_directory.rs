//! What the zip crate doesn't show: members of equal names, of which it keeps the last, and members
//! laid over one another.

use super::extent::Extent;
use super::stream::Failure;
use crate::error::ErrorKind;
use std::collections::HashMap;
use std::io::{self, BufReader, Read};

/// Entries of the central directory begin with this.
const ENTRY: &[u8] = b"PK\x01\x02";
/// An entry's fields of fixed length.
const ENTRY_LENGTH: usize = 46;
/// A member's own header has this length without its name.
const LOCAL_LENGTH: u64 = 30;

/// Where one entry says that its member lies.
struct Range {
    start: u64,
    end: u64,
    name: u32,
}

/// Walks over the central directory and compares it with the number of members that are shown.
pub(super) fn problems(
    extent: &Extent,
    directory: u64,
    offset: u64,
    shown: usize,
) -> io::Result<Vec<Failure>> {
    let rest = extent.length().saturating_sub(directory);
    let mut reader = BufReader::new(extent.part(directory, rest));
    let mut names = HashMap::<Vec<u8>, u32>::new();
    let mut twice: Option<Vec<u8>> = None;
    let mut repeated_folders: usize = 0;
    let mut ranges = Vec::new();
    let mut header = [0; ENTRY_LENGTH];
    let mut variable = Vec::new();
    loop {
        match reader.read_exact(&mut header) {
            Ok(()) if header.starts_with(ENTRY) => {}
            Err(error) if error.kind() != io::ErrorKind::UnexpectedEof => return Err(error),
            _ => break,
        }
        let [name, extra, comment] = [28, 30, 32].map(|at| number(&header, at, 2));
        variable.clear();
        let length = name.saturating_add(extra).saturating_add(comment);
        reader.by_ref().take(length).read_to_end(&mut variable)?;
        let (name_bytes, extra_bytes) =
            variable.split_at_checked(name as usize).unwrap_or((&variable, b""));
        let entry = Entry::new(&header, extra_bytes);
        let count = u32::try_from(names.len()).unwrap_or(u32::MAX);
        let id = match names.get(name_bytes) {
            // A folder holds nothing, so that some writers list it twice harms nobody.
            Some(&id) if name_bytes.ends_with(b"/") => {
                repeated_folders = repeated_folders.saturating_add(1);
                id
            }
            Some(&id) => {
                twice.get_or_insert_with(|| name_bytes.to_vec());
                id
            }
            None => {
                names.insert(name_bytes.to_vec(), count);
                count
            }
        };
        let start = offset.saturating_add(entry.start);
        let end =
            start.saturating_add(LOCAL_LENGTH).saturating_add(name).saturating_add(entry.packed);
        ranges.push(Range { start, end, name: id });
    }
    let mut problems = Vec::new();
    let listed = ranges.len().saturating_sub(repeated_folders);
    if listed > shown.min(names.len()) {
        let mut what = format!(
            "the zip archive lists {} members, but only {} can be told apart",
            listed,
            names.len().min(shown)
        );
        if let Some(name) = &twice {
            what = format!("{what}: {:?} stands more than once", String::from_utf8_lossy(name));
        }
        problems.push(
            Failure::new(ErrorKind::Damaged, what)
                .at_byte(directory)
                .advise("only the last member of each name is read; pack it again"),
        );
    }
    ranges.sort_by_key(|range| (range.start, range.end, range.name));
    let overlap = ranges.windows(2).find_map(|pair| match pair {
        [first, second] if second.start < first.end => Some(second.start),
        _ => None,
    });
    if let Some(at) = overlap {
        problems.push(
            Failure::new(ErrorKind::Damaged, "members of the zip archive lie over one another")
                .at_byte(at)
                .advise("it may be made to unpack without end; don't trust it"),
        );
    }
    Ok(problems)
}

/// Where an entry's member starts and how long it is, packed.
struct Entry {
    start: u64,
    packed: u64,
}

impl Entry {
    /// From the fixed fields, or from the zip64 field where they are filled with ones.
    fn new(header: &[u8], extra: &[u8]) -> Entry {
        const FULL: u64 = 0xffff_ffff;
        let mut entry = Entry { packed: number(header, 20, 4), start: number(header, 42, 4) };
        let mut fields = extra;
        while let Some((head, rest)) = fields.split_at_checked(4) {
            let length = number(head, 2, 2) as usize;
            let Some((value, rest)) = rest.split_at_checked(length) else { break };
            if number(head, 0, 2) == 1 {
                // Only those that don't fit above are there, in this order.
                let mut at = if number(header, 24, 4) == FULL { 8 } else { 0 };
                if entry.packed == FULL {
                    entry.packed = number(value, at, 8);
                    at = at.saturating_add(8);
                }
                if entry.start == FULL {
                    entry.start = number(value, at, 8);
                }
            }
            fields = rest;
        }
        entry
    }
}

/// A little-endian number; 0 where the bytes end before it does.
fn number(bytes: &[u8], at: usize, length: usize) -> u64 {
    let bytes = bytes.get(at..at.saturating_add(length)).unwrap_or_default();
    bytes.iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte))
}
