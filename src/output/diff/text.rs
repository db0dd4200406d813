//! The verdict and the table, for people.

use super::cells::{Field, cell, change, fields, heading, percent};
use super::shown;
use super::verdict::{headline, lines, noun};
use crate::output::numbers::counted;
use crate::output::table::{Table, wrap};
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
    for line in lines {
        let text = screen.text(&line.text);
        // Eleven columns stand in front of the text.
        let texts = match screen.width {
            Some(width) => wrap(&text, width.saturating_sub(11).max(40)),
            None => vec![text.into_owned()],
        };
        for (at, text) in texts.into_iter().enumerate() {
            let label = format!("{:<9}", if at == 0 { line.label } else { "" });
            let label = screen.paint(Paint::Faint, label);
            writeln!(out, "  {label}{}", screen.paint(line.paint, text))?;
        }
    }
    let rows: Vec<&Row> = shown(diff, all).collect();
    if rows.is_empty() {
        return Ok(());
    }
    writeln!(out)?;
    let fields = fields(diff, &rows);
    let mut table = Table::new(fields.iter().map(|&field| heading(diff, field)).collect());
    for row in &rows {
        table.row(fields.iter().map(|&field| cell(diff, row, field, screen)).collect());
    }
    for row in sums(diff, &rows, &fields) {
        table.row(row);
    }
    table.write(screen, out)
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
