//! gzip: members one after the other, cut streams, bytes after the end.

use super::budget::{Meter, Packed};
use super::inflate::Decoder;
use super::stream::{Failure, Notes};
use crate::error::ErrorKind;
use crate::limits::LIMITS;
use flate2::{Crc, CrcReader};
use std::io::{self, BufRead, BufReader, Read};

/// The unpacked bytes of a gzip stream (RFC 1952).
///
/// With `splits` it ends after each member, and [`Gzip::next_member`] continues with the next one:
/// two protos in one stream are two profiles, but text in several members is one text.
pub(super) struct Gzip<'a, R> {
    packed: BufReader<Packed<R>>,
    state: State,
    meter: Meter<'a>,
    notes: Notes,
    pub(super) splits: bool,
}

enum State {
    /// Before the head of a member.
    Head {
        is_first: bool,
    },
    Member {
        decoder: Decoder,
        crc: Crc,
    },
    Between,
    Ended,
}

impl<'a, R: Read> Gzip<'a, R> {
    pub(super) fn new(packed: R, meter: Meter<'a>, notes: Notes) -> Gzip<'a, R> {
        let packed = Packed { inner: packed, side: meter.packed.clone() };
        let packed = BufReader::with_capacity(1 << 16, packed);
        Gzip { packed, state: State::Head { is_first: true }, meter, notes, splits: true }
    }

    /// Continues with the next member after one that has ended, if there is another.
    pub(super) fn next_member(&mut self) -> io::Result<bool> {
        if !matches!(self.state, State::Between) {
            return Ok(false);
        }
        loop {
            let bytes = self.packed.fill_buf()?;
            let Some(&first) = bytes.first() else { break };
            // Some writers fill the last block with zeros, which gzip's own format doesn't mention.
            let zeros = bytes.iter().take_while(|&&byte| byte == 0).count();
            if zeros > 0 {
                self.packed.consume(zeros);
                continue;
            }
            if first == MAGIC[0] {
                self.state = State::Head { is_first: false };
                return Ok(true);
            }
            self.note_junk(self.at());
            break;
        }
        self.state = State::Ended;
        Ok(false)
    }

    /// How many packed bytes were used.
    fn at(&self) -> u64 {
        self.meter.packed.get().saturating_sub(self.packed.buffer().len() as u64)
    }

    /// Reads the head of a member. Behind another one it may be something else.
    fn start(&mut self, is_first: bool) -> io::Result<()> {
        let at = self.at();
        self.state = match read_head(&mut self.packed)? {
            true => State::Member { decoder: Decoder::new(), crc: Crc::new() },
            false if is_first => return Err(damaged("invalid gzip header")),
            false => {
                self.note_junk(at);
                State::Ended
            }
        };
        Ok(())
    }

    /// Compares what a member says behind its end with what came out of it.
    fn end(&mut self) -> io::Result<()> {
        let State::Member { crc, .. } = std::mem::replace(&mut self.state, State::Ended) else {
            return Ok(());
        };
        let mut said = [0; 8];
        self.packed.read_exact(&mut said)?;
        let found = [crc.sum().to_le_bytes(), crc.amount().to_le_bytes()].concat();
        if found != said {
            return Err(damaged(CHECKSUM));
        }
        self.state = State::Between;
        Ok(())
    }

    /// Unpacks bytes of the member; 0 at the end of all that are wanted.
    fn unpack(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            match &mut self.state {
                State::Head { is_first } => {
                    let is_first = *is_first;
                    self.start(is_first)?;
                }
                State::Member { decoder, crc } => match decoder.read(&mut self.packed, buffer)? {
                    0 => self.end()?,
                    count => {
                        crc.update(buffer.get(..count).unwrap_or_default());
                        return Ok(count);
                    }
                },
                State::Between if self.splits => return Ok(0),
                State::Between => drop(self.next_member()?),
                State::Ended => return Ok(0),
            }
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
        let failure = match error.kind() {
            io::ErrorKind::UnexpectedEof => {
                Failure::new(ErrorKind::Damaged, "the gzip stream is cut")
                    .with_valid_prefix()
                    .advise("what came before is shown; get the file again")
            }
            _ if error.to_string() == CHECKSUM => {
                Failure::new(ErrorKind::Damaged, "the gzip stream has the wrong checksum")
                    .advise("nothing of it is shown; get the file again")
            }
            io::ErrorKind::InvalidData => {
                Failure::new(ErrorKind::Damaged, format!("the gzip stream is damaged: {error}"))
                    .with_valid_prefix()
                    .advise("what came before is shown; get the file again")
            }
            _ => return error,
        };
        failure.at_byte(self.at()).into()
    }
}

impl<R: Read> Read for Gzip<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if buffer.is_empty() {
            return Ok(0);
        }
        let count = self.unpack(buffer).map_err(|error| self.failure(error))?;
        self.meter.add(count)?;
        Ok(count)
    }
}

/// The text of the error for a wrong checksum, after which nothing of a stream counts.
const CHECKSUM: &str = "wrong checksum";

/// The first bytes of a member.
const MAGIC: [u8; 2] = [0x1f, 0x8b];

/// Reads the head of a member up to its deflated bytes; `false` if it isn't one.
fn read_head(packed: &mut impl BufRead) -> io::Result<bool> {
    let mut packed = CrcReader::new(packed);
    // Magic, method (deflate is 8), flags, time, extra flags, system.
    let mut head = [0; 10];
    packed.read_exact(&mut head)?;
    let [first, second, method, flags, ..] = head;
    // The three highest flags mean nothing yet.
    if [first, second] != MAGIC || method != 8 || flags & 0xe0 != 0 {
        return Ok(false);
    }
    let has = |flag: u8| flags & flag != 0;
    if has(4) {
        let mut length = [0; 2];
        packed.read_exact(&mut length)?;
        skip(&mut packed, u16::from_le_bytes(length).into())?;
    }
    // The name and a comment end in a NUL.
    for _ in [has(8), has(16)].into_iter().filter(|&is_there| is_there) {
        let most = LIMITS.gzip_name;
        if packed.by_ref().take(most).skip_until(0)? as u64 == most {
            let what = format!("a name in the gzip stream is longer than {most} bytes (gzip_name)");
            return Err(Failure::new(ErrorKind::Limit, what).advise("unpack it yourself").into());
        }
    }
    if has(2) {
        let [low, high, ..] = packed.crc().sum().to_le_bytes();
        let mut said = [0; 2];
        packed.read_exact(&mut said)?;
        if said != [low, high] {
            return Err(damaged(CHECKSUM));
        }
    }
    Ok(true)
}

fn skip(packed: &mut impl BufRead, bytes: u64) -> io::Result<()> {
    match io::copy(&mut packed.take(bytes), &mut io::sink())? {
        skipped if skipped < bytes => Err(io::ErrorKind::UnexpectedEof.into()),
        _ => Ok(()),
    }
}

fn damaged(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what)
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
    /// A member whose head has an extra field, a name, a comment and its own checksum.
    fn with_long_head(text: &[u8]) -> Vec<u8> {
        let packed = pack(text);
        let mut head = packed[..10].to_vec();
        head[3] = 4 | 8 | 16 | 2;
        head.extend(b"\x03\0abca.txt\0a comment\0");
        let mut crc = Crc::new();
        crc.update(&head);
        head.extend(&crc.sum().to_le_bytes()[..2]);
        [&head, &packed[10..]].concat()
    }

    #[test]
    fn a_head_with_all_fields_is_passed_over_and_its_checksum_counts() {
        let packed = with_long_head(b"text");
        let (text, result, _) = unpack(&[packed.clone(), packed.clone()].concat());
        assert_eq!((text.as_slice(), result.unwrap()), (&b"texttext"[..], 8));
        for cut in 1..40 {
            let (_, result, _) = unpack(&packed[..cut]);
            let failure = Failure::of(&result.unwrap_err());
            assert_eq!(failure.to_string(), "the gzip stream is cut", "{cut}");
        }
        for at in [4, 12, 16, 25] {
            let mut wrong = packed.clone();
            wrong[at] ^= 1;
            let (text, result, _) = unpack(&wrong);
            assert!(text.is_empty() && result.is_err(), "{at}");
        }
        let mut endless = packed[..18].to_vec();
        endless.resize(1 << 20, b'a');
        assert!(unpack(&endless).1.unwrap_err().to_string().contains("gzip_name"));
        let mut wrong = packed;
        wrong[3] |= 0x80;
        assert!(unpack(&wrong).1.unwrap_err().to_string().contains("invalid gzip header"));
    }

    #[test]
    fn what_came_before_damage_is_kept() {
        let text: Vec<u8> =
            (0..20_000).flat_map(|at: u32| format!("{at}\n").into_bytes()).collect();
        let mut packed = pack(&text);
        let middle = packed.len() / 2;
        packed[middle..].iter_mut().for_each(|byte| *byte = 0xff);
        let (found, result, _) = unpack(&packed);
        assert!(Failure::of(&result.unwrap_err()).prefix_is_valid());
        assert!(found.len() > text.len() / 3, "{}", found.len());
    }
}
