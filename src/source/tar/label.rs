//! The label of an archive (`tar --label`).

use super::BLOCK;
use std::io::{self, Read, Seek, SeekFrom};
use std::ops::Range;

/// Where a header has the type of its entry, and the size of its contents.
const TYPE: usize = 156;
const SIZE: Range<usize> = 124..136;

/// Whether a block is the header of a label. Of one with a size nothing is left out: other programs fill in the numbers.
fn is_label(block: &[u8]) -> bool {
    let size = block.get(SIZE).unwrap_or_default();
    block.get(TYPE) == Some(&b'V') && size.iter().all(|byte| b" \0".contains(byte))
}

/// Reads a tar with zeros in place of its label, a header without contents at its start: GNU tar leaves the numbers in
/// it empty, which the tar crate refuses. A tar doesn't seek before its first block is read.
pub(super) struct WithoutLabel<R> {
    inner: R,
    /// The first block, once it is read.
    first: Option<Vec<u8>>,
    /// How many bytes of it were handed out.
    given: usize,
}

impl<R: Read> WithoutLabel<R> {
    pub(super) fn new(inner: R) -> WithoutLabel<R> {
        WithoutLabel { inner, first: None, given: 0 }
    }

    fn first(&mut self) -> io::Result<&[u8]> {
        if self.first.is_none() {
            let mut first = Vec::new();
            self.inner.by_ref().take(BLOCK).read_to_end(&mut first)?;
            if is_label(&first) {
                first.fill(0);
            }
            self.first = Some(first);
        }
        Ok(self.first.as_deref().unwrap_or_default())
    }
}

impl<R: Read> Read for WithoutLabel<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let given = self.given;
        let mut rest = self.first()?.get(given..).unwrap_or_default();
        if rest.is_empty() {
            return self.inner.read(buffer);
        }
        let count = rest.read(buffer)?;
        self.given = given.saturating_add(count);
        Ok(count)
    }
}

impl<R: Seek> Seek for WithoutLabel<R> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.inner.seek(to)
    }
}
