//! Reports: the findings of a check in the formats of CI services and other tools.
//!
//! Every report is a function of a [`Report`]: it uses no clock, no environment, and no order except that
//! of the findings.

mod commands;
mod fingerprint;
mod github;
mod gitlab;
mod junit;
mod markdown;
mod place;
#[cfg(test)]
mod sample;
mod sarif;
mod workspace;

pub use commands::NoCommands;
pub use workspace::Workspace;

use super::Output;
use super::check::{Shown, suppressions, tally, whereabouts};
use super::terminal::Screen;
use crate::error::{Error, Result};
use crate::leak::{Finding, Own, Review};
use crate::profile::Profile;
use std::io::{self, Write};

/// The formats of reports, named after where they are read.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ReportFormat {
    /// Code scanning.
    Sarif,
    /// Test results.
    Junit,
    /// Annotations of a GitHub workflow.
    Github,
    /// GitLab code quality.
    Gitlab,
    /// A step summary or a comment.
    Markdown,
    /// The document for programs.
    Json,
    /// The page for a browser.
    Html,
}

/// Every report with its name and its description in help texts.
pub const REPORTS: [(ReportFormat, &str, &str); 7] = [
    (ReportFormat::Sarif, "sarif", "SARIF 2.1.0, for code scanning"),
    (ReportFormat::Junit, "junit", "JUnit XML, one test case per check"),
    (ReportFormat::Github, "github", "annotations of a GitHub workflow"),
    (ReportFormat::Gitlab, "gitlab", "a GitLab code quality report"),
    (ReportFormat::Markdown, "markdown", "a summary, for $GITHUB_STEP_SUMMARY or a comment"),
    (ReportFormat::Json, "json", "the document that -o json writes"),
    (ReportFormat::Html, "html", "the page that -o html writes, to be kept with what CI built"),
];

impl ReportFormat {
    /// The name on the command line.
    pub fn name(self) -> &'static str {
        REPORTS.iter().find(|row| row.0 == self).map_or("", |row| row.1)
    }

    /// The format with this name.
    ///
    /// # Errors
    /// If there is none; the error lists the formats.
    pub fn from_name(name: &str) -> Result<ReportFormat> {
        REPORTS.iter().find(|row| row.1 == name).map(|row| row.0).ok_or_else(|| {
            let names: Vec<&str> = REPORTS.iter().map(|row| row.1).collect();
            Error::misuse("--report", format!("unknown format {name:?}"))
                .advise(format!("use one of {}", names.join(", ")))
        })
    }

    /// The description of the formats in the help of `--report`.
    pub fn help() -> String {
        let mut text = String::from("Formats of --report:");
        for (_, name, about) in REPORTS {
            text.push_str(&format!("\n  {name:<9} {about}"));
        }
        text
    }
}

/// The contents of a report.
#[derive(Clone, Copy)]
pub struct Report<'a> {
    /// The profile that was checked.
    pub profile: &'a Profile,
    /// The findings.
    pub review: &'a Review,
    /// Where the source files are in the reader's repository.
    pub workspace: &'a Workspace,
    /// Writes the HTML page, which shows more than the review.
    pub page: &'a dyn Fn(&mut dyn Write) -> io::Result<()>,
}

impl<'a> Report<'a> {
    /// Writes the report.
    ///
    /// # Errors
    /// The error of writing to `out`.
    pub fn write(&self, format: ReportFormat, out: &mut dyn Write) -> io::Result<()> {
        match format {
            ReportFormat::Sarif => sarif::write(self, out),
            ReportFormat::Junit => junit::write(self, out),
            ReportFormat::Github => github::write(self, out),
            ReportFormat::Gitlab => gitlab::write(self, out),
            ReportFormat::Markdown => markdown::write(self, out),
            ReportFormat::Html => (self.page)(out),
            ReportFormat::Json => {
                let (profile, review) = (self.profile, self.review);
                let own = &Own::default();
                let shown = Shown { profile, review, limit: None, suppressed: false, own };
                shown.write(Output::Json, &Screen::PIPE, out)
            }
        }
    }

    /// Findings that aren't suppressed, worst first.
    fn open(&self) -> impl Iterator<Item = &'a Finding> {
        self.review.findings.iter().filter(|finding| finding.suppressed.is_none())
    }

    /// The verdict in one line: `2 errors, 1 warning; 3 findings suppressed by built-in entries`.
    fn headline(&self) -> String {
        let found = match tally(self.review) {
            none if none.is_empty() => "no findings".to_owned(),
            found => found,
        };
        [vec![found], suppressions(self.review)].concat().join("; ")
    }

    /// The text of a finding, and its processes if there are several.
    fn sentence(&self, finding: &Finding) -> String {
        match whereabouts(finding, self.review) {
            Some(processes) => format!("{}, in {processes}", finding.text),
            None => finding.text.clone(),
        }
    }
}

/// The title of a finding: its check, and the name of the stack if it is about goroutines.
fn title(finding: &Finding) -> String {
    match finding.name.as_str() {
        "" => finding.check.to_owned(),
        name => format!("{}: {name}", finding.check),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;

    #[test]
    fn of_very_many_points_only_the_first_and_last_counts_are_written() {
        let mut sample = sample::Sample::new();
        let counts = crate::leak::Counts::sum(2000, (0..2000).map(|at| (at, at as i64)));
        sample.review.findings[0].counts = counts;
        for format in [ReportFormat::Sarif, ReportFormat::Junit, ReportFormat::Markdown] {
            let mut text = Vec::new();
            sample.report().write(format, &mut text).unwrap();
            let text = String::from_utf8(text).unwrap();
            assert!(text.contains("0 → 1 → 2 → … → 1,997 → 1,998 → 1,999"), "{text}");
            assert!(!text.contains("→ 1000"), "{text}");
        }
    }

    #[test]
    fn every_format_has_a_row_and_is_found_by_its_name() {
        for (format, name, about) in REPORTS {
            assert_eq!(ReportFormat::from_name(name).unwrap(), format);
            assert_eq!(format.name(), name);
            assert!(ReportFormat::help().contains(about));
        }
        let error = ReportFormat::from_name("pdf").unwrap_err();
        assert_eq!(error.kind, ErrorKind::Usage);
        assert!(error.to_string().contains("sarif, junit, github"), "{error}");
    }

    #[test]
    fn the_headline_counts_what_is_open_and_what_is_covered() {
        let mut sample = sample::Sample::new();
        assert_eq!(
            sample.report().headline(),
            "1 error, 1 warning; 1 finding suppressed by allow-lists or the baseline"
        );
        sample.review.findings.clear();
        assert_eq!(sample.report().headline(), "no findings");
    }

    #[test]
    fn reports_are_the_same_each_time_and_are_written_without_findings_too() {
        let sample = sample::Sample::new();
        let mut nothing = sample::Sample::new();
        nothing.review.findings.clear();
        for (format, name, _) in REPORTS {
            for report in [sample.report(), nothing.report()] {
                let (mut first, mut second) = (Vec::new(), Vec::new());
                report.write(format, &mut first).unwrap();
                report.write(format, &mut second).unwrap();
                assert_eq!(first, second, "{name}");
            }
        }
    }
}
