//! Files and lines of addresses, from DWARF.

use super::elf::Elf;
use crate::binary::dwarf::{DebugBytes, DebugRoom, prepare};
use addr2line::gimli::{Dwarf, DwarfSections, EndianSlice, LittleEndian, SectionId};
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

/// The calls at each address, innermost first; addresses without lines are left out. Fails if the lines
/// can't be read.
pub(super) fn lines(addresses: &[u64], elf: &Elf) -> Result<HashMap<u64, Vec<Line>>, Unread> {
    let is_there = |id: SectionId| elf.address_range(id.name()).is_some();
    let needed = [SectionId::DebugAbbrev, SectionId::DebugInfo, SectionId::DebugLine];
    if !needed.into_iter().all(is_there) {
        return Ok(HashMap::new());
    }
    let room = DebugRoom::of_file(elf.len());
    let load = |id: SectionId| match room.section(id, |most| elf.section(id.name(), most)) {
        Some(bytes) => Ok(bytes),
        None if needed.contains(&id) => Err(Unread),
        None => Ok(Cow::Borrowed(&[][..])),
    };
    let sections = DwarfSections::load(load)?;
    // A panic about a library's DWARF mustn't lose the stacks.
    let look = AssertUnwindSafe(|| {
        let dwarf = sections.borrow(|bytes| EndianSlice::new(bytes, LittleEndian));
        look(addresses, dwarf)
    });
    catch_unwind(look).ok().flatten().ok_or(Unread)
}

fn look(addresses: &[u64], mut dwarf: Dwarf<DebugBytes<'_>>) -> Option<HashMap<u64, Vec<Line>>> {
    prepare(&mut dwarf).ok().filter(|&is_bounded| is_bounded)?;
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
            lines.push(Line {
                function: function.map(Cow::into_owned),
                file: frame.location.as_ref().and_then(|place| place.file).map(str::to_owned),
                line: frame.location.as_ref().and_then(|place| place.line).unwrap_or(0),
            });
        }
        found.insert(address, lines);
    }
    Some(found)
}
