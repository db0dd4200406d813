//! Tar archives: the files in them and where their bytes are.

use super::extent::Extent;
use super::listing::Listing;
use super::origin::Bytes;
use super::pick::{Choice, Chosen};
use super::stream::Failure;
use crate::error::ErrorKind;
use crate::limits::LIMITS;
use label::WithoutLabel;
use links::Links;
use std::cell::Cell;
use std::collections::HashSet;
use std::io::{self, Read, Seek, SeekFrom};
use tar::{Archive, Entries, Entry, EntryType};

mod label;
mod links;

/// Tar archives consist of blocks of this size; blocks of zeros mark their end.
const BLOCK: u64 = 512;

/// A file in a tar.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Member {
    /// Its position among all entries, including links and folders.
    entry: usize,
    /// Where its bytes start in the archive; where the header does of one that was stored without its holes.
    start: u64,
    length: u64,
    kind: Kind,
}

/// What a member of a tar is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
enum Kind {
    #[default]
    File,
    /// Another name of a file in the archive, whose bytes it has.
    Link,
    /// A link to what isn't a file in the archive.
    Dangling,
    /// A pipe or a device.
    Special,
    /// A file that was stored without its holes.
    Sparse,
    /// Such a file that is hardly more than holes, which can be terabytes from nothing.
    Hollow,
    /// The rest of a file that starts in another archive.
    Rest,
}

impl Kind {
    /// What a member is, by its entry; `None` for folders and for what describes other members.
    fn of<R: Read>(entry: &Entry<'_, R>) -> Option<Kind> {
        match entry.header().entry_type().as_byte() {
            // In the format of POSIX a link can have the bytes of its file.
            b'1' if entry.size() > 0 => Some(Kind::File),
            b'1' | b'2' => Some(Kind::Dangling),
            b'3' | b'4' | b'6' => Some(Kind::Special),
            // Folders, also those of GNU with a list, labels in the middle of an archive, names and headers.
            b'5' | b'D' | b'V' | b'N' | b'K' | b'L' | b'x' | b'X' | b'g' => None,
            b'S' => {
                let stored = entry.header().entry_size().unwrap_or(0);
                let is_hollow = entry.size() > LIMITS.ratio_from
                    && entry.size() > stored.saturating_mul(LIMITS.ratio);
                Some(if is_hollow { Kind::Hollow } else { Kind::Sparse })
            }
            b'M' => Some(Kind::Rest),
            // POSIX has other kinds be read as regular files.
            _ => Some(Kind::File),
        }
    }

    /// Why it can't be read.
    fn failure(self) -> Option<Failure> {
        let unknown =
            |what: &str, advice| Some(Failure::new(ErrorKind::Unknown, what).advise(advice));
        match self {
            Kind::File | Kind::Link | Kind::Sparse => None,
            Kind::Hollow => {
                let what = format!(
                    "is more than {} times larger than what is stored of it (ratio)",
                    LIMITS.ratio
                );
                let failure = Failure::new(ErrorKind::Limit, what);
                Some(failure.advise("unpack it yourself if it can be trusted"))
            }
            Kind::Dangling => unknown(
                "is a link to what is no file in the archive",
                "put the file into the archive (tar --dereference)",
            ),
            Kind::Special => unknown("isn't a regular file", "put its contents into the archive"),
            Kind::Rest => {
                unknown("starts in another archive", "make the archive without --multi-volume")
            }
        }
    }
}

/// The contents of a tar, as far as it can be read.
#[derive(Debug, Default)]
pub(super) struct Listed {
    pub(super) members: Listing<Member>,
    /// Why there may be more members.
    pub(super) problem: Option<Failure>,
}

/// Lists a tar in memory or in a file, skipping the contents.
pub(super) fn list(extent: &Extent) -> Listed {
    let passed = Passed::default();
    let mut archive =
        Archive::new(CountedReader { inner: WithoutLabel::new(extent.clone()), passed: &passed });
    archive.set_ignore_zeros(true);
    listing(archive.entries_with_seek(), &passed, 0)
}

/// Lists a tar by reading through it.
pub(super) fn list_stream(stream: &mut dyn Read) -> Listed {
    let passed = Passed::default();
    let mut archive =
        Archive::new(CountedReader { inner: WithoutLabel::new(stream), passed: &passed });
    archive.set_ignore_zeros(true);
    listing(archive.entries(), &passed, 1)
}

/// Lists the entries of a tar. Their contents are read `contents` times, once or not at all.
///
/// Archives written one after the other count as one, as for `tar --ignore-zeros`: some programs
/// append to an archive without removing its end.
fn listing<R: Read>(entries: io::Result<Entries<'_, R>>, passed: &Passed, contents: u64) -> Listed {
    let mut members = Listing::default();
    let mut links = Links::default();
    let mut lost_name = None;
    let listed = entries.map_err(|error| damaged(&error)).and_then(|entries| {
        passed.expect(0);
        for (at, entry) in entries.enumerate() {
            let mut entry = entry.map_err(|error| damaged(&error))?;
            lost_name = lost_name.take().or_else(|| name_lost(&mut entry));
            add(at, &entry, &mut members, &mut links)?;
            // For a sparse file, the size of the data in the archive.
            let size = match entry.header().entry_type() {
                EntryType::GNUSparse => entry.header().entry_size().unwrap_or(0),
                _ => entry.size(),
            };
            let padded = size.checked_next_multiple_of(BLOCK).unwrap_or(u64::MAX);
            passed.expect(padded.saturating_mul(contents));
        }
        match passed.ended_with_zeros() {
            true => Ok(()),
            false => {
                let what = "the tar archive ends without its end mark: members may be missing";
                let cut = Failure::new(ErrorKind::Damaged, what);
                Err(cut.advise("what came before is shown; get the archive again"))
            }
        }
    });
    links.resolve(&mut members);
    Listed { members, problem: listed.err().or(lost_name) }
}

/// The failure if the entry or the extended header with a long name is damaged: the tar crate takes what there is of the
/// name, or its start, which the member's own header has, too, and a dump isn't known by that.
fn name_lost<R: Read>(entry: &mut Entry<'_, R>) -> Option<Failure> {
    if entry.header().as_old().name.contains(&0) {
        // The name isn't cut.
        return None;
    }
    let position = entry.raw_header_position();
    // The crate takes the zero at its end.
    let has_zeros = entry.path_bytes().contains(&0);
    let (mut is_damaged, mut has_path) = (false, false);
    for record in entry.pax_extensions().ok().flatten().into_iter().flatten() {
        is_damaged |= record.is_err();
        has_path |= record.is_ok_and(|record| record.key_bytes() == b"path");
    }
    (has_zeros || is_damaged && !has_path).then(|| {
        let what = "the long name of a member is damaged";
        let failure = Failure::new(ErrorKind::Damaged, what).at_byte(position);
        failure
            .advise("the members are read as far as their names are known; get the archive again")
    })
}

/// Adds the member of an entry, if it has one.
fn add<R: Read>(
    at: usize,
    entry: &Entry<'_, R>,
    members: &mut Listing<Member>,
    links: &mut Links,
) -> Result<(), Failure> {
    if members.len() >= LIMITS.members {
        let what = format!("the tar archive has more than {} members (members)", LIMITS.members);
        return Err(Failure::new(ErrorKind::Limit, what).advise("unpack it"));
    }
    let (Some(kind), Some(path)) = (Kind::of(entry), path(entry)) else { return Ok(()) };
    if kind == Kind::Dangling {
        let target = entry.link_name_bytes().unwrap_or_default();
        let target = String::from_utf8_lossy(&target);
        match entry.header().entry_type() {
            EntryType::Link => links.push_hard(members.len(), &path, &target),
            _ => links.push_symbolic(members.len(), &path, &target),
        }
    }
    let start = match kind {
        Kind::Sparse => entry.raw_header_position(),
        _ => entry.raw_file_position(),
    };
    let length = entry.size();
    members.push(&path, Member { entry: at, start, length, kind });
    Ok(())
}

/// Takes links from the chosen members of a tar. Of a file that was picked under several names only the first
/// stays, so that links can't make a small archive cost very much. Where all members are tried, each file is tried
/// under its own name, and links to none count as empty.
pub(super) fn drop_links(members: &Listing<Member>, choice: &mut Choice) {
    let kind = |at: usize| members.get(at).map(|member| member.kind);
    if choice.chosen != Chosen::Picked {
        let others = [Kind::Link, Kind::Special].map(Some);
        choice.picked.retain(|&at| !others.contains(&kind(at)));
    }
    if choice.picked.iter().any(|&at| matches!(kind(at), Some(Kind::Link | Kind::Sparse))) {
        let mut entries = HashSet::new();
        let mut is_new = |member: &Member| entries.insert(member.entry);
        choice.picked.retain(|&at| members.get(at).is_some_and(&mut is_new));
    }
}

/// Counts what was read of a tar since its last entry.
#[derive(Default)]
struct Passed {
    /// Bytes that can still be read before the next entry.
    left: Cell<u64>,
    /// Bytes after the contents of the last entry.
    after_contents: Cell<u64>,
    /// Bytes of contents still to come.
    contents: Cell<u64>,
    /// Zeros at the end of what was read.
    zeros: Cell<u64>,
}

impl Passed {
    /// Starts counting for the next entry: its contents come first and then, up to the entry after
    /// it, names and extended headers, which the tar crate reads into memory whatever their length.
    fn expect(&self, contents: u64) {
        self.left.set(contents.saturating_add(LIMITS.tar_names));
        self.contents.set(contents);
        self.after_contents.set(0);
        self.zeros.set(0);
    }

    fn add(&self, bytes: &[u8]) {
        let count = bytes.len() as u64;
        self.left.set(self.left.get().saturating_sub(count));
        let of_contents = count.min(self.contents.get());
        self.contents.set(self.contents.get().saturating_sub(of_contents));
        self.after_contents
            .set(self.after_contents.get().saturating_add(count.saturating_sub(of_contents)));
        let at_end = bytes.iter().rev().take_while(|&&byte| byte == 0).count() as u64;
        let before = if at_end == count { self.zeros.get() } else { 0 };
        self.zeros.set(before.saturating_add(at_end));
    }

    /// Whether there was an end mark, of which some writers leave out the second block.
    fn ended_with_zeros(&self) -> bool {
        self.after_contents.get() >= BLOCK && self.zeros.get() >= BLOCK
    }
}

/// Counts what is read of a tar.
struct CountedReader<'p, R> {
    inner: R,
    passed: &'p Passed,
}

/// To compare with: a loop over single bytes is many times slower.
const ZEROS: [u8; 4096] = [0; 4096];

impl<R: Read> CountedReader<'_, R> {
    /// Reads on where there were more zeros than any archive ends with: members behind them are out of reach, as
    /// in a file of which a part is missing.
    fn end_of_zeros(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut seen = 0_u64;
        loop {
            let count = self.inner.read(buffer)?;
            let read = buffer.get(..count).unwrap_or_default();
            if read.is_empty() {
                return Ok(0);
            }
            let mut chunks = read.chunks(ZEROS.len());
            let what = if chunks.any(|chunk| !ZEROS.starts_with(chunk)) {
                "something follows behind a megabyte of zeros in the tar archive: members may be missing"
            } else if seen >= LIMITS.tar_zeros {
                "more zeros follow in the tar archive than are looked through (tar_zeros): members may be missing"
            } else {
                self.passed.add(read);
                seen = seen.saturating_add(count as u64);
                continue;
            };
            let failure = Failure::new(ErrorKind::Damaged, what);
            return Err(failure.advise("what came before is shown; get the archive again").into());
        }
    }
}

impl<R: Read> Read for CountedReader<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let left = self.passed.left.get();
        if left == 0 && !buffer.is_empty() {
            if self.passed.zeros.get() >= LIMITS.tar_names {
                return self.end_of_zeros(buffer);
            }
            let what = format!(
                "a name in the tar archive is longer than {} bytes (tar_names)",
                LIMITS.tar_names
            );
            return Err(Failure::new(ErrorKind::Limit, what)
                .advise("members before it are shown")
                .into());
        }
        let room = usize::try_from(left).unwrap_or(usize::MAX).min(buffer.len());
        let count = self.inner.read(buffer.get_mut(..room).unwrap_or_default())?;
        self.passed.add(buffer.get(..count).unwrap_or_default());
        Ok(count)
    }
}

impl<R: Seek> Seek for CountedReader<'_, R> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.inner.seek(to)
    }
}

/// The path of a member; `None` for a folder. Of one that is too long for Linux the end is kept, with the name of the
/// file: 1,000 paths of 1 MiB took 900 MB.
fn path<R: Read>(entry: &Entry<'_, R>) -> Option<String> {
    let path = entry.path_bytes();
    let start = path.len().saturating_sub(LIMITS.path);
    let path = String::from_utf8_lossy(path.get(start..).unwrap_or_default());
    let path = path.strip_prefix("./").unwrap_or(&path);
    // Old archives mark folders by the slash. But a long name can end after a slash where it was
    // cut, if the extended header with the full name is damaged, which the tar crate ignores.
    match path.strip_suffix('/') {
        Some(path) if entry.size() > 0 => Some(path.to_owned()),
        Some(_) => None,
        None => Some(path.to_owned()),
    }
}

/// Reads through a tar and calls `read` with each of the picked members that can be read.
pub(super) fn read_stream(
    stream: &mut dyn Read,
    members: &Listing<Member>,
    picked: &[usize],
    read: &mut dyn FnMut(usize, &mut dyn Read),
) -> Result<(), Failure> {
    let mut archive = Archive::new(WithoutLabel::new(stream));
    archive.set_ignore_zeros(true);
    let picked = picked.iter().filter_map(|&at| Some((at, members.get(at)?)));
    let mut picked: Vec<_> = picked.filter(|(_, member)| member.failure().is_none()).collect();
    picked.sort_unstable_by_key(|(_, member)| member.entry);
    let mut wanted = picked.into_iter().peekable();
    let entries = archive.entries().map_err(|error| damaged(&error))?;
    for (at, entry) in entries.enumerate() {
        let entry = entry.map_err(|error| damaged(&error))?;
        if let Some((picked, member)) = wanted.next_if(|(_, member)| member.entry == at) {
            read(picked, &mut MemberReader { inner: entry, left: member.length });
        }
        if wanted.peek().is_none() {
            break;
        }
    }
    Ok(())
}

/// Calls `read` with the bytes of a file that was stored without its holes, which are zeros. The tar starts with its
/// header.
pub(super) fn read_sparse(tar: Extent, read: &mut dyn FnMut(&mut dyn Read)) -> Result<(), Failure> {
    let mut archive = Archive::new(tar);
    let mut entries = archive.entries().map_err(|error| damaged(&error))?;
    if let Some(entry) = entries.next() {
        let inner = entry.map_err(|error| damaged(&error))?;
        let left = inner.size();
        read(&mut MemberReader { inner, left });
    }
    Ok(())
}

impl Member {
    /// Whether it was stored without its holes: they cost nothing in the archive.
    pub(super) fn is_sparse(&self) -> bool {
        self.kind == Kind::Sparse
    }

    /// Why it can't be read.
    pub(super) fn failure(&self) -> Option<Failure> {
        self.kind.failure()
    }

    /// The same as what is read of it.
    pub(super) fn unread<'u>(&self) -> Option<Bytes<'u>> {
        let failure = self.failure()?;
        Some(if self.kind == Kind::Dangling {
            Bytes::NoTarget(failure)
        } else {
            Bytes::Unread(failure)
        })
    }

    /// Its bytes, if the tar is seekable.
    pub(super) fn bytes<'u>(&self, tar: &Extent) -> Bytes<'u> {
        match self.unread() {
            Some(unread) => unread,
            None if self.is_sparse() => Bytes::SparseMember(tar.part(self.start, u64::MAX)),
            None => Bytes::Extent(tar.whole_part(self.start, self.length)),
        }
    }
}

/// A member's bytes; it fails if some are missing.
struct MemberReader<R> {
    inner: R,
    left: u64,
}

impl<R: Read> Read for MemberReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(buffer)?;
        self.left = self.left.saturating_sub(count as u64);
        if count == 0 && !buffer.is_empty() && self.left > 0 {
            let what = format!("the tar archive is cut {} bytes before the member ends", self.left);
            return Err(Failure::new(ErrorKind::Damaged, what)
                .with_valid_prefix()
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
