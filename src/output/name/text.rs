//! The names of stacks, for people.

use super::lossy;
use crate::output::fit;
use crate::output::numbers::counted;
use crate::output::table::{Column, Content, Table, wrap};
use crate::output::terminal::{Paint, Screen};
use crate::view::goroutines::name::{NameView, RuleRow, Stack};
use crate::view::values::quantity::Quantity;
use std::io::{self, Write};
use unicode_width::UnicodeWidthStr;

/// Writes names, or which rule took which frame.
pub(super) fn write(
    view: &NameView<'_>,
    explained: bool,
    own: &[bool],
    screen: &Screen,
    out: &mut dyn Write,
) -> io::Result<()> {
    if let Some(unused) = &view.unused {
        for rule in unused {
            writeln!(
                out,
                "{} {}  ({})",
                rule.list,
                screen.text(&rule.rule.to_string()),
                rule.from
            )?;
        }
        if view.more_unused > 0 {
            writeln!(out, "... and {}", counted(view.more_unused as i128, "more rule"))?;
        } else if unused.is_empty() {
            writeln!(out, "every rule did something")?;
        }
        return Ok(());
    }
    if explained {
        for stack in view.stacks.explained() {
            explain(&stack, &view.quantity, own, screen, out)?;
        }
    } else {
        let mut table = Table::new([
            Column::new(Content::Path, "CATEGORY"),
            Column::new(Content::Number, view.quantity.noun().to_uppercase()),
            Column::new(Content::Name, "NAME"),
        ]);
        for (category, name, total) in view.stacks.named() {
            let (category, name) = (lossy(category), lossy(name));
            let total = view.quantity.text(total.into());
            table.row([category.into_owned(), total, name.into_owned()]);
        }
        table.write(screen, out)?;
    }
    if view.more > 0 {
        writeln!(out, "... and {} more stacks", view.more)?;
    }
    Ok(())
}

/// Columns before the frames of a stack.
const LEAD: usize = "  take   ".len();

/// Writes a line for the stack, then for each frame what was done with it.
fn explain(
    stack: &Stack<'_>,
    quantity: &Quantity,
    own: &[bool],
    screen: &Screen,
    out: &mut dyn Write,
) -> io::Result<()> {
    let (name, category) = (lossy(stack.name), lossy(stack.category));
    let category = screen.text(&category);
    let total = quantity.text(stack.total.into());
    let rest = format!("  {category}  {total}");
    let room = screen.width.map_or(usize::MAX, |width| width.saturating_sub(rest.width()));
    let name = fit::name(&screen.text(&name), room);
    writeln!(out, "{}{rest}", screen.paint(Paint::Strong, name))?;
    if let Some(shared) = &stack.shared_name {
        writeln!(out, "  apart  from {} by name.distinct", screen.text(shared))?;
    }
    let last = stack
        .frames
        .iter()
        .rposition(|frame| frame.step.is_some() || frame.category)
        .map_or(0, |at| at + 1);
    // The columns after the step.
    let room = screen.width.map_or(usize::MAX, |width| width.saturating_sub(LEAD));
    let shown: Vec<String> = stack.frames[..last]
        .iter()
        .map(|frame| fit::function(&screen.text(&lossy(frame.func)), room).into_owned())
        .collect();
    let width = shown.iter().map(|func| func.width()).max().unwrap_or(0).min(60);
    let mut hidden = 0;
    for (frame, func) in stack.frames[..last].iter().zip(&shown) {
        if frame.step.is_none() && !frame.category {
            hidden += 1;
            continue;
        }
        if hidden > 0 {
            writeln!(out, "         ... {hidden} more")?;
            hidden = 0;
        }
        let mut why: Vec<String> = frame.rule.iter().map(by_rule).collect();
        if frame.step == Some("take") {
            why.extend(stack.trims.iter().map(|rule| format!("trimmed {}", by_rule(rule))));
        }
        if frame.category {
            let rule = stack.category_rule.as_ref();
            why.push(format!("category {}", rule.map_or("by its beginning".into(), by_rule)));
        }
        let pad = width.saturating_sub(func.width());
        let joined = why.join(", ");
        let joined = screen.text(&joined);
        let is_own = own.get(frame.frame.index()) == Some(&true);
        let paint = if is_own { Paint::Strong } else { Paint::Plain };
        let painted = screen.paint(paint, func.as_str());
        write!(out, "  {:<6} {painted}", frame.step.unwrap_or(""))?;
        if why.is_empty() {
            writeln!(out)?;
        } else if func.width() + pad + 2 + joined.width() <= room {
            writeln!(out, "{:pad$}  {joined}", "")?;
        } else {
            writeln!(out)?;
            for line in why.iter().flat_map(|why| wrap(&screen.text(why), room.max(40))) {
                writeln!(out, "{:LEAD$}{line}", "")?;
            }
        }
    }
    writeln!(out)
}

fn by_rule(rule: &RuleRow<'_>) -> String {
    format!("by {} {}", rule.list, rule.rule)
}
