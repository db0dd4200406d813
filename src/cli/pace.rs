//! The times of a series: when the next of its captures is due, and when it ends.

use super::signals::SeriesEnd;
use crate::error::{Error, ErrorKind, Result};
use crate::filter::parse_minutes;
use crate::leak::Date;
use std::convert::Infallible;
use std::panic;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// The time between captures, unless another is requested.
const EVERY: Duration = Duration::from_secs(10);
/// The longest time that can be requested.
const LONGEST: Duration = Duration::from_secs(366 * 24 * 3600);

/// How often it is looked whether a series ends while a capture is taken.
const LOOK: Duration = Duration::from_millis(100);

/// When captures are due.
#[derive(Debug)]
pub(super) struct Pace {
    every: Duration,
    next: Instant,
    end: SeriesEnd,
}

impl Pace {
    /// The first capture is due at once, another after each time of `--every`. From now on Ctrl-C ends the
    /// series, not the process.
    pub(super) fn of(every: Option<&str>) -> Result<Pace> {
        let every = every.map_or(Ok(EVERY), interval)?;
        Ok(Pace { every, next: Instant::now(), end: SeriesEnd::awaited() })
    }

    /// Waits until the next capture is due, and returns the time; `None` once the series has ended. A
    /// capture that took longer than the time between two delays the later ones.
    pub(super) fn next(&mut self) -> Option<SystemTime> {
        let due = self.next.max(Instant::now());
        self.next = due.checked_add(self.every).unwrap_or(due);
        let is_over = self.end.comes_before(due);
        (!is_over).then(SystemTime::now)
    }

    /// Takes a capture on a thread of its own; `None` if the series ends before it is taken. Then nothing
    /// waits for the thread any more: a server may take minutes to answer. An error if there can be no more
    /// threads.
    pub(super) fn unless_it_ends<T: Send + 'static>(
        &self,
        capture: impl FnOnce() -> T + Send + 'static,
    ) -> Result<Option<T>> {
        let (at_end, ended) = mpsc::channel::<Infallible>();
        let thread = thread::Builder::new().spawn(move || {
            let _at_end = at_end;
            capture()
        });
        let thread = thread.map_err(|error| {
            let what = format!("needs a thread for each capture: {error}");
            Error::new(ErrorKind::Io, "--watch", what)
        })?;
        while ended.recv_timeout(LOOK) == Err(RecvTimeoutError::Timeout) {
            if self.end.comes_before(Instant::now()) {
                return Ok(None);
            }
        }
        Ok(Some(thread.join().unwrap_or_else(|panicked| panic::resume_unwind(panicked))))
    }
}

/// A name made from a time in UTC, so that names sort by time.
pub(super) fn name(time: SystemTime) -> String {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    let of_day = since.as_secs() % 86_400;
    let (hour, minute, second) = (of_day / 3600, of_day / 60 % 60, of_day % 60);
    let milliseconds = since.subsec_millis();
    let day = Date::of(time);
    format!("{day}T{hour:02}{minute:02}{second:02}.{milliseconds:03}Z")
}

fn interval(text: &str) -> Result<Duration> {
    let has_unit = text.ends_with(|last: char| last.is_ascii_alphabetic());
    let minutes = parse_minutes(text).filter(|_| has_unit);
    // Minutes are rounded, which doesn't show in whole milliseconds.
    let every = minutes.map(|minutes| Duration::from_millis((minutes * 60_000.0).round() as u64));
    every.filter(|every| *every <= LONGEST).ok_or_else(|| {
        Error::usage("--every", text, 1, "isn't a time").advise("write 10s, 5m or 1h")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn captures_are_named_by_their_time_in_utc() {
        let name = |milliseconds| name(UNIX_EPOCH + Duration::from_millis(milliseconds));
        assert_eq!(name(0), "1970-01-01T000000.000Z");
        assert_eq!(name(1_795_456_799_007), "2026-11-23T175959.007Z");
    }

    #[test]
    fn times_between_captures_have_units() {
        assert_eq!(interval("10s").unwrap(), Duration::from_secs(10));
        assert_eq!(interval("0.5s").unwrap(), Duration::from_millis(500));
        assert_eq!(interval("2h").unwrap(), Duration::from_secs(7200));
        for wrong in ["10", "", "s", "-1s", "1e30h", "9999999d", "NaNs", "soon"] {
            assert!(interval(wrong).is_err(), "{wrong}");
        }
    }
}
