//! debug=1 text of profiles: records of numbers, addresses and frames, with one reader for all.
//!
//! ```text
//! line, labels   the lines of a record
//! known          frame lines that were seen before
//! record         what all records have: labels, frames, an end
//!
//! count          profiles of goroutines
//! values         all others: heap, contentions, threads, those of programs
//! ```

pub(super) mod count;
mod known;
mod labels;
pub(super) mod line;
mod record;
pub(super) mod values;

use crate::profile::ProfileBuilder;
use crate::simd::Kernel;
use count::CountReader;
use values::ValueReader;

/// Whether a line is the first one of a profile, or of a record of goroutines.
pub(super) fn starts(line: &[u8]) -> bool {
    count::header(line).is_some_and(|header| header.format().is_some())
        || values::head(line).is_some()
        || count::starts_record(line)
}

/// Whether a line is the first one of a profile of a heap, or of contention.
pub(super) fn starts_values(line: &[u8]) -> bool {
    matches!(line.first(), Some(b'-' | b'h')) && values::head(line).is_some()
}

/// Reads a profile line by line, after its first line.
#[derive(Debug)]
pub(super) enum ProfileReader {
    /// Of goroutines.
    Count(CountReader),
    /// Of anything else.
    Values(ValueReader),
}

impl ProfileReader {
    /// The fast way: takes in the frame lines that a text starts with, as long as they are known. Says
    /// how many lines and bytes those are.
    #[inline(always)]
    pub(super) fn known_frames(&mut self, text: &[u8], kernel: impl Kernel) -> (u64, usize) {
        match self {
            ProfileReader::Count(reader) => reader.known_frames(text, kernel),
            ProfileReader::Values(reader) => reader.known_frames(text, kernel),
        }
    }

    /// Whether a line without the prefix that the lines before it have is one of the profile: of some messages only the
    /// first line has one.
    pub(super) fn awaits(&self, line: &[u8]) -> bool {
        line.starts_with(b"#")
            || line::is_of_record(line)
            || line::record_start(line).is_some()
            || matches!(self, ProfileReader::Values(reader) if reader.awaits(line))
    }

    /// Takes in a line without its line end.
    pub(super) fn line(&mut self, line: &[u8], number: u64, builder: &mut ProfileBuilder) -> Used {
        match self {
            ProfileReader::Count(reader) => reader.line(line, number, builder),
            ProfileReader::Values(reader) => reader.line(line, number, builder),
        }
    }

    /// Whether the last line of the input, which has no end, breaks off.
    pub(super) fn breaks_off(&self, last: &[u8]) -> bool {
        match self {
            // It announces how many goroutines there are.
            ProfileReader::Count(_) => false,
            ProfileReader::Values(reader) => reader.breaks_off(last),
        }
    }

    /// Whether the text so far ends in what may be the start of a record, with a line end that a log has put there.
    pub(super) fn ends_in_numbers(&self) -> bool {
        matches!(self, ProfileReader::Values(reader) if reader.ends_in_numbers())
    }

    /// Ends the profile: its last record is counted and the sum compared with what was announced.
    pub(super) fn finish(self, at_end_of_input: bool, builder: &mut ProfileBuilder) {
        match self {
            ProfileReader::Count(reader) => reader.finish(builder),
            ProfileReader::Values(reader) => reader.finish(at_end_of_input, builder),
        }
    }
}

/// What a reader made of a line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Used {
    /// The line belongs to the profile.
    Took,
    /// The line is text behind a whole record; the profile may go on below.
    Text,
    /// The line is outside records and has no meaning here.
    NotMine,
    /// The line is inside a record and isn't part of a profile.
    Foreign,
}
