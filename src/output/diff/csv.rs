//! The rows as CSV: numbers as they are, with a column for the count at each point.

use crate::output::csv::{Columns, maybe, number, text};
use crate::view::diff::{Diff, Row};
use crate::view::table::key::Key;
use std::io::{self, Write};

/// Writes a header row and all rows.
pub(super) fn write(diff: &Diff, out: &mut dyn Write) -> io::Result<()> {
    let mut columns: Columns<'_, &Row> = Columns::default();
    for (at, key) in diff.by.iter().enumerate() {
        columns.add(key.name(), move |row| text(row.keys[at].as_deref().unwrap_or_default()));
    }
    // These are those of the most frequent stack.
    if !diff.by.contains(&Key::Category) {
        columns.add("category", |row| text(&row.category));
    }
    if !diff.by.contains(&Key::Name) {
        columns.add("name", |row| text(&row.name));
    }
    columns.add("status", |row| text(row.status.name()));
    for at in 0..diff.points.len() {
        columns.add(format!("count_{}", at + 1), move |row| number(row.count(at)));
    }
    for at in (0..diff.points.len()).filter(|_| diff.of_frames()) {
        columns.add(format!("flat_{}", at + 1), move |row| number(row.flat(at)));
    }
    columns.add("change", |row| number(row.change));
    columns.add("percent", |row| maybe(row.percent()));
    columns.add("persist", |row| maybe(row.persist));
    columns.add("slope", |row| maybe(row.trend.map(|trend| trend.slope)));
    columns.add("rises", |row| maybe(row.trend.map(|trend| trend.rises)));
    columns.add("levelled_off", |row| maybe(row.trend.map(|trend| trend.levelled_off)));
    columns.add("small", |row| number(row.below));
    columns.write(diff.rows.iter(), out)
}
