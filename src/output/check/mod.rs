//! The findings of `check`, in every format that it offers.

mod csv;
mod json;
mod text;

use super::Output;
use super::terminal::Screen;
use crate::leak::{Check, Finding, Level, Own, Review};
use crate::profile::Profile;
use std::io::{self, Write};
pub(super) use text::{series, series_of};

/// The formats of `check`; the first one is the default.
pub const OFFERED: [Output; 5] =
    [Output::Table, Output::Json, Output::Ndjson, Output::Csv, Output::Html];

/// A review and how it is shown.
#[derive(Clone, Copy, Debug)]
pub struct Shown<'a> {
    /// The profile that was checked.
    pub profile: &'a Profile,
    /// The findings.
    pub review: &'a Review,
    /// At most this many findings are shown.
    pub limit: Option<usize>,
    /// Whether suppressed findings are listed.
    pub suppressed: bool,
    /// Which code is own code, which is highlighted.
    pub own: &'a Own,
}

impl<'a> Shown<'a> {
    /// The findings that are shown.
    fn findings(&self) -> impl Iterator<Item = &'a Finding> + use<'a> {
        self.review.findings.iter().take(self.limit.unwrap_or(usize::MAX))
    }

    /// Writes the review.
    ///
    /// # Errors
    /// The error of writing to `out`.
    pub fn write(&self, output: Output, screen: &Screen, out: &mut dyn Write) -> io::Result<()> {
        match output {
            Output::Json => json::document(self).write(out),
            Output::Ndjson => json::document(self).write_lines(out),
            Output::Csv => csv::write(self, out),
            _ => text::write(self, screen, out),
        }
    }
}

/// At most this many processes of a finding are named, those with the most goroutines.
const PROCESSES: usize = 3;

/// The processes of a finding, if there are several: `n2 (40), n3 (3) and 5 more`.
pub(super) fn whereabouts(finding: &Finding, review: &Review) -> Option<String> {
    if review.processes < 2 || finding.processes.is_empty() {
        return None;
    }
    let shown = finding.processes.iter().take(PROCESSES);
    let shown: Vec<String> = shown.map(|(name, count)| format!("{name} ({count})")).collect();
    Some(match finding.processes.len() - shown.len() {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    })
}

/// How many findings there are of each level: `2 errors, 1 warning`; empty if there are none.
pub(super) fn tally(review: &Review) -> String {
    let texts =
        [Level::Error, Level::Warning, Level::Note].into_iter().filter_map(|level| {
            match (review.of_level(level), level.name()) {
                (0, _) => None,
                (1, noun) => Some(format!("1 {noun}")),
                (count, noun) => Some(format!("{count} {noun}s")),
            }
        });
    texts.collect::<Vec<_>>().join(", ")
}

/// How many findings were suppressed, and by what: `2 findings suppressed by built-in entries`.
pub(super) fn suppressions(review: &Review) -> Vec<String> {
    let covered = review.findings.iter().filter(|one| one.suppressed.is_some()).count();
    [(review.explained.len(), "built-in entries"), (covered, "allow-lists or the baseline")]
        .into_iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, by)| match count {
            1 => format!("1 finding suppressed by {by}"),
            count => format!("{count} findings suppressed by {by}"),
        })
        .collect()
}

/// Writes the explanation of a check, or a list of several checks.
///
/// # Errors
/// The error of writing to `out`.
pub fn explain(checks: &[&Check], out: &mut dyn Write) -> io::Result<()> {
    if let [check] = checks {
        writeln!(out, "{} ({}): {}\n", check.name, check.tier.name(), check.about)?;
        return writeln!(out, "{}", check.explanation);
    }
    let width = checks.iter().map(|check| check.name.len()).max().unwrap_or(0);
    for check in checks {
        writeln!(out, "{:width$}  {:<9}  {}", check.name, check.tier.name(), check.about)?;
    }
    writeln!(out, "\n`stackgazer check --explain CHECK` says more of one.")
}
