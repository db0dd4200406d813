//! The headline and the table, for people.

use super::cells::{SumOf, change, columns, percent};
use super::headline::{headline, lines, noun};
use super::shown;
use crate::output::columns::table;
use crate::output::line;
use crate::output::numbers::counted;
use crate::output::terminal::{Paint, Screen};
use crate::view::diff::{Diff, Row};
use std::io::{self, Write};

/// Writes the headline and its lines, then the rows and their sums.
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
    let (columns, of): (Vec<_>, Vec<_>) = columns(diff, &rows).into_iter().unzip();
    let mut table = table(&columns, &rows);
    for row in sums(diff, &rows, &of) {
        table.row(row);
    }
    table.write(screen, out)
}

/// The last rows: the rows that aren't shown, and the total of all.
pub(super) fn sums(diff: &Diff, rows: &[&Row], of: &[SumOf]) -> Vec<Vec<String>> {
    let all = diff.rows.len() + diff.left_out;
    let rest = all - rows.len();
    let others = format!("{} not shown", counted(rest as i128, noun(diff)));
    // The description is in the last column, below names.
    let row = |cell: &dyn Fn(SumOf) -> String, what: String| {
        let cells = of.iter().take(of.len().saturating_sub(1)).map(|of| cell(*of));
        cells.chain([what]).collect()
    };
    // A goroutine counts in the rows of all its frames, so nothing adds up.
    if diff.of_frames() {
        return (rest > 0).then(|| row(&|_| String::new(), others)).into_iter().collect();
    }
    let totals: Vec<i128> = diff.points.iter().map(|point| point.total).collect();
    let mut sums = Vec::new();
    if rest > 0 {
        let shown = |at: usize| rows.iter().map(|row| row.count(at)).sum::<i128>();
        let left = diff.change - rows.iter().map(|row| row.change).sum::<f64>();
        // Sums of fractions have rounding errors.
        let left = if left.abs() < 1e-3 { 0.0 } else { left };
        let cell = |of| match of {
            SumOf::Word => "others".to_owned(),
            SumOf::Change => change(diff, left),
            SumOf::Count(at) => diff.quantity.text(totals[at] - shown(at)),
            SumOf::Percent | SumOf::Nothing => String::new(),
        };
        sums.push(row(&cell, others));
    }
    let cell = |of| match of {
        SumOf::Word => "total".to_owned(),
        SumOf::Change => change(diff, diff.change),
        SumOf::Percent => percent(diff.percent()).unwrap_or_default(),
        SumOf::Count(at) => diff.quantity.text(totals[at]),
        SumOf::Nothing => String::new(),
    };
    sums.push(row(&cell, counted(all as i128, noun(diff))));
    sums
}
