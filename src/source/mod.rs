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
mod magic;
mod names;
mod path_labels;
mod pick;
mod plan;
mod spool;
mod stream;
mod tar;
#[cfg(test)]
mod tests;
mod visit;
mod wellknown;
mod zip;
mod zip_directory;
mod zip_member;
mod zstd;

use budget::Metered;
pub use budget::{Allowance, exhausted};
pub use expand::expand;
pub use extent::Extent;
pub use http::{HttpOptions, is_url, with_scheme};
pub use names::{GivenNames, argument_names, make_unique, tell_apart, usable};
pub use path_labels::NODES;
pub use pick::natural;
pub use stream::{Ending, Stream};
pub use visit::Visited;
pub use wellknown::WELL_KNOWN;

use crate::error::Error;
use plan::{Plan, Spot};
use std::fmt;
use std::fs::File;
use std::io::Read;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use stream::Notes;
use visit::Visitor;
use zip::Archive;

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

/// Something that can be read independently of all others: a file, a member of a zip.
#[derive(Debug)]
pub struct Unit {
    spot: Spot,
    origin: Origin,
    plan: Arc<Plan>,
}

enum Origin {
    /// A file, opened when its turn comes.
    File(PathBuf),
    /// An address, asked when its turn comes.
    Url(String),
    /// Stdin or a pipe, opened once and read once.
    Stream(Mutex<Option<Box<dyn Read + Send>>>),
    /// A member of an archive.
    ZipMember(Arc<Archive>, usize),
    /// A part of a file: a member of a tar.
    Extent(Extent),
}

impl fmt::Debug for Origin {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Origin::File(path) => write!(out, "File({path:?})"),
            Origin::Url(url) => write!(out, "Url({url:?})"),
            Origin::Stream(_) => out.write_str("Stream"),
            Origin::ZipMember(_, index) => write!(out, "ZipMember({index})"),
            Origin::Extent(extent) => extent.fmt(out),
        }
    }
}

impl Unit {
    /// What is known of it.
    pub fn meta(&self) -> &InputMeta {
        &self.spot.meta
    }

    /// How many bytes it has that can be read from anywhere, as far as that is known by now.
    pub fn length(&self) -> u64 {
        match &self.origin {
            Origin::File(path) => path.metadata().map_or(0, |metadata| metadata.len()),
            Origin::Extent(extent) => extent.length(),
            Origin::Url(_) | Origin::Stream(_) | Origin::ZipMember(..) => 0,
        }
    }

    /// Calls `read` with every input of the unit, unpacked, as far as the allowance goes.
    pub fn visit(
        &self,
        allowance: &Allowance,
        read: &mut dyn FnMut(&InputMeta, Stream<'_>),
    ) -> Visited {
        let visited = Visited::default();
        let mut visitor = Visitor { plan: &self.plan, allowance, read, visited };
        match &self.origin {
            Origin::File(path) => match File::open(path).and_then(Extent::of_file) {
                Ok(extent) => visitor.extent(&self.spot, extent),
                Err(error) => {
                    let error = Error::io(self.spot.meta.path.as_str(), &error);
                    visitor.visited.errors.push(error);
                }
            },
            Origin::Url(url) => match self.plan.client.open(url) {
                Ok(answer) => {
                    let mut answer = Metered { inner: answer, allowance };
                    visitor.stream(&self.spot, &mut answer, &Notes::default());
                }
                Err(failure) => {
                    visitor.visited.errors.push(failure.error(&self.spot.meta.path));
                }
            },
            Origin::Stream(stream) => {
                let taken = stream.lock().unwrap_or_else(PoisonError::into_inner).take();
                if let Some(mut stream) = taken {
                    visitor.stream(&self.spot, &mut stream, &Notes::default());
                }
            }
            Origin::ZipMember(archive, index) => {
                visitor.zip_member(&self.spot, archive, *index);
            }
            Origin::Extent(extent) => visitor.extent(&self.spot, extent.clone()),
        }
        visitor.visited
    }
}

/// All that the arguments name.
#[derive(Debug, Default)]
pub struct Expanded {
    /// What is to be read, in order.
    pub units: Vec<Unit>,
    /// What can't be read, each with the position of its argument.
    pub errors: Vec<(usize, Error)>,
    /// The arguments as they are shown.
    pub arguments: Vec<String>,
    /// How many bytes of the budget went into archives that came through pipes.
    pub spooled: u64,
}
