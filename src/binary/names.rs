//! Functions by name.

use super::function::Function;
use super::{Binary, Frame};
use crate::limits::LIMITS;
use crate::profile::function::printed;
use std::borrow::Cow;
use std::hash::{DefaultHasher, Hash, Hasher};

/// The functions, sorted by the hash of their printed names; 16 bytes each.
#[derive(Debug)]
pub(super) struct Names(Vec<(u64, u32)>);

/// A call as panics and debug=2 texts print it: `main.run(...)`, `/src/main.go:12 +0x1d`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PrintedCall<'a> {
    /// The name, with type arguments as `[...]` or in full.
    pub function: &'a [u8],
    /// The file; empty if it isn't printed.
    pub file: &'a [u8],
    /// The line; 0 if it isn't printed.
    pub line: u32,
    /// The number after `+`: the distance of the return address from the function's start.
    pub offset: u64,
}

impl Binary {
    /// The functions with this name, type arguments aside. There may be many: instances of a generic
    /// function, and functions that the compiler made with the same name.
    pub fn functions_named(&self, name: &[u8]) -> impl Iterator<Item = Function<'_>> {
        // How panics print this function.
        let name = if name == b"panic" { b"runtime.gopanic" } else { name };
        let name = printed(name).into_owned();
        let Names(names) = self.names.get_or_init(|| Names::new(self));
        let hash = hash(&name);
        let first = names.partition_point(|&(other, _)| other < hash);
        let equal = names.get(first..).unwrap_or_default().iter();
        let equal = equal.take_while(move |&&(other, _)| other == hash);
        let functions = equal.filter_map(|&(_, index)| Function::read(self, index));
        functions.filter(move |one| printed(&one.name()) == name)
    }

    /// The possible return addresses of a printed call: one, unless functions share name, file and line;
    /// none in a binary that didn't print it.
    pub fn addresses(&self, call: &PrintedCall) -> Vec<u64> {
        let functions = self.functions_named(call.function);
        let found = functions.filter_map(|function| {
            let pc = function.entry().checked_add(call.offset)?;
            let inside = call.offset > 0 && pc <= function.end();
            // The call instruction ends at the byte before its return address; a signal has the very
            // address.
            let mut places = [pc.checked_sub(1)?, pc].into_iter();
            let is_there = |pc| self.frames(pc).pop().is_some_and(|frame| call.is_at(&frame));
            (inside && places.any(is_there)).then_some(pc)
        });
        found.collect()
    }
}

impl Names {
    fn new(binary: &Binary) -> Names {
        // Names don't overlap, but functions can share one. In a file that isn't hostile, all names
        // together have fewer bytes than this.
        let header = &binary.header;
        let listed = header.units.saturating_sub(header.names).saturating_mul(4);
        let mut bytes = listed.saturating_add(header.count.into());
        let named = binary.functions().map_while(|function| {
            let name = function.name();
            bytes = bytes.checked_sub(name.len() as u64)?;
            Some((hash(&printed(&name)), function.index))
        });
        let mut names: Vec<(u64, u32)> = named.collect();
        names.sort_unstable();
        let alike = names.chunk_by(|one, other| one.0 == other.0);
        Names(
            alike
                .filter(|alike| alike.len() <= LIMITS.binary_namesakes)
                .flatten()
                .copied()
                .collect(),
        )
    }
}

impl PrintedCall<'_> {
    /// Whether file and line agree. Of the file only the last path element counts: `-trimpath` changes the
    /// rest.
    fn is_at(&self, frame: &Frame) -> bool {
        let file = frame.file.as_ref().map_or(&[][..], Cow::as_ref);
        (self.line == 0 || self.line == frame.line) && same_file(self.file, file)
    }
}

/// Whether two paths may be those of one file, built in different places.
pub(super) fn same_file(one: &[u8], other: &[u8]) -> bool {
    let last = |path: &[u8]| {
        let start = memchr::memrchr2(b'/', b'\\', path).map_or(0, |slash| slash.saturating_add(1));
        path.get(start..).unwrap_or_default().to_vec()
    };
    one.is_empty() || other.is_empty() || one == other || last(one) == last(other)
}

fn hash(name: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    name.hash(&mut hasher);
    hasher.finish()
}
