//! The functions, files and lines at addresses: from Go's own table, DWARF, or symbol tables.

use super::elf::Elf;
use super::go::Go;
use super::lines::{Line, lines};
use super::modules::Modules;
use super::unwind::Pc;
use crate::limits::LIMITS;
use crate::live::native::NativeFrame;
use crate::profile::frame_weight;
use crate::profile::function::printed;
use std::collections::{BTreeSet, HashMap};
use std::fmt::{self, Write};

/// The calls at each address, innermost first.
#[derive(Debug, Default)]
pub(super) struct Symbols {
    found: HashMap<Pc, Vec<NativeFrame>>,
    room: Room,
}

/// How many calls, of all addresses, may be kept yet, as [`native_calls`](crate::limits::Limits::native_calls) counts
/// them: an address can stand for a thousand calls, all with names that share their bytes.
#[derive(Debug)]
pub(super) struct Room {
    left: usize,
    is_used_up: bool,
}

impl Default for Room {
    fn default() -> Room {
        Room { left: LIMITS.native_calls, is_used_up: false }
    }
}

impl Room {
    /// Whether there was too little.
    pub(super) fn lacks(&self) -> bool {
        self.is_used_up
    }

    /// Takes room for a call with this name and file; false if there is none.
    pub(super) fn take(&mut self, function: Option<&str>, file: Option<&str>) -> bool {
        match self.left.checked_sub(weight(function, file)) {
            Some(left) => self.left = left,
            None => self.is_used_up = true,
        }
        !self.is_used_up
    }
}

/// What limits count a call as.
fn weight(function: Option<&str>, file: Option<&str>) -> usize {
    let names = [function, file].into_iter().flatten().map(str::len);
    frame_weight(names.fold(0, usize::saturating_add))
}

/// How many symbols that start at or before an address are looked at: a symbol that contains it may contain
/// others, which start later.
const NESTED: usize = 16;
/// The longest name, in bytes.
const NAME: usize = 4 << 10;

impl Symbols {
    /// Looks up each address once.
    pub(super) fn find(
        pcs: impl Iterator<Item = Pc>,
        modules: &mut Modules,
        go: Option<&Go>,
    ) -> Symbols {
        let mut all = Symbols::default();
        let mut by_module: HashMap<usize, Vec<Pc>> = HashMap::new();
        for pc in pcs.collect::<BTreeSet<Pc>>() {
            let module = modules.find(pc.within());
            let name = module.and_then(|module| modules.name(module));
            let of_go = go.map(|go| of_go(pc, name.clone(), go)).unwrap_or_default();
            if let (true, Some(module)) = (of_go.is_empty(), module) {
                by_module.entry(module).or_default().push(pc);
            }
            if of_go.is_empty() {
                all.found.insert(pc, vec![NativeFrame { module: name, ..unknown(pc) }]);
            } else {
                all.add(pc, of_go);
            }
        }
        for (module, pcs) in by_module {
            all.of_module(module, &pcs, modules);
        }
        all
    }

    /// Adds the calls at an address, if there is room.
    fn add(&mut self, pc: Pc, frames: Vec<NativeFrame>) {
        if frames
            .iter()
            .all(|frame| self.room.take(frame.function.as_deref(), frame.file.as_deref()))
        {
            self.found.insert(pc, frames);
        }
    }

    /// Whether there are more calls than have room.
    pub(super) fn lacks_room(&self) -> bool {
        self.room.lacks()
    }

    /// How many calls there are at these addresses, for [`native_calls`](crate::limits::Limits::native_calls).
    pub(super) fn count<'p>(&self, pcs: impl Iterator<Item = &'p Pc>) -> usize {
        let of_frame =
            |frame: &NativeFrame| weight(frame.function.as_deref(), frame.file.as_deref());
        let at = |(&pc, frames): (&Pc, &Vec<NativeFrame>)| {
            (pc, frames.iter().map(of_frame).fold(0, usize::saturating_add))
        };
        let counts: HashMap<Pc, usize> = self.found.iter().map(at).collect();
        pcs.map(|pc| counts.get(pc).copied().unwrap_or(1)).fold(0, usize::saturating_add)
    }

    /// The calls at an address.
    pub(super) fn frames(&self, pc: Pc) -> Vec<NativeFrame> {
        self.found.get(&pc).cloned().unwrap_or_else(|| vec![unknown(pc)])
    }

    fn of_module(&mut self, at: usize, pcs: &[Pc], modules: &mut Modules) -> Option<()> {
        let name = modules.name(at);
        let (module, elf) = modules.open(at)?;
        let bias = module.bias(elf)?;
        let build_id = elf.build_id();
        let linked: Vec<u64> = pcs.iter().map(|pc| pc.within().wrapping_sub(bias)).collect();
        let debug = build_id.and_then(|id| modules.debug_file(&id));
        let (_, elf) = modules.open(at)?;
        let elves: Vec<&Elf> = std::iter::once(elf).chain(&debug).collect();
        // What is looked up is held beside what was found before.
        let (mut of_tables, mut of_lines) = (Room::default(), Room::default());
        let functions = functions(&linked, &elves, &mut of_tables);
        let by_line = lines(&linked, debug.as_ref().unwrap_or(elf), &mut of_lines);
        self.room.is_used_up |= of_tables.lacks() || of_lines.lacks();
        if by_line.is_err() {
            let name = name.as_deref().unwrap_or_default();
            modules.note(format!("{name}: its DWARF can't be read: files and lines aren't told"));
        }
        let mut by_line = by_line.unwrap_or_default();
        for ((pc, linked), function) in pcs.iter().zip(&linked).zip(functions) {
            let lines = by_line.remove(linked).unwrap_or_default();
            self.add(*pc, frames(*pc, bias, &lines, function, &name));
        }
        Some(())
    }
}

/// The calls at an address, from its lines and the symbol that contains it.
fn frames(
    pc: Pc,
    bias: u64,
    lines: &[Line],
    function: Option<(u64, String)>,
    module: &Option<String>,
) -> Vec<NativeFrame> {
    let new = || NativeFrame { module: module.clone(), ..unknown(pc) };
    let last = lines.len().saturating_sub(1);
    let mut frames: Vec<NativeFrame> = lines
        .iter()
        .enumerate()
        .map(|(at, line)| NativeFrame {
            function: line.function.as_deref().map(demangled),
            file: line.file.clone(),
            line: line.line,
            is_inlined: at != last,
            ..new()
        })
        .collect();
    if frames.is_empty() {
        frames.push(new());
    }
    // The symbol is that of the function that the other calls were inlined into.
    if let (Some((start, name)), Some(outer)) = (function, frames.last_mut()) {
        outer.offset = Some(pc.address.wrapping_sub(start.wrapping_add(bias)));
        outer.function = Some(name);
    }
    frames
}

fn unknown(pc: Pc) -> NativeFrame {
    NativeFrame { pc: pc.address, ..NativeFrame::default() }
}

/// The calls at an address in Go code; empty if it isn't in any.
fn of_go(pc: Pc, module: Option<String>, Go { binary, slide, .. }: &Go) -> Vec<NativeFrame> {
    let within = slide.to_binary(pc.within());
    let Some(function) = binary.function(within) else { return Vec::new() };
    let frames = binary.frames(within);
    let last = frames.len().saturating_sub(1);
    let entry = function.entry();
    let frame = frames.iter().enumerate().map(|(at, frame)| NativeFrame {
        function: Some(String::from_utf8_lossy(&printed(&frame.function)).into_owned()),
        offset: (at == last).then(|| slide.to_binary(pc.address).wrapping_sub(entry)),
        file: frame.file.as_ref().map(|file| String::from_utf8_lossy(file).into_owned()),
        line: frame.line,
        module: module.clone(),
        is_inlined: at != last,
        ..unknown(pc)
    });
    frame.collect()
}

/// The start and name of the function at each address, as far as there is room.
fn functions(addresses: &[u64], elves: &[&Elf], room: &mut Room) -> Vec<Option<(u64, String)>> {
    let mut found = vec![None; addresses.len()];
    for elf in elves {
        let mut known = Vec::new();
        elf.functions(|function| {
            known.push((function.start, function.size, known.len()));
        });
        known.sort_unstable();
        let mut wanted: HashMap<usize, Vec<usize>> = HashMap::new();
        for (at, &address) in addresses.iter().enumerate() {
            let before = known.partition_point(|&(start, ..)| start <= address);
            let candidates = known.get(..before).unwrap_or_default().iter().rev().take(NESTED);
            let mut candidates = candidates.enumerate().filter(|(back, (start, size, _))| {
                let into = address.wrapping_sub(*start);
                // Assembly may leave out sizes.
                into < *size || *size == 0 && *back == 0
            });
            if let Some((_, &(_, _, number))) = candidates.next() {
                wanted.entry(number).or_default().push(at);
            }
        }
        let mut number = 0_usize;
        elf.functions(|function| {
            for &at in wanted.get(&number).into_iter().flatten() {
                let Some(found) = found.get_mut(at).filter(|_| !room.lacks()) else { continue };
                let Some(name) = (function.name)() else { continue };
                let name = Some(demangled(&String::from_utf8_lossy(name)));
                if room.take(name.as_deref(), None) {
                    *found = name.map(|name| (function.start, name));
                }
            }
            number = number.saturating_add(1);
        });
    }
    found
}

/// The name as in the source, cut if it is longer than [`NAME`].
pub(super) fn demangled(name: &str) -> String {
    // Without the version of a library's symbol: `read@@GLIBC_2.2.5`.
    let name = name.split('@').next().filter(|name| !name.is_empty()).unwrap_or(name);
    let mut text = Bounded(String::new());
    // Writing fails when the text is full; nothing else can go wrong with a parsed name.
    if let Ok(name) = rustc_demangle::try_demangle(name) {
        let _ = write!(text, "{name:#}");
    } else if let Ok(symbol) = cpp_demangle::Symbol::new(name) {
        let _ = symbol.structured_demangle(&mut text, &cpp_demangle::DemangleOptions::new());
    }
    if text.0.is_empty() {
        let _ = text.write_str(name);
    }
    text.0
}

/// A text of at most [`NAME`] bytes: a mangled name of a few bytes can stand for terabytes.
struct Bounded(String);

impl Write for Bounded {
    fn write_str(&mut self, more: &str) -> fmt::Result {
        if self.0.len().saturating_add(more.len()) > NAME {
            self.0.extend(more.chars().take(NAME.saturating_sub(self.0.len()) / 4));
            return Err(fmt::Error);
        }
        self.0.push_str(more);
        Ok(())
    }
}
