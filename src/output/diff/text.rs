//! The verdict and the table, for people.

use super::cells::{Field, as_column, cell, change, fields, heading, percent};
use super::shown;
use super::verdict::{headline, lines, noun};
use crate::output::numbers::counted;
use crate::output::table::{Table, cut};
use crate::output::terminal::{Paint, Screen};
use crate::view::diff::{Diff, Row};
use std::collections::BTreeMap;
use std::io::{self, Write};
use unicode_width::UnicodeWidthStr;

/// Blanks between two columns.
const GAP: usize = 2;
/// What the last column needs, so that stacks can be told from each other.
const LAST_COLUMN: usize = 40;

/// Writes the verdict, then the rows and their sum.
pub(super) fn write(
    diff: &Diff,
    all: bool,
    screen: &Screen,
    out: &mut dyn Write,
) -> io::Result<()> {
    writeln!(out, "{}", screen.paint(Paint::Strong, screen.text(&headline(diff))))?;
    let lines = lines(diff);
    if !lines.is_empty() {
        writeln!(out)?;
    }
    for line in lines {
        let text = screen.text(&line.text);
        // Eleven columns stand in front of the text.
        let text = match screen.width {
            Some(width) => cut(&text, width.saturating_sub(11).max(40)),
            None => text.into_owned(),
        };
        let label = format!("{:<9}", line.label);
        writeln!(out, "  {}{}", screen.paint(Paint::Faint, label), screen.paint(line.paint, text))?;
    }
    let rows: Vec<&Row> = shown(diff, all).collect();
    if rows.is_empty() {
        return Ok(());
    }
    writeln!(out)?;
    let fields = that_fit(diff, &rows, fields(diff, &rows), screen);
    let headings: Vec<_> = fields.iter().map(|&field| heading(diff, field)).collect();
    let mut table = Table::new(headings.iter().map(as_column).collect());
    for row in &rows {
        table.row(fields.iter().map(|&field| cell(diff, row, field, screen)).collect());
    }
    for row in sums(diff, &rows, &fields) {
        table.row(row);
    }
    table.write(screen, out)
}

/// The columns that leave room for the last one, which tells what a row is about; the others are
/// left out by how little they are missed.
fn that_fit(diff: &Diff, rows: &[&Row], mut fields: Vec<Field>, screen: &Screen) -> Vec<Field> {
    let Some(width) = screen.width else { return fields };
    let widths: BTreeMap<Field, usize> = fields
        .iter()
        .map(|&field| {
            let cells = rows.iter().map(|row| cell(diff, row, field, screen).width());
            let heading = heading(diff, field).0.width();
            (field, cells.max().unwrap_or(0).max(heading) + GAP)
        })
        .collect();
    for dispensable in [Field::States, Field::Wait, Field::Persist, Field::Slope, Field::Percent] {
        let (_, others) = fields.split_last().unwrap_or((&dispensable, &[]));
        if others.iter().map(|field| widths[field]).sum::<usize>() + LAST_COLUMN <= width {
            break;
        }
        fields.retain(|&field| field != dispensable);
    }
    fields
}

/// A last row: the sum of rows that aren't shown, or of all.
struct Sum {
    word: &'static str,
    what: String,
    counts: Vec<i128>,
    change: f64,
    percent: Option<String>,
}

/// The last rows: what isn't shown, and the total of all.
pub(super) fn sums(diff: &Diff, rows: &[&Row], fields: &[Field]) -> Vec<Vec<String>> {
    let all = diff.rows.len() + diff.left_out;
    let rest = all - rows.len();
    let others = format!("{} not shown", counted(rest as i128, noun(diff)));
    // A goroutine counts in the rows of all its frames, so that nothing adds up.
    if diff.of_frames() {
        let cells = |at: usize| if at + 1 == fields.len() { others.clone() } else { String::new() };
        return if rest == 0 { Vec::new() } else { vec![(0..fields.len()).map(cells).collect()] };
    }
    let totals: Vec<i128> = diff.points.iter().map(|point| point.total).collect();
    let mut sums = Vec::new();
    if rest > 0 {
        let shown = |at: usize| rows.iter().map(|row| row.counts[at]).sum::<i128>();
        let change = diff.change - rows.iter().map(|row| row.change).sum::<f64>();
        sums.push(Sum {
            word: "others",
            what: others,
            counts: totals.iter().enumerate().map(|(at, total)| total - shown(at)).collect(),
            // Sums of fractions leave crumbs.
            change: if change.abs() < 1e-3 { 0.0 } else { change },
            percent: None,
        });
    }
    sums.push(Sum {
        word: "total",
        what: counted(all as i128, noun(diff)),
        counts: totals,
        change: diff.change,
        percent: percent(diff.percent()),
    });
    sums.iter().map(|sum| sum.cells(diff, fields)).collect()
}

impl Sum {
    fn cells(&self, diff: &Diff, fields: &[Field]) -> Vec<String> {
        let cell = |(at, field): (usize, &Field)| match field {
            Field::Status => self.word.to_owned(),
            Field::Change => change(diff, self.change),
            Field::Percent => self.percent.clone().unwrap_or_default(),
            Field::Count(point) => diff.quantity.text(self.counts[*point]),
            _ if at + 1 == fields.len() => self.what.clone(),
            _ => String::new(),
        };
        fields.iter().enumerate().map(cell).collect()
    }
}
