//! `stackgazer.calls/1`

use super::{Calls, Report};
use crate::output::json::Count;
use crate::profile::Profile;
use crate::view::callers::tags::Tag;
use crate::view::callers::traces::{Trace, TraceLabel};
use crate::view::callers::{Branch, Edge, Function, Listing};
use crate::view::inputs::{Inputs, Text};
use crate::view::key::Key;
use serde_json::{Value, json};
use std::io::{self, Write};

#[derive(serde::Serialize)]
struct Head<'a> {
    schema: &'static str,
    inputs: Inputs<'a>,
    value: ValueObject<'a>,
    view: &'static str,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    by: Vec<String>,
    left_out: usize,
    rows: Vec<Value>,
}

#[derive(serde::Serialize)]
struct ValueObject<'a> {
    r#type: Text<'a>,
    unit: Text<'a>,
    mean: bool,
    whole: Count,
}

pub(super) fn write(profile: &Profile, report: &Report, out: &mut dyn Write) -> io::Result<()> {
    let (kind, unit) = profile.value_name();
    let divided = |value: i128| Count(report.value_options.divided(value));
    let edges = |edges: &[Edge]| -> Vec<Value> {
        let edge = |edge: &Edge| json!({"function": edge.name, "value": divided(edge.value), "inline": edge.inline});
        edges.iter().map(edge).collect()
    };
    let function = |function: &Function| {
        json!({
            "function": function.name,
            "flat": divided(function.flat),
            "cum": divided(function.cum),
            "callers": edges(&function.callers),
            "callees": edges(&function.callees),
        })
    };
    let (view, mut left_out, mut rows): (_, _, Vec<Value>) = match &report.calls {
        Calls::Peek(functions) => ("peek", 0, functions.iter().map(function).collect()),
        Calls::Graph(functions, left_out) => {
            ("call-graph", *left_out, functions.iter().map(function).collect())
        }
        Calls::Tree(branches, left_out) => {
            let row = |branch: &Branch| {
                json!({
                    "depth": branch.depth,
                    "function": branch.name,
                    "flat": divided(branch.flat),
                    "cum": divided(branch.cum),
                })
            };
            ("call-tree", *left_out, branches.iter().map(row).collect())
        }
        Calls::Traces(traces) => {
            let row = |trace: &Trace| {
                let pair = |label: &TraceLabel| json!({"key": label.key, "value": label.value, "text": label.text});
                let frame =
                    |(func, place): &(String, String)| json!({"func": func, "place": place});
                json!({
                    "value": divided(trace.value),
                    "labels": trace.labels.iter().map(pair).collect::<Vec<_>>(),
                    "frames": trace.frames.iter().map(frame).collect::<Vec<_>>(),
                })
            };
            ("traces", 0, traces.iter().map(row).collect())
        }
        Calls::Tags(tags) => {
            let row = |tag: &Tag| {
                let value = |(text, value): &(String, i128)| json!({"text": text, "value": divided(*value)});
                json!({
                    "label": tag.key,
                    "total": divided(tag.total),
                    "values": tag.values.iter().map(value).collect::<Vec<_>>(),
                })
            };
            ("tags", 0, tags.iter().map(row).collect())
        }
        Calls::List(listings) => {
            let row = |listing: &Listing| {
                let line = |line: i64| {
                    let (flat, cum) = listing.lines.get(&line).copied().unwrap_or_default();
                    json!({"line": line, "flat": divided(flat), "cum": divided(cum), "text": listing.text(line)})
                };
                json!({
                    "function": listing.function,
                    "file": listing.file,
                    "source": listing.source.as_ref().map(|source| &source.path),
                    "flat": divided(listing.flat),
                    "cum": divided(listing.cum),
                    "lines": listing.shown().into_iter().map(line).collect::<Vec<_>>(),
                })
            };
            ("list", 0, listings.iter().map(row).collect())
        }
    };
    left_out += rows.len() - rows.len().min(report.limit());
    rows.truncate(report.limit());
    let is_of_frames = !matches!(report.calls, Calls::Tags(_) | Calls::List(_));
    let head = Head {
        schema: "stackgazer.calls/1",
        inputs: Inputs(profile),
        value: ValueObject {
            r#type: Text(kind),
            unit: Text(unit),
            mean: report.value_options.mean,
            whole: divided(report.whole()),
        },
        view,
        by: report.by.iter().filter(|_| is_of_frames).map(Key::name).collect(),
        left_out,
        rows,
    };
    serde_json::to_writer(&mut *out, &head)?;
    writeln!(out)
}
