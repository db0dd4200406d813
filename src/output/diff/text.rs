//! The verdict and the table, for people.

use super::cells::{ShownColumn, columns, percent};
use super::shown;
use super::verdict::{headline, lines, noun};
use crate::output::line;
use crate::output::numbers::counted;
use crate::output::table::Table;
use crate::output::terminal::{Paint, Screen};
use crate::view::diff::{Diff, Row};
use std::io::{self, Write};

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
    line::write(&lines, screen, out)?;
    let rows: Vec<&Row> = shown(diff, all).collect();
    if rows.is_empty() {
        return Ok(());
    }
    writeln!(out)?;
    let columns = columns(diff, &rows);
    let mut table = Table::new(columns.iter().map(|shown| shown.column.clone()).collect());
    for row in &rows {
        table.row(columns.iter().map(|shown| shown.cell(row, screen)).collect());
    }
    for row in sums(diff, &rows, &columns) {
        table.row(row);
    }
    table.write(screen, out)
}

/// A last row: the sum of rows that aren't shown, or of all.
pub(super) struct Sum {
    pub(super) word: &'static str,
    what: String,
    pub(super) counts: Vec<i128>,
    pub(super) change: f64,
    pub(super) percent: Option<String>,
}

/// The last rows: what isn't shown, and the total of all.
pub(super) fn sums(diff: &Diff, rows: &[&Row], columns: &[ShownColumn<'_>]) -> Vec<Vec<String>> {
    let all = diff.rows.len() + diff.left_out;
    let rest = all - rows.len();
    let others = format!("{} not shown", counted(rest as i128, noun(diff)));
    // A goroutine counts in the rows of all its frames, so that nothing adds up.
    if diff.of_frames() {
        let mut cells = vec![String::new(); columns.len().saturating_sub(1)];
        cells.push(others);
        return if rest == 0 { Vec::new() } else { vec![cells] };
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
    let cell = |sum: &Sum, at: usize| match &columns[at].sum {
        Some(cell) => cell(sum),
        None if at + 1 == columns.len() => sum.what.clone(),
        None => String::new(),
    };
    sums.iter().map(|sum| (0..columns.len()).map(|at| cell(sum, at)).collect()).collect()
}
