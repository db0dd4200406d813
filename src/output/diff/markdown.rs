//! The headline and its lines as a list and the rows as a table, for pull requests.

use super::cells::columns;
use super::headline::{headline, lines};
use super::shown;
use super::text::sums;
use crate::output::columns::RowColumn;
use crate::output::markdown::{head, html, list, plain, row};
use crate::profile::Profile;
use crate::rules::Names;
use crate::view::diff::{Diff, Row, Status};
use crate::view::table::key::Key;
use std::io::{self, Write};

/// Rows of a table that are shown at once; the others are folded.
const ROWS_UNFOLDED: usize = 20;
/// Rows whose frames are shown: those that are new or have grown, the largest change first.
const STACKS_SHOWN: usize = 5;

/// Writes the headline and its lines, then the rows and their sums.
pub(super) fn write(
    profile: &Profile,
    names: &Names,
    diff: &Diff,
    all: bool,
    out: &mut dyn Write,
) -> io::Result<()> {
    writeln!(out, "**{}**\n", plain(&headline(diff)))?;
    list(&lines(diff), out)?;
    let rows: Vec<&Row> = shown(diff, all).collect();
    if rows.is_empty() {
        return Ok(());
    }
    let (columns, of): (Vec<_>, Vec<_>) = columns(diff, &rows).into_iter().unzip();
    let (first, folded) = rows.split_at(rows.len().min(ROWS_UNFOLDED));
    let sums = sums(diff, &rows, &of);
    if folded.is_empty() {
        table(first, sums, &columns, out)?;
    } else {
        table(first, Vec::new(), &columns, out)?;
        // GitHub only renders the table inside after an empty line.
        writeln!(out, "\n<details><summary>{} more</summary>", folded.len())?;
        table(folded, sums, &columns, out)?;
        writeln!(out, "\n</details>")?;
    }
    if diff.by.iter().any(|key| matches!(key, Key::Shape | Key::Stack | Key::Id)) {
        let more = |row: &&&Row| matches!(row.status, Status::New | Status::Grown) && !row.below;
        for row in rows.iter().filter(more).take(STACKS_SHOWN) {
            stack(profile, names, row, out)?;
        }
    }
    Ok(())
}

/// The frames of a row's stack, folded: readers of a pull request have no dump at hand.
fn stack(profile: &Profile, names: &Names, row: &Row, out: &mut dyn Write) -> io::Result<()> {
    let html = |text: &[u8]| html(&String::from_utf8_lossy(text));
    let (status, name) = (row.status.name(), html(row.name.as_bytes()));
    writeln!(out, "\n<details><summary>{status}: {name}</summary>\n\n<pre>")?;
    for &frame in profile.stack(row.example) {
        let line = profile.frame(frame).line;
        writeln!(out, "{}  {}:{line}", html(names.func(frame)), html(names.file(frame)))?;
    }
    writeln!(out, "</pre>\n</details>")
}

fn table(
    rows: &[&Row],
    sums: Vec<Vec<String>>,
    columns: &[RowColumn<'_, Row>],
    out: &mut dyn Write,
) -> io::Result<()> {
    writeln!(out)?;
    head(columns.iter().map(|shown| &shown.column), out)?;
    for line in rows {
        row(columns.iter().map(|column| column.markdown(line)), out)?;
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
