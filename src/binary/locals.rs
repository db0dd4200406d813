//! Names of the arguments and variables of calls, from DWARF: version 4 up to Go 1.24, 5 since Go 1.25.
//!
//! The compiler says where they are at each instruction: at a distance from the end of the call's part of
//! the stack, or in registers, whose values aren't known in calls that wait. Those of inlined functions
//! have the function's name.

mod expression;

use super::Binary;
use super::dwarf::{DebugBytes as Bytes, DebugRoom, prepare};
use crate::limits::LIMITS;
use expression::{Part, in_memory, looks, most_steps};
use gimli::{
    AttributeValue, DebugInfoOffset, DebuggingInformationEntry, Dwarf, DwarfSections, EndianSlice,
    Expression, LittleEndian, Range, SectionId, Unit, UnitHeader,
};
use std::cell::Cell;
use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;

/// A call that takes stack.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CallSite {
    /// The instruction that it is at, before the program is moved.
    pub pc: u64,
    /// The end of its part of the stack, return address included: DWARF's canonical frame address.
    pub cfa: u64,
}

/// An argument or a variable in memory, or a part of one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Local {
    /// Its name; `&NAME` is a pointer to a variable on the heap.
    pub name: Rc<str>,
    /// The function that it belongs to, if that was inlined into the one that takes the stack.
    pub inlined: Option<Rc<str>>,
    /// The name of its type.
    pub type_name: Rc<str>,
    /// The address of the part.
    pub address: u64,
    /// The size of the part in bytes.
    pub bytes: u64,
    /// How many bytes of the variable are before the part.
    pub offset: u64,
}

/// The variables of calls, from DWARF.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Locals {
    /// By call, the variables in memory.
    pub of_calls: Vec<Vec<Local>>,
    /// Why some or all names are missing.
    pub lacks: Option<&'static str>,
}

const INFO: &str = ".debug_info";
const NONE: &str = "variables have no names: the program has no DWARF";
const DAMAGED: &str =
    "names of variables may be missing: a part of the program's DWARF can't be read";
const TOO_MUCH: &str = "names of variables may be missing: the program's DWARF tells too much";

impl Binary {
    /// The arguments and variables of calls that are in memory. Only ELF binaries are read.
    pub fn locals(&self, calls: &[CallSite]) -> Locals {
        if !self.container.debug.contains_key(INFO) {
            return Locals { of_calls: Vec::new(), lacks: Some(NONE) };
        }
        // A panic about DWARF must not lose the words of the stack.
        catch_unwind(AssertUnwindSafe(|| self.look(calls)))
            .unwrap_or_else(|_| Locals { of_calls: Vec::new(), lacks: Some(DAMAGED) })
    }

    fn look(&self, calls: &[CallSite]) -> Locals {
        let (room, is_lost) = (DebugRoom::of_file(self.bytes.len()), Cell::new(false));
        let load = |id: SectionId| {
            let section = self.container.debug.get(id.name());
            let read = |section| {
                room.section(id, |most| {
                    let bytes = self.debug_section(section, most);
                    is_lost.set(is_lost.get() || bytes.is_none());
                    bytes
                })
            };
            Ok::<_, ()>(section.and_then(read).unwrap_or_default())
        };
        let Ok(sections) = DwarfSections::load(load) else { return Locals::default() };
        let mut dwarf = sections.borrow(|bytes| EndianSlice::new(bytes, LittleEndian));
        let lacks = |why| Locals { of_calls: Vec::new(), lacks: Some(why) };
        match prepare(&mut dwarf) {
            Ok(true) => {}
            Ok(false) => return lacks(TOO_MUCH),
            Err(_) => return lacks(DAMAGED),
        }
        let mut search = Search::new(&dwarf, calls);
        let read = search.run();
        let lacks = match read {
            _ if search.room == 0 => Some(TOO_MUCH),
            Ok(()) if search.headers.is_empty() => Some(DAMAGED),
            Ok(()) if is_lost.get() => Some(DAMAGED),
            Ok(()) => None,
            Err(_) => Some(DAMAGED),
        };
        Locals { of_calls: search.found, lacks }
    }
}

type Entry<'a> = DebuggingInformationEntry<Bytes<'a>>;

/// The name and the size of a type.
type Type = (Rc<str>, u64);

struct Search<'d, 'a> {
    dwarf: &'d Dwarf<Bytes<'a>>,
    calls: &'d [CallSite],
    /// The positions of the calls, by the addresses of their instructions.
    order: Vec<usize>,
    headers: Vec<UnitHeader<Bytes<'a>>>,
    units: HashMap<usize, Rc<Unit<Bytes<'a>>>>,
    types: HashMap<DebugInfoOffset, Type>,
    found: Vec<Vec<Local>>,
    /// How many more DWARF entries may be read.
    room: usize,
}

/// A scope of entries in DWARF: which calls are in its code.
struct Scope {
    depth: isize,
    calls: Vec<usize>,
    inlined: Option<Rc<str>>,
}

impl<'d, 'a> Search<'d, 'a> {
    fn new(dwarf: &'d Dwarf<Bytes<'a>>, calls: &'d [CallSite]) -> Search<'d, 'a> {
        let mut order: Vec<usize> = (0..calls.len()).collect();
        order.sort_by_key(|&at| calls.get(at).map(|call| call.pc));
        Search {
            dwarf,
            calls,
            order,
            headers: Vec::new(),
            units: HashMap::new(),
            types: HashMap::new(),
            found: vec![Vec::new(); calls.len()],
            room: LIMITS.debug_lookups,
        }
    }

    fn run(&mut self) -> gimli::Result<()> {
        let mut headers = self.dwarf.units();
        while let Some(header) = headers.next()? {
            if self.headers.len() >= LIMITS.debug_units {
                self.room = 0;
                return Ok(());
            }
            self.headers.push(header);
        }
        let mut read = Ok(());
        for at in 0..self.headers.len() {
            let Some(&header) = self.headers.get(at) else { break };
            let done = self.dwarf.unit(header).and_then(|unit| {
                let mut entries = unit.entries();
                let Some(root) = entries.next_dfs()? else { return Ok(()) };
                let ranges = self.ranges(&unit, root)?;
                let is_wanted = |range: &Range| !self.between(range.begin, range.end).is_empty();
                if ranges.iter().any(is_wanted) { self.of_unit(&unit) } else { Ok(()) }
            });
            // A unit that can't be read doesn't affect the others.
            read = read.and(done);
            if self.room == 0 {
                break;
            }
        }
        read
    }

    fn unit_at(&mut self, at: usize) -> gimli::Result<Rc<Unit<Bytes<'a>>>> {
        if let Some(unit) = self.units.get(&at) {
            return Ok(unit.clone());
        }
        let header = self.headers.get(at).ok_or(gimli::Error::NoEntryAtGivenOffset(0))?;
        let mut unit = self.dwarf.unit(*header)?;
        // Its files aren't looked at, and units may share very many.
        unit.line_program = None;
        let unit = Rc::new(unit);
        self.units.insert(at, unit.clone());
        Ok(unit)
    }

    /// The positions of the calls at these addresses.
    fn between(&self, from: u64, to: u64) -> &[usize] {
        let before = |address: u64| {
            let pc = |at: &usize| self.calls.get(*at).map_or(0, |call| call.pc);
            self.order.partition_point(|at| pc(at) < address)
        };
        self.order.get(before(from)..before(to)).unwrap_or_default()
    }

    fn of_unit(&mut self, unit: &Unit<Bytes<'a>>) -> gimli::Result<()> {
        let mut entries = unit.entries();
        let mut scopes: Vec<Scope> = Vec::new();
        while let Some(entry) = entries.next_dfs()? {
            let depth = entry.depth();
            while scopes.pop_if(|scope| scope.depth >= depth).is_some() {}
            let inside = scopes.last().filter(|scope| !scope.calls.is_empty());
            match (entry.tag(), inside) {
                (gimli::DW_TAG_subprogram, _) => {
                    let calls = self.calls_in(unit, entry, None)?;
                    scopes.push(Scope { depth, calls, inlined: None });
                }
                (gimli::DW_TAG_inlined_subroutine, Some(scope)) => {
                    let calls = self.calls_in(unit, entry, Some(&scope.calls))?;
                    let inlined = Some(self.name(unit, entry)?);
                    scopes.push(Scope { depth, calls, inlined });
                }
                (gimli::DW_TAG_lexical_block, Some(scope)) => {
                    let calls = self.calls_in(unit, entry, Some(&scope.calls))?;
                    scopes.push(Scope { depth, calls, inlined: scope.inlined.clone() });
                }
                (gimli::DW_TAG_formal_parameter | gimli::DW_TAG_variable, Some(scope)) => {
                    self.variable(unit, entry, scope)?;
                }
                _ => {}
            }
            if self.room == 0 {
                break;
            }
        }
        Ok(())
    }

    /// Counts entries that were read; false once there are too many.
    fn charge(&mut self, count: usize) -> bool {
        self.room = self.room.saturating_sub(count);
        self.room > 0
    }

    /// The addresses of an entry's code. What a list has beside ranges counts, too: many entries may name
    /// one long list.
    fn ranges(&mut self, unit: &Unit<Bytes<'a>>, entry: &Entry<'a>) -> gimli::Result<Vec<Range>> {
        let listed = entry.attr_value(gimli::DW_AT_ranges);
        let listed = listed.map(|list| self.dwarf.attr_ranges(unit, list)).transpose()?.flatten();
        let mut ranges = Vec::new();
        let Some(mut list) = listed else {
            let mut one = self.dwarf.die_ranges(unit, entry)?;
            ranges.extend(one.next()?);
            return Ok(ranges);
        };
        while let Some(raw) = list.next_raw()?
            && self.charge(1)
        {
            ranges.extend(list.convert_raw(raw)?);
        }
        Ok(ranges)
    }

    /// Which calls are in the code of an entry: of those in `among`, or of all.
    fn calls_in(
        &mut self,
        unit: &Unit<Bytes<'a>>,
        entry: &Entry<'a>,
        among: Option<&[usize]>,
    ) -> gimli::Result<Vec<usize>> {
        let mut calls = Vec::new();
        for range in self.ranges(unit, entry)? {
            let found = match among {
                None => self.between(range.begin, range.end).to_vec(),
                Some(among) => {
                    let pc = |at: &usize| self.calls.get(*at).map_or(0, |call| call.pc);
                    let is_in = |at: &usize| (range.begin..range.end).contains(&pc(at));
                    among.iter().copied().filter(is_in).collect()
                }
            };
            // Each range is compared with each call.
            let looked = among.map_or(found.len(), <[usize]>::len);
            if !self.charge(looked) {
                break;
            }
            calls.extend(found);
        }
        Ok(calls)
    }

    fn variable(
        &mut self,
        unit: &Unit<Bytes<'a>>,
        entry: &Entry<'a>,
        scope: &Scope,
    ) -> gimli::Result<()> {
        let Some(location) = entry.attr_value(gimli::DW_AT_location) else { return Ok(()) };
        let mut named: Option<(Rc<str>, Type)> = None;
        for &at in &scope.calls {
            let Some(&call) = self.calls.get(at) else { continue };
            let Some(expression) = self.at(unit, location, call.pc)? else { continue };
            let steps = most_steps(expression);
            if !self.charge(looks(steps)) {
                break;
            }
            let parts = in_memory(unit, expression, steps, call.cfa);
            if parts.is_empty() {
                continue;
            }
            if !self.charge(parts.len()) {
                break;
            }
            let (name, (type_name, size)) = match &named {
                Some(named) => named.clone(),
                None => {
                    let found = (self.name(unit, entry)?, self.type_of(unit, entry)?);
                    named.insert(found).clone()
                }
            };
            let Some(found) = self.found.get_mut(at) else { continue };
            found.extend(parts.into_iter().map(|Part { address, bytes, offset }| Local {
                name: name.clone(),
                inlined: scope.inlined.clone(),
                type_name: type_name.clone(),
                address,
                bytes: bytes.unwrap_or(size),
                offset,
            }));
        }
        Ok(())
    }

    /// Where a variable is at an instruction.
    fn at(
        &mut self,
        unit: &Unit<Bytes<'a>>,
        location: AttributeValue<Bytes<'a>>,
        pc: u64,
    ) -> gimli::Result<Option<Expression<Bytes<'a>>>> {
        if let AttributeValue::Exprloc(expression) = location {
            return Ok(Some(expression));
        }
        let Some(mut list) = self.dwarf.attr_locations(unit, location)? else { return Ok(None) };
        while let Some(raw) = list.next_raw()?
            && self.charge(1)
        {
            let entry = list.convert_raw(raw)?;
            if let Some(entry) = entry
                && (entry.range.begin..entry.range.end).contains(&pc)
            {
                return Ok(Some(entry.data));
            }
        }
        Ok(None)
    }

    /// The name of an entry; an entry of an inlined function has it in its abstract origin.
    fn name(&mut self, unit: &Unit<Bytes<'a>>, entry: &Entry<'a>) -> gimli::Result<Rc<str>> {
        self.attribute(unit, entry, gimli::DW_AT_name, |search, unit, name| {
            let text = search.dwarf.attr_string(unit, name)?;
            // Entries may name one long text, and each has a copy.
            search.charge(text.len() / NAME);
            Ok(match text.get(..LIMITS.binary_name) {
                None => text.to_string_lossy().into(),
                Some(start) => format!("{}…", String::from_utf8_lossy(start)).into(),
            })
        })
    }

    /// The type of a variable.
    fn type_of(&mut self, unit: &Unit<Bytes<'a>>, entry: &Entry<'a>) -> gimli::Result<Type> {
        self.attribute(unit, entry, gimli::DW_AT_type, |search, unit, of| {
            search.type_at(unit, of, 0)
        })
    }

    /// Reads an attribute of an entry, or of its abstract origin if the entry lacks it.
    fn attribute<T: Default>(
        &mut self,
        unit: &Unit<Bytes<'a>>,
        entry: &Entry<'a>,
        what: gimli::DwAt,
        read: impl Fn(&mut Self, &Unit<Bytes<'a>>, AttributeValue<Bytes<'a>>) -> gimli::Result<T>,
    ) -> gimli::Result<T> {
        if let Some(value) = entry.attr_value(what) {
            return read(self, unit, value);
        }
        let Some(origin) = entry.attr_value(gimli::DW_AT_abstract_origin) else {
            return Ok(T::default());
        };
        self.follow(unit, origin, |search, unit, entry| match entry.attr_value(what) {
            Some(value) => read(search, unit, value),
            None => Ok(T::default()),
        })
    }

    /// The type that an attribute refers to; the size of a typedef is that of its type.
    fn type_at(
        &mut self,
        unit: &Unit<Bytes<'a>>,
        at: AttributeValue<Bytes<'a>>,
        depth: u32,
    ) -> gimli::Result<Type> {
        let offset = offset(unit, at);
        if let Some(known) = offset.and_then(|offset| self.types.get(&offset)) {
            return Ok(known.clone());
        }
        let found: Type = self.follow(unit, at, |search, unit, entry| {
            let name = search.name(unit, entry)?;
            let size = entry.attr_value(gimli::DW_AT_byte_size).and_then(|size| size.udata_value());
            let size = match (size, entry.tag(), entry.attr_value(gimli::DW_AT_type)) {
                (Some(size), ..) => size,
                (None, gimli::DW_TAG_pointer_type, _) => 8,
                (None, gimli::DW_TAG_typedef, Some(of)) if depth < MOST_TYPEDEFS => {
                    search.type_at(unit, of, depth.saturating_add(1))?.1
                }
                _ => 0,
            };
            Ok((name, size))
        })?;
        if let Some(offset) = offset {
            self.types.insert(offset, found.clone());
        }
        Ok(found)
    }

    /// Reads the entry that an attribute refers to, which may be in another unit.
    fn follow<T>(
        &mut self,
        unit: &Unit<Bytes<'a>>,
        at: AttributeValue<Bytes<'a>>,
        look: impl FnOnce(&mut Self, &Unit<Bytes<'a>>, &Entry<'a>) -> gimli::Result<T>,
    ) -> gimli::Result<T> {
        if let AttributeValue::UnitRef(offset) = at {
            return look(self, unit, &unit.entry(offset)?);
        }
        let missing = gimli::Error::NoEntryAtGivenOffset(0);
        let offset = offset(unit, at).ok_or(missing)?;
        let after = self.headers.partition_point(|header| header.offset().0 <= offset.0);
        let unit = self.unit_at(after.checked_sub(1).ok_or(missing)?)?;
        let offset = offset.to_unit_offset(&unit.header).ok_or(missing)?;
        look(self, &unit, &unit.entry(offset)?)
    }
}

/// How many bytes of a name count as one more look.
const NAME: usize = 32;

/// Typedefs followed in a row: Go has one, for names of structs.
const MOST_TYPEDEFS: u32 = 8;

fn offset(unit: &Unit<Bytes<'_>>, at: AttributeValue<Bytes<'_>>) -> Option<DebugInfoOffset> {
    match at {
        AttributeValue::UnitRef(offset) => offset.to_debug_info_offset(&unit.header),
        AttributeValue::DebugInfoRef(offset) => Some(offset),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
