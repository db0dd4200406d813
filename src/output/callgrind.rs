//! `-o callgrind`: costs and calls of functions, for KCachegrind, QCachegrind and
//! callgrind_annotate.
//!
//! Costs belong to functions, not lines. Stacks don't tell how often something was called, so that
//! every call counts 1. Costs can't be negative there; what is negative is left out.

use crate::profile::Profile;
use crate::view::calls::Calls;
use crate::view::graph::Graph;
use hashbrown::{HashMap, HashSet};
use std::io::{self, Write};

/// Writes the profile.
pub fn write(profile: &Profile, calls: &Calls<'_>, out: &mut dyn Write) -> io::Result<()> {
    let graph = Graph::new(calls);
    let (kind, unit) = profile.value_name();
    let mut names = Names { calls, functions: HashSet::new(), files: HashMap::new() };
    writeln!(out, "# callgrind format")?;
    writeln!(out, "version: 1")?;
    writeln!(out, "creator: stackgazer {}", env!("CARGO_PKG_VERSION"))?;
    for input in &profile.inputs {
        writeln!(out, "desc: Input: {}", one_line(input.name.as_bytes()))?;
    }
    writeln!(out, "positions: line")?;
    let event = event(kind);
    writeln!(out, "event: {event} : {} ({})", one_line(kind), one_line(unit))?;
    writeln!(out, "events: {event}")?;
    let total: i128 = graph.nodes.iter().map(|node| node.flat.max(0)).sum();
    writeln!(out, "summary: {total}")?;
    let mut edges = graph.edges.iter().peekable();
    for node in &graph.nodes {
        writeln!(out)?;
        writeln!(out, "fl={}", names.file(node.function))?;
        writeln!(out, "fn={}", names.function(node.function))?;
        writeln!(out, "0 {}", node.flat.max(0))?;
        while let Some(edge) = edges.next_if(|edge| edge.from == node.function) {
            if edge.value <= 0 {
                continue;
            }
            writeln!(out, "cfl={}", names.file(edge.to))?;
            writeln!(out, "cfn={}", names.function(edge.to))?;
            writeln!(out, "calls=1 0")?;
            writeln!(out, "0 {}", edge.value)?;
        }
    }
    Ok(())
}

/// How many functions are negative in sum, so that they have no cost in the file.
pub fn negative(calls: &Calls<'_>) -> usize {
    Graph::new(calls).nodes.iter().filter(|node| node.flat < 0 || node.cum < 0).count()
}

/// Names stand in the file once and are referred to by number.
struct Names<'a> {
    calls: &'a Calls<'a>,
    functions: HashSet<u32>,
    files: HashMap<&'a [u8], usize>,
}

impl Names<'_> {
    fn function(&mut self, at: u32) -> String {
        match self.functions.insert(at) {
            true => format!("({}) {}", at + 1, one_line(self.calls.function(at).name)),
            false => format!("({})", at + 1),
        }
    }

    fn file(&mut self, at: u32) -> String {
        let file = self.calls.function(at).file;
        let next = self.files.len() + 1;
        let number = *self.files.entry(file).or_insert(next);
        match (number == next, file) {
            (false, _) => format!("({number})"),
            // What the tools themselves write where they know no file.
            (true, b"") => format!("({number}) ???"),
            (true, file) => format!("({number}) {}", one_line(file)),
        }
    }
}

/// The name of an event, which starts with a letter and holds only letters, digits and `_`.
fn event(kind: &[u8]) -> String {
    let mut name: String = String::from_utf8_lossy(kind)
        .chars()
        .map(|char| if char.is_ascii_alphanumeric() { char } else { '_' })
        .collect();
    if !name.starts_with(|first: char| first.is_ascii_alphabetic()) {
        name.insert_str(0, "value_");
    }
    name
}

fn one_line(text: &[u8]) -> String {
    let text = String::from_utf8_lossy(text);
    text.chars().map(|char| if char.is_control() { ' ' } else { char }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::calls::tests::{calls, sketch};

    fn callgrind(stacks: &[(&str, i64)]) -> String {
        let sketch = sketch(stacks, &[]);
        let mut out = Vec::new();
        write(&sketch.0, &calls(&sketch), &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn names_stand_once_and_calls_carry_what_passes_through_them() {
        let text = callgrind(&[("a;b", 3), ("a", 1), ("b;a", 2)]);
        let (head, body) = text.split_once("\n\n").unwrap();
        assert!(head.ends_with("\nevents: goroutine\nsummary: 6"), "{head}");
        let expected = "fl=(1) a.go\nfn=(1) a\n0 3\ncfl=(2) b.go\ncfn=(2) b\ncalls=1 0\n0 3\n\n\
                        fl=(2)\nfn=(2)\n0 3\ncfl=(1)\ncfn=(1)\ncalls=1 0\n0 2\n";
        assert_eq!(body, expected);
    }

    #[test]
    fn events_are_names() {
        assert_eq!(event(b"alloc_space"), "alloc_space");
        assert_eq!(event(b"my value/s"), "my_value_s");
        assert_eq!(event(b"1st"), "value_1st");
        assert_eq!(event(b""), "value_");
    }

    #[test]
    fn what_is_negative_costs_nothing() {
        let text = callgrind(&[("a;b", -3), ("a", 1)]);
        assert!(text.contains("summary: 1\n"), "{text}");
        assert!(!text.contains("calls="), "{text}");
    }
}
