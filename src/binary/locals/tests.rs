use super::*;

/// A unit of version 4 with this many functions, which all name the list of ranges that the unit names.
fn functions(count: usize, ranges: usize) -> [Vec<u8>; 3] {
    // DW_TAG_compile_unit and DW_TAG_subprogram, each with DW_AT_ranges as DW_FORM_sec_offset.
    let abbreviations = [1, 0x11, 1, 0x55, 0x17, 0, 0, 2, 0x2e, 0, 0x55, 0x17, 0, 0, 0];
    let mut unit = vec![4, 0, 0, 0, 0, 0, 8, 1, 0, 0, 0, 0];
    unit.extend([2, 0, 0, 0, 0].repeat(count));
    unit.push(0);
    let mut info = (unit.len() as u32).to_le_bytes().to_vec();
    info.extend(unit);
    let range = |at: u64| [0x1000 + at * 16, 0x1000 + at * 16 + 8].map(u64::to_le_bytes).concat();
    let mut list: Vec<u8> = (0..ranges as u64).flat_map(range).collect();
    list.extend([0; 16]);
    [info, abbreviations.to_vec(), list]
}

/// A unit of version 4 with a function of this many variables, which all have one name of so many bytes and are at the
/// same place.
fn variables(count: usize, name: usize, place: &[u8]) -> [Vec<u8>; 4] {
    // DW_TAG_compile_unit and DW_TAG_subprogram as above, the latter with children, of DW_TAG_variable with DW_AT_name
    // as DW_FORM_strp and DW_AT_location as DW_FORM_exprloc.
    let abbreviations = [
        &[1, 0x11, 1, 0x55, 0x17, 0, 0, 2, 0x2e, 1, 0x55, 0x17, 0, 0][..],
        &[3, 0x34, 0, 0x03, 0x0e, 0x02, 0x18, 0, 0, 0],
    ];
    let mut unit = vec![4, 0, 0, 0, 0, 0, 8, 1, 0, 0, 0, 0, 2, 0, 0, 0, 0];
    let variable = [&[3, 0, 0, 0, 0, place.len() as u8][..], place].concat();
    unit.extend(variable.repeat(count));
    unit.extend([0, 0]);
    let info = [&(unit.len() as u32).to_le_bytes()[..], &unit].concat();
    let mut names = vec![b'x'; name];
    names.push(0);
    let [.., list] = functions(0, 1);
    [info, abbreviations.concat(), list, names]
}

/// DW_OP_call_frame_cfa.
const FRAME: [u8; 1] = [0x9c];

/// The variables of a call, and how many more entries could have been read.
fn looked_up(sections: [Vec<u8>; 4]) -> (Vec<Local>, usize) {
    let [info, abbreviations, list, names] = &sections;
    let load = |id| {
        let bytes: &[u8] = match id {
            SectionId::DebugInfo => info,
            SectionId::DebugAbbrev => abbreviations,
            SectionId::DebugRanges => list,
            SectionId::DebugStr => names,
            _ => &[],
        };
        Ok::<_, ()>(EndianSlice::new(bytes, LittleEndian))
    };
    let mut dwarf = Dwarf::load(load).unwrap();
    assert!(prepare(&mut dwarf).unwrap());
    let calls = [CallSite { pc: 0x1000, cfa: 0 }];
    let mut search = Search::new(&dwarf, &calls);
    search.run().unwrap();
    (search.found.swap_remove(0), search.room)
}

/// How many more entries could have been read of functions with ranges.
fn room_left(count: usize, ranges: usize) -> usize {
    let [info, abbreviations, list] = functions(count, ranges);
    looked_up([info, abbreviations, list, Vec::new()]).1
}

#[test]
fn a_list_of_ranges_counts_each_time_that_an_entry_names_it() {
    let read = LIMITS.debug_lookups - room_left(100, 1000);
    assert!((100_000..110_000).contains(&read), "{read}");
    assert_eq!(room_left(10_000, 1000), 0);
}

/// 2,000 variables with one name of a megabyte took 2 GB.
#[test]
fn long_names_are_cut_and_count_by_their_length() {
    let names = |count, name| looked_up(variables(count, name, &FRAME));
    let (few, left) = names(3, 20_000);
    assert_eq!(few.len(), 3);
    assert_eq!(&*few[2].name, "x".repeat(LIMITS.binary_name) + "…");
    assert!(LIMITS.debug_lookups - left >= 3 * 20_000 / 32, "{left}");
    let (many, left) = names(2_000, 1 << 20);
    assert!(many.len() < 200 && left == 0, "{}", many.len());
    let (many, left) = names(2_000, 20);
    assert!(many.len() == 2_000 && left > 0);
}

/// Each took a thousand steps for each call, and counted as none.
#[test]
fn expressions_count_by_their_length_and_have_no_loops() {
    // DW_OP_skip of -3 bytes.
    let (none, left) = looked_up(variables(100, 1, &[0x2f, 0xfd, 0xff]));
    let used = LIMITS.debug_lookups - left;
    assert!(none.is_empty() && (100..200).contains(&used), "{used}");
    // DW_OP_nop 100 times.
    let place = [&[0x96; 100][..], &FRAME].concat();
    let (all, left) = looked_up(variables(100, 1, &place));
    let used = LIMITS.debug_lookups - left;
    assert!(all.len() == 100 && used > 100 * 100 / 8, "{used}");
    let (some, left) = looked_up(variables(400_000, 1, &place));
    assert!(some.len() < 400_000 && left == 0);
}

/// Types are looked up in other units, which are kept; many may name one long list of files.
#[test]
fn the_files_of_units_that_are_kept_are_not() {
    // DW_TAG_compile_unit with DW_AT_stmt_list as DW_FORM_sec_offset.
    let abbreviations = [1, 0x11, 0, 0x10, 0x17, 0, 0, 0];
    let info = [12, 0, 0, 0, 4, 0, 0, 0, 0, 0, 8, 1, 0, 0, 0, 0];
    // A line program of version 4 without files.
    let header = [1, 1, 1, 0xfb, 14, 1, 0, 0];
    let line = [&[14, 0, 0, 0, 4, 0, 8, 0, 0, 0][..], &header].concat();
    let load = |id| {
        let bytes: &[u8] = match id {
            SectionId::DebugInfo => &info,
            SectionId::DebugAbbrev => &abbreviations,
            SectionId::DebugLine => &line,
            _ => &[],
        };
        Ok::<_, ()>(EndianSlice::new(bytes, LittleEndian))
    };
    let dwarf = Dwarf::load(load).unwrap();
    let header = dwarf.units().next().unwrap().unwrap();
    assert!(dwarf.unit(header).unwrap().line_program.is_some());
    let mut search = Search::new(&dwarf, &[]);
    search.run().unwrap();
    assert!(search.unit_at(0).unwrap().line_program.is_none());
}
