//! Locations: what protos know about a frame besides function, file and line.
//!
//! Stacks are lists of frames in every format; only protos have addresses, mappings and inlined
//! calls. Each location stands for one frame, or for several that were inlined into each other.
//! Locations are kept so that a profile can be written as it was read.

use super::{FrameId, StrId};

/// The name of a function without a name if the mapped file isn't known either, as in `go tool
/// pprof`.
pub const UNKNOWN: &[u8] = b"<unknown>";

/// The name of a function without a name: that of the mapped file, `[libc.so.6]`.
pub fn unsymbolized(file: &[u8]) -> Vec<u8> {
    match file.rsplit(|&byte| byte == b'/').next().unwrap_or_default() {
        b"" => UNKNOWN.to_vec(),
        base => [b"[", base, b"]"].concat(),
    }
}

/// Whether a name is one that [`unsymbolized`] makes.
pub fn is_unsymbolized(func: &[u8]) -> bool {
    func == UNKNOWN || func.starts_with(b"[") && func.ends_with(b"]")
}

/// The file of a function without a name: its address, which is all that is known of its place, so
/// that stacks with other addresses are other stacks.
pub fn place_of_address(address: u64) -> Vec<u8> {
    match address {
        0 => Vec::new(),
        _ => format!("{address:#x}").into_bytes(),
    }
}

/// Whether the file of a frame is such an address: `0x4533fe`.
pub fn is_address(func: &[u8], file: &[u8]) -> bool {
    let digits = file.strip_prefix(b"0x").unwrap_or_default();
    is_unsymbolized(func)
        && (1..=16).contains(&digits.len())
        && digits.iter().all(u8::is_ascii_hexdigit)
}

/// A mapping of one profile's table.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct MappingId(pub(crate) u32);

impl MappingId {
    /// The position in [`super::Profile::mappings`].
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A function of one profile's table.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct FunctionId(pub(crate) u32);

impl FunctionId {
    /// The position in the table of functions.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A location of one profile's table.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct LocationId(pub(crate) u32);

impl LocationId {
    /// The position in [`super::Profile::locations`].
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A file mapped into the process.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Mapping {
    /// First address.
    pub start: u64,
    /// First address after it.
    pub limit: u64,
    /// Where it starts in the file.
    pub offset: u64,
    /// The file.
    pub file: StrId,
    /// Identifies a build of the file.
    pub build_id: StrId,
    /// Which of its symbols were looked up.
    pub has: Symbols,
}

impl Mapping {
    /// Mappings with the same identity count as one, as in `go tool pprof`: the number of pages,
    /// the offset, and the build id or else the file; the address doesn't matter.
    pub fn identity(&self) -> (u64, u64, StrId) {
        const PAGE: u64 = 0x1000;
        let name = if self.build_id == StrId::EMPTY { self.file } else { self.build_id };
        (self.limit.wrapping_sub(self.start).div_ceil(PAGE), self.offset, name)
    }
}

/// Which symbols of a mapping were looked up when the profile was written.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Symbols {
    /// Functions.
    pub functions: bool,
    /// Files.
    pub filenames: bool,
    /// Lines.
    pub line_numbers: bool,
    /// Calls that were inlined.
    pub inline_frames: bool,
}

/// A function as protos have it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Function {
    /// The name for people.
    pub name: StrId,
    /// The name for linkers.
    pub system_name: StrId,
    /// The file that it is in.
    pub file: StrId,
    /// Its first line, 0 if unknown.
    pub start_line: i64,
}

/// An address, and its lines of code.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Location {
    /// The mapping that holds it.
    pub mapping: Option<MappingId>,
    /// The address of an instruction; for a call, of the call instruction. 0 if it isn't known.
    pub address: u64,
    /// Bytes from the start of its function to the address, or to the return address of the call,
    /// as printed in a text; 0 if it isn't printed.
    pub offset: u32,
    /// Bytes of stack that the call takes, computed from the registers of a crash; 0 if they aren't
    /// printed.
    pub bytes: u32,
    /// Whether several symbols share the address, so the function may be another one.
    pub folded: bool,
    /// Where its lines start in the table.
    pub(super) lines: u32,
    /// How many lines it has.
    pub(super) count: u32,
}

/// A line of a location.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Line {
    /// The function.
    pub function: FunctionId,
    /// The frame that stacks have for this function and line.
    pub frame: FrameId,
    /// The line.
    pub line: i64,
    /// The column, 0 if unknown.
    pub column: i64,
}
