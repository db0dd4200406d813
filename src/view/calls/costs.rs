//! The costs of lines: of their own, and of the calls in them.

use super::{Calls, Stack};
use std::collections::{BTreeMap, HashSet};

/// A call: the position of the caller in [`Calls::functions`], its line, the position of the callee.
/// The outermost function of a stack has no caller.
pub type Call = (Option<u32>, i64, u32);

/// The costs.
///
/// As in [`super::graph`], a stack counts once for a call, however often the call recurs, and it counts
/// for the line of the outermost one. Calls of a function by itself don't count.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Costs {
    /// The value that ends in a line, by the position of its function in [`Calls::functions`].
    pub flat: BTreeMap<(u32, i64), i128>,
    /// The value that passes through a call.
    pub calls: BTreeMap<Call, i128>,
}

impl Costs {
    /// The costs of all stacks, which must have lines.
    pub fn new(calls: &Calls<'_>) -> Costs {
        let mut costs = Costs::default();
        let mut seen = HashSet::new();
        for Stack { sums, path, lines, .. } in calls.stacks() {
            seen.clear();
            let mut caller = (None, 0);
            for (&function, &line) in path.iter().zip(lines) {
                let (from, at) = caller;
                if from != Some(function) && seen.insert((from, function)) {
                    *costs.calls.entry((from, at, function)).or_default() += sums.value;
                }
                caller = (Some(function), line);
            }
            if let (Some(leaf), line) = caller {
                *costs.flat.entry((leaf, line)).or_default() += sums.value;
            }
        }
        costs
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::calls::tests::fixture;

    #[test]
    fn costs_stand_at_lines_and_a_stack_counts_once_for_a_call() {
        // Lines are the numbers of the stacks.
        let (profile, names) = fixture(&[("a;b;a;b", 5), ("a;b", 2), ("a;a", 1)], &[]);
        let calls = Calls::of(&profile, &names, |_| false, |id| profile.sample(id).count);
        let calls = calls.with_lines(&profile);
        let costs = Costs::new(&calls);
        let (a, b) = (0, 1);
        assert_eq!(costs.flat, BTreeMap::from([((b, 0), 5), ((b, 1), 2), ((a, 2), 1)]));
        let expected =
            [((None, 0, a), 8), ((Some(a), 0, b), 5), ((Some(a), 1, b), 2), ((Some(b), 0, a), 5)];
        assert_eq!(costs.calls, BTreeMap::from(expected));
    }
}
