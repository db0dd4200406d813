//! The verdict first, then the findings, for people.

use super::{Shown, suppressions, whereabouts};
use crate::leak::{Finding, Level, Place, Review};
use crate::output::numbers::{counted, thousands};
use crate::output::terminal::{Paint, Screen};
use std::io::{self, Write};

/// Findings that don't count are shown up to this number, unless `--limit` says another.
const SHOWN: usize = 10;
/// Points whose counts are written out; of more, the first and the last ones.
const POINTS: usize = 8;

pub(super) fn write(shown: &Shown<'_>, screen: &Screen, out: &mut dyn Write) -> io::Result<()> {
    let review = shown.review;
    writeln!(out, "{}", verdict(review, screen))?;
    for why in &review.blind {
        writeln!(out, "  {} {}", screen.paint(Paint::Alarm, "can't be judged:"), screen.text(why))?;
    }
    let open: Vec<&Finding> =
        review.findings.iter().filter(|finding| finding.suppressed.is_none()).collect();
    let must = open.iter().filter(|finding| review.counts(finding)).count();
    let most = shown.limit.unwrap_or(must + SHOWN);
    for finding in open.iter().take(most) {
        writeln!(out)?;
        one(finding, review, screen, out)?;
    }
    writeln!(out)?;
    if let more @ 1.. = open.len().saturating_sub(most) {
        writeln!(out, "{more} more; -n {} or -o json shows them", open.len())?;
    }
    suppressed(shown, screen, out)?;
    for note in &review.unproven {
        writeln!(out, "{}", screen.paint(Paint::Faint, note.as_str()))?;
    }
    Ok(())
}

/// How many findings were suppressed; each of them where that was asked for.
fn suppressed(shown: &Shown<'_>, screen: &Screen, out: &mut dyn Write) -> io::Result<()> {
    let texts = suppressions(shown.review);
    if texts.is_empty() {
        return Ok(());
    }
    if !shown.suppressed {
        return writeln!(out, "{}; --explain-suppressed lists them", texts.join(", "));
    }
    writeln!(out, "{}:", texts.join(", "))?;
    for finding in shown.review.explained.iter().chain(&shown.review.findings) {
        let Some(by) = &finding.suppressed else { continue };
        let level = screen.paint(Paint::Faint, finding.level.name());
        writeln!(out, "  {level}  {}  {}", finding.check, screen.text(&finding.text))?;
        let reason = match by.reason.as_str() {
            "" => String::new(),
            reason => format!(": {}", screen.text(reason)),
        };
        writeln!(out, "    by {}{reason}", screen.text(&by.source))?;
    }
    writeln!(out)
}

fn verdict(review: &Review, screen: &Screen) -> String {
    let (word, paint) = match review.verdict() {
        true => ("pass", Paint::Strong),
        false => ("fail", Paint::Alarm),
    };
    let mut found: Vec<String> = Vec::new();
    for (level, noun) in
        [(Level::Error, "error"), (Level::Warning, "warning"), (Level::Note, "note")]
    {
        match review.of_level(level) {
            0 => {}
            1 => found.push(format!("1 {noun}")),
            count => found.push(format!("{count} {noun}s")),
        }
    }
    let found = if found.is_empty() { "nothing found".to_owned() } else { found.join(", ") };
    let last = counted(review.totals.last().copied().unwrap_or(0).into(), "goroutine");
    let mut text = format!("{}: {found} in {last}", screen.paint(paint, word));
    if review.points.len() > 1 {
        text += &format!(" at the last of {} points", review.points.len());
    }
    text
}

fn one(finding: &Finding, review: &Review, screen: &Screen, out: &mut dyn Write) -> io::Result<()> {
    let paint = match finding.level {
        Level::Error => Paint::Alarm,
        Level::Warning => Paint::Notice,
        Level::Note => Paint::Faint,
    };
    writeln!(
        out,
        "{}  {}  {}",
        screen.paint(paint, finding.level.name()),
        screen.paint(Paint::Strong, finding.check),
        screen.text(&finding.text),
    )?;
    if let Some(place) = &finding.function {
        writeln!(out, "  at {}", located(place, screen))?;
    }
    if let Some(place) = &finding.created_by {
        writeln!(out, "  created by {}", located(place, screen))?;
    }
    if let Some(processes) = whereabouts(finding, review) {
        writeln!(out, "  in {}", screen.text(&processes))?;
    }
    if let counts @ [_, _, ..] = finding.counts.as_slice() {
        writeln!(out, "  {}", series(counts))?;
    }
    let shown = |name: &str| {
        ["holders", "allowed", "allowed_by"].contains(&name) || name.starts_with("stack of ")
    };
    for (name, fact) in &finding.facts {
        if shown(name) {
            let text = match fact {
                crate::leak::Fact::Number(number) => number.to_string(),
                crate::leak::Fact::Real(real) => real.to_string(),
                crate::leak::Fact::Text(text) => text.clone(),
            };
            writeln!(out, "  {}: {}", name.replace('_', " "), screen.text(&text))?;
        }
    }
    Ok(())
}

fn located(place: &Place, screen: &Screen) -> String {
    let at = format!("{}:{}", place.file, place.line);
    format!("{}  {}", screen.text(&place.func), screen.paint(Paint::Faint, screen.text(&at)))
}

/// `3 → 9 → 12`
fn series(counts: &[i64]) -> String {
    let text = |counts: &[i64]| {
        let counts: Vec<String> = counts.iter().map(|count| thousands((*count).into())).collect();
        counts.join(" → ")
    };
    match counts.len() {
        0..=POINTS => text(counts),
        long => format!("{} → … → {}", text(&counts[..3]), text(&counts[long - 3..])),
    }
}
