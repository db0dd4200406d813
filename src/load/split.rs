//! One long file, read by several threads.
//!
//! The file is cut, between goroutines, into as many parts as there are threads for it. The first
//! reader starts at the beginning, while other threads read the other parts. When the first reader
//! gets to a part and is between two goroutines, it takes the result of that part; otherwise it
//! reads the part itself. So the result is that of a single reader.

use crate::format::{Ahead, TextPart, dump_starts, last_dump_start, read_part};
use crate::profile::Keep;
use crate::read_at::ReadAt;
use crate::source::Extent;
use rayon::Scope;
use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver};

/// Shorter parts gain less than it costs to intern the same stacks again.
const PART: u64 = if cfg!(test) { 2 << 10 } else { 32 << 20 };
/// Bytes that are searched for the next goroutine: the longest stacks that Go prints have 50 KB.
const LOOK: usize = if cfg!(test) { 1 << 10 } else { 256 << 10 };

/// The parts of a file that other threads read.
#[derive(Debug, Default)]
pub(super) struct Split {
    parts: RefCell<VecDeque<Piece>>,
    /// Bytes that were read or skipped.
    position: Cell<u64>,
    /// Bytes of parts whose results were taken, still to be skipped.
    skip: Cell<u64>,
}

#[derive(Debug)]
struct Piece {
    start: u64,
    shared: Arc<Shared>,
    result: Receiver<Option<TextPart>>,
}

/// Decides which of the two possible readers of a part reads it.
#[derive(Debug, Default)]
struct Shared {
    /// Whoever sets this first reads the part.
    taken: AtomicBool,
    cancelled: AtomicBool,
}

impl Split {
    /// Starts reading the parts of a file, if it is long enough for several threads.
    pub(super) fn start(extent: &Extent, threads: usize, keep: Keep, scope: &Scope<'_>) -> Split {
        let ends = boundaries(extent, threads).unwrap_or_default();
        let parts = ends.windows(2).map(|ends| {
            let (start, length) = (ends[0], ends[1] - ends[0]);
            let shared = Arc::<Shared>::default();
            let (done, result) = mpsc::channel();
            let (mut text, known) = (extent.part(start, length), Arc::clone(&shared));
            scope.spawn(move |_| {
                if !known.taken.swap(true, Ordering::Relaxed) {
                    // The receiver is gone if the part was cancelled.
                    let _ = done.send(read_part(&mut text, keep, &known.cancelled));
                }
            });
            Piece { start, shared, result }
        });
        Split { parts: RefCell::new(parts.collect()), ..Split::default() }
    }

    /// How many bytes are to be skipped before anything is read.
    pub(super) fn skip(&self) -> u64 {
        self.skip.take()
    }

    /// How many bytes can be read without reading into the next part.
    pub(super) fn limit(&self, wanted: usize) -> usize {
        let position = self.position.get();
        let mut parts = self.parts.borrow_mut();
        // The reader has come to a part and hasn't taken its result.
        while parts.front().is_some_and(|part| part.start <= position) {
            parts.pop_front();
        }
        let left = parts.front().map_or(u64::MAX, |part| part.start - position);
        wanted.min(usize::try_from(left).unwrap_or(usize::MAX))
    }

    /// Notes that bytes were read.
    pub(super) fn advance(&self, bytes: usize) {
        self.position.set(self.position.get() + bytes as u64);
    }
}

impl Ahead for Split {
    fn take(&self, at: u64) -> Option<TextPart> {
        let mut parts = self.parts.borrow_mut();
        if self.position.get() != at || parts.front()?.start != at {
            return None;
        }
        let part = parts.pop_front()?;
        if !part.shared.taken.swap(true, Ordering::Relaxed) {
            // No thread has started reading it.
            return None;
        }
        let text = part.result.recv().ok()??;
        self.position.set(at + text.bytes());
        self.skip.set(self.skip.get() + text.bytes());
        Some(text)
    }
}

impl Drop for Piece {
    fn drop(&mut self) {
        self.shared.cancelled.store(true, Ordering::Relaxed);
    }
}

/// The number of parts that `length` bytes are cut into, at most `threads`.
pub(super) fn parts(length: u64, threads: usize) -> usize {
    usize::try_from(length / PART).unwrap_or(usize::MAX).min(threads).max(1)
}

/// Where the parts after the first one start, and where the last of them ends: the goroutine at the
/// end of the file may be cut, which only the first reader can find out.
fn boundaries(extent: &Extent, threads: usize) -> Option<Vec<u64>> {
    let length = extent.length();
    let parts = parts(length, threads) as u64;
    if parts < 2 {
        return None;
    }
    let mut ends = Vec::new();
    for part in 1..parts {
        let from = length / parts * part;
        let found = dump_starts(&extent.bytes_at(from, LOOK).ok()?)?;
        ends.push(from + found as u64);
    }
    let from = length.saturating_sub(LOOK as u64);
    let found = last_dump_start(&extent.bytes_at(from, LOOK).ok()?)?;
    ends.push(from + found as u64);
    ends.is_sorted().then_some(ends)
}
