//! `stackgazer.diff/1`

use crate::output::document::{self, Document, line, without_null};
use crate::profile::Profile;
use crate::view::diff::{Diff, Row, STATUSES};
use crate::view::rows::{Count, Number, Range, counts, states};
use crate::view::table::key::Key;
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use serde_json::{Map, Value, json};
use std::io::{self, Write};

const SCHEMA: &str = "stackgazer.diff/1";

/// One document.
pub(super) fn document(profile: &Profile, diff: &Diff, out: &mut dyn Write) -> io::Result<()> {
    #[derive(Serialize)]
    struct Own<'a> {
        #[serde(flatten)]
        head: Value,
        rows: Vec<RowObject<'a>>,
    }
    let rows = diff.rows.iter().map(|row| RowObject { diff, row }).collect();
    let own = Own { head: head(diff), rows };
    document::write(&Document::new(SCHEMA, profile, own).at_points(&names(diff)), out)
}

/// One object a line: the inputs with everything but the rows, then the rows.
pub(super) fn lines(profile: &Profile, diff: &Diff, out: &mut dyn Write) -> io::Result<()> {
    line(out, "inputs", &Document::new(SCHEMA, profile, head(diff)).at_points(&names(diff)))?;
    diff.rows.iter().try_for_each(|row| line(out, "row", &RowObject { diff, row }))
}

fn names(diff: &Diff) -> Vec<String> {
    diff.points.iter().map(|point| point.name.clone()).collect()
}

fn head(diff: &Diff) -> Value {
    let points = || diff.points.iter();
    // By name.
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
        // How much of each point there is in all, where anything was asked for.
        "of": diff.selecting.then(|| points().map(|at| Count(at.whole)).collect::<Vec<_>>()),
        "change": Number(diff.change),
        "percent": diff.percent().map(Number),
        // What the counts of each point are multiplied with before they are compared.
        "scale": diff.normalized.then(|| points().map(|at| Number(at.scale)).collect::<Vec<_>>()),
        "trend": diff.trend,
        "statuses": statuses,
        // Changes that are smaller than `--min-change`; not in `statuses`.
        "small": diff.below,
        "persist": diff.persist.map(Count),
        "states": points().map(|point| states(&point.states)).collect::<Vec<_>>(),
        "wait_minutes": points().map(|point| Range::of(&point.waits)).collect::<Vec<_>>(),
        "processes": diff.processes,
        // What grew most of own code, of profiles that don't count goroutines.
        "own": diff.own,
        "notes": diff.notes,
        "left_out": diff.left_out,
    });
    without_null(head, &["value", "of", "scale", "trend", "own"])
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
        let (stack, shape) = (row.stack.to_string(), row.shape.to_string());
        for (key, value) in [
            (Key::Category, &row.category),
            (Key::Name, &row.name),
            (Key::Shape, &shape),
            (Key::Stack, &stack),
        ] {
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
            object.serialize_entry("trend", trend)?;
        }
        object.serialize_entry("persist", &row.persist.map(Count))?;
        let states: Vec<_> = row.states.iter().map(|list| states(list)).collect();
        object.serialize_entry("states", &states)?;
        let waits: Vec<Option<Range>> = row.waits.iter().map(Range::of).collect();
        object.serialize_entry("wait_minutes", &waits)?;
        object.end()
    }
}
