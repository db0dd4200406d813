//! Reports of the race detector: whether the text has those that it announces.

use crate::format::notice::before_mark;
use crate::format::start::RACE;

/// What a text says of races.
#[derive(Debug, Default)]
pub(super) struct Races {
    reports: u64,
    /// The sum over all processes: each writes the number of its reports when it ends.
    announced: u64,
    /// Whether a test says that there was a race while it ran. Tests that run at the same time all say so of one.
    in_tests: bool,
    /// The number of the first line that says so.
    line: u64,
    /// Whether the last line was that around reports.
    after_separator: bool,
}

/// Stands around each report.
const SEPARATOR: &[u8] = b"==================";

impl Races {
    /// Notes that a report was read.
    pub(super) fn report(&mut self) {
        self.reports = self.reports.saturating_add(1);
    }

    /// Takes a line of text.
    pub(super) fn line(&mut self, line: &[u8], number: u64) {
        let line = line.trim_ascii_end();
        self.after_separator = line == SEPARATOR;
        self.announcement(line, number);
    }

    /// Whether the next line is the first one of a report, cut: `WARNING: DATA R`, `WARNING: DATA...`.
    pub(super) fn is_cut_report(&self, line: &[u8]) -> bool {
        let line = line.trim_ascii_end();
        if line.first() != RACE.first() {
            return false;
        }
        let start = before_mark(line).unwrap_or(line).trim_ascii_end();
        let behind = line.strip_prefix(RACE).and_then(<[u8]>::first);
        // Elsewhere `WARNING:` alone can be a line of a log.
        let least = if self.after_separator { 0 } else { b"WARNING:".len() };
        start.len() > least && line != RACE && RACE.starts_with(start)
            || behind.is_some_and(|byte| b"\"'`<".contains(byte))
    }

    /// `Found 2 data race(s)`, `testing.go:1490: race detected during execution of test`
    fn announcement(&mut self, line: &[u8], number: u64) {
        // What stands before it can be the prefix of a log.
        let count = || {
            let before = line.strip_suffix(b" data race(s)")?;
            let (_, count) = before.split_at_checked(memchr::memmem::rfind(before, b"Found ")?)?;
            std::str::from_utf8(count.get(b"Found ".len()..)?).ok()?.parse::<u64>().ok()
        };
        let in_test = || {
            let before = line.strip_suffix(b": race detected during execution of test")?;
            let digits = before.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
            before.get(..before.len().checked_sub(digits)?)
        };
        if line.ends_with(b"testing: race detected outside of test execution")
            || in_test().is_some_and(|before| before.ends_with(b"testing.go:"))
        {
            self.in_tests = true;
        } else if let Some(count) = count() {
            self.announced = self.announced.saturating_add(count);
        } else {
            return;
        }
        if self.line == 0 {
            self.line = number;
        }
    }

    /// The number of a line that announces reports, if the text lacks some.
    pub(super) fn missing(&self) -> Option<u64> {
        (self.reports < self.announced.max(self.in_tests.into())).then_some(self.line)
    }

    /// Whether nothing was said of races.
    pub(super) fn are_none(&self) -> bool {
        self.reports == 0 && self.line == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports_are_missing_if_fewer_were_read_than_processes_and_tests_announce() {
        let test = "    testing.go:1490: race detected during execution of test";
        for (reports, lines, missing) in [
            (0, &["Found 1 data race(s)"][..], Some(1)),
            (1, &["x", "Found 2 data race(s)\r"], Some(2)),
            (0, &["web-1 | Found 12 data race(s)"], Some(1)),
            (3, &["Found 1 data race(s)", "Found 2 data race(s)"], None),
            (2, &["Found 1 data race(s)", "Found 2 data race(s)"], Some(1)),
            (0, &[test, test], Some(1)),
            (1, &[test, test], None),
            (0, &["testing: race detected outside of test execution"], Some(1)),
            (0, &["Found 2 data race(s) in the log", "Found no data race(s)"], None),
            (0, &["Known issue: race detected during execution of test"], None),
        ] {
            let mut races = Races::default();
            (0..reports).for_each(|_| races.report());
            for (line, at) in lines.iter().zip(1..) {
                races.line(line.as_bytes(), at);
            }
            assert_eq!(races.missing(), missing, "{reports} {lines:?}");
        }
    }

    #[test]
    fn the_cut_first_line_of_a_report_is_known() {
        let is_cut = |before: &str, line: &str| {
            let mut races = Races::default();
            races.line(before.as_bytes(), 1);
            races.is_cut_report(line.as_bytes())
        };
        for line in [
            "WARNING: D",
            "WARNING: DATA R...",
            "WARNING: DATA [truncated]",
            "WARNING: DATA RACE...",
            "WARNING: DATA RACE\"",
            "WARNING: DATA RACE</failure>",
        ] {
            assert!(is_cut("", line), "{line}");
        }
        for line in ["W", "WARN", "WARNING:", "WARNING: DATA RAC"] {
            assert!(is_cut("==================", line), "{line}");
        }
        for line in
            ["", "W", "WARNING: ", "WARNING: DATA RACE", "WARNING: DATA RACES", "WARNING: disk"]
        {
            assert!(!is_cut("", line), "{line}");
        }
        for line in ["", "WARNING: DATA RACE", "WARNING: disk", "20 2"] {
            assert!(!is_cut("==================", line), "{line}");
        }
    }
}
