//! The tree of calls: stacks share the part from the root on in which they are equal.

use super::Stack;
use crate::error::{Error, ErrorKind, Result};
use crate::limits::LIMITS;
use crate::view::values::sums::Sums;

/// A function at one place of the tree: what all stacks with the same callers share.
///
/// It has 24 bytes, and its sums are computed when they are wanted: with them it had 128.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Node {
    /// The number of its function; `None` for the root.
    pub function: Option<u32>,
    /// How many callers it has; 0 for the root.
    pub depth: u32,
    /// The position behind it and everything that it calls.
    end: u32,
    /// The number of the first path that passes through it.
    first: u32,
    /// Whether that path ends in it.
    is_leaf: bool,
}

/// The tree. Each node comes before those that it calls, which are in the order of their numbers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Tree {
    /// The nodes, the root first.
    pub nodes: Vec<Node>,
    /// By path, the sums of all before it; then the sums of all.
    before: Vec<Sums>,
}

impl Tree {
    /// The tree of stacks that are sorted by their paths; `shown_as` is what asks for it.
    ///
    /// # Errors
    /// If it has more nodes than [`tree_nodes`](crate::limits::Limits::tree_nodes).
    pub fn new<'p>(shown_as: &str, stacks: impl Iterator<Item = Stack<'p>>) -> Result<Tree> {
        let root = Node { function: None, depth: 0, end: 0, first: 0, is_leaf: false };
        let (mut nodes, mut before) = (vec![root], Vec::new());
        let (mut total, mut last) = (Sums::default(), None::<&[u32]>);
        // The nodes of the last path, the root first.
        let mut open = vec![0_usize];
        for Stack { sums, path, .. } in stacks {
            if last != Some(path) {
                let same = |(a, b): &(&u32, &u32)| a == b;
                let shared = last.map_or(0, |last| last.iter().zip(path).take_while(same).count());
                let end = nodes.len() as u32;
                open.drain(1 + shared..).for_each(|node| nodes[node].end = end);
                if nodes.len() + path.len() - shared > LIMITS.tree_nodes {
                    return Err(too_large(shown_as));
                }
                for &function in &path[shared..] {
                    let (depth, first) = (open.len() as u32, before.len() as u32);
                    let function = Some(function);
                    open.push(nodes.len());
                    nodes.push(Node { function, depth, end: 0, first, is_leaf: false });
                }
                nodes[open[path.len()]].is_leaf = true;
                before.push(total);
                last = Some(path);
            }
            total += sums;
        }
        before.push(total);
        let end = nodes.len() as u32;
        open.into_iter().for_each(|node| nodes[node].end = end);
        Ok(Tree { nodes, before })
    }

    /// The sums of the stacks that end in a node.
    pub fn flat(&self, at: usize) -> Sums {
        let first = self.nodes[at].first as usize;
        self.before[first + usize::from(self.nodes[at].is_leaf)] - self.before[first]
    }

    /// The sums of the stacks that pass through a node.
    pub fn cum(&self, at: usize) -> Sums {
        self.before[self.paths_to(self.end(at))] - self.before[self.nodes[at].first as usize]
    }

    /// The position behind a node and everything that it calls.
    pub fn end(&self, at: usize) -> usize {
        self.nodes[at].end as usize
    }

    /// The nodes that a node calls.
    pub fn calls(&self, at: usize) -> impl Iterator<Item = usize> {
        let end = self.end(at);
        let next = move |&call: &usize| Some(self.end(call)).filter(|&next| next < end);
        std::iter::successors(Some(at + 1).filter(|&first| first < end), next)
    }

    /// The sums of each path, in order.
    pub(super) fn paths(&self) -> impl Iterator<Item = Sums> {
        self.before.windows(2).map(|of| of[1] - of[0])
    }

    /// How many paths begin before a node, or in all if it is behind the last one.
    pub(super) fn paths_to(&self, at: usize) -> usize {
        self.nodes.get(at).map_or(self.before.len() - 1, |node| node.first as usize)
    }
}

fn too_large(shown_as: &str) -> Error {
    let most = LIMITS.tree_nodes;
    let what = format!("the tree of calls has more than {most} nodes (tree_nodes)");
    Error::new(ErrorKind::Limit, shown_as, what)
        .advise("select less, cut the stacks (--show-from, --hide), or write folded")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of<'p>(path: &'p [u32], value: i128) -> Stack<'p> {
        let sums = Sums { value, ..Sums::default() };
        Stack { sums, path, lines: &[], inlined: &[] }
    }

    #[test]
    fn nodes_are_small_and_know_their_sums_and_calls() {
        assert_eq!(size_of::<Node>(), 24);
        let stacks =
            [of(&[], 1), of(&[0], 2), of(&[0, 1, 2], 4), of(&[0, 1, 2], 8), of(&[0, 3], 16)];
        let tree = Tree::new("test", stacks.into_iter()).unwrap();
        let row = |at: usize| {
            let (flat, cum) = (tree.flat(at).value, tree.cum(at).value);
            (tree.nodes[at].function, flat, cum, tree.calls(at).collect())
        };
        let rows: Vec<(Option<u32>, i128, i128, Vec<usize>)> = (0..5).map(row).collect();
        let expected = [
            (None, 1, 31, vec![1]),
            (Some(0), 2, 30, vec![2, 4]),
            (Some(1), 0, 12, vec![3]),
            (Some(2), 12, 12, vec![]),
            (Some(3), 16, 16, vec![]),
        ];
        assert_eq!(rows, expected);
        let none = Tree::new("test", std::iter::empty()).unwrap();
        assert_eq!((none.nodes.len(), none.cum(0)), (1, Sums::default()));
    }

    #[test]
    fn a_tree_has_a_limited_number_of_nodes() {
        let path = vec![0; LIMITS.tree_nodes];
        assert!(Tree::new("test", [of(&path[1..], 1)].into_iter()).is_ok());
        let error = Tree::new("test", [of(&path, 1)].into_iter()).unwrap_err().to_string();
        assert!(error.starts_with("test: ") && error.contains("(tree_nodes)"), "{error}");
    }
}
