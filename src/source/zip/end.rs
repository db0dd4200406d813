//! The end of a zip archive, which says where its directory is.

use super::number;
use crate::error::ErrorKind;
use crate::read_at::ReadAt;
use crate::source::extent::Extent;
use crate::source::stream::Failure;
use memchr::memmem;

/// The end record begins with this; a comment can follow it.
const END: &[u8] = b"PK\x05\x06";
const END_LENGTH: usize = 22;
/// Begins the record right before it if 16 or 32 bits don't suffice, which says where the larger
/// end record is.
const LOCATOR: &[u8] = b"PK\x06\x07";
const LOCATOR_LENGTH: u64 = 20;
const LARGE_END: &[u8] = b"PK\x06\x06";
const LARGE_END_LENGTH: usize = 56;
/// The maximal length of a comment.
const COMMENT: usize = 0xffff;

/// The directory of an archive, as its end record describes it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Directory {
    pub(super) start: u64,
    /// How many bytes come before the archive: positions inside it are counted from there.
    pub(super) offset: u64,
    /// How many members it should list; a count of 16 bits may have overflowed.
    pub(super) announced: u64,
    pub(super) large: bool,
    /// Where its first end record is, behind the last entry.
    pub(super) record: u64,
    /// Where the archive ends: behind the comment of its end record.
    pub(super) end: u64,
}

/// What programs begin with, which unpack themselves or run on their own archive.
const PROGRAMS: [&[u8]; 3] = [b"MZ", b"\x7fELF", b"#!"];

/// What stands in front of an archive and behind it and isn't read: another archive, or a text.
pub(super) fn outside(archive: &Extent, directory: &Directory) -> Result<Vec<Failure>, Failure> {
    let bytes =
        |at: u64, length: usize| archive.bytes_at(at, length).map_err(|error| Failure::of(&error));
    let mut problems = Vec::new();
    let ignored = |what: &str, at: u64| {
        Failure::new(ErrorKind::Damaged, format!("bytes {what} the zip archive aren't read"))
            .at_byte(at)
            .advise("give each archive and text as a file of its own")
    };
    if directory.offset > 0 {
        let start = bytes(0, 4)?;
        if !PROGRAMS.iter().any(|program| start.starts_with(program)) {
            problems.push(ignored("before", 0));
        }
    }
    if directory.end < archive.length() {
        // Padding loses nothing.
        let after = bytes(directory.end, COMMENT)?;
        if after.iter().any(|&byte| byte != 0) {
            problems.push(ignored("after", directory.end));
        }
    }
    Ok(problems)
}

/// Finds the directory: by the last end record that leads to one. What looks like an end record can
/// be part of a comment, or of junk after the archive.
pub(super) fn find(archive: &Extent) -> Result<Directory, Failure> {
    let tail = archive.length().min((END_LENGTH.saturating_add(COMMENT)) as u64);
    let base = archive.length().saturating_sub(tail);
    let tail = archive
        .bytes_at(base, usize::try_from(tail).unwrap_or(usize::MAX))
        .map_err(|error| Failure::of(&error))?;
    let mut problem = None;
    for at in memmem::rfind_iter(&tail, END) {
        let record = tail.get(at..).unwrap_or_default();
        let comment = number(record, 20, 2) as usize;
        if record.len() < END_LENGTH.saturating_add(comment) {
            problem.get_or_insert("its end record is cut");
            continue;
        }
        match directory(archive, base.saturating_add(at as u64), record)? {
            Ok(directory) => {
                let length = END_LENGTH.saturating_add(comment) as u64;
                let end = base.saturating_add(at as u64).saturating_add(length);
                return Ok(Directory { end, ..directory });
            }
            Err(what) => {
                problem.get_or_insert(what);
            }
        }
    }
    let what = match problem {
        Some(what) => format!("the zip archive can't be read: {what}"),
        None => {
            "the zip archive is cut: the list of its members, which stands at the end, is missing"
                .to_owned()
        }
    };
    Err(Failure::new(ErrorKind::Damaged, what)
        .at_byte(archive.length())
        .advise("get the file again"))
}

/// The directory of an end record, or why it can't be one.
fn directory(
    archive: &Extent,
    end: u64,
    record: &[u8],
) -> Result<Result<Directory, &'static str>, Failure> {
    let bytes =
        |at: u64, length: usize| archive.bytes_at(at, length).map_err(|error| Failure::of(&error));
    let [disk, first_disk, here, announced] = [4, 6, 8, 10].map(|at| number(record, at, 2));
    let (size, start) = (number(record, 12, 4), number(record, 16, 4));
    let full = [here, announced].contains(&0xffff) || [size, start].contains(&0xffff_ffff);
    if full && let Some(at) = end.checked_sub(LOCATOR_LENGTH) {
        let locator = bytes(at, LOCATOR_LENGTH as usize)?;
        if locator.starts_with(LOCATOR) {
            if number(&locator, 16, 4) > 1 {
                return Ok(Err(SPLIT));
            }
            // It stands right before its locator, and may be longer than what is known of it; what
            // stands in front of the archive moves it.
            let mut end = at.saturating_sub(LARGE_END_LENGTH as u64);
            let mut large = bytes(end, LARGE_END_LENGTH)?;
            if !large.starts_with(LARGE_END) {
                end = number(&locator, 8, 8);
                large = bytes(end, LARGE_END_LENGTH)?;
            }
            if !large.starts_with(LARGE_END) || large.len() < LARGE_END_LENGTH {
                return Ok(Err("its Zip64 end record isn't where it says"));
            }
            let [disk, first_disk] = [16, 20].map(|at| number(&large, at, 4));
            let [here, announced, size, start] = [24, 32, 40, 48].map(|at| number(&large, at, 8));
            let is_split = disk != 0 || first_disk != 0 || here != announced;
            return EndRecord { end, is_split, announced, size, start, large: true }.check(archive);
        }
    }
    let is_split = disk != 0 || first_disk != 0 || here != announced;
    EndRecord { end, is_split, announced, size, start, large: false }.check(archive)
}

const SPLIT: &str = "it is split into several files";

/// The fields of an end record.
struct EndRecord {
    /// Where the record is.
    end: u64,
    is_split: bool,
    announced: u64,
    size: u64,
    start: u64,
    large: bool,
}

impl EndRecord {
    fn check(&self, archive: &Extent) -> Result<Result<Directory, &'static str>, Failure> {
        let &EndRecord { end, is_split, announced, size, start, large } = self;
        if is_split {
            return Ok(Err(SPLIT));
        }
        // The directory ends where the record starts, so its length shows where it starts even if
        // something comes before the archive. Some writers leave a gap between the two.
        for at in [end.checked_sub(size), Some(start)].into_iter().flatten() {
            let Some(offset) = at.checked_sub(start) else { continue };
            let empty = announced == 0 && at == end;
            if empty || at < end && super::list::is_entry(archive, at)? {
                return Ok(Ok(Directory {
                    start: at,
                    offset,
                    announced,
                    large,
                    record: end,
                    end: 0,
                }));
            }
        }
        Ok(Err("the list of its members isn't where it says"))
    }
}
