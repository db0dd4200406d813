//! Parts of a long text, read by other threads at the same time.
//!
//! A part starts at the header of a goroutine after a blank line and ends after the blank line
//! before another header. Whether the headers are what they seem is only known once everything
//! before them was read: a part can be inside the message of a panic. So the result of a part is
//! only used if nothing was open before it, and if it holds nothing but goroutines, with nothing
//! odd about them; otherwise the part is read again in its turn.

use super::driver::Driver;
use super::shared::Shared;
use crate::format::ReaderCache;
use crate::limits::LIMITS;
use crate::profile::{Delta, Input, InputFormat, Keep, ProfileBuilder};
use std::io::Read;
use std::sync::atomic::{AtomicBool, Ordering};

/// Starts a goroutine after a blank line.
const START: &[u8] = b"\n\ngoroutine ";

/// Where the first goroutine after a blank line starts.
pub fn dump_starts(text: &[u8]) -> Option<usize> {
    memchr::memmem::find(text, START).map(|at| at.saturating_add(2))
}

/// Where the last goroutine after a blank line starts.
pub fn last_dump_start(text: &[u8]) -> Option<usize> {
    memchr::memmem::rfind(text, START).map(|at| at.saturating_add(2))
}

/// Goroutines that were read apart from those before them.
#[derive(Debug)]
pub struct TextPart {
    part: Delta,
    lines: u64,
    bytes: u64,
}

impl TextPart {
    /// The length of its text.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }
}

/// Reads a part of a text; `None` if it holds anything but goroutines, or was cancelled.
pub fn read_part(bytes: &mut dyn Read, keep: Keep, cancelled: &AtomicBool) -> Option<TextPart> {
    let mut builder = ProfileBuilder::with_room(keep);
    let template = Input::new("", "", InputFormat::Debug2);
    let input = builder.input(template.clone());
    let mut cache = ReaderCache::default();
    let mut shared = Shared::new(&mut builder, &template, None, &mut cache.records);
    shared.input = Some(input);
    let mut driver = Driver::new(shared, None);
    let mut buffer = vec![0; LIMITS.read_buffer];
    let (mut filled, mut total) = (0_usize, 0_u64);
    loop {
        let read = match bytes.read(buffer.get_mut(filled..)?) {
            Ok(0) => break,
            Ok(read) => read,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
            Err(_) => return None,
        };
        if cancelled.load(Ordering::Relaxed) {
            return None;
        }
        total = total.saturating_add(read as u64);
        let end = filled.saturating_add(read);
        // A line that is longer than the buffer isn't part of a goroutine.
        let whole = memchr::memrchr(b'\n', buffer.get(..end)?)?.saturating_add(1);
        let ready = driver.ready(buffer.get(..whole)?);
        driver.lines(buffer.get(..ready)?);
        let full = driver.shared.builder.out_of_room("").is_some();
        if full || !driver.shared.lost_nothing() {
            return None;
        }
        buffer.copy_within(ready..end, 0);
        filled = end.saturating_sub(ready);
    }
    let lines = driver.layer.line_count();
    let is_whole = filled == 0 && driver.is_between_goroutines();
    driver.stream.settle(&mut driver.shared);
    // `goroutine profile: total 9` starts like a goroutine.
    let is_regular = |input: &Input| {
        input.format == InputFormat::Debug2 && input.crash.is_none() && input.warnings.is_empty()
    };
    let [input] = builder.inputs() else { return None };
    (is_whole && is_regular(input)).then(|| TextPart {
        part: builder.take_delta(),
        lines,
        bytes: total,
    })
}

impl Driver<'_, '_> {
    /// Whether nothing that was read affects what follows.
    pub(super) fn is_between_goroutines(&self) -> bool {
        self.prefix.is_none()
            && self.shared.input.is_some()
            && self.layer.is_plain()
            && self.layer.has_none_above()
            && self.stream.is_between_goroutines()
    }

    /// Merges the result of the part that comes next.
    pub(super) fn take_part(&mut self, part: &TextPart) {
        self.stream.settle(&mut self.shared);
        self.shared.dump_line();
        let Some(input) = self.stream.input_of(&self.shared) else { return };
        self.shared.builder.merge_into(input, &part.part);
        let lines = self.layer.line_count().saturating_add(part.lines);
        self.layer.skip_to(lines);
        self.stream.line_number = lines;
    }
}
