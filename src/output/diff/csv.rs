//! The rows as CSV: numbers as they are, a column for the count at each point.

use crate::output::csv::{guard, rows};
use crate::view::diff::{Diff, Row};
use crate::view::key::Key;
use std::io::{self, Write};

/// Writes a header row and all rows.
pub(super) fn write(diff: &Diff, out: &mut dyn Write) -> io::Result<()> {
    let mut writer = rows(out);
    let text = |text: &str| guard(text.as_bytes()).into_owned();
    let mut header: Vec<Vec<u8>> = diff.by.iter().map(|key| text(&key.name())).collect();
    let extra = extra(diff);
    header.extend(extra.iter().map(|(name, _)| name.as_bytes().to_vec()));
    header.push(b"status".to_vec());
    header.extend((1..=diff.points.len()).map(|at| format!("count_{at}").into_bytes()));
    if diff.of_frames() {
        header.extend((1..=diff.points.len()).map(|at| format!("flat_{at}").into_bytes()));
    }
    for name in ["change", "percent", "persist", "slope", "rises", "levelled_off", "small"] {
        header.push(name.as_bytes().to_vec());
    }
    writer.write_record(&header)?;
    for row in &diff.rows {
        let mut record: Vec<Vec<u8>> =
            row.keys.iter().map(|value| text(value.as_deref().unwrap_or_default())).collect();
        record.extend(extra.iter().map(|(_, value)| text(value(row))));
        record.push(row.status.name().into());
        record.extend(row.counts.iter().chain(&row.flat).map(|n| n.to_string().into_bytes()));
        record.push(row.change.to_string().into_bytes());
        record.push(row.percent().map_or(String::new(), |share| share.to_string()).into_bytes());
        record.push(row.persist.map_or(String::new(), |count| count.to_string()).into_bytes());
        let trend = row.trend.map_or(Default::default(), |trend| {
            [trend.slope.to_string(), trend.rises.to_string(), trend.levelled_off.to_string()]
        });
        record.extend(trend.map(String::into_bytes));
        record.push(row.below.to_string().into_bytes());
        writer.write_record(&record)?;
    }
    writer.flush()
}

type Extra = (&'static str, fn(&Row) -> &str);

/// Category and name of the most frequent stack, where they aren't keys.
fn extra(diff: &Diff) -> Vec<Extra> {
    let all: [(Key, Extra); 2] = [
        (Key::Category, ("category", |row| &row.category)),
        (Key::Name, ("name", |row| &row.name)),
    ];
    all.into_iter().filter(|(key, _)| !diff.by.contains(key)).map(|(_, extra)| extra).collect()
}
