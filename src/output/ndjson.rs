//! `-o ndjson`: one object per line. First `inputs`, then each `stack`, then each `goroutine` (or `group`,
//! if the input only counts) with the id of its stack.

use super::document::{Document, line};
use super::json::{self, ArgumentRow, CapturedRow, GroupRow, SCHEMA, StackRow};
use crate::group::Group;
use crate::view::goroutines::export::{Export, Stack};
use crate::view::rows::{Count, FrameRow, Minutes, Text};
use serde::Serialize;
use std::io::{self, Write};

/// Writes the lines; `filter` adds how much of the whole is selected.
///
/// # Errors
/// The error of writing to `out`.
pub fn write(export: &Export<'_>, with_selected: bool, out: &mut dyn Write) -> io::Result<()> {
    #[derive(Serialize)]
    struct Row<'a> {
        category: Text<'a>,
        #[serde(flatten)]
        stack: StackRow<'a>,
    }
    let stacks = export.all_stacks().map(|(category, stack)| Row {
        category: Text(category.name),
        stack: StackRow::new(export, stack),
    });
    let head = json::head(export, with_selected);
    Document::new(SCHEMA, export.profile, head).list("stacks", "stack", stacks).write_lines(out)?;
    export.all_groups().try_for_each(|(_, stack, group)| write_group(export, stack, group, out))
}

/// The fields that the goroutines of a group share, which each of their lines has.
#[derive(Serialize)]
struct Shared<'a> {
    stack: String,
    input: &'a str,
    #[serde(flatten)]
    group: GroupRow<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    creator: Option<FrameRow<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    elided: Option<Option<u64>>,
}

fn write_group(
    export: &Export<'_>,
    stack: &Stack<'_>,
    group: &Group,
    out: &mut dyn Write,
) -> io::Result<()> {
    let shared = Shared {
        stack: stack.id.to_string(),
        input: &export.profile.input(group.input).name,
        group: GroupRow::new(export.profile, group),
        creator: json::creator(export, group),
        elided: json::elided(group.elided),
    };
    if group.only_counted() != 0 {
        #[derive(Serialize)]
        struct Row<'a> {
            #[serde(flatten)]
            shared: &'a Shared<'a>,
            count: Count,
        }
        line(out, "group", &Row { shared: &shared, count: Count(group.only_counted()) })?;
    }
    let goroutines = export.goroutines(group);
    if goroutines.is_empty() {
        return Ok(());
    }
    // Only ids and waits differ between the lines, so the rest is escaped once.
    let mut start = Vec::with_capacity(1 << 10);
    serde_json::to_writer(&mut start, &shared)?;
    start.pop();
    start.splice(..1, *b"{\"type\":\"goroutine\",");
    start.extend_from_slice(b",\"id\":\"");
    let mut line = Vec::with_capacity(2 * start.len());
    for &at in goroutines {
        let goroutine = export.goroutine(at);
        line.clear();
        line.extend_from_slice(&start);
        write!(line, "{}\",\"wait_minutes\":", goroutine.id)?;
        match goroutine.wait.known().and_then(Minutes::of) {
            Some(minutes) => write!(line, "{minutes}")?,
            None => line.extend_from_slice(b"null"),
        }
        if let Some(creator) = goroutine.creator() {
            write!(line, ",\"created_by\":\"{creator}\"")?;
        }
        if let Some(ancestors) = json::ancestors(export, at) {
            line.extend_from_slice(b",\"ancestors\":");
            serde_json::to_writer(&mut line, &ancestors)?;
        }
        let captured = CapturedRow::new(export, at).map(|row| serde_json::to_vec(&row));
        let arguments = ArgumentRow::new(export, at).map(|row| serde_json::to_vec(&row));
        for row in captured.into_iter().chain(arguments) {
            let row = row?;
            line.push(b',');
            line.extend_from_slice(&row[1..row.len() - 1]);
        }
        line.extend_from_slice(b"}\n");
        out.write_all(&line)?;
    }
    Ok(())
}
