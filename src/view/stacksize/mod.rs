//! How much stack memory is used, and by which code.

pub mod frame_sizes;
pub mod stack_bytes;

use crate::error::Result;
use crate::filter::Selection;
use crate::profile::{Profile, lossy};
use crate::rules::Names;
use crate::view::table::key::Key;
use crate::view::table::part::{Part, selected};
use crate::view::table::row_index::RowIndex;
use stack_bytes::{StackBytes, Stacks};
use std::collections::BTreeMap;

/// Bytes of the stacks of some goroutines.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Sizes {
    /// How many goroutines.
    pub goroutines: i128,
    /// Bytes in use; for keys of frames, by the row's calls and what they call.
    pub used: i128,
    /// The least bytes that the runtime can have allocated.
    pub least: i128,
    /// The most bytes that it leaves allocated after enough collections.
    pub most: i128,
    /// Bytes allocated for the goroutines of which that is known.
    pub allocated: i128,
    /// How many goroutines `allocated` is known of.
    pub allocated_known: i128,
    /// Goroutines with calls missing from their stacks.
    pub truncated: i128,
}

/// The goroutines with the same keys.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Row {
    /// A value for each key.
    pub keys: Vec<Option<String>>,
    /// The name of one of its stacks.
    pub name: String,
    /// The bytes of its goroutines.
    pub sizes: Sizes,
    /// For keys of frames: the bytes that its own calls take.
    pub own: i128,
}

/// The stack memory of the selected goroutines.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Stacksize {
    /// The keys that make rows.
    pub by: Vec<Key>,
    /// All goroutines whose stacks are known.
    pub total: Sizes,
    /// Goroutines whose stacks aren't known.
    pub unknown: i128,
    /// The rows, the largest first.
    pub rows: Vec<Row>,
    /// How many rows were left out.
    pub left_out: usize,
    /// The goroutines by the least size of their stacks.
    pub sizes: BTreeMap<u64, Sizes>,
}

impl Sizes {
    /// The bytes allocated, if they are known for all.
    pub fn allocated(&self) -> Option<i128> {
        let is_known = self.goroutines > 0 && self.allocated_known == self.goroutines;
        is_known.then_some(self.allocated)
    }

    fn add(&mut self, stack: &StackBytes, used: u64, count: i128) {
        self.goroutines += count;
        self.used += i128::from(used) * count;
        self.least += i128::from(stack.least) * count;
        self.most += i128::from(stack.most) * count;
        if let Some(allocated) = stack.allocated {
            self.allocated += i128::from(allocated) * count;
            self.allocated_known += count;
        }
        self.truncated += if stack.truncated { count } else { 0 };
    }
}

impl Stacksize {
    /// Adds up the stacks of the selected goroutines.
    ///
    /// # Errors
    /// If the values of the keys are longer than [`key_texts`](crate::limits::Limits::key_texts).
    pub fn new(
        profile: &Profile,
        names: &Names,
        selection: &Selection,
        stacks: &Stacks,
        by: Vec<Key>,
    ) -> Result<Stacksize> {
        let mut sum = Stacksize::default();
        let mut rows: Vec<Row> = Vec::new();
        let mut keyed = RowIndex::new(profile, names, &by);
        let of_frames = by.iter().any(Key::is_of_frames);
        for part in selected(profile, selection).iter() {
            let Part { sample, count, .. } = part;
            let each = stacks.of_selected(sample, count, selection.goroutines.as_deref());
            let known: i128 = each.iter().map(|(_, count)| count).sum();
            sum.unknown += count - known;
            if each.is_empty() {
                continue;
            }
            for (stack, count) in &each {
                sum.total.add(stack, stack.used, *count);
                sum.sizes.entry(stack.least).or_default().add(stack, stack.used, *count);
            }
            let own = if of_frames { stacks.of_frames(profile, sample) } else { Vec::new() };
            // By row: the bytes of its frames, and the bytes up to the outermost of them.
            let mut found: BTreeMap<usize, (u64, u64)> = BTreeMap::new();
            let (mut at, mut inner) = (0, 0);
            keyed.rows_of(&part, |row, _| {
                let bytes = own.get(at).copied().unwrap_or(0);
                inner += bytes;
                at += 1;
                let entry = found.entry(row).or_default();
                *entry = (entry.0 + bytes, inner);
            });
            for (row, (own, cum)) in found {
                if rows.len() <= row {
                    rows.resize(row + 1, Row::default());
                }
                let row = &mut rows[row];
                if row.name.is_empty() {
                    let name = names.name(profile, profile.sample(sample).key.stack);
                    row.name = lossy(name);
                }
                row.own += i128::from(own) * known;
                for (stack, count) in &each {
                    row.sizes.add(stack, if of_frames { cum } else { stack.used }, *count);
                }
            }
        }
        keyed.check_texts()?;
        for (at, row) in rows.iter_mut().enumerate() {
            row.keys = keyed.values(at);
        }
        rows.retain(|row| row.sizes.goroutines != 0);
        let size = |row: &Row| match of_frames {
            true => (row.own, row.sizes.used),
            false => (row.sizes.least, row.sizes.used),
        };
        rows.sort_by(|a, b| size(b).cmp(&size(a)).then_with(|| a.keys.cmp(&b.keys)));
        Ok(Stacksize { by, rows, ..sum })
    }

    /// Shows only the first rows.
    pub fn limit(&mut self, limit: usize) {
        self.left_out = self.rows.len().saturating_sub(limit);
        self.rows.truncate(limit);
    }

    /// Whether rows are made of frames.
    pub fn of_frames(&self) -> bool {
        self.by.iter().any(Key::is_of_frames)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_allocated_is_told_if_it_is_known_of_all() {
        let mut sizes = Sizes::default();
        assert_eq!(sizes.allocated(), None, "of no goroutine nothing is known");
        let known = StackBytes { allocated: Some(8192), ..StackBytes::default() };
        sizes.add(&known, 100, 3);
        assert_eq!((sizes.used, sizes.allocated()), (300, Some(3 * 8192)));
        sizes.add(&StackBytes::default(), 100, 1);
        assert_eq!((sizes.goroutines, sizes.allocated()), (4, None));
    }
}
