//! `stackgazer.calls/1`

use super::{Calls, Report};
use crate::output::document::{Document, without_null};
use crate::profile::Profile;
use crate::view::calls::callers::tags::Tag;
use crate::view::calls::callers::traces::{Trace, TraceLabel};
use crate::view::calls::callers::{Branch, Edge, Function, Listing};
use crate::view::rows::{Count, Text};
use crate::view::table::key::Key;
use serde_json::{Value, json};
use std::io::{self, Write};

pub(super) fn write(profile: &Profile, report: &Report, out: &mut dyn Write) -> io::Result<()> {
    let (kind, unit) = profile.value_name();
    let divided = |value: i128| Count(report.value_options.divided(value));
    let edges = |edges: &[Edge]| -> Vec<Value> {
        let edge = |edge: &Edge| json!({"function": edge.name, "inline": edge.inline, "value": divided(edge.value)});
        edges.iter().map(edge).collect()
    };
    let function = |function: &Function| {
        json!({
            "callees": edges(&function.callees),
            "callers": edges(&function.callers),
            "cum": divided(function.cum),
            "flat": divided(function.flat),
            "function": function.name,
        })
    };
    let mut rows: Vec<Value> = match &report.calls {
        Calls::Functions(functions) => functions.iter().map(function).collect(),
        Calls::Tree(branches) => {
            let row = |branch: &Branch| {
                json!({
                    "cum": divided(branch.cum),
                    "depth": branch.depth,
                    "flat": divided(branch.flat),
                    "function": branch.name,
                })
            };
            branches.iter().map(row).collect()
        }
        Calls::Traces(traces) => {
            let row = |trace: &Trace| {
                let pair = |label: &TraceLabel| json!({"key": label.key, "text": label.text, "value": label.value});
                let frame =
                    |(func, place): &(String, String)| json!({"func": func, "place": place});
                json!({
                    "frames": trace.frames.iter().map(frame).collect::<Vec<_>>(),
                    "labels": trace.labels.iter().map(pair).collect::<Vec<_>>(),
                    "value": divided(trace.value),
                })
            };
            traces.iter().map(row).collect()
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
            tags.iter().map(row).collect()
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
            listings.iter().map(row).collect()
        }
    };
    let left_out = report.left_out + rows.len().saturating_sub(report.limit());
    rows.truncate(report.limit());
    let is_of_frames = !matches!(report.calls, Calls::Tags(_) | Calls::List(_));
    let by = report.by.iter().filter(|_| is_of_frames).map(Key::name);
    let own = json!({
        "value": {
            "type": Text(kind),
            "unit": Text(unit),
            "mean": report.value_options.mean,
            "whole": divided(report.whole()),
        },
        "view": report.view,
        "by": Some(by.collect::<Vec<_>>()).filter(|by| !by.is_empty()),
        "left_out": left_out,
    });
    let own = without_null(own, &["by"]);
    Document::new("stackgazer.calls/1", profile, own)
        .list("rows", "row", rows.into_iter())
        .write(out)
}
