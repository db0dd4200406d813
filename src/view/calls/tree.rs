//! The tree of calls: stacks share the part from the root on in which they are equal.

use super::Stack;
use crate::view::values::sums::Sums;

/// A function at one place of the tree: what all stacks with the same callers share.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Node {
    /// The number of its function; `None` for the root.
    pub function: Option<u32>,
    /// The position of its caller; 0 for the root.
    pub caller: usize,
    /// How many callers it has; 0 for the root.
    pub depth: usize,
    /// The sums of the stacks that end in it.
    pub flat: Sums,
    /// The sums of the stacks that pass through it.
    pub cum: Sums,
}

/// The tree of stacks that are sorted by their paths. Each node comes before those that it calls, which
/// are in the order of their numbers.
pub fn tree<'p>(stacks: impl Iterator<Item = Stack<'p>>) -> Vec<Node> {
    let mut nodes = vec![Node::default()];
    // The nodes of the last stack, the root first.
    let mut open = vec![0_usize];
    for Stack { sums, path, .. } in stacks {
        let same = |(node, function): &(&usize, &u32)| nodes[**node].function == Some(**function);
        let shared = open[1..].iter().zip(path).take_while(same).count();
        open.truncate(1 + shared);
        let mut caller = open[shared];
        for &function in &path[shared..] {
            nodes.push(Node {
                function: Some(function),
                caller,
                depth: open.len(),
                ..Node::default()
            });
            caller = nodes.len() - 1;
            open.push(caller);
        }
        nodes[caller].flat += sums;
        open.iter().for_each(|&node| nodes[node].cum += sums);
    }
    nodes
}
