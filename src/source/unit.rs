//! What is to be read, one unit after the other.

use super::InputMeta;
use super::Stream;
use super::budget::{Allowance, Metered};
use super::extent::Extent;
use super::listing::Listing;
use super::pick::Chosen;
use super::plan::{Plan, Spot};
use super::stream::Notes;
use super::tar;
use super::visit::{Visited, Visitor};
use super::zip::Archive;
use crate::error::Error;
use std::fmt;
use std::fs::File;
use std::io::Read;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

/// Something that can be read independently of all others: a file, a member of a zip.
#[derive(Debug)]
pub struct Unit {
    spot: Spot,
    origin: Origin,
    plan: Arc<Plan>,
}

/// Where the bytes of a unit are.
#[derive(Clone)]
pub(super) enum Origin {
    /// A file, opened when its turn comes.
    File(PathBuf),
    /// An address, asked when its turn comes.
    Url(String),
    /// Stdin or a pipe, opened once and read once.
    Stream(Arc<Mutex<Option<Box<dyn Read + Send>>>>),
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

/// An archive whose members are units.
#[derive(Debug)]
pub(super) enum Members {
    Zip(Arc<Archive>),
    Tar(Extent, Listing<tar::Member>),
}

impl Members {
    fn path(&self, at: usize) -> &str {
        match self {
            Members::Zip(archive) => archive.members.path(at),
            Members::Tar(_, members) => members.path(at),
        }
    }

    fn origin(&self, at: usize) -> Option<Origin> {
        Some(match self {
            Members::Zip(archive) => Origin::ZipMember(Arc::clone(archive), at),
            Members::Tar(tar, members) => Origin::Extent(members.get(at)?.extent(tar)),
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
    groups: Vec<Group>,
}

impl Units {
    pub(super) fn new(plan: Arc<Plan>) -> Units {
        Units { plan, groups: Vec::new() }
    }

    pub(super) fn push(&mut self, spot: Spot, origin: Origin) {
        self.groups.push(Group::One(spot, origin));
    }

    /// Adds the members of an archive that are wanted.
    pub(super) fn push_members(&mut self, spot: Spot, archive: Members, count: usize) {
        let paths = |at| archive.path(at);
        let (chosen, picked) = self.plan.picker.choose(count, paths, spot.wanted);
        self.groups.push(Group::Members { archive, spot, chosen, picked });
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        let len = |group: &Group| match group {
            Group::One(..) => 1,
            Group::Members { picked, .. } => picked.len(),
        };
        self.groups.iter().map(len).fold(0, usize::saturating_add)
    }

    /// Whether there is nothing to read.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// One after the other.
    pub fn iter(&self) -> impl Iterator<Item = Unit> + '_ {
        let plan = &self.plan;
        self.groups.iter().flat_map(move |group| {
            let (one, members) = match group {
                Group::One(spot, origin) => (Some((spot, origin)), None),
                Group::Members { archive, spot, chosen, picked } => {
                    (None, Some((archive, spot, *chosen, picked)))
                }
            };
            let one = one.map(|(spot, origin)| (spot.clone(), origin.clone()));
            let members = members.into_iter().flat_map(move |(archive, spot, chosen, picked)| {
                picked.iter().filter_map(move |&at| {
                    Some((plan.member(spot, archive.path(at), chosen), archive.origin(at)?))
                })
            });
            one.into_iter().chain(members).map(|(spot, origin)| {
                let plan = Arc::clone(plan);
                Unit { spot, origin, plan }
            })
        })
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
