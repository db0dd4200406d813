//! What bytes say: one file per format, all filling the same [`ProfileBuilder`].

#[cfg(test)]
mod agreement;
pub(crate) mod count;
pub mod pprof;
pub(crate) mod quoted;

use crate::error::Result;
use crate::profile::{Input, InputFormat, ProfileBuilder};
use std::io::Read;

/// How to read an input.
#[derive(Default)]
pub struct ReadOptions<'a> {
    /// `--input-format`: don't look, it is this.
    pub format: Option<InputFormat>,
    /// `--line-prefix`: cut what this matches at the start of each line.
    pub line_prefix: Option<&'a regex::bytes::Regex>,
    /// Is offered the lines that may name the input, until it answers `false`: for debug=2 text
    /// lines outside goroutines, headers, calls with their arguments, `created by` and the place
    /// after it; for debug=1 every line; for protos each label as `key=value`.
    pub observer: Option<&'a mut dyn FnMut(&[u8]) -> bool>,
}

/// What became of an input.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// It was read; one input, or several where a stream holds several crashes or profiles.
    Read,
    /// Nothing in it is known.
    Unknown,
}

/// Reads one stream of bytes, already decompressed, into the builder.
///
/// `input` carries name, path and labels; its format is set here. When an error is returned, what
/// was understood before it stays in the builder.
pub fn read(
    bytes: &mut dyn Read,
    input: Input,
    options: &mut ReadOptions<'_>,
    builder: &mut ProfileBuilder,
) -> Result<Outcome> {
    let _ = (bytes, input, options, builder);
    Ok(Outcome::Unknown)
}
