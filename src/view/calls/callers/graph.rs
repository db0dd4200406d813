//! Callers and callees of functions: of the matching functions, or of all that are worth showing.

use super::Subject;
use super::path::Paths;
use crate::error::Result;
use crate::view::calls::graph::{self, Graph, Node};
use crate::view::table::Order;
use crate::view::values::options::ValueOptions;
use crate::view::values::sums::Sums;
use regex::Regex;
use std::cmp::Reverse;
use std::collections::HashMap;
use std::rc::Rc;

/// A function with its callers and callees.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Function {
    /// Its name.
    pub name: Rc<str>,
    /// Its own value.
    pub flat: i128,
    /// Its value and that of what it calls.
    pub cum: i128,
    /// Its callers, the largest value first.
    pub callers: Vec<Edge>,
    /// The functions that it calls, the largest value first.
    pub callees: Vec<Edge>,
}

/// Calls from or to another function.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Edge {
    /// The other function.
    pub name: Rc<str>,
    /// The value of samples that go this way, each counted once.
    pub value: i128,
    /// Whether every such call was inlined.
    pub inline: bool,
}

/// The functions whose names match.
///
/// # Errors
/// If the names of all functions are too long together.
pub fn peek(subject: &Subject<'_>, wanted: &Regex) -> Result<Vec<Function>> {
    let paths = Paths::new(subject)?;
    let mut functions = Trimmed::new(&paths, subject).functions();
    functions.retain(|function| wanted.is_match(&function.name));
    Ok(functions)
}

/// Every function except those that are too small, and how many of these there are.
///
/// # Errors
/// As those of [`peek`].
pub fn graph(subject: &Subject<'_>) -> Result<(Vec<Function>, usize)> {
    let paths = Paths::new(subject)?;
    let mut trimmed = Trimmed::new(&paths, subject);
    let all = trimmed.nodes.len();
    trimmed.trim();
    let functions = trimmed.functions();
    let left_out = all - functions.len();
    Ok((functions, left_out))
}

/// A graph that shows only some of its nodes and edges.
struct Trimmed<'a> {
    paths: &'a Paths,
    value_options: &'a ValueOptions,
    order: Order,
    graph: Graph,
    /// The nodes that are shown; calls can lead to others.
    nodes: Vec<Node>,
}

impl<'a> Trimmed<'a> {
    fn new(paths: &'a Paths, subject: &Subject<'a>) -> Trimmed<'a> {
        let Subject { value_options, order, .. } = *subject;
        let (graph, nodes) = (Graph::default(), Vec::new());
        let mut trimmed = Trimmed { paths, value_options, order, graph, nodes };
        trimmed.build(&|_| true);
        trimmed
    }

    /// Makes the graph of these rows. All samples are read again, so that a call across rows that
    /// aren't kept counts each sample once.
    fn build(&mut self, keep: &dyn Fn(u32) -> bool) {
        self.graph = Graph::of(self.paths.rows.len(), self.paths.stacks(), keep);
        let is_shown = |node: &&Node| {
            let (flat, cum) = (node.flat.value, node.cum.value);
            let is_something = flat != 0 || cum != 0;
            is_something && !self.value_options.drops(flat, cum)
        };
        self.nodes = self.graph.nodes.iter().filter(is_shown).copied().collect();
    }

    /// Removes what is too small, in the order of pprof: functions by share, then all but the first
    /// functions, then calls by share.
    fn trim(&mut self) {
        let Trimmed { paths, value_options, order, .. } = *self;
        let total: i128 = self.nodes.iter().map(|node| node.flat.value).sum();
        let least = value_options.least(total);
        self.keep(|nodes| nodes.retain(|node| node.cum.value.unsigned_abs() >= least));
        let least_edge = value_options.least_edge(total);
        if value_options.node_count > 0 {
            self.keep(|nodes| {
                sort(nodes, paths, order);
                nodes.truncate(value_options.node_count);
            });
        }
        let shown = numbers(&self.nodes, paths.rows.len());
        let is_small = |edge: &graph::Edge| edge.value.unsigned_abs() < least_edge;
        self.graph.edges.retain(|edge| !(shown[edge.to as usize] && is_small(edge)));
    }

    /// Keeps some of the nodes, and makes the graph again if these aren't all.
    fn keep(&mut self, keep: impl FnOnce(&mut Vec<Node>)) {
        let mut kept = self.nodes.clone();
        keep(&mut kept);
        if kept.len() < self.nodes.len() {
            let kept = numbers(&kept, self.paths.rows.len());
            self.build(&|row| kept[row as usize]);
        }
    }

    /// The functions that are shown, in order.
    fn functions(mut self) -> Vec<Function> {
        sort(&mut self.nodes, self.paths, self.order);
        let name = |row: u32| self.paths.names[row as usize].clone();
        let function = |node: &Node| Function {
            name: name(node.function),
            flat: node.flat.mean(),
            cum: node.cum.mean(),
            callers: Vec::new(),
            callees: Vec::new(),
        };
        let mut functions: Vec<Function> = self.nodes.iter().map(function).collect();
        let at: HashMap<u32, usize> =
            self.nodes.iter().enumerate().map(|(at, node)| (node.function, at)).collect();
        // pprof gives calls sums, where it gives functions means.
        self.graph.edges.sort_by_cached_key(|edge| {
            (Reverse(edge.value.unsigned_abs()), name(edge.from), name(edge.to))
        });
        for edge in &self.graph.edges {
            let to = |row| Edge { name: name(row), value: edge.value, inline: edge.inline };
            if let Some(&callee) = at.get(&edge.to) {
                functions[callee].callers.push(to(edge.from));
            }
            if let Some(&caller) = at.get(&edge.from) {
                functions[caller].callees.push(to(edge.to));
            }
        }
        functions
    }
}

/// By row, whether it is one of these.
fn numbers(nodes: &[Node], rows: usize) -> Vec<bool> {
    let mut numbers = vec![false; rows];
    nodes.iter().for_each(|node| numbers[node.function as usize] = true);
    numbers
}

fn sort(nodes: &mut [Node], paths: &Paths, order: Order) {
    nodes.sort_by_cached_key(|node| {
        let size = |sums: &Sums| Reverse(sums.value.unsigned_abs());
        let (flat, cum) = (size(&node.flat), size(&node.cum));
        let (first, last) = match order {
            Order::Cum => (cum, flat),
            Order::Name => (Reverse(0), Reverse(0)),
            Order::Count | Order::Wait => (flat, cum),
        };
        (first, paths.names[node.function as usize].clone(), last, node.function)
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::fixture::{Fixture, G, all};
    use crate::view::table::key::Key;

    /// `grind` is called by main, by itself, and without a caller.
    fn shown<T>(value_options: &ValueOptions, view: impl Fn(&Subject<'_>) -> T) -> T {
        let mut fixture = Fixture::new("n1");
        fixture.add(G { id: 1, frames: &["f.hash", "f.grind", "main.main"], ..G::default() });
        fixture.add(G { id: 2, frames: &["f.sort", "f.grind", "main.main"], ..G::default() });
        fixture.add(G { id: 3, frames: &["f.hash", "f.grind", "f.grind"], ..G::default() });
        fixture.add(G { id: 4, frames: &["f.grind"], ..G::default() });
        let (profile, names) = fixture.done();
        let (selection, by, order) = (all(&profile), [Key::Function], Order::Count);
        let (profile, names, selection, by) = (&profile, &names, &selection, &by[..]);
        view(&Subject { profile, names, selection, by, value_options, order })
    }

    fn lines(functions: &[Function]) -> Vec<String> {
        let edges = |edges: &[Edge]| {
            let texts = edges.iter().map(|edge| format!("{} {}", edge.name, edge.value));
            texts.collect::<Vec<_>>().join(", ")
        };
        let line = |f: &Function| {
            let (callers, callees) = (edges(&f.callers), edges(&f.callees));
            format!("[{callers}] {} {} {} [{callees}]", f.name, f.flat, f.cum)
        };
        functions.iter().map(line).collect()
    }

    #[test]
    fn a_function_has_its_callers_above_and_its_callees_below() {
        let wanted = Regex::new("grind").unwrap();
        let found = shown(&ValueOptions::default(), |subject| peek(subject, &wanted)).unwrap();
        assert_eq!(lines(&found), ["[main.main 2] f.grind 1 4 [f.hash 2, f.sort 1]"]);
    }

    #[test]
    fn calls_lead_across_functions_that_are_too_small() {
        let (all, left_out) = shown(&ValueOptions::default(), graph).unwrap();
        assert_eq!((all.len(), left_out), (4, 0));
        // 3 of 4 goroutines or more.
        let value_options = ValueOptions { node_fraction: 0.75, ..ValueOptions::default() };
        let (found, left_out) = shown(&value_options, graph).unwrap();
        assert_eq!(lines(&found), ["[] f.grind 1 4 []"]);
        assert_eq!(left_out, 3);
        let value_options = ValueOptions { node_count: 2, ..ValueOptions::default() };
        let (found, _) = shown(&value_options, graph).unwrap();
        assert_eq!(lines(&found), ["[f.grind 2] f.hash 2 2 []", "[] f.grind 1 4 [f.hash 2]"]);
        let value_options = ValueOptions { edge_fraction: 0.5, ..ValueOptions::default() };
        let (found, _) = shown(&value_options, graph).unwrap();
        assert_eq!(lines(&found)[1], "[main.main 2] f.grind 1 4 [f.hash 2]");
    }
}
