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
use std::rc::Rc;

pub(super) fn write(profile: &Profile, report: &Report, out: &mut dyn Write) -> io::Result<()> {
    let (kind, unit) = profile.value_name();
    let divided = |value: i128| Count(report.value_options.divided(value));
    let edges = |edges: &[Edge]| -> Vec<Value> {
        let edge = |edge: &Edge| json!({"function": &*edge.name, "inline": edge.inline, "value": divided(edge.value)});
        edges.iter().map(edge).collect()
    };
    let function = |function: &Function| {
        json!({
            "callees": edges(&function.callees),
            "callers": edges(&function.callers),
            "cum": divided(function.cum),
            "flat": divided(function.flat),
            "function": &*function.name,
        })
    };
    let branch = |branch: Branch| {
        json!({
            "cum": divided(branch.cum),
            "depth": branch.depth,
            "flat": divided(branch.flat),
            "function": &*branch.name,
        })
    };
    let trace = |trace: &Trace| {
        let pair = |label: &Rc<TraceLabel>| json!({"key": label.key, "text": label.text, "value": label.value});
        let frames = trace.frames.iter().map(|frame| &**frame);
        let frame = |(func, place): &(String, String)| json!({"func": func, "place": place});
        json!({
            "frames": frames.map(frame).collect::<Vec<_>>(),
            "labels": trace.labels.iter().map(pair).collect::<Vec<_>>(),
            "value": divided(trace.value),
        })
    };
    let tag = |tag: &Tag| {
        let value =
            |(text, value): &(String, i128)| json!({"text": text, "value": divided(*value)});
        json!({
            "label": tag.key,
            "total": divided(tag.total),
            "values": tag.values.iter().map(value).collect::<Vec<_>>(),
        })
    };
    let listing = |listing: &Listing| {
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
    // Made while they are written: the traces of a profile of 15 MB can have 8 million frames.
    let (count, rows): (usize, Box<dyn Iterator<Item = Value>>) = match &report.calls {
        Calls::Functions(all) => (all.len(), Box::new(all.iter().map(function))),
        Calls::Tree(all) => (all.len(), Box::new(all.branches().map(branch))),
        Calls::Traces(all) => (all.len(), Box::new(all.iter().map(trace))),
        Calls::Tags(all) => (all.len(), Box::new(all.iter().map(tag))),
        Calls::List(all) => (all.len(), Box::new(all.iter().map(listing))),
    };
    let left_out = report.left_out + count.saturating_sub(report.limit());
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
        .list("rows", "row", rows.take(report.limit()))
        .write(out)
}
