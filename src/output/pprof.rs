//! `-o pprof`: a gzipped proto whose samples are goroutines; see [`crate::format::pprof`] for what
//! its labels hold.

use crate::filter::Selection;
use crate::format::pprof::write_goroutines;
use crate::profile::Profile;
use std::io::{self, Write};

/// Writes the proto.
pub fn write(profile: &Profile, selection: &Selection, out: &mut dyn Write) -> io::Result<()> {
    let count = |sample| selection.count(sample);
    let selected = |at| selection.has_goroutine(profile, at);
    write_goroutines(profile, &count, &selected, out).map(|_| ())
}
