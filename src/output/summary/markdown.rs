//! The verdict as a list and the rows as a table, for issues and chats.

use super::cells::{Cells, Field, column, fields, tail};
use super::text::{headline, left_out};
use super::verdict;
use crate::output::markdown::{code, plain, row};
use crate::output::terminal::Screen;
use crate::profile::Profile;
use crate::verdict::Verdict;
use crate::view::summary::Summary;
use std::io::{self, Write};

/// Writes the verdict, then the rows.
pub(super) fn write(
    profile: &Profile,
    summary: &Summary,
    verdict: &Verdict,
    out: &mut dyn Write,
) -> io::Result<()> {
    writeln!(out, "**{}**\n", plain(&headline(profile, summary)))?;
    for line in verdict::lines(summary, verdict, profile.inputs.len()) {
        match line.label {
            "" => writeln!(out, "  {}", plain(&line.text))?,
            label => writeln!(out, "- {label}: {}", plain(&line.text))?,
        }
    }
    if summary.rows.is_empty() {
        return Ok(());
    }
    let fields = fields(summary);
    let headings: Vec<_> = fields.iter().map(|&field| column(summary, field)).collect();
    writeln!(out)?;
    row(headings.iter().map(|(heading, _)| plain(heading)), out)?;
    row(headings.iter().map(|(_, number)| if *number { "---:" } else { "---" }.to_owned()), out)?;
    let shown = Cells::new(profile, summary);
    for line in &summary.rows {
        let cells = fields.iter().map(|&field| {
            let text = shown.cell(line, field, &Screen::PIPE);
            match field {
                Field::Key(_) => code(&text),
                _ => plain(&(text + &tail(summary, line, field))),
            }
        });
        row(cells, out)?;
    }
    if summary.left_out > 0 {
        writeln!(out, "\n{}", left_out(summary))?;
    }
    Ok(())
}
