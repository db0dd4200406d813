//! A summary for `$GITHUB_STEP_SUMMARY` or a comment: the verdict, a line per finding, and folded stacks.

use super::place::{Spot, spot};
use super::{Report, title};
use crate::leak::{Finding, SourceLocation};
use crate::output::check::{series, series_of};
use crate::output::markdown::{code, html, plain, row};
use std::io::{self, Write};

/// GitHub accepts a summary of 1 MiB for each step, and drops a larger one. Some room is kept for the end.
const MOST_BYTES: usize = (1 << 20) - 4096;
/// Frames of a stack that are shown.
const FRAMES: usize = 50;

/// Writes the summary.
pub(super) fn write(report: &Report<'_>, out: &mut dyn Write) -> io::Result<()> {
    out.write_all(&summary(report, MOST_BYTES)?)
}

fn summary(report: &Report<'_>, most: usize) -> io::Result<Vec<u8>> {
    let mut text = Vec::new();
    let review = report.review;
    let verdict = match (review.verdict(), review.blind.is_empty()) {
        (true, _) => "✅ stackgazer check: pass",
        (false, true) => "❌ stackgazer check: fail",
        (false, false) => "❌ stackgazer check: could not be decided",
    };
    writeln!(text, "## {verdict}\n")?;
    let inputs = report.profile.inputs.len();
    let total = match review.totals.as_slice() {
        [] => String::new(),
        totals => format!("{} goroutines in ", series_of(totals.len(), |at| totals[at])),
    };
    let plural = if inputs == 1 { "input" } else { "inputs" };
    writeln!(text, "{total}{inputs} {plural}: {}.", plain(&report.headline()))?;
    let blind = review.blind.iter().map(|text| ("Can't be judged", text));
    let lines = blind.chain(review.unmatched.iter().map(|text| ("Note", text)));
    let mut gap = "\n";
    for (what, line) in lines.chain(review.unproven.iter().map(|text| ("Note", text))) {
        let line = format!("{gap}- {what}: {}\n", plain(line));
        gap = "";
        if text.len() + line.len() < most / 4 {
            text.extend_from_slice(line.as_bytes());
        }
    }
    let open: Vec<&Finding> = report.open().collect();
    if !open.is_empty() {
        // A line for each finding comes first: half of the room is for these, half for stacks.
        let listed = table(report, &open, most / 2, &mut text)?;
        stacks(report, &open[..listed], most, &mut text)?;
        if listed < open.len() {
            writeln!(text, "\n{} more findings don't fit.", open.len() - listed)?;
        }
    }
    Ok(text)
}

/// Writes a row for each finding until `most` is reached; returns how many.
fn table(
    report: &Report<'_>,
    open: &[&Finding],
    most: usize,
    text: &mut Vec<u8>,
) -> io::Result<usize> {
    writeln!(text)?;
    row(["Level", "Check", "Goroutines", "Where", "Finding"].map(str::to_owned), text)?;
    row(["---", "---", "---:", "---", "---"].map(str::to_owned), text)?;
    for (at, finding) in open.iter().enumerate() {
        let mut line = Vec::new();
        let cells = [
            finding.level.name().to_owned(),
            plain(finding.check),
            series(&finding.counts),
            linked(&spot(report, finding)),
            plain(&report.sentence(finding)),
        ];
        row(cells, &mut line)?;
        if text.len() + line.len() > most {
            return Ok(at);
        }
        text.extend_from_slice(&line);
    }
    Ok(open.len())
}

/// Writes the stacks of findings until `most` is reached.
fn stacks(
    report: &Report<'_>,
    listed: &[&Finding],
    most: usize,
    text: &mut Vec<u8>,
) -> io::Result<()> {
    for (at, finding) in listed.iter().enumerate() {
        let mut block = Vec::new();
        let frames = finding.frames(report.profile);
        if frames.len() == 0 {
            continue;
        }
        writeln!(block, "\n<details><summary>{}</summary>\n", html(&title(finding)))?;
        // Four spaces make code even of text that would end a fence.
        for frame in frames.clone().take(FRAMES) {
            writeln!(block, "    {}", frame_line(&frame))?;
        }
        if let more @ 1.. = frames.len().saturating_sub(FRAMES) {
            writeln!(block, "    ... {more} more frames")?;
        }
        if let Some(creator) = &finding.created_by {
            writeln!(block, "    created by {}", frame_line(creator))?;
        }
        writeln!(block, "\n</details>")?;
        if text.len() + block.len() > most {
            return writeln!(text, "\nStacks of {} more findings don't fit.", listed.len() - at);
        }
        text.extend_from_slice(&block);
    }
    Ok(())
}

/// A place, with a link to its source if it isn't in the repository.
fn linked(spot: &Spot) -> String {
    let place = spot.line.map_or_else(|| spot.path.clone(), |line| format!("{}:{line}", spot.path));
    match spot.origin.source.as_ref().filter(|_| !spot.in_workspace) {
        Some(source) => format!("[{}]({source})", code(&place)),
        None => code(&place),
    }
}

fn frame_line(place: &SourceLocation) -> String {
    format!("{} {}:{}", place.func, place.file, place.line).replace(['\n', '\r'], " ")
}

#[cfg(test)]
mod tests {
    use super::super::sample::Sample;
    use super::*;

    fn text(report: &Report<'_>) -> String {
        let mut bytes = Vec::new();
        write(report, &mut bytes).unwrap();
        String::from_utf8(bytes).unwrap()
    }

    #[test]
    fn the_verdict_comes_first_then_a_line_per_finding() {
        let sample = Sample::new();
        let text = text(&sample.report());
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0], "## ❌ stackgazer check: fail");
        assert_eq!(
            lines[2],
            "10 → 20 goroutines in 2 inputs: 1 error, 1 warning; \
             1 finding suppressed by allow-lists or the baseline."
        );
        let rows: Vec<&str> = text.lines().filter(|line| line.starts_with('|')).collect();
        assert_eq!(
            rows[2..],
            [
                "| error | growth | 3 → 9 | `queue/queue.go:9` | 9 goroutines, 3 at first |",
                "| warning | lock-pile-up | 3 → 9 | `store/store.go:40` | 9 goroutines wait for a \
                 lock: 50% of all, see \\<help\\> &amp; \\`docs\\` |",
            ]
        );
        assert!(text.contains("    created by main.main.func1 example.com/shop/main.go:31\n"));
    }

    #[test]
    fn the_verdict_tells_what_can_not_be_judged() {
        let mut sample = Sample::new();
        sample.review.findings.clear();
        assert!(text(&sample.report()).starts_with("## ✅ stackgazer check: pass\n"));
        sample.review.blind.push("a_b.txt: is empty".to_owned());
        let text = text(&sample.report());
        assert!(text.starts_with("## ❌ stackgazer check: could not be decided\n"));
        assert!(text.contains("- Can't be judged: a\\_b.txt: is empty\n"));
    }

    #[test]
    fn a_summary_never_is_larger_than_github_takes() {
        let mut sample = Sample::new();
        let finding = sample.review.findings[1].clone();
        sample.review.findings = vec![finding.clone(); 9000];
        let text = text(&sample.report());
        assert!(text.len() <= 1 << 20, "{}", text.len());
        assert!(text.contains(" more findings don't fit."));
        sample.review.findings = vec![finding; 20];
        let short = summary(&sample.report(), 6000).unwrap();
        let short = String::from_utf8(short).unwrap();
        assert!(short.len() < 6100);
        assert!(short.contains("Stacks of "), "{short}");
    }
}
