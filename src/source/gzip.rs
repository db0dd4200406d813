//! gzip: members one after the other, cut streams, bytes after the end.

use super::budget::{Meter, Packed};
use super::stream::{Failure, Notes};
use crate::error::ErrorKind;
use flate2::bufread::GzDecoder;
use std::io::{self, BufRead, BufReader, Read};

/// The unpacked bytes of a gzip stream.
///
/// With `splits` it ends after each member, and [`Gzip::next_member`] continues with the next one:
/// two protos in one stream are two profiles, but text in several members is one text.
pub(super) struct Gzip<'a, R> {
    state: State<R>,
    meter: Meter<'a>,
    notes: Notes,
    pub(super) splits: bool,
}

/// With 64 KiB, each of 60,000 members of a tar left a hole of 15 KiB in the memory between the results.
const BUFFER: usize = 8 << 10;

enum State<R> {
    Member {
        decoder: Box<GzDecoder<BufReader<Packed<R>>>>,
        /// Whether it may not be gzip after all: it isn't the first member, and nothing came out of
        /// it yet.
        doubtful: bool,
    },
    Between(BufReader<Packed<R>>),
    Ended,
}

impl<'a, R: Read> Gzip<'a, R> {
    pub(super) fn new(packed: R, meter: Meter<'a>, notes: Notes) -> Gzip<'a, R> {
        let packed = Packed { inner: packed, side: meter.packed.clone() };
        let decoder = Box::new(GzDecoder::new(BufReader::with_capacity(BUFFER, packed)));
        let state = State::Member { decoder, doubtful: false };
        Gzip { state, meter, notes, splits: true }
    }

    /// Continues with the next member after one that has ended, if there is another.
    pub(super) fn next_member(&mut self) -> io::Result<bool> {
        let mut reader = match std::mem::replace(&mut self.state, State::Ended) {
            State::Between(reader) => reader,
            other => {
                self.state = other;
                return Ok(false);
            }
        };
        loop {
            let bytes = reader.fill_buf()?;
            let Some(&first) = bytes.first() else { return Ok(false) };
            // Some writers fill the last block with zeros, which gzip's own format doesn't mention.
            let zeros = bytes.iter().take_while(|&&byte| byte == 0).count();
            if zeros > 0 {
                reader.consume(zeros);
                continue;
            }
            if first == 0x1f {
                self.state =
                    State::Member { decoder: Box::new(GzDecoder::new(reader)), doubtful: true };
                return Ok(true);
            }
            let at = self.meter.packed.get().saturating_sub(reader.buffer().len() as u64);
            self.note_junk(at);
            return Ok(false);
        }
    }

    fn note_junk(&self, at: u64) {
        self.notes
            .add(format!("bytes after the end of the gzip stream are ignored (at byte {at})"));
    }

    fn failure(&self, error: io::Error) -> io::Error {
        if Failure::is_in(&error) {
            return error;
        }
        let at = self.meter.packed.get();
        let failure = match error.kind() {
            io::ErrorKind::UnexpectedEof => {
                Failure::new(ErrorKind::Damaged, "the gzip stream is cut")
                    .with_valid_prefix()
                    .advise("what came before is shown; get the file again")
            }
            // flate2 only distinguishes a wrong checksum from other damage by this text.
            _ if error.to_string().contains("checksum") => {
                Failure::new(ErrorKind::Damaged, "the gzip stream has the wrong checksum")
                    .advise("nothing of it is shown; get the file again")
            }
            io::ErrorKind::InvalidInput | io::ErrorKind::InvalidData => {
                Failure::new(ErrorKind::Damaged, format!("the gzip stream is damaged: {error}"))
                    .with_valid_prefix()
                    .advise("what came before is shown; get the file again")
            }
            _ => return error,
        };
        failure.at_byte(at).into()
    }
}

impl<R: Read> Read for Gzip<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if buffer.is_empty() {
            return Ok(0);
        }
        loop {
            match &mut self.state {
                State::Member { decoder, doubtful } => match decoder.read(buffer) {
                    Ok(0) => {
                        if let State::Member { decoder, .. } =
                            std::mem::replace(&mut self.state, State::Ended)
                        {
                            self.state = State::Between(decoder.into_inner());
                        }
                        if self.splits {
                            return Ok(0);
                        }
                    }
                    Ok(count) => {
                        *doubtful = false;
                        self.meter.add(count)?;
                        return Ok(count);
                    }
                    Err(error)
                        if *doubtful && error.to_string().contains("invalid gzip header") =>
                    {
                        self.state = State::Ended;
                        self.note_junk(self.meter.packed.get());
                        return Ok(0);
                    }
                    Err(error) => return Err(self.failure(error)),
                },
                State::Between(_) if self.splits => return Ok(0),
                State::Between(_) => {
                    if !self.next_member()? {
                        return Ok(0);
                    }
                }
                State::Ended => return Ok(0),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::budget::{Allowance, PackedSide};
    use super::*;
    use flate2::Compression;
    use flate2::write::GzEncoder;
    use std::io::Write;

    fn pack(text: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(text).unwrap();
        encoder.finish().unwrap()
    }

    fn unpack(packed: &[u8]) -> (Vec<u8>, io::Result<usize>, Notes) {
        let allowance = Allowance::new(u64::MAX, u64::MAX);
        let notes = Notes::default();
        let meter = Meter::new(PackedSide::default(), &allowance);
        let mut gzip = Gzip::new(packed, meter, notes.clone());
        gzip.splits = false;
        let mut text = Vec::new();
        let result = gzip.read_to_end(&mut text);
        (text, result, notes)
    }

    #[test]
    fn members_are_one_text() {
        let packed = [pack(b"one\n"), pack(b""), pack(b"two\n")].concat();
        let (text, result, notes) = unpack(&packed);
        assert_eq!((text.as_slice(), result.unwrap()), (&b"one\ntwo\n"[..], 8));
        assert!(notes.take().is_empty());
    }

    #[test]
    fn split_members_come_one_by_one() {
        let packed = [pack(b"one"), pack(b"two")].concat();
        let allowance = Allowance::new(u64::MAX, u64::MAX);
        let meter = Meter::new(PackedSide::default(), &allowance);
        let mut gzip = Gzip::new(&packed[..], meter, Notes::default());
        let mut text = String::new();
        gzip.read_to_string(&mut text).unwrap();
        assert_eq!(text, "one");
        assert!(gzip.next_member().unwrap());
        gzip.read_to_string(&mut text).unwrap();
        assert_eq!(text, "onetwo");
        assert!(!gzip.next_member().unwrap());
    }

    #[test]
    fn zeros_behind_the_end_are_padding_and_other_bytes_are_noted() {
        let padded = [pack(b"text"), vec![0; 100]].concat();
        let (text, result, notes) = unpack(&padded);
        assert_eq!((text.as_slice(), result.is_ok()), (&b"text"[..], true));
        assert!(notes.take().is_empty());
        for junk in [&b"garbage!"[..], b"\x1fgarbage, with more than ten bytes"] {
            let (text, result, notes) = unpack(&[&pack(b"text"), junk].concat());
            assert_eq!((text.as_slice(), result.is_ok()), (&b"text"[..], true));
            assert_eq!(notes.take().len(), 1);
        }
    }

    #[test]
    fn a_cut_keeps_what_came_before_and_a_wrong_checksum_does_not() {
        let whole = pack(&b"goroutine 1 [running]:\n".repeat(1000));
        let (text, result, _) = unpack(&whole[..whole.len() - 9]);
        assert!(!text.is_empty());
        assert!(Failure::of(&result.unwrap_err()).prefix_is_valid());
        let mut wrong = whole.clone();
        let crc = wrong.len() - 8;
        wrong[crc] ^= 1;
        let failure = Failure::of(&unpack(&wrong).1.unwrap_err());
        assert!(!failure.prefix_is_valid());
        assert!(failure.to_string().contains("checksum"), "{failure}");
    }
}
