//! What unwinding and symbols need of an ELF file. Nothing of what it says can be relied on.

use crate::binary::unpacked;
use crate::limits::LIMITS;
use object::LittleEndian;
use object::elf;
use object::read::ReadCache;
use object::read::elf::{FileHeader, ProgramHeader, SectionHeader, Sym};
use std::borrow::Cow;
use std::io::{Read, Seek};
use std::ops::Range;

const LE: LittleEndian = LittleEndian;

/// Where bytes of it come from.
pub(super) trait Source: Read + Seek + std::fmt::Debug {}

impl<T: Read + Seek + std::fmt::Debug> Source for T {}

/// An ELF file with 64 bits. What is looked at is read then.
#[derive(Debug)]
pub(super) struct Elf {
    cache: ReadCache<Box<dyn Source>>,
}

type Header = elf::FileHeader64<LittleEndian>;
type Data<'a> = &'a ReadCache<Box<dyn Source>>;

impl Elf {
    /// The file that these bytes are, if it is one.
    pub(super) fn new(source: Box<dyn Source>) -> Option<Elf> {
        let elf = Elf { cache: ReadCache::new(source) };
        elf.header()?;
        Some(elf)
    }

    fn data(&self) -> Data<'_> {
        &self.cache
    }

    fn header(&self) -> Option<&Header> {
        let header = Header::parse(self.data()).ok()?;
        header.is_supported().then_some(header)
    }

    /// How far it was moved, if the bytes from an offset on were mapped to an address.
    pub(super) fn bias(&self, start: u64, offset: u64) -> Option<u64> {
        let programs = self.header()?.program_headers(LE, self.data()).ok()?;
        let mut loads = programs.iter().take(LIMITS.binary_parts);
        loads.find_map(|program| {
            let (at, size) = program.file_range(LE);
            // Whole pages are mapped.
            let first = at & !0xfff;
            let is_it = program.p_type(LE) == elf::PT_LOAD
                && (first..at.saturating_add(size)).contains(&offset);
            let moved = start.wrapping_add(at).wrapping_sub(offset);
            is_it.then(|| moved.wrapping_sub(program.p_vaddr(LE)))
        })
    }

    fn section_header(&self, name: &str) -> Option<&elf::SectionHeader64<LittleEndian>> {
        let sections = self.header()?.sections(LE, self.data()).ok()?;
        let (_, section) = sections.section_by_name(LE, name.as_bytes())?;
        Some(section)
    }

    /// Where a section is in memory, if the file isn't moved.
    pub(super) fn range(&self, name: &str) -> Option<Range<u64>> {
        let section = self.section_header(name)?;
        let start = section.sh_addr(LE);
        Some(start..start.checked_add(section.sh_size(LE))?)
    }

    /// The bytes of a section, unless they are too many.
    pub(super) fn section(&self, name: &str) -> Option<Cow<'_, [u8]>> {
        let section = self.section_header(name)?;
        let (_, size) = section.file_range(LE)?;
        if size > LIMITS.debug_section {
            return None;
        }
        let bytes = section.data(LE, self.data()).ok()?;
        if !section.sh_flags(LE).contains(elf::SHF_COMPRESSED) {
            return Some(Cow::Borrowed(bytes));
        }
        unpacked(bytes, LIMITS.debug_section).map(Cow::Owned)
    }

    /// Tells all functions: where they start, how long they are, and what they are called.
    pub(super) fn functions(&self, mut tell: impl FnMut(Function<'_>)) {
        let Some(header) = self.header() else { return };
        let Ok(sections) = header.sections(LE, self.data()) else { return };
        for kind in [elf::SHT_SYMTAB, elf::SHT_DYNSYM] {
            let Ok(symbols) = sections.symbols(LE, self.data(), kind) else { continue };
            for symbol in symbols.iter().take(LIMITS.native_symbols) {
                let is_code = [elf::STT_FUNC, elf::STT_GNU_IFUNC, elf::STT_NOTYPE]
                    .contains(&symbol.st_type());
                if !is_code || symbol.is_undefined(LE) || symbol.st_value(LE) == 0 {
                    continue;
                }
                let name = || symbols.symbol_name(LE, symbol).ok();
                tell(Function {
                    start: symbol.st_value(LE),
                    size: symbol.st_size(LE),
                    name: &name,
                });
            }
        }
    }

    /// The linker's build id.
    pub(super) fn build_id(&self) -> Option<Vec<u8>> {
        let header = self.header()?;
        let sections = header.sections(LE, self.data()).ok()?;
        sections.iter().take(LIMITS.binary_parts).find_map(|section| {
            let (_, size) = section.file_range(LE)?;
            if section.sh_type(LE) != elf::SHT_NOTE || size > 64 << 10 {
                return None;
            }
            let mut notes = section.notes(LE, self.data()).ok()??;
            while let Ok(Some(note)) = notes.next() {
                if note.name() == elf::ELF_NOTE_GNU && note.n_type(LE) == elf::NT_GNU_BUILD_ID {
                    return Some(note.desc().to_vec());
                }
            }
            None
        })
    }
}

/// A function of a table of symbols.
pub(super) struct Function<'a> {
    pub(super) start: u64,
    /// 0 where the table doesn't tell.
    pub(super) size: u64,
    pub(super) name: &'a dyn Fn() -> Option<&'a [u8]>,
}
