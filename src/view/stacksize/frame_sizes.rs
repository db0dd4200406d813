//! How many bytes of a stack calls of a binary's functions take: the document
//! `stackgazer.frame-sizes/1`, and the same as a profile, for comparisons.

use crate::binary::{Binary, Function};
use crate::error::{Error, ErrorKind};
use crate::limits::LIMITS;
use crate::profile::{Input, InputFormat, Keep, NewSample, Profile, ProfileBuilder, SampleSpec};
use crate::view::symbols::{About, Address, text};
use serde::{Serialize, Serializer};
use std::borrow::Cow;

/// The schema that the document follows.
pub const SCHEMA: &str = "stackgazer.frame-sizes/1";

/// The functions of a binary.
#[derive(Clone, Debug, Serialize)]
pub struct FrameSizes<'a> {
    schema: &'static str,
    /// The binary.
    pub binary: About,
    /// How many functions have a known size, including those that aren't in the rows.
    pub functions: usize,
    /// The largest first.
    pub rows: Vec<FrameSize<'a>>,
}

/// A function.
#[derive(Clone, Debug, Serialize)]
pub struct FrameSize<'a> {
    /// Its name, with type arguments.
    #[serde(rename = "func", serialize_with = "name")]
    function: Function<'a>,
    /// The address of its first instruction.
    pub start: Address,
    /// The address after its last instruction.
    pub end: Address,
    /// The most bytes that a call of it takes, including the return address.
    pub bytes: u64,
}

fn name<S: Serializer>(function: &Function<'_>, out: S) -> Result<S::Ok, S::Error> {
    text(&function.name(), out)
}

impl<'a> FrameSize<'a> {
    /// Its name, with type arguments.
    pub fn func(&self) -> Cow<'a, [u8]> {
        self.function.name()
    }
}

impl<'a> FrameSizes<'a> {
    /// All functions of a binary, or the first of them, except those of reflection and debuggers that
    /// are never called with frames of that size.
    pub fn new(about: About, binary: &'a Binary, by_name: bool, limit: usize) -> FrameSizes<'a> {
        let row = |(function, bytes): (Function<'a>, u64)| FrameSize {
            start: Address(function.entry()),
            end: Address(function.end()),
            bytes,
            function,
        };
        let mut rows: Vec<FrameSize<'a>> = binary.frame_sizes().map(row).collect();
        // The sort is stable: equal ones stay in the order of addresses.
        match by_name {
            true => rows.sort_by_cached_key(FrameSize::func),
            false => rows.sort_by_key(|row| std::cmp::Reverse(row.bytes)),
        }
        let functions = rows.len();
        rows.truncate(limit);
        FrameSizes { schema: SCHEMA, binary: about, functions, rows }
    }
}

/// Binaries as a profile: each is an input, and its functions are samples of the type `frames/bytes`.
///
/// # Errors
/// If the names of all functions are longer than [`binary_names`](crate::limits::Limits::binary_names).
pub fn profile<'a>(
    binaries: impl IntoIterator<Item = (&'a str, &'a str, &'a Binary)>,
) -> crate::error::Result<Profile> {
    with_names(binaries, LIMITS.binary_names)
}

/// The same, for names of so many bytes.
fn with_names<'a>(
    binaries: impl IntoIterator<Item = (&'a str, &'a str, &'a Binary)>,
    most: usize,
) -> crate::error::Result<Profile> {
    let mut builder = ProfileBuilder::new(Keep::default());
    let kind = builder.sample_type(b"frames", b"bytes");
    for (point, (name, path, binary)) in binaries.into_iter().enumerate() {
        let mut input = Input::new(name, path, InputFormat::Binary);
        input.point = point;
        input.header.sample_types.push(kind);
        input.header.default_type = Some(kind);
        let input = builder.input(input);
        let mut seen = 0;
        for (function, bytes) in binary.frame_sizes() {
            let place = binary.frames(function.entry()).pop();
            let (file, line) = place.map(|it| (it.file, it.start_line)).unwrap_or_default();
            let (func, file) = (function.name(), file.unwrap_or_default());
            let frame = builder.frame(&func, &file, line.into());
            // Names that come again, as in another build of the program, cost nothing.
            if builder.string_bytes() > most {
                return Err(too_long(path));
            }
            let stack = builder.stack(&[frame]);
            let values = [i64::try_from(bytes).unwrap_or(i64::MAX)];
            let (locations, labels) = (0, crate::profile::LabelsId::NONE);
            let spec = SampleSpec::new(input, stack);
            builder.add_sample(&NewSample { spec, values: &values, locations, labels });
            seen += 1;
        }
        builder.input_mut(input).seen.headers = seen;
    }
    Ok(builder.finish())
}

fn too_long(path: &str) -> Error {
    let what = format!(
        "the names and files of its functions and of those before have more than {} bytes (binary_names)",
        LIMITS.binary_names
    );
    Error::new(ErrorKind::Limit, path, what).advise("compare fewer binaries at a time")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::binary::tests::fixture::open;

    #[test]
    fn names_of_compared_functions_have_a_limit_together() {
        let binary = open("go1.27-elf");
        let both = || [("a", "x/a", &binary), ("b", "x/b", &binary)];
        let one = profile(both().into_iter().take(1)).unwrap();
        let names = one.strings.bytes();
        assert!(with_names(both(), names + 100).is_ok(), "names that come again cost nothing");
        let error = with_names(both(), names / 2).unwrap_err();
        assert_eq!(error.kind, ErrorKind::Limit);
        assert!(error.what.contains("(binary_names)"), "{error}");
    }
}
