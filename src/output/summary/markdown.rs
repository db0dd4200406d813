//! The verdict as a list and the rows as a table, for issues and chats.

use super::cells::{Cells, Field, column, fields, tail};
use super::text::{headline, left_out};
use super::{Shown, verdict};
use crate::output::markdown::{code, list, plain, row};
use crate::output::table::{Column, Holds};
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
    let fields = fields(summary);
    let headings: Vec<Column> = fields.iter().map(|&field| column(summary, field)).collect();
    writeln!(out)?;
    row(headings.iter().map(|column| plain(&column.heading)), out)?;
    let number = |column: &Column| column.holds == Holds::Number;
    row(headings.iter().map(|column| if number(column) { "---:" } else { "---" }.to_owned()), out)?;
    let table = Cells::new(profile, summary);
    for line in &summary.rows {
        let cells = fields.iter().map(|&field| {
            let text = table.cell(line, field, &Screen::PIPE);
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
