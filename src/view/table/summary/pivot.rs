//! Pivot tables: a column for each input.

use super::Row;
use crate::group::order::inputs as order;
use crate::profile::{InputId, Profile};
use crate::view::table::peers;

/// How many columns a table for people has if it can't show all.
const SHOWN: usize = 6;

/// The columns of a pivot table.
#[derive(Clone, Debug, Default)]
pub struct Pivot {
    /// Names of the inputs, in natural order.
    pub inputs: Vec<String>,
    /// The selected count of each.
    pub totals: Vec<i128>,
    /// Columns with a number that differs from their peers, the farthest first: positions in
    /// [`Pivot::inputs`].
    pub odd: Vec<usize>,
}

/// The counts of a row in the columns.
#[derive(Clone, Debug, Default)]
pub struct Spread {
    /// Columns with a count, and the count: positions in [`Pivot::inputs`], in order.
    pub cells: Vec<(usize, i128)>,
    /// The median over all columns.
    pub median: f64,
    /// The largest number, and the first column that has it.
    pub most: (usize, i128),
    /// Columns whose number differs from their peers.
    pub odd: Vec<usize>,
}

impl Spread {
    /// The count in a column.
    pub fn cell(&self, column: usize) -> i128 {
        let at = self.cells.binary_search_by_key(&column, |(known, _)| *known);
        at.map_or(0, |at| self.cells[at].1)
    }
}

impl Pivot {
    /// Makes columns of the picked inputs and splits the counts of rows among them; `totals` by input.
    pub(super) fn new(
        profile: &Profile,
        picked: &[bool],
        by_input: &[i128],
        rows: &mut [Row],
    ) -> Pivot {
        let columns: Vec<InputId> =
            order(profile).into_iter().filter(|id| picked[id.index()]).collect();
        let mut column_of = vec![None; profile.inputs.len()];
        for (column, id) in columns.iter().enumerate() {
            column_of[id.index()] = Some(column);
        }
        let totals: Vec<i128> = columns.iter().map(|id| by_input[id.index()]).collect();
        let least = peers::least_difference(&totals, profile.counts_goroutines());
        let mut farthest = vec![0.0_f64; columns.len()];
        let mut numbers = vec![0; columns.len()];
        for row in rows {
            let mut cells: Vec<(usize, i128)> = row
                .by_input
                .iter()
                .filter_map(|&(input, number)| Some((column_of[input.index()]?, number)))
                .filter(|(_, number)| *number != 0)
                .collect();
            cells.sort_unstable();
            numbers.fill(0);
            cells.iter().for_each(|&(column, number)| numbers[column] = number);
            let median =
                peers::median(&mut numbers.iter().map(|&number| number as f64).collect::<Vec<_>>());
            let odd = peers::outliers(&numbers, least);
            for &column in &odd {
                let distance = (numbers[column] as f64 - median).abs();
                farthest[column] = farthest[column].max(distance);
            }
            let most = numbers.iter().copied().enumerate().rev().max_by_key(|(_, number)| *number);
            row.spread = Spread { cells, median, most: most.unwrap_or_default(), odd };
        }
        let mut odd: Vec<usize> = (0..columns.len()).filter(|&at| farthest[at] > 0.0).collect();
        odd.sort_by(|&a, &b| farthest[b].total_cmp(&farthest[a]).then(a.cmp(&b)));
        let inputs = columns.iter().map(|&id| profile.input(id).name.clone()).collect();
        Pivot { inputs, totals, odd }
    }

    /// The columns that people are shown: all if they are few, else those that differ most.
    pub fn shown(&self, room: usize) -> Vec<usize> {
        if self.inputs.len() <= room {
            return (0..self.inputs.len()).collect();
        }
        let mut shown: Vec<usize> = self.odd.iter().copied().take(SHOWN).collect();
        shown.sort_unstable();
        shown
    }
}
