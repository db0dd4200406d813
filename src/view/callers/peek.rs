//! Callers and callees of functions.

use super::path::{Paths, parts};
use crate::filter::Selection;
use crate::profile::Profile;
use crate::rules::Names;
use crate::view::key::Key;
use foldhash::fast::FixedState;
use hashbrown::{HashMap, HashSet};
use regex::Regex;
use std::cmp::Reverse;

/// A function with those around it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Function {
    /// What it is called.
    pub name: String,
    /// Its own value.
    pub flat: i128,
    /// Its value and that of what it calls.
    pub cum: i128,
    /// Who calls it, the most first.
    pub callers: Vec<Edge>,
    /// Whom it calls, the most first.
    pub callees: Vec<Edge>,
}

/// Calls from or to another function.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Edge {
    /// The other function.
    pub name: String,
    /// The value of samples that go this way, each counted once.
    pub value: i128,
    /// Whether every such call was inlined.
    pub inline: bool,
}

#[derive(Clone, Copy, Default)]
struct Node {
    flat: i128,
    cum: i128,
}

#[derive(Clone, Copy)]
struct Weight {
    value: i128,
    inline: bool,
}

/// The functions whose names match, by their own value, the most first.
pub fn peek(
    profile: &Profile,
    names: &Names,
    selection: &Selection,
    by: &[Key],
    wanted: &Regex,
) -> Vec<Function> {
    let mut paths = Paths::new(profile, names, by);
    let mut nodes: HashMap<usize, Node, FixedState> = HashMap::default();
    let mut edges: HashMap<(usize, usize), Weight, FixedState> = HashMap::default();
    let mut seen: HashSet<usize, FixedState> = HashSet::default();
    let mut gone: HashSet<(usize, usize), FixedState> = HashSet::default();
    for part in parts(profile, selection) {
        let path = paths.of(&part);
        seen.clear();
        gone.clear();
        for step in &path {
            if seen.insert(step.row) {
                nodes.entry(step.row).or_default().cum += part.count;
            }
        }
        for pair in path.windows(2) {
            let [from, to] = pair else { continue };
            // A function that calls itself is no caller of its own, as in pprof.
            if from.row != to.row && gone.insert((from.row, to.row)) {
                let new = Weight { value: 0, inline: true };
                let weight = edges.entry((from.row, to.row)).or_insert(new);
                weight.value += part.count;
                weight.inline &= to.inlined;
            }
        }
        if let Some(leaf) = path.last() {
            nodes.entry(leaf.row).or_default().flat += part.count;
        }
    }
    let mut functions = HashMap::<usize, Function, FixedState>::default();
    for (&row, node) in &nodes {
        let name = paths.name(row);
        let is_something = node.flat != 0 || node.cum != 0;
        if is_something && wanted.is_match(&name) {
            let Node { flat, cum } = *node;
            let (callers, callees) = (Vec::new(), Vec::new());
            functions.insert(row, Function { name, flat, cum, callers, callees });
        }
    }
    for (&(from, to), weight) in &edges {
        let edge = |row| Edge { name: paths.name(row), value: weight.value, inline: weight.inline };
        if let Some(function) = functions.get_mut(&to) {
            function.callers.push(edge(from));
        }
        if let Some(function) = functions.get_mut(&from) {
            function.callees.push(edge(to));
        }
    }
    let mut functions: Vec<Function> = functions.into_values().collect();
    for function in &mut functions {
        for edges in [&mut function.callers, &mut function.callees] {
            edges
                .sort_by_cached_key(|edge| (Reverse(edge.value.unsigned_abs()), edge.name.clone()));
        }
    }
    functions.sort_by_cached_key(|function| {
        (Reverse(function.flat.unsigned_abs()), function.name.clone(), Reverse(function.cum))
    });
    functions
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::sketch::{G, Sketch, all};

    #[test]
    fn a_function_has_its_callers_above_and_its_callees_below() {
        let mut sketch = Sketch::new("n1");
        sketch.add(G { id: 1, frames: &["f.hash", "f.grind", "main.main"], ..G::default() });
        sketch.add(G { id: 2, frames: &["f.sort", "f.grind", "main.main"], ..G::default() });
        sketch.add(G { id: 3, frames: &["f.hash", "f.grind", "f.grind"], ..G::default() });
        sketch.add(G { id: 4, frames: &["f.grind"], ..G::default() });
        let (profile, names) = sketch.done();
        let wanted = Regex::new("grind").unwrap();
        let found = peek(&profile, &names, &all(&profile), &[Key::Function], &wanted);
        let edge = |name: &str, value| Edge { name: name.to_owned(), value, inline: false };
        let expected = Function {
            name: "f.grind".to_owned(),
            flat: 1,
            cum: 4,
            callers: vec![edge("main.main", 2)],
            callees: vec![edge("f.hash", 2), edge("f.sort", 1)],
        };
        assert_eq!(found, [expected]);
    }
}
