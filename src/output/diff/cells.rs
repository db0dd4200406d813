//! The columns of a diff.

use super::headline::from_to;
use super::spark::sparkline;
use crate::output::columns::RowColumn;
use crate::output::numbers::{thousands, wait_range};
use crate::output::summary::{key_text, of_key};
use crate::output::table::{Column, Content};
use crate::view::diff::trend::Trend;
use crate::view::diff::{Cell, Diff, Process, Row, Status};
use crate::view::table::key::Key;
use crate::view::values::quantity::Quantity;

/// With more points than this, only the first and the last have a column.
const COUNTS_SHOWN: usize = 5;

/// The total of a column in the last rows.
#[derive(Clone, Copy)]
pub(super) enum SumOf {
    Nothing,
    Word,
    Change,
    Percent,
    /// The count at a point.
    Count(usize),
}

/// The columns worth showing for these rows, in their order.
pub(super) fn columns<'a>(diff: &'a Diff, rows: &[&Row]) -> Vec<(RowColumn<'a, Row>, SumOf)> {
    let last = diff.points.len().saturating_sub(1);
    // Flat values say something unless rows are of goroutines, which all wait in the same few
    // functions, or functions call nothing.
    let of_goroutines = diff.quantity.is_of_goroutines();
    let differ = |row: &Row| row.cells.values().any(|cell| cell.flat != cell.count);
    let shows_flat = diff.of_frames() && !of_goroutines && diff.rows.iter().any(differ);
    let mut shown = vec![(RowColumn::text("", status), SumOf::Word)];
    if shows_flat {
        let flat = RowColumn::number("FLAT", |row: &Row| change(diff, row.flat_change));
        shown.push((flat, SumOf::Nothing));
    }
    let heading = if shows_flat { "CUM" } else { "CHANGE" };
    let of_rows = RowColumn::number(heading, |row: &Row| change(diff, row.change));
    shown.push((of_rows, SumOf::Change));
    let share = RowColumn::number("%", |row: &Row| percent(row.percent()).unwrap_or_default());
    shown.push((share.dispensable(1), SumOf::Percent));
    let points = if last < COUNTS_SHOWN { (0..=last).collect() } else { vec![0, last] };
    shown.extend(points.into_iter().map(|at| {
        let heading = match at {
            0 => "OLD".to_owned(),
            at if at == last => "NEW".to_owned(),
            at => format!("#{}", at + 1),
        };
        let of = if shows_flat { " CUM" } else { "" };
        let count = move |row: &Row| diff.quantity.text(row.count(at));
        (RowColumn::number(heading + of, count), SumOf::Count(at))
    }));
    let mut add = |column: RowColumn<'a, Row>| shown.push((column, SumOf::Nothing));
    if diff.points.len() > 2 {
        add(RowColumn::text("SERIES", |row: &Row| sparkline(&row.counts().collect::<Vec<_>>())));
        let of_row = |row: &Row| row.trend.map_or(String::new(), |trend| slope(diff, trend.slope));
        add(RowColumn::number("A POINT", of_row).dispensable(2));
        let of_row = |row: &Row| row.trend.as_ref().map_or("", word).to_owned();
        if rows.iter().any(|row| !of_row(row).is_empty()) {
            add(RowColumn::text("TREND", of_row));
        }
    }
    if diff.of_frames() && (of_goroutines || shows_flat) {
        let heading = if shows_flat { "OLD → NEW FLAT" } else { "LEAF" };
        let flat = |cell: Option<&Cell>| diff.quantity.text(cell.map_or(0, |cell| cell.flat));
        let ends = move |row: &Row| from_to(flat(row.cells.first()), flat(row.cells.last()));
        add(RowColumn::number(heading, ends));
    }
    if rows.iter().any(|row| row.persist.is_some_and(|persist| persist > 0)) {
        let staying = |row: &Row| row.persist.map_or(String::new(), thousands);
        add(RowColumn::number("STAYING", staying).dispensable(3));
    }
    if rows.iter().any(|row| row.cells.values().any(|cell| cell.waits.max > 0.0)) {
        add(RowColumn::number("WAIT", waits).dispensable(4));
    }
    let by_state = diff.by.contains(&Key::State);
    if of_goroutines && !by_state && !diff.of_frames() {
        add(RowColumn::text("STATE", states).dispensable(5));
    }
    let keys = diff.by.iter().enumerate();
    let is_hash = |key: &Key| matches!(key, Key::Shape | Key::Stack | Key::Id);
    let (hashes, others): (Vec<_>, Vec<_>) = keys.partition(|(_, key)| is_hash(key));
    for (at, key) in others {
        add(RowColumn::code(of_key(key), move |row: &Row| key_text(key, &row.keys[at])));
    }
    // A hash means nothing to people; the name of the stack does.
    if !hashes.is_empty() && !diff.by.contains(&Key::Category) {
        let column = Column::new(Content::Path, "CATEGORY");
        add(RowColumn::code(column, |row: &Row| row.category.clone()));
    }
    if !hashes.is_empty() && !diff.by.contains(&Key::Name) {
        add(RowColumn::code(Column::new(Content::Name, "STACK"), |row: &Row| row.name.clone()));
    }
    shown
}

fn status(row: &Row) -> String {
    match row.status {
        Status::Same if row.varies() => "back".to_owned(),
        status => status.name().to_owned(),
    }
}

fn word(trend: &Trend) -> &'static str {
    match trend {
        Trend { rises: true, .. } => "rises",
        Trend { levelled_off: true, .. } => "level",
        _ => "",
    }
}

/// The longest wait at the first and the last point.
fn waits(row: &Row) -> String {
    let at = |cell: Option<&Cell>| wait_range(cell.and_then(|cell| cell.waits.range()));
    let (old, new) = (at(row.cells.first()), at(row.cells.last()));
    match (old.is_empty(), new.is_empty()) {
        (true, _) => new,
        (_, true) => old,
        _ => from_to(old, new),
    }
}

/// The most frequent state at the first and the last point.
fn states(row: &Row) -> String {
    let most = |cell: Option<&Cell>| {
        let states = &cell?.states;
        let (state, _) = states.first()?;
        let text = state.as_deref().unwrap_or("unknown").to_owned();
        // The number of other states.
        Some(match states.len() {
            1 => text,
            states => format!("{text}, {} more", states - 1),
        })
    };
    match (most(row.cells.first()), most(row.cells.last())) {
        (Some(old), Some(new)) => from_to(old, new),
        (old, new) => old.or(new).unwrap_or_default(),
    }
}

/// A change with its sign, `0` if there is none; scaled goroutines have fractions.
pub(super) fn change(diff: &Diff, change: f64) -> String {
    match diff.quantity.is_of_goroutines() && diff.normalized {
        true => tenths(change),
        false => diff.quantity.change(change.round() as i128),
    }
}

/// The number with its sign and, unless it is whole, one decimal.
fn tenths(number: f64) -> String {
    match (number * 10.0).round() / 10.0 {
        0.0 => "0".to_owned(),
        rounded if number.fract() != 0.0 => format!("{rounded:+.1}"),
        rounded => Quantity::Goroutines.change(rounded as i128),
    }
}

/// A change in percent with its sign: `+6.8%`, `-50%`, `+1,200%`; `None` without a base.
pub(super) fn percent(percent: Option<f64>) -> Option<String> {
    let percent = percent?;
    Some(match percent.abs() {
        0.0 => "0%".to_owned(),
        size if size < 0.1 => format!("{}0.1%", if percent > 0.0 { "<+" } else { ">-" }),
        size if size < 100.0 && size.fract() != 0.0 => format!("{percent:+.1}%"),
        _ => format!("{}%", Quantity::Goroutines.change(percent.round() as i128)),
    })
}

/// A slope: the change per point.
pub(super) fn slope(diff: &Diff, slope: f64) -> String {
    match diff.quantity.is_of_goroutines() && slope.abs() < 10.0 {
        true => tenths(slope),
        false => diff.quantity.change(slope.round() as i128),
    }
}

/// The count of a process at a point; past the last point, that of the last.
pub(super) fn count_at(process: &Process, point: usize) -> Option<i128> {
    let last = process.counts.points().saturating_sub(1);
    process.counts.at(point.min(last)).map(|count| count.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_have_a_sign() {
        assert_eq!(tenths(1234.0), "+1,234");
        assert_eq!(tenths(-12.0), "-12");
        assert_eq!(tenths(0.0), "0");
        assert_eq!(tenths(2.26), "+2.3");
        assert_eq!(tenths(-0.04), "0");
        assert_eq!(tenths(3.0), "+3");
    }

    #[test]
    fn percents_are_as_fine_as_they_are_worth() {
        for (value, text) in [
            (6.837, "+6.8%"),
            (-50.0, "-50%"),
            (100.4, "+100%"),
            (1200.0, "+1,200%"),
            (0.01, "<+0.1%"),
            (-0.01, ">-0.1%"),
            (0.0, "0%"),
        ] {
            assert_eq!(percent(Some(value)).as_deref(), Some(text));
        }
        assert_eq!(percent(None), None);
    }
}
