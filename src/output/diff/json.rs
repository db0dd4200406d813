//! `stackgazer.diff/1`

use crate::output::json::{Count, Range};
use crate::profile::Profile;
use crate::view::diff::{Diff, Grown, Own, Row, STATUSES, Tally, Trend};
use crate::view::inputs::{InputsAtPoints, Unread};
use crate::view::key::Key;
use crate::view::quantity::Quantity;
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use std::collections::BTreeMap;
use std::io::{self, Write};

const SCHEMA: &str = "stackgazer.diff/1";

/// One document.
pub(super) fn document(profile: &Profile, diff: &Diff, out: &mut dyn Write) -> io::Result<()> {
    #[derive(Serialize)]
    struct Document<'a> {
        #[serde(flatten)]
        head: Head<'a>,
        rows: Vec<RowObject<'a>>,
    }
    let rows = diff.rows.iter().map(|row| RowObject { diff, row }).collect();
    serde_json::to_writer(&mut *out, &Document { head: Head::of(profile, diff), rows })?;
    writeln!(out)
}

/// One object a line: the inputs with everything but the rows, then the rows.
pub(super) fn lines(profile: &Profile, diff: &Diff, out: &mut dyn Write) -> io::Result<()> {
    #[derive(Serialize)]
    struct Line<'a, T> {
        r#type: &'static str,
        #[serde(flatten)]
        object: &'a T,
    }
    let head = Head::of(profile, diff);
    serde_json::to_writer(&mut *out, &Line { r#type: "inputs", object: &head })?;
    writeln!(out)?;
    for row in &diff.rows {
        let object = &RowObject { diff, row };
        serde_json::to_writer(&mut *out, &Line { r#type: "row", object })?;
        writeln!(out)?;
    }
    Ok(())
}

#[derive(Serialize)]
struct Head<'a> {
    schema: &'static str,
    inputs: InputsAtPoints<'a>,
    #[serde(flatten)]
    unread: Unread<'a>,
    by: Vec<String>,
    #[serde(skip_serializing_if = "Quantity::is_of_goroutines")]
    value: &'a Quantity,
    points: Vec<&'a str>,
    totals: Vec<Count>,
    /// How much of each point there is in all, where anything was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    of: Option<Vec<Count>>,
    change: Number,
    percent: Option<Number>,
    /// What the counts of each point are multiplied with before they are compared.
    #[serde(skip_serializing_if = "Option::is_none")]
    scale: Option<Vec<Number>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    trend: Option<TrendObject>,
    statuses: BTreeMap<&'static str, TallyObject>,
    /// Changes that are smaller than `--min-change`; not in `statuses`.
    small: TallyObject,
    persist: Option<Count>,
    states: Vec<States<'a>>,
    wait_minutes: Vec<Option<Range>>,
    processes: Vec<ProcessObject<'a>>,
    /// What grew most of own code, of profiles that don't count goroutines.
    #[serde(skip_serializing_if = "Option::is_none")]
    own: Option<OwnObject<'a>>,
    notes: &'a [String],
    left_out: usize,
}

#[derive(Serialize)]
struct OwnObject<'a> {
    flat: Option<GrownObject<'a>>,
    cum: Option<GrownObject<'a>>,
}

#[derive(Serialize)]
struct GrownObject<'a> {
    function: &'a str,
    counts: Vec<Count>,
    change: Number,
}

impl<'a> OwnObject<'a> {
    fn of(own: &'a Own) -> OwnObject<'a> {
        let grown = |grown: &'a Grown| GrownObject {
            function: &grown.function,
            counts: grown.counts.iter().copied().map(Count).collect(),
            change: Number(grown.change),
        };
        OwnObject { flat: own.flat.as_ref().map(grown), cum: own.cum.as_ref().map(grown) }
    }
}

impl<'a> Head<'a> {
    fn of(profile: &'a Profile, diff: &'a Diff) -> Head<'a> {
        let points = &diff.points;
        let tally = |status| diff.tally.get(&status).copied().unwrap_or_default();
        Head {
            schema: SCHEMA,
            inputs: InputsAtPoints(profile, points.iter().map(|p| p.name.as_str()).collect()),
            unread: Unread::of(profile),
            by: diff.by.iter().map(Key::name).collect(),
            value: &diff.quantity,
            points: points.iter().map(|point| point.name.as_str()).collect(),
            totals: points.iter().map(|point| Count(point.total)).collect(),
            of: diff.selecting.then(|| points.iter().map(|point| Count(point.whole)).collect()),
            change: Number(diff.change),
            percent: diff.percent().map(Number),
            scale: diff
                .normalized
                .then(|| points.iter().map(|point| Number(point.scale)).collect()),
            trend: diff.trend.as_ref().map(TrendObject::of),
            statuses: STATUSES
                .iter()
                .map(|(status, name)| (*name, TallyObject::of(&tally(*status))))
                .collect(),
            small: TallyObject::of(&diff.below),
            persist: diff.persist.map(Count),
            states: points.iter().map(|point| states(&point.states)).collect(),
            wait_minutes: points.iter().map(|point| Range::of(&point.waits)).collect(),
            processes: diff
                .processes
                .iter()
                .map(|process| ProcessObject {
                    name: &process.name,
                    counts: process.counts.iter().map(|count| count.map(Count)).collect(),
                })
                .collect(),
            own: diff.own.as_ref().map(OwnObject::of),
            notes: &diff.notes,
            left_out: diff.left_out,
        }
    }
}

#[derive(Serialize)]
struct TallyObject {
    rows: usize,
    change: Number,
}

impl TallyObject {
    fn of(tally: &Tally) -> TallyObject {
        TallyObject { rows: tally.rows, change: Number(tally.change) }
    }
}

#[derive(Serialize)]
struct ProcessObject<'a> {
    name: &'a str,
    counts: Vec<Option<Count>>,
}

#[derive(Serialize)]
struct TrendObject {
    slope: Number,
    rising_steps: usize,
    rises: bool,
    levelled_off: bool,
}

impl TrendObject {
    fn of(trend: &Trend) -> TrendObject {
        TrendObject {
            slope: Number(trend.slope),
            rising_steps: trend.rising_steps,
            rises: trend.rises,
            levelled_off: trend.levelled_off,
        }
    }
}

/// A number that is written as a whole one where it is one.
struct Number(f64);

impl Serialize for Number {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        // Beyond 2^53 every number is a whole one.
        if self.0.fract() == 0.0 && self.0.abs() < 9_007_199_254_740_992.0 {
            out.serialize_i64(self.0 as i64)
        } else {
            out.serialize_f64(self.0)
        }
    }
}

type States<'a> = BTreeMap<&'a str, Count>;

/// States by name; those that aren't known count as `unknown`.
fn states(list: &[(Option<String>, i128)]) -> States<'_> {
    let mut states = States::new();
    for (state, count) in list {
        states.entry(state.as_deref().unwrap_or("unknown")).or_insert(Count(0)).0 += count;
    }
    states
}

/// A row: a field named after each key, then what changed.
struct RowObject<'a> {
    diff: &'a Diff,
    row: &'a Row,
}

impl Serialize for RowObject<'_> {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        let RowObject { diff, row } = self;
        let mut object = out.serialize_map(None)?;
        for (key, value) in diff.by.iter().zip(&row.keys) {
            object.serialize_entry(&key.name(), value)?;
        }
        // Of the most frequent stack, to find it in other documents.
        for (key, value) in [(Key::Category, &row.category), (Key::Name, &row.name)] {
            if !diff.by.contains(&key) {
                object.serialize_entry(&key.name(), value)?;
            }
        }
        for (key, value) in [(Key::Shape, &row.shape), (Key::Stack, &row.stack)] {
            if !diff.by.contains(&key) {
                object.serialize_entry(&key.name(), value)?;
            }
        }
        object.serialize_entry("stacks", &row.stacks)?;
        object.serialize_entry("status", row.status.name())?;
        object.serialize_entry("counts", &counts(&row.counts))?;
        if diff.of_frames() {
            object.serialize_entry("flat", &counts(&row.flat))?;
        }
        object.serialize_entry("change", &Number(row.change))?;
        object.serialize_entry("percent", &row.percent().map(Number))?;
        if row.below {
            object.serialize_entry("small", &true)?;
        }
        if let Some(trend) = &row.trend {
            object.serialize_entry("trend", &TrendObject::of(trend))?;
        }
        object.serialize_entry("persist", &row.persist.map(Count))?;
        let states: Vec<States<'_>> = row.states.iter().map(|list| states(list)).collect();
        object.serialize_entry("states", &states)?;
        let waits: Vec<Option<Range>> = row.waits.iter().map(Range::of).collect();
        object.serialize_entry("wait_minutes", &waits)?;
        object.end()
    }
}

fn counts(counts: &[i128]) -> Vec<Count> {
    counts.iter().map(|&count| Count(count)).collect()
}
