//! Rows of a summary as cells, and the formats that are nothing but cells.

use crate::output::csv::{guard, io_error, rows};
use crate::output::measure::measured;
use crate::output::numbers::{share, thousands, wait_range};
use crate::output::table::{Column, Holds};
use crate::output::terminal::Screen;
use crate::profile::{Profile, unit};
use crate::view::key::Key;
use crate::view::summary::{Pivot, Row, Summary};
use std::io::{self, Write};

/// States that a table shows of a row; more are counted.
const STATES_SHOWN: usize = 2;
/// Inputs that a table has a column each for.
const INPUTS_SHOWN: usize = 8;
/// On screens narrower than this there is room for one state only.
const WIDE_SCREEN: usize = 120;

/// A column for people.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Field {
    /// The key at this position of [`Summary::by`].
    Key(usize),
    Total,
    Flat,
    FlatShare,
    SumShare,
    Cum,
    CumShare,
    Stacks,
    States,
    Wait,
    Top,
    /// The number in the middle of all inputs.
    Median,
    /// The largest number of any input.
    Most,
    /// The input that has it.
    MostOn,
    /// What the input at this position of the pivot has.
    Input(usize),
}

/// The columns of a table that is spread over inputs: each has one where they are few, else those
/// that differ from the others.
fn pivoted(summary: &Summary, pivot: &Pivot) -> Vec<Field> {
    let shown = pivot.shown(INPUTS_SHOWN);
    let mut fields = vec![Field::Total];
    if shown.len() < pivot.inputs.len() {
        fields.extend([Field::Median, Field::Most, Field::MostOn]);
    }
    fields.extend(shown.into_iter().map(Field::Input));
    let of_frames = summary.by.iter().enumerate().filter(|(_, key)| key.is_of_frames());
    fields.extend(of_frames.map(|(at, _)| Field::Key(at)));
    if of_stacks(summary) {
        fields.push(Field::Top);
    }
    fields
}

/// The columns that are worth showing to people, in their order.
pub(super) fn fields(summary: &Summary) -> Vec<Field> {
    let keys = |of_frames: bool| {
        let list = summary.by.iter().enumerate();
        list.filter(move |(_, key)| key.is_of_frames() == of_frames).map(|(at, _)| Field::Key(at))
    };
    let mut fields: Vec<Field> = keys(false).collect();
    if let Some(pivot) = &summary.pivot {
        fields.extend(pivoted(summary, pivot));
        return fields;
    }
    if summary.of_frames() {
        fields.extend([Field::Flat, Field::FlatShare]);
        if summary.profile_verdict.is_some() {
            fields.push(Field::SumShare);
        }
        fields.extend([Field::Cum, Field::CumShare]);
        // Functions are long, and what is cut at the edge of a screen is the last column.
        fields.extend(keys(true));
        return fields;
    }
    fields.push(Field::Total);
    if !of_stacks(summary) {
        fields.push(Field::Stacks);
    }
    if !summary.by.contains(&Key::State) && summary.profile_verdict.is_none() {
        fields.push(Field::States);
    }
    let waited = summary.rows.iter().any(|row| row.waits.max > 0.0);
    if waited && !summary.by.contains(&Key::Wait) {
        fields.push(Field::Wait);
    }
    if !summary.by.contains(&Key::Name) {
        fields.push(Field::Top);
    }
    fields
}

/// A column of the table.
pub(super) fn column(summary: &Summary, field: Field) -> Column {
    let (heading, holds) = match field {
        Field::Key(at) => return of_key(&summary.by[at]),
        Field::Total => match &summary.profile_verdict {
            Some(measured) => return Column::new(Holds::Number, measured.kind.to_uppercase()),
            None => ("GOROUTINES", Holds::Number),
        },
        Field::Flat => ("FLAT", Holds::Number),
        Field::FlatShare => ("FLAT%", Holds::Number),
        Field::SumShare => ("SUM%", Holds::Number),
        Field::Cum => ("CUM", Holds::Number),
        Field::CumShare => ("CUM%", Holds::Number),
        Field::Stacks => ("STACKS", Holds::Number),
        Field::States => ("STATES", Holds::Text),
        Field::Wait => ("WAIT", Holds::Number),
        Field::Median => ("MEDIAN", Holds::Number),
        Field::Most => ("MOST", Holds::Number),
        Field::MostOn => ("ON", Holds::Text),
        Field::Input(at) => match &summary.pivot {
            Some(pivot) => return Column::new(Holds::Number, pivot.inputs[at].clone()),
            None => ("", Holds::Number),
        },
        Field::Top if of_stacks(summary) => ("NAME", Holds::Name),
        Field::Top => ("TOP STACK", Holds::Name),
    };
    // Names often tell the state, and a row is understood without how many stacks are in it.
    let dispensable = match field {
        Field::States => 3,
        Field::Stacks => 2,
        Field::SumShare | Field::Wait => 1,
        _ => 0,
    };
    Column { dispensable, ..Column::new(holds, heading) }
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

/// Whether each row is about one stack.
fn of_stacks(summary: &Summary) -> bool {
    summary.by.iter().any(|key| matches!(key, Key::Stack | Key::Id))
}

/// What is the same for all rows of a table.
pub(super) struct Cells<'a> {
    summary: &'a Summary,
    /// The unit of the values, and the one that was asked for.
    from: String,
    to: Option<String>,
}

impl<'a> Cells<'a> {
    pub(super) fn new(profile: &Profile, summary: &'a Summary) -> Cells<'a> {
        let from = String::from_utf8_lossy(profile.value_name().1).into_owned();
        let rows = summary.rows.iter().map(|row| (row.flat, row.cum));
        let to = summary.value_options.unit_of_rows(&from, rows);
        Cells { summary, from, to }
    }

    fn value(&self, value: i128) -> String {
        let value = self.summary.value_options.divided(value);
        match &self.to {
            Some(to) => unit::label(value, &self.from, to),
            None => amount(self.summary, value),
        }
    }

    /// What a row has in a column, escaped for the screen.
    pub(super) fn cell(&self, row: &Row, field: Field, screen: &Screen) -> String {
        let whole = self.summary.whole();
        match field {
            Field::Flat => self.value(row.flat),
            Field::FlatShare => share(row.flat, whole),
            Field::SumShare => share(row.sum, whole),
            Field::Cum => self.value(row.cum),
            Field::CumShare => share(row.cum, whole),
            field => cell(self.summary, row, field, screen),
        }
    }
}

/// What a row has in a column that isn't about frames.
fn cell(summary: &Summary, row: &Row, field: Field, screen: &Screen) -> String {
    match field {
        Field::Key(at) => match &row.keys[at] {
            Some(value) => screen.text(value).into_owned(),
            None if matches!(summary.by[at], Key::State | Key::Wait) => "unknown".to_owned(),
            None => "-".to_owned(),
        },
        Field::Total => amount(summary, row.total),
        Field::Flat | Field::FlatShare | Field::SumShare | Field::Cum | Field::CumShare => {
            String::new()
        }
        Field::Stacks => thousands(row.stacks as i128),
        Field::Median => amount(summary, row.spread.median.round() as i128),
        Field::Most => amount(summary, row.spread.most.1),
        Field::MostOn => match (&summary.pivot, row.spread.most) {
            (Some(pivot), (at, 1..)) => screen.text(&pivot.inputs[at]).into_owned(),
            _ => "-".to_owned(),
        },
        Field::Input(at) => amount(summary, row.spread.cell(at)),
        Field::States => states(&row.states, screen),
        Field::Wait => wait_range(row.waits.range()),
        Field::Top => match &row.top {
            Some((name, _)) => screen.text(name).into_owned(),
            None => String::new(),
        },
    }
}

/// What ends a cell and must not be cut: how many have the most frequent stack. Where a row is one
/// stack, that is all of them.
pub(super) fn tail(summary: &Summary, row: &Row, field: Field) -> String {
    match &row.top {
        Some((_, total)) if field == Field::Top && !of_stacks(summary) => {
            format!("  ({})", thousands(*total))
        }
        _ => String::new(),
    }
}

fn states(states: &[(Option<String>, i128)], screen: &Screen) -> String {
    if let [(Some(only), _)] = states {
        return screen.text(only).into_owned();
    }
    if let [(None, _)] = states {
        return "unknown".to_owned();
    }
    let count = match screen.width {
        Some(width) if width < WIDE_SCREEN => 1,
        _ => STATES_SHOWN,
    };
    let mut shown: Vec<String> = states
        .iter()
        .take(count)
        .map(|(state, count)| {
            let state = state.as_deref().unwrap_or("unknown");
            format!("{} {}", screen.text(state), thousands(*count))
        })
        .collect();
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
    let mut writer = rows(out);
    let of_frames = summary.of_frames();
    let text = |text: &str| guard(text.as_bytes()).into_owned();
    let number = |number: i128| number.to_string().into_bytes();
    let mut header: Vec<Vec<u8>> = summary.by.iter().map(|key| text(&key.name())).collect();
    if of_frames {
        header.extend([b"flat".to_vec(), b"cum".to_vec()]);
    }
    let counts = ["total", "stacks", "states", "wait_minutes_min", "wait_minutes_max", "top_stack"];
    header.extend(counts.map(|name| name.as_bytes().to_vec()));
    if let Some(pivot) = &summary.pivot {
        header.extend(["median", "outliers"].map(|name| name.as_bytes().to_vec()));
        header.extend(pivot.inputs.iter().map(|input| text(&format!("input:{input}"))));
    }
    writer.write_record(&header).map_err(io_error)?;
    for row in &summary.rows {
        let mut record: Vec<Vec<u8>> =
            row.keys.iter().map(|value| text(value.as_deref().unwrap_or_default())).collect();
        if of_frames {
            let divided = |value| number(summary.value_options.divided(value));
            record.extend([divided(row.flat), divided(row.cum)]);
        }
        let states: Vec<String> = row
            .states
            .iter()
            .map(|(state, count)| format!("{}={count}", state.as_deref().unwrap_or("unknown")))
            .collect();
        let (min, max) = match row.waits.range() {
            Some((min, max)) => (min.to_string(), max.to_string()),
            None => Default::default(),
        };
        record.extend([
            number(row.total),
            number(row.stacks as i128),
            text(&states.join(";")),
            min.into_bytes(),
            max.into_bytes(),
            text(row.top.as_ref().map_or("", |(name, _)| name)),
        ]);
        if let Some(pivot) = &summary.pivot {
            let odd: Vec<&str> =
                row.spread.odd.iter().map(|&at| pivot.inputs[at].as_str()).collect();
            record.extend([row.spread.median.to_string().into_bytes(), text(&odd.join(";"))]);
            record.extend((0..pivot.inputs.len()).map(|at| number(row.spread.cell(at))));
        }
        writer.write_record(&record).map_err(io_error)?;
    }
    writer.flush()
}
