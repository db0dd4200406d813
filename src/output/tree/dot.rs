//! The tree as a graph for Graphviz.

use super::{Drawing, lossy};
use crate::view::goroutines::tree::created_by;
use hashbrown::HashMap;
use std::io::{self, Write};

/// Writes a directed graph, from creators to created goroutines; functions whose goroutine has ended are
/// ovals.
pub(super) fn write(drawing: &Drawing<'_>, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "digraph goroutines {{")?;
    writeln!(out, "  rankdir=LR;")?;
    writeln!(out, "  node [shape=box, fontname=\"monospace\", fontsize=10];")?;
    let mut gone: HashMap<_, usize> = HashMap::new();
    for folded in drawing.fold_roots() {
        let Some(&root) = folded.first() else { continue };
        node(drawing, &folded, out)?;
        if let Some(frame) = created_by(drawing.profile, &drawing.tree.nodes[root as usize]) {
            let function = drawing.names.func(frame);
            let next = gone.len();
            let number = *gone.entry((drawing.key(root).input, function)).or_insert(next);
            if number == next {
                let label = quoted(&lossy(function));
                writeln!(out, "  gone{number} [shape=oval, style=dashed, label={label}];")?;
            }
            writeln!(out, "  gone{number} -> g{root} [style=dashed];")?;
        }
        let mut left = vec![folded];
        while let Some(creators) = left.pop() {
            for folded in drawing.created(&creators) {
                node(drawing, &folded, out)?;
                if let (Some(creator), Some(first)) = (creators.first(), folded.first()) {
                    writeln!(out, "  g{creator} -> g{first};")?;
                }
                left.push(folded);
            }
        }
    }
    writeln!(out, "}}")
}

impl Drawing<'_> {
    /// Roots of one input and one creator that look the same are drawn as one node.
    fn fold_roots(&self) -> Vec<Vec<u32>> {
        let place = |&root: &u32| {
            let creator = created_by(self.profile, &self.tree.nodes[root as usize]);
            (self.key(root).input, creator.map(|frame| self.names.func(frame)))
        };
        let chunks = self.tree.roots.chunk_by(|a, b| place(a) == place(b));
        chunks.flat_map(|roots| self.fold(roots.iter().copied())).collect()
    }
}

fn node(drawing: &Drawing<'_>, nodes: &[u32], out: &mut dyn Write) -> io::Result<()> {
    let Some(&first) = nodes.first() else { return Ok(()) };
    let (category, name) = drawing.category_and_name(first);
    let who = match nodes.len() {
        1 => drawing.goroutine(first).id.to_string(),
        count => format!("{count} × ({})", drawing.ids(nodes)),
    };
    let input = match drawing.profile.inputs.len() {
        1 => String::new(),
        _ => format!("{} ", drawing.profile.input(drawing.key(first).input).name),
    };
    let brackets = drawing.brackets(nodes);
    let label = quoted(&format!("{input}{who} [{brackets}]\n{category}\n{name}"));
    let target = match drawing.tree.nodes[first as usize].target {
        true => ", penwidth=3",
        false => "",
    };
    writeln!(out, "  g{first} [label={label}{target}];")
}

/// Text quoted for the dot language; every line is left-aligned.
pub(in crate::output) fn quoted(text: &str) -> String {
    let mut safe = String::from("\"");
    for char in text.chars() {
        match char {
            '"' => safe.push_str("\\\""),
            '\\' => safe.push_str("\\\\"),
            '\n' => safe.push_str("\\l"),
            char if char.is_control() => safe.push(char::REPLACEMENT_CHARACTER),
            char => safe.push(char),
        }
    }
    if text.contains('\n') {
        safe.push_str("\\l");
    }
    safe.push('"');
    safe
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_cannot_leave_their_quotes() {
        assert_eq!(quoted("a\"];b\\"), r#""a\"];b\\""#);
        assert_eq!(quoted("one\ntwo"), r#""one\ltwo\l""#);
        assert_eq!(quoted("a\u{1b}b"), "\"a\u{fffd}b\"");
    }
}
