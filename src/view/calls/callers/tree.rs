//! The tree of calls: a function is listed once for each path to it.

use super::Subject;
use super::path::Paths;
use crate::view::table::Order;
use crate::view::values::options::mean;
use foldhash::fast::FixedState;
use hashbrown::HashMap;
use std::cmp::Reverse;

/// A call of the tree; the calls that it makes come right after it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Branch {
    /// How many calls lead to it.
    pub depth: usize,
    /// How often the value was split on the path: a function that is only called from one place, and
    /// always, isn't indented.
    pub indent: usize,
    /// The function.
    pub name: String,
    /// Its own value on this path.
    pub flat: i128,
    /// Its value and that of what it calls.
    pub cum: i128,
}

#[derive(Default)]
struct Node {
    row: u32,
    flat: i128,
    cum: i128,
    divisors: (i128, i128),
    calls: Vec<usize>,
}

/// The tree, outermost calls first, the largest value first; and how many calls were too small.
pub fn tree(subject: &Subject<'_>) -> (Vec<Branch>, usize) {
    const ROOT: usize = 0;
    let value_options = subject.value_options;
    let paths = Paths::new(subject);
    let mut nodes = vec![Node::default()];
    let mut known: HashMap<(usize, u32), usize, FixedState> = HashMap::default();
    for (weight, steps) in paths.all() {
        let mut at = ROOT;
        nodes[at].add(weight.value, weight.divisor);
        for step in steps {
            let new = nodes.len();
            let next = *known.entry((at, step.function)).or_insert(new);
            if next == new {
                nodes.push(Node { row: step.function, ..Node::default() });
                nodes[at].calls.push(next);
            }
            at = next;
            nodes[at].add(weight.value, weight.divisor);
        }
        nodes[at].flat += weight.value;
        nodes[at].divisors.0 += weight.divisor;
    }
    let least = value_options.least(nodes[ROOT].cum).max(1);
    let mut shown = vec![false; nodes.len()];
    // Calls come after the call that makes them. A call that adds up to nothing is shown if one that it
    // makes is: that one needs a parent.
    for (at, node) in nodes.iter().enumerate().rev() {
        let is_negative = node.flat < 0 || node.flat == 0 && node.cum < 0;
        let is_large = node.cum.unsigned_abs() >= least;
        let leads_to_any = node.calls.iter().any(|&call| shown[call]);
        shown[at] = (is_large || leads_to_any) && !(value_options.drop_negative && is_negative);
    }
    let name = |at: usize| paths.names[nodes[at].row as usize].clone();
    let size = |at: usize| match subject.order {
        Order::Name => Reverse(0),
        Order::Count | Order::Cum | Order::Wait => Reverse(nodes[at].cum.unsigned_abs()),
    };
    let mut branches = Vec::new();
    // The next call is at the end.
    let mut open = vec![(ROOT, 0, 0)];
    while let Some((at, depth, indent)) = open.pop() {
        let node = &nodes[at];
        if at != ROOT {
            let (flat, cum) = (mean(node.flat, node.divisors.0), mean(node.cum, node.divisors.1));
            branches.push(Branch { depth: depth - 1, indent, name: name(at), flat, cum });
        }
        let mut calls: Vec<usize> =
            node.calls.iter().copied().filter(|&call| shown[call]).collect();
        calls.sort_by_cached_key(|&at| (size(at), name(at)));
        for &call in calls.iter().rev() {
            let splits = at != ROOT && (calls.len() > 1 || nodes[call].cum != node.cum);
            open.push((call, depth + 1, indent + usize::from(splits)));
        }
    }
    let left_out = nodes.len() - 1 - branches.len();
    (branches, left_out)
}

impl Node {
    fn add(&mut self, value: i128, divisor: i128) {
        self.cum += value;
        self.divisors.1 += divisor;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::fixture::{Fixture, G, all};
    use crate::view::table::key::Key;
    use crate::view::values::options::ValueOptions;

    #[test]
    fn each_way_to_a_function_is_a_branch_and_only_splits_are_indented() {
        let mut fixture = Fixture::new("n1");
        fixture.add(G { id: 1, frames: &["f.hash", "f.grind", "main.main"], ..G::default() });
        fixture.add(G { id: 2, frames: &["f.hash", "f.grind", "main.main"], ..G::default() });
        fixture.add(G { id: 3, frames: &["f.hash", "f.pack", "main.main"], ..G::default() });
        let (profile, names) = fixture.done();
        let (profile, names, selection) = (&profile, &names, &all(&profile));
        let (by, order) = (&[Key::Function][..], Order::Count);
        let shown = |value_options: &ValueOptions| {
            let (branches, left_out) =
                tree(&Subject { profile, names, selection, by, value_options, order });
            let line =
                |b: &Branch| format!("{} {} {} {} {}", b.depth, b.indent, b.name, b.flat, b.cum);
            (branches.iter().map(line).collect::<Vec<_>>(), left_out)
        };
        let expected = [
            "0 0 main.main 0 3",
            "1 1 f.grind 0 2",
            "2 1 f.hash 2 2",
            "1 1 f.pack 0 1",
            "2 1 f.hash 1 1",
        ];
        assert_eq!(shown(&ValueOptions::default()), (expected.map(str::to_owned).to_vec(), 0));
        let half = ValueOptions { node_fraction: 0.67, ..ValueOptions::default() };
        let expected = ["0 0 main.main 0 3", "1 1 f.grind 0 2", "2 1 f.hash 2 2"];
        assert_eq!(shown(&half), (expected.map(str::to_owned).to_vec(), 2));
    }
}
