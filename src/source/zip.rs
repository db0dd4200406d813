//! Zip archives: their members, and what is wrong with them.

use super::budget::Allowance;
use super::extent::Extent;
use super::stream::{Failure, Notes};
use super::{zip_directory, zip_member};
use crate::error::ErrorKind;
use std::io::{self, BufReader, Read};
use std::sync::Arc;
use zip::ZipArchive;
use zip::read::ZipArchiveMetadata;
use zip::result::ZipError;

/// An opened archive; members of it can be read at the same time.
///
/// The zip crate reads the central directory. It doesn't unpack: it holds a member's declared size
/// against it, and knows fewer methods.
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
        zip_member::read(&self.extent, &entry, allowance, notes, read)
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
    Failure::new(ErrorKind::Damaged, format!("the member is damaged: {error}"))
}
