//! ELF.

use super::{Arch, Container, Data, DebugSection, Format, Segment, complete, range, section_named};
use crate::binary::BinaryError;
use crate::limits::LIMITS;
use flate2::read::ZlibDecoder;
use object::LittleEndian;
use object::elf;
use object::read::ReadRef;
use object::read::elf::{Dyn, FileHeader, ProgramHeader, SectionHeader};
use std::io::Read;

const LE: LittleEndian = LittleEndian;

type Header = elf::FileHeader64<LittleEndian>;

/// How many bytes of a section's name are read: more than those that are looked for or printed have. Each is kept while
/// the headers are read, and 65,000 of 4 KiB can share the same bytes of the file: 500 MB of 10.
const NAME: u64 = 40;

pub(super) fn read(data: Data) -> Result<Container, BinaryError> {
    let damaged = |_| BinaryError::Damaged("its ELF header can't be read");
    let header = Header::parse(data).map_err(damaged)?;
    match header.e_type(LE) {
        elf::ET_EXEC | elf::ET_DYN => {}
        elf::ET_CORE => {
            return Err(BinaryError::Not(
                "is a core file, not a binary",
                "pass the core file as an input and its program with --binary",
            ));
        }
        _ => return Err(BinaryError::Not("is an object file", "link it first")),
    }
    let arch = match header.e_machine(LE) {
        elf::EM_X86_64 => Arch::Amd64,
        elf::EM_AARCH64 => Arch::Arm64,
        _ => Arch::Other,
    };
    let mut container = Container::new(Format::Elf, arch);
    container.entry = header.e_entry(LE);
    let headers = [
        ("its list of segments", header.e_phoff(LE), header.e_phentsize(LE), header.e_phnum(LE)),
        ("its list of sections", header.e_shoff(LE), header.e_shentsize(LE), header.e_shnum(LE)),
    ];
    for (part, offset, size, count) in headers {
        complete(data, || part.to_owned(), offset, u64::from(size).saturating_mul(count.into()))?;
    }
    sections(&mut container, header, data)?;
    let damaged = |_| BinaryError::Damaged("its program headers can't be read");
    let programs = header.program_headers(LE, data).map_err(damaged)?;
    for program in programs.iter().take(LIMITS.binary_parts) {
        let (offset, size) = program.file_range(LE);
        complete(data, || "a segment that it lists".to_owned(), offset, size)?;
        match program.p_type(LE) {
            elf::PT_LOAD => container.add(Segment {
                address: program.p_vaddr(LE),
                offset,
                size,
                executable: program.p_flags(LE).contains(elf::PF_X),
            }),
            elf::PT_NOTE => container.notes.extend(range(offset, size)),
            _ => {}
        }
    }
    container.segments.sort_by_key(|segment| segment.address);
    dynamic(&mut container, programs, data);
    Ok(container)
}

/// Finds the relocations of a program that may be moved, through the program headers, as the system does:
/// sections may have been stripped.
fn dynamic(container: &mut Container, programs: &[elf::ProgramHeader64<LittleEndian>], data: Data) {
    let found = programs.iter().find(|program| program.p_type(LE) == elf::PT_DYNAMIC);
    let Some(Ok(Some(entries))) = found.map(|program| program.dynamic(LE, data)) else {
        return;
    };
    let value = |tag| {
        let found = entries.iter().take(LIMITS.binary_parts).find(|entry| entry.tag(LE) == tag);
        found.map(|entry| entry.val(LE))
    };
    let tables = [(elf::DT_RELA, elf::DT_RELASZ), (elf::DT_JMPREL, elf::DT_PLTRELSZ)];
    for (address, size) in tables {
        if let (Some(address), Some(size)) = (value(address), value(size))
            && let Some((offset, left)) = container.offset(address)
        {
            container.relocations.extend(range(offset, size.min(left)));
        }
    }
}

/// Sections only save a search, so an unreadable list of them is no error. But a section past the end of
/// the file shows that the file is cut off.
fn sections(container: &mut Container, header: &Header, data: Data) -> Result<(), BinaryError> {
    for (name, section) in named_sections(header, data) {
        let Some((offset, size)) = section.file_range(LE) else {
            continue;
        };
        complete(data, || section_named(name), offset, size)?;
        match name {
            Some(b".gopclntab" | b".data.rel.ro.gopclntab") => {
                container.pclntab = range(offset, size)
            }
            Some(b".go.buildinfo") => container.build_info = range(offset, size),
            // The linker of Go 1.24 and newer has no program header for the GNU build id.
            _ if section.sh_type(LE) == elf::SHT_NOTE => {
                container.notes.extend(range(offset, size));
            }
            Some(name) if name.starts_with(b".debug_") => {
                let is_packed = section.sh_flags(LE).contains(elf::SHF_COMPRESSED);
                let found = range(offset, size).map(|range| DebugSection { range, is_packed });
                let name = String::from_utf8_lossy(name).into_owned();
                container.debug.extend(found.map(|found| (name, found)));
            }
            _ => {}
        }
    }
    Ok(())
}

/// The sections, with their names unless those are too long to be one that is looked for.
pub(crate) fn named_sections<'a, R: ReadRef<'a>>(
    header: &Header,
    data: R,
) -> impl Iterator<Item = (Option<&'a [u8]>, &'a elf::SectionHeader64<LittleEndian>)> {
    let sections = header.section_headers(LE, data).unwrap_or_default();
    let index = header.section_strings_index(LE, data).ok();
    let strings = index.and_then(|index| sections.get(index.0)?.file_range(LE));
    let name_of = move |section: &elf::SectionHeader64<LittleEndian>| {
        let (offset, size) = strings?;
        let at = u64::from(section.sh_name(LE));
        let size = size.checked_sub(at)?.min(NAME);
        let bytes = data.read_bytes_at(offset.checked_add(at)?, size).ok()?;
        bytes.get(..memchr::memchr(0, bytes)?)
    };
    sections.iter().take(LIMITS.binary_parts).map(move |section| (name_of(section), section))
}

/// The contents of a compressed section; `None` if they have more than `most` bytes or can't be read.
pub(crate) fn unpacked(section: &[u8], most: u64) -> Option<Vec<u8>> {
    // `Elf64_Chdr`: the compression, four unused bytes, size and alignment of the contents.
    let (head, packed) = section.split_at_checked(24)?;
    if u32::from_le_bytes(*head.first_chunk()?) != elf::ELFCOMPRESS_ZLIB.0 {
        return None;
    }
    let mut whole = Vec::new();
    ZlibDecoder::new(packed).take(most.saturating_add(1)).read_to_end(&mut whole).ok()?;
    (whole.len() as u64 <= most).then_some(whole)
}
