//! Unpacks deflated streams with decoders that are used again.

use flate2::{Decompress, FlushDecompress, Status};
use std::io::{self, BufRead, Read};
use std::sync::{Mutex, PoisonError};

/// Decoders that were dropped, for others: to make one takes a third of the time of a member of a few bytes, as its
/// 100 KiB are zeroed. They are those of all archives: made anew for each of 60,000 members of a compressed tar, they
/// left holes of up to 40 KiB each in the memory between the results.
static SPARE: Mutex<Vec<Decompress>> = Mutex::new(Vec::new());

/// Unpacks one stream; the next to make one gets what it needs from one that was dropped.
pub(super) struct Decoder(Option<Decompress>);

impl Decoder {
    /// At the start of a stream.
    pub(super) fn new() -> Decoder {
        let spare = SPARE.lock().unwrap_or_else(PoisonError::into_inner).pop();
        Decoder(Some(spare.unwrap_or_else(|| Decompress::new(false))))
    }

    /// Unpacks bytes into the buffer; returns how many, 0 at the end of the stream or of what is packed.
    ///
    /// # Errors
    /// That of reading, or [`io::ErrorKind::InvalidData`] if the stream is damaged.
    pub(super) fn read(&mut self, from: &mut impl BufRead, to: &mut [u8]) -> io::Result<usize> {
        let Some(decoder) = &mut self.0 else { return Ok(0) };
        loop {
            let packed = from.fill_buf()?;
            let flush = match packed.is_empty() {
                true => FlushDecompress::Finish,
                false => FlushDecompress::None,
            };
            let (taken, made) = (decoder.total_in(), decoder.total_out());
            let status = decoder.decompress(packed, to, flush);
            let is_over = packed.is_empty() || !matches!(status, Ok(Status::Ok | Status::BufError));
            let length = |from: u64, to: u64| usize::try_from(to.saturating_sub(from)).unwrap_or(0);
            from.consume(length(taken, decoder.total_in()));
            match length(made, decoder.total_out()) {
                // What came out before the damage is handed on; the next call fails again.
                0 if status.is_err() => return Err(damaged()),
                // Some input makes no output, such as the head of a block.
                0 if !is_over && !to.is_empty() => {}
                made => return Ok(made),
            }
        }
    }
}

fn damaged() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "corrupt deflate stream")
}

impl Drop for Decoder {
    fn drop(&mut self) {
        if let Some(mut decoder) = self.0.take() {
            decoder.reset(false);
            SPARE.lock().unwrap_or_else(PoisonError::into_inner).push(decoder);
        }
    }
}

/// The unpacked bytes of a deflated stream.
pub(super) struct Inflate<R> {
    pub(super) packed: R,
    pub(super) decoder: Decoder,
}

impl<R: BufRead> Read for Inflate<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.decoder.read(&mut self.packed, buffer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::Compression;
    use flate2::read::DeflateEncoder;

    fn unpack(packed: &[u8]) -> io::Result<Vec<u8>> {
        let mut text = Vec::new();
        Inflate { packed, decoder: Decoder::new() }.read_to_end(&mut text)?;
        Ok(text)
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
