//! The verdict and the table, for people.

use super::cells::columns;
use super::{Shown, profile_text};
use crate::output::columns::table;
use crate::output::line;
use crate::output::numbers::{counted, thousands};
use crate::output::terminal::{Paint, Screen};
use crate::profile::Profile;
use crate::view::table::summary::Summary;
use std::io::{self, Write};

/// Writes the verdict, then the rows; nothing if no input could be read, of which the errors tell.
pub(super) fn write(shown: &Shown<'_>, screen: &Screen, out: &mut dyn Write) -> io::Result<()> {
    let Shown { profile, summary, verdict, .. } = *shown;
    if profile.inputs.is_empty() && !verdict.complete() {
        return Ok(());
    }
    writeln!(out, "{}\n", screen.paint(Paint::Strong, screen.text(&headline(profile, summary))))?;
    line::write(&super::verdict::lines(shown), screen, out)?;
    if summary.rows.is_empty() {
        return Ok(());
    }
    writeln!(out)?;
    table(&columns(profile, summary, screen), &summary.rows).write(screen, out)?;
    if summary.left_out > 0 {
        writeln!(out, "{}", screen.paint(Paint::Faint, left_out(summary)))?;
    }
    Ok(())
}

/// The headline: how many goroutines, or which values.
pub(super) fn headline(profile: &Profile, summary: &Summary) -> String {
    let inputs = match profile.inputs.as_slice() {
        [only] => format!("{}: ", only.name),
        inputs => format!("{}, ", counted(inputs.len() as i128, "input")),
    };
    if let Some(of) = &summary.profile_verdict {
        return format!("{inputs}{}", profile_text::headline(of, summary));
    }
    let goroutines = match &summary.selected {
        Some(selected) => {
            let of = counted(selected.of, "goroutine");
            format!("{} of {of} selected,", thousands(summary.total))
        }
        None => counted(summary.total, "goroutine"),
    };
    format!(
        "{inputs}{goroutines} in {}, {}",
        counted(summary.stacks as i128, "stack"),
        counted(summary.categories as i128, "category"),
    )
}

/// How many rows `--limit` left out.
pub(super) fn left_out(summary: &Summary) -> String {
    format!("... and {}", counted(summary.left_out as i128, "more row"))
}
