//! debug=1 text of profiles: records of numbers, addresses and frames, read by one reader.
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

/// What a reader made of a line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Used {
    /// It belongs to the profile.
    Took,
    /// It stands outside records and isn't known here.
    NotMine,
    /// It stands inside a record and belongs to no profile.
    Foreign,
}
