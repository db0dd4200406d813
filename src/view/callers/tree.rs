//! The tree of calls: each way to a function on its own.

use super::path::{Paths, parts};
use crate::filter::Selection;
use crate::profile::Profile;
use crate::rules::Names;
use crate::view::figures::Figures;
use crate::view::key::Key;
use foldhash::fast::FixedState;
use hashbrown::HashMap;
use std::cmp::Reverse;

/// A call of the tree, which is listed with the calls that it makes right behind it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Branch {
    /// How many calls lead to it.
    pub depth: usize,
    /// How often the value was split on the way: what is called only from one place, and always,
    /// isn't indented.
    pub indent: usize,
    /// The function.
    pub name: String,
    /// Its own value on this way.
    pub flat: i128,
    /// Its value and that of what it calls.
    pub cum: i128,
}

#[derive(Default)]
struct Node {
    row: usize,
    flat: i128,
    cum: i128,
    calls: Vec<usize>,
}

/// The tree, outermost calls first, the most first; and how many calls were too small.
pub fn tree(
    profile: &Profile,
    names: &Names,
    selection: &Selection,
    by: &[Key],
    figures: &Figures,
) -> (Vec<Branch>, usize) {
    const ROOT: usize = 0;
    let mut paths = Paths::new(profile, names, by);
    let mut nodes = vec![Node::default()];
    let mut known: HashMap<(usize, usize), usize, FixedState> = HashMap::default();
    for part in parts(profile, selection) {
        let mut at = ROOT;
        nodes[at].cum += part.count;
        for step in paths.of(&part) {
            let new = nodes.len();
            let next = *known.entry((at, step.row)).or_insert(new);
            if next == new {
                nodes.push(Node { row: step.row, ..Node::default() });
                nodes[at].calls.push(next);
            }
            at = next;
            nodes[at].cum += part.count;
        }
        nodes[at].flat += part.count;
    }
    let least = figures.least(nodes[ROOT].cum).max(1);
    let shown = |&at: &usize| {
        let Node { flat, cum, .. } = nodes[at];
        let is_negative = flat < 0 || flat == 0 && cum < 0;
        cum.unsigned_abs() >= least && !(figures.drop_negative && is_negative)
    };
    let mut branches = Vec::new();
    // The next call is at the end.
    let mut open = vec![(ROOT, 0, 0)];
    while let Some((at, depth, indent)) = open.pop() {
        let node = &nodes[at];
        if at != ROOT {
            let Node { row, flat, cum, .. } = *node;
            branches.push(Branch { depth: depth - 1, indent, name: paths.name(row), flat, cum });
        }
        let mut calls: Vec<usize> = node.calls.iter().copied().filter(shown).collect();
        calls.sort_by_cached_key(|&at| {
            (Reverse(nodes[at].cum.unsigned_abs()), paths.name(nodes[at].row))
        });
        for &call in calls.iter().rev() {
            let splits = at != ROOT && (calls.len() > 1 || nodes[call].cum != node.cum);
            open.push((call, depth + 1, indent + usize::from(splits)));
        }
    }
    let left_out = nodes.len() - 1 - branches.len();
    (branches, left_out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::sketch::{G, Sketch, all};

    #[test]
    fn each_way_to_a_function_is_a_branch_and_only_splits_are_indented() {
        let mut sketch = Sketch::new("n1");
        sketch.add(G { id: 1, frames: &["f.hash", "f.grind", "main.main"], ..G::default() });
        sketch.add(G { id: 2, frames: &["f.hash", "f.grind", "main.main"], ..G::default() });
        sketch.add(G { id: 3, frames: &["f.hash", "f.pack", "main.main"], ..G::default() });
        let (profile, names) = sketch.done();
        let shown = |figures: &Figures| {
            let (branches, left_out) =
                tree(&profile, &names, &all(&profile), &[Key::Function], figures);
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
        assert_eq!(shown(&Figures::default()), (expected.map(str::to_owned).to_vec(), 0));
        let half = Figures { node_fraction: 0.67, ..Figures::default() };
        let expected = ["0 0 main.main 0 3", "1 1 f.grind 0 2", "2 1 f.hash 2 2"];
        assert_eq!(shown(&half), (expected.map(str::to_owned).to_vec(), 2));
    }
}
