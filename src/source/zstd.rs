//! Zstandard: frames one after the other, skippable frames, cut streams.

use super::budget::{Meter, Packed};
use super::stream::{Failure, Notes};
use crate::error::ErrorKind;
use crate::limits::LIMITS;
use ruzstd::decoding::errors::{FrameDecoderError, FrameHeaderError, ReadFrameHeaderError};
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};
use std::io::{self, BufRead, BufReader, Read};

/// The unpacked bytes of a zstd stream, all its frames as one.
pub(super) struct Zstd<'a, R> {
    packed: BufReader<Packed<R>>,
    decoder: FrameDecoder,
    state: State,
    /// Bytes that the current frame has unpacked to.
    unpacked: u64,
    /// Why the current frame can't be read on; returned after the bytes before it.
    failure: Option<io::Error>,
    meter: Meter<'a>,
    notes: Notes,
}

/// An empty last block and a checksum, which isn't verified. The decoder holds back what later
/// blocks can refer to, up to megabytes, until it has seen the last block.
const END_OF_FRAME: &[u8] = &[1, 0, 0, 0, 0, 0, 0];

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    First,
    Frame,
    Between,
    Ended,
}

impl<'a, R: Read> Zstd<'a, R> {
    pub(super) fn new(packed: R, meter: Meter<'a>, notes: Notes) -> Zstd<'a, R> {
        let packed = Packed { inner: packed, side: meter.packed.clone() };
        let mut decoder = FrameDecoder::new();
        decoder.set_max_window_size(LIMITS.zstd_window);
        Zstd {
            packed: BufReader::with_capacity(1 << 16, packed),
            decoder,
            state: State::First,
            unpacked: 0,
            failure: None,
            meter,
            notes,
        }
    }

    fn next_frame(&mut self) -> io::Result<()> {
        let first = self.state == State::First;
        if self.packed.fill_buf()?.is_empty() {
            self.state = State::Ended;
            return Ok(());
        }
        let at = self.meter.packed.get().saturating_sub(self.packed.buffer().len() as u64);
        match self.decoder.reset(&mut self.packed) {
            Ok(()) => (self.state, self.unpacked) = (State::Frame, 0),
            Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame {
                length,
                ..
            })) => {
                let frame = &mut (&mut self.packed).take(length.into());
                if io::copy(frame, &mut io::sink())? < length.into() {
                    return Err(self.cut());
                }
                self.state = State::Between;
            }
            Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::BadMagicNumber(
                _,
            ))) if !first => {
                self.notes.add(format!(
                    "bytes after the end of the zstd stream are ignored (at byte {at})"
                ));
                self.state = State::Ended;
            }
            Err(error) => return Err(self.failure(&error)),
        }
        Ok(())
    }

    fn end_of_frame(&mut self) -> io::Result<()> {
        self.state = State::Between;
        let written = self.decoder.get_checksum_from_data();
        if written.is_some() && written != self.decoder.get_calculated_checksum() {
            return Err(Failure::new(ErrorKind::Damaged, "the zstd stream has the wrong checksum")
                .at_byte(self.meter.packed.get())
                .advise("nothing of it is shown; get the file again")
                .into());
        }
        // Many writers add no checksum. 0 is unknown, too.
        let (announced, unpacked) = (self.decoder.content_size(), self.unpacked);
        if announced != 0 && announced != unpacked {
            let what = format!(
                "the zstd stream is damaged: a frame of {announced} bytes has unpacked to {unpacked}"
            );
            return Err(self.damaged(what));
        }
        Ok(())
    }

    /// The decoder hides read errors inside its own, so they are taken from the packed side.
    fn failure(&self, error: &FrameDecoderError) -> io::Error {
        if let Some(failure) = self.meter.packed.failure() {
            return failure.into();
        }
        let window = match error {
            FrameDecoderError::WindowSizeTooBig { requested, .. } => Some(*requested),
            FrameDecoderError::FrameHeaderError(FrameHeaderError::WindowTooBig { got }) => {
                Some(*got)
            }
            _ => None,
        };
        if let Some(window) = window {
            let most = LIMITS.zstd_window >> 20;
            let what = format!(
                "a frame of the zstd stream needs a window of {} MiB, and {most} are allowed (zstd_window)",
                window >> 20
            );
            let failure = Failure::new(ErrorKind::Limit, what).with_valid_prefix();
            return failure.advise("unpack it with `zstd -d --long=31`").into();
        }
        let what = match error {
            _ if self.meter.packed.ended() => return self.cut(),
            FrameDecoderError::DictNotProvided { dict_id } => {
                format!("the zstd stream needs dictionary {dict_id}")
            }
            _ => format!("the zstd stream is damaged: {error}"),
        };
        self.damaged(what)
    }

    fn cut(&self) -> io::Error {
        self.damaged("the zstd stream is cut")
    }

    fn damaged(&self, what: impl Into<String>) -> io::Error {
        Failure::new(ErrorKind::Damaged, what)
            .with_valid_prefix()
            .at_byte(self.meter.packed.get())
            .advise("what came before is shown; get the file again")
            .into()
    }
}

impl<R: Read> Read for Zstd<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if buffer.is_empty() {
            return Ok(0);
        }
        loop {
            match self.state {
                State::Ended => return Ok(0),
                State::First | State::Between => self.next_frame()?,
                State::Frame => {
                    let count = self.decoder.read(buffer)?;
                    if count > 0 {
                        self.meter.add(count)?;
                        self.unpacked = self.unpacked.saturating_add(count as u64);
                        return Ok(count);
                    }
                    if let Some(failure) = self.failure.take() {
                        return Err(failure);
                    }
                    if self.decoder.is_finished() {
                        self.end_of_frame()?;
                        continue;
                    }
                    let some = BlockDecodingStrategy::UptoBytes(1 << 17);
                    if let Err(error) = self.decoder.decode_blocks(&mut self.packed, some) {
                        self.failure = Some(self.failure(&error));
                        // If that fails, less is shown.
                        self.decoder.decode_blocks(END_OF_FRAME, BlockDecodingStrategy::All).ok();
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::budget::{Allowance, PackedSide};
    use super::*;
    use ruzstd::encoding::{CompressionLevel, compress_to_vec};

    fn unpack(packed: &[u8]) -> (Vec<u8>, io::Result<usize>, Notes) {
        let allowance = Allowance::new(u64::MAX, u64::MAX);
        let notes = Notes::default();
        let mut zstd =
            Zstd::new(packed, Meter::new(PackedSide::default(), &allowance), notes.clone());
        let mut text = Vec::new();
        let result = zstd.read_to_end(&mut text);
        (text, result, notes)
    }

    fn pack(text: &[u8]) -> Vec<u8> {
        compress_to_vec(text, CompressionLevel::Fastest)
    }

    #[test]
    fn frames_are_one_text_and_skippable_ones_are_skipped() {
        let skippable = b"\x50\x2a\x4d\x18\x03\0\0\0abc".to_vec();
        let packed = [skippable.clone(), pack(b"one\n"), skippable, pack(b"two\n")].concat();
        let (text, result, notes) = unpack(&packed);
        assert_eq!((text.as_slice(), result.is_ok()), (&b"one\ntwo\n"[..], true));
        assert!(notes.take().is_empty());
    }

    #[test]
    fn a_cut_in_a_skippable_frame_is_told() {
        let skippable = b"\x50\x2a\x4d\x18\x03\0\0\0abc";
        for length in 1..skippable.len() {
            let packed = [pack(b"one\n"), skippable[..length].to_vec()].concat();
            let (text, result, notes) = unpack(&packed);
            assert_eq!(text, b"one\n");
            assert!(result.is_err() || notes.take().len() == 1, "{length}: {result:?}");
        }
        let (_, result, _) = unpack(&skippable[..9]);
        assert!(Failure::of(&result.unwrap_err()).to_string().contains("cut"));
    }

    #[test]
    fn bytes_behind_the_end_are_noted() {
        let (text, result, notes) = unpack(&[pack(b"text"), b"garbage!".to_vec()].concat());
        assert_eq!((text.as_slice(), result.is_ok()), (&b"text"[..], true));
        assert_eq!(notes.take().len(), 1);
    }

    #[test]
    fn a_cut_keeps_what_came_before() {
        let text: Vec<u8> =
            (0..100_000u32).flat_map(|n| format!("line {n}\n").into_bytes()).collect();
        let whole = pack(&text);
        let (got, result, _) = unpack(&whole[..whole.len() / 2]);
        // Except for the block that is cut, which has at most 128 KiB.
        assert!(text.starts_with(&got) && got.len() > text.len() / 3, "{}", got.len());
        let failure = Failure::of(&result.unwrap_err());
        assert!(failure.prefix_is_valid(), "{failure}");
        assert!(failure.to_string().contains("cut"), "{failure}");
        let (got, result, _) = unpack(&whole[..whole.len() - 1]);
        assert!(got == text && result.is_err());
    }
}
