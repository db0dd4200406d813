//! The verdict as a list and the rows as a table, for issues and chats.

use super::cells::columns;
use super::text::{headline, left_out};
use super::{Shown, verdict};
use crate::output::markdown::{head, list, plain, row};
use crate::output::terminal::Screen;
use std::io::{self, Write};

/// Writes the verdict, then the rows.
pub(super) fn write(shown: &Shown<'_>, out: &mut dyn Write) -> io::Result<()> {
    let Shown { profile, summary, .. } = *shown;
    writeln!(out, "**{}**\n", plain(&headline(profile, summary)))?;
    list(&verdict::lines(shown), out)?;
    if summary.rows.is_empty() {
        return Ok(());
    }
    writeln!(out)?;
    let columns = columns(profile, summary, &Screen::PIPE);
    head(columns.iter().map(|shown| &shown.column), out)?;
    for line in &summary.rows {
        row(columns.iter().map(|column| column.markdown(line)), out)?;
    }
    if summary.left_out > 0 {
        writeln!(out, "\n{}", left_out(summary))?;
    }
    Ok(())
}
