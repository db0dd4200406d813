//! The tree, with lines between creators and created goroutines.

use super::{Drawing, lossy};
use crate::output::fit;
use crate::output::numbers::{counted, thousands};
use crate::output::table::cut;
use crate::output::terminal::{Paint, Screen};
use crate::profile::InputId;
use crate::view::goroutines::tree::created_by;
use std::io::{self, Write};
use unicode_width::UnicodeWidthStr;

/// Deeper goroutines aren't indented further, and start with their depth: otherwise the text of a chain of
/// creators would grow with the square of its length.
const DEEPEST: usize = 40;

/// Writes the tree: inputs, then the creators of roots, then the roots.
pub(super) fn write(drawing: &Drawing<'_>, screen: &Screen, out: &mut dyn Write) -> io::Result<()> {
    let tree = drawing.tree;
    let input = |root: u32| drawing.key(root).input;
    let creator = |root: u32| {
        let frame = created_by(drawing.profile, &tree.nodes[root as usize]);
        frame.map(|frame| drawing.names.func(frame))
    };
    let mut shown: Option<InputId> = None;
    for roots in tree.roots.chunk_by(|a, b| input(*a) == input(*b) && creator(*a) == creator(*b)) {
        let Some(&first) = roots.first() else { continue };
        if shown != Some(input(first)) {
            if drawing.profile.inputs.len() > 1 {
                let gap = if shown.is_some() { "\n" } else { "" };
                let name = &drawing.profile.input(input(first)).name;
                writeln!(out, "{gap}{}", screen.paint(Paint::Strong, screen.text(name)))?;
            }
            shown = Some(input(first));
        }
        match creator(first) {
            None => draw(drawing, roots, false, screen, out)?,
            Some(function) => {
                let function = lossy(function);
                let function = screen.text(&function);
                let function = match screen.width {
                    Some(width) => fit::function(&function, width.saturating_sub(11)),
                    None => function.as_ref().into(),
                };
                writeln!(out, "{}", screen.paint(Paint::Faint, format!("created by {function}")))?;
                draw(drawing, roots, true, screen, out)?;
            }
        }
    }
    if tree.nodes.is_empty() {
        return Ok(());
    }
    if tree.left_out > 0 {
        let text = format!("... and {}", counted(tree.left_out as i128, "more tree"));
        writeln!(out, "{}", screen.paint(Paint::Faint, text))?;
    }
    let trees = counted(tree.roots.len() as i128, "tree");
    let text = match tree.targets {
        0 => format!("{} in {trees}", counted(tree.nodes.len() as i128, "goroutine")),
        targets => format!(
            "{} selected (▶) of {} in {trees}",
            thousands(targets as i128),
            counted(tree.nodes.len() as i128, "goroutine"),
        ),
    };
    writeln!(out, "\n{}", screen.paint(Paint::Faint, text))
}

/// A part that is still to be drawn: goroutines drawn as one, their depth, and whether siblings follow.
struct Pending {
    nodes: Vec<u32>,
    depth: usize,
    last: bool,
}

/// Draws goroutines and everything that they created, under a heading or at the left edge.
fn draw(
    drawing: &Drawing<'_>,
    roots: &[u32],
    heading: bool,
    screen: &Screen,
    out: &mut dyn Write,
) -> io::Result<()> {
    let first = usize::from(heading);
    let mut pending: Vec<Pending> = Vec::new();
    push(&mut pending, drawing.fold(roots.iter().copied()), first);
    // For each level above the current one, whether siblings follow on it.
    let mut open: Vec<bool> = Vec::new();
    while let Some(Pending { nodes, depth, last }) = pending.pop() {
        open.truncate(depth.saturating_sub(1));
        let mut lines = String::new();
        for more in open.iter().take(DEEPEST) {
            lines += if *more { "│  " } else { "   " };
        }
        if depth > 0 {
            lines += if last { "└─ " } else { "├─ " };
            open.push(!last);
        }
        if depth > DEEPEST {
            lines += &format!("({depth} deep) ");
        }
        line(drawing, &nodes, &lines, screen, out)?;
        push(&mut pending, drawing.created(&nodes), depth + 1);
    }
    Ok(())
}

fn push(pending: &mut Vec<Pending>, folded: Vec<Vec<u32>>, depth: usize) {
    let count = folded.len();
    let items = folded.into_iter().enumerate().rev();
    pending.extend(items.map(|(at, nodes)| Pending { nodes, depth, last: at + 1 == count }));
}

/// Writes one goroutine, or several that look the same.
fn line(
    drawing: &Drawing<'_>,
    nodes: &[u32],
    lines: &str,
    screen: &Screen,
    out: &mut dyn Write,
) -> io::Result<()> {
    let Some(&node) = nodes.first() else { return Ok(()) };
    let found = &drawing.tree.nodes[node as usize];
    let mark = if found.target { "▶ " } else { "" };
    let who = match nodes.len() {
        1 => format!("{mark}{}", drawing.goroutine(node).id),
        count => format!("{} ×", thousands(count as i128)),
    };
    let brackets = format!("[{}]", drawing.brackets(nodes));
    let (category, name) = drawing.category_and_name(node);
    let mut more = String::new();
    if nodes.len() > 1 {
        more += &format!(" ({})", drawing.ids(nodes));
    }
    let hidden = found.created - drawing.tree.children(node).len();
    if hidden > 0 && nodes.len() == 1 {
        more += &format!(" (created {} too)", counted(hidden as i128, "other"));
    }
    if found.cyclic {
        more += " (created in a circle)";
    }
    let room = screen
        .width
        .map(|width| width.saturating_sub(lines.width() + who.width() + brackets.width() + 2));
    let description = description(&screen.text(&category), &screen.text(&name), &more, room);
    let brackets = screen.text(&brackets);
    let paint = if found.target { Paint::Strong } else { Paint::Plain };
    writeln!(
        out,
        "{}{} {} {}",
        screen.paint(Paint::Faint, lines),
        screen.paint(if found.target { Paint::Notice } else { Paint::Name }, who),
        screen.paint(Paint::Plain, brackets),
        screen.paint(paint, description),
    )
}

/// `CATEGORY → NAME (more)` in `room` columns. The category is left out first, then `more`.
fn description(category: &str, name: &str, more: &str, room: Option<usize>) -> String {
    let lead = if category.is_empty() { String::new() } else { format!("{category} → ") };
    let whole = format!("{lead}{name}{more}");
    let Some(room) = room.filter(|&room| whole.width() > room) else { return whole };
    let lead = if lead.width() + fit::least_name(name) <= room { lead } else { String::new() };
    let text = format!("{lead}{}", fit::name(name, room.saturating_sub(lead.width())));
    match room.saturating_sub(text.width()) {
        ..6 => text,
        left => format!("{text}{}", cut(more, left)),
    }
}
