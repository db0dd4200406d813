//! The columns of a diff.

use super::spark::sparkline;
use super::text::Sum;
use super::verdict::from_to;
use crate::output::numbers::{thousands, wait_range};
use crate::output::summary::{key_text, of_key};
use crate::output::table::{Column, Holds};
use crate::output::terminal::Screen;
use crate::view::diff::trend::Trend;
use crate::view::diff::{Diff, Process, Row, Status};
use crate::view::table::key::Key;
use crate::view::values::quantity::Quantity;

/// Points whose counts have a column each; of more only the first and the last have one.
const COUNTS_SHOWN: usize = 5;

/// What a row has in a column.
type Cell<'a> = Box<dyn Fn(&Row, &Screen) -> String + 'a>;
/// What the last rows have in a column.
type SumCell<'a> = Box<dyn Fn(&Sum) -> String + 'a>;

/// A column for people.
pub(super) struct ShownColumn<'a> {
    pub(super) column: Column,
    /// It holds names, or values of a key.
    pub(super) is_name: bool,
    cell: Cell<'a>,
    /// What the last rows have in it.
    pub(super) sum: Option<SumCell<'a>>,
}

impl<'a> ShownColumn<'a> {
    fn new(column: Column, cell: impl Fn(&Row, &Screen) -> String + 'a) -> ShownColumn<'a> {
        ShownColumn { column, is_name: false, cell: Box::new(cell), sum: None }
    }

    fn name(column: Column, cell: impl Fn(&Row, &Screen) -> String + 'a) -> ShownColumn<'a> {
        ShownColumn { is_name: true, ..ShownColumn::new(column, cell) }
    }

    fn number(heading: impl Into<String>, cell: impl Fn(&Row) -> String + 'a) -> ShownColumn<'a> {
        ShownColumn::new(Column::new(Holds::Number, heading), move |row, _| cell(row))
    }

    fn text(heading: &str, cell: impl Fn(&Row) -> String + 'a) -> ShownColumn<'a> {
        ShownColumn::new(Column::new(Holds::Text, heading), move |row, _| cell(row))
    }

    /// Ranks how little the column is missed where there is no room; see [`Column::dispensable`].
    fn dispensable(mut self, rank: u8) -> ShownColumn<'a> {
        self.column.dispensable = rank;
        self
    }

    fn sum(mut self, cell: impl Fn(&Sum) -> String + 'a) -> ShownColumn<'a> {
        self.sum = Some(Box::new(cell));
        self
    }

    /// What a row has in it, escaped for the screen.
    pub(super) fn cell(&self, row: &Row, screen: &Screen) -> String {
        (self.cell)(row, screen)
    }
}

/// The columns that are worth showing of these rows, in their order.
pub(super) fn columns<'a>(diff: &'a Diff, rows: &[&Row]) -> Vec<ShownColumn<'a>> {
    let last = diff.points.len().saturating_sub(1);
    // Whether what functions are worth themselves is what rows are about; goroutines all wait in
    // the same few, and where functions call nothing there are no others.
    let of_goroutines = diff.quantity.is_of_goroutines();
    let differ = |row: &Row| row.flat != row.counts;
    let own_values = diff.of_frames() && !of_goroutines && diff.rows.iter().any(differ);
    let mut shown = vec![ShownColumn::text("", status).sum(|sum| sum.word.to_owned())];
    if own_values {
        shown.push(ShownColumn::number("FLAT", |row| change(diff, row.flat_change)));
    }
    let heading = if own_values { "CUM" } else { "CHANGE" };
    let of_rows = ShownColumn::number(heading, |row| change(diff, row.change));
    shown.push(of_rows.sum(|sum| change(diff, sum.change)));
    let share = ShownColumn::number("%", |row| percent(row.percent()).unwrap_or_default());
    shown.push(share.dispensable(1).sum(|sum| sum.percent.clone().unwrap_or_default()));
    let points = if last < COUNTS_SHOWN { (0..=last).collect() } else { vec![0, last] };
    shown.extend(points.into_iter().map(|at| {
        let heading = match at {
            0 => "OLD".to_owned(),
            at if at == last => "NEW".to_owned(),
            at => format!("#{}", at + 1),
        };
        let of = if own_values { " CUM" } else { "" };
        let count = move |counts: &[i128]| diff.quantity.text(counts[at]);
        let column = ShownColumn::number(heading + of, move |row| count(&row.counts));
        column.sum(move |sum| count(&sum.counts))
    }));
    if diff.points.len() > 2 {
        shown.push(ShownColumn::text("SERIES", |row| sparkline(&row.counts)));
        let of_row = |row: &Row| row.trend.map_or(String::new(), |trend| slope(diff, trend.slope));
        shown.push(ShownColumn::number("A POINT", of_row).dispensable(2));
        let of_row = |row: &Row| row.trend.as_ref().map_or("", word).to_owned();
        if rows.iter().any(|row| !of_row(row).is_empty()) {
            shown.push(ShownColumn::text("TREND", of_row));
        }
    }
    if diff.of_frames() && (of_goroutines || own_values) {
        let heading = if own_values { "OLD → NEW FLAT" } else { "LEAF" };
        let flat = |count: Option<&i128>| diff.quantity.text(count.copied().unwrap_or(0));
        let ends = move |row: &Row| from_to(flat(row.flat.first()), flat(row.flat.last()));
        shown.push(ShownColumn::number(heading, ends));
    }
    if rows.iter().any(|row| row.persist.is_some_and(|persist| persist > 0)) {
        let staying = |row: &Row| row.persist.map_or(String::new(), thousands);
        shown.push(ShownColumn::number("STAYING", staying).dispensable(3));
    }
    if rows.iter().any(|row| row.waits.iter().any(|waits| waits.max > 0.0)) {
        shown.push(ShownColumn::number("WAIT", waits).dispensable(4));
    }
    let by_state = diff.by.contains(&Key::State);
    if of_goroutines && !by_state && !diff.of_frames() {
        shown.push(ShownColumn::new(Column::new(Holds::Text, "STATE"), states).dispensable(5));
    }
    let keys = diff.by.iter().enumerate();
    let is_hash = |key: &Key| matches!(key, Key::Shape | Key::Stack | Key::Id);
    let (hashes, others): (Vec<_>, Vec<_>) = keys.partition(|(_, key)| is_hash(key));
    shown.extend(others.into_iter().map(|(at, key)| {
        ShownColumn::name(of_key(key), move |row, screen| key_text(key, &row.keys[at], screen))
    }));
    // A hash means nothing to people; the name of what it stands for does.
    if !hashes.is_empty() && !diff.by.contains(&Key::Category) {
        let category = |row: &Row, screen: &Screen| screen.text(&row.category).into_owned();
        shown.push(ShownColumn::name(Column::new(Holds::Path, "CATEGORY"), category));
    }
    if !hashes.is_empty() && !diff.by.contains(&Key::Name) {
        let name = |row: &Row, screen: &Screen| screen.text(&row.name).into_owned();
        shown.push(ShownColumn::name(Column::new(Holds::Name, "STACK"), name));
    }
    shown
}

fn status(row: &Row) -> String {
    let is_back = row.counts.iter().any(|count| *count != row.counts[0]);
    match row.status {
        Status::Same if is_back => "back".to_owned(),
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

/// The longest wait at both ends.
fn waits(row: &Row) -> String {
    let at = |waits: Option<&crate::profile::WaitRange>| {
        wait_range(waits.and_then(|waits| waits.range()))
    };
    let (old, new) = (at(row.waits.first()), at(row.waits.last()));
    match (old.is_empty(), new.is_empty()) {
        (true, _) => new,
        (_, true) => old,
        _ => from_to(old, new),
    }
}

/// The state that most are in, at both ends.
fn states(row: &Row, screen: &Screen) -> String {
    let most = |states: Option<&Vec<(Option<String>, i128)>>| {
        let (state, _) = states?.first()?;
        let text = screen.text(state.as_deref().unwrap_or("unknown")).into_owned();
        // How many other states there are.
        Some(match states?.len() {
            1 => text,
            states => format!("{text}, {} more", states - 1),
        })
    };
    match (most(row.states.first()), most(row.states.last())) {
        (Some(old), Some(new)) => from_to(old, new),
        (old, new) => old.or(new).unwrap_or_default(),
    }
}

/// A change with its sign, `0` where there is none; goroutines have fractions where they were scaled.
pub(super) fn change(diff: &Diff, change: f64) -> String {
    match diff.quantity.is_of_goroutines() && diff.normalized {
        true => tenths(change),
        false => diff.quantity.change(change.round() as i128),
    }
}

/// The number with its sign and, unless it is a whole one, a digit behind the point.
fn tenths(number: f64) -> String {
    match (number * 10.0).round() / 10.0 {
        0.0 => "0".to_owned(),
        rounded if number.fract() != 0.0 => format!("{rounded:+.1}"),
        rounded => Quantity::Goroutines.change(rounded as i128),
    }
}

/// A change in percent with its sign: `+6.8%`, `-50%`, `+1,200%`; `None` where there is no base.
pub(super) fn percent(percent: Option<f64>) -> Option<String> {
    let percent = percent?;
    Some(match percent.abs() {
        0.0 => "0%".to_owned(),
        size if size < 0.1 => format!("{}0.1%", if percent > 0.0 { "<+" } else { ">-" }),
        size if size < 100.0 && size.fract() != 0.0 => format!("{percent:+.1}%"),
        _ => format!("{}%", Quantity::Goroutines.change(percent.round() as i128)),
    })
}

/// A slope: so much a point.
pub(super) fn slope(diff: &Diff, slope: f64) -> String {
    match diff.quantity.is_of_goroutines() && slope.abs() < 10.0 {
        true => tenths(slope),
        false => diff.quantity.change(slope.round() as i128),
    }
}

/// How many a process has at a point, the last one for any that is beyond.
pub(super) fn count_at(process: &Process, point: usize) -> Option<i128> {
    Some((*process.counts.get(point).or(process.counts.last())?)?.0)
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
