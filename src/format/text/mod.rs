//! The text driver: splits bytes into lines, unwraps them, and lets streams read them.

mod beside;
mod driver;
mod hand_on;
mod layer;
mod losses;
mod mode;
mod part;
mod pending;
mod races;
mod shared;
mod sink;
mod stream;
#[cfg(test)]
mod tests;

use super::{Outcome, ReadOptions, ReaderCache};
use crate::error::{Error, ErrorKind, Result};
use crate::limits::LIMITS;
use crate::profile::{Input, ProfileBuilder};
use driver::{Content, Driver};
pub use part::{TextPart, dump_starts, last_dump_start, read_part};
use pending::LongLine;
use shared::Shared;
use std::io::Read;

/// Reads text: dumps and count profiles, wrapped or not, with other text around them.
///
/// # Errors
///
/// Errors of the source of the bytes; what was read before stays in the builder.
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
    // A new buffer is filled in small steps at first.
    let mut sparing = 0;
    if buffer.len() != LIMITS.read_buffer {
        sparing = LIMITS.first_reads_until;
        // The first input, or one after an input with a long line. The system provides zeroed
        // memory, whereas `resize` would write the zeros.
        *buffer = vec![0; LIMITS.read_buffer];
    }
    let mut filled: usize = 0;
    // Bytes of whole lines at the start of the buffer that wait for the rest of their goroutine.
    let mut waiting = 0;
    let mut total: u64 = 0;
    let mut has_nul = false;
    let mut long_line = LongLine::None;
    let result = loop {
        if let Some(ahead) = options.ahead
            && filled == 0
            && long_line == LongLine::None
        {
            // The result of another thread is only valid if it started from the state that is true
            // here: nothing open.
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
        has_nul = has_nul || driver.unknown() && memchr::memchr(0, fresh).is_some();
        if has_nul && total >= LIMITS.sniff as u64 && driver.unknown() {
            return Ok(Outcome::Unknown);
        }
        let Some(last) = memchr::memrchr(b'\n', fresh) else {
            driver.lines(buffer.get(..waiting).unwrap_or_default());
            buffer.copy_within(waiting..end, 0);
            filled = end.saturating_sub(waiting);
            waiting = 0;
            match long_line {
                LongLine::Skipped => filled = 0,
                LongLine::Taken => {
                    long_line = driver.next_part(buffer.get(..filled).unwrap_or_default(), false);
                    filled = 0;
                }
                LongLine::None if filled < buffer.len() => {}
                // A record of JSON has to be whole to tell its texts from each other.
                LongLine::None if buffer.len() < LIMITS.line => buffer.resize(LIMITS.line, 0),
                LongLine::None if driver.part(buffer) => {
                    long_line = LongLine::Taken;
                    filled = 0;
                }
                LongLine::None => {
                    driver.cut_line(buffer);
                    long_line = LongLine::Skipped;
                    filled = 0;
                }
            }
            continue;
        };
        let whole = filled.saturating_add(last).saturating_add(1);
        let mut text = buffer.get(..whole).unwrap_or_default();
        if long_line != LongLine::None {
            let end = memchr::memchr(b'\n', text).unwrap_or(text.len());
            if long_line == LongLine::Taken {
                driver.next_part(text.get(..end).unwrap_or_default(), true);
            }
            text = text.get(end.saturating_add(1)..).unwrap_or_default();
            long_line = LongLine::None;
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
    if long_line == LongLine::Taken {
        driver.next_part(last, true);
    }
    if long_line != LongLine::None {
        last = &[];
    }
    let known = driver.finish(last, total);
    result?;
    match known {
        Content::Dump => Ok(Outcome::Read),
        Content::Nothing => Ok(Outcome::Unknown),
        Content::Header(line) => Ok(Outcome::Stump(line)),
        Content::Frames(line) => Ok(Outcome::Headless(line)),
        Content::LoggedFrames(line) => Ok(Outcome::Logged(line)),
        Content::OtherProfile(name) => {
            let what = format!("a {name} profile of a C++ program (gperftools), which isn't read");
            Err(Error::new(ErrorKind::Unknown, template.path.clone(), what)
                .advise("turn it into a proto: pprof -proto BINARY FILE > FILE.pb.gz"))
        }
    }
}
