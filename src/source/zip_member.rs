//! The contents of one member of a zip archive.

use super::budget::{Allowance, Meter, Packed, PackedSide};
use super::extent::Extent;
use super::stream::{Failure, Notes, Sticky};
use super::zstd::Zstd;
use crate::error::ErrorKind;
use crc32fast::Hasher;
use flate2::read::DeflateDecoder;
use std::io::{self, Read};
use zip::CompressionMethod;
use zip::read::ZipFileEntry;

/// A member's own header begins with this.
const LOCAL: &[u8] = b"PK\x03\x04";

/// How many packed bytes are read at once, from members that have so many: the decoder copies its
/// window whenever it has none left.
const PACKED: usize = 128 << 10;

/// Calls `read` with the unpacked bytes of a member.
pub(super) fn read(
    archive: &Extent,
    entry: &ZipFileEntry<'_>,
    allowance: &Allowance,
    notes: &Notes,
    read: &mut dyn FnMut(&mut dyn Read),
) -> Result<(), Failure> {
    let at = entry.header_start();
    let fail = |what: String| Failure::new(ErrorKind::Damaged, what).at_byte(at);
    if entry.encrypted() {
        return Err(fail("is encrypted".to_owned()).advise("decrypt the archive first"));
    }
    // Name and extra field may differ from those of the central directory, in length too.
    let header = archive.bytes_at(at, 30).map_err(|error| Failure::of(&error))?;
    let length = |at: usize| match header.get(at..) {
        Some([low, high, ..]) => u64::from(u16::from_le_bytes([*low, *high])),
        _ => 0,
    };
    if !header.starts_with(LOCAL) || header.len() < 30 {
        return Err(fail("isn't where the archive says".to_owned()).advise("get the archive again"));
    }
    let start = [30, length(26), length(28)].into_iter().fold(at, u64::saturating_add);
    let side = PackedSide::default();
    let packed = archive.whole_part(start, entry.compressed_size());
    let packed = Packed { inner: packed, side: side.clone() };
    // Zstd counts for itself; the member counts for all of them, so this count is for form.
    let uncounted = Allowance::new(u64::MAX, u64::MAX);
    let unpacked: Box<dyn Read + '_> = match entry.compression() {
        CompressionMethod::Stored => Box::new(packed),
        CompressionMethod::Deflated => {
            let size = usize::try_from(entry.compressed_size()).unwrap_or(PACKED);
            let buffer = vec![0; size.clamp(1, PACKED)];
            Box::new(DeflateDecoder::new_with_buf(packed, buffer))
        }
        CompressionMethod::ZSTD | CompressionMethod::ZSTD_DEPRECATED => {
            let meter = Meter::new(PackedSide::default(), &uncounted);
            Box::new(Zstd::new(packed, meter, notes.clone()))
        }
        method => {
            return Err(fail(format!("is packed by {}", name_of(method)))
                .advise("pack the archive again with deflate, or unpack it"));
        }
    };
    let mut member = Sticky::new(Member {
        unpacked,
        meter: Meter::new(side, allowance),
        notes,
        crc: Hasher::new(),
        written_crc: entry.crc32(),
        written_size: entry.size(),
        at,
    });
    read(&mut member);
    Ok(())
}

/// A method that isn't supported, by number and name.
fn name_of(method: CompressionMethod) -> String {
    #[allow(deprecated, reason = "the crate has no other way to tell the number")]
    match method {
        CompressionMethod::Unsupported(number) => {
            format!("method {number} ({})", CompressionMethod::name_from_u16(number))
        }
        method => format!("{method:?}"),
    }
}

/// What a member unpacks to. Nothing of a damaged one counts: its checksum, which stands for all of
/// it, can't be right.
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
        // Sizes are only announced; the checksum tells that it is all there.
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
