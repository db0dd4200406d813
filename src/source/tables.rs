//! Folders of Parquet tables, as `export -o parquet` writes them.

use super::budget::Allowance;
use super::extent::Extent;
use super::stream::Failure;
use crate::error::{Error, ErrorKind};
use std::io;
use std::path::Path;

/// The table that marks a folder as a folder of tables.
pub(super) const MARK: &str = "inputs.parquet";

/// A folder of tables: its files are read together.
#[derive(Clone, Copy, Debug)]
pub struct TableFolder<'a> {
    pub(super) path: &'a Path,
    pub(super) allowance: &'a Allowance,
}

impl TableFolder<'_> {
    /// Whether a folder is one of tables.
    pub fn is_at(folder: &Path) -> bool {
        folder.join(MARK).is_file()
    }

    /// Counts bytes that are unpacked from its files.
    ///
    /// # Errors
    /// If the run has unpacked more than it is allowed to.
    pub fn unpack(&self, bytes: u64) -> Result<(), Error> {
        let noted = self.allowance.take(bytes);
        noted.map_err(|failure| failure.error(&self.path.to_string_lossy()))
    }

    /// Opens a table.
    ///
    /// # Errors
    /// If it can't be opened, or isn't a regular file: opening a pipe would wait for its writer.
    pub fn open(&self, table: &str) -> io::Result<Extent> {
        let path = self.path.join(format!("{table}.parquet"));
        match path.metadata()?.is_file() {
            true => Extent::open(&path),
            false => {
                Err(Failure::new(ErrorKind::Io, "isn't a regular file; tables are files").into())
            }
        }
    }
}

/// Labels from the folders of a path, in the way query engines name partitions:
/// `date=2026-11-23/node=n1`.
pub(super) fn partitions(path: &str) -> impl Iterator<Item = (Vec<u8>, Vec<u8>)> {
    let pairs = path.split(['/', '\\']).filter_map(|folder| folder.split_once('='));
    let is_name = |key: &str| {
        let is_part = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
        !key.is_empty() && key.bytes().all(is_part)
    };
    let named = pairs.filter(move |(key, _)| is_name(key));
    named.map(|(key, value)| (key.as_bytes().to_vec(), value.as_bytes().to_vec()))
}
