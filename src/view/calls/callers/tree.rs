//! The tree of calls: a function is listed once for each path to it.

use super::Subject;
use super::path::Paths;
use crate::view::calls::{Stack, tree};
use crate::view::table::Order;
use std::cmp::Reverse;
use std::rc::Rc;

/// A call of the tree; the calls that it makes come right after it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Branch {
    /// How many calls lead to it.
    pub depth: usize,
    /// How often the value was split on the path: a function that is only called from one place, and
    /// always, isn't indented.
    pub indent: usize,
    /// The function.
    pub name: Rc<str>,
    /// Its own value on this path.
    pub flat: i128,
    /// Its value and that of what it calls.
    pub cum: i128,
}

/// The tree, outermost calls first, the largest value first; and how many calls were too small.
pub fn tree(subject: &Subject<'_>) -> (Vec<Branch>, usize) {
    const ROOT: usize = 0;
    let value_options = subject.value_options;
    let paths = Paths::new(subject);
    let mut stacks: Vec<Stack<'_>> = paths.stacks().collect();
    stacks.sort_unstable_by_key(|stack| stack.path);
    let nodes = tree::tree(stacks.into_iter());
    let least = value_options.least(nodes[ROOT].cum.value).max(1);
    // By node, the calls that it makes and that are shown.
    let mut calls = vec![Vec::new(); nodes.len()];
    // Calls come after the call that makes them. A call that adds up to nothing is shown if one that it
    // makes is: that one needs a parent.
    for (at, node) in nodes.iter().enumerate().skip(1).rev() {
        let (flat, cum) = (node.flat.value, node.cum.value);
        let is_large = cum.unsigned_abs() >= least;
        if (is_large || !calls[at].is_empty()) && !value_options.drops(flat, cum) {
            calls[node.caller].push(at);
        }
    }
    let name = |row: u32| paths.names[row as usize].clone();
    let size = |at: usize| match subject.order {
        Order::Name => Reverse(0),
        Order::Count | Order::Cum | Order::Wait => Reverse(nodes[at].cum.value.unsigned_abs()),
    };
    let mut branches = Vec::new();
    // The next call is at the end.
    let mut open = vec![(ROOT, 0)];
    while let Some((at, indent)) = open.pop() {
        let node = &nodes[at];
        if let Some(row) = node.function {
            let (flat, cum) = (node.flat.mean(), node.cum.mean());
            branches.push(Branch { depth: node.depth - 1, indent, name: name(row), flat, cum });
        }
        let made = &mut calls[at];
        made.sort_by_cached_key(|&call| (size(call), nodes[call].function.map(name), call));
        for &call in made.iter().rev() {
            let splits = at != ROOT && (made.len() > 1 || nodes[call].cum.value != node.cum.value);
            open.push((call, indent + usize::from(splits)));
        }
    }
    let left_out = nodes.len() - 1 - branches.len();
    (branches, left_out)
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

    #[test]
    fn of_differences_all_calls_of_a_function_are_indented_alike() {
        let mut fixture = Fixture::new("n1");
        for (count, frames) in [
            (3, &["f.grown", "main.main"][..]),
            (-2, &["f.gone", "main.main"]),
            (2, &["main.main"]),
            (1, &["f.new", "f.moved", "f.start"]),
            (-1, &["f.old", "f.moved", "f.start"]),
        ] {
            fixture.count(count, G { frames, ..G::default() });
        }
        let (profile, names) = fixture.done();
        let (profile, names, selection) = (&profile, &names, &all(&profile));
        let (by, order) = (&[Key::Function][..], Order::Count);
        let shown = |drop_negative| {
            let value_options = &ValueOptions { drop_negative, ..ValueOptions::default() };
            let branches = tree(&Subject { profile, names, selection, by, value_options, order }).0;
            let line = |b: &Branch| format!("{} {} {} {}", b.indent, b.name, b.flat, b.cum);
            branches.iter().map(line).collect::<Vec<_>>()
        };
        let of_main = ["0 main.main 2 3", "1 f.grown 3 3", "1 f.gone -2 -2"];
        let moved = ["0 f.start 0 0", "0 f.moved 0 0", "1 f.new 1 1", "1 f.old -1 -1"];
        assert_eq!(shown(false), [&of_main[..], &moved].concat());
        assert_eq!(shown(true), [&["0 main.main 2 3", "0 f.grown 3 3"], &moved[..3]].concat());
    }
}
