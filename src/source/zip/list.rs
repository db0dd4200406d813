//! The directory of a zip archive: its members, and problems with them.

use super::end::Directory;
use super::entry::{ENTRY, ENTRY_LENGTH, Entry, Lengths};
use super::{gaps, name};
use crate::error::ErrorKind;
use crate::limits::LIMITS;
use crate::read_at::ReadAt;
use crate::source::extent::Extent;
use crate::source::listing::Listing;
use crate::source::stream::Failure;
use foldhash::fast::RandomState;
use hashbrown::HashTable;
use hashbrown::hash_table::Entry as Slot;
use std::hash::BuildHasher;
use std::io::{self, BufReader, Read};

/// The length of a member's own header without its name.
const LOCAL_LENGTH: u64 = 30;

/// The members in a directory.
#[derive(Debug, Default)]
pub(super) struct Listed {
    /// Members that aren't folders.
    pub(super) members: Listing<Entry>,
    /// Problems with the directory.
    pub(super) problems: Vec<Failure>,
}

/// Whether there is an entry at this position.
pub(super) fn is_entry(archive: &Extent, at: u64) -> Result<bool, Failure> {
    let bytes = archive.bytes_at(at, ENTRY.len()).map_err(|error| Failure::of(&error))?;
    Ok(bytes == ENTRY)
}

/// Reads through the directory once, without keeping it in memory: only the name of a member and
/// what it takes to read it are kept, so a million members take less than their directory.
pub(super) fn list(archive: &Extent, directory: &Directory) -> Result<Listed, Failure> {
    let mut walk = Walk { directory: *directory, ..Walk::default() };
    walk.walk(archive).map_err(|error| Failure::of(&error))?;
    let problems = [walk.count(), walk.repeated(), walk.overlap()];
    let gap = match gaps::gap(archive, directory, &walk.ranges)? {
        None => gaps::behind_entries(archive, directory, walk.end)?,
        found => found,
    };
    let problems = problems.into_iter().flatten().chain(gap).collect();
    Ok(Listed { members: walk.members, problems })
}

#[derive(Default)]
struct Walk {
    directory: Directory,
    members: Listing<Entry>,
    /// How many entries there are, including folders and repeated ones.
    entries: u64,
    /// Positions of members by name.
    names: HashTable<u32>,
    hash: RandomState,
    /// How many entries repeat the name of another, and the first such name.
    repeats: usize,
    first_repeated: Option<String>,
    /// Where the last entry ends.
    end: u64,
    /// Where each member starts and ends.
    ranges: Vec<(u64, u64)>,
}

impl Walk {
    fn walk(&mut self, archive: &Extent) -> io::Result<()> {
        let start = self.directory.start;
        self.end = start;
        let rest = archive.part(start, archive.length().saturating_sub(start));
        let mut reader = BufReader::with_capacity(LIMITS.read_buffer, rest);
        let mut header = [0; ENTRY_LENGTH];
        let mut variable = Vec::new();
        loop {
            match reader.read_exact(&mut header) {
                Ok(()) if header.starts_with(ENTRY) => {}
                Err(error) if error.kind() != io::ErrorKind::UnexpectedEof => return Err(error),
                _ => return Ok(()),
            }
            let lengths = Lengths::of(&header);
            variable.clear();
            reader.by_ref().take(lengths.sum() as u64).read_to_end(&mut variable)?;
            if variable.len() < lengths.sum() {
                return Ok(());
            }
            if self.members.len() >= LIMITS.members {
                let what =
                    format!("the zip archive has more than {} members (members)", LIMITS.members);
                return Err(Failure::new(ErrorKind::Limit, what).advise("unpack it").into());
            }
            self.entry(&header, &variable, lengths);
            let length = ENTRY_LENGTH.saturating_add(lengths.sum()) as u64;
            self.end = self.end.saturating_add(length);
        }
    }

    fn entry(&mut self, header: &[u8], variable: &[u8], lengths: Lengths) {
        let (name, rest) = variable.split_at_checked(lengths.name).unwrap_or((variable, b""));
        let extra = rest.get(..lengths.extra).unwrap_or_default();
        let entry = Entry::new(header, extra);
        self.entries = self.entries.saturating_add(1);
        // From here on counted from the start of the file.
        let start = self.directory.offset.saturating_add(entry.start);
        let entry = Entry { start, ..entry };
        let end = [LOCAL_LENGTH, lengths.name as u64, entry.packed].into_iter();
        self.ranges.push((start, end.fold(start, u64::saturating_add)));
        let mut path = name::path(name, extra);
        // A folder has no contents, so it doesn't matter that some writers list it twice.
        if path.ends_with(['/', '\\']) {
            if entry.size == 0 {
                return;
            }
            path = path.trim_end_matches(['/', '\\']).to_owned().into();
        }
        let Walk { names, members, hash, .. } = self;
        let place = u32::try_from(members.len()).unwrap_or(u32::MAX);
        let slot = names.entry(
            hash.hash_one(&*path),
            |&other| members.path(other as usize) == path,
            |&other| hash.hash_one(members.path(other as usize)),
        );
        match slot {
            Slot::Occupied(slot) => {
                if let Some(known) = members.get_mut(*slot.get() as usize) {
                    *known = entry;
                }
                self.repeats = self.repeats.saturating_add(1);
                self.first_repeated.get_or_insert_with(|| path.into_owned());
            }
            Slot::Vacant(slot) => {
                slot.insert(place);
                members.push(&path, entry);
            }
        }
    }

    /// The failure if the number of entries isn't the one in the end record.
    fn count(&self) -> Option<Failure> {
        let Directory { announced, large, start, .. } = self.directory;
        // Older writers let the count of 16 bits overflow.
        let same = |a: u64, b: u64| if large { a == b } else { a & 0xffff == b & 0xffff };
        if same(self.entries, announced) {
            return None;
        }
        let what =
            format!("the zip archive announces {announced} members, but lists {}", self.entries);
        let problem = Failure::new(ErrorKind::Damaged, what).at_byte(start);
        Some(problem.advise("those that are listed are read; get the archive again"))
    }

    /// The failure if members have the same name.
    fn repeated(&self) -> Option<Failure> {
        let name = self.first_repeated.as_ref()?;
        let what = format!(
            "the zip archive lists {} members, but only {} can be told apart: {name:?} stands \
             more than once",
            self.members.len().saturating_add(self.repeats),
            self.members.len(),
        );
        let problem = Failure::new(ErrorKind::Damaged, what).at_byte(self.directory.start);
        Some(problem.advise("only the last member of each name is read; pack it again"))
    }

    /// The failure if members overlap, which is how small archives unpack to very much. Those that others begin in are
    /// marked.
    fn overlap(&mut self) -> Option<Failure> {
        self.ranges.sort_unstable();
        let covers = |pair: &[(u64, u64)]| match pair {
            [first, second] if second.0 < first.1 => Some(first.0),
            _ => None,
        };
        let starts: Vec<u64> = self.ranges.windows(2).filter_map(covers).collect();
        let at = *starts.first()?;
        for at in 0..self.members.len() {
            if let Some(entry) = self.members.get_mut(at) {
                entry.covers_others = starts.binary_search(&entry.start).is_ok();
            }
        }
        let what = "members of the zip archive lie over one another";
        let problem = Failure::new(ErrorKind::Damaged, what).at_byte(at);
        Some(problem.advise("those that others begin in aren't read; don't trust it"))
    }
}
