//! Where bytes come from: arguments become inputs, one opened stream of bytes each.
//!
//! [`expand()`] turns arguments into [`Unit`]s, which can be read at the same time. [`Unit::visit`]
//! opens one: it takes off gzip and zstd, goes into archives, and hands on one [`Stream`] for each
//! input. Nothing is unpacked to disk; an archive that can't be read from anywhere (in a pipe, in
//! another archive) is kept in memory or, when it is large, in a temporary file without a name.

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

pub use budget::{Allowance, exhausted};
pub use expand::expand;
pub use extent::Extent;
pub use http::{HttpOptions, is_url, with_scheme};
pub use names::{GivenNames, argument_names, make_unique, tell_apart, usable};
pub use pick::natural;
pub use process::{is_process, process_number};
pub use stream::{Ending, Stream};
pub use tables::TableFolder;
pub use unit::{Unit, Units};
pub use visit::Visited;
pub use wellknown::WELL_KNOWN;

use crate::error::Error;
use crate::live::{CaptureOptions, CorePrograms};

/// How arguments are turned into inputs.
#[derive(Clone, Debug, Default)]
pub struct SourceOptions {
    /// `--member GLOB`: which members of directories and archives to read.
    pub members: Vec<String>,
    /// The browser tool's zip patterns (regular expressions); used where `members` is empty.
    pub member_patterns: Vec<String>,
    /// `--input-name PATH=NAME`
    pub input_names: Vec<String>,
    /// `--path-label REGEX`; named groups become labels.
    pub path_labels: Vec<String>,
    /// `--max-bytes`
    pub max_bytes: Option<u64>,
    /// The programs of core files.
    pub programs: CorePrograms,
    /// How live processes are captured; of core files, which goroutines are read.
    pub capture: CaptureOptions,
    /// How to fetch inputs that are addresses.
    pub http: HttpOptions,
}

/// What is known of an input before its bytes are looked at.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct InputMeta {
    /// The last component of its path; what tells it apart is known when all have been read.
    pub name: String,
    /// Where it is, for people: `bundle.zip!nodes/1/stacks.txt`.
    pub path: String,
    /// Labels told by the path.
    pub labels: Vec<(Vec<u8>, Vec<u8>)>,
    /// Whether it was named, picked by `--member` or has a well-known name: then unknown content
    /// is an error, otherwise the input is skipped and counted.
    pub picked: bool,
    /// Which argument it came from, counted from 0: a point in time of `diff` and `check`.
    pub point: usize,
    /// Its path inside that argument, which pairs processes across points; empty for an argument
    /// that is a file.
    pub member: String,
}

/// All that the arguments name.
#[derive(Debug)]
pub struct Expanded {
    /// What is to be read, in order.
    pub units: Units,
    /// What can't be read, each with the position of its argument.
    pub errors: Vec<(usize, Error)>,
    /// The arguments as they are shown.
    pub arguments: Vec<String>,
    /// How many bytes of the budget went into archives that came through pipes.
    pub spooled: u64,
}
