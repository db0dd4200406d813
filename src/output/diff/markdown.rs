//! The verdict as a list and the rows as a table, for pull requests.

use super::cells::{Field, cell, fields, heading};
use super::shown;
use super::text::sums;
use super::verdict::{headline, lines};
use crate::output::markdown::{code, plain, row};
use crate::output::terminal::Screen;
use crate::view::diff::{Diff, Row};
use std::io::{self, Write};

/// Rows of a table that are shown at once; the others can be unfolded.
const ROWS_UNFOLDED: usize = 20;

/// Writes the verdict, then the rows and their sum.
pub(super) fn write(diff: &Diff, all: bool, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "**{}**\n", plain(&headline(diff)))?;
    for line in lines(diff) {
        match line.label {
            "" => writeln!(out, "  {}", plain(&line.text))?,
            label => writeln!(out, "- {label}: {}", plain(&line.text))?,
        }
    }
    let rows: Vec<&Row> = shown(diff, all).collect();
    if rows.is_empty() {
        return Ok(());
    }
    let fields = fields(diff, &rows);
    let (first, folded) = rows.split_at(rows.len().min(ROWS_UNFOLDED));
    let mut sums = sums(diff, &rows, &fields);
    if folded.is_empty() {
        return table(diff, first, std::mem::take(&mut sums), &fields, out);
    }
    table(diff, first, Vec::new(), &fields, out)?;
    // GitHub shows a table inside only after an empty line.
    writeln!(out, "\n<details><summary>{} more</summary>", folded.len())?;
    table(diff, folded, sums, &fields, out)?;
    writeln!(out, "\n</details>")
}

fn table(
    diff: &Diff,
    rows: &[&Row],
    sums: Vec<Vec<String>>,
    fields: &[Field],
    out: &mut dyn Write,
) -> io::Result<()> {
    let headings: Vec<_> = fields.iter().map(|&field| heading(diff, field)).collect();
    writeln!(out)?;
    row(headings.iter().map(|(heading, _)| plain(heading)), out)?;
    row(headings.iter().map(|(_, number)| if *number { "---:" } else { "---" }.to_owned()), out)?;
    for line in rows {
        let cells = fields.iter().map(|&field| {
            let text = cell(diff, line, field, &Screen::PIPE);
            match field {
                Field::Key(_) | Field::Category | Field::Name => code(&text),
                _ => plain(&text),
            }
        });
        row(cells, out)?;
    }
    for sum in sums {
        let strong = |text: &String| match text.is_empty() {
            true => String::new(),
            false => format!("**{}**", plain(text)),
        };
        row(sum.iter().map(strong), out)?;
    }
    Ok(())
}
