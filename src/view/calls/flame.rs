//! The merged call tree, laid out: a row for each depth, a width for each value.

use super::Calls;
use super::tree::{self, Tree};
use crate::error::Result;
use crate::view::values::sums::Sums;

/// A function at one place of the tree: the part that all stacks with the same callers share.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Node {
    /// The position of its function in [`Calls::functions`]; `None` for the root.
    pub function: Option<u32>,
    /// How many callers it has; 0 for the root.
    pub depth: usize,
    /// The value of it and everything that it calls.
    pub value: i128,
    /// The same in the base.
    pub base: i128,
    /// Its width.
    pub width: i128,
    /// Its distance from the left.
    pub start: i128,
}

impl Node {
    /// By how much it grew.
    pub fn change(&self) -> i128 {
        self.value - self.base
    }
}

/// The tree. Each node comes before those that it calls, which are sorted by name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Flame {
    tree: Tree,
    /// By path, its distance from the left; then the width of all.
    starts: Vec<i128>,
    /// Whether widths show changes rather than values, because there is a base or values are negative.
    pub differential: bool,
}

impl Flame {
    /// The tree of all stacks. With `of_base`, they are compared with their base.
    ///
    /// A node that shrank is as wide as it was, and one that grew as wide as it is, so nothing is hidden
    /// because it is gone. Without negative values the width of a stack is its value.
    ///
    /// # Errors
    /// As those of [`Tree::new`].
    pub fn new(calls: &Calls<'_>, of_base: bool) -> Result<Flame> {
        let tree = Tree::new("flamegraph", calls.stacks())?;
        let (mut starts, mut end) = (vec![0], 0_i128);
        for Sums { value, base, .. } in tree.paths() {
            end += value.abs().max(base.abs()).max((value - base).abs());
            starts.push(end);
        }
        let differential = of_base || tree.paths().any(|sums| sums.value < 0);
        Ok(Flame { tree, starts, differential })
    }

    /// How many nodes there are.
    pub fn node_count(&self) -> usize {
        self.tree.nodes.len()
    }

    /// The nodes, the root first.
    pub fn nodes(&self) -> impl Iterator<Item = Node> {
        (0..self.node_count()).map(|at| self.node(at))
    }

    /// The sum of everything.
    pub fn root(&self) -> Node {
        self.node(0)
    }

    /// A node by its position.
    pub fn node(&self, at: usize) -> Node {
        let tree::Node { function, depth, .. } = self.tree.nodes[at];
        let Sums { value, base, .. } = self.tree.cum(at);
        let start = self.starts[self.tree.paths_to(at)];
        let width = self.starts[self.tree.paths_to(self.tree.end(at))] - start;
        Node { function, depth: depth as usize, value, base, width, start }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::calls::tests::{calls, fixture};

    /// `depth function start+width value base`
    fn rows(new: &[(&str, i64)], base: &[(&str, i64)]) -> Vec<String> {
        let fixture = fixture(new, base);
        let calls = calls(&fixture);
        let name = |node: &Node| match node.function {
            Some(at) => crate::profile::lossy(calls.function(at).name),
            None => "all".to_owned(),
        };
        let row = |node: Node| {
            let Node { depth, start, width, value, base, .. } = node;
            format!("{depth} {} {start}+{width} {value} {base}", name(&node))
        };
        Flame::new(&calls, !base.is_empty()).unwrap().nodes().map(row).collect()
    }

    #[test]
    fn callers_span_what_they_call_and_what_they_do_themselves() {
        let rows = rows(&[("m;b;c", 2), ("m;a", 3), ("m;b", 5), ("n", 1)], &[]);
        // The part of `b` itself comes before the functions that it calls.
        let expected = [
            "0 all 0+11 11 0",
            "1 m 0+10 10 0",
            "2 a 0+3 3 0",
            "2 b 3+7 7 0",
            "3 c 8+2 2 0",
            "1 n 10+1 1 0",
        ];
        assert_eq!(rows, expected);
    }

    #[test]
    fn what_is_gone_keeps_its_place() {
        let rows =
            rows(&[("m;new", 4), ("m;less", 1)], &[("m;gone", 3), ("m;less", 1), ("m;less", 1)]);
        assert_eq!(
            rows,
            ["0 all 0+9 5 5", "1 m 0+9 5 5", "2 gone 0+3 0 3", "2 less 3+2 1 2", "2 new 5+4 4 0"]
        );
    }

    #[test]
    fn negative_values_are_as_wide_as_positive_ones() {
        let fixture = fixture(&[("a", -3), ("b", 2)], &[]);
        let flame = Flame::new(&calls(&fixture), false).unwrap();
        assert!(flame.differential);
        assert_eq!((flame.root().width, flame.root().value), (5, -1));
        let fixture = crate::view::calls::tests::fixture(&[("a", 3), ("b", 2)], &[]);
        assert!(!Flame::new(&calls(&fixture), false).unwrap().differential);
    }

    #[test]
    fn the_same_function_may_call_itself() {
        assert_eq!(rows(&[("a;a;a", 1)], &[])[1..], ["1 a 0+1 1 0", "2 a 0+1 1 0", "3 a 0+1 1 0"]);
    }
}
