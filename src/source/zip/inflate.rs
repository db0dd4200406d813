//! Unpacks deflated members with decoders that are used again.

use flate2::{Decompress, FlushDecompress, Status};
use std::io::{self, BufRead, Read};
use std::sync::{Mutex, PoisonError};

/// Decoders of members that were read, for others: to make one takes a third of the time of a member of a
/// few bytes, as its 100 KiB are zeroed. They are those of all archives: made anew for each of 4,000 archives in an
/// archive, they left holes of 40 KiB each in the memory between the results.
static SPARE: Mutex<Vec<Decompress>> = Mutex::new(Vec::new());

/// Calls `read` with a decoder that is at the start of a stream.
pub(super) fn with_decoder<T>(read: impl FnOnce(&mut Decompress) -> T) -> T {
    let spare = SPARE.lock().unwrap_or_else(PoisonError::into_inner).pop();
    let mut decoder = spare.unwrap_or_else(|| Decompress::new(false));
    let result = read(&mut decoder);
    decoder.reset(false);
    SPARE.lock().unwrap_or_else(PoisonError::into_inner).push(decoder);
    result
}

/// The unpacked bytes of a deflated stream.
pub(super) struct Inflate<'d, R> {
    pub(super) packed: R,
    pub(super) decoder: &'d mut Decompress,
}

impl<R: BufRead> Read for Inflate<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let packed = self.packed.fill_buf()?;
            let flush = match packed.is_empty() {
                true => FlushDecompress::Finish,
                false => FlushDecompress::None,
            };
            let (taken, made) = (self.decoder.total_in(), self.decoder.total_out());
            let status = self.decoder.decompress(packed, buffer, flush)?;
            let is_over = packed.is_empty() || status == Status::StreamEnd;
            let length = |from: u64, to: u64| usize::try_from(to.saturating_sub(from)).unwrap_or(0);
            self.packed.consume(length(taken, self.decoder.total_in()));
            match length(made, self.decoder.total_out()) {
                // Some input makes no output, such as the head of a block.
                0 if !is_over && !buffer.is_empty() => {}
                made => return Ok(made),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::Compression;
    use flate2::read::DeflateEncoder;

    fn unpack(packed: &[u8]) -> io::Result<Vec<u8>> {
        with_decoder(|decoder| {
            let mut text = Vec::new();
            Inflate { packed, decoder }.read_to_end(&mut text)?;
            Ok(text)
        })
    }

    #[test]
    fn a_decoder_knows_nothing_of_what_it_read_before() {
        let text = b"goroutine 1 [running]:\n".repeat(1000);
        let mut packed = Vec::new();
        DeflateEncoder::new(&text[..], Compression::best()).read_to_end(&mut packed).unwrap();
        let mut damaged = packed.clone();
        damaged[0] = 0xff;
        for _ in 0..3 {
            assert_eq!(unpack(&packed).unwrap(), text);
            assert!(unpack(&damaged).is_err());
            // A stream that is cut ends early; the checksum of its member tells.
            let cut = unpack(&packed[..packed.len() / 2]).unwrap_or_default();
            assert!(text.starts_with(&cut) && cut.len() < text.len());
        }
    }
}
