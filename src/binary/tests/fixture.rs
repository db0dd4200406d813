//! The binaries of testdata/binary.

use crate::binary::Binary;
use flate2::read::GzDecoder;
use std::fs::{self, File};
use std::io::Read;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// The names of all binaries.
pub(super) const NAMES: [&str; 6] = [
    "go1.19-elf",
    "go1.21-elf-cgo-pie-stripped",
    "go1.21-pe",
    "go1.27-elf",
    "go1.27-elf-pie-stripped",
    "go1.27-macho-arm64",
];

/// The parts of a binary that were kept.
pub(crate) struct Cut {
    /// The binary, with zeros for the parts that were removed.
    pub(crate) bytes: Vec<u8>,
    /// The ranges that were kept.
    pub(super) pieces: Vec<Range<usize>>,
}

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("testdata/binary")
}

/// The binary with this name.
pub(crate) fn cut(name: &str) -> Cut {
    restored(&folder().join(format!("{name}.cut.gz")))
}

/// Reads a cut binary and restores its size.
pub(crate) fn restored(path: &Path) -> Cut {
    let mut packed = Vec::new();
    let file = File::open(path).unwrap();
    GzDecoder::new(file).read_to_end(&mut packed).unwrap();
    let (size, mut rest) = packed.split_first_chunk().unwrap();
    let mut cut = Cut { bytes: vec![0; u64::from_le_bytes(*size) as usize], pieces: Vec::new() };
    while let Some((head, after)) = rest.split_first_chunk::<8>() {
        let number = |at: usize| u32::from_le_bytes(head[at..at + 4].try_into().unwrap()) as usize;
        let (start, len) = (number(0), number(4));
        cut.bytes[start..start + len].copy_from_slice(&after[..len]);
        cut.pieces.push(start..start + len);
        rest = &after[len..];
    }
    cut
}

/// A cut binary of the test data, opened.
pub(crate) fn open(name: &str) -> Binary {
    Binary::from_bytes(cut(name).bytes).unwrap()
}

/// Go's answers about it: the lines that start with this word, split at blanks.
pub(crate) fn said(name: &str, word: &str) -> Vec<Vec<String>> {
    let text = fs::read_to_string(folder().join(format!("{name}.txt"))).unwrap();
    let split = text.lines().map(|line| line.split(' ').map(str::to_owned).collect::<Vec<_>>());
    split.filter(|fields| fields[0] == word).map(|mut fields| fields.split_off(1)).collect()
}

/// A number that starts with 0x.
pub(crate) fn hex(text: &str) -> u64 {
    u64::from_str_radix(text.strip_prefix("0x").unwrap(), 16).unwrap()
}
