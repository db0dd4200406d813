//! `stackgazer.summary/1`

use super::verdict::command_of;
use super::{Shown, stuck};
use crate::output::crash::object as crash;
use crate::output::document::{Document, without_null};
use crate::profile::{LONG_WAIT_MINUTES, Profile};
use crate::verdict::{Deadlock, StuckFact};
use crate::view::rows::{Count, Minutes, Range, Text, states};
use crate::view::table::key::Key;
use crate::view::table::outlier::Outlier;
use crate::view::table::profile_verdict::ProfileVerdict;
use crate::view::table::summary::{Row, Summary};
use serde_json::{Map, Value, json};

const SCHEMA: &str = "stackgazer.summary/1";

/// The document; if rows are lines, the verdict is one of them.
pub(super) fn document<'a>(shown: &Shown<'a>, in_lines: bool) -> Document<'a> {
    let Shown { profile, summary, .. } = *shown;
    let (mut head, verdict) = (head(shown), verdict(shown));
    let alone = match in_lines {
        true => Some(verdict),
        false => {
            head["verdict"] = verdict;
            None
        }
    };
    let mut document = Document::new(SCHEMA, profile, head);
    if let Some(verdict) = alone {
        document = document.list("verdict", "verdict", std::iter::once(verdict));
    }
    document.list("rows", "row", summary.rows.iter().map(|each| row(summary, each)))
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
        // 100% of shares.
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
            "most": activity.lock_crowd,
        },
        "deadlocks": certain.map(|one| &one.text).collect::<Vec<_>>(),
        "circles": waits.deadlocks.iter().map(|one| circle(one, shown)).collect::<Vec<_>>(),
        "chains": waits.chains,
        "leaked": Count(activity.leaked),
        "leaked_most": activity.leak_crowd,
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
        "about": fact.topic.name(),
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

/// The verdict on profiles that don't count goroutines.
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

/// A row: a field named after each key, then the counts.
fn row(summary: &Summary, row: &Row) -> Map<String, Value> {
    let keys = summary.by.iter().zip(&row.keys);
    let mut object: Map<String, Value> = keys.map(|(key, it)| (key.name(), json!(it))).collect();
    let mut add = |name: &str, value: Value| object.insert(name.to_owned(), value);
    if summary.of_frames() {
        add("flat", json!(divided(summary, row.flat)));
        add("cum", json!(divided(summary, row.cum)));
    }
    add("total", json!(Count(row.total)));
    add("stacks", json!(row.stacks));
    add("states", json!(states(&row.states)));
    add("wait_minutes", json!(Range::of(&row.waits)));
    if let Some((name, total)) = &row.top {
        add("top_stack", json!({"name": name, "total": Count(*total)}));
    }
    if let Some(pivot) = &summary.pivot {
        let odd = row.spread.odd.iter().map(|&at| &pivot.inputs[at]);
        let cells = pivot.inputs.iter().enumerate();
        let cells = cells.map(|(at, input)| (input.clone(), json!(Count(row.spread.cell(at)))));
        add("median", json!(row.spread.median));
        add("outliers", json!(odd.collect::<Vec<_>>()));
        add("inputs", Value::Object(cells.collect()));
    }
    object
}
