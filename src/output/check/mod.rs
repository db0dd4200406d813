//! What `check` found, in every format that it offers.

mod csv;
mod json;
mod text;

use super::Output;
use super::terminal::Screen;
use crate::leak::{Check, Finding, Own, Review};
use crate::profile::Profile;
use std::io::{self, Write};

/// The formats of `check`; the first one is the default.
pub const OFFERED: [Output; 5] =
    [Output::Table, Output::Json, Output::Ndjson, Output::Csv, Output::Html];

/// A review with what it was made of.
#[derive(Clone, Copy, Debug)]
pub struct Shown<'a> {
    /// What was checked.
    pub profile: &'a Profile,
    /// What was found.
    pub review: &'a Review,
    /// Show at most so many findings.
    pub limit: Option<usize>,
    /// List what the catalogue and allow-lists took out.
    pub suppressed: bool,
    /// Which code is one's own, which stands out.
    pub own: &'a Own,
}

impl<'a> Shown<'a> {
    /// The findings that documents hold.
    fn findings(&self) -> impl Iterator<Item = &'a Finding> + use<'a> {
        self.review.findings.iter().take(self.limit.unwrap_or(usize::MAX))
    }

    /// Writes the review.
    ///
    /// # Errors
    /// What writing to `out` fails with.
    pub fn write(&self, output: Output, screen: &Screen, out: &mut dyn Write) -> io::Result<()> {
        match output {
            Output::Json => json::document(self).write(out),
            Output::Ndjson => json::document(self).write_lines(out),
            Output::Csv => csv::write(self, out),
            _ => text::write(self, screen, out),
        }
    }
}

/// How many processes a finding names; of more, those with the most goroutines.
const PROCESSES: usize = 3;

/// Which processes a finding is about, of several: `n2 (40), n3 (3) and 5 more`.
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

/// What took findings out, and how many: `2 findings suppressed by built-in entries`.
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

/// Writes what checks mean: one in full, several as a list.
///
/// # Errors
/// What writing to `out` fails with.
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
