//! Where the bytes of a unit are: in a file, in an archive, with a server.

use super::extent::Extent;
use super::listing::Listing;
use super::magic::Packing;
use super::pick::Choice;
use super::plan::{Plan, Spot};
use super::stream::Failure;
use super::tar;
use super::zip::Archive;
use crate::error::{Error, ErrorKind};
use crate::read_at::ReadAt;
use std::fmt;
use std::io::Read;
use std::path::PathBuf;
use std::sync::Mutex;

/// The place of a unit's bytes.
#[derive(Debug)]
pub(super) enum Bytes<'u> {
    Origin(&'u Origin),
    /// A member of a zip.
    ZipMember(&'u Archive, usize),
    /// A range of a file: a member of a tar.
    Extent(Extent),
    /// The rest of a tar, from a member on that was stored without its holes.
    SparseMember(Extent),
    /// None, for a reason.
    Unread(Failure),
    /// None, as a link leads to no file of its archive: like an empty file, unless it was picked.
    NoTarget(Failure),
}

/// The place of bytes outside archives.
pub(super) enum Origin {
    /// A file, opened when it is read.
    File(PathBuf),
    /// A folder of tables.
    Tables(PathBuf),
    /// An address, requested when it is read.
    Url(String),
    /// A process, captured when it is read.
    Process(u32),
    /// Stdin or a pipe, opened at once, which can only be read once.
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
    /// Opens an archive; returns its members, and the problems with it.
    pub(super) fn open(
        packing: Packing,
        extent: Extent,
    ) -> Result<(Members, Vec<Failure>), Failure> {
        if packing == Packing::Tar {
            let tar::Listed { members, problem } = tar::list(&extent);
            return Ok((Members::Tar(extent, members), problem.into_iter().collect()));
        }
        let (archive, problems) = Archive::open(extent)?;
        Ok((Members::Zip(archive), problems))
    }

    fn len(&self) -> usize {
        match self {
            Members::Zip(archive) => archive.members.len(),
            Members::Tar(_, members) => members.len(),
        }
    }

    /// How many bytes the archive has.
    pub(super) fn length(&self) -> u64 {
        match self {
            Members::Zip(archive) => archive.length(),
            Members::Tar(extent, _) => extent.length(),
        }
    }

    pub(super) fn path(&self, at: usize) -> &str {
        match self {
            Members::Zip(archive) => archive.members.path(at),
            Members::Tar(_, members) => members.path(at),
        }
    }

    /// Chooses the members that are read; also returns warnings on those that aren't, but might have to be.
    pub(super) fn choose(&self, plan: &Plan, spot: &Spot) -> (Choice, Vec<Error>) {
        let (mut choice, mut warnings) = plan.choose(spot, self.len(), |at| self.path(at));
        match self {
            Members::Tar(_, members) => tar::drop_links(members, &mut choice),
            Members::Zip(archive) => {
                warnings.extend(archive.misnamed(&choice.picked).map(|(at, own, more)| {
                    let others =
                        if more == 0 { String::new() } else { format!(", like {more} more") };
                    let what = format!("{own}, and isn't read{others}");
                    let path = plan.member(spot, self.path(at), choice.chosen).meta.path;
                    let error = Error::new(ErrorKind::Damaged, path, what);
                    error.advise("the directory of the archive is damaged; get it again")
                }));
            }
        }
        (choice, warnings)
    }

    pub(super) fn bytes(&self, at: usize) -> Option<Bytes<'_>> {
        Some(match self {
            Members::Zip(archive) => Bytes::ZipMember(archive, at),
            Members::Tar(tar, members) => members.get(at)?.bytes(tar),
        })
    }
}
