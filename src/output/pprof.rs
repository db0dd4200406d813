//! `-o pprof`: a gzipped proto; see [`crate::format::pprof`].
//!
//! A profile that was read from a proto, or from the text of one, comes out as it went in.
//! Goroutines become samples whose labels hold ids, states, waits and the like.

use crate::filter::Selection;
use crate::format::pprof::{write_goroutines, write_samples};
use crate::profile::Profile;
use std::io::{self, Write};

/// Writes the proto.
pub fn write(profile: &Profile, selection: &Selection, out: &mut dyn Write) -> io::Result<()> {
    let exact = match profile.inputs.as_slice() {
        [only] => only.header.exact,
        // Several inputs of goroutines are told apart by labels.
        _ => !profile.counts_goroutines(),
    };
    if exact {
        return write_samples(profile, &|sample| selection.has(sample), out).map(|_| ());
    }
    let count = |sample| selection.count(sample);
    let selected = |at| selection.has_goroutine(profile, at);
    write_goroutines(profile, &count, &selected, out).map(|_| ())
}
