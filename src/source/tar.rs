//! Tar archives: which files they hold and where.

use super::extent::Extent;
use super::stream::Failure;
use crate::error::ErrorKind;
use std::io::{self, Read};
use tar::{Archive, Entry, EntryType};

/// A file in a tar.
#[derive(Clone, Debug)]
pub(super) struct Member {
    pub(super) path: String,
    /// Its place among all entries, links and folders included.
    pub(super) entry: usize,
    /// Where its bytes start.
    start: u64,
    length: u64,
}

/// What a tar holds, up to where it can be read.
#[derive(Debug, Default)]
pub(super) struct Listing {
    pub(super) members: Vec<Member>,
    /// Why there may be more.
    pub(super) problem: Option<Failure>,
}

/// Lists a tar in memory or in a file, skipping over the contents.
pub(super) fn list(extent: &Extent) -> Listing {
    let mut archive = Archive::new(extent.clone());
    let entries = archive.entries_with_seek();
    listing(entries.map(|entries| entries.map(|entry| entry.map(|entry| member(&entry)))))
}

/// Lists a tar by reading through it.
pub(super) fn list_stream(stream: &mut dyn Read) -> Listing {
    let mut archive = Archive::new(stream);
    let entries = archive.entries();
    listing(entries.map(|entries| entries.map(|entry| entry.map(|entry| member(&entry)))))
}

fn listing(entries: io::Result<impl Iterator<Item = io::Result<Option<Member>>>>) -> Listing {
    let mut listing = Listing::default();
    match entries {
        Err(error) => listing.problem = Some(damaged(&error)),
        Ok(entries) => {
            for (at, entry) in entries.enumerate() {
                match entry {
                    Ok(Some(member)) => listing.members.push(Member { entry: at, ..member }),
                    Ok(None) => {}
                    Err(error) => {
                        listing.problem = Some(damaged(&error));
                        break;
                    }
                }
            }
        }
    }
    listing
}

/// Files only: links hold nothing of their own, and devices nothing at all.
fn member<R: Read>(entry: &Entry<'_, R>) -> Option<Member> {
    match entry.header().entry_type() {
        EntryType::Regular | EntryType::Continuous => {}
        _ => return None,
    }
    let path = String::from_utf8_lossy(&entry.path_bytes()).into_owned();
    let path = path.strip_prefix("./").map_or(path.clone(), str::to_owned);
    if path.ends_with('/') {
        return None;
    }
    Some(Member { path, entry: 0, start: entry.raw_file_position(), length: entry.size() })
}

/// Reads through a tar and calls `read` with each of the members, which must be in order of their
/// entries.
pub(super) fn read_stream(
    stream: &mut dyn Read,
    members: &[&Member],
    read: &mut dyn FnMut(&Member, &mut dyn Read),
) -> Result<(), Failure> {
    let mut archive = Archive::new(stream);
    let mut wanted = members.iter().peekable();
    let entries = archive.entries().map_err(|error| damaged(&error))?;
    for (at, entry) in entries.enumerate() {
        let entry = entry.map_err(|error| damaged(&error))?;
        if let Some(member) = wanted.next_if(|member| member.entry == at) {
            read(member, &mut Whole { inner: entry, left: member.length });
        }
        if wanted.peek().is_none() {
            break;
        }
    }
    Ok(())
}

impl Member {
    /// Its bytes, where the tar is an extent.
    pub(super) fn extent(&self, tar: &Extent) -> Extent {
        tar.whole_part(self.start, self.length)
    }
}

/// A member's bytes, all of them.
struct Whole<R> {
    inner: R,
    left: u64,
}

impl<R: Read> Read for Whole<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(buffer)?;
        self.left = self.left.saturating_sub(count as u64);
        if count == 0 && !buffer.is_empty() && self.left > 0 {
            let what = format!("the tar archive is cut {} bytes before the member ends", self.left);
            return Err(Failure::new(ErrorKind::Damaged, what)
                .keep()
                .advise("what came before is shown; get the archive again")
                .into());
        }
        Ok(count)
    }
}

fn damaged(error: &io::Error) -> Failure {
    if Failure::is_in(error) {
        return Failure::of(error);
    }
    Failure::new(ErrorKind::Damaged, format!("the tar archive is damaged: {error}"))
        .advise("members before that place are shown; get the archive again")
}
