//! A graph for Graphviz: from waiting goroutines to those that may hold what they wait for.

use super::Graph;
use crate::output::tree::dot::quoted;
use crate::waits::Evidence;
use std::io::{self, Write};

pub(super) fn write(graph: &Graph<'_>, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "digraph waits {{")?;
    writeln!(out, "  rankdir=LR;")?;
    writeln!(out, "  node [shape=box, fontname=\"monospace\", fontsize=10];")?;
    for (at, pile) in graph.piles() {
        let input = match graph.profile.inputs.len() {
            1 => String::new(),
            _ => format!("{}\n", graph.profile.input(pile.input).name),
        };
        let label = quoted(&format!("{input}{}", graph.waiters(pile)));
        writeln!(out, "  p{at} [label={label}];")?;
        let lock = quoted(&Graph::lock(pile));
        let Some(holder) = pile.holders.first() else { continue };
        let style = match holder.evidence {
            Evidence::Address => "",
            Evidence::Shape => ", style=dashed",
        };
        match holder.pile.filter(|&next| next < graph.shown) {
            Some(next) => writeln!(out, "  p{at} -> p{next} [label={lock}{style}];")?,
            None => {
                let label = quoted(&graph.holder(holder));
                writeln!(out, "  h{at} [shape=oval, label={label}];")?;
                writeln!(out, "  p{at} -> h{at} [label={lock}{style}];")?;
            }
        }
    }
    writeln!(out, "}}")
}
