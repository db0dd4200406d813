//! Bytes of a zip archive that belong to no member: one that the directory doesn't list, or the contents of one whose
//! entry there is damaged. Nothing guards the entries.

use super::end::Directory;
use super::number;
use crate::error::ErrorKind;
use crate::limits::LIMITS;
use crate::read_at::ReadAt;
use crate::source::extent::Extent;
use crate::source::stream::Failure;

/// A member's own header begins with this.
const LOCAL: &[u8] = b"PK\x03\x04";
/// What may stand behind the entries: their signature.
const SIGNATURE: &[u8] = b"PK\x05\x05";
/// The length of its fixed fields.
const LOCAL_LENGTH: u64 = 30;
/// What may stand behind a member's contents: their checksum and lengths, with a signature.
const DESCRIPTOR: u64 = 24;
/// A gap of less isn't looked at: a member's own header may have more fields than its entry, as those of Info-ZIP
/// have, and a dump that is packed takes more.
const SMALL: u64 = 64;
/// How many bytes of a gap are looked at. Zeros are padding.
const LOOKED_AT: usize = 4 << 10;

/// The failure if bytes belong to no member; `ranges` are those of members in order, without what only their own headers
/// say.
pub(super) fn gap(
    archive: &Extent,
    directory: &Directory,
    ranges: &[(u64, u64)],
) -> Result<Option<Failure>, Failure> {
    let bytes =
        |at: u64, length: usize| archive.bytes_at(at, length).map_err(|error| Failure::of(&error));
    let Some(&(first, _)) = ranges.first() else { return Ok(None) };
    if first > directory.offset && bytes(directory.offset, LOCAL.len())? == LOCAL {
        return Ok(Some(unknown(directory.offset)));
    }
    let (mut covered, mut looked) = (0_u64, 0_usize);
    let starts = ranges.iter().skip(1).map(|&(start, _)| start).chain([directory.start]);
    for (&(start, end), next) in ranges.iter().zip(starts) {
        covered = covered.max(end);
        if next.saturating_sub(covered) < SMALL || looked >= LIMITS.own_names {
            continue;
        }
        looked = looked.saturating_add(1);
        let header = bytes(start, LOCAL_LENGTH as usize)?;
        if !header.starts_with(LOCAL) {
            continue;
        }
        let rest = covered.saturating_add(number(&header, 28, 2));
        let gap = next.saturating_sub(rest.saturating_add(DESCRIPTOR));
        if gap > 0
            && bytes(rest, LOOKED_AT.min(usize::try_from(gap).unwrap_or(LOOKED_AT)))?
                .iter()
                .any(|&byte| byte != 0)
        {
            return Ok(Some(unknown(rest)));
        }
    }
    Ok(None)
}

/// The failure if something stands between the last entry, which ends at `entries_end`, and the end record.
pub(super) fn behind_entries(
    archive: &Extent,
    directory: &Directory,
    entries_end: u64,
) -> Result<Option<Failure>, Failure> {
    let gap = directory.record.saturating_sub(entries_end);
    let length = usize::try_from(gap).unwrap_or(LOOKED_AT).min(LOOKED_AT);
    let bytes = archive.bytes_at(entries_end, length).map_err(|error| Failure::of(&error))?;
    let is_unknown = !bytes.starts_with(SIGNATURE) && bytes.iter().any(|&byte| byte != 0);
    Ok(is_unknown.then(|| unknown(entries_end)))
}

fn unknown(at: u64) -> Failure {
    Failure::new(ErrorKind::Damaged, "bytes in the zip archive belong to no member")
        .at_byte(at)
        .advise("a member may be missing; get the archive again")
}
