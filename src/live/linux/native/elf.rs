//! What unwinding and symbols need from an ELF file, which isn't trusted. Unlike `binary::container`, it
//! reads any program or library, not only Go's.

use crate::binary::{named_sections, unpacked};
use crate::limits::LIMITS;
use object::LittleEndian;
use object::elf;
use object::read::elf::{FileHeader, ProgramHeader, SectionHeader, Sym};
use object::read::{ReadCache, ReadRef};
use std::borrow::Cow;
use std::io::{Read, Seek};
use std::ops::Range;

const LE: LittleEndian = LittleEndian;

/// Where its bytes come from: a file, or memory for the vDSO.
pub(super) trait Source: Read + Seek + std::fmt::Debug {}

impl<T: Read + Seek + std::fmt::Debug> Source for T {}

/// A 64-bit ELF file. Parts of it are read when they are first needed.
#[derive(Debug)]
pub(super) struct Elf {
    cache: ReadCache<Box<dyn Source>>,
}

type Header = elf::FileHeader64<LittleEndian>;
type Data<'a> = &'a ReadCache<Box<dyn Source>>;

impl Elf {
    /// Opens the bytes as an ELF file; `None` if they aren't a 64-bit little-endian one.
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

    /// How far the file was moved (the load bias), given that the byte at `offset` is mapped at address
    /// `start`.
    pub(super) fn bias(&self, start: u64, offset: u64) -> Option<u64> {
        let programs = self.header()?.program_headers(LE, self.data()).ok()?;
        let mut loads = programs.iter().take(LIMITS.binary_parts);
        loads.find_map(|program| {
            let (at, size) = program.file_range(LE);
            // Whole pages are mapped.
            let first = at & !0xfff;
            let holds_offset = program.p_type(LE) == elf::PT_LOAD
                && (first..at.saturating_add(size)).contains(&offset);
            let moved = start.wrapping_add(at).wrapping_sub(offset);
            holds_offset.then(|| moved.wrapping_sub(program.p_vaddr(LE)))
        })
    }

    fn section_header(&self, name: &str) -> Option<&elf::SectionHeader64<LittleEndian>> {
        let mut sections = named_sections(self.header()?, self.data());
        sections.find(|(found, _)| *found == Some(name.as_bytes())).map(|(_, section)| section)
    }

    /// The addresses of a section, before the file is moved.
    pub(super) fn address_range(&self, name: &str) -> Option<Range<u64>> {
        let section = self.section_header(name)?;
        let start = section.sh_addr(LE);
        Some(start..start.checked_add(section.sh_size(LE))?)
    }

    /// The number of bytes of the file.
    pub(super) fn len(&self) -> u64 {
        self.data().len().unwrap_or(0)
    }

    /// The bytes of a section; `None` if there are more than `most`.
    pub(super) fn section(&self, name: &str, most: u64) -> Option<Cow<'_, [u8]>> {
        let section = self.section_header(name)?;
        let (_, size) = section.file_range(LE)?;
        if size > most {
            return None;
        }
        let bytes = section.data(LE, self.data()).ok()?;
        if !section.sh_flags(LE).contains(elf::SHF_COMPRESSED) {
            return Some(Cow::Borrowed(bytes));
        }
        unpacked(bytes, most).map(Cow::Owned)
    }

    /// Calls `visit` with each function of the symbol tables, always in the same order.
    pub(super) fn functions(&self, mut visit: impl FnMut(Function<'_>)) {
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
                visit(Function {
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

/// A function in a symbol table.
pub(super) struct Function<'a> {
    pub(super) start: u64,
    /// 0 if the table doesn't say.
    pub(super) size: u64,
    /// Looks its name up; most aren't needed.
    pub(super) name: &'a dyn Fn() -> Option<&'a [u8]>,
}
