//! The verdict, then the findings, for people.

use super::{Shown, suppressions, tally, whereabouts};
use crate::leak::{Counts, Finding, Level, SourceLocation};
use crate::output::fit;
use crate::output::numbers::{counted, thousands};
use crate::output::table::wrap;
use crate::output::terminal::{Paint, Screen};
use std::io::{self, Write};
use std::ops::Range;
use unicode_width::UnicodeWidthStr;

/// Findings that don't fail the check are shown up to this number, unless `--limit` is given.
const SHOWN: usize = 10;
/// With more points than this, only the first and the last counts are written.
const POINTS: usize = 8;

pub(super) fn write(shown: &Shown<'_>, screen: &Screen, out: &mut dyn Write) -> io::Result<()> {
    let review = shown.review;
    writeln!(out, "{}", verdict(shown, screen))?;
    for why in &review.blind {
        writeln!(out, "  {} {}", screen.paint(Paint::Alarm, "can't be judged:"), screen.text(why))?;
    }
    let open: Vec<&Finding> =
        review.findings.iter().filter(|finding| finding.suppressed.is_none()).collect();
    let must = open.iter().filter(|finding| review.counts(finding)).count();
    let most = shown.limit.unwrap_or(must + SHOWN);
    for finding in open.iter().take(most) {
        writeln!(out)?;
        write_finding(finding, shown, screen, out)?;
    }
    writeln!(out)?;
    if let more @ 1.. = open.len().saturating_sub(most) {
        writeln!(out, "{more} more; -n {} or -o json shows them", open.len())?;
    }
    suppressed(shown, screen, out)?;
    for note in &review.unproven {
        let lines = screen.width.map_or(vec![note.clone()], |width| wrap(note, width.max(40)));
        for line in lines {
            writeln!(out, "{}", screen.paint(Paint::Faint, line))?;
        }
    }
    Ok(())
}

/// Writes how many findings were suppressed, and which if they are wanted.
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

fn verdict(shown: &Shown<'_>, screen: &Screen) -> String {
    let review = shown.review;
    let (word, paint) = match review.verdict() {
        true => ("pass", Paint::Strong),
        false => ("fail", Paint::Alarm),
    };
    if shown.profile.inputs.is_empty() {
        return format!("{}: nothing was read", screen.paint(paint, word));
    }
    let found = match tally(review) {
        none if none.is_empty() => "nothing found".to_owned(),
        found => found,
    };
    let last = counted(review.totals.last().copied().unwrap_or(0).into(), "goroutine");
    let mut text = format!("{}: {found} in {last}", screen.paint(paint, word));
    if review.points.len() > 1 {
        text += &format!(" at the last of {} points", review.points.len());
    }
    text
}

fn write_finding(
    finding: &Finding,
    shown: &Shown<'_>,
    screen: &Screen,
    out: &mut dyn Write,
) -> io::Result<()> {
    let paint = match finding.level {
        Level::Error => Paint::Alarm,
        Level::Warning => Paint::Notice,
        Level::Note => Paint::Faint,
    };
    let lead = finding.level.name().width() + finding.check.width() + 4;
    let mut lines = sentence(&screen.text(&finding.text), lead, screen).into_iter();
    writeln!(
        out,
        "{}  {}  {}",
        screen.paint(paint, finding.level.name()),
        screen.paint(Paint::Strong, finding.check),
        lines.next().unwrap_or_default(),
    )?;
    for line in lines {
        writeln!(out, "  {line}")?;
    }
    if let Some(place) = &finding.function {
        writeln!(out, "  at {}", located(place, 5, shown, screen))?;
    }
    if let Some(place) = &finding.created_by {
        writeln!(out, "  created by {}", located(place, 13, shown, screen))?;
    }
    if let Some(processes) = whereabouts(finding, shown.review) {
        writeln!(out, "  in {}", screen.text(&processes))?;
    }
    if finding.counts.points() > 1 {
        writeln!(out, "  {}", series(&finding.counts))?;
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
            let text = format!("{}: {}", name.replace('_', " "), screen.text(&text));
            for line in sentence(&text, 2, screen) {
                writeln!(out, "  {line}")?;
            }
        }
    }
    Ok(())
}

/// Wraps a text after `lead` columns; all lines but the first are indented by two.
fn sentence(text: &str, lead: usize, screen: &Screen) -> Vec<String> {
    let Some(width) = screen.width else { return vec![text.to_owned()] };
    let text = fit::sentence(text, width.saturating_sub(lead));
    // Wraps with a filler for the text before it, which is then removed.
    let first = "x".repeat(lead.saturating_sub(1));
    let mut lines = wrap(&format!("{first} {text}"), width.saturating_sub(2).max(40));
    if let Some(line) = lines.first_mut() {
        *line = line.get(lead..).unwrap_or_default().to_owned();
    }
    lines
}

/// A function and its place, after `before` columns.
fn located(place: &SourceLocation, before: usize, shown: &Shown<'_>, screen: &Screen) -> String {
    let (func, at) = (screen.text(&place.func), format!("{}:{}", place.file, place.line));
    let at = screen.text(&at);
    let (func, at) = match screen.width {
        None => (func, at),
        Some(width) => {
            let room = width.saturating_sub(before + 2);
            let func = fit::function(&func, room.saturating_sub(fit::least_path(&at))).into_owned();
            let at = fit::path(&at, room.saturating_sub(func.width())).into_owned();
            (func.into(), at.into())
        }
    };
    let modules = &shown.profile.modules;
    let paint = match shown.own.is_own(modules, place.func.as_bytes(), place.file.as_bytes()) {
        true => Paint::Strong,
        false => Paint::Plain,
    };
    format!("{}  {}", screen.paint(paint, func), screen.paint(Paint::Faint, at))
}

/// The counts at the points: `3 → 9 → 12`, or `9` with a single point.
pub(in crate::output) fn series(counts: &Counts) -> String {
    series_of(counts.points(), |at| counts.at(at))
}

/// Like [`series`], of counts that are kept otherwise.
pub(in crate::output) fn series_of(points: usize, count: impl Fn(usize) -> i64) -> String {
    let text = |points: Range<usize>| {
        let counts: Vec<String> = points.map(|at| thousands(count(at).into())).collect();
        counts.join(" → ")
    };
    match points {
        all @ 0..=POINTS => text(0..all),
        all => format!("{} → … → {}", text(0..3), text(all - 3..all)),
    }
}
