//! The columns of a summary: for people, and as CSV.

use crate::output::csv::{self, Columns, number, text};
use crate::output::measure::{Values, measured};
use crate::output::numbers::{share, thousands, wait_range};
use crate::output::table::{Column, Holds};
use crate::output::terminal::Screen;
use crate::profile::Profile;
use crate::view::table::key::Key;
use crate::view::table::summary::{Row, Summary};
use std::io::{self, Write};

/// States that a table shows of a row; more are counted.
const STATES_SHOWN: usize = 2;
/// Inputs that a table has a column each for.
const INPUTS_SHOWN: usize = 8;
/// On screens narrower than this there is room for one state only.
const WIDE_SCREEN: usize = 120;

/// What a row has in a column.
type Cell<'a> = Box<dyn Fn(&Row, &Screen) -> String + 'a>;

/// A column for people.
pub(super) struct ShownColumn<'a> {
    pub(super) column: Column,
    /// It holds the values of a key.
    pub(super) is_key: bool,
    /// How many have the most frequent stack stands behind its name, and must not be cut.
    ends_with_count: bool,
    cell: Cell<'a>,
}

impl<'a> ShownColumn<'a> {
    fn new(column: Column, cell: impl Fn(&Row, &Screen) -> String + 'a) -> ShownColumn<'a> {
        ShownColumn { column, is_key: false, ends_with_count: false, cell: Box::new(cell) }
    }

    fn number(heading: impl Into<String>, cell: impl Fn(&Row) -> String + 'a) -> ShownColumn<'a> {
        ShownColumn::new(Column::new(Holds::Number, heading), move |row, _| cell(row))
    }

    /// Ranks how little the column is missed where there is no room; see [`Column::dispensable`].
    fn dispensable(mut self, rank: u8) -> ShownColumn<'a> {
        self.column.dispensable = rank;
        self
    }

    /// What a row has in it, escaped for the screen.
    pub(super) fn cell(&self, row: &Row, screen: &Screen) -> String {
        (self.cell)(row, screen)
    }

    /// What ends the cell.
    pub(super) fn tail(&self, row: &Row) -> String {
        match &row.top {
            Some((_, total)) if self.ends_with_count => format!("  ({})", thousands(*total)),
            _ => String::new(),
        }
    }
}

/// The columns that are worth showing to people, in their order.
pub(super) fn columns<'a>(profile: &Profile, summary: &'a Summary) -> Vec<ShownColumn<'a>> {
    let keys = |of_frames: bool| {
        let list = summary.by.iter().enumerate();
        let list = list.filter(move |(_, key)| key.is_of_frames() == of_frames);
        list.map(|(at, key)| {
            let cell = move |row: &Row, screen: &Screen| key_text(key, &row.keys[at], screen);
            ShownColumn { is_key: true, ..ShownColumn::new(of_key(key), cell) }
        })
    };
    let of_stacks = summary.by.iter().any(|key| matches!(key, Key::Stack | Key::Id));
    let top = || {
        // Where a row is one stack, all of it have that.
        let heading = if of_stacks { "NAME" } else { "TOP STACK" };
        let name = |row: &Row, screen: &Screen| {
            row.top.as_ref().map_or(String::new(), |(name, _)| screen.text(name).into_owned())
        };
        let top = ShownColumn::new(Column::new(Holds::Name, heading), name);
        ShownColumn { ends_with_count: !of_stacks, ..top }
    };
    let total = || {
        let of_values = summary.profile_verdict.as_ref().map(|of| of.kind.to_uppercase());
        let heading = of_values.unwrap_or_else(|| "GOROUTINES".to_owned());
        ShownColumn::number(heading, |row| amount(summary, row.total))
    };
    let mut shown: Vec<ShownColumn<'_>> = keys(false).collect();
    if let Some(pivot) = &summary.pivot {
        // Each input has a column where they are few, else those that differ from the others.
        let inputs = pivot.shown(INPUTS_SHOWN);
        shown.push(total());
        if inputs.len() < pivot.inputs.len() {
            let median = |row: &Row| amount(summary, row.spread.median.round() as i128);
            shown.push(ShownColumn::number("MEDIAN", median));
            shown.push(ShownColumn::number("MOST", |row| amount(summary, row.spread.most.1)));
            let most_on = |row: &Row, screen: &Screen| match row.spread.most {
                (at, 1..) => screen.text(&pivot.inputs[at]).into_owned(),
                _ => "-".to_owned(),
            };
            shown.push(ShownColumn::new(Column::new(Holds::Text, "ON"), most_on));
        }
        shown.extend(inputs.into_iter().map(|at| {
            ShownColumn::number(&*pivot.inputs[at], move |row| amount(summary, row.spread.cell(at)))
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
        shown.push(ShownColumn::number("FLAT", move |row| values.text(row.flat)));
        shown.push(ShownColumn::number("FLAT%", move |row| share(row.flat, whole)));
        if summary.profile_verdict.is_some() {
            let sum = ShownColumn::number("SUM%", move |row| share(row.sum, whole));
            shown.push(sum.dispensable(1));
        }
        shown.push(ShownColumn::number("CUM", move |row| of_cum.text(row.cum)));
        shown.push(ShownColumn::number("CUM%", move |row| share(row.cum, whole)));
        // Functions are long, and what is cut at the edge of a screen is the last column.
        shown.extend(keys(true));
        return shown;
    }
    shown.push(total());
    // Names often tell the state, and a row is understood without how many stacks are in it.
    if !of_stacks {
        let stacks = ShownColumn::number("STACKS", |row| thousands(row.stacks as i128));
        shown.push(stacks.dispensable(2));
    }
    if !summary.by.contains(&Key::State) && summary.profile_verdict.is_none() {
        let cell = |row: &Row, screen: &Screen| states(&row.states, screen);
        shown.push(ShownColumn::new(Column::new(Holds::Text, "STATES"), cell).dispensable(3));
    }
    let waited = summary.rows.iter().any(|row| row.waits.max > 0.0);
    if waited && !summary.by.contains(&Key::Wait) {
        let wait = ShownColumn::number("WAIT", |row| wait_range(row.waits.range()));
        shown.push(wait.dispensable(1));
    }
    if !summary.by.contains(&Key::Name) {
        shown.push(top());
    }
    shown
}

/// The column of a key.
pub(in crate::output) fn of_key(key: &Key) -> Column {
    let holds = match key {
        Key::Name | Key::Creator | Key::Function => Holds::Name,
        Key::Category | Key::Package | Key::Module | Key::File | Key::Line => Holds::Path,
        _ => Holds::Text,
    };
    Column::new(holds, key.name().to_uppercase())
}

/// The value of a key, escaped for the screen.
pub(in crate::output) fn key_text(key: &Key, value: &Option<String>, screen: &Screen) -> String {
    match value {
        Some(value) => screen.text(value).into_owned(),
        None if matches!(key, Key::State | Key::Wait) => "unknown".to_owned(),
        None => "-".to_owned(),
    }
}

fn states(states: &[(Option<String>, i128)], screen: &Screen) -> String {
    let name = |state: &Option<String>| match state {
        Some(state) => screen.text(state).into_owned(),
        None => "unknown".to_owned(),
    };
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
