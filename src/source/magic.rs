//! Recognises containers and compression by their first bytes.

use super::extent::Extent;
use crate::live::is_core;
use crate::read_at::ReadAt;
use std::io::{self, Read};
use std::ops::Range;

/// How many first bytes are looked at: the magic of a tar is at byte 257 of its first block.
pub(super) const HEAD: usize = 512;

/// How bytes are packed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Packing {
    /// gzip.
    Gzip,
    /// Zstandard.
    Zstd,
    /// A zip archive.
    Zip,
    /// A tar archive.
    Tar,
    /// The memory of a process.
    Core,
    /// A form that isn't read.
    Unread(Unread),
    /// Nothing of these: content.
    Plain,
}

/// What stands for a dump and isn't read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Unread {
    /// Compression or an archive, by name.
    Packed(&'static str),
    /// Encryption, by name.
    Encrypted(&'static str),
}

impl Packing {
    /// Recognises the packing by the first [`HEAD`] bytes, fewer at the end of a stream.
    pub(super) fn of(head: &[u8]) -> Packing {
        let unread = |name| Packing::Unread(Unread::Packed(name));
        let encrypted = |name| Packing::Unread(Unread::Encrypted(name));
        match head {
            [0x1f, 0x8b, 8, ..] => Packing::Gzip,
            [0x28, 0xb5, 0x2f, 0xfd, ..] => Packing::Zstd,
            // A skippable frame can come first.
            [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..] => Packing::Zstd,
            [b'P', b'K', 3, 4, ..] | [b'P', b'K', 5, 6, ..] => Packing::Zip,
            // A zip in a single part of a split archive.
            [b'P', b'K', b'0', b'0', b'P', b'K', 3, 4, ..] => Packing::Zip,
            [0xfd, b'7', b'z', b'X', b'Z', 0, ..] => unread("xz"),
            // After the block size comes the start of a block, or of the end of an empty file.
            [b'B', b'Z', b'h', b'1'..=b'9', b'1' | 0x17, ..] => unread("bzip2"),
            [4, 0x22, 0x4d, 0x18, ..] => unread("lz4"),
            [b'7', b'z', 0xbc, 0xaf, 0x27, 0x1c, ..] => unread("7z"),
            [b'R', b'a', b'r', b'!', 0x1a, 7, ..] => unread("rar"),
            // The dictionary's size follows, a power of two, and mostly that the length isn't known.
            [0x5d, 0, 0, _, _, 0xff, 0xff, 0xff, ..] => unread("lzma"),
            [0x1f, 0x9d, ..] => unread("compress"),
            [0x78, 0x9c | 0xda, ..] => unread("zlib"),
            [0xff, 6, 0, 0, b's', b'N', b'a', b'P', b'p', b'Y', ..] => unread("snappy"),
            _ if head.starts_with(b"Salted__") => encrypted("openssl"),
            _ if head.starts_with(b"age-encryption.org/") => encrypted("age"),
            _ if head.starts_with(b"-----BEGIN AGE ENCRYPTED FILE-----") => encrypted("age"),
            _ if head.starts_with(b"-----BEGIN PGP MESSAGE-----") => encrypted("PGP"),
            _ if is_core(head) => Packing::Core,
            _ if head.get(257..262) == Some(b"ustar") || is_old_tar(head) => Packing::Tar,
            _ => Packing::Plain,
        }
    }

    /// Recognises the packing by the first bytes, or by the last: a zip can have anything in front
    /// of it.
    pub(super) fn of_extent(extent: &Extent) -> io::Result<Packing> {
        let packing = Packing::of(&extent.bytes_at(0, HEAD)?);
        if packing == Packing::Plain && extent.length() > 22 {
            let tail = extent.bytes_at(extent.length().saturating_sub(22), 22)?;
            if tail.starts_with(b"PK\x05\x06") {
                return Ok(Packing::Zip);
            }
        }
        Ok(packing)
    }
}

/// Whether a tar starts without the word `ustar`, as those of Unix V7 and of `tar --format=v7` do: the checksum of its first
/// header, whose eight bytes count as blanks, is the sum of its bytes in octal digits.
fn is_old_tar(head: &[u8]) -> bool {
    const CHECKSUM: Range<usize> = 148..156;
    let Some(header) = head.get(..512) else { return false };
    let digits = header.get(CHECKSUM).unwrap_or_default();
    let digits = digits.split(|byte| b" \0".contains(byte)).find(|digits| !digits.is_empty());
    let told = digits.and_then(|digits| str::from_utf8(digits).ok());
    let told = told.and_then(|digits| u32::from_str_radix(digits, 8).ok());
    let counted = |(at, &byte): (usize, &u8)| if CHECKSUM.contains(&at) { b' ' } else { byte };
    let sum: u32 = header.iter().enumerate().map(counted).map(u32::from).sum();
    header.first().is_some_and(|&byte| byte != 0) && told == Some(sum)
}

/// Reads the first bytes of a stream, up to [`HEAD`].
pub(super) fn read_head(stream: &mut dyn Read, head: &mut Vec<u8>) -> io::Result<()> {
    let left = HEAD.saturating_sub(head.len());
    stream.take(left as u64).read_to_end(head)?;
    Ok(())
}

/// Whether content is a proto rather than text: Go's protos begin with message tags below 9, bytes
/// that text never has. UTF-16 text has NUL bytes, but starts with a byte order mark.
pub(super) fn is_binary(head: &[u8]) -> bool {
    let utf16 = head.starts_with(b"\xff\xfe") || head.starts_with(b"\xfe\xff");
    !utf16 && head.iter().any(|&byte| byte < 9)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_bytes_tell() {
        assert_eq!(Packing::of(b"\x1f\x8b\x08\0"), Packing::Gzip);
        assert_eq!(Packing::of(b"\x28\xb5\x2f\xfd"), Packing::Zstd);
        assert_eq!(Packing::of(b"\x53\x2a\x4d\x18"), Packing::Zstd);
        assert_eq!(Packing::of(b"PK\x05\x06"), Packing::Zip);
        let mut tar = vec![b'x'; 257];
        tar.extend(b"ustar\0");
        assert_eq!(Packing::of(&tar), Packing::Tar);
        let mut old = [&b"stacks.txt"[..], &[0; 138], b"   1633\0", &[0; 356]].concat();
        assert_eq!(Packing::of(&old), Packing::Plain);
        old[148..156].copy_from_slice(b"002427\0 ");
        assert_eq!(Packing::of(&old), Packing::Tar);
        assert_eq!(Packing::of(b"goroutine 1 [running]:"), Packing::Plain);
        assert_eq!(Packing::of(b""), Packing::Plain);
    }

    #[test]
    fn protos_are_told_from_text() {
        assert!(is_binary(b"\x0a\x04\x08\x01\x10\x02"));
        assert!(!is_binary(b"\ngoroutine 1 [running]:\n\tx\x1b[0m"));
        assert!(!is_binary(b"\xff\xfeg\0o\0"));
    }
}
