//! Zip archives: their members, and problems with them.
//!
//! The directory isn't read by the zip crate, which takes 500 bytes of memory for each member,
//! silently keeps the last of several members with one name, and rejects a member whose declared
//! size is wrong.

mod end;
mod entry;
mod gaps;
mod list;
mod member;
mod name;

use self::member::OwnPath;
use super::budget::Allowance;
use super::extent::Extent;
use super::listing::Listing;
use super::stream::{Failure, Notes};
use super::wellknown::is_well_known;
use crate::limits::LIMITS;
use crate::read_at::ReadAt;
use entry::Entry;
use list::Listed;
use std::collections::HashSet;
use std::io::Read;

/// An opened archive; its members can be read at the same time.
#[derive(Debug)]
pub(super) struct Archive {
    extent: Extent,
    /// Its members that aren't folders, in the order of its directory. Names are only labels: no
    /// member is ever written anywhere.
    pub(super) members: Listing<Entry>,
}

impl Archive {
    /// Reads the directory; returns the archive, and the problems with its directory.
    pub(super) fn open(extent: Extent) -> Result<(Archive, Vec<Failure>), Failure> {
        let directory = end::find(&extent)?;
        let Listed { members, mut problems } = list::list(&extent, &directory)?;
        problems.extend(end::outside(&extent, &directory)?);
        Ok((Archive { extent, members }, problems))
    }

    /// How many bytes it has.
    pub(super) fn length(&self) -> u64 {
        self.extent.length()
    }

    /// The first of the members that aren't read, but are dumps by the names in their own headers, with what
    /// these say, and how many more there are; also members without such a header. Nothing guards the entries of
    /// the directory, so damage to one hides a dump beside others.
    pub(super) fn misnamed(&self, picked: &[usize]) -> Option<(usize, String, usize)> {
        if picked.len() == self.members.len() {
            return None;
        }
        let picked: HashSet<usize> = picked.iter().copied().collect();
        let unread = (0..self.members.len()).filter(|at| !picked.contains(at));
        let mut misnamed = unread.take(LIMITS.own_names).filter_map(|at| {
            let path = self.members.path(at);
            match member::own_path(&self.extent, self.members.get(at)?, path.len()) {
                OwnPath::Is(own) => (is_well_known(&own) && !is_well_known(path))
                    .then(|| (at, format!("is {own:?} by its own header"))),
                OwnPath::Longer => None,
                OwnPath::NoHeader => Some((at, "isn't where the archive says".to_owned())),
            }
        });
        let (first, own) = misnamed.next()?;
        Some((first, own, misnamed.count()))
    }

    /// Calls `read` with the unpacked bytes of a member.
    pub(super) fn read(
        &self,
        member: usize,
        allowance: &Allowance,
        notes: &Notes,
        read: &mut dyn FnMut(&mut dyn Read),
    ) -> Result<(), Failure> {
        match self.members.get(member) {
            Some(entry) => {
                let path = self.members.path(member);
                member::read(&self.extent, (path, entry), allowance, notes, read)
            }
            None => Ok(()),
        }
    }
}

/// A little-endian number; 0 if the bytes end before it does.
fn number(bytes: &[u8], at: usize, length: usize) -> u64 {
    let bytes = bytes.get(at..at.saturating_add(length)).unwrap_or_default();
    bytes.iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte))
}
