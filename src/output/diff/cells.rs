//! Rows of a diff as cells.

use super::spark::sparkline;
use super::verdict::from_to;
use crate::output::numbers::{thousands, wait_range};
use crate::output::table::Column;
use crate::output::terminal::Screen;
use crate::view::diff::{Diff, Process, Row, Status, Trend};
use crate::view::key::Key;

/// Points whose counts have a column each; of more only the first and the last have one.
const COUNTS_SHOWN: usize = 5;

/// A column for people.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Field {
    Status,
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
    let mut fields = vec![Field::Status, Field::Change, Field::Percent];
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
    if diff.of_frames() {
        fields.push(Field::Flat);
    }
    if rows.iter().any(|row| row.persist.is_some_and(|persist| persist > 0)) {
        fields.push(Field::Persist);
    }
    if rows.iter().any(|row| row.waits.iter().any(|waits| waits.max > 0.0)) {
        fields.push(Field::Wait);
    }
    if !diff.by.contains(&Key::State) && !diff.of_frames() {
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

fn is_hash(key: &Key) -> bool {
    matches!(key, Key::Shape | Key::Stack | Key::Id)
}

/// The heading of a column, and whether it holds numbers.
pub(super) fn heading(diff: &Diff, field: Field) -> (String, bool) {
    let (heading, number) = match field {
        Field::Status => ("", false),
        Field::Change => ("CHANGE", true),
        Field::Percent => ("%", true),
        Field::Count(at) => {
            let last = diff.points.len().saturating_sub(1);
            let heading = match at {
                0 => "OLD".to_owned(),
                at if at == last => "NEW".to_owned(),
                at => format!("#{}", at + 1),
            };
            return (heading, true);
        }
        Field::Flat => ("LEAF", true),
        Field::Spark => ("SERIES", false),
        Field::Slope => ("A POINT", true),
        Field::Trend => ("TREND", false),
        Field::Persist => ("STAYING", true),
        Field::Wait => ("WAIT", true),
        Field::States => ("STATE", false),
        Field::Category => ("CATEGORY", false),
        Field::Key(at) => return (diff.by[at].name().to_uppercase(), false),
        Field::Name => ("STACK", false),
    };
    (heading.to_owned(), number)
}

/// A heading as the table wants it.
pub(super) fn as_column(heading: &(String, bool)) -> Column<'_> {
    match heading {
        (heading, true) => Column::Number(heading),
        (heading, false) => Column::Text(heading),
    }
}

/// What a row has in a column, escaped for the screen.
pub(super) fn cell(diff: &Diff, row: &Row, field: Field, screen: &Screen) -> String {
    match field {
        Field::Status => match row.status {
            Status::Same if row.counts.iter().any(|count| *count != row.counts[0]) => "back",
            status => status.name(),
        }
        .to_owned(),
        Field::Change => change(row.change, diff.normalized),
        Field::Percent => percent(row.percent()).unwrap_or_default(),
        Field::Count(at) => thousands(row.counts[at]),
        Field::Flat => {
            let flat = |count: Option<&i128>| thousands(count.copied().unwrap_or(0));
            from_to(flat(row.flat.first()), flat(row.flat.last()))
        }
        Field::Spark => sparkline(&row.counts),
        Field::Slope => row.trend.map_or(String::new(), |trend| slope(trend.slope)),
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

/// The number with its sign; `0` where nothing changed. Fractions come from scaling.
pub(super) fn change(change: f64, fractions: bool) -> String {
    if fractions && change.fract() != 0.0 {
        return match (change * 10.0).round() / 10.0 {
            0.0 => "0".to_owned(),
            tenths => format!("{tenths:+.1}"),
        };
    }
    match change as i128 {
        0 => "0".to_owned(),
        more @ 1.. => format!("+{}", thousands(more)),
        less => thousands(less),
    }
}

/// A change in percent with its sign: `+6.8%`, `-50%`, `+1,200%`; `None` where there is no base.
pub(super) fn percent(percent: Option<f64>) -> Option<String> {
    let percent = percent?;
    Some(match percent.abs() {
        0.0 => "0%".to_owned(),
        size if size < 0.1 => format!("{}0.1%", if percent > 0.0 { "<+" } else { ">-" }),
        size if size < 100.0 && size.fract() != 0.0 => format!("{percent:+.1}%"),
        _ => format!("{}%", change(percent.round(), false)),
    })
}

/// Goroutines a point.
pub(super) fn slope(slope: f64) -> String {
    match slope.abs() {
        size if size >= 10.0 => change(slope.round(), false),
        _ => change(slope, true),
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
        assert_eq!(change(1234.0, false), "+1,234");
        assert_eq!(change(-12.0, false), "-12");
        assert_eq!(change(0.0, false), "0");
        assert_eq!(change(2.26, true), "+2.3");
        assert_eq!(change(-0.04, true), "0");
        assert_eq!(change(3.0, true), "+3");
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
