//! Zip archives: their members, and what is wrong with them.

use super::budget::{Allowance, Meter, Packed, PackedSide};
use super::extent::Extent;
use super::stream::{Failure, Notes};
use super::zip_directory;
use crate::error::ErrorKind;
use std::io::{self, BufReader, Read};
use std::sync::Arc;
use zip::ZipArchive;
use zip::read::{ZipArchiveMetadata, ZipReadOptions};
use zip::result::ZipError;

/// An opened archive; members of it can be read at the same time.
#[derive(Debug)]
pub(super) struct Archive {
    extent: Extent,
    metadata: Arc<ZipArchiveMetadata>,
    /// What can't be read though the archive lists it.
    pub(super) problems: Vec<Failure>,
}

/// A member that isn't a folder.
#[derive(Clone, Debug)]
pub(super) struct Member {
    pub(super) path: String,
    pub(super) index: usize,
}

impl Archive {
    /// Reads the central directory.
    pub(super) fn open(extent: Extent) -> Result<Archive, Failure> {
        let archive = ZipArchive::new(BufReader::new(extent.clone()))
            .map_err(|error| unreadable(&error, &extent))?;
        let problems = zip_directory::problems(
            &extent,
            archive.central_directory_start(),
            archive.offset(),
            archive.len(),
        )
        .map_err(|error| Failure::of(&error))?;
        Ok(Archive { extent, metadata: archive.metadata(), problems })
    }

    /// Its members, in the order of the central directory. Names are only labels: no member is
    /// ever written anywhere.
    pub(super) fn members(&self) -> Vec<Member> {
        let files = (0..self.metadata.len()).filter_map(|index| {
            let entry = self.metadata.entry(index).ok().filter(|entry| !entry.is_dir())?;
            let path = match entry.name() {
                Ok(name) => name.into_owned(),
                Err(_) => String::from_utf8_lossy(entry.name_raw()).into_owned(),
            };
            // Old .NET wrote backslashes between folders.
            let path = if path.contains('/') { path } else { path.replace('\\', "/") };
            Some(Member { path, index })
        });
        files.collect()
    }

    /// Calls `read` with the unpacked bytes of a member.
    pub(super) fn read(
        &self,
        index: usize,
        allowance: &Allowance,
        notes: &Notes,
        read: &mut dyn FnMut(&mut dyn Read),
    ) -> Result<(), Failure> {
        let entry = self.metadata.entry(index).map_err(|error| damaged(&error))?;
        let at = entry.header_start();
        if entry.encrypted() {
            return Err(Failure::new(ErrorKind::Damaged, "is encrypted")
                .at_byte(at)
                .advise("decrypt the archive first"));
        }
        let declared = entry.size();
        let mut packed = Packed { inner: self.extent.clone(), side: PackedSide::default() };
        let meter = Meter::new(packed.side.clone(), allowance);
        let file = entry.with_reader(&mut packed, ZipReadOptions::new());
        let file = file.map_err(|error| match error {
            ZipError::CompressionMethodNotSupported(number) => {
                let what = format!("is packed by method {number}{}", method_name(number));
                Failure::new(ErrorKind::Damaged, what)
                    .at_byte(at)
                    .advise("pack the archive again with deflate, or unpack it")
            }
            error => damaged(&error).at_byte(at),
        })?;
        read(&mut MemberReader { file, meter, notes, declared, at, ended: false });
        Ok(())
    }
}

/// What a reader of the APPNOTE calls the methods that this program doesn't unpack.
fn method_name(number: u16) -> &'static str {
    match number {
        1 => " (shrunk)",
        2..=5 => " (reduced)",
        6 => " (imploded)",
        9 => " (Deflate64)",
        12 => " (bzip2)",
        14 => " (LZMA)",
        20 | 93 => " (zstd)",
        95 => " (xz)",
        98 => " (PPMd)",
        99 => " (AES encryption)",
        _ => "",
    }
}

fn unreadable(error: &ZipError, extent: &Extent) -> Failure {
    if let ZipError::Io(error) = error
        && error.kind() != io::ErrorKind::UnexpectedEof
    {
        return Failure::of(error);
    }
    let begins = extent.bytes_at(0, 4).unwrap_or_default();
    let what = if begins == b"PK\x03\x04" && error.to_string().contains("EOCD") {
        "the zip archive is cut: the list of its members, which stands at the end, is missing"
            .to_owned()
    } else {
        format!("the zip archive can't be read: {error}")
    };
    Failure::new(ErrorKind::Damaged, what).at_byte(extent.length()).advise("get the file again")
}

fn damaged(error: &ZipError) -> Failure {
    match error {
        ZipError::Io(error) if Failure::is_in(error) => Failure::of(error),
        error => Failure::new(ErrorKind::Damaged, format!("the member is damaged: {error}")),
    }
}

/// Watches over what a member unpacks to. Nothing of a damaged one counts: its checksum, which
/// stands for all of it, can't be right.
struct MemberReader<'a, R> {
    file: R,
    meter: Meter<'a>,
    notes: &'a Notes,
    declared: u64,
    at: u64,
    ended: bool,
}

impl<R: Read> Read for MemberReader<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self.file.read(buffer) {
            Ok(0) if !buffer.is_empty() => {
                if !self.ended && self.meter.produced != self.declared {
                    self.notes.add(format!(
                        "holds {} bytes where the archive announces {}",
                        self.meter.produced, self.declared
                    ));
                }
                self.ended = true;
                Ok(0)
            }
            Ok(count) => {
                self.meter.add(count)?;
                Ok(count)
            }
            Err(error) if Failure::is_in(&error) => Err(error),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => Err(error),
            Err(error) => {
                let what = match error.to_string() {
                    text if text.contains("checksum") => "has the wrong checksum".to_owned(),
                    text => format!("is damaged: {text}"),
                };
                Err(Failure::new(ErrorKind::Damaged, what)
                    .at_byte(self.at)
                    .advise("nothing of it is shown; get the archive again")
                    .into())
            }
        }
    }
}
