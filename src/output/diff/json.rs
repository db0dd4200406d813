//! `stackgazer.diff/1`

use crate::output::document::Document;
use crate::profile::Profile;
use crate::view::diff::trend::Trend;
use crate::view::diff::{Cell, Diff, Own, Process, Row, STATUSES, Tally};
use crate::view::rows::{Count, Number, Range, states};
use crate::view::table::key::Key;
use crate::view::values::quantity::Quantity;
use serde::Serialize;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

const SCHEMA: &str = "stackgazer.diff/1";

/// The document.
pub(super) fn document<'a>(profile: &'a Profile, diff: &'a Diff) -> Document<'a, impl Serialize> {
    let rows = diff.rows.iter().map(|each| row(diff, each));
    Document::new(SCHEMA, profile, head(diff)).at_points(names(diff)).list("rows", "row", rows)
}

fn names(diff: &Diff) -> Vec<&str> {
    diff.points.iter().map(|point| point.name.as_str()).collect()
}

/// The fields of a diff. They are written one by one: with as many processes as points, the list of
/// these is as long as the square of that.
#[derive(Serialize)]
struct Head<'a> {
    by: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<&'a Quantity>,
    points: Vec<&'a str>,
    totals: Vec<Count>,
    /// The total of each point without the selection, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    of: Option<Vec<Count>>,
    change: Number,
    percent: Option<Number>,
    /// The factor that the counts of each point are scaled by before they are compared.
    #[serde(skip_serializing_if = "Option::is_none")]
    scale: Option<Vec<Number>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    trend: Option<Trend>,
    /// Sorted by name.
    statuses: BTreeMap<&'static str, Tally>,
    /// Rows whose changes are smaller than `--min-change`; they aren't in `statuses`.
    small: Tally,
    persist: Option<Count>,
    states: Vec<BTreeMap<&'a str, Count>>,
    wait_minutes: Vec<Option<Range>>,
    processes: &'a [Process],
    /// The functions of own code that grew most, for profiles that don't count goroutines.
    #[serde(skip_serializing_if = "Option::is_none")]
    own: Option<&'a Own>,
    notes: &'a [String],
    left_out: usize,
}

fn head(diff: &Diff) -> Head<'_> {
    let points = || diff.points.iter();
    let tally = |(status, name)| (name, diff.tally.get(&status).copied().unwrap_or_default());
    Head {
        by: diff.by.iter().map(Key::name).collect(),
        value: (!diff.quantity.is_of_goroutines()).then_some(&diff.quantity),
        points: names(diff),
        totals: points().map(|point| Count(point.total)).collect(),
        of: diff.selecting.then(|| points().map(|at| Count(at.whole)).collect()),
        change: Number(diff.change),
        percent: diff.percent().map(Number),
        scale: diff.normalized.then(|| points().map(|at| Number(at.scale)).collect()),
        trend: diff.trend,
        statuses: STATUSES.into_iter().map(tally).collect(),
        small: diff.below,
        persist: diff.persist.map(Count),
        states: points().map(|point| states(&point.states)).collect(),
        wait_minutes: points().map(|point| Range::of(&point.waits)).collect(),
        processes: &diff.processes,
        own: diff.own.as_ref(),
        notes: &diff.notes,
        left_out: diff.left_out,
    }
}

/// A row: a field named after each key, then the changes.
fn row(diff: &Diff, row: &Row) -> Map<String, Value> {
    let keys = diff.by.iter().zip(&row.keys);
    let mut object: Map<String, Value> = keys.map(|(key, it)| (key.name(), json!(it))).collect();
    // Those of the most frequent stack, to find it in other documents.
    for (key, value) in [
        (Key::Category, json!(row.category)),
        (Key::Name, json!(row.name)),
        (Key::Shape, json!(row.shape.to_string())),
        (Key::Stack, json!(row.stack.to_string())),
    ] {
        if !diff.by.contains(&key) {
            object.insert(key.name(), value);
        }
    }
    let at_points =
        |value: &dyn Fn(Option<&Cell>) -> Value| -> Value { row.cells.iter().map(value).collect() };
    let mut add = |name: &str, value: Value| object.insert(name.to_owned(), value);
    add("stacks", json!(row.stacks));
    add("status", json!(row.status.name()));
    let of_point = |cell: Option<&Cell>| json!(Count(cell.map_or(0, |cell| cell.count)));
    add("counts", at_points(&of_point));
    if diff.of_frames() {
        let of_point = |cell: Option<&Cell>| json!(Count(cell.map_or(0, |cell| cell.flat)));
        add("flat", at_points(&of_point));
    }
    add("change", json!(Number(row.change)));
    add("percent", json!(row.percent().map(Number)));
    if row.below {
        add("small", json!(true));
    }
    if let Some(trend) = &row.trend {
        add("trend", json!(trend));
    }
    add("persist", json!(row.persist.map(Count)));
    let of_point = |cell: Option<&Cell>| json!(states(cell.map_or(&[], |cell| &cell.states)));
    add("states", at_points(&of_point));
    let of_point = |cell: Option<&Cell>| json!(cell.and_then(|cell| Range::of(&cell.waits)));
    add("wait_minutes", at_points(&of_point));
    object
}
