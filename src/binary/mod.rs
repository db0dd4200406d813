//! Go binaries: the function, file and line of an address, and how much stack calls take.
//!
//! Go writes a table of all functions (pclntab) into every binary, even a stripped one: its runtime needs
//! it to print stacks. ELF, Mach-O and PE files are read that are 64-bit and little-endian, of Go 1.18 to
//! 1.27. Symbols aren't used, and DWARF only for the names of variables, which nothing else has.
//!
//! Addresses are those before the program is moved; a [`Slide`] converts those of a process to them.

#![cfg_attr(
    not(test),
    deny(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::indexing_slicing,
        clippy::arithmetic_side_effects
    )
)]

mod arguments;
mod build_id;
mod build_info;
mod bytes;
mod container;
pub(crate) mod dwarf;
mod error;
mod evidence;
mod frames;
mod function;
mod locals;
mod moduledata;
mod modules;
mod names;
mod pclntab;
mod pointers;
mod slide;
mod stack;
#[cfg(test)]
pub(crate) mod tests;
mod values;
mod wrappers;

pub use arguments::Argument;
pub use build_info::{BuildInfo, Module};
pub use container::{Arch, Format};
pub use error::BinaryError;
pub use evidence::{Evidence, Mismatch, Observed};
pub use frames::Frame;
pub use function::Function;
pub use locals::{CallSite, Local, Locals};
pub use names::PrintedCall;
pub use pointers::{PointerMap, PointerMaps, StackObject};
pub use slide::Slide;
pub use stack::{StackCall, StackCalls, StackModel, StackSize};

use crate::limits::LIMITS;
use crate::regular_file;
use bytes::Bytes;
use container::{Container, DebugSection};
pub(crate) use container::{named_sections, unpacked};
use moduledata::ModuleData;
use names::Names;
use pclntab::Header;
use std::fs::File;
use std::path::Path;
use std::sync::OnceLock;
use wrappers::Wrappers;

/// A Go binary. Its parts are read from the file when they are first needed, and kept.
#[derive(Debug)]
pub struct Binary {
    bytes: Bytes,
    container: Container,
    header: Header,
    module: ModuleData,
    names: OnceLock<Names>,
    wrapper_id: OnceLock<u8>,
    wrappers: OnceLock<Wrappers>,
    gnu_build_id: OnceLock<Option<String>>,
}

impl Binary {
    /// Opens the binary in a file.
    ///
    /// # Errors
    /// If the file can't be read, or isn't a Go binary of a known kind.
    pub fn open(path: &Path) -> Result<Binary, BinaryError> {
        match regular_file::open(path)? {
            Some(file) => Binary::of_file(file),
            None if path.is_dir() => {
                Err(BinaryError::Not("is a directory", "pass the Go program itself"))
            }
            // Tables are read at any place of it.
            None => Err(BinaryError::Not("isn't a regular file", "write it to one first")),
        }
    }

    /// Reads the binary in an open file.
    ///
    /// # Errors
    /// As [`Binary::open`].
    pub fn of_file(file: File) -> Result<Binary, BinaryError> {
        let metadata = file.metadata()?;
        if metadata.len() > LIMITS.binary_bytes {
            return Err(BinaryError::Not("is larger than 4 GiB (binary_bytes)", ""));
        }
        Binary::read(Bytes::from_file(file, metadata.len()))
    }

    /// Reads a binary from memory.
    ///
    /// # Errors
    /// If the bytes aren't a Go binary of a known kind.
    pub fn from_bytes(bytes: Vec<u8>) -> Result<Binary, BinaryError> {
        Binary::read(Bytes::from_memory(bytes))
    }

    fn read(bytes: Bytes) -> Result<Binary, BinaryError> {
        let container = Container::read(&bytes);
        let found = container.and_then(|container| {
            let candidates = Header::candidates(&bytes, &container);
            let seen = !candidates.is_empty();
            let complete = candidates.into_iter().find_map(|header| {
                let module = ModuleData::find(&bytes, &container, &header)?;
                Some((header, module))
            });
            match complete {
                Some((header, module)) => Ok((container, header, module)),
                None if seen => Err(BinaryError::Damaged("its module data can't be found")),
                None => Err(Header::missing(&bytes, &container)),
            }
        });
        // If something wasn't found, a read error may be the reason.
        if let Some(error) = bytes.failure() {
            return Err(std::io::Error::new(error.kind(), error.to_string()).into());
        }
        let (container, header, module) = found?;
        Ok(Binary {
            bytes,
            container,
            header,
            module,
            names: OnceLock::new(),
            wrapper_id: OnceLock::new(),
            wrappers: OnceLock::new(),
            gnu_build_id: OnceLock::new(),
        })
    }

    /// Whether a file with this start is a core file: the type of an ELF file is its ninth pair of bytes.
    pub fn is_core(start: &[u8]) -> bool {
        let kind = match start.get(5) {
            Some(2) => [0, 4],
            _ => [4, 0],
        };
        start.starts_with(b"\x7fELF") && start.get(16..18) == Some(&kind[..])
    }

    /// Whether a file with this start is a binary of any kind, even of one that isn't read.
    pub fn is_start(start: &[u8]) -> bool {
        let starts: [&[u8]; 7] = [
            b"\x7fELF",
            b"MZ",
            b"\xcf\xfa\xed\xfe",
            b"\xce\xfa\xed\xfe",
            b"\xfe\xed\xfa\xce",
            b"\xfe\xed\xfa\xcf",
            b"\xca\xfe\xba\xbe",
        ];
        starts.iter().any(|known| start.starts_with(known))
    }

    /// Its file format.
    pub fn format(&self) -> Format {
        self.container.format
    }

    /// The processor that it is for.
    pub fn arch(&self) -> Arch {
        self.container.arch
    }

    /// The number of functions.
    pub fn function_count(&self) -> usize {
        self.header.count as usize
    }

    /// The addresses of Go code, before the program is moved.
    pub fn text(&self) -> std::ops::Range<u64> {
        self.module.text..self.module.end
    }

    /// The addresses of variables with pointers, before the program is moved: initialized ones, and those
    /// that start as zeros.
    pub fn variables(&self) -> &[std::ops::Range<u64>; 2] {
        &self.module.variables
    }

    /// The bytes of a section of DWARF; `None` if it has more than `most` or can't be read.
    fn debug_section(&self, section: &DebugSection, most: u64) -> Option<Vec<u8>> {
        let start = section.range.start;
        let size = section.range.end.checked_sub(start).filter(|&it| it <= most)?;
        let mut bytes = vec![0; usize::try_from(size).ok()?];
        // The container has checked that it ends in the file.
        let is_read = self.bytes.fill(start, &mut bytes);
        match section.is_packed {
            true => unpacked(&bytes, most).filter(|_| is_read),
            false => is_read.then_some(bytes),
        }
    }

    /// Steps of looking up that may still be taken.
    #[cfg(test)]
    pub(crate) fn steps_left(&self) -> u64 {
        self.bytes.steps_left()
    }

    /// Reads the memory from an address on as it is before the program runs; returns how many bytes of the
    /// buffer were filled.
    pub fn read_memory(&self, address: u64, buffer: &mut [u8]) -> usize {
        let Some((offset, left)) = self.container.offset(address) else { return 0 };
        let len = buffer.len().min(usize::try_from(left).unwrap_or(usize::MAX));
        let filled = buffer.get_mut(..len).is_some_and(|buffer| self.bytes.fill(offset, buffer));
        if filled { len } else { 0 }
    }

    /// Whether the file starts with these bytes.
    pub fn starts_with(&self, start: &[u8]) -> bool {
        let len = start.len() as u64;
        self.bytes.range(0..len).is_some_and(|bytes| *bytes == *start)
    }

    /// Why a part of the file couldn't be read after it was opened; look-ups in that part found nothing.
    pub fn read_error(&self) -> Option<&std::io::Error> {
        self.bytes.failure()
    }
}
