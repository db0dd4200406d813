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

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    fn extent_of(text: &str) -> Extent {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(text.as_bytes()).unwrap();
        Extent::open(file.path()).unwrap()
    }

    fn goroutines(count: usize) -> String {
        (1..=count)
            .map(|id| format!("goroutine {id} [select]:\nmain.f()\n\t/src/a.go:3 +0x1d\n\n"))
            .collect()
    }

    #[test]
    fn each_part_but_the_first_is_read_by_another_thread_and_passed_over() {
        let text = goroutines(300);
        let last = text.rfind("goroutine").unwrap() as u64;
        let extent = extent_of(&text);
        rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap().scope(|scope| {
            let split = Split::start(&extent, 4, Keep::default(), scope);
            let is_read = |piece: &Piece| piece.shared.taken.load(Ordering::Relaxed);
            while !split.parts.borrow().iter().all(is_read) {
                std::thread::yield_now();
            }
            let first = split.limit(usize::MAX) as u64;
            assert!(text[first as usize..].starts_with("goroutine "));
            assert!(first.abs_diff(text.len() as u64 / 4) < 100, "{first} of {}", text.len());
            assert!(split.take(0).is_none(), "the first part is for the first reader");
            assert_eq!(split.limit(7), 7);
            split.advance(7);
            assert!(split.take(first).is_none(), "not there yet");
            assert_eq!(split.limit(usize::MAX) as u64, first - 7);
            split.advance(first as usize - 7);
            let (mut at, mut taken) = (first, 0);
            while let Some(part) = split.take(at) {
                at += part.bytes();
                taken += 1;
            }
            assert_eq!((taken, at), (3, last));
            assert_eq!((split.skip(), split.skip()), (last - first, 0));
            assert_eq!(split.limit(usize::MAX), usize::MAX);
        });
    }

    #[test]
    fn a_part_that_was_not_taken_is_read_on_into() {
        let extent = extent_of(&goroutines(300));
        rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap().scope(|scope| {
            let split = Split::start(&extent, 3, Keep::default(), scope);
            let first = split.limit(usize::MAX);
            split.advance(first);
            let second = split.limit(usize::MAX);
            assert!(second.abs_diff(first) < 100, "{first} and {second}");
            let shared = Arc::clone(&split.parts.borrow()[0].shared);
            assert!(!shared.cancelled.load(Ordering::Relaxed));
            split.advance(second);
            assert_eq!(split.limit(usize::MAX), usize::MAX);
            assert!(shared.cancelled.load(Ordering::Relaxed));
            assert!(split.take((first + second) as u64).is_none());
        });
    }

    #[test]
    fn what_is_too_short_or_has_no_goroutines_is_read_in_one() {
        let ends = |text: &str| boundaries(&extent_of(text), 4);
        assert_eq!(ends(&goroutines(20)), None);
        assert_eq!(ends(&"a line\n".repeat(5000)), None);
        assert_eq!(boundaries(&extent_of(&goroutines(300)), 1), None);
        let text = goroutines(100);
        assert_eq!(ends(&text).map(|ends| ends.len()), Some(2));
    }
}
