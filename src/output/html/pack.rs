//! The encoding of data in a page: gzipped, in base64.

use base64::engine::general_purpose::STANDARD;
use base64::write::EncoderWriter;
use flate2::Compression;
use flate2::write::GzEncoder;
use std::io::{self, BufWriter, Write};

/// Writes the output of `write`, encoded.
pub(super) fn write(
    out: &mut dyn Write,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    let base64 = EncoderWriter::new(out, &STANDARD);
    // Without a time or a name in the header, so equal data has equal bytes.
    // The encoder takes as long for a few bytes as for its whole buffer, which it fills with zeros.
    let mut gzip = BufWriter::new(GzEncoder::new(base64, Compression::new(6)));
    write(&mut gzip)?;
    gzip.into_inner()?.finish()?.finish()?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use base64::Engine;
    use flate2::read::GzDecoder;
    use std::io::Read;

    #[test]
    fn what_is_packed_comes_out_as_it_went_in_however_it_comes() {
        let text: String = (0..2000).map(|number| format!("{number} ")).collect();
        for size in [1, 7, 4096] {
            let mut packed = Vec::new();
            let chunks = |out: &mut dyn Write| {
                text.as_bytes().chunks(size).try_for_each(|chunk| out.write_all(chunk))
            };
            write(&mut packed, chunks).unwrap();
            let packed = STANDARD.decode(packed).unwrap();
            let mut unpacked = String::new();
            GzDecoder::new(&*packed).read_to_string(&mut unpacked).unwrap();
            assert_eq!(unpacked, text);
        }
    }
}
