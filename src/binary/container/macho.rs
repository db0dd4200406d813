//! Mach-O.

use super::{Arch, Container, Data, Format, Segment, complete, range};
use crate::binary::BinaryError;
use crate::limits::LIMITS;
use object::LittleEndian;
use object::macho;
use object::read::macho::{MachHeader, Section, Segment as _};

const LE: LittleEndian = LittleEndian;

type Header = macho::MachHeader64<LittleEndian>;

pub(super) fn read(data: Data) -> Result<Container, BinaryError> {
    let damaged = |_| BinaryError::Damaged("its Mach-O header can't be read");
    let header = Header::parse(data, 0).map_err(damaged)?;
    match header.filetype(LE) {
        macho::MH_OBJECT => return Err(BinaryError::Not("is an object file", "link it first")),
        macho::MH_DSYM => {
            return Err(BinaryError::Not("has only debug information", "pass the program itself"));
        }
        _ => {}
    }
    let arch = match header.cputype(LE) {
        macho::CPU_TYPE_X86_64 => Arch::Amd64,
        macho::CPU_TYPE_ARM64 => Arch::Arm64,
        _ => Arch::Other,
    };
    let mut container = Container::new(Format::MachO, arch);
    let mut commands = header.load_commands(LE, data, 0).map_err(damaged)?;
    for _ in 0..LIMITS.binary_parts {
        let damaged = |_| BinaryError::Damaged("its load commands can't be read");
        let Some(command) = commands.next().map_err(damaged)? else {
            break;
        };
        let Some((segment, sections)) = command.segment_64().map_err(damaged)? else {
            continue;
        };
        let (offset, size) = (segment.fileoff(LE), segment.filesize(LE));
        complete(data, || "a segment that it lists".to_owned(), offset, size)?;
        if segment.name() == b"__TEXT" {
            container.base = segment.vmaddr(LE);
        }
        container.add(Segment {
            address: segment.vmaddr(LE),
            offset,
            size,
            executable: segment.initprot(LE).contains(macho::VM_PROT_EXECUTE),
        });
        let sections = segment.sections(LE, sections).unwrap_or_default();
        for section in sections.iter().take(LIMITS.binary_parts) {
            let place = range(section.offset(LE).into(), section.size(LE));
            match section.name() {
                b"__gopclntab" => container.pclntab = place,
                b"__go_buildinfo" => container.build_info = place,
                _ => {}
            }
        }
    }
    Ok(container)
}
