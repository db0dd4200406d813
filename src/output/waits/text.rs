//! Trees with the cause at the top, and below it the goroutines that wait for it.

use super::Graph;
use crate::output::numbers::counted;
use crate::output::terminal::{Paint, Screen};
use crate::waits::{Waits, is_lock};
use std::io::{self, Write};

/// Deeper chains aren't indented further.
const DEEPEST: usize = 20;

pub(super) fn write(graph: &Graph<'_>, screen: &Screen, out: &mut dyn Write) -> io::Result<()> {
    let Graph { profile, names, waits, .. } = *graph;
    let prefix = |input| match profile.inputs.len() {
        1 => String::new(),
        _ => format!("{}: ", profile.input(input).name),
    };
    for cycle in &waits.cycles {
        let guess = if cycle.is_certain { "deadlock" } else { "probably a deadlock" };
        let text = format!("{}{}", prefix(cycle.input), Waits::cycle_text(profile, names, cycle));
        writeln!(out, "{}: {}", screen.paint(Paint::Alarm, guess), screen.text(&text))?;
    }
    for twice in &waits.twice {
        let text = format!("{}{}", prefix(twice.input), Waits::twice_text(names, twice));
        writeln!(out, "{}: {}", screen.paint(Paint::Notice, "locked twice"), screen.text(&text))?;
    }
    for starter in &waits.starters {
        let text = format!("{}{}", prefix(starter.input), waits.starter_text(names, starter));
        let guess = screen.paint(Paint::Notice, "probably a deadlock");
        writeln!(out, "{guess}: {}", screen.text(&text))?;
    }
    let mut below: Vec<Vec<usize>> = vec![Vec::new(); waits.piles.len()];
    let mut roots = Vec::new();
    for (at, _) in graph.piles() {
        match waits.next(at) {
            Some(next) => below[next].push(at),
            None => roots.push(at),
        }
    }
    // A cycle has no root, so its first pile is used as one.
    let in_circles = waits.cycles.iter().filter_map(|cycle| cycle.members.first());
    roots.extend(in_circles.map(|member| member.pile));
    let mut drawn = vec![false; waits.piles.len()];
    let mut first = waits.cycles.is_empty() && waits.twice.is_empty();
    let others: Vec<usize> = graph.piles().map(|(at, _)| at).collect();
    for root in roots.into_iter().chain(others) {
        let mut left = vec![(root, 0)];
        while let Some((pile, depth)) = left.pop() {
            if std::mem::replace(&mut drawn[pile], true) {
                continue;
            }
            if depth == 0 && !std::mem::take(&mut first) {
                writeln!(out)?;
            }
            draw(graph, pile, depth, screen, out)?;
            if !is_shown_below(graph, pile, &below[pile]) {
                let indent = "   ".repeat(depth.min(DEEPEST));
                let waiters = graph.waiters(&waits.piles[pile]);
                let indent = screen.paint(Paint::Faint, format!("{indent}└─ "));
                writeln!(out, "{indent}{}", screen.text(&waiters))?;
            }
            left.extend(below[pile].iter().rev().map(|&next| (next, depth + 1)));
        }
    }
    let waiting: i128 = waits.piles.iter().map(|pile| pile.count).sum();
    let locks = counted(waits.piles.len() as i128, "pile");
    let text = format!("{} in {locks}", counted(waiting, "waiting goroutine"));
    writeln!(out, "\n{}", screen.paint(Paint::Faint, text))
}

/// Whether the waiter is also shown as the holder of a pile below.
fn is_shown_below(graph: &Graph<'_>, pile: usize, below: &[usize]) -> bool {
    let piles = &graph.waits.piles;
    let holds = |&below: &usize| piles[below].holders.first().and_then(|holder| holder.id);
    let only = piles[pile].first.filter(|_| piles[pile].total() == 1);
    only.is_some() && below.iter().any(|next| holds(next) == only)
}

/// Draws the holders of what a pile waits for.
fn draw(
    graph: &Graph<'_>,
    pile: usize,
    depth: usize,
    screen: &Screen,
    out: &mut dyn Write,
) -> io::Result<()> {
    let pile = &graph.waits.piles[pile];
    let indent = "   ".repeat(depth.min(DEEPEST));
    let lead = if depth > 0 { "└─ " } else { "" };
    let lead = format!("{}{lead}", indent.get(3..).unwrap_or_default());
    let lock = Graph::lock(pile);
    if depth == 0 && graph.profile.inputs.len() > 1 {
        let name = &graph.profile.input(pile.input).name;
        writeln!(out, "{}", screen.paint(Paint::Strong, screen.text(name)))?;
    }
    // Nobody holds a channel, a WaitGroup or a Cond: any goroutine that has it may be the one to continue.
    let (nobody, holds) = match is_lock(pile.kind) {
        true => ("nobody seen", "holds"),
        false => ("nobody else seen", "has"),
    };
    let (who, how) = match pile.holders.first() {
        Some(first) => {
            let others = pile.holders.len() - 1 + pile.more_holders;
            let others =
                if others > 0 { format!(", or one of {others} others") } else { String::new() };
            let how = format!("{holds} {lock} ({}{others})", first.evidence.name());
            (graph.holder(first), how)
        }
        None => (nobody.to_owned(), format!("{holds} {lock}")),
    };
    writeln!(
        out,
        "{}{} {}",
        screen.paint(Paint::Faint, lead),
        screen.paint(Paint::Name, screen.text(&who)),
        screen.paint(Paint::Faint, how),
    )
}
