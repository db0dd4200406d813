//! `stackgazer.diff/1`

use crate::output::document::{Document, without_null};
use crate::profile::Profile;
use crate::view::diff::{Diff, Row, STATUSES};
use crate::view::rows::{Count, Number, Range, counts, states};
use crate::view::table::key::Key;
use serde_json::{Map, Value, json};

const SCHEMA: &str = "stackgazer.diff/1";

/// The document.
pub(super) fn document<'a>(profile: &'a Profile, diff: &'a Diff) -> Document<'a> {
    let rows = diff.rows.iter().map(|each| row(diff, each));
    Document::new(SCHEMA, profile, head(diff)).at_points(names(diff)).list("rows", "row", rows)
}

fn names(diff: &Diff) -> Vec<&str> {
    diff.points.iter().map(|point| point.name.as_str()).collect()
}

fn head(diff: &Diff) -> Value {
    let points = || diff.points.iter();
    // Sorted by name.
    let mut statuses: Vec<_> = STATUSES
        .iter()
        .map(|(status, name)| (*name, diff.tally.get(status).copied().unwrap_or_default()))
        .collect();
    statuses.sort_by_key(|(name, _)| *name);
    let statuses: Map<String, Value> =
        statuses.into_iter().map(|(name, tally)| (name.to_owned(), json!(tally))).collect();
    let head = json!({
        "by": diff.by.iter().map(Key::name).collect::<Vec<_>>(),
        "value": (!diff.quantity.is_of_goroutines()).then_some(&diff.quantity),
        "points": names(diff),
        "totals": points().map(|point| Count(point.total)).collect::<Vec<_>>(),
        // The total of each point without the selection, if there is one.
        "of": diff.selecting.then(|| points().map(|at| Count(at.whole)).collect::<Vec<_>>()),
        "change": Number(diff.change),
        "percent": diff.percent().map(Number),
        // The factor that the counts of each point are scaled by before they are compared.
        "scale": diff.normalized.then(|| points().map(|at| Number(at.scale)).collect::<Vec<_>>()),
        "trend": diff.trend,
        "statuses": statuses,
        // Rows whose changes are smaller than `--min-change`; they aren't in `statuses`.
        "small": diff.below,
        "persist": diff.persist.map(Count),
        "states": points().map(|point| states(&point.states)).collect::<Vec<_>>(),
        "wait_minutes": points().map(|point| Range::of(&point.waits)).collect::<Vec<_>>(),
        "processes": diff.processes,
        // The functions of own code that grew most, for profiles that don't count goroutines.
        "own": diff.own,
        "notes": diff.notes,
        "left_out": diff.left_out,
    });
    without_null(head, &["value", "of", "scale", "trend", "own"])
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
    let mut add = |name: &str, value: Value| object.insert(name.to_owned(), value);
    add("stacks", json!(row.stacks));
    add("status", json!(row.status.name()));
    add("counts", json!(counts(&row.counts)));
    if diff.of_frames() {
        add("flat", json!(counts(&row.flat)));
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
    add("states", json!(row.states.iter().map(|list| states(list)).collect::<Vec<_>>()));
    add("wait_minutes", json!(row.waits.iter().map(Range::of).collect::<Vec<_>>()));
    object
}
