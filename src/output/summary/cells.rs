//! The columns of a summary, for people and as CSV.

use crate::output::columns::RowColumn;
use crate::output::csv::{self, Columns, number, text};
use crate::output::measure::{Values, measured};
use crate::output::numbers::{share, thousands, wait_range};
use crate::output::table::{Column, Content};
use crate::output::terminal::Screen;
use crate::profile::Profile;
use crate::view::table::key::Key;
use crate::view::table::summary::{Row, Summary};
use std::io::{self, Write};

/// States of a row that a table shows; more are counted.
const STATES_SHOWN: usize = 2;
/// With more inputs than this, only those that differ have a column.
const INPUTS_SHOWN: usize = 8;
/// On narrower screens only one state is shown.
const WIDE_SCREEN: usize = 120;

/// The columns worth showing to people, in their order.
pub(super) fn columns<'a>(
    profile: &Profile,
    summary: &'a Summary,
    screen: &'a Screen,
) -> Vec<RowColumn<'a, Row>> {
    let keys = |of_frames: bool| {
        let list = summary.by.iter().enumerate();
        let list = list.filter(move |(_, key)| key.is_of_frames() == of_frames);
        list.map(|(at, key)| {
            RowColumn::code(of_key(key), move |row: &Row| key_text(key, &row.keys[at]))
        })
    };
    let of_stacks = summary.by.iter().any(|key| matches!(key, Key::Stack | Key::Id));
    let top = || {
        // If a row is one stack, all its goroutines have that.
        let heading = if of_stacks { "NAME" } else { "TOP STACK" };
        let name = |row: &Row| row.top.as_ref().map_or(String::new(), |(name, _)| name.clone());
        let top = RowColumn::new(Column::new(Content::Name, heading), name);
        if of_stacks { top } else { top.ending(count_of_top) }
    };
    let total = || {
        let of_values = summary.profile_verdict.as_ref().map(|of| of.kind.to_uppercase());
        let heading = of_values.unwrap_or_else(|| "GOROUTINES".to_owned());
        RowColumn::number(heading, |row: &Row| amount(summary, row.total))
    };
    let mut shown: Vec<RowColumn<'_, Row>> = keys(false).collect();
    if let Some(pivot) = &summary.pivot {
        // Each input has a column if there are few, else those that differ from the others.
        let inputs = pivot.shown(INPUTS_SHOWN);
        shown.push(total());
        if inputs.len() < pivot.inputs.len() {
            let median = |row: &Row| amount(summary, row.spread.median.round() as i128);
            shown.push(RowColumn::number("MEDIAN", median));
            shown.push(RowColumn::number("MOST", |row: &Row| amount(summary, row.spread.most.1)));
            shown.push(RowColumn::text("ON", |row: &Row| match row.spread.most {
                (at, 1..) => pivot.inputs[at].clone(),
                _ => "-".to_owned(),
            }));
        }
        shown.extend(inputs.into_iter().map(|at| {
            RowColumn::number(&*pivot.inputs[at], move |row: &Row| {
                amount(summary, row.spread.cell(at))
            })
        }));
        shown.extend(keys(true));
        shown.extend(of_stacks.then(top));
        return shown;
    }
    if summary.of_frames() {
        let whole = summary.whole();
        let rows = summary.rows.iter().map(|row| (row.flat, row.cum));
        let values = Values::new(profile, &summary.value_options, rows);
        let of_cum = values.clone();
        shown.push(RowColumn::number("FLAT", move |row: &Row| values.text(row.flat)));
        shown.push(RowColumn::number("FLAT%", move |row: &Row| share(row.flat, whole)));
        if summary.profile_verdict.is_some() {
            let sum = RowColumn::number("SUM%", move |row: &Row| share(row.sum, whole));
            shown.push(sum.dispensable(1));
        }
        shown.push(RowColumn::number("CUM", move |row: &Row| of_cum.text(row.cum)));
        shown.push(RowColumn::number("CUM%", move |row: &Row| share(row.cum, whole)));
        // Functions are long, so they are the last column, which is cut at the edge of a screen.
        shown.extend(keys(true));
        return shown;
    }
    shown.push(total());
    // Names often include the state, and a row is clear without its number of stacks.
    if !of_stacks {
        let stacks = RowColumn::number("STACKS", |row: &Row| thousands(row.stacks as i128));
        shown.push(stacks.dispensable(2));
    }
    if !summary.by.contains(&Key::State) && summary.profile_verdict.is_none() {
        let states = RowColumn::text("STATES", |row: &Row| states(&row.states, screen));
        shown.push(states.dispensable(3));
    }
    let waited = summary.rows.iter().any(|row| row.waits.max > 0.0);
    if waited && !summary.by.contains(&Key::Wait) {
        let wait = RowColumn::number("WAIT", |row: &Row| wait_range(row.waits.range()));
        shown.push(wait.dispensable(1));
    }
    if !summary.by.contains(&Key::Name) {
        shown.push(top());
    }
    shown
}

/// The column for a key.
pub(in crate::output) fn of_key(key: &Key) -> Column {
    let content = match key {
        Key::Name | Key::Creator | Key::Function => Content::Name,
        Key::Category | Key::Package | Key::Module | Key::File | Key::Line => Content::Path,
        _ => Content::Text,
    };
    Column::new(content, key.name().to_uppercase())
}

/// The count of the most frequent stack, after its name.
fn count_of_top(row: &Row) -> String {
    row.top.as_ref().map_or(String::new(), |(_, total)| format!("  ({})", thousands(*total)))
}

/// The value of a key.
pub(in crate::output) fn key_text(key: &Key, value: &Option<String>) -> String {
    match value {
        Some(value) => value.clone(),
        None if matches!(key, Key::State | Key::Wait) => "unknown".to_owned(),
        None => "-".to_owned(),
    }
}

fn states(states: &[(Option<String>, i128)], screen: &Screen) -> String {
    let name = |state: &Option<String>| state.clone().unwrap_or_else(|| "unknown".to_owned());
    if let [(only, _)] = states {
        return name(only);
    }
    let count = match screen.width {
        Some(width) if width < WIDE_SCREEN => 1,
        _ => STATES_SHOWN,
    };
    let shown = states.iter().take(count);
    let mut shown: Vec<String> =
        shown.map(|(state, count)| format!("{} {}", name(state), thousands(*count))).collect();
    if states.len() > count {
        shown.push(format!("{} more", states.len() - count));
    }
    shown.join(" · ")
}

/// A number of goroutines, or a value with its unit.
pub(super) fn amount(summary: &Summary, number: i128) -> String {
    match &summary.profile_verdict {
        Some(of) => measured(number, &of.unit),
        None => thousands(number),
    }
}

/// The rows as CSV: numbers as they are, states as `select=942;IO wait=7`.
pub(super) fn write_csv(summary: &Summary, out: &mut dyn Write) -> io::Result<()> {
    let mut columns: Columns<'_, &Row> = Columns::default();
    for (at, key) in summary.by.iter().enumerate() {
        columns.add(key.name(), move |row| text(row.keys[at].as_deref().unwrap_or_default()));
    }
    if summary.of_frames() {
        let options = &summary.value_options;
        columns.add("flat", |row| number(options.divided(row.flat)));
        columns.add("cum", |row| number(options.divided(row.cum)));
    }
    let states = |row: &Row| {
        let name = |state: &Option<String>| state.clone().unwrap_or_else(|| "unknown".to_owned());
        row.states.iter().map(|(state, n)| format!("{}={n}", name(state))).collect::<Vec<_>>()
    };
    columns.add("total", |row| number(row.total));
    columns.add("stacks", |row| number(row.stacks));
    columns.add("states", move |row| text(states(row).join(";")));
    columns.add("wait_minutes_min", |row| csv::maybe(row.waits.range().map(|waits| waits.0)));
    columns.add("wait_minutes_max", |row| csv::maybe(row.waits.range().map(|waits| waits.1)));
    columns.add("top_stack", |row| text(row.top.as_ref().map_or("", |(name, _)| name)));
    if let Some(pivot) = &summary.pivot {
        columns.add("median", |row| number(row.spread.median));
        columns.add("outliers", |row| {
            let odd = row.spread.odd.iter().map(|&at| pivot.inputs[at].as_str());
            text(odd.collect::<Vec<_>>().join(";"))
        });
        for (at, input) in pivot.inputs.iter().enumerate() {
            columns.add(format!("input:{input}"), move |row| number(row.spread.cell(at)));
        }
    }
    columns.write(summary.rows.iter(), out)
}
