//! What is to be read, one unit after the other.

use super::InputMeta;
use super::Stream;
use super::budget::{Allowance, Metered};
use super::extent::Extent;
use super::listing::Listing;
use super::pick::Chosen;
use super::plan::{Plan, Spot};
use super::stream::Notes;
use super::tables::TableFolder;
use super::tar;
use super::visit::{Visited, Visitor};
use super::zip::Archive;
use crate::error::Error;
use crate::live;
use crate::read_at::ReadAt;
use std::borrow::Cow;
use std::fmt;
use std::fs::File;
use std::io::Read;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

/// Something that can be read independently of all others: a file, a member of a zip.
#[derive(Debug)]
pub struct Unit<'u> {
    spot: Cow<'u, Spot>,
    bytes: Bytes<'u>,
    plan: &'u Plan,
}

/// Where the bytes of a unit are.
#[derive(Debug)]
enum Bytes<'u> {
    Origin(&'u Origin),
    /// A member of an archive.
    ZipMember(&'u Archive, usize),
    /// A part of a file: a member of a tar.
    Extent(Extent),
}

/// Where the bytes of something are that isn't a member of an archive.
pub(super) enum Origin {
    /// A file, opened when its turn comes.
    File(PathBuf),
    /// A folder of tables.
    Tables(PathBuf),
    /// An address, asked when its turn comes.
    Url(String),
    /// A process, read when its turn comes.
    Process(u32),
    /// Stdin or a pipe, opened once and read once.
    Stream(Mutex<Option<Box<dyn Read + Send>>>),
}

impl fmt::Debug for Origin {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Origin::File(path) => write!(out, "File({path:?})"),
            Origin::Tables(path) => write!(out, "Tables({path:?})"),
            Origin::Url(url) => write!(out, "Url({url:?})"),
            Origin::Process(number) => write!(out, "Process({number})"),
            Origin::Stream(_) => out.write_str("Stream"),
        }
    }
}

/// An archive whose members are units.
#[derive(Debug)]
pub(super) enum Members {
    Zip(Archive),
    Tar(Extent, Listing<tar::Member>),
}

impl Members {
    fn path(&self, at: usize) -> &str {
        match self {
            Members::Zip(archive) => archive.members.path(at),
            Members::Tar(_, members) => members.path(at),
        }
    }

    fn bytes(&self, at: usize) -> Option<Bytes<'_>> {
        Some(match self {
            Members::Zip(archive) => Bytes::ZipMember(archive, at),
            Members::Tar(tar, members) => Bytes::Extent(members.get(at)?.extent(tar)),
        })
    }
}

/// Units that came of one argument.
#[derive(Debug)]
enum Group {
    One(Spot, Origin),
    /// Members of an archive, of which there may be millions: what is known of one is put together
    /// when its turn comes.
    Members {
        archive: Members,
        spot: Spot,
        chosen: Chosen,
        picked: Vec<usize>,
    },
}

/// All units, in order.
#[derive(Debug)]
pub struct Units {
    plan: Arc<Plan>,
    /// Each with the number of its first unit.
    groups: Vec<(usize, Group)>,
    len: usize,
}

impl Units {
    pub(super) fn new(plan: Arc<Plan>) -> Units {
        Units { plan, groups: Vec::new(), len: 0 }
    }

    pub(super) fn push(&mut self, spot: Spot, origin: Origin) {
        self.groups.push((self.len, Group::One(spot, origin)));
        self.len = self.len.saturating_add(1);
    }

    /// Adds the members of an archive that are wanted.
    pub(super) fn push_members(&mut self, spot: Spot, archive: Members, count: usize) {
        let paths = |at| archive.path(at);
        let (chosen, picked) = self.plan.picker.choose(count, paths, spot.wanted);
        let first = self.len;
        self.len = first.saturating_add(picked.len());
        self.groups.push((first, Group::Members { archive, spot, chosen, picked }));
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there is nothing to read.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The units from this one on, counted from 0, each with its number.
    pub fn from(&self, first: usize) -> impl Iterator<Item = (usize, Unit<'_>)> {
        (first..self.len).filter_map(|at| Some((at, self.get(at)?)))
    }

    fn get(&self, at: usize) -> Option<Unit<'_>> {
        let group = self.groups.partition_point(|&(first, _)| first <= at).checked_sub(1)?;
        let (first, group) = self.groups.get(group)?;
        let (spot, bytes) = match group {
            Group::One(spot, origin) => (Cow::Borrowed(spot), Bytes::Origin(origin)),
            Group::Members { archive, spot, chosen, picked } => {
                let &member = picked.get(at.saturating_sub(*first))?;
                let spot = self.plan.member(spot, archive.path(member), *chosen);
                (Cow::Owned(spot), archive.bytes(member)?)
            }
        };
        Some(Unit { spot, bytes, plan: &self.plan })
    }
}

impl Unit<'_> {
    /// What is known of it.
    pub fn meta(&self) -> &InputMeta {
        &self.spot.meta
    }

    /// How many bytes it has that can be read from anywhere, as far as that is known by now.
    pub fn length(&self) -> u64 {
        match &self.bytes {
            Bytes::Origin(Origin::File(path)) => path.metadata().map_or(0, |data| data.len()),
            Bytes::Extent(extent) => extent.length(),
            Bytes::Origin(
                Origin::Tables(_) | Origin::Url(_) | Origin::Process(_) | Origin::Stream(_),
            )
            | Bytes::ZipMember(..) => 0,
        }
    }

    /// Calls `read` with every input of the unit, unpacked, as far as the allowance goes.
    pub fn visit(
        &self,
        allowance: &Allowance,
        read: &mut dyn FnMut(&InputMeta, Stream<'_>),
    ) -> Visited {
        let visited = Visited::default();
        let mut visitor = Visitor { plan: self.plan, allowance, read, visited };
        let origin = match &self.bytes {
            Bytes::Origin(origin) => origin,
            Bytes::ZipMember(archive, index) => {
                visitor.zip_member(&self.spot, archive, *index);
                return visitor.visited;
            }
            Bytes::Extent(extent) => {
                visitor.extent(&self.spot, extent.clone());
                return visitor.visited;
            }
        };
        match origin {
            Origin::File(path) => match File::open(path).and_then(Extent::of_file) {
                Ok(extent) => visitor.extent(&self.spot, extent),
                Err(error) => {
                    let error = Error::io(self.spot.meta.path.as_str(), &error);
                    visitor.visited.errors.push(error);
                }
            },
            Origin::Tables(folder) => {
                let folder = TableFolder { path: folder, allowance };
                let meta = &self.spot.meta;
                (visitor.read)(meta, Stream::of_tables(folder, &meta.path));
            }
            Origin::Url(url) => match self.plan.client.open(url) {
                Ok(answer) => {
                    let mut answer = Metered { inner: answer, allowance };
                    visitor.stream(&self.spot, &mut answer, &Notes::default());
                }
                Err(failure) => {
                    visitor.visited.errors.push(failure.error(&self.spot.meta.path));
                }
            },
            Origin::Process(number) => {
                match live::capture(*number, &self.plan.capture, &self.spot.meta.path) {
                    Ok(capture) => visitor.capture(&self.spot, capture),
                    Err(error) => visitor.visited.errors.push(error),
                }
            }
            Origin::Stream(stream) => {
                let taken = stream.lock().unwrap_or_else(PoisonError::into_inner).take();
                if let Some(mut stream) = taken {
                    visitor.stream(&self.spot, &mut stream, &Notes::default());
                }
            }
        }
        visitor.visited
    }
}
