//! Orders trees, and limits how many are shown.

use super::{Node, Tree};
use crate::profile::{Profile, SampleKey};
use crate::rules::Names;
use crate::view::table::Order;
use std::cmp::Reverse;

impl Tree {
    /// Orders the roots, and the goroutines that one created, in another way than by id; then keeps the
    /// first `limit` trees.
    pub fn arrange(
        mut self,
        profile: &Profile,
        names: &Names,
        order: Option<Order>,
        limit: Option<usize>,
    ) -> Tree {
        if let Some(order) = order {
            self.sort(profile, names, order);
        }
        let limit = limit.unwrap_or(self.roots.len()).min(self.roots.len());
        let (shown, left_out) = self.roots.split_at(limit);
        let left_out = left_out.len();
        if order.is_none() && left_out == 0 {
            return self;
        }
        let mut tree = Tree { left_out, without_ids: self.without_ids.clone(), ..Tree::default() };
        for &root in shown {
            self.copy(root, &mut tree);
        }
        tree.targets = tree.nodes.iter().filter(|node| node.target).count();
        tree
    }

    /// Sorts roots and siblings; the sort is stable, so equal ones stay sorted by id.
    fn sort(&mut self, profile: &Profile, names: &Names, order: Order) {
        let Tree { nodes, roots, children, .. } = self;
        let goroutine = |node: u32| &profile.goroutines[nodes[node as usize].goroutine as usize];
        let key = |node: u32| -> &SampleKey { &profile.sample(goroutine(node).sample).key };
        let wait = |node: u32| goroutine(node).wait.known().unwrap_or(-1.0);
        // The goroutines that one created come after it.
        let mut sizes = vec![1_usize; nodes.len()];
        for (at, node) in nodes.iter().enumerate().rev() {
            if let Some(parent) = node.parent {
                sizes[parent as usize] += sizes[at];
            }
        }
        let sort = |list: &mut [u32]| match order {
            Order::Count | Order::Cum => list.sort_by_key(|&node| Reverse(sizes[node as usize])),
            Order::Wait => list.sort_by(|&a, &b| wait(b).total_cmp(&wait(a))),
            Order::Name => list.sort_by_key(|&node| {
                let stack = key(node).stack;
                (names.category(stack), names.name(profile, stack))
            }),
        };
        sort(roots);
        for node in nodes.iter() {
            sort(&mut children[node.children.clone()]);
        }
    }

    /// Adds a tree of this forest to another one, without recursion: creators can be a million deep.
    fn copy(&self, root: u32, into: &mut Tree) {
        into.roots.push(into.nodes.len() as u32);
        let mut left = vec![(root, None::<u32>)];
        while let Some((old, parent)) = left.pop() {
            let new = into.nodes.len() as u32;
            let children = self.children(old);
            left.extend(children.iter().rev().map(|&child| (child, Some(new))));
            into.add(Node { parent, ..self.nodes[old as usize].clone() }, children.len());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::fixture::{Fixture, G, all};
    use crate::view::goroutines::tree::Extent;

    /// 1 created 2, whose wait isn't known, and 3, 3 created 4, 9 is alone and waits the longest.
    fn ids(order: Option<Order>, limit: Option<usize>) -> (Vec<u64>, usize) {
        let mut fixture = Fixture::new("n1");
        for (id, by, minutes) in [
            (9, None, 7.0),
            (1, None, 1.0),
            (2, Some(1), -1.0),
            (3, Some(1), 0.0),
            (4, Some(3), 5.0),
        ] {
            let frames: &[&str] = if id == 9 { &["aa.first"] } else { &["main.work"] };
            fixture.add(G { id, by, minutes, frames, ..G::default() });
        }
        let (profile, names) = fixture.done();
        let tree = Tree::new(&profile, &names, &all(&profile), Extent::Everything);
        let tree = tree.arrange(&profile, &names, order, limit);
        for (at, node) in tree.nodes.iter().enumerate() {
            if let Some(parent) = node.parent {
                assert!(tree.children(parent).contains(&(at as u32)));
            }
        }
        let id = |node: &Node| profile.goroutines[node.goroutine as usize].id;
        (tree.nodes.iter().map(id).collect(), tree.left_out)
    }

    #[test]
    fn trees_are_sorted_and_counted() {
        assert_eq!(ids(None, None), (vec![1, 2, 3, 4, 9], 0));
        assert_eq!(ids(Some(Order::Count), None), (vec![1, 3, 4, 2, 9], 0));
        assert_eq!(ids(Some(Order::Wait), None), (vec![9, 1, 3, 4, 2], 0));
        assert_eq!(ids(Some(Order::Name), None), (vec![9, 1, 2, 3, 4], 0));
        assert_eq!(ids(Some(Order::Wait), Some(1)), (vec![9], 1));
        assert_eq!(ids(None, Some(1)), (vec![1, 2, 3, 4], 1));
        assert_eq!(ids(None, Some(7)), (vec![1, 2, 3, 4, 9], 0));
    }
}
