//! `stackgazer.summary/1`

use super::verdict::command_of;
use super::{Shown, stuck};
use crate::output::crash::object as crash;
use crate::output::document::{self, Document, line, without_null};
use crate::profile::{LONG_WAIT_MINUTES, Profile};
use crate::verdict::{Deadlock, StuckFact};
use crate::view::rows::{Count, Minutes, Range, Text, states};
use crate::view::table::key::Key;
use crate::view::table::outlier::Outlier;
use crate::view::table::profile_verdict::ProfileVerdict;
use crate::view::table::summary::{Row, Summary};
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use serde_json::{Value, json};
use std::io::{self, Write};

const SCHEMA: &str = "stackgazer.summary/1";

/// One document.
pub(super) fn document(shown: &Shown<'_>, out: &mut dyn Write) -> io::Result<()> {
    #[derive(Serialize)]
    struct Own<'a> {
        #[serde(flatten)]
        head: Value,
        verdict: Value,
        rows: Vec<RowObject<'a>>,
    }
    let Shown { profile, summary, .. } = *shown;
    let rows = summary.rows.iter().map(|row| RowObject { summary, row }).collect();
    let own = Own { head: head(shown), verdict: verdict(shown), rows };
    document::write(&Document::new(SCHEMA, profile, own), out)
}

/// One object a line: the inputs, the verdict, the rows.
pub(super) fn lines(shown: &Shown<'_>, out: &mut dyn Write) -> io::Result<()> {
    let summary = shown.summary;
    line(out, "inputs", &Document::new(SCHEMA, shown.profile, head(shown)))?;
    line(out, "verdict", &verdict(shown))?;
    summary.rows.iter().try_for_each(|row| line(out, "row", &RowObject { summary, row }))
}

fn head(shown: &Shown<'_>) -> Value {
    let Shown { profile, summary, verdict, .. } = *shown;
    let of_frames = summary.of_frames();
    let pivot = summary.pivot.as_ref().map(|pivot| {
        let columns = pivot.inputs.iter().zip(&pivot.totals);
        let column =
            |(input, total): (&String, &i128)| json!({"input": input, "total": Count(*total)});
        json!({"key": "input", "columns": columns.map(column).collect::<Vec<_>>()})
    });
    let head = json!({
        "total": Count(summary.total),
        "selected": summary.selected,
        "stacks": summary.stacks,
        "categories": summary.categories,
        "states": states(&verdict.activity.states),
        "by": summary.by.iter().map(Key::name).collect::<Vec<_>>(),
        "value": (of_frames || !profile.counts_goroutines()).then(|| value(profile, summary)),
        // What is 100%.
        "whole": of_frames.then(|| divided(summary, summary.whole())),
        "pivot": pivot,
        "left_out": summary.left_out,
    });
    without_null(head, &["selected", "value", "whole", "pivot"])
}

fn value(profile: &Profile, summary: &Summary) -> Value {
    let (kind, unit) = profile.value_name();
    let mean = summary.value_options.mean.then_some(true);
    without_null(json!({"type": Text(kind), "unit": Text(unit), "mean": mean}), &["mean"])
}

fn divided(summary: &Summary, value: i128) -> Count {
    Count(summary.value_options.divided(value))
}

fn verdict(shown: &Shown<'_>) -> Value {
    let Shown { summary, verdict, .. } = *shown;
    let (activity, waits) = (&verdict.activity, &verdict.waits);
    let longest = activity.longest.as_ref().map(|longest| {
        json!({
            "minutes": Minutes::of(longest.minutes),
            "goroutine": longest.goroutine.to_string(),
            "input": longest.input,
        })
    });
    let long_waits = (activity.known_waits > 0).then(
        || json!({"minutes": Minutes::of(LONG_WAIT_MINUTES), "goroutines": activity.long_waits}),
    );
    let certain = waits.deadlocks.iter().filter(|one| one.is_certain);
    let failed = verdict.unread.problems().map(ToString::to_string);
    let others = (!summary.others.is_empty()).then_some(&summary.others);
    let verdict = json!({
        "crashes": verdict.crashes.iter().map(crash).collect::<Vec<_>>(),
        "longest_wait": longest,
        "long_waits": long_waits,
        "locks": {
            "mutex": Count(activity.mutexes),
            "rwmutex": Count(activity.rw_mutexes),
            "most": activity.lock_pile,
        },
        "deadlocks": certain.map(|one| &one.text).collect::<Vec<_>>(),
        "circles": waits.deadlocks.iter().map(|one| circle(one, shown)).collect::<Vec<_>>(),
        "chains": waits.chains,
        "leaked": Count(activity.leaked),
        "leaked_most": activity.leak_pile,
        "nil_channels": Count(activity.nil_channels),
        "empty_selects": Count(activity.empty_selects),
        "crowd": activity.crowd,
        "stuck": verdict.stuck.iter().map(|fact| stuck(fact, shown)).collect::<Vec<_>>(),
        "outliers": verdict.outliers.iter().map(outlier).collect::<Vec<_>>(),
        "race_reports": verdict.races,
        "complete": verdict.complete(),
        "losses": verdict.losses,
        "failed": failed.collect::<Vec<_>>(),
        "skipped_members": verdict.unread.skipped,
        "measured": summary.profile_verdict.as_ref().map(measured),
        "others": others,
    });
    without_null(verdict, &["measured", "others"])
}

/// Goroutines that wait for each other, or one that waits for itself.
fn circle(deadlock: &Deadlock, shown: &Shown<'_>) -> Value {
    json!({
        "input": deadlock.input,
        "goroutines": deadlock.goroutines.iter().map(u64::to_string).collect::<Vec<_>>(),
        "certain": deadlock.is_certain,
        "text": deadlock.text,
        "behind": deadlock.behind,
        "command": command_of(shown, deadlock),
    })
}

fn stuck(fact: &StuckFact, shown: &Shown<'_>) -> Value {
    json!({
        "about": fact.what.name(),
        "text": stuck::sentence(fact, shown.profile.inputs.len()),
        "goroutines": Count(fact.count),
        "kind": fact.kind.name(),
        "function": fact.function,
        "file": Some(&fact.file).filter(|file| !file.is_empty()),
        "line": fact.line,
        "wait_minutes": Range::of(&fact.waits),
        "checks": fact.checks,
        "held": fact.held,
        "command": shown.command_line.command("filter", &fact.selecting),
    })
}

fn outlier(outlier: &Outlier) -> Value {
    let (min, median, max) = outlier.others;
    json!({
        "input": outlier.input,
        "category": outlier.category,
        "name": outlier.name,
        "goroutines": Count(outlier.count),
        "others": {
            "inputs": outlier.peers,
            "min": Count(min),
            "median": median,
            "max": Count(max),
        },
        "more": outlier.more,
    })
}

/// What is said of profiles that don't count goroutines.
fn measured(of: &ProfileVerdict) -> Value {
    let shares = |list: &[(String, i128)]| -> Vec<Value> {
        let share = |(function, value): &_| json!({"function": function, "value": Count(*value)});
        list.iter().map(share).collect()
    };
    let wait = |(what, value): &(&str, i128)| json!({"for": what, "value": Count(*value)});
    json!({
        "sort": of.sort,
        "totals": of.totals,
        "duration_nanos": Count(of.duration_nanos),
        "functions": shares(&of.leaves),
        "own_functions": shares(&of.own),
        "garbage_collector": Count(of.collector),
        "waits": of.waits.iter().map(wait).collect::<Vec<_>>(),
        "memory": of.memory,
    })
}

/// A row: a field named after each key, then what was counted.
struct RowObject<'a> {
    summary: &'a Summary,
    row: &'a Row,
}

impl Serialize for RowObject<'_> {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        let RowObject { summary, row } = self;
        let mut object = out.serialize_map(None)?;
        for (key, value) in summary.by.iter().zip(&row.keys) {
            object.serialize_entry(&key.name(), value)?;
        }
        if summary.of_frames() {
            object.serialize_entry("flat", &divided(summary, row.flat))?;
            object.serialize_entry("cum", &divided(summary, row.cum))?;
        }
        object.serialize_entry("total", &Count(row.total))?;
        object.serialize_entry("stacks", &row.stacks)?;
        object.serialize_entry("states", &states(&row.states))?;
        object.serialize_entry("wait_minutes", &Range::of(&row.waits))?;
        if let Some((name, total)) = &row.top {
            object.serialize_entry("top_stack", &json!({"name": name, "total": Count(*total)}))?;
        }
        if let Some(pivot) = &summary.pivot {
            let odd = row.spread.odd.iter().map(|&at| &pivot.inputs[at]);
            let cells = pivot.inputs.iter().enumerate();
            let cells = cells.map(|(at, input)| (input.as_str(), Count(row.spread.cell(at))));
            object.serialize_entry("median", &row.spread.median)?;
            object.serialize_entry("outliers", &odd.collect::<Vec<_>>())?;
            object.serialize_entry("inputs", &InOrder(cells.collect()))?;
        }
        object.end()
    }
}

/// Fields in the order of this list.
struct InOrder<'a>(Vec<(&'a str, Count)>);

impl Serialize for InOrder<'_> {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        out.collect_map(self.0.iter().copied())
    }
}
