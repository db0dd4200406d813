//! Where bytes come from: arguments become inputs, one opened stream of bytes each.
//!
//! [`expand()`] turns arguments into [`Unit`]s, which can be read at the same time. [`Unit::visit`]
//! opens one: it unpacks gzip and zstd, goes into archives, and hands on a [`Stream`] for each
//! input. No members are unpacked to disk; an archive that isn't seekable (in a pipe, in another
//! archive) is kept in memory or, if it is large, in a temporary file without a name.

#![cfg_attr(
    not(test),
    deny(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::indexing_slicing,
        clippy::arithmetic_side_effects
    )
)]

mod budget;
mod directory;
mod expand;
mod extent;
mod gzip;
mod http;
mod inflate;
mod listing;
mod magic;
mod names;
mod origin;
mod path_labels;
mod pick;
mod plan;
mod process;
mod spool;
mod stream;
mod tables;
mod tar;
#[cfg(test)]
mod tests;
mod unit;
mod visit;
mod wellknown;
mod zip;
mod zstd;

pub use budget::{Allowance, archive_exhausted, exhausted};
pub use directory::files_below;
pub use expand::expand;
pub use extent::Extent;
pub use http::{Certificates, HttpOptions, is_url, shown_argument, with_scheme};
pub use names::{GivenNames, argument_names, distinct_names, make_unique, usable};
pub use pick::natural;
pub use process::{is_process, process_number};
pub use stream::{Ending, Stream};
pub use tables::TableFolder;
pub use unit::{Together, Unit, Units};
pub use visit::Visited;
pub use wellknown::WELL_KNOWN;

use crate::error::Error;
use crate::live::{CaptureOptions, CorePrograms};

/// How arguments are turned into inputs.
#[derive(Clone, Debug, Default)]
pub struct SourceOptions {
    /// `--member GLOB`: which members of directories and archives to read.
    pub members: Vec<String>,
    /// The browser tool's zip patterns (regular expressions); used if `members` is empty.
    pub member_patterns: Vec<String>,
    /// `--input-name PATH=NAME`
    pub input_names: Vec<String>,
    /// `--path-label REGEX`; named groups become labels.
    pub path_labels: Vec<String>,
    /// `--max-bytes`
    pub max_bytes: Option<u64>,
    /// The programs of core files.
    pub programs: CorePrograms,
    /// How live processes are captured; for core files, which goroutines are read.
    pub capture: CaptureOptions,
    /// How to fetch inputs from addresses.
    pub http: HttpOptions,
}

/// Facts about an input before its bytes are read.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct InputMeta {
    /// The last component of its path; names are made distinct once all inputs have been read.
    pub name: String,
    /// Where it is, for people: `bundle.zip!nodes/1/stacks.txt`.
    pub path: String,
    /// Labels from the path.
    pub labels: Vec<(Vec<u8>, Vec<u8>)>,
    /// Whether it was named, was picked by `--member` or has a well-known name: then content in no
    /// known format is an error, otherwise the input is skipped and counted.
    pub picked: bool,
    /// Which argument it came from, counted from 0: a point in time for `diff` and `check`.
    pub point: usize,
    /// Its path inside that argument, by which processes are paired across points; empty if the
    /// argument is the file itself.
    pub member: String,
}

/// Everything that the arguments name.
#[derive(Debug)]
pub struct Expanded {
    /// The units to read, in order.
    pub units: Units,
    /// Errors of what can't be read, each with the position of its argument.
    pub errors: Vec<(usize, Error)>,
    /// What is passed over although its name is that of a dump.
    pub warnings: Vec<Error>,
    /// The arguments as they are shown.
    pub arguments: Vec<String>,
    /// How many bytes of the budget were used for archives that came through pipes.
    pub spooled: u64,
}
