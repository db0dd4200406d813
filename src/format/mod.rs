//! Readers of bytes: one file per format, all filling the same [`ProfileBuilder`].

#![cfg_attr(
    not(test),
    deny(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::indexing_slicing,
        clippy::arithmetic_side_effects
    )
)]

pub(crate) mod bruise;
#[cfg(test)]
mod calls;
mod debug1;
mod encoding;
mod goleak;
mod hole;
mod log;
mod notice;
pub mod pprof;
mod quoted;
mod start;
#[cfg(feature = "parquet")]
pub mod tables;
#[cfg(test)]
mod tests;
mod text;
mod traceback;

pub use text::{TextPart, dump_starts, last_dump_start, read_part};

use crate::binary::Binary;
use crate::error::{Error, ErrorKind, Result};
use crate::limits::LIMITS;
use crate::profile::{Input, InputFormat, ProfileBuilder, WarningKind};
use std::io::Read;

/// Is called with lines until it returns `false`.
pub type Observer<'a> = dyn FnMut(&[u8]) -> bool + 'a;

/// Parts of the text that other threads read at the same time.
pub trait Ahead {
    /// The result of the part that starts at byte `at`. If it is taken, that text needn't be read;
    /// the next byte to read is the one after it.
    fn take(&self, at: u64) -> Option<TextPart>;
}

/// How to read an input.
#[derive(Default)]
pub struct ReadOptions<'a> {
    /// `--input-format`: the format, instead of detecting it.
    pub format: Option<InputFormat>,
    /// `--line-prefix`: what this matches at the start of each line is cut off.
    pub line_prefix: Option<&'a regex::bytes::Regex>,
    /// Is called with the lines that may name the input, until it returns `false`. For debug=2
    /// text: lines outside goroutines, headers, calls with their arguments, `created by` and the
    /// place after it; for debug=1 every line; for protos each label as `key=value`.
    pub observer: Option<&'a mut Observer<'a>>,
    /// Parts of the text that other threads read.
    pub ahead: Option<&'a dyn Ahead>,
    /// Kept from earlier inputs; makes this one faster and changes nothing else.
    pub cache: Option<&'a mut ReaderCache>,
}

/// Facts about the texts of earlier inputs: nodes of one cluster share their stacks.
#[derive(Debug, Default)]
pub struct ReaderCache {
    records: traceback::cache::Records,
    /// The read buffer, which is reused: clearing a new one takes longer than reading a small
    /// input.
    buffer: Vec<u8>,
}

/// The outcome of reading an input.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// It was read; as one input, or as several if the stream has several crashes or profiles.
    Read,
    /// Nothing in it has a known format.
    Unknown,
    /// It ends in its first header, or behind it; with the line of that.
    Stump(u64),
    /// Only calls are known, whose goroutines have no header; with the line of the first.
    Headless(u64),
    /// Only frames are known, as loggers and errors write them; with the line of the first.
    Logged(u64),
}

/// Reads one stream of bytes, already decompressed, into the builder.
///
/// `input` has the name, path and labels; its format is set here. If an error is returned, what was
/// read before it stays in the builder.
///
/// # Errors
///
/// Errors of the source of the bytes; a proto that is damaged or isn't a profile.
pub fn read(
    bytes: &mut dyn Read,
    input: Input,
    options: &mut ReadOptions<'_>,
    builder: &mut ProfileBuilder,
) -> Result<Outcome> {
    let is_proto = options.format.map(InputFormat::is_proto);
    // Room for the first step of sniffing: a vector without capacity would be filled in small
    // steps.
    let mut head = Vec::with_capacity(SNIFF_STEP);
    let is_proto = match is_proto {
        Some(given) => given,
        None => sniff(bytes, &mut head).map_err(|error| Error::io(input.path.clone(), &error))?,
    };
    let mut bytes = head.as_slice().chain(bytes);
    if is_proto {
        return pprof::read(&mut bytes, input, options, builder);
    }
    if options.format.is_none() && Binary::is_start(&head) && head.contains(&0) {
        let error = Error::new(ErrorKind::Unknown, input.path, "is a binary");
        return Err(error.advise("pass it with --binary, beside the dumps that its program made"));
    }
    let mut text = encoding::Decoded::new(bytes);
    let outcome = text::read(&mut text, &input, options, builder)?;
    if text.is_damaged()
        && outcome == Outcome::Read
        && let Some(input) = builder.inputs_mut().last_mut()
    {
        let text = "UTF-16 with a byte too few or too many: characters are missing";
        input.warn(WarningKind::Container, None, text);
    }
    Ok(outcome)
}

/// Text is recognised by its first bytes, a proto after one message in it.
const SNIFF_STEP: usize = 512;

/// Reads as little into `head` as shows whether the bytes are a proto.
fn sniff(bytes: &mut dyn Read, head: &mut Vec<u8>) -> std::io::Result<bool> {
    let mut wanted = SNIFF_STEP as u64;
    loop {
        let missing = wanted.saturating_sub(head.len() as u64);
        let read = bytes.take(missing).read_to_end(head)?;
        match pprof::sniff(head) {
            pprof::Sniff::Yes => return Ok(true),
            pprof::Sniff::No => return Ok(false),
            pprof::Sniff::NeedMore if read == 0 || head.len() >= LIMITS.sniff => return Ok(false),
            pprof::Sniff::NeedMore => wanted = wanted.saturating_mul(2),
        }
    }
}

/// What is kept of a text of a proto or a table, which many samples share: of a character at its end nothing
/// or all.
fn kept(text: &[u8]) -> &[u8] {
    let Some(next) = text.get(LIMITS.text..).filter(|rest| !rest.is_empty()) else { return text };
    let start = text.get(..LIMITS.text).unwrap_or(text);
    let is_inside = |byte: &u8| byte & 0xc0 == 0x80;
    if !next.first().is_some_and(is_inside) {
        return start;
    }
    // No character has more than three bytes after its first.
    let inside = start.iter().rev().take(3).take_while(|byte| is_inside(byte)).count();
    start.get(..start.len().saturating_sub(inside).saturating_sub(1)).unwrap_or(start)
}
