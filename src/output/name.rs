//! What each stack is called, for people and for programs.

use super::Output;
use super::numbers::counted;
use super::table::{Column, Table, cut};
use super::terminal::{Paint, Screen};
use crate::view::inputs::Text;
use crate::view::name::{NameView, RuleRow, Stack};
use crate::view::quantity::Quantity;
use std::borrow::Cow;
use std::io::{self, Write};
use unicode_width::UnicodeWidthStr;

/// The formats of `name`; the first one is the default.
pub const OFFERED: [Output; 2] = [Output::Table, Output::Json];

/// Writes names; `explained` tells in a table which rule took which frame.
pub fn write(
    output: Output,
    view: &NameView<'_>,
    explained: bool,
    screen: &Screen,
    out: &mut dyn Write,
) -> io::Result<()> {
    if output == Output::Json {
        serde_json::to_writer(&mut *out, view)?;
        return out.write_all(b"\n");
    }
    if let Some(unused) = &view.unused {
        for rule in unused {
            writeln!(out, "{} {}  ({})", rule.list, screen.text(&rule.rule), rule.from)?;
        }
        if view.more_unused > 0 {
            writeln!(out, "... and {}", counted(view.more_unused as i128, "more rule"))?;
        } else if unused.is_empty() {
            writeln!(out, "every rule did something")?;
        }
        return Ok(());
    }
    if explained {
        for stack in &view.stacks {
            explain(stack, &view.quantity, screen, out)?;
        }
    } else {
        let total = view.quantity.noun().to_uppercase();
        let total = screen.text(&total);
        let columns = vec![Column::Text("CATEGORY"), Column::Number(&total), Column::Text("NAME")];
        let mut table = Table::new(columns);
        for stack in &view.stacks {
            let total = view.quantity.text(stack.total.into());
            let cells = [lossy(stack.category), total.into(), lossy(stack.name)];
            table.row(cells.map(|cell| screen.text(&cell).into_owned()).to_vec());
        }
        table.write(screen, out)?;
    }
    if view.more > 0 {
        writeln!(out, "... and {} more stacks", view.more)?;
    }
    Ok(())
}

fn lossy(text: Text<'_>) -> Cow<'_, str> {
    String::from_utf8_lossy(text.0)
}

/// A line for the stack, then one for each frame that says what became of it.
fn explain(
    stack: &Stack<'_>,
    quantity: &Quantity,
    screen: &Screen,
    out: &mut dyn Write,
) -> io::Result<()> {
    let (name, category) = (lossy(stack.name), lossy(stack.category));
    let (name, category) = (screen.text(&name), screen.text(&category));
    let total = quantity.text(stack.total.into());
    writeln!(out, "{}  {category}  {total}", screen.paint(Paint::Strong, name))?;
    if let Some(shared) = &stack.shared_name {
        writeln!(out, "  apart  from {} by name.distinct", screen.text(shared))?;
    }
    let funcs: Vec<Cow<'_, str>> = stack.frames.iter().map(|frame| lossy(frame.func)).collect();
    let last = stack
        .frames
        .iter()
        .rposition(|frame| frame.step.is_some() || frame.category)
        .map_or(0, |at| at + 1);
    let width = funcs[..last].iter().map(|func| func.width()).max().unwrap_or(0).min(60);
    let mut hidden = 0;
    for (frame, func) in stack.frames[..last].iter().zip(&funcs) {
        if frame.step.is_none() && !frame.category {
            hidden += 1;
            continue;
        }
        if hidden > 0 {
            writeln!(out, "         ... {hidden} more")?;
            hidden = 0;
        }
        let mut why: Vec<String> = frame.rule.iter().map(by).collect();
        if frame.step == Some("take") {
            why.extend(stack.trims.iter().map(|rule| format!("trimmed {}", by(rule))));
        }
        if frame.category {
            let rule = stack.category_rule.as_ref();
            why.push(format!("category {}", rule.map_or("by its beginning".into(), by)));
        }
        let func = screen.text(func);
        let pad = width.saturating_sub(func.width());
        let why = why.join(", ");
        let line =
            format!("  {:<6} {func}{:pad$}  {}", frame.step.unwrap_or(""), "", screen.text(&why));
        let line = match screen.width {
            Some(width) => cut(line.trim_end(), width),
            None => line.trim_end().to_owned(),
        };
        writeln!(out, "{line}")?;
    }
    writeln!(out)
}

fn by(rule: &RuleRow) -> String {
    format!("by {} {}", rule.list, rule.rule)
}
