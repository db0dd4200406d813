//! `-o dot`: the call graph for Graphviz, drawn like that of `go tool pprof`.
//!
//! Boxes are functions: larger ones have a larger own value, redder ones a larger cumulative value. Arrows
//! are calls, dotted if functions between the two were left out.

use super::measure::measured;
use super::numbers::counted;
use crate::profile::Profile;
use crate::view::calls::Calls;
use crate::view::calls::graph::{Edge, Node};
use crate::view::calls::trimmed::trimmed;
use crate::view::rows::saturated;
use crate::view::values::options::ValueOptions;
use std::io::{self, Write};

/// The settings for drawing a graph.
struct Drawing<'a> {
    calls: &'a Calls<'a>,
    unit: String,
    total: i128,
}

/// Writes the part of the graph that is within the limits of options; all shares are of `whole`.
///
/// # Errors
/// The error of writing to `out`.
pub fn write(
    profile: &Profile,
    calls: &Calls<'_>,
    value_options: &ValueOptions,
    whole: i128,
    out: &mut dyn Write,
) -> io::Result<()> {
    let (kind, unit) = profile.value_name();
    let drawing = Drawing { calls, unit: lossy(unit), total: whole };
    let (graph, left_out) = trimmed(calls, value_options);

    let inputs: Vec<&str> = profile.inputs.iter().map(|input| input.name.as_str()).collect();
    let mut legend = inputs.join(", ");
    legend.push_str(&format!("\n{}: {}", lossy(kind), measured(calls.total(), &drawing.unit)));
    if whole != calls.total() {
        legend.push_str(&format!(" of {}", measured(whole, &drawing.unit)));
    }
    if left_out > 0 {
        legend.push_str(&format!("\n{} left out", counted(left_out as i128, "smaller function")));
    }
    writeln!(out, "digraph calls {{")?;
    writeln!(out, "  node [shape=box, style=filled, fontname=\"sans-serif\"];")?;
    writeln!(out, "  edge [fontname=\"sans-serif\", fontsize=10];")?;
    writeln!(out, "  legend [shape=note, fillcolor=\"#f8f8f8\", label={}];", left_lines(&legend))?;
    for node in &graph.nodes {
        drawing.node(node, out)?;
    }
    for edge in &graph.edges {
        drawing.edge(edge, out)?;
    }
    writeln!(out, "}}")
}

impl Drawing<'_> {
    fn share(&self, value: i128) -> f64 {
        if self.total == 0 { 0.0 } else { value.unsigned_abs() as f64 / self.total as f64 }
    }

    fn value_and_share(&self, value: i128) -> String {
        format!("{} ({:.1}%)", measured(value, &self.unit), self.share(value) * 100.0)
    }

    fn node(&self, node: &Node, out: &mut dyn Write) -> io::Result<()> {
        let name = lossy(self.calls.function(node.function).name);
        let (own, all) = (node.flat.value, node.cum.value);
        let (flat, cum) = (self.value_and_share(own), self.value_and_share(all));
        let facts = match own {
            own if own == all => cum.clone(),
            0 => format!("0 of {cum}"),
            _ => format!("{flat}\nof {cum}"),
        };
        // From 8 points for no own value to 24 for all of it.
        let size = 8.0 + (16.0 * self.share(own).sqrt()).ceil();
        writeln!(
            out,
            "  f{} [label={}, tooltip={}, fontsize={size}, fillcolor=\"{}\", color=\"{}\"];",
            node.function,
            centred_lines(&format!("{}\n{facts}", in_lines(&name))),
            centred_lines(&format!("{name} ({cum})")),
            self.color(all, 0.93),
            self.color(all, 0.70),
        )
    }

    fn edge(&self, edge: &Edge, out: &mut dyn Write) -> io::Result<()> {
        let style = if edge.indirect { ", style=dotted" } else { "" };
        let share = self.share(edge.value);
        let name = |at: u32| lossy(self.calls.function(at).name);
        let tooltip = format!(
            "{} -> {} ({})",
            name(edge.from),
            name(edge.to),
            self.value_and_share(edge.value)
        );
        writeln!(
            out,
            "  f{} -> f{} [label={}, tooltip={}, weight={}, penwidth={:.1}, color=\"{}\"{style}];",
            edge.from,
            edge.to,
            centred_lines(&format!(" {}", measured(edge.value, &self.unit))),
            centred_lines(&tooltip),
            saturated((share * 100.0) as i128 + 1),
            1.0 + share * 4.0,
            self.color(edge.value, 0.65),
        )
    }

    /// From grey for nothing to red for everything; green for negative values.
    fn color(&self, value: i128, light: f64) -> String {
        // The eye sees differences between small shares better with the square root.
        let strength = self.share(value).min(1.0).sqrt();
        let channel = |amount: f64| (amount * 255.0).round() as u8;
        let (kept, faded) = (channel(light), channel(light * (1.0 - 0.45 * strength)));
        match value < 0 {
            false => format!("#{kept:02x}{faded:02x}{faded:02x}"),
            true => format!("#{faded:02x}{kept:02x}{faded:02x}"),
        }
    }
}

/// A name on several lines: package, receiver, function.
fn in_lines(name: &str) -> String {
    let own = name.find(['(', '[']).unwrap_or(name.len());
    let slash = name[..own].rfind('/').map_or(0, |slash| slash + 1);
    match name[slash..].find('.') {
        Some(dot) => {
            let (package, function) = (&name[..slash + dot], &name[slash + dot + 1..]);
            match function.strip_prefix('(').and_then(|rest| rest.split_once(").")) {
                Some((receiver, method)) => format!("{package}\n({receiver})\n{method}"),
                None => format!("{package}\n{function}"),
            }
        }
        None => name.to_owned(),
    }
}

fn lossy(text: &[u8]) -> String {
    String::from_utf8_lossy(text).into_owned()
}

fn left_lines(text: &str) -> String {
    quoted(text, "\\l")
}

fn centred_lines(text: &str) -> String {
    quoted(text, "\\n")
}

/// Text quoted for the dot language.
fn quoted(text: &str, line_end: &str) -> String {
    let mut safe = String::from("\"");
    for char in text.chars() {
        match char {
            '"' => safe.push_str("\\\""),
            '\\' => safe.push_str("\\\\"),
            '\n' => safe.push_str(line_end),
            // Labels can have entities, as in HTML.
            '&' => safe.push_str("&amp;"),
            char if super::terminal::is_unsafe_to_print(char) => {
                safe.push(char::REPLACEMENT_CHARACTER)
            }
            char => safe.push(char),
        }
    }
    if line_end == "\\l" {
        safe.push_str(line_end);
    }
    safe.push('"');
    safe
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::calls::tests::{calls, fixture};

    fn dot(stacks: &[(&str, i64)], nodes: usize) -> String {
        let fixture = fixture(stacks, &[]);
        let mut out = Vec::new();
        let value_options = ValueOptions { node_count: nodes, ..ValueOptions::default() };
        let calls = calls(&fixture);
        write(&fixture.0, &calls, &value_options, calls.total(), &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn functions_are_boxes_and_calls_are_arrows() {
        let text = dot(&[("main.main;example.com/a.(*T).M", 3), ("main.main", 1)], 80);
        assert!(text.contains(r#"f0 [label="example.com/a\n(*T)\nM\n3 (75.0%)""#), "{text}");
        assert!(text.contains(r#"f1 [label="main\nmain\n1 (25.0%)\nof 4 (100.0%)""#), "{text}");
        assert!(text.contains(r#"f1 -> f0 [label=" 3""#), "{text}");
        assert!(!text.contains("dotted"), "{text}");
    }

    #[test]
    fn what_tells_little_is_left_out_and_counted() {
        let text = dot(&[("m;pass;x", 5), ("m;y", 5)], 3);
        assert!(text.contains("1 smaller function left out"), "{text}");
        assert!(text.contains("style=dotted"), "{text}");
    }

    #[test]
    fn names_cannot_leave_their_quotes() {
        assert_eq!(centred_lines("a\"];b\\\n&lt;\u{1b}"), "\"a\\\"];b\\\\\\n&amp;lt;\u{fffd}\"");
    }
}
