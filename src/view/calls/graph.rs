//! The call graph: functions with their flat and cumulative values, and who calls whom.
//!
//! As in `go tool pprof`, a stack counts once for a function and once for a call, however often these
//! recur in it, and calls of a function by itself are no edges.

use super::Stack;
use crate::view::values::sums::Sums;
use hashbrown::HashMap;
use std::cmp::Reverse;

/// A function of the graph.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Node {
    /// Its number: in a graph of [`Calls`](super::Calls), its position in
    /// [`Calls::functions`](super::Calls::functions).
    pub function: u32,
    /// The sums of the stacks that end in it.
    pub flat: Sums,
    /// The sums of the stacks that pass through it.
    pub cum: Sums,
}

/// A call.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Edge {
    /// The number of the caller.
    pub from: u32,
    /// The number of the callee.
    pub to: u32,
    /// The value that passes through the call.
    pub value: i128,
    /// Whether every such call was inlined.
    pub inline: bool,
    /// Whether functions between the two were left out in any stack.
    pub indirect: bool,
}

/// The graph.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Graph {
    /// By number.
    pub nodes: Vec<Node>,
    /// By caller, then by callee.
    pub edges: Vec<Edge>,
}

impl Graph {
    /// The graph of stacks of `functions` functions, of which only some are kept; the values of the
    /// others count for their callers.
    pub fn of<'p>(
        functions: usize,
        stacks: impl Iterator<Item = Stack<'p>>,
        keep: &dyn Fn(u32) -> bool,
    ) -> Graph {
        let none = Sums::default();
        let node = |function| Node { function, flat: none, cum: none };
        let nodes = (0..functions as u32).map(|at| (node(at), NEVER)).collect();
        let mut builder = GraphBuilder { keep, nodes, edges: HashMap::new() };
        stacks.enumerate().for_each(|(at, stack)| builder.add(at, &stack));
        builder.finish()
    }

    /// The functions by the entropy score of `go tool pprof`, the highest first: a function through
    /// which all passes from one caller to one callee has a low one, however much that is.
    pub fn by_entropy(&self) -> Vec<u32> {
        // By function, what goes in and out: the total, and its spread over the edges.
        let mut spreads: HashMap<u32, [Spread; 2]> = HashMap::new();
        for node in &self.nodes {
            let [_, out] = spreads.entry(node.function).or_default();
            out.total += node.flat.value.max(0) as f64;
        }
        for edge in &self.edges {
            for (function, side) in [(edge.to, 0), (edge.from, 1)] {
                let spread = &mut spreads.entry(function).or_default()[side];
                spread.total += edge.value.max(0) as f64;
                spread.edges += 1;
            }
        }
        for edge in &self.edges {
            for (function, side) in [(edge.to, 0), (edge.from, 1)] {
                spreads.entry(function).or_default()[side].add(edge.value);
            }
        }
        let score = |node: &Node| {
            let Some(spread) = spreads.get(&node.function) else { return 0 };
            let [mut into, mut out] = *spread;
            // As in pprof, what ends in a function is one more way out of it, if there is any.
            if out.edges > 0 && node.flat.value > 0 {
                out.add(node.flat.value);
            }
            for side in [&mut into, &mut out] {
                if side.edges == 0 {
                    side.entropy = 1.0;
                }
            }
            let score = (into.entropy + out.entropy) * node.cum.value as f64;
            (score as i128 + node.flat.value).unsigned_abs()
        };
        let mut functions: Vec<(Reverse<u128>, u32)> =
            self.nodes.iter().map(|node| (Reverse(score(node)), node.function)).collect();
        functions.sort_unstable();
        functions.into_iter().map(|(_, function)| function).collect()
    }
}

/// The number of no stack.
const NEVER: usize = usize::MAX;

/// Builds a graph, one stack after the other.
struct GraphBuilder<'a> {
    keep: &'a dyn Fn(u32) -> bool,
    /// By function, with the stack that was counted last.
    nodes: Vec<(Node, usize)>,
    edges: HashMap<(u32, u32), (Edge, usize)>,
}

impl GraphBuilder<'_> {
    /// Adds the stack with the number `at`.
    fn add(&mut self, at: usize, stack: &Stack<'_>) {
        let Stack { sums, path, inlined, .. } = *stack;
        let (mut caller, mut skipped) = (None, false);
        for (depth, &function) in path.iter().enumerate() {
            if !(self.keep)(function) {
                skipped = true;
                continue;
            }
            let (node, seen) = &mut self.nodes[function as usize];
            if *seen != at {
                *seen = at;
                node.cum += sums;
            }
            if let Some(from) = caller.filter(|&caller| caller != function) {
                let (to, indirect, inline) = (function, false, true);
                let new = Edge { from, to, value: 0, indirect, inline };
                let (edge, seen) = self.edges.entry((from, to)).or_insert((new, NEVER));
                if *seen != at {
                    *seen = at;
                    edge.value += sums.value;
                    edge.indirect |= skipped;
                    edge.inline &= inlined.get(depth).copied().unwrap_or(false);
                }
            }
            caller = Some(function);
            skipped = false;
        }
        if let Some(leaf) = caller.filter(|_| !skipped) {
            self.nodes[leaf as usize].0.flat += sums;
        }
    }

    /// The graph of all stacks that were added.
    fn finish(self) -> Graph {
        let nodes = self.nodes.into_iter().filter(|(_, seen)| *seen != NEVER);
        let mut edges: Vec<Edge> = self.edges.into_values().map(|(edge, _)| edge).collect();
        edges.sort_unstable_by_key(|edge| (edge.from, edge.to));
        Graph { nodes: nodes.map(|(node, _)| node).collect(), edges }
    }
}

/// How the value that passes one side of a function is spread over its edges.
#[derive(Clone, Copy, Debug, Default)]
struct Spread {
    total: f64,
    entropy: f64,
    edges: usize,
}

impl Spread {
    fn add(&mut self, value: i128) {
        if self.total > 0.0 && value != 0 {
            let share = value.unsigned_abs() as f64 / self.total;
            self.entropy -= share * libm::log2(share);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::calls::Calls;
    use crate::view::calls::tests::{calls, fixture};

    fn graph(calls: &Calls<'_>, keep: &dyn Fn(u32) -> bool) -> Graph {
        Graph::of(calls.functions.len(), calls.stacks(), keep)
    }

    fn rows(calls: &Calls<'_>, graph: &Graph) -> (Vec<String>, Vec<String>) {
        let name = |at: u32| crate::profile::lossy(calls.function(at).name);
        let node =
            |node: &Node| format!("{} {} {}", name(node.function), node.flat.value, node.cum.value);
        let edge = |edge: &Edge| {
            let arrow = if edge.indirect { "~>" } else { "->" };
            format!("{} {arrow} {} {}", name(edge.from), name(edge.to), edge.value)
        };
        (graph.nodes.iter().map(node).collect(), graph.edges.iter().map(edge).collect())
    }

    #[test]
    fn a_stack_counts_once_for_each_function_and_call() {
        let fixture = fixture(&[("a;b;a;b;c", 5), ("a;c;c", 2)], &[]);
        let calls = calls(&fixture);
        let (nodes, edges) = rows(&calls, &graph(&calls, &|_| true));
        assert_eq!(nodes, ["a 0 7", "b 0 5", "c 7 7"]);
        assert_eq!(edges, ["a -> b 5", "a -> c 2", "b -> a 5", "b -> c 5"]);
    }

    #[test]
    fn calls_across_functions_that_are_left_out_are_indirect() {
        let fixture = fixture(&[("a;b;c", 5), ("a;b", 1), ("a;d;c", 2), ("a;e;d;c", 1)], &[]);
        let calls = calls(&fixture);
        let left_out = [b"b", b"e"];
        let keep = |at: u32| !left_out.iter().any(|name| calls.function(at).name[..] == name[..]);
        let (nodes, edges) = rows(&calls, &graph(&calls, &keep));
        assert_eq!(nodes, ["a 0 9", "c 8 8", "d 0 3"]);
        assert_eq!(edges, ["a ~> c 5", "a ~> d 3", "d -> c 3"]);
    }

    #[test]
    fn functions_that_only_pass_on_tell_least() {
        let fixture = fixture(&[("main;pass;x", 50), ("main;pass;y", 40), ("main;one;z", 9)], &[]);
        let calls = calls(&fixture);
        let by_entropy = graph(&calls, &|_| true).by_entropy();
        let names: Vec<&[u8]> = by_entropy.iter().map(|&at| calls.function(at).name).collect();
        assert_eq!(names, [b"main".as_slice(), b"x", b"pass", b"y", b"z", b"one"]);
    }

    #[test]
    fn what_ends_in_a_function_is_one_more_way_out_of_it() {
        let most = |stacks: &[(&str, i64)]| -> Vec<String> {
            let fixture = fixture(stacks, &[]);
            let calls = calls(&fixture);
            let by_entropy = graph(&calls, &|_| true).by_entropy();
            by_entropy.iter().map(|&at| crate::profile::lossy(calls.function(at).name)).collect()
        };
        assert_eq!(most(&[("e;c", 50), ("e", 10)]), ["e", "c"], "score 109 and 100");
        // What is lost is no way that anything goes.
        assert_eq!(most(&[("d;c", -30), ("c;a", 10), ("a;e", 10)]), ["a", "c", "d", "e"]);
    }
}
