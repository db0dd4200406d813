//! Rows of a diff as cells.

use super::spark::sparkline;
use super::verdict::from_to;
use crate::output::numbers::{thousands, wait_range};
use crate::output::summary::of_key;
use crate::output::table::{Column, Holds};
use crate::output::terminal::Screen;
use crate::view::diff::{Diff, Process, Row, Status, Trend};
use crate::view::key::Key;
use crate::view::quantity::Quantity;

/// Points whose counts have a column each; of more only the first and the last have one.
const COUNTS_SHOWN: usize = 5;

/// A column for people.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Field {
    Status,
    FlatChange,
    Change,
    Percent,
    /// The count at this point.
    Count(usize),
    Flat,
    Spark,
    Slope,
    Trend,
    Persist,
    Wait,
    States,
    Category,
    /// The key at this position of [`Diff::by`].
    Key(usize),
    Name,
}

/// The columns that are worth showing of these rows, in their order.
pub(super) fn fields(diff: &Diff, rows: &[&Row]) -> Vec<Field> {
    let series = diff.points.len() > 2;
    let last = diff.points.len().saturating_sub(1);
    let mut fields = vec![Field::Status];
    if has_own_values(diff) {
        fields.push(Field::FlatChange);
    }
    fields.extend([Field::Change, Field::Percent]);
    match last < COUNTS_SHOWN {
        true => fields.extend((0..=last).map(Field::Count)),
        false => fields.extend([Field::Count(0), Field::Count(last)]),
    }
    if series {
        fields.extend([Field::Spark, Field::Slope]);
        if rows.iter().any(|row| row.trend.is_some_and(|trend| !word(&trend).is_empty())) {
            fields.push(Field::Trend);
        }
    }
    if diff.of_frames() && (diff.quantity.is_of_goroutines() || has_own_values(diff)) {
        fields.push(Field::Flat);
    }
    if rows.iter().any(|row| row.persist.is_some_and(|persist| persist > 0)) {
        fields.push(Field::Persist);
    }
    if rows.iter().any(|row| row.waits.iter().any(|waits| waits.max > 0.0)) {
        fields.push(Field::Wait);
    }
    let states = diff.quantity.is_of_goroutines() && !diff.by.contains(&Key::State);
    if states && !diff.of_frames() {
        fields.push(Field::States);
    }
    let keys = diff.by.iter().enumerate();
    let (stacks, others): (Vec<_>, Vec<_>) = keys.partition(|(_, key)| is_hash(key));
    fields.extend(others.iter().map(|(at, _)| Field::Key(*at)));
    // A hash means nothing to people; the name of what it stands for does.
    if !stacks.is_empty() {
        if !diff.by.contains(&Key::Category) {
            fields.push(Field::Category);
        }
        if !diff.by.contains(&Key::Name) {
            fields.push(Field::Name);
        }
    }
    fields
}

/// Whether what functions are worth themselves is what rows are about; goroutines all wait in the
/// same few, and where functions call nothing there are no others.
fn has_own_values(diff: &Diff) -> bool {
    let differ = |row: &Row| row.flat != row.counts;
    diff.of_frames() && !diff.quantity.is_of_goroutines() && diff.rows.iter().any(differ)
}

fn is_hash(key: &Key) -> bool {
    matches!(key, Key::Shape | Key::Stack | Key::Id)
}

/// The heading of a column, and whether it holds numbers.
pub(super) fn heading(diff: &Diff, field: Field) -> Column {
    let (heading, number) = match field {
        Field::Status => ("", false),
        Field::FlatChange => ("FLAT", true),
        Field::Change if has_own_values(diff) => ("CUM", true),
        Field::Change => ("CHANGE", true),
        Field::Percent => ("%", true),
        Field::Count(at) => {
            let last = diff.points.len().saturating_sub(1);
            let heading = match at {
                0 => "OLD".to_owned(),
                at if at == last => "NEW".to_owned(),
                at => format!("#{}", at + 1),
            };
            let of = if has_own_values(diff) { " CUM" } else { "" };
            return Column::new(Holds::Number, heading + of);
        }
        Field::Flat if has_own_values(diff) => ("OLD → NEW FLAT", true),
        Field::Flat => ("LEAF", true),
        Field::Spark => ("SERIES", false),
        Field::Slope => ("A POINT", true),
        Field::Trend => ("TREND", false),
        Field::Persist => ("STAYING", true),
        Field::Wait => ("WAIT", true),
        Field::States => ("STATE", false),
        Field::Category => ("CATEGORY", false),
        Field::Key(at) => return of_key(&diff.by[at]),
        Field::Name => ("STACK", false),
    };
    let holds = match field {
        Field::Name => Holds::Name,
        Field::Category => Holds::Path,
        _ if number => Holds::Number,
        _ => Holds::Text,
    };
    // What is left out first where there is no room for all, by how little it is missed.
    let dispensable = match field {
        Field::States => 5,
        Field::Wait => 4,
        Field::Persist => 3,
        Field::Slope => 2,
        Field::Percent => 1,
        _ => 0,
    };
    Column { dispensable, ..Column::new(holds, heading) }
}

/// What a row has in a column, escaped for the screen.
pub(super) fn cell(diff: &Diff, row: &Row, field: Field, screen: &Screen) -> String {
    match field {
        Field::Status => match row.status {
            Status::Same if row.counts.iter().any(|count| *count != row.counts[0]) => "back",
            status => status.name(),
        }
        .to_owned(),
        Field::FlatChange => change(diff, row.flat_change),
        Field::Change => change(diff, row.change),
        Field::Percent => percent(row.percent()).unwrap_or_default(),
        Field::Count(at) => diff.quantity.text(row.counts[at]),
        Field::Flat => {
            let flat = |count: Option<&i128>| diff.quantity.text(count.copied().unwrap_or(0));
            from_to(flat(row.flat.first()), flat(row.flat.last()))
        }
        Field::Spark => sparkline(&row.counts),
        Field::Slope => row.trend.map_or(String::new(), |trend| slope(diff, trend.slope)),
        Field::Trend => row.trend.as_ref().map_or("", word).to_owned(),
        Field::Persist => row.persist.map_or(String::new(), thousands),
        Field::Wait => waits(row),
        Field::States => states(row, screen),
        Field::Category => screen.text(&row.category).into_owned(),
        Field::Key(at) => match &row.keys[at] {
            Some(value) => screen.text(value).into_owned(),
            None if matches!(diff.by[at], Key::State | Key::Wait) => "unknown".to_owned(),
            None => "-".to_owned(),
        },
        Field::Name => screen.text(&row.name).into_owned(),
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
    *process.counts.get(point).or(process.counts.last())?
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
