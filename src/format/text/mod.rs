//! The text driver: bytes become lines, lines are freed of what wraps them, streams read them.

mod layer;
mod mode;
mod part;
mod pending;
mod shared;
mod stream;
#[cfg(test)]
mod tests;

use super::{Outcome, ReadOptions, ReaderCache};
use crate::error::{Error, ErrorKind, Result};
use crate::limits::LIMITS;
use crate::profile::{Input, ProfileBuilder, WarningKind};
use layer::{Layer, LineOutcome, Sink};
pub use part::{TextPart, dump_starts, last_dump_start, read_part};
use regex::bytes::Regex;
use shared::Shared;
use std::io::Read;
use stream::Stream;

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
    let mut new;
    let ReaderCache { records, buffer } = match options.cache.take() {
        Some(cache) => cache,
        None => {
            new = ReaderCache::default();
            &mut new
        }
    };
    let shared = Shared::new(builder, template, options.observer.take(), records);
    let mut driver = Driver::new(shared, options.line_prefix);
    // A new buffer is used little by little.
    let mut sparing = 0;
    if buffer.len() != LIMITS.read_buffer {
        sparing = LIMITS.first_reads_until;
        // The first input, or one behind another that had a long line. The system gives zeros, which
        // `resize` would write.
        *buffer = vec![0; LIMITS.read_buffer];
    }
    let mut filled: usize = 0;
    // Whole lines at the start of the buffer that wait for the rest of their goroutine.
    let mut waiting = 0;
    let mut total: u64 = 0;
    let mut nul = false;
    let mut long = Long::No;
    let result = loop {
        if let Some(ahead) = options.ahead
            && filled == 0
            && long == Long::No
        {
            // What others read counts where they started from what is the case here: nothing open.
            while driver.is_between_goroutines()
                && let Some(part) = ahead.take(total)
            {
                total = total.saturating_add(part.bytes());
                driver.take_part(&part);
            }
        }
        let room = match total < sparing {
            true => buffer.len().min(filled.saturating_add(LIMITS.first_reads)),
            false => buffer.len(),
        };
        let read = match bytes.read(buffer.get_mut(filled..room).unwrap_or_default()) {
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
            if waiting > 0 {
                driver.lines(buffer.get(..waiting).unwrap_or_default());
                buffer.copy_within(waiting..end, 0);
                filled = end.saturating_sub(waiting);
                waiting = 0;
            }
            match long {
                Long::Skipped => filled = 0,
                Long::Taken => {
                    long = driver.more(buffer.get(..filled).unwrap_or_default(), false);
                    filled = 0;
                }
                Long::No if filled < buffer.len() => {}
                Long::No if driver.part(buffer) => {
                    long = Long::Taken;
                    filled = 0;
                }
                Long::No if buffer.len() < LIMITS.line => buffer.resize(LIMITS.line, 0),
                Long::No => {
                    driver.cut_line(buffer);
                    long = Long::Skipped;
                    filled = 0;
                }
            }
            continue;
        };
        let whole = filled.saturating_add(last).saturating_add(1);
        let mut text = buffer.get(..whole).unwrap_or_default();
        if long != Long::No {
            let end = memchr::memchr(b'\n', text).unwrap_or(text.len());
            if long == Long::Taken {
                driver.more(text.get(..end).unwrap_or_default(), true);
            }
            text = text.get(end.saturating_add(1)..).unwrap_or_default();
            long = Long::No;
        }
        let ready = driver.ready(text);
        waiting = text.len().saturating_sub(ready);
        driver.lines(text.get(..ready).unwrap_or_default());
        if let Some(error) = driver.shared.builder.out_of_room(&template.path) {
            break Err(error);
        }
        let taken = whole.saturating_sub(waiting);
        buffer.copy_within(taken..end, 0);
        filled = end.saturating_sub(taken);
    };
    driver.lines(buffer.get(..waiting).unwrap_or_default());
    let mut last = buffer.get(waiting..filled).unwrap_or_default();
    if long == Long::Taken {
        driver.more(last, true);
    }
    if long != Long::No {
        last = &[];
    }
    let known = driver.finish(last, total);
    result?;
    match known {
        Content::Dump => Ok(Outcome::Read),
        Content::Nothing => Ok(Outcome::Unknown),
        Content::OtherProfile(name) => {
            let what = format!("a {name} profile of a C++ program (gperftools), which isn't read");
            Err(Error::new(ErrorKind::Unknown, template.path.clone(), what)
                .advise("turn it into a proto: pprof -proto BINARY FILE > FILE.pb.gz"))
        }
    }
}

/// How long a goroutine may be that waits for its rest.
const WAIT: usize = 16 << 10;

/// What becomes of a line that is longer than the buffer.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
enum Long {
    /// There is none.
    #[default]
    No,
    /// A container takes it part by part.
    Taken,
    /// Its start was taken, the rest is skipped.
    Skipped,
}

/// What a text turned out to hold.
enum Content {
    Nothing,
    /// Goroutines, a crash or a race report.
    Dump,
    /// Only a profile of this name, which counts something else.
    OtherProfile(String),
}

struct Driver<'a, 'o> {
    shared: Shared<'a, 'o>,
    prefix: Option<&'a Regex>,
    stream: Stream,
    layer: Layer,
    /// Lines freed of `prefix`.
    stripped: Vec<u8>,
    cut_lines: u64,
    first_cut_line: u64,
}

impl Driver<'_, '_> {
    /// Whether nothing known has been found yet.
    fn unknown(&self) -> bool {
        self.shared.input.is_none() && self.stream.is_outside()
    }

    /// How many bytes of these lines to take before more are there.
    ///
    /// A goroutine of which a part is missing is read line by line, in 30 times as much time as a
    /// whole one, so it better waits for its rest.
    fn ready(&self, text: &[u8]) -> usize {
        let is_dump = self.prefix.is_none() && self.shared.input.is_some() && self.layer.is_plain();
        if !is_dump || !self.shared.fast() {
            return text.len();
        }
        let (before, tail) = text.split_at(text.len().saturating_sub(WAIT));
        // Line by line: a search for two line ends takes four times as long from behind.
        let mut lines = tail;
        while let Some(end) = memchr::memrchr(b'\n', lines) {
            lines = lines.get(..end).unwrap_or_default();
            if lines.ends_with(b"\n") {
                return before.len().saturating_add(end).saturating_add(1);
            }
        }
        text.len()
    }

    /// Takes whole raw lines.
    fn lines(&mut self, text: &[u8]) {
        let stripped = std::mem::take(&mut self.stripped);
        let stripped = self.strip(text, stripped);
        let text = if self.prefix.is_some() { &stripped } else { text };
        let mut to = Sink::new(&mut self.stream, &mut self.shared);
        self.layer.lines(text, self.layer.line_count(), &mut to);
        self.stripped = stripped;
    }

    /// Cuts what `--line-prefix` matches off each line.
    fn strip(&self, text: &[u8], mut stripped: Vec<u8>) -> Vec<u8> {
        stripped.clear();
        if let Some(prefix) = self.prefix {
            for line in text.split_inclusive(|&byte| byte == b'\n') {
                let cut = prefix.find(line).map_or(0, |found| found.end());
                stripped.extend_from_slice(line.get(cut..).unwrap_or_default());
            }
        }
        stripped
    }

    /// Takes a part of a line that is too long to be held; `false` when nothing explains it.
    fn part(&mut self, part: &[u8]) -> bool {
        if self.prefix.is_some() || !self.layer.explains(part) {
            return false;
        }
        let mut to = Sink::new(&mut self.stream, &mut self.shared);
        self.layer.part(part, false, &mut to) == LineOutcome::Taken
    }

    /// Takes another part of a line whose first parts were taken. One that its container refuses
    /// after all is cut like any line that is too long.
    fn more(&mut self, part: &[u8], ends: bool) -> Long {
        let mut to = Sink::new(&mut self.stream, &mut self.shared);
        let taken = self.layer.part(part, ends, &mut to);
        if taken == LineOutcome::Taken {
            return if ends { Long::No } else { Long::Taken };
        }
        let refused = self.layer.take_refused();
        self.cut_line(&refused);
        if ends { Long::No } else { Long::Skipped }
    }

    /// Takes the start of a line that is too long; the rest of it is skipped.
    fn cut_line(&mut self, line: &[u8]) {
        if self.cut_lines == 0 {
            self.first_cut_line = self.layer.line_count().saturating_add(1);
        }
        self.cut_lines = self.cut_lines.saturating_add(1);
        let mut line = line.to_vec();
        line.push(b'\n');
        self.lines(&line);
    }

    /// Ends all streams; answers what was found.
    fn finish(mut self, last: &[u8], total: u64) -> Content {
        let stripped = self.strip(last, Vec::new());
        let last = if self.prefix.is_some() { &stripped } else { last };
        self.layer.finish(last, &mut Sink::new(&mut self.stream, &mut self.shared));
        self.stream.finish(&mut self.shared);
        self.shared.warn_of_losses();
        let Some(input) = self.shared.input else {
            return self.shared.other_profile.map_or(Content::Nothing, Content::OtherProfile);
        };
        let found = self.shared.builder.input_mut(input);
        if self.cut_lines > 0 {
            let text = match self.cut_lines {
                1 => format!("a line is longer than {} bytes and was cut", LIMITS.line),
                lines => {
                    format!("{lines} lines are longer than {} bytes and were cut", LIMITS.line)
                }
            };
            found.warn(WarningKind::LongLine, Some(self.first_cut_line), text);
        }
        if self.shared.dropped > 0 {
            let text = format!(
                "lines inside a log are longer than {} bytes: {} bytes of them were dropped",
                LIMITS.line, self.shared.dropped
            );
            found.warn(WarningKind::LongLine, None, text);
        }
        if total == LIMITS.go_dump_cut {
            let text = "the dump is exactly 64 MiB long, where net/http/pprof cuts it: goroutines are missing";
            found.warn(WarningKind::Truncated, None, text);
        }
        Content::Dump
    }
}
