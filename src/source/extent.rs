//! A range of a file or of memory that many threads can read at once, each from its own position.

use super::stream::Failure;
use crate::error::ErrorKind;
use crate::read_at::ReadAt;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;
use std::sync::Arc;

/// A range of bytes with a position of its own. Clones share the bytes and the open file, so an
/// archive is opened once even if many of its members are read at the same time.
#[derive(Clone, Debug)]
pub struct Extent {
    bytes: Arc<Backing>,
    start: u64,
    length: u64,
    position: u64,
    /// Bytes that should follow and don't, because the file ends first.
    missing: u64,
}

#[derive(Debug)]
enum Backing {
    File(File),
    Memory(Vec<u8>),
}

impl Extent {
    /// All of a regular file.
    pub(super) fn of_file(file: File) -> io::Result<Extent> {
        let length = file.metadata()?.len();
        Ok(Extent::new(Backing::File(file), length))
    }

    /// All of the file at a path.
    ///
    /// # Errors
    /// If it can't be opened.
    pub fn open(path: &Path) -> io::Result<Extent> {
        Extent::of_file(File::open(path)?)
    }

    /// All of these bytes.
    pub(super) fn of_memory(bytes: Vec<u8>) -> Extent {
        let length = bytes.len() as u64;
        Extent::new(Backing::Memory(bytes), length)
    }

    fn new(bytes: Backing, length: u64) -> Extent {
        Extent { bytes: Arc::new(bytes), start: 0, length, position: 0, missing: 0 }
    }

    /// A part of this extent, which is shorter if this one ends first.
    pub fn part(&self, start: u64, length: u64) -> Extent {
        let start = start.min(self.length);
        Extent {
            bytes: Arc::clone(&self.bytes),
            start: self.start.saturating_add(start),
            length: length.min(self.length.saturating_sub(start)),
            position: 0,
            missing: 0,
        }
    }

    /// A part of this extent; reading it fails if this one ends before the part should.
    pub(super) fn whole_part(&self, start: u64, length: u64) -> Extent {
        let part = self.part(start, length);
        Extent { missing: length.saturating_sub(part.length), ..part }
    }

    fn cut(&self, missing: u64) -> io::Error {
        Failure::new(ErrorKind::Damaged, format!("is cut {missing} bytes before its end"))
            .with_valid_prefix()
            .at_byte(self.start.saturating_add(self.position))
            .advise("what came before is shown; get it again")
            .into()
    }
}

impl ReadAt for Extent {
    fn length(&self) -> u64 {
        self.length
    }

    /// Reads up to the end of this extent.
    fn read_at(&self, buffer: &mut [u8], at: u64) -> io::Result<usize> {
        let left = usize::try_from(self.length.saturating_sub(at)).unwrap_or(usize::MAX);
        let wanted = left.min(buffer.len());
        let buffer = buffer.get_mut(..wanted).unwrap_or_default();
        let at = self.start.saturating_add(at);
        match &*self.bytes {
            _ if buffer.is_empty() => Ok(0),
            Backing::File(file) => read_at(file, buffer, at),
            Backing::Memory(bytes) => {
                let from = usize::try_from(at).unwrap_or(usize::MAX);
                let mut rest = bytes.get(from..).unwrap_or_default();
                rest.read(buffer)
            }
        }
    }
}

impl Read for Extent {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let left = self.length.saturating_sub(self.position);
        if left == 0 && self.missing > 0 {
            return Err(self.cut(self.missing));
        }
        let count = self.read_at(buffer, self.position)?;
        if count == 0 && left > 0 && !buffer.is_empty() {
            // The file became shorter while it was read.
            return Err(self.cut(left.saturating_add(self.missing)));
        }
        self.position = self.position.saturating_add(count as u64);
        Ok(count)
    }
}

impl Seek for Extent {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let position = match to {
            SeekFrom::Start(position) => Some(position),
            SeekFrom::End(by) => self.length.checked_add_signed(by),
            SeekFrom::Current(by) => self.position.checked_add_signed(by),
        };
        self.position = position.ok_or_else(|| {
            io::Error::new(io::ErrorKind::InvalidInput, "a place before the start of the file")
        })?;
        Ok(self.position)
    }
}

#[cfg(unix)]
fn read_at(file: &File, buffer: &mut [u8], at: u64) -> io::Result<usize> {
    std::os::unix::fs::FileExt::read_at(file, buffer, at)
}

#[cfg(windows)]
fn read_at(file: &File, buffer: &mut [u8], at: u64) -> io::Result<usize> {
    std::os::windows::fs::FileExt::seek_read(file, buffer, at)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn clones_read_from_their_own_positions() {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(b"0123456789").unwrap();
        let mut first = Extent::of_file(file).unwrap();
        let mut second = first.clone();
        let mut two = [0; 2];
        first.read_exact(&mut two).unwrap();
        second.seek(SeekFrom::End(-2)).unwrap();
        second.read_exact(&mut two).unwrap();
        assert_eq!(&two, b"89");
        first.read_exact(&mut two).unwrap();
        assert_eq!(&two, b"23");
    }

    #[test]
    fn a_part_ends_where_it_should_and_never_behind_the_whole() {
        let whole = Extent::of_memory(b"0123456789".to_vec());
        assert_eq!(whole.bytes_at(2, 3).unwrap(), b"234");
        assert_eq!(whole.part(2, 5).bytes_at(3, 10).unwrap(), b"56");
        assert_eq!(whole.part(8, u64::MAX).length(), 2);
        assert_eq!(whole.bytes_at(u64::MAX, 4).unwrap(), b"");
        let mut text = String::new();
        let error = whole.whole_part(8, 4).read_to_string(&mut text).unwrap_err();
        assert!(Failure::of(&error).prefix_is_valid());
        assert_eq!(text, "89");
    }
}
