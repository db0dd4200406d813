//! Reports: what a check found, in the formats of those who act on it.
//!
//! Every report is a function from a [`Report`] to bytes: no clock, no environment, no order but
//! that of the findings.

mod fingerprint;
mod github;
mod gitlab;
mod json;
mod junit;
mod markdown;
mod place;
#[cfg(test)]
mod sample;
mod sarif;
mod workspace;

pub use workspace::Workspace;

use crate::error::{Error, ErrorKind, Result};
use crate::leak::{Finding, Level};
use crate::profile::Profile;
use std::io::{self, Write};

/// What a report is written for.
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
    /// A step summary, a comment.
    Markdown,
    /// Programs.
    Json,
}

/// Every report with its name and what help texts say of it.
pub const REPORTS: [(ReportFormat, &str, &str); 6] = [
    (ReportFormat::Sarif, "sarif", "SARIF 2.1.0, for code scanning"),
    (ReportFormat::Junit, "junit", "JUnit XML, one test case per check"),
    (ReportFormat::Github, "github", "annotations of a GitHub workflow"),
    (ReportFormat::Gitlab, "gitlab", "a GitLab code quality report"),
    (ReportFormat::Markdown, "markdown", "a summary, for $GITHUB_STEP_SUMMARY or a comment"),
    (ReportFormat::Json, "json", "the document that -o json writes"),
];

impl ReportFormat {
    /// The name on the command line.
    pub fn name(self) -> &'static str {
        REPORTS.iter().find(|row| row.0 == self).map_or("", |row| row.1)
    }

    /// The format of this name.
    pub fn from_name(name: &str) -> Result<ReportFormat> {
        REPORTS.iter().find(|row| row.1 == name).map(|row| row.0).ok_or_else(|| {
            let names: Vec<&str> = REPORTS.iter().map(|row| row.1).collect();
            Error::new(ErrorKind::Usage, "--report", format!("unknown format {name:?}"))
                .advise(format!("use one of {}", names.join(", ")))
        })
    }

    /// What the help of `--report` says of the formats.
    pub fn help() -> String {
        let mut text = String::from("Formats of --report:");
        for (_, name, about) in REPORTS {
            text.push_str(&format!("\n  {name:<9} {about}"));
        }
        text
    }
}

/// What reports say of a check, whether it found something or not.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CheckAbout<'a> {
    /// The name, as in [`Finding::check`].
    pub name: &'a str,
    /// What it looks for, on one line.
    pub summary: &'a str,
    /// What it looks for, why that matters, what may be done: a paragraph or more.
    pub explanation: &'a str,
    /// The level that its findings usually have.
    pub level: Level,
    /// Why it could not be run on these inputs, if it couldn't.
    pub not_run: Option<String>,
}

/// Whether what was checked may pass.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Verdict {
    /// Nothing that counts was found.
    Pass,
    /// Something that counts was found, or it can't be told, because an input was not read whole.
    Fail,
}

impl Verdict {
    /// The name in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Verdict::Pass => "pass",
            Verdict::Fail => "fail",
        }
    }
}

/// Everything that a report is made from.
#[derive(Clone, Copy, Debug)]
pub struct Report<'a> {
    /// What was read.
    pub profile: &'a Profile,
    /// Every check there is, those that found nothing included.
    pub checks: &'a [CheckAbout<'a>],
    /// What they found, worst first.
    pub findings: &'a [Finding],
    /// May it pass?
    pub verdict: Verdict,
    /// Findings of this level and above don't pass.
    pub fail_on: Level,
    /// The names of the points in time.
    pub points: &'a [String],
    /// Goroutines at each point.
    pub totals: &'a [i64],
    /// What could not be read whole, and what else keeps the gate from being one: with any of
    /// these the verdict is [`Verdict::Fail`], and the run ends with exit code 2.
    pub problems: &'a [String],
    /// What else is worth saying: entries of an allow-list that expired or were not used.
    pub notes: &'a [String],
    /// The file of the baseline that findings were compared with.
    pub baseline: Option<&'a str>,
    /// Where the sources are, as the reader of the report knows them.
    pub workspace: &'a Workspace,
}

impl<'a> Report<'a> {
    /// Writes the report.
    pub fn write(&self, format: ReportFormat, out: &mut dyn Write) -> io::Result<()> {
        match format {
            ReportFormat::Sarif => sarif::write(self, out),
            ReportFormat::Junit => junit::write(self, out),
            ReportFormat::Github => github::write(self, out),
            ReportFormat::Gitlab => gitlab::write(self, out),
            ReportFormat::Markdown => markdown::write(self, out),
            ReportFormat::Json => json::write(self, out),
        }
    }

    /// Findings that nothing covers, worst first.
    fn open(&self) -> impl Iterator<Item = &'a Finding> {
        self.findings.iter().filter(|finding| finding.suppressed.is_none())
    }

    /// Whether a finding keeps the verdict from being a pass.
    fn counts(&self, finding: &Finding) -> bool {
        finding.suppressed.is_none() && finding.level >= self.fail_on
    }

    /// Open findings of a level.
    fn of_level(&self, level: Level) -> usize {
        self.open().filter(|finding| finding.level == level).count()
    }

    /// The verdict in one line: `2 errors, 1 warning; 3 findings are covered`.
    fn headline(&self) -> String {
        let mut parts = Vec::new();
        for (level, one, many) in [
            (Level::Error, "error", "errors"),
            (Level::Warning, "warning", "warnings"),
            (Level::Note, "note", "notes"),
        ] {
            match self.of_level(level) {
                0 => {}
                1 => parts.push(format!("1 {one}")),
                count => parts.push(format!("{count} {many}")),
            }
        }
        let mut text = match parts.is_empty() {
            true => "no findings".to_owned(),
            false => parts.join(", "),
        };
        match self.findings.len().saturating_sub(self.open().count()) {
            0 => {}
            1 => text.push_str("; 1 finding is covered by an allow-list or baseline"),
            more => text
                .push_str(&format!("; {more} findings are covered by an allow-list or baseline")),
        }
        text
    }
}

/// What a finding is called: its check, and what the goroutines do, where it is about goroutines.
fn title(finding: &Finding) -> String {
    match finding.name.as_str() {
        "" => finding.check.to_owned(),
        name => format!("{}: {name}", finding.check),
    }
}

/// How a count went from point to point: `3 → 9`, or `9` where there is one point.
fn counts(counts: &[i64]) -> String {
    let texts: Vec<String> = counts.iter().map(i64::to_string).collect();
    texts.join(" → ")
}

#[cfg(test)]
mod tests {
    use super::*;

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
        let sample = sample::Sample::new();
        assert_eq!(
            sample.report().headline(),
            "1 error, 1 warning; 1 finding is covered by an allow-list or baseline"
        );
        let nothing = Report { findings: &[], ..sample.report() };
        assert_eq!(nothing.headline(), "no findings");
    }

    #[test]
    fn reports_are_the_same_each_time_and_are_written_without_findings_too() {
        let sample = sample::Sample::new();
        for (format, name, _) in REPORTS {
            for report in [sample.report(), Report { findings: &[], ..sample.report() }] {
                let (mut first, mut second) = (Vec::new(), Vec::new());
                report.write(format, &mut first).unwrap();
                report.write(format, &mut second).unwrap();
                assert_eq!(first, second, "{name}");
            }
        }
    }
}
