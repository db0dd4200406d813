//! The text driver: bytes become lines, lines are freed of what wraps them, streams read them.

mod stream;
#[cfg(test)]
mod tests;

use super::log::{self, Decoder, StreamKey};
use super::{Outcome, ReadOptions};
use crate::error::{Error, Result};
use crate::limits::LIMITS;
use crate::profile::{Input, ProfileBuilder, WarningKind};
use foldhash::fast::FixedState;
use hashbrown::HashMap;
use regex::bytes::Regex;
use std::io::Read;
use stream::{Shared, Stream};

/// Streams of one log that are read apart; more than these share the last one.
const STREAMS: usize = 1024;

/// Reads text: dumps and count profiles, wrapped or not, with other text around them.
///
/// # Errors
///
/// What the bytes' source reports; what was understood before stays in the builder.
pub(crate) fn read(
    bytes: &mut dyn Read,
    template: &Input,
    options: &mut ReadOptions<'_>,
    builder: &mut ProfileBuilder,
) -> Result<Outcome> {
    let shared = Shared::new(builder, template, options.observer.take());
    let mut driver = Driver {
        shared,
        prefix: options.line_prefix,
        plain: Stream::default(),
        decoder: None,
        streams: Vec::new(),
        stream_index: HashMap::default(),
        unwrapped: Vec::new(),
        lines: 0,
        cut_lines: 0,
        first_cut_line: 0,
    };
    let mut buffer = vec![0; LIMITS.read_buffer];
    let mut filled = 0;
    let mut total: u64 = 0;
    let mut nul = false;
    // Behind a line that was too long, up to its end.
    let mut skipping = false;
    let result = loop {
        let read = match bytes.read(buffer.get_mut(filled..).unwrap_or_default()) {
            Ok(0) => break Ok(()),
            Ok(read) => read,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
            Err(error) => break Err(Error::io(template.path.clone(), &error)),
        };
        let end = filled.saturating_add(read);
        let fresh = buffer.get(filled..end).unwrap_or_default();
        total = total.saturating_add(read as u64);
        nul = nul || driver.unknown() && memchr::memchr(0, fresh).is_some();
        if nul && total >= LIMITS.sniff as u64 && driver.unknown() {
            return Ok(Outcome::Unknown);
        }
        let Some(last) = memchr::memrchr(b'\n', fresh) else {
            filled = end;
            if skipping {
                filled = 0;
            } else if filled >= buffer.len() {
                if driver.part(&buffer, false) {
                    filled = 0;
                } else if buffer.len() < LIMITS.line {
                    buffer.resize(LIMITS.line, 0);
                } else {
                    driver.cut_line(&buffer);
                    skipping = true;
                    filled = 0;
                }
            }
            continue;
        };
        let whole = filled.saturating_add(last).saturating_add(1);
        let mut text = buffer.get(..whole).unwrap_or_default();
        if skipping {
            let rest = memchr::memchr(b'\n', text).map_or(text.len(), |at| at.saturating_add(1));
            text = text.get(rest..).unwrap_or_default();
            skipping = false;
        }
        driver.lines(text);
        buffer.copy_within(whole..end, 0);
        filled = end.saturating_sub(whole);
    };
    let last = if skipping { &[] } else { buffer.get(..filled).unwrap_or_default() };
    let known = driver.finish(last, total);
    result?;
    Ok(if known { Outcome::Read } else { Outcome::Unknown })
}

struct Driver<'a, 'o> {
    shared: Shared<'a, 'o>,
    prefix: Option<&'a Regex>,
    /// What isn't wrapped.
    plain: Stream,
    /// What wraps the lines, once a line has shown it.
    decoder: Option<Decoder>,
    /// Streams inside the log, each with the text that waits for its line end.
    streams: Vec<(Stream, Vec<u8>)>,
    stream_index: HashMap<StreamKey, usize, FixedState>,
    unwrapped: Vec<u8>,
    /// Raw lines so far.
    lines: u64,
    cut_lines: u64,
    first_cut_line: u64,
}

impl Driver<'_, '_> {
    /// Whether nothing known has been found yet.
    fn unknown(&self) -> bool {
        self.shared.input.is_none() && self.plain.is_outside()
    }

    /// Takes whole raw lines.
    fn lines(&mut self, mut text: &[u8]) {
        if let Some(prefix) = self.prefix {
            let mut stripped = std::mem::take(&mut self.unwrapped);
            stripped.clear();
            for line in text.split_inclusive(|&byte| byte == b'\n') {
                let cut = prefix.find(line).map_or(0, |found| found.end());
                stripped.extend_from_slice(line.get(cut..).unwrap_or_default());
            }
            self.plain_or_wrapped(&stripped);
            self.unwrapped = stripped;
            return;
        }
        while !text.is_empty() {
            text = self.plain_or_wrapped(text);
        }
    }

    /// Takes lines as far as one way of wrapping reaches; answers what is left.
    fn plain_or_wrapped<'t>(&mut self, text: &'t [u8]) -> &'t [u8] {
        if self.decoder.is_some() {
            return self.wrapped(text);
        }
        self.plain.line_number = self.lines;
        let mut rest = text;
        while let Some(at) = self.plain.lines(rest, &mut self.shared) {
            rest = rest.get(at..).unwrap_or_default();
            let end = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
            let line = rest.get(..end).unwrap_or_default();
            self.lines = self.plain.line_number;
            if let Some(decoder) = log::detect(line) {
                self.decoder = Some(decoder);
                return rest;
            }
            self.plain.text_line(line, &mut self.shared);
            rest = rest.get(end.saturating_add(1)..).unwrap_or_default();
        }
        self.lines = self.plain.line_number;
        &[]
    }

    /// Takes wrapped lines, up to one that isn't.
    fn wrapped<'t>(&mut self, text: &'t [u8]) -> &'t [u8] {
        let mut rest = text;
        while !rest.is_empty() {
            let end = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
            let line = rest.get(..end).unwrap_or_default();
            if !self.part(line, true) {
                self.decoder = None;
                self.flush();
                break;
            }
            rest = rest.get(end.saturating_add(1)..).unwrap_or_default();
        }
        self.flush();
        rest
    }

    /// Takes a raw line, or a part of one, if the container at hand explains it.
    fn part(&mut self, line: &[u8], ends: bool) -> bool {
        if self.decoder.is_none() {
            self.decoder = log::detect(line);
        }
        let Some(decoder) = &mut self.decoder else { return false };
        self.unwrapped.clear();
        let Some(key) = decoder.decode(line, ends, &mut self.unwrapped) else { return false };
        let next = self.streams.len();
        let at = *self.stream_index.entry(key).or_insert(next.min(STREAMS - 1));
        if at == next {
            self.streams.push((Stream::default(), Vec::new()));
        }
        if let Some((_, pending)) = self.streams.get_mut(at) {
            pending.extend_from_slice(&self.unwrapped);
        }
        self.lines = self.lines.saturating_add(u64::from(ends));
        true
    }

    /// Lets every stream read its whole lines.
    fn flush(&mut self) {
        for (stream, pending) in &mut self.streams {
            let Some(last) = memchr::memrchr(b'\n', pending) else { continue };
            let whole = last.saturating_add(1);
            let mut rest = pending.get(..whole).unwrap_or_default();
            while let Some(at) = stream.lines(rest, &mut self.shared) {
                rest = rest.get(at..).unwrap_or_default();
                let end = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
                stream.text_line(rest.get(..end).unwrap_or_default(), &mut self.shared);
                rest = rest.get(end.saturating_add(1)..).unwrap_or_default();
            }
            pending.drain(..whole);
        }
    }

    /// Takes the start of a line that is too long; the rest of it is skipped.
    fn cut_line(&mut self, line: &[u8]) {
        if self.cut_lines == 0 {
            self.first_cut_line = self.lines.saturating_add(1);
        }
        self.cut_lines = self.cut_lines.saturating_add(1);
        let mut line = line.to_vec();
        line.push(b'\n');
        self.lines(&line);
    }

    /// Ends all streams; answers whether anything known was found.
    fn finish(mut self, last: &[u8], total: u64) -> bool {
        if self.decoder.is_some() && !last.is_empty() && self.part(last, true) {
            self.flush();
            self.plain.finish(&[], &mut self.shared);
        } else {
            self.plain.finish(last, &mut self.shared);
        }
        for (stream, pending) in &mut self.streams {
            stream.finish(pending, &mut self.shared);
        }
        let Some(input) = self.shared.input else { return false };
        let found = self.shared.builder.input_mut(input);
        if self.cut_lines > 0 {
            let text = format!(
                "{} lines are longer than {} bytes and were cut",
                self.cut_lines, LIMITS.line
            );
            found.warn(WarningKind::LongLine, Some(self.first_cut_line), text);
        }
        if total == LIMITS.go_dump_cut {
            let text = "the dump is exactly 64 MiB long, where net/http/pprof cuts it: goroutines are missing";
            found.warn(WarningKind::Truncated, None, text);
        }
        true
    }
}
