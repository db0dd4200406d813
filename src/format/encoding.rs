//! Byte order marks and UTF-16, which Windows tools write when a dump goes into a file.

use std::io::{Cursor, Read, Result};

/// How many bytes of UTF-16 are decoded at a time.
const STEP: usize = 32 << 10;

/// After a lost byte, units are swapped: how many bytes of units in a row must be swapped ASCII to
/// show that.
const SWAPPED: usize = 8;

/// So many bytes of UTF-8 are text that was appended. As UTF-16 they would be twelve characters of the kind
/// (a quarter of the Chinese ones) whose bytes are characters of UTF-8.
const APPENDED: usize = 24;

/// How many suffice at the end.
const APPENDED_LAST: usize = 16;

/// U+FFFD, in place of a missing character.
const MISSING: u16 = char::REPLACEMENT_CHARACTER as u16;

/// So many bytes of ASCII in UTF-16 are UTF-16 without a byte order mark.
const UNMARKED: usize = 8;

/// Decodes UTF-16 to UTF-8 as a stream, and removes the mark of UTF-8;
/// passes on anything else unchanged, also behind UTF-16 and between two parts of it.
#[derive(Debug)]
pub(crate) struct Decoded<R> {
    inner: R,
    form: Form,
    /// Bytes read, to be passed on unchanged or still to be decoded.
    raw: Vec<u8>,
    /// UTF-8 that was made, and how much of it was handed out.
    text: Cursor<Vec<u8>>,
    /// Whether a byte was missing or superfluous.
    damaged: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Form {
    /// Nothing was read yet.
    Fresh,
    Plain,
    Little,
    Big,
    /// Behind UTF-16, which may go on: another program has appended a line.
    Between {
        big: bool,
    },
    /// UTF-16 that has ended.
    Ended,
}

impl<R: Read> Decoded<R> {
    /// The first bytes of `inner` are read when the first byte is requested.
    pub(crate) fn new(inner: R) -> Decoded<R> {
        let (raw, text) = (Vec::new(), Cursor::default());
        Decoded { inner, form: Form::Fresh, raw, text, damaged: false }
    }

    /// Whether the UTF-16 so far lacked a byte or had one too many, so characters are missing.
    pub(crate) fn is_damaged(&self) -> bool {
        self.damaged
    }

    /// Reads a few bytes and detects the encoding by them; bytes that aren't a mark go to `text`.
    fn detect(&mut self) -> Result<()> {
        // Into a field, so that an interrupting error loses nothing.
        self.inner
            .by_ref()
            .take(UNMARKED.saturating_sub(self.raw.len()) as u64)
            .read_to_end(&mut self.raw)?;
        let is_unmarked = |big: bool| self.raw.len() == UNMARKED && is_swapped(&self.raw, !big);
        let (form, rest) = match self.raw.as_slice() {
            [0xef, 0xbb, 0xbf, rest @ ..] => (Form::Plain, rest),
            [0xff, 0xfe, rest @ ..] => (Form::Little, rest),
            [0xfe, 0xff, rest @ ..] => (Form::Big, rest),
            rest if is_unmarked(false) => (Form::Little, rest),
            rest if is_unmarked(true) => (Form::Big, rest),
            rest => (Form::Plain, rest),
        };
        let rest = rest.to_vec();
        self.form = form;
        match form {
            Form::Plain => self.text = Cursor::new(rest),
            _ => self.raw = rest,
        }
        Ok(())
    }

    /// Reads and decodes the next piece of UTF-16.
    fn decode_piece(&mut self, big: bool) -> Result<()> {
        let mut text = std::mem::take(&mut self.text).into_inner();
        text.clear();
        let ended = self.inner.by_ref().take(STEP as u64).read_to_end(&mut self.raw)? == 0;
        let mut units = Vec::new();
        let mut rest = self.raw.as_slice();
        while let Some((&pair, after)) = rest.split_first_chunk::<2>()
            && (ended || rest.len() >= APPENDED)
        {
            if is_utf8(rest.get(..APPENDED).unwrap_or(rest)) {
                self.form = Form::Between { big };
                break;
            }
            // Japanese text has its wide blanks (U+3000) in rows.
            let varies = |next: &[u8]| next.chunks_exact(2).any(|unit| unit != pair);
            if rest.get(..SWAPPED).is_some_and(|next| is_swapped(next, big) && varies(next)) {
                self.damaged = true;
                units.push(MISSING);
                rest = rest.get(1..).unwrap_or_default();
                continue;
            }
            units.push(if big { u16::from_be_bytes(pair) } else { u16::from_le_bytes(pair) });
            rest = after;
        }
        let half = matches!(units.last(), Some(0xd800..=0xdbff));
        if self.form == (Form::Between { big }) {
            self.damaged |= half;
        } else if ended {
            // Half a unit or half a pair at the end: a cut file.
            self.damaged |= half || !rest.is_empty();
            units.extend((!half && !rest.is_empty()).then_some(MISSING));
            rest = &[];
            self.form = Form::Ended;
        } else if half {
            // The other half is still to be read.
            units.pop();
            let before = self.raw.len().saturating_sub(rest.len()).saturating_sub(2);
            rest = self.raw.get(before..).unwrap_or_default();
        }
        for character in char::decode_utf16(units) {
            push_char(character.unwrap_or(char::REPLACEMENT_CHARACTER), &mut text);
        }
        self.text = Cursor::new(text);
        self.raw = rest.to_vec();
        Ok(())
    }

    /// Passes on the next piece behind UTF-16, up to where that goes on.
    fn piece_between(&mut self, big: bool) -> Result<()> {
        let ended = self.inner.by_ref().take(STEP as u64).read_to_end(&mut self.raw)? == 0;
        // Other text has no zeros.
        let starts = memchr::memchr_iter(0, &self.raw).map(|at| at.saturating_sub((!big).into()));
        let is_start = |at: &usize| {
            let next = self.raw.get(*at..).unwrap_or_default();
            next.get(..SWAPPED).is_some_and(|next| is_swapped(next, !big))
        };
        let start = starts.into_iter().find(is_start);
        self.form = match start {
            Some(_) if big => Form::Big,
            Some(_) => Form::Little,
            None if ended => Form::Ended,
            None => self.form,
        };
        // The next piece may show that its first bytes are here.
        let kept = if ended { 0 } else { SWAPPED };
        let end = start.unwrap_or(self.raw.len().saturating_sub(kept));
        let rest = self.raw.split_off(end);
        self.text = Cursor::new(std::mem::replace(&mut self.raw, rest));
        Ok(())
    }
}

impl<R: Read> Read for Decoded<R> {
    fn read(&mut self, buffer: &mut [u8]) -> Result<usize> {
        if buffer.is_empty() {
            return Ok(0);
        }
        if self.form == Form::Fresh {
            self.detect()?;
        }
        loop {
            let given = self.text.read(buffer)?;
            if given > 0 {
                return Ok(given);
            }
            match self.form {
                Form::Little => self.decode_piece(false)?,
                Form::Big => self.decode_piece(true)?,
                Form::Between { big } => self.piece_between(big)?,
                Form::Ended => return Ok(0),
                Form::Plain | Form::Fresh => return self.inner.read(buffer),
            }
        }
    }
}

/// Whether units become ASCII if their bytes are swapped. The characters that they are unswapped
/// (U+6700, U+6F00) hardly ever follow each other.
fn is_swapped(units: &[u8], big: bool) -> bool {
    units.chunks_exact(2).all(|unit| match (unit, big) {
        ([0, byte], false) | ([byte, 0], true) => is_text(*byte),
        _ => false,
    })
}

/// Whether bytes are the start of several characters in UTF-8.
fn is_utf8(bytes: &[u8]) -> bool {
    let is_text = |byte: &u8| *byte >= 0x80 || is_text(*byte);
    // Most units of UTF-16 have a zero, so the second question is hardly ever asked.
    bytes.len() >= APPENDED_LAST
        && bytes.iter().all(is_text)
        && std::str::from_utf8(bytes).map_or_else(|error| error.error_len().is_none(), |_| true)
}

/// Whether a byte is a character of ASCII.
fn is_text(byte: u8) -> bool {
    matches!(byte, b' '..=b'~' | b'\t' | b'\n' | b'\r')
}

/// Appends a character as UTF-8.
pub(super) fn push_char(character: char, out: &mut Vec<u8>) {
    out.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Returns `step` bytes at a time.
    struct Slow<'a>(&'a [u8], usize);

    impl Read for Slow<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> Result<usize> {
            let count = self.1.min(buffer.len());
            self.0.read(&mut buffer[..count])
        }
    }

    fn decoded(bytes: &[u8], step: usize) -> Vec<u8> {
        let mut text = Vec::new();
        Decoded::new(Slow(bytes, step)).read_to_end(&mut text).unwrap();
        text
    }

    fn utf16(text: &str, big: bool) -> Vec<u8> {
        let units = std::iter::once(0xfeff).chain(text.encode_utf16());
        let to_bytes = |unit: u16| if big { unit.to_be_bytes() } else { unit.to_le_bytes() };
        units.flat_map(to_bytes).collect()
    }

    #[test]
    fn bytes_without_a_mark_pass_through() {
        for bytes in [&b""[..], b"g", b"go", b"goroutine 1 [running]:\n\xff\xfe\0", b"\0\xff\xfe"] {
            assert_eq!(decoded(bytes, 1), bytes);
            assert_eq!(decoded(bytes, 100), bytes);
        }
    }

    #[test]
    fn ascii_in_utf16_needs_no_mark() {
        for big in [false, true] {
            let bytes = utf16("goroutine 1 [running]:\n…", big);
            let unmarked = bytes.get(2..).unwrap();
            for step in [1, 7, 100] {
                assert_eq!(decoded(unmarked, step), "goroutine 1 [running]:\n…".as_bytes());
            }
        }
        assert_eq!(decoded(b"g\0o\0r\0", 9), b"g\0o\0r\0");
    }

    #[test]
    fn the_mark_of_utf8_is_dropped_once() {
        assert_eq!(decoded(b"\xef\xbb\xbfgoroutine", 2), b"goroutine");
        assert_eq!(decoded(b"\xef\xbb\xbf\xef\xbb\xbfx", 2), b"\xef\xbb\xbfx");
        assert_eq!(decoded(b"\xef\xbb", 2), b"\xef\xbb");
        assert_eq!(decoded(b"\xef\xbb\xbf", 2), b"");
    }

    #[test]
    fn a_cut_or_broken_utf16_text_loses_only_what_is_broken() {
        assert_eq!(decoded(b"\xff\xfe", 1), b"");
        assert_eq!(decoded(b"\xff\xfeg\0o", 1), "g\u{fffd}".as_bytes());
        assert_eq!(decoded(b"\xff\xfe\x3d\xd8g\0", 1), "\u{fffd}g".as_bytes());
        assert_eq!(decoded(b"\xff\xfe\x00\xdeg\0", 1), "\u{fffd}g".as_bytes());
        assert_eq!(decoded(b"\xff\xfeg\0\x3d\xd8", 1), "g\u{fffd}".as_bytes());
    }

    #[test]
    fn utf16_that_lost_a_byte_or_got_one_too_many_is_read_on_and_said() {
        for big in [false, true] {
            let bytes = utf16("goroutine 1 [running]:\nmain.main()\n", big);
            for at in 2..bytes.len() - 12 {
                let without = [&bytes[..at], &bytes[at + 1..]].concat();
                let with = [&bytes[..at], b"x", &bytes[at..]].concat();
                for damaged in [without, with] {
                    let mut reader = Decoded::new(Slow(&damaged, 5));
                    let mut text = String::new();
                    reader.read_to_string(&mut text).unwrap();
                    assert!(reader.is_damaged(), "{at}: {text}");
                    assert!(text.ends_with("n()\n"), "{at}: {text}");
                }
            }
            let is_damaged = |bytes: &[u8]| {
                let mut reader = Decoded::new(bytes);
                reader.read_to_end(&mut Vec::new()).unwrap();
                reader.is_damaged()
            };
            assert!(!is_damaged(&bytes));
            // A byte is missing, and so is the last one.
            assert!(is_damaged(&[&bytes[..9], &bytes[10..bytes.len() - 1]].concat()));
        }
    }

    /// `>>` of PowerShell and of other shells write different encodings.
    #[test]
    fn text_in_utf8_behind_utf16_is_read_too() {
        let (first, second) = ("goroutine 1 [running]:\n", "goroutine 2 [straße]:\n");
        for big in [false, true] {
            let start = utf16(&first.repeat(2000), big);
            for step in [1, 7, 5000] {
                let bytes = [&start, second.as_bytes()].concat();
                assert_eq!(
                    decoded(&bytes, step),
                    [&first.repeat(2000), second].concat().as_bytes()
                );
                let shifted = [&start[..start.len() - 1], second.as_bytes()].concat();
                assert!(decoded(&shifted, step).ends_with(second.as_bytes()));
                let cut = [&start, &b"goroutine 2 [sel"[..]].concat();
                assert!(decoded(&cut, step).ends_with(b"goroutine 2 [sel"));
            }
            // Chinese, of which six of sixteen characters are two bytes of ASCII.
            let text = "测试协程死锁了汉字日志的文本很长".repeat(3000);
            assert_eq!(decoded(&utf16(&text, big), 4096), text.as_bytes());
        }
    }

    #[test]
    fn utf16_goes_on_behind_lines_in_utf8() {
        let (part, line) = ("5876 1 @ 0x4533ff\n", "2026/03/04 10:31:41 GET / 200\n");
        for big in [false, true] {
            let part_bytes = utf16(part, big).split_off(2);
            let parts = [&utf16(part, big), line.as_bytes(), &part_bytes, line.as_bytes()].concat();
            let long = [&parts, line.repeat(2000).as_bytes(), &part_bytes].concat();
            for step in [1, 7, 5000] {
                let expected = [part, line, part, line].concat();
                assert_eq!(decoded(&parts, step), expected.as_bytes());
                let expected = [&expected, &*line.repeat(2000), part].concat();
                assert_eq!(decoded(&long, step), expected.as_bytes());
            }
        }
    }

    #[test]
    fn long_utf16_comes_in_bounded_steps() {
        let text = "goroutine 1 [running]:\r\n\t/src/straße.go:1 🚀\n".repeat(5000);
        let bytes = utf16(&text, false);
        let mut reader = Decoded::new(&bytes[..]);
        let mut out = Vec::new();
        reader.read_to_end(&mut out).unwrap();
        assert_eq!(out, text.as_bytes());
        assert!(reader.text.get_ref().capacity() < 4 * STEP);
    }

    proptest! {
        #[test]
        fn utf16_comes_back_whatever_the_reads(text in ".{0,60}", big: bool, step in 1usize..9) {
            prop_assert_eq!(decoded(&utf16(&text, big), step), text.as_bytes());
        }

        #[test]
        fn any_bytes_end_without_a_panic(bytes in proptest::collection::vec(any::<u8>(), 0..60), step in 1usize..9) {
            decoded(&[&b"\xff\xfe"[..], &bytes].concat(), step);
        }
    }

    #[test]
    fn a_row_of_one_character_is_no_sign_of_a_lost_byte() {
        let text =
            format!("goroutine 1 [running]:\n名{}値{}\n", "\u{3000}".repeat(9), "一".repeat(5));
        for big in [false, true] {
            let bytes = utf16(&text, big);
            let mut read = Decoded::new(bytes.as_slice());
            let mut decoded = String::new();
            read.read_to_string(&mut decoded).unwrap();
            assert_eq!((decoded.as_str(), read.is_damaged()), (text.as_str(), false));
        }
    }
}
