//! What each stack is called, a row for each stack; with `--unused` a row for each rule.

use crate::output::csv::{guard, io_error, rows};
use crate::output::document::{Document, line, without_null};
use crate::profile::Profile;
use crate::view::name::NameView;
use serde_json::json;
use std::io::{self, Write};

/// A line for the inputs and totals, then one for each `stack` and each `rule` that did nothing.
pub(super) fn ndjson(
    profile: &Profile,
    view: &NameView<'_>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let head = json!({
        "value": (!view.quantity.is_of_goroutines()).then_some(&view.quantity),
        "total": view.total,
        "more": view.more,
        "more_unused": Some(view.more_unused).filter(|&more| more > 0),
    });
    let head = without_null(head, &["value", "more_unused"]);
    line(out, "inputs", &Document::new(super::SCHEMA, profile, head))?;
    for stack in &view.stacks {
        line(out, "stack", stack)?;
    }
    for rule in view.unused.iter().flatten() {
        line(out, "rule", rule)?;
    }
    Ok(())
}

/// Stacks: id,category,name,shared_name,total,category_rule. Rules: list,rule,from.
pub(super) fn csv(view: &NameView<'_>, out: &mut dyn Write) -> io::Result<()> {
    let mut rows = rows(out);
    if let Some(unused) = &view.unused {
        rows.write_record(["list", "rule", "from"]).map_err(io_error)?;
        for rule in unused {
            let cells = [rule.list.as_bytes(), rule.rule.as_bytes(), rule.from.as_bytes()];
            rows.write_record(cells.map(guard)).map_err(io_error)?;
        }
        return rows.flush();
    }
    let columns = ["id", "category", "name", "shared_name", "total", "category_rule"];
    rows.write_record(columns).map_err(io_error)?;
    for stack in &view.stacks {
        let rule = stack.category_rule.as_ref().map_or("", |rule| rule.rule.as_str());
        rows.write_record([
            stack.id.as_bytes().into(),
            guard(stack.category.0),
            guard(stack.name.0),
            guard(stack.shared_name.as_deref().unwrap_or_default().as_bytes()),
            stack.total.to_string().into_bytes().into(),
            guard(rule.as_bytes()),
        ])
        .map_err(io_error)?;
    }
    rows.flush()
}
