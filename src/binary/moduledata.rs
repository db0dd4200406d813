//! The runtime's own description of the program, `runtime.firstmoduledata`: where code starts and ends, and
//! where inline trees are. It has no name in stripped programs, so it is recognised by the two pointers
//! that it starts with.

use super::bytes::Bytes;
use super::container::Container;
use super::pclntab::{Header, Layout};
use std::collections::HashMap;
use std::ops::Range;

/// The fields that are used.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct ModuleData {
    /// The address that functions are relative to.
    pub(super) text: u64,
    /// The end of Go code.
    pub(super) end: u64,
    /// The offset in the file that inline trees are relative to.
    pub(super) inline_trees: Option<u64>,
    /// The addresses of variables with pointers: initialized ones, and those that start as zeros.
    pub(super) variables: [Range<u64>; 2],
    /// The addresses of all variables, with or without pointers.
    pub(super) all_variables: Range<u64>,
}

/// Words that are read; the last one used is at 46 in Go 1.27.
const WORDS: usize = 56;
/// The positions from here on are the same in all versions from 1.18 on.
const FUNCTION_LIST: usize = 16;
const MIN_PC: usize = 20;
const TEXT: usize = 22;
const ALL_VARIABLES: usize = 24;
/// Relocations "base + addend" on x86-64, AArch64 and RISC-V.
const RELATIVE: [u32; 3] = [8, 1027, 3];
/// The size of a relocation with an addend.
const RELOCATION: u64 = 24;
/// The most relocations to the table that are tried.
const PLACES: usize = 64;

impl ModuleData {
    /// Finds the description of the program with this table.
    pub(super) fn find(
        bytes: &Bytes,
        container: &Container,
        header: &Header,
    ) -> Option<ModuleData> {
        let mut start = [0; 16];
        let (first, second) = start.split_at_mut(8);
        first.copy_from_slice(&header.address.to_le_bytes());
        second.copy_from_slice(&header.names_address.to_le_bytes());
        // It is in writable data, which comes last: searching the table of functions before that would take
        // longer than everything else.
        let stored = container.segments.iter().rev().filter(|segment| !segment.executable);
        let found = stored.flat_map(|segment| {
            let range = segment.offset..segment.offset.saturating_add(segment.size);
            let places = bytes.find(range, &start).filter(|at| at % 8 == 0).take(PLACES);
            places.collect::<Vec<_>>()
        });
        let none = HashMap::new();
        let mut read = found.filter_map(|at| words(bytes, container.address(at)?, at, &none));
        read.find_map(|words| ModuleData::parse(&words, container, header))
            .or_else(|| ModuleData::relocated(bytes, container, header))
    }

    /// Finds it if its words are written by relocations, when the system loads the program.
    fn relocated(bytes: &Bytes, container: &Container, header: &Header) -> Option<ModuleData> {
        let starts: Vec<u64> = relocations(bytes, container)
            .filter(|&(_, value)| value == header.address)
            .map(|(address, _)| address)
            .take(PLACES)
            .collect();
        let size = (WORDS as u64).saturating_mul(8);
        let wanted = |address| {
            let mut into = starts.iter().filter_map(|&start| u64::checked_sub(address, start));
            into.any(|into| into < size)
        };
        let values: HashMap<u64, u64> =
            relocations(bytes, container).filter(|&(address, _)| wanted(address)).collect();
        starts.iter().find_map(|&start| {
            let (at, _) = container.offset(start)?;
            ModuleData::parse(&words(bytes, start, at, &values)?, container, header)
        })
    }

    fn parse(words: &[u64; WORDS], container: &Container, header: &Header) -> Option<ModuleData> {
        let [table, names, ..] = words;
        let list = words.get(FUNCTION_LIST..)?.first_chunk::<3>()?;
        let count = u64::from(header.count).checked_add(1)?;
        let [min_pc, max_pc] = *words.get(MIN_PC..)?.first_chunk()?;
        let [text, end] = *words.get(TEXT..)?.first_chunk()?;
        let [first, _, data, data_end, zeros, zeros_end, _, last] =
            *words.get(ALL_VARIABLES..)?.first_chunk()?;
        let list_address = header.address.checked_add(header.functions_offset)?;
        let fits = *table == header.address
            && *names == header.names_address
            && *list == [list_address, count, count]
            && text <= min_pc
            && min_pc < max_pc
            && max_pc <= end;
        let inline_trees = words.get(inline_trees(words, header.layout)?);
        fits.then(|| ModuleData {
            text,
            end,
            inline_trees: inline_trees.and_then(|&at| Some(container.offset(at)?.0)),
            variables: [data..data_end, zeros..zeros_end],
            all_variables: first..last,
        })
    }
}

/// The position of the word for inline trees. It is right before the list of text sections in Go 1.20 to
/// 1.25; 1.26 has another word in between. That list is the first slice from word 41 on that isn't empty
/// and has no spare capacity.
fn inline_trees(words: &[u64; WORDS], layout: Layout) -> Option<usize> {
    if layout == Layout::Go118 {
        return Some(38);
    }
    let is_list = |list: &[u64]| matches!(list, [start, len, room] if *start != 0 && *len >= 1 && *len < 1 << 16 && len == room);
    let found = words.get(41..)?.windows(3).position(is_list)?;
    if found == 0 { Some(40) } else { found.checked_add(39) }
}

/// The words at an address, with those that relocations write.
fn words(
    bytes: &Bytes,
    address: u64,
    at: u64,
    relocated: &HashMap<u64, u64>,
) -> Option<[u64; WORDS]> {
    let mut words = [0; WORDS];
    for (word, into) in words.iter_mut().zip((0_u64..).step_by(8)) {
        let stored = bytes.u64(at.checked_add(into)?)?;
        *word = relocated.get(&address.checked_add(into)?).copied().unwrap_or(stored);
    }
    Some(words)
}

/// The addresses that relocations write to, and the values, before the program is moved.
fn relocations(bytes: &Bytes, container: &Container) -> impl Iterator<Item = (u64, u64)> {
    let tables = container.relocations.iter().cloned();
    let places = tables.flat_map(|table| table.step_by(RELOCATION as usize));
    places.filter_map(|at| {
        let [low, high, kind, _, addend_low, addend_high] = bytes.words(at)?;
        let joined = |low, high| u64::from(low) | u64::from(high) << 32;
        RELATIVE.contains(&kind).then(|| (joined(low, high), joined(addend_low, addend_high)))
    })
}
