//! Bytes as they stand in a page: gzipped, in base64.

use flate2::Compression;
use flate2::write::GzEncoder;
use std::io::{self, Write};

/// Writes what `write` writes, packed.
pub(super) fn write(
    out: &mut dyn Write,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    let base64 = Base64 { out, rest: Vec::new() };
    // Without a time or a name in its header, so that the same data is the same bytes.
    let mut gzip = GzEncoder::new(base64, Compression::new(6));
    write(&mut gzip)?;
    gzip.finish()?.finish()
}

const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Writes what it is given in base64.
struct Base64<'a> {
    out: &'a mut dyn Write,
    /// At most two bytes that wait for the third.
    rest: Vec<u8>,
}

impl Base64<'_> {
    fn finish(self) -> io::Result<()> {
        match self.rest.as_slice() {
            [] => Ok(()),
            &[a] => self.out.write_all(&[&digits(a, 0, 0)[..2], b"=="].concat()),
            &[a, b, ..] => self.out.write_all(&[&digits(a, b, 0)[..3], b"="].concat()),
        }
    }
}

fn digits(a: u8, b: u8, c: u8) -> [u8; 4] {
    let bits = u32::from_be_bytes([0, a, b, c]);
    [18, 12, 6, 0].map(|shift| DIGITS[(bits >> shift) as usize & 63])
}

impl Write for Base64<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.rest.extend_from_slice(bytes);
        let mut text = Vec::with_capacity(self.rest.len() / 3 * 4);
        let mut chunks = self.rest.chunks_exact(3);
        for chunk in &mut chunks {
            text.extend_from_slice(&digits(chunk[0], chunk[1], chunk[2]));
        }
        self.rest = chunks.remainder().to_vec();
        self.out.write_all(&text)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_is_that_of_rfc_4648_however_it_comes() {
        for (bytes, expected) in [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foob", "Zm9vYg=="),
            ("fooba", "Zm9vYmE="),
            ("foobar", "Zm9vYmFy"),
        ] {
            for size in 1..4 {
                let mut out = Vec::new();
                let mut base64 = Base64 { out: &mut out, rest: Vec::new() };
                for chunk in bytes.as_bytes().chunks(size) {
                    base64.write_all(chunk).unwrap();
                }
                base64.finish().unwrap();
                assert_eq!(String::from_utf8(out).unwrap(), expected, "{bytes} by {size}");
            }
        }
    }
}
