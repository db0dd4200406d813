//! The tree of calls: a function is listed once for each path to it.

use super::Subject;
use super::path::Paths;
use crate::error::Result;
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

/// The tree, outermost calls first, the largest value first.
#[derive(Clone, Debug)]
pub struct Tree {
    tree: tree::Tree,
    /// By row.
    names: Vec<Rc<str>>,
    /// The positions of the nodes that are shown, and how far they are indented: a [`Branch`] takes eight times as many
    /// bytes.
    shown: Vec<(u32, u32)>,
}

impl Tree {
    /// The tree of the selected samples.
    ///
    /// # Errors
    /// As those of [`tree::Tree::new`], and if the names of all frames are too long together.
    pub fn new(subject: &Subject<'_>) -> Result<Tree> {
        let paths = Paths::new(subject)?;
        let mut stacks: Vec<Stack<'_>> = paths.stacks().collect();
        stacks.sort_unstable_by_key(|stack| stack.path);
        let tree = tree::Tree::new("--call-tree", stacks.into_iter())?;
        let shown = shown(&tree, &paths.names, subject);
        Ok(Tree { tree, names: paths.names, shown })
    }

    /// How many calls are shown.
    pub fn len(&self) -> usize {
        self.shown.len()
    }

    /// Whether none is shown.
    pub fn is_empty(&self) -> bool {
        self.shown.is_empty()
    }

    /// How many calls were too small.
    pub fn left_out(&self) -> usize {
        self.tree.nodes.len() - 1 - self.shown.len()
    }

    /// The calls that are shown.
    pub fn branches(&self) -> impl Iterator<Item = Branch> {
        self.shown.iter().filter_map(|&(at, indent)| {
            let (at, indent) = (at as usize, indent as usize);
            let node = &self.tree.nodes[at];
            let name = Rc::clone(&self.names[node.function? as usize]);
            let (flat, cum) = (self.tree.flat(at).mean(), self.tree.cum(at).mean());
            Some(Branch { depth: node.depth as usize - 1, indent, name, flat, cum })
        })
    }
}

/// The positions of the nodes that are shown, in order, and how far they are indented.
fn shown(tree: &tree::Tree, names: &[Rc<str>], subject: &Subject<'_>) -> Vec<(u32, u32)> {
    const ROOT: usize = 0;
    let value_options = subject.value_options;
    let cum = |at: usize| tree.cum(at).value;
    let least = value_options.least(cum(ROOT)).max(1);
    let mut is_shown = vec![false; tree.nodes.len()];
    // Calls come after the call that makes them. A call that adds up to nothing is shown if one that it
    // makes is: that one needs a parent.
    for at in (1..tree.nodes.len()).rev() {
        let is_large = cum(at).unsigned_abs() >= least;
        is_shown[at] = (is_large || tree.calls(at).any(|call| is_shown[call]))
            && !value_options.drops(tree.flat(at).value, cum(at));
    }
    let name = |at: usize| tree.nodes[at].function.map(|row| Rc::clone(&names[row as usize]));
    let size = |at: usize| match subject.order {
        Order::Name => Reverse(0),
        Order::Count | Order::Cum | Order::Wait => Reverse(cum(at).unsigned_abs()),
    };
    let mut shown = Vec::new();
    // The next call is at the end.
    let mut open = vec![(ROOT, 0)];
    while let Some((at, indent)) = open.pop() {
        if at != ROOT {
            shown.push((at as u32, indent));
        }
        let mut made: Vec<usize> = tree.calls(at).filter(|&call| is_shown[call]).collect();
        made.sort_by_cached_key(|&call| (size(call), name(call), call));
        for &call in made.iter().rev() {
            let splits = at != ROOT && (made.len() > 1 || cum(call) != cum(at));
            open.push((call, indent + u32::from(splits)));
        }
    }
    shown
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
            let tree = Tree::new(&Subject { profile, names, selection, by, value_options, order });
            let tree = tree.unwrap();
            let line =
                |b: Branch| format!("{} {} {} {} {}", b.depth, b.indent, b.name, b.flat, b.cum);
            (tree.branches().map(line).collect::<Vec<_>>(), tree.left_out())
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
            let tree = Tree::new(&Subject { profile, names, selection, by, value_options, order });
            let line = |b: Branch| format!("{} {} {} {}", b.indent, b.name, b.flat, b.cum);
            tree.unwrap().branches().map(line).collect::<Vec<_>>()
        };
        let of_main = ["0 main.main 2 3", "1 f.grown 3 3", "1 f.gone -2 -2"];
        let moved = ["0 f.start 0 0", "0 f.moved 0 0", "1 f.new 1 1", "1 f.old -1 -1"];
        assert_eq!(shown(false), [&of_main[..], &moved].concat());
        assert_eq!(shown(true), [&["0 main.main 2 3", "0 f.grown 3 3"], &moved[..3]].concat());
    }
}
