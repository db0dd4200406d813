//! `-o pprof`: a gzipped proto; see [`crate::format::pprof`].
//!
//! A profile from a proto, or from the text of one, is written as it was read. Goroutines become samples
//! whose labels have ids, states, waits and so on.

use crate::filter::Selection;
use crate::format::pprof::{write_goroutines, write_samples};
use crate::profile::{Input, InputId, Profile};
use std::io::{self, Write};

/// Writes the proto; in a difference the inputs of samples aren't distinguished.
///
/// # Errors
/// The error of writing to `out`.
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
        // Several inputs of goroutines need labels that distinguish them.
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
