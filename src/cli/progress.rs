//! The progress of reading, on stderr: only on a terminal, and only if it takes a while.

use crate::load::Progress;
use crate::output::numbers::thousands;
use std::io::{IsTerminal, Write};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Nothing is shown for work that takes less than this.
const PATIENCE: Duration = Duration::from_millis(500);
/// The time between two changes of the line.
const PACE: Duration = Duration::from_millis(100);

/// A line that is overwritten until it is cleared.
#[derive(Debug)]
pub(super) struct ProgressLine {
    started: Instant,
    /// When the line was last written, and how many columns it took.
    written: Mutex<Option<(Instant, usize)>>,
}

impl ProgressLine {
    /// A line on stderr, if that is a terminal.
    pub(super) fn on_terminal() -> Option<Arc<ProgressLine>> {
        let line = ProgressLine { started: Instant::now(), written: Mutex::new(None) };
        std::io::stderr().is_terminal().then(|| Arc::new(line))
    }

    /// Writes the line if it is time to.
    pub(super) fn tell(&self, progress: Progress) {
        let mut written = self.written.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        if let Some((text, columns)) = self.next(*written, now, progress) {
            // Nothing can be done about a closed stderr.
            let _ = write!(std::io::stderr(), "\r{text}");
            *written = Some((now, columns));
        }
    }

    /// The text to write: the line, with blanks over the rest of a longer one, and its number of columns.
    fn next(
        &self,
        written: Option<(Instant, usize)>,
        now: Instant,
        progress: Progress,
    ) -> Option<(String, usize)> {
        let due = match written {
            None => self.started + PATIENCE,
            Some((last, _)) => last + PACE,
        };
        if now < due {
            return None;
        }
        let text = text(progress);
        let before = written.map_or(0, |(_, columns)| columns);
        Some((format!("{text:<before$}"), text.len()))
    }

    /// Removes the line, so that only results remain.
    pub(super) fn clear(&self) {
        let mut written = self.written.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, columns)) = written.take() {
            let _ = write!(std::io::stderr(), "\r{:columns$}\r", "");
        }
    }
}

/// `reading: 3 of 12 inputs, 1,234 MB`
fn text(progress: Progress) -> String {
    let megabytes = thousands((progress.bytes / 1_000_000).into());
    match progress.total {
        0 | 1 => format!("reading: {megabytes} MB"),
        total => format!("reading: {} of {total} inputs, {megabytes} MB", progress.done),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOME: Progress = Progress { bytes: 1_234_567_890, done: 3, total: 12 };

    #[test]
    fn nothing_is_said_in_the_first_half_second_nor_too_often() {
        let started = Instant::now();
        let line = ProgressLine { started, written: Mutex::new(None) };
        let after = |millis| started + Duration::from_millis(millis);
        assert_eq!(line.next(None, after(499), SOME), None);
        let (text, columns) = line.next(None, after(500), SOME).unwrap();
        assert_eq!((text.as_str(), columns), ("reading: 3 of 12 inputs, 1,234 MB", 33));
        assert_eq!(line.next(Some((after(500), columns)), after(599), SOME), None);
        assert!(line.next(Some((after(500), columns)), after(600), SOME).is_some());
    }

    #[test]
    fn a_shorter_line_covers_a_longer_one() {
        let started = Instant::now();
        let line = ProgressLine { started, written: Mutex::new(None) };
        let one = Progress { bytes: 5_000_000, done: 0, total: 1 };
        let now = started + Duration::from_secs(2);
        let (text, columns) = line.next(Some((started, 20)), now, one).unwrap();
        assert_eq!((text.as_str(), columns), ("reading: 5 MB       ", 13));
    }
}
