//! `-o callgrind`: costs and calls of functions by line, for KCachegrind, QCachegrind and
//! callgrind_annotate.
//!
//! All stacks start in `<all>`, as both tools take the cost of the calls to a function as its inclusive
//! cost. Stacks don't show how often a function was called, so every call counts 1. Costs can't be negative
//! in this format; negative ones are left out.

use crate::profile::Profile;
use crate::view::calls::Calls;
use crate::view::calls::costs::Costs;
use hashbrown::{HashMap, HashSet};
use std::collections::BTreeMap;
use std::io::{self, Write};

/// The caller of the outermost functions.
const ROOT: &[u8] = b"<all>";

/// A callgrind document.
#[derive(Debug)]
pub struct Document<'a> {
    profile: &'a Profile,
    calls: &'a Calls<'a>,
    /// By function, [`None`] for the root: the costs of its lines.
    functions: BTreeMap<Option<u32>, Lines>,
    left_out: usize,
}

/// The costs of a function's lines, and of their calls by line and callee.
#[derive(Debug, Default)]
struct Lines {
    flat: Vec<(i64, i128)>,
    calls: Vec<(i64, u32, i128)>,
}

impl<'a> Document<'a> {
    /// The document for all calls, which must have lines.
    pub fn new(profile: &'a Profile, calls: &'a Calls<'a>) -> Document<'a> {
        let costs = Costs::new(calls);
        let mut functions: BTreeMap<Option<u32>, Lines> = BTreeMap::new();
        let mut left_out = 0;
        for (&(function, line), &cost) in &costs.flat {
            match cost {
                ..0 => left_out += 1,
                cost => functions.entry(Some(function)).or_default().flat.push((line, cost)),
            }
        }
        for (&(from, line, to), &cost) in &costs.calls {
            // Negative ones aren't counted here: the called function has lines, too.
            if cost > 0 {
                functions.entry(from).or_default().calls.push((line, to, cost));
            }
        }
        Document { profile, calls, functions, left_out }
    }

    /// How many lines are left out because their cost is negative.
    pub fn left_out(&self) -> usize {
        self.left_out
    }

    /// Writes the document.
    ///
    /// # Errors
    /// The error of writing to `out`.
    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let (kind, unit) = self.profile.value_name();
        let mut names =
            Names { calls: self.calls, functions: HashSet::new(), files: HashMap::new() };
        writeln!(out, "# callgrind format")?;
        writeln!(out, "version: 1")?;
        writeln!(out, "creator: stackgazer {}", env!("CARGO_PKG_VERSION"))?;
        for input in &self.profile.inputs {
            writeln!(out, "desc: Input: {}", one_line(input.name.as_bytes()))?;
        }
        writeln!(out, "positions: line")?;
        let event = event(kind);
        writeln!(out, "event: {event} : {} ({})", one_line(kind), one_line(unit))?;
        writeln!(out, "events: {event}")?;
        let flat = self.functions.values().flat_map(|lines| &lines.flat);
        writeln!(out, "summary: {}", flat.map(|(_, cost)| cost).sum::<i128>())?;
        for (&function, lines) in &self.functions {
            writeln!(out)?;
            writeln!(out, "fl={}", names.file(function))?;
            writeln!(out, "fn={}", names.function(function))?;
            for (line, cost) in &lines.flat {
                writeln!(out, "{line} {cost}")?;
            }
            for &(line, to, cost) in &lines.calls {
                writeln!(out, "cfl={}", names.file(Some(to)))?;
                writeln!(out, "cfn={}", names.function(Some(to)))?;
                writeln!(out, "calls=1 0")?;
                writeln!(out, "{line} {cost}")?;
            }
        }
        Ok(())
    }
}

/// Names are written once and then referred to by number.
struct Names<'a> {
    calls: &'a Calls<'a>,
    functions: HashSet<Option<u32>>,
    files: HashMap<&'a [u8], usize>,
}

impl Names<'_> {
    fn function(&mut self, at: Option<u32>) -> String {
        let number = at.map_or(1, |at| u64::from(at) + 2);
        let name = at.map_or(ROOT, |at| self.calls.function(at).name);
        match self.functions.insert(at) {
            true => format!("({number}) {}", one_line(name)),
            false => format!("({number})"),
        }
    }

    fn file(&mut self, at: Option<u32>) -> String {
        let file = at.map_or(&b""[..], |at| self.calls.function(at).source);
        let next = self.files.len() + 1;
        let number = *self.files.entry(file).or_insert(next);
        match (number == next, file) {
            (false, _) => format!("({number})"),
            // What the tools themselves write for an unknown file.
            (true, b"") => format!("({number}) ???"),
            (true, file) => format!("({number}) {}", one_line(file)),
        }
    }
}

/// The name of an event: it starts with a letter and has only letters, digits and `_`.
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
    use crate::view::calls::tests::fixture;

    fn callgrind(stacks: &[(&str, i64)]) -> (String, usize) {
        let (profile, names) = fixture(stacks, &[]);
        let calls = Calls::of(&profile, &names, |_| false, |id| profile.sample(id).count);
        let calls = calls.with_lines(&profile);
        let document = Document::new(&profile, &calls);
        let mut out = Vec::new();
        document.write(&mut out).unwrap();
        (String::from_utf8(out).unwrap(), document.left_out())
    }

    #[test]
    fn names_stand_once_and_calls_carry_what_passes_through_them() {
        // Lines are the numbers of the stacks.
        let (text, _) = callgrind(&[("a;b", 3), ("a", 1), ("b;a", 2)]);
        let (head, body) = text.split_once("\n\n").unwrap();
        assert!(head.ends_with("\nevents: goroutine\nsummary: 6"), "{head}");
        let expected = "fl=(1) ???\nfn=(1) <all>\n\
                        cfl=(2) a.go\ncfn=(2) a\ncalls=1 0\n0 4\n\
                        cfl=(3) b.go\ncfn=(3) b\ncalls=1 0\n0 2\n\n\
                        fl=(2)\nfn=(2)\n1 1\n2 2\ncfl=(3)\ncfn=(3)\ncalls=1 0\n0 3\n\n\
                        fl=(3)\nfn=(3)\n0 3\ncfl=(2)\ncfn=(2)\ncalls=1 0\n2 2\n";
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
    fn what_is_negative_costs_nothing_and_is_counted() {
        let (text, left_out) = callgrind(&[("a;b", -3), ("a", 1)]);
        assert!(text.contains("summary: 1\n"), "{text}");
        assert!(!text.contains("fn=(3)"), "{text}");
        assert_eq!(left_out, 1);
    }
}
