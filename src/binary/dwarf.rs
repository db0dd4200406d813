//! How much of a file's DWARF is read, which isn't trusted: `gimli` keeps abbreviations, files and ranges in
//! many times their bytes, and each unit may name the same ones.

use crate::limits::LIMITS;
use gimli::{
    AbbreviationsCacheStrategy, AttributeValue, DebugLineOffset, Dwarf, EndianSlice, LittleEndian,
    Reader, Section, SectionId, UnitHeader, UnitType,
};
use std::cell::Cell;
use std::collections::BTreeSet;

/// The bytes of a section.
pub(crate) type DebugBytes<'a> = EndianSlice<'a, LittleEndian>;

/// The bytes that the sections of a file's DWARF may still take.
#[derive(Debug)]
pub(crate) struct DebugRoom {
    most: u64,
    left: Cell<u64>,
}

/// The part of all that abbreviations may be. A byte of them takes up to 60 in memory; they are a 30th.
const ABBREVIATIONS: u64 = 16;
/// The part that lines may be. A byte of them takes up to 72 in memory.
const LINES: u64 = 4;
/// Bytes of the files in front of a unit's lines: a Go program of 2 MB has up to 4,309, CPython 803. A byte takes up to
/// 142 in memory.
const FILES: usize = 512 << 10;
/// How often all files, ranges and lines may be named by units.
const SHARED: usize = 16;
/// What units may name in addition.
const SPARE: usize = 1 << 20;

impl DebugRoom {
    /// The room for a file with so many bytes.
    pub(crate) fn of_file(len: u64) -> DebugRoom {
        let most = len.saturating_mul(LIMITS.debug_ratio).max(LIMITS.debug_from);
        let most = most.min(LIMITS.debug_total);
        DebugRoom { most, left: Cell::new(most) }
    }

    /// The bytes that its sections have so far.
    pub(crate) fn taken(&self) -> u64 {
        self.most.saturating_sub(self.left.get())
    }

    /// The section that `read` returns, given the most bytes that it may have; `None` also if it isn't needed
    /// to name calls and variables.
    pub(crate) fn section<T: AsRef<[u8]>>(
        &self,
        id: SectionId,
        read: impl FnOnce(u64) -> Option<T>,
    ) -> Option<T> {
        let most = self.left.get().min(LIMITS.debug_section);
        let most = match id {
            SectionId::DebugAbbrev => most.min(self.most / ABBREVIATIONS),
            SectionId::DebugLine => most.min(self.most / LINES),
            SectionId::DebugMacinfo | SectionId::DebugMacro | SectionId::DebugNames => return None,
            _ => most,
        };
        let bytes = read(most)?;
        self.left.set(self.left.get().saturating_sub(bytes.as_ref().len() as u64));
        Some(bytes)
    }
}

/// Prepares reading units. False if that could take more time or memory than bears a proportion to their
/// bytes.
pub(crate) fn prepare(dwarf: &mut Dwarf<DebugBytes<'_>>) -> gimli::Result<bool> {
    let (mut units, mut tables) = (0_usize, BTreeSet::new());
    let mut headers = dwarf.units();
    while let Some(header) = headers.next()? {
        tables.insert(header.debug_abbrev_offset().0);
        units = units.saturating_add(1);
        if units > LIMITS.debug_units {
            return Ok(false);
        }
    }
    let all = dwarf.debug_abbrev.reader();
    let mut left = all.len();
    for offset in tables {
        let mut table = *all;
        if table.skip(offset).is_err() {
            continue;
        }
        let before = table.len();
        // Other errors are those of the units that need it.
        if let Ok(false) = skip_abbreviations(&mut table) {
            return Ok(false);
        }
        // Real tables don't overlap.
        let Some(rest) = left.checked_sub(before.saturating_sub(table.len())) else {
            return Ok(false);
        };
        left = rest;
    }
    // Go's units share one list of abbreviations.
    dwarf.populate_abbreviations_cache(AbbreviationsCacheStrategy::Duplicates);
    let lists = [dwarf.debug_line.reader(), dwarf.ranges.debug_ranges().reader()];
    let bytes = lists.map(|it| it.len()).into_iter().fold(0, usize::saturating_add);
    let bytes = bytes.saturating_add(dwarf.ranges.debug_rnglists().reader().len());
    let mut left = bytes.saturating_mul(SHARED).saturating_add(SPARE);
    let mut headers = dwarf.units();
    while let Some(header) = headers.next()? {
        // A unit that can't be read doesn't affect the others.
        let _ = charge_unit(dwarf, header, &mut left);
        if left == 0 {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Skips a table of abbreviations; false if one of them has too many attributes: each entry has them all.
fn skip_abbreviations(table: &mut DebugBytes<'_>) -> gimli::Result<bool> {
    while table.read_uleb128()? != 0 {
        let _tag = table.read_uleb128()?;
        let _has_children = table.read_u8()?;
        let mut attributes = 0_usize;
        loop {
            let (name, form) = (table.read_uleb128()?, table.read_uleb128()?);
            if (name, form) == (0, 0) {
                break;
            }
            if form == u64::from(gimli::DW_FORM_implicit_const.0) {
                table.read_sleb128()?;
            }
            attributes = attributes.saturating_add(1);
            if attributes > LIMITS.debug_attributes {
                return Ok(false);
            }
        }
    }
    Ok(true)
}

/// Takes what reading a unit's files, lines and ranges costs from `left`.
fn charge_unit(
    dwarf: &Dwarf<DebugBytes<'_>>,
    header: UnitHeader<DebugBytes<'_>>,
    left: &mut usize,
) -> gimli::Result<()> {
    let abbreviations = dwarf.abbreviations(&header)?;
    let mut entries = header.entries_raw(&abbreviations, None)?;
    let Some(root) = entries.read_abbreviation()? else { return Ok(()) };
    let mut ranges = None;
    for attribute in root.attributes() {
        let attribute = entries.read_attribute(*attribute)?;
        match attribute.value() {
            AttributeValue::DebugLineRef(offset) => {
                // Lines of partial units aren't read, only their files.
                let is_part = matches!(header.type_(), UnitType::Partial | UnitType::Type { .. });
                let Lines { files, all } = Lines::at(dwarf, offset)?;
                *left = match files > FILES {
                    true => 0,
                    false => left.saturating_sub(if is_part { files } else { all }),
                };
            }
            value if attribute.name() == gimli::DW_AT_ranges => ranges = Some(value),
            _ => {}
        }
    }
    let Some(ranges) = ranges.filter(|_| *left > 0) else { return Ok(()) };
    let unit = dwarf.unit(header)?;
    let Some(mut list) = dwarf.attr_ranges(&unit, ranges)? else { return Ok(()) };
    while *left > 0 && list.next_raw()?.is_some() {
        *left = left.saturating_sub(1);
    }
    Ok(())
}

/// The lengths of the lines of a unit.
struct Lines {
    /// Of the files in front of them.
    files: usize,
    /// Of all.
    all: usize,
}

impl Lines {
    fn at(dwarf: &Dwarf<DebugBytes<'_>>, offset: DebugLineOffset) -> gimli::Result<Lines> {
        let mut lines = *dwarf.debug_line.reader();
        lines.skip(offset.0)?;
        let (len, format) = lines.read_initial_length()?;
        let all = len.min(lines.len());
        if lines.read_u16()? >= 5 {
            lines.skip(2)?;
        }
        let files = lines.read_length(format)?;
        Ok(Lines { files: files.min(all), all })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sections_of_one_file_share_what_bears_a_proportion_to_it() {
        let room = DebugRoom::of_file(1 << 20);
        let read = |id, len: usize| {
            room.section(id, |most| (len as u64 <= most).then(|| vec![0_u8; len])).is_some()
        };
        assert!(!read(SectionId::DebugAbbrev, (512 << 10) + 1));
        assert!(read(SectionId::DebugAbbrev, 512 << 10));
        assert!(!read(SectionId::DebugLine, (2 << 20) + 1));
        assert!(!read(SectionId::DebugMacro, 1));
        for id in [SectionId::DebugInfo, SectionId::DebugLine, SectionId::DebugStr] {
            assert!(read(id, 2 << 20));
        }
        assert!(!read(SectionId::DebugStrOffsets, 2 << 20));
        assert!(read(SectionId::DebugStrOffsets, (3 << 20) / 2));
        assert!(!read(SectionId::DebugAddr, 1));
        for (len, most) in [(0, LIMITS.debug_from), (u64::MAX, LIMITS.debug_total)] {
            assert_eq!(DebugRoom::of_file(len).left.get(), most);
        }
    }

    /// Units of version 4 with these tables of abbreviations, and the bytes of their first entries.
    fn units(tables: impl Iterator<Item = u32>, entry: &[u8]) -> Vec<u8> {
        let unit = |table: u32| {
            let len = (7 + entry.len() as u32).to_le_bytes();
            [&len[..], &[4, 0], &table.to_le_bytes(), &[8], entry].concat()
        };
        tables.flat_map(unit).collect()
    }

    fn is_prepared(info: &[u8], abbreviations: &[u8], line: &[u8], ranges: &[u8]) -> bool {
        let load = |id| {
            let bytes = match id {
                SectionId::DebugInfo => info,
                SectionId::DebugAbbrev => abbreviations,
                SectionId::DebugLine => line,
                SectionId::DebugRanges => ranges,
                _ => &[],
            };
            Ok::<_, ()>(EndianSlice::new(bytes, LittleEndian))
        };
        prepare(&mut Dwarf::load(load).unwrap()).unwrap()
    }

    #[test]
    fn abbreviations_that_units_would_each_copy_from_one_table_are_refused() {
        // DW_TAG_compile_unit without children and attributes.
        let mut table: Vec<u8> = (1..=100).flat_map(|code| [code, 0x11, 0, 0, 0]).collect();
        table.push(0);
        let of =
            |tables: &[u32]| is_prepared(&units(tables.iter().copied(), &[1]), &table, &[], &[]);
        assert!(of(&[0; 1000]));
        assert!(of(&[0, 0x500]));
        assert!(of(&[495, 500]) && !of(&[0, 5]));
        let apart = [table.clone(), table.clone()].concat();
        let both = units([0, table.len() as u32].into_iter(), &[1]);
        assert!(is_prepared(&both, &apart, &[], &[]));
    }

    #[test]
    fn an_entry_with_more_attributes_than_compilers_write_is_refused() {
        let of = |count: usize| {
            // DW_AT_external as DW_FORM_flag_present takes no bytes of the entry.
            let table = [&[1, 0x11, 0][..], &[0x3f, 0x19].repeat(count), &[0, 0, 0]].concat();
            is_prepared(&units([0].into_iter(), &[1]), &table, &[], &[])
        };
        assert!(of(LIMITS.debug_attributes));
        assert!(!of(LIMITS.debug_attributes + 1));
    }

    #[test]
    fn more_units_than_programs_have_are_refused() {
        let of = |count| is_prepared(&units(std::iter::repeat_n(0, count), &[0]), &[0], &[], &[]);
        assert!(of(LIMITS.debug_units));
        assert!(!of(LIMITS.debug_units + 1));
    }

    #[test]
    fn lines_and_ranges_that_very_many_units_name_are_refused() {
        // DW_AT_stmt_list or DW_AT_ranges as DW_FORM_sec_offset.
        let of = |attribute: u8, count| {
            let table = [1, 0x11, 0, attribute, 0x17, 0, 0, 0];
            let info = units(std::iter::repeat_n(0, count), &[1, 0, 0, 0, 0]);
            let mut line = vec![1; 1 << 16];
            line[..10].copy_from_slice(&[0xfc, 0xff, 0, 0, 4, 0, 0xf0, 0xff, 0, 0]);
            let ranges: Vec<u8> = (1..=1_u64 << 13).flat_map(u64::to_le_bytes).collect();
            is_prepared(&info, &table, &line, &ranges)
        };
        assert!(of(0x10, 10) && of(0x55, 10));
        assert!(!of(0x10, 1000) && !of(0x55, 1000));
    }

    #[test]
    fn files_of_a_unit_that_take_very_much_memory_are_refused() {
        let of = |files: usize| {
            let table = [1, 0x11, 0, 0x10, 0x17, 0, 0, 0];
            let len = (files as u32 + 6).to_le_bytes();
            let mut line = [&len[..], &[4, 0], &(files as u32).to_le_bytes()].concat();
            line.resize(line.len() + files, 1);
            is_prepared(&units([0].into_iter(), &[1, 0, 0, 0, 0]), &table, &line, &[])
        };
        assert!(of(FILES));
        assert!(!of(FILES + 1));
    }
}
