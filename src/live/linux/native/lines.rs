//! Files and lines of addresses, from DWARF.

use super::elf::Elf;
use super::symbols::Room;
use crate::binary::dwarf::{DebugBytes, DebugRoom, prepare};
use crate::limits::LIMITS;
use addr2line::gimli::{
    self, Dwarf, DwarfSections, EndianSlice, LittleEndian, Reader, Section, SectionId, Unit,
};
use addr2line::{Context, LookupContinuation, LookupResult};
use std::borrow::Cow;
use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Lines that can't be read: damaged, too many, or compressed with something other than zlib.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Unread;

/// A call, and its source line.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(super) struct Line {
    pub(super) function: Option<String>,
    pub(super) file: Option<String>,
    pub(super) line: u32,
}

impl Line {
    /// A call with texts of a file, which are cut: calls without end can share one.
    fn new(function: Option<&str>, file: Option<&str>, line: Option<u32>) -> Line {
        let cut = |text: &str| {
            let start = text.as_bytes().get(..TEXT).unwrap_or(text.as_bytes());
            String::from_utf8_lossy(start).into_owned()
        };
        Line { function: function.map(cut), file: file.map(cut), line: line.unwrap_or(0) }
    }
}

/// The longest name, as compilers write it, or path, in bytes.
const TEXT: usize = 16 << 10;

/// The calls at each address, innermost first; addresses without lines are left out. Takes what they weigh from `room`
/// and ends where that is used up. Fails if the lines can't be read.
pub(super) fn lines(
    addresses: &[u64],
    elf: &Elf,
    room: &mut Room,
) -> Result<HashMap<u64, Vec<Line>>, Unread> {
    let is_there = |id: SectionId| elf.address_range(id.name()).is_some();
    let needed = [SectionId::DebugAbbrev, SectionId::DebugInfo, SectionId::DebugLine];
    if !needed.into_iter().all(is_there) {
        return Ok(HashMap::new());
    }
    let debug = DebugRoom::of_file(elf.len());
    let load = |id: SectionId| match debug.section(id, |most| elf.section(id.name(), most)) {
        Some(bytes) => Ok(bytes),
        None if needed.contains(&id) => Err(Unread),
        None => Ok(Cow::Borrowed(&[][..])),
    };
    let sections = DwarfSections::load(load)?;
    // A panic about a library's DWARF mustn't lose the stacks.
    let look = AssertUnwindSafe(|| {
        let dwarf = sections.borrow(|bytes| EndianSlice::new(bytes, LittleEndian));
        look(addresses, dwarf, memory_of(debug.taken(), elf.len()), room)
    });
    catch_unwind(look).ok().flatten().ok_or(Unread)
}

fn look(
    addresses: &[u64],
    mut dwarf: Dwarf<DebugBytes<'_>>,
    memory: usize,
    room: &mut Room,
) -> Option<HashMap<u64, Vec<Line>>> {
    prepare(&mut dwarf).ok().filter(|&is_bounded| is_bounded)?;
    is_bounded(&dwarf, memory).then_some(())?;
    let context = Context::from_dwarf(dwarf).ok()?;
    let mut found = HashMap::new();
    for &address in addresses {
        let mut looked = context.find_frames(address);
        let frames = loop {
            match looked {
                LookupResult::Output(frames) => break frames,
                // Lines in another file aren't read.
                LookupResult::Load { continuation, .. } => looked = continuation.resume(None),
            }
        };
        let Ok(mut frames) = frames else { continue };
        let mut lines = Vec::new();
        while let Ok(Some(frame)) = frames.next() {
            let function = frame.function.as_ref().and_then(|name| name.raw_name().ok());
            let place = frame.location.as_ref();
            let (file, line) = (place.and_then(|it| it.file), place.and_then(|it| it.line));
            let line = Line::new(function.as_deref(), file, line);
            if !room.take(line.function.as_deref(), line.file.as_deref()) {
                return Some(found);
            }
            lines.push(line);
        }
        found.insert(address, lines);
    }
    Some(found)
}

/// How often units may name each byte of a path before there is too much: a path of 100 bytes can stand in five.
const NAMED: usize = 64;
/// What they may name in addition.
const SPARE: usize = 1 << 20;
/// Bytes of memory that files, rows, functions and ranges of all units may take, for each byte of DWARF; units and
/// functions may share them. By the sizes below, those of C, C++ and Rust take 4 to 10.
const MEMORY: u64 = 16;
/// What they may take for each byte of the file; a Rust program with compressed DWARF takes 17.
const MEMORY_OF_FILE: u64 = 24;
/// What they may take in any file.
const MEMORY_FROM: u64 = 32 << 20;
/// What a row takes; the shortest instruction of a line program makes one. Lists that grow have twice their size.
const ROW: usize = 48;
/// What a function or an inlined call takes, in the same way.
const FUNCTION: usize = 160;
/// What a range takes.
const RANGE: usize = 64;

/// Bytes of memory that what is read of a file's DWARF may take.
fn memory_of(dwarf: u64, file: u64) -> usize {
    let most = dwarf.saturating_mul(MEMORY).min(file.saturating_mul(MEMORY_OF_FILE));
    usize::try_from(most.max(MEMORY_FROM)).unwrap_or(usize::MAX)
}

/// Whether `addr2line` can read functions and files: it keeps the list of files, the rows, the functions and the ranges of a
/// unit (at most `memory` bytes) and the whole path of each file, and follows inlined calls by recursion.
fn is_bounded(dwarf: &Dwarf<DebugBytes<'_>>, mut memory: usize) -> bool {
    let texts = [dwarf.debug_line.reader(), dwarf.debug_line_str.reader()];
    let texts = texts.into_iter().map(|it| it.len()).fold(0, usize::saturating_add);
    let mut paths = texts.saturating_mul(NAMED).saturating_add(SPARE);
    let mut headers = dwarf.units();
    while let Ok(Some(header)) = headers.next() {
        // What can't be read of a unit isn't read by `addr2line` either.
        let Ok(unit) = dwarf.unit(header) else { continue };
        paths = paths.saturating_sub(paths_len(dwarf, &unit));
        memory = memory.saturating_sub(lines_size(&unit));
        let is_shallow = take_entries(dwarf, &unit, &mut memory).unwrap_or(true);
        if !is_shallow || paths == 0 || memory == 0 {
            return false;
        }
    }
    true
}

type OneUnit<'a> = Unit<DebugBytes<'a>>;

/// The bytes of memory that a unit's lists of files and folders, and its rows, take.
fn lines_size(unit: &OneUnit<'_>) -> usize {
    let Some(lines) = &unit.line_program else { return 0 };
    let header = lines.header();
    let rows = header.raw_program_buf().len().saturating_mul(ROW);
    let (files, folders) = (header.file_names(), header.include_directories());
    size_of_val(files).saturating_add(size_of_val(folders)).saturating_add(rows)
}

/// The length of the paths of all files of a unit.
fn paths_len<'a>(dwarf: &Dwarf<DebugBytes<'a>>, unit: &OneUnit<'a>) -> usize {
    let Some(lines) = &unit.line_program else { return 0 };
    let header = lines.header();
    let len = |text| dwarf.attr_string(unit, text).map_or(0, |text| text.len());
    let above = unit.comp_dir.map_or(0, |folder| folder.len());
    let folders: Vec<usize> = header.include_directories().iter().map(|text| len(*text)).collect();
    let files = header.file_names().iter().map(|file| {
        // Before version 5, the first folder is that of the unit.
        let at = file.directory_index().saturating_sub(u64::from(header.version() < 5));
        let folder = usize::try_from(at).ok().and_then(|at| folders.get(at)).copied();
        len(file.path_name()).saturating_add(folder.unwrap_or(0)).saturating_add(above)
    });
    files.fold(0, usize::saturating_add)
}

/// Takes the memory for a unit's functions, inlined calls and their ranges from `left`; false if entries are nested too
/// deeply.
fn take_entries<'a>(
    dwarf: &Dwarf<DebugBytes<'a>>,
    unit: &OneUnit<'a>,
    left: &mut usize,
) -> gimli::Result<bool> {
    let mut entries = unit.entries_raw(None)?;
    while !entries.is_empty() && *left > 0 {
        if entries.next_depth() > LIMITS.inline_depth as isize {
            return Ok(false);
        }
        let Some(abbreviation) = entries.read_abbreviation()? else { continue };
        let tag = abbreviation.tag();
        // The ranges of units are kept, too.
        let keeps = match tag {
            gimli::DW_TAG_subprogram | gimli::DW_TAG_inlined_subroutine => FUNCTION,
            gimli::DW_TAG_compile_unit => RANGE,
            _ => {
                entries.skip_attributes(abbreviation.attributes())?;
                continue;
            }
        };
        let mut has_code = tag == gimli::DW_TAG_inlined_subroutine;
        for attribute in abbreviation.attributes() {
            let attribute = entries.read_attribute(*attribute)?;
            has_code |= attribute.name() == gimli::DW_AT_low_pc;
            if attribute.name() != gimli::DW_AT_ranges {
                continue;
            }
            has_code = true;
            let Some(mut list) = dwarf.attr_ranges(unit, attribute.value())? else { continue };
            while *left > 0 && list.next_raw()?.is_some() {
                *left = left.saturating_sub(RANGE);
            }
        }
        // Mere declarations aren't kept.
        *left = left.saturating_sub(if has_code { keeps } else { 0 });
    }
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::TEXT_PER_FRAME;

    /// The answer for one unit of version 4 with these entries inside it, lines and ranges.
    fn answer(entries: &[u8], line: &[u8], ranges: &[u8]) -> bool {
        answer_of(1, entries, line, ranges)
    }

    /// The answer for so many such units.
    fn answer_of(units: usize, entries: &[u8], line: &[u8], ranges: &[u8]) -> bool {
        let attributes = |list: &[u8]| [list, &[0, 0]].concat();
        let abbreviations = [
            [&[1, 0x11, 1][..], &attributes(&[0x10, 0x17])].concat(),
            [&[2, 0x2e, 0][..], &attributes(&[0x55, 0x17])].concat(),
            [&[3, 0x1d, 1][..], &attributes(&[])].concat(),
            // DW_AT_low_pc with a value that isn't in the entry.
            [&[4, 0x2e, 0][..], &attributes(&[0x11, 0x21, 1])].concat(),
            [&[5, 0x2e, 0][..], &attributes(&[])].concat(),
            vec![0],
        ];
        let abbreviations = abbreviations.concat();
        let unit = [&[4, 0, 0, 0, 0, 0, 8, 1, 0, 0, 0, 0], entries].concat();
        let info = [&(unit.len() as u32).to_le_bytes()[..], &unit].concat().repeat(units);
        let load = |id| {
            let bytes = match id {
                SectionId::DebugInfo => &info,
                SectionId::DebugAbbrev => &abbreviations[..],
                SectionId::DebugLine => line,
                SectionId::DebugRanges => ranges,
                _ => &[],
            };
            Ok::<_, ()>(EndianSlice::new(bytes, LittleEndian))
        };
        let mut dwarf = Dwarf::load(load).unwrap();
        assert!(prepare(&mut dwarf).unwrap());
        assert_eq!(dwarf.units().next().unwrap().map(|unit| dwarf.unit(unit).is_ok()), Some(true));
        is_bounded(&dwarf, memory_of(0, 0))
    }

    /// A line program of version 4 with a folder of so many bytes, and files in it.
    fn files(folder: usize, count: usize) -> Vec<u8> {
        let mut header = vec![1, 1, 1, 0xfb, 14, 13, 0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1];
        header.extend([&vec![b'd'; folder][..], &[0, 0]].concat());
        header.extend(b"a\0\x01\0\0".repeat(count));
        header.push(0);
        let len = header.len() as u32;
        let parts = [&(len + 6).to_le_bytes()[..], &[4, 0], &len.to_le_bytes(), &header];
        parts.concat()
    }

    #[test]
    fn inlined_calls_in_each_other_are_refused_before_they_take_the_stack() {
        let nested = |count: usize| [vec![3; count], vec![0; count + 1]].concat();
        let line = files(1, 1);
        assert!(answer(&nested(LIMITS.inline_depth - 1), &line, &[]));
        assert!(!answer(&nested(LIMITS.inline_depth), &line, &[]));
        assert!(!answer(&nested(1_000_000), &line, &[]));
    }

    #[test]
    fn a_list_of_ranges_that_very_many_functions_name_is_refused() {
        let ranges: Vec<u8> = (1..=20_000_u64).flat_map(u64::to_le_bytes).collect();
        let functions = |count| [2, 0, 0, 0, 0].repeat(count);
        assert!(answer(&functions(40), &files(1, 1), &ranges));
        assert!(!answer(&functions(10_000), &files(1, 1), &ranges));
    }

    #[test]
    fn a_long_folder_that_very_many_files_are_in_is_refused() {
        assert!(answer(&[0], &files(60, 10_000), &[]));
        assert!(answer(&[0], &files(10_000, 60), &[]));
        assert!(!answer(&[0], &files(10_000, 10_000), &[]));
    }

    /// One line program of 64 KB took 4 MB of rows for each of its units.
    #[test]
    fn rows_of_lines_that_very_many_units_share_are_refused() {
        let mut line = files(1, 1);
        line.resize(line.len() + (64 << 10), 0xff);
        let len = line.len() as u32 - 4;
        line[..4].copy_from_slice(&len.to_le_bytes());
        assert!(answer_of(8, &[0], &line, &[]));
        assert!(!answer_of(16, &[0], &line, &[]));
    }

    /// An entry of two bytes took 420.
    #[test]
    fn very_many_small_functions_are_refused_unless_they_have_no_code() {
        let most = MEMORY_FROM as usize / FUNCTION;
        for (abbreviation, count, expected) in
            [(4, most - 10, true), (4, most + 10, false), (5, most + 10, true)]
        {
            assert_eq!(answer(&vec![abbreviation; count], &files(1, 1), &[]), expected);
        }
    }

    /// 17 units that shared a list of 240,000 took 579 MB.
    #[test]
    fn lists_of_files_that_very_many_units_share_are_refused() {
        let line = files(1, 80_000);
        assert!(answer_of(3, &[0], &line, &[]));
        assert!(!answer_of(5, &[0], &line, &[]));
    }

    /// A function of calls that were inlined each into the one before, all with one name of so many bytes.
    fn inlined(calls: usize, name: usize) -> Result<usize, ()> {
        let code = [&0x1000_u64.to_le_bytes()[..], &0x100_u64.to_le_bytes()].concat();
        let abbreviations = [
            // DW_TAG_compile_unit, DW_TAG_subprogram and DW_TAG_inlined_subroutine, with DW_AT_low_pc and DW_AT_high_pc.
            &[1, 0x11, 1, 0x11, 0x01, 0x12, 0x07, 0, 0][..],
            &[2, 0x2e, 1, 0x11, 0x01, 0x12, 0x07, 0x03, 0x0e, 0, 0],
            &[3, 0x1d, 1, 0x31, 0x13, 0x11, 0x01, 0x12, 0x07, 0, 0],
            &[0],
        ];
        let abbreviations = abbreviations.concat();
        let root = [&[1][..], &code].concat();
        let origin = 11 + root.len() as u32;
        let outer = [&[2][..], &code, &[0; 4]].concat();
        let inner = [&[3][..], &origin.to_le_bytes(), &code].concat();
        let ends = vec![0; calls + 2];
        let unit =
            [&[4, 0, 0, 0, 0, 0, 8][..], &root, &outer, &inner.repeat(calls), &ends].concat();
        let info = [&(unit.len() as u32).to_le_bytes()[..], &unit].concat();
        let names = [&vec![b'x'; name][..], &[0]].concat();
        let load = |id| {
            let bytes = match id {
                SectionId::DebugInfo => &info[..],
                SectionId::DebugAbbrev => &abbreviations,
                SectionId::DebugStr => &names,
                _ => &[],
            };
            Ok::<_, ()>(EndianSlice::new(bytes, LittleEndian))
        };
        let (addresses, mut room) =
            ([1, 2, 3, 4, 5, 6, 7, 8, 9, 10].map(|at| 0x1000 + at), Room::default());
        let found = look(&addresses, Dwarf::load(load)?, memory_of(0, 0), &mut room).ok_or(())?;
        let lines = found.values().flatten();
        let texts = lines.map(|line| line.function.as_ref().map_or(0, String::len));
        let bytes = texts.sum();
        assert_eq!(bytes < 10 * (calls + 1) * name.min(TEXT), room.lacks());
        Ok(bytes)
    }

    /// 900 in each other with a name of 100 KB took 370 MB.
    #[test]
    fn long_names_of_inlined_calls_are_cut_and_counted() {
        assert_eq!(inlined(900, 100), Ok(10 * 901 * 100));
        assert_eq!(inlined(100, 1 << 20), Ok(10 * 101 * TEXT));
        let most = LIMITS.native_calls * TEXT_PER_FRAME;
        assert!(inlined(900, 1 << 20).is_ok_and(|bytes| bytes <= most));
    }
}
