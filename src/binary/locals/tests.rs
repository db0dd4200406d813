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

/// How many more entries could have been read.
fn room_left(count: usize, ranges: usize) -> usize {
    let [info, abbreviations, list] = functions(count, ranges);
    let load = |id| {
        let bytes: &[u8] = match id {
            SectionId::DebugInfo => &info,
            SectionId::DebugAbbrev => &abbreviations,
            SectionId::DebugRanges => &list,
            _ => &[],
        };
        Ok::<_, ()>(EndianSlice::new(bytes, LittleEndian))
    };
    let mut dwarf = Dwarf::load(load).unwrap();
    assert!(prepare(&mut dwarf).unwrap());
    let calls = [CallSite { pc: 0x1000, cfa: 0 }];
    let mut search = Search::new(&dwarf, &calls);
    search.run().unwrap();
    search.room
}

#[test]
fn a_list_of_ranges_counts_each_time_that_an_entry_names_it() {
    let read = LIMITS.debug_lookups - room_left(100, 1000);
    assert!((100_000..110_000).contains(&read), "{read}");
    assert_eq!(room_left(10_000, 1000), 0);
}
