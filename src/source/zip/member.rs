//! The contents of one member of a zip archive.

use super::entry::Entry;
use super::{name, number};
use crate::error::ErrorKind;
use crate::limits::LIMITS;
use crate::read_at::ReadAt;
use crate::source::budget::{Allowance, Meter, Packed, PackedSide};
use crate::source::extent::Extent;
use crate::source::inflate::{Decoder, Inflate};
use crate::source::stream::{Failure, Notes, Sticky};
use crate::source::zstd::Zstd;
use crc32fast::Hasher;
use std::io::{self, BufReader, Read};

/// A member's own header begins with this.
const LOCAL: &[u8] = b"PK\x03\x04";

/// The length of its fixed fields.
const FIXED: usize = 30;

/// How much is read at first: shorter members take one read, which saves a tenth of the time for a
/// million of them.
const HEAD: usize = 1 << 10;

const STORED: u16 = 0;
const DEFLATED: u16 = 8;
const ZSTD: u16 = 93;
/// The number of zstd before it was assigned its own.
const OLD_ZSTD: u16 = 20;

/// How many packed bytes are read at once from longer members: the decoder copies its window
/// whenever it runs out of input.
const PACKED: usize = 128 << 10;

/// What a member's own header says.
pub(super) enum OwnPath {
    /// The path in it.
    Is(String),
    /// The path is longer than the one in the directory by more than a few bytes.
    Longer,
    /// There is no header where the directory says.
    NoHeader,
}

/// The path in a member's own header; the one in the directory has `length` bytes.
pub(super) fn own_path(archive: &Extent, entry: &Entry, length: usize) -> OwnPath {
    let most = length.min(LIMITS.path).saturating_add(FIXED).saturating_add(32);
    let head = archive.bytes_at(entry.start, most).ok().filter(|head| head.starts_with(LOCAL));
    let Some(head) = head else { return OwnPath::NoHeader };
    let name = head.get(FIXED..).and_then(|name| name.get(..number(&head, 26, 2) as usize));
    name.map_or(OwnPath::Longer, |name| OwnPath::Is(name::path(name, b"").into_owned()))
}

/// The path in a member's own header, if it isn't the one in the directory: nothing guards either against damage.
/// Names of other characters than ASCII can be in several encodings.
fn other_path(head: &[u8], path: &str) -> Option<String> {
    let name = head.get(FIXED..)?.get(..number(head, 26, 2) as usize)?;
    let own = name::path(name, b"");
    (path.is_ascii() && own.is_ascii() && own.trim_end_matches(['/', '\\']) != path)
        .then(|| own.into_owned())
}

/// Calls `read` with the unpacked bytes of a member.
pub(super) fn read(
    archive: &Extent,
    (path, entry): (&str, &Entry),
    allowance: &Allowance,
    notes: &Notes,
    read: &mut dyn FnMut(&mut dyn Read),
) -> Result<(), Failure> {
    let at = entry.start;
    let fail = |what: String| Failure::new(ErrorKind::Damaged, what).at_byte(at);
    if entry.encrypted {
        return Err(fail("is encrypted".to_owned()).advise("decrypt the archive first"));
    }
    if entry.covers_others {
        let failure = fail("has another member inside".to_owned());
        return Err(failure.advise("it may be made to unpack without end; don't trust the archive"));
    }
    // The lengths of name and extra field can differ from those in the central directory.
    let head = archive.bytes_at(at, HEAD).map_err(|error| Failure::of(&error))?;
    let length = |at: usize| number(&head, at, 2) as usize;
    if !head.starts_with(LOCAL) || head.len() < FIXED {
        return Err(fail("isn't where the archive says".to_owned()).advise("get the archive again"));
    }
    let before = [length(26), length(28)].into_iter().fold(FIXED, usize::saturating_add);
    let end =
        usize::try_from(entry.packed).map_or(usize::MAX, |packed| before.saturating_add(packed));
    if let Some(own) = other_path(&head, path) {
        notes.add(format!("is {own:?} by its own header"));
    }
    let mut short = head.get(before..end);
    let mut long;
    let packed: &mut dyn Read = match &mut short {
        Some(short) => short,
        None => {
            long = archive.whole_part(at.saturating_add(before as u64), entry.packed);
            &mut long
        }
    };
    let side = PackedSide::default();
    let packed = Packed { inner: packed, side: side.clone() };
    let unpack = |unpacked: Box<dyn Read + '_>| {
        read(&mut Sticky::new(Member {
            unpacked,
            meter: Meter::new(side, allowance),
            notes,
            crc: Hasher::new(),
            written_crc: entry.crc,
            written_size: entry.size,
            at,
        }));
        Ok(())
    };
    match entry.method {
        STORED => unpack(Box::new(packed)),
        DEFLATED => {
            let size = usize::try_from(entry.packed).unwrap_or(PACKED);
            let packed = BufReader::with_capacity(size.clamp(1, PACKED), packed);
            unpack(Box::new(Inflate { packed, decoder: Decoder::new() }))
        }
        ZSTD | OLD_ZSTD => {
            // It has a meter of its own; the member counts the bytes, so this count isn't used.
            let uncounted = Allowance::new(u64::MAX, u64::MAX);
            let meter = Meter::new(PackedSide::default(), &uncounted);
            unpack(Box::new(Zstd::new(packed, meter, notes.clone())))
        }
        method => Err(fail(format!("is packed by {}", name_of(method)))
            .advise("pack the archive again with deflate, or unpack it")),
    }
}

/// A method that isn't supported, by number and, if it has one, by name.
fn name_of(method: u16) -> String {
    let name = match method {
        1 => "Shrink",
        2..=5 => "Reduce",
        6 => "Implode",
        9 => "Deflate64",
        12 => "Bzip2",
        14 => "Lzma",
        95 => "Xz",
        98 => "Ppmd",
        99 => "Aes",
        _ => "unknown",
    };
    format!("method {method} ({name})")
}

/// The unpacked bytes of a member. Nothing of a damaged member counts: its checksum, which is for
/// all of it, can't be right.
struct Member<'a> {
    unpacked: Box<dyn Read + 'a>,
    meter: Meter<'a>,
    notes: &'a Notes,
    crc: Hasher,
    written_crc: u32,
    written_size: u64,
    at: u64,
}

impl Member<'_> {
    fn fail(&self, what: impl Into<String>) -> io::Error {
        Failure::new(ErrorKind::Damaged, what)
            .at_byte(self.at)
            .advise("nothing of it is shown; get the archive again")
            .into()
    }

    fn end(&mut self) -> io::Result<()> {
        if self.crc.clone().finalize() != self.written_crc {
            return Err(self.fail("has the wrong checksum"));
        }
        // The size is only announced; the checksum shows that everything is there.
        if self.meter.produced != self.written_size {
            self.notes.add(format!(
                "holds {} bytes where the archive announces {}",
                self.meter.produced, self.written_size
            ));
            self.written_size = self.meter.produced;
        }
        Ok(())
    }
}

impl Read for Member<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self.unpacked.read(buffer) {
            Ok(0) if !buffer.is_empty() => self.end().map(|()| 0),
            Ok(count) => {
                self.crc.update(buffer.get(..count).unwrap_or_default());
                self.meter.add(count)?;
                Ok(count)
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => Err(error),
            Err(error) => Err(self.fail(format!("is damaged: {error}"))),
        }
    }
}
