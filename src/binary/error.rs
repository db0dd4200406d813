//! Errors about binaries.

use std::fmt;
use std::io;

/// Why a file can't be used as a Go binary.
#[derive(Debug)]
pub enum BinaryError {
    /// An error of the system.
    Io(io::Error),
    /// Something else: what it is, and advice.
    Not(&'static str, &'static str),
    /// Neither ELF nor Mach-O nor PE.
    Unknown,
    /// A binary without Go's tables: another language's, or packed.
    NotGo,
    /// Go's tables, of a version that is too old or too new.
    Version(u32),
    /// The rules of the format are broken.
    Damaged(&'static str),
    /// The file ends before a part of it does.
    CutOff {
        /// The size of the file.
        len: u64,
        /// The part: "its section .gopclntab".
        part: String,
        /// The offset at which that part ends.
        end: u64,
    },
}

impl BinaryError {
    /// What to do about it, if anything helps.
    pub fn advice(&self) -> Option<&'static str> {
        match self {
            BinaryError::Io(_) => None,
            BinaryError::Not(_, advice) => (!advice.is_empty()).then_some(*advice),
            BinaryError::Unknown => Some("pass the Go program itself"),
            BinaryError::NotGo => Some("pass the Go program itself; unpack it if it was packed"),
            BinaryError::Version(magic) if *magic < NEWEST_MAGIC => {
                Some("binaries of Go 1.18 to 1.27 are read")
            }
            BinaryError::Version(_) => Some("a newer version of this program may read it"),
            BinaryError::Damaged(_) => Some("is the file complete?"),
            BinaryError::CutOff { .. } => Some("copy it again, whole"),
        }
    }
}

/// Magic numbers of tables grow with the version of Go; from 1.20 to 1.27 it is 0xfffffff1.
const NEWEST_MAGIC: u32 = 0xffff_fff1;

/// The problem, to be printed after the name of the file.
impl fmt::Display for BinaryError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BinaryError::Io(error) => error.fmt(out),
            BinaryError::Not(what, _) => out.write_str(what),
            BinaryError::Unknown => out.write_str("isn't a binary (ELF, Mach-O or PE)"),
            BinaryError::NotGo => out.write_str("isn't a Go binary: it has no table of functions"),
            BinaryError::Version(0xffff_fffa) => out.write_str("was built by Go 1.16 or 1.17"),
            BinaryError::Version(0xffff_fffb) => out.write_str("was built by Go 1.15 or older"),
            BinaryError::Version(magic) => {
                write!(out, "has a table of functions of an unknown version, {magic:#x}")
            }
            BinaryError::Damaged(what) => write!(out, "is damaged: {what}"),
            BinaryError::CutOff { len, part, end } => {
                write!(out, "is cut off: it has {len} bytes, and {part} ends at byte {end}")
            }
        }
    }
}

impl std::error::Error for BinaryError {}

impl From<io::Error> for BinaryError {
    fn from(error: io::Error) -> BinaryError {
        BinaryError::Io(error)
    }
}
