//! GitLab code quality: a list of locations, each with a fingerprint and a severity.

use super::Report;
use super::fingerprint::fingerprints;
use super::place::spot;
use crate::leak::Level;
use serde::Serializer;
use serde_json::json;
use std::io::{self, Write};

/// Writes the findings that aren't suppressed.
pub(super) fn write(report: &Report<'_>, out: &mut dyn Write) -> io::Result<()> {
    // Each is made when it is written: a log may hold a hundred thousand crashes, and they took 3 KB each.
    let rows = report
        .review
        .findings
        .iter()
        .zip(fingerprints(&report.review.findings))
        .filter(|(finding, _)| finding.suppressed.is_none())
        .map(|(finding, fingerprint)| {
            let spot = spot(report, finding);
            json!({
                "description": report.sentence(finding),
                "check_name": finding.check,
                "fingerprint": fingerprint,
                "severity": severity(finding.level),
                "location": {
                    "path": spot.path.trim_start_matches('/'),
                    "lines": {"begin": spot.line.unwrap_or(1)},
                },
            })
        });
    serde_json::Serializer::pretty(&mut *out).collect_seq(rows)?;
    out.write_all(b"\n")
}

/// A severity of GitLab, which has info, minor, major, critical and blocker.
fn severity(level: Level) -> &'static str {
    match level {
        Level::Error => "critical",
        Level::Warning => "major",
        Level::Note => "info",
    }
}

#[cfg(test)]
mod tests {
    use super::super::sample::Sample;
    use super::*;
    use serde_json::{Value, json};

    #[test]
    fn open_findings_are_listed_with_place_and_fingerprint() {
        let sample = Sample::new();
        let mut bytes = Vec::new();
        write(&sample.report(), &mut bytes).unwrap();
        let list: Vec<Value> = serde_json::from_slice(&bytes).unwrap();
        assert_eq!(list.len(), 2);
        assert_eq!(list[0]["severity"], "critical");
        assert_eq!(list[0]["check_name"], "growth");
        assert_eq!(list[0]["location"], json!({"path": "queue/queue.go", "lines": {"begin": 9}}));
        assert_eq!(list[1]["severity"], "major");
        assert_ne!(list[0]["fingerprint"], list[1]["fingerprint"]);
    }

    #[test]
    fn without_findings_the_list_is_empty() {
        let mut sample = Sample::new();
        sample.review.findings.clear();
        let mut bytes = Vec::new();
        write(&sample.report(), &mut bytes).unwrap();
        assert_eq!(bytes, b"[]\n");
    }
}
