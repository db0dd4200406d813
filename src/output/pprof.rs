//! `-o pprof`: a gzipped proto; see [`crate::format::pprof`].
//!
//! A profile that was read from a proto, or from the text of one, comes out as it went in.
//! Goroutines become samples whose labels hold ids, states, waits and the like.

use crate::filter::Selection;
use crate::format::pprof::{write_goroutines, write_samples};
use crate::profile::{Input, InputId, Profile};
use std::io::{self, Write};

/// Writes the proto; of a difference it doesn't matter which input a sample is from.
///
/// # Errors
/// What writing to `out` fails with.
pub fn write(
    profile: &Profile,
    selection: &Selection,
    is_difference: bool,
    out: &mut dyn Write,
) -> io::Result<()> {
    let is_exact = |(id, input): (InputId, &Input)| {
        input.header.exact && profile.value_type().is_some_and(|of| profile.has_type(id, of))
    };
    let exact = match profile.inputs.as_slice() {
        [only] => only.header.exact,
        // Several inputs of goroutines are told apart by labels.
        _ if profile.counts_goroutines() => is_difference && profile.inputs().all(is_exact),
        _ => true,
    };
    if exact {
        return write_samples(profile, &|sample| selection.has(sample), out).map(|_| ());
    }
    let count = |sample| selection.count(sample);
    let selected = |at| selection.has_goroutine(profile, at);
    write_goroutines(profile, &count, &selected, out).map(|_| ())
}
