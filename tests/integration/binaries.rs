//! The binaries of `testdata/binary`, and what Go said of them.

use crate::sandbox::{Sandbox, testdata};
use flate2::read::GzDecoder;
use std::io::Read;

/// The bytes of a binary.
pub(crate) fn binary(name: &str) -> Vec<u8> {
    let file = std::fs::File::open(testdata(&format!("binary/{name}.cut.gz"))).expect("a file");
    let mut packed = Vec::new();
    GzDecoder::new(file).read_to_end(&mut packed).expect("gzip");
    let (size, mut rest) = packed.split_first_chunk().expect("a size");
    let mut bytes = vec![0; usize::try_from(u64::from_le_bytes(*size)).expect("a size")];
    while let Some((head, behind)) = rest.split_first_chunk::<8>() {
        let number = |at: usize| u32::from_le_bytes(head[at..at + 4].try_into().expect("4 bytes"));
        let (start, len) = (number(0) as usize, number(4) as usize);
        bytes[start..start + len].copy_from_slice(&behind[..len]);
        rest = &behind[len..];
    }
    bytes
}

/// A sandbox with a binary, as `server`.
pub(crate) fn sandbox(name: &str) -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.file("server", binary(name));
    sandbox
}

/// What Go said of it: the fields of lines that start with this word.
pub(crate) fn said(name: &str, word: &str) -> Vec<Vec<String>> {
    let text = std::fs::read_to_string(testdata(&format!("binary/{name}.txt"))).expect("a file");
    let lines = text.lines().filter_map(|line| line.strip_prefix(&format!("{word} ")));
    lines.map(|line| line.split(' ').map(str::to_owned).collect()).collect()
}
