//! PE. Go's tables have no sections of their own, so they are searched for.

use super::{Arch, Container, Data, Format, Segment, complete, section_named};
use crate::binary::BinaryError;
use crate::limits::LIMITS;
use object::LittleEndian;
use object::pe;
use object::read::pe::{ImageNtHeaders, ImageOptionalHeader, optional_header_magic};

const LE: LittleEndian = LittleEndian;

pub(super) fn read(data: Data) -> Result<Container, BinaryError> {
    let damaged = |_| BinaryError::Damaged("its PE header can't be read");
    match optional_header_magic(data).map_err(|_| BinaryError::Unknown)? {
        pe::IMAGE_NT_OPTIONAL_HDR64_MAGIC => {}
        pe::IMAGE_NT_OPTIONAL_HDR32_MAGIC => return Err(super::narrow()),
        _ => return Err(BinaryError::Unknown),
    }
    let dos = pe::ImageDosHeader::parse(data).map_err(damaged)?;
    let mut offset = u64::from(dos.nt_headers_offset());
    let (headers, _) = pe::ImageNtHeaders64::parse(data, &mut offset).map_err(damaged)?;
    let arch = match headers.file_header().machine.get(LE) {
        pe::IMAGE_FILE_MACHINE_AMD64 => Arch::Amd64,
        pe::IMAGE_FILE_MACHINE_ARM64 => Arch::Arm64,
        _ => Arch::Other,
    };
    let mut container = Container::new(Format::Pe, arch);
    let base = headers.optional_header().image_base();
    container.base = base;
    let sections = headers.sections(data, offset).map_err(damaged)?;
    for section in sections.iter().take(LIMITS.binary_parts) {
        let (offset, size) = section.pe_file_range();
        complete(data, || section_named(Some(section.raw_name())), offset.into(), size.into())?;
        let Some(address) = base.checked_add(section.virtual_address.get(LE).into()) else {
            continue;
        };
        container.add(Segment {
            address,
            offset: offset.into(),
            size: size.into(),
            executable: section.characteristics.get(LE).contains(pe::IMAGE_SCN_MEM_EXECUTE),
        });
    }
    Ok(container)
}
