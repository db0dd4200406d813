//! Folders of Parquet tables, as `export -o parquet` writes them.

use super::extent::Extent;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

/// The table that makes a folder one of tables.
pub(super) const MARK: &str = "inputs.parquet";

/// A folder of tables: its files are read together.
#[derive(Clone, Debug)]
pub struct TableFolder(PathBuf);

impl TableFolder {
    pub(super) fn new(folder: &Path) -> TableFolder {
        TableFolder(folder.to_owned())
    }

    /// The bytes of a table.
    ///
    /// # Errors
    /// If it can't be opened.
    pub fn open(&self, table: &str) -> io::Result<Extent> {
        Extent::of_file(File::open(self.0.join(format!("{table}.parquet")))?)
    }
}

/// What the folders of a path say: `date=2026-11-23/node=n1`, as engines name partitions.
pub(super) fn partitions(path: &str) -> impl Iterator<Item = (Vec<u8>, Vec<u8>)> {
    let pairs = path.split(['/', '\\']).filter_map(|folder| folder.split_once('='));
    let is_name = |key: &str| {
        let is_part = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
        !key.is_empty() && key.bytes().all(is_part)
    };
    let named = pairs.filter(move |(key, _)| is_name(key));
    named.map(|(key, value)| (key.as_bytes().to_vec(), value.as_bytes().to_vec()))
}
