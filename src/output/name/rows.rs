//! The names of stacks, a row for each stack; with `--unused` a row for each rule that did nothing.

use crate::output::csv::{Columns, number, text};
use crate::output::document::{Document, without_null};
use crate::profile::Profile;
use crate::view::goroutines::name::{NameView, RuleRow, Stack};
use serde_json::json;
use std::io::{self, Write};
use std::rc::Rc;

/// The head with inputs and totals, then a `stack` for each stack, and a `rule` for each rule that did
/// nothing.
pub(super) fn document<'a>(profile: &'a Profile, view: &'a NameView<'a>) -> Document<'a> {
    let head = json!({
        "value": (!view.quantity.is_of_goroutines()).then_some(&view.quantity),
        "total": view.total,
        "more": view.more,
        "more_unused": Some(view.more_unused).filter(|&more| more > 0),
    });
    let head = without_null(head, &["value", "more_unused"]);
    Document::new(super::SCHEMA, profile, head)
        .list("stacks", "stack", view.stacks.explained())
        .list("unused", "rule", view.unused.iter().flatten())
}

/// A row for each stack, or for each rule.
pub(super) fn csv(view: &NameView<'_>, out: &mut dyn Write) -> io::Result<()> {
    if let Some(unused) = &view.unused {
        let mut columns: Columns<'_, &RuleRow<'_>> = Columns::default();
        columns.add("list", |rule| text(rule.list));
        columns.add("rule", |rule| text(rule.rule.to_string()));
        columns.add("from", |rule| text(rule.from));
        return columns.write(unused, out);
    }
    let mut columns: Columns<'_, Rc<Stack<'_>>> = Columns::default();
    columns.add("id", |stack| text(&stack.id));
    columns.add("category", |stack| text(stack.category.0));
    columns.add("name", |stack| text(stack.name.0));
    columns.add("shared_name", |stack| text(stack.shared_name.as_deref().unwrap_or_default()));
    columns.add("total", |stack| number(stack.total));
    columns.add("category_rule", |stack| {
        text(stack.category_rule.map(|rule| rule.rule.to_string()).unwrap_or_default())
    });
    columns.write(view.stacks.explained().map(Rc::new), out)
}
