//! Counts each row at each point.

use super::series::Series;
use super::timeline::Timeline;
use crate::error::Result;
use crate::profile::{Kind, Profile, SampleId, StackId, StrId, WaitRange};
use crate::rules::Names;
use crate::view::table::key::Key;
use crate::view::table::part::Part;
use crate::view::table::row_index::RowIndex;
use foldhash::fast::FixedState;
use hashbrown::HashMap;

/// What is counted of a row at one point.
#[derive(Clone, Debug, Default)]
pub(super) struct Sums {
    /// The part that was added last, so that none is added twice.
    part: usize,
    pub(super) total: i128,
    pub(super) flat: i128,
    pub(super) waits: WaitRange,
    pub(super) states: HashMap<Option<StrId>, i128, FixedState>,
    pub(super) kinds: HashMap<Kind, i128, FixedState>,
}

impl Sums {
    /// The most frequent kind.
    pub(super) fn kind(&self) -> Option<Kind> {
        let most = self.kinds.iter().max_by(|a, b| a.1.cmp(b.1).then(b.0.cmp(a.0)));
        most.map(|(kind, _)| *kind)
    }
}

/// The counts of a row at the points that have any.
#[derive(Clone, Debug)]
pub(super) struct Counts {
    pub(super) sums: Series<Sums>,
    /// The stacks, each with the last point that has it and how many are in it there.
    stacks: HashMap<StackId, (usize, i128), FixedState>,
    pub(super) persist: i128,
}

impl Counts {
    fn new(points: usize) -> Counts {
        Counts { sums: Series::new(points), stacks: HashMap::default(), persist: 0 }
    }

    /// The stacks of the last point that has any, with how many are in each.
    pub(super) fn latest(&self) -> impl Iterator<Item = (StackId, i128)> {
        let last = self.stacks.values().map(|&(point, _)| point).max();
        let latest = self.stacks.iter().filter(move |(_, (point, _))| Some(*point) == last);
        latest.map(|(&stack, &(_, count))| (stack, count))
    }

    /// How many stacks there are over all points.
    pub(super) fn stacks(&self) -> usize {
        self.stacks.len()
    }
}

/// Builds the rows.
pub(super) struct Counting<'a> {
    profile: &'a Profile,
    points: &'a Timeline,
    keyed: RowIndex<'a>,
    rows: Vec<Counts>,
    added: usize,
    /// The row that the goroutines of a part count in; not for keys of frames.
    row_of: HashMap<(SampleId, Option<usize>), usize, FixedState>,
}

impl<'a> Counting<'a> {
    pub(super) fn new(
        profile: &'a Profile,
        names: &'a Names,
        points: &'a Timeline,
        by: &'a [Key],
    ) -> Counting<'a> {
        let mut keyed = RowIndex::new(profile, names, by);
        let process = |(input, _)| points.processes[points.process(input)].as_str();
        keyed.call_inputs(profile.inputs().map(process));
        let row_of = HashMap::default();
        Counting { profile, points, keyed, rows: Vec::new(), added: 0, row_of }
    }

    /// Adds a part; those of a point come after those of the points before it.
    pub(super) fn add(&mut self, part: &Part) {
        self.added += 1;
        let Counting { profile, points, keyed, rows, added, row_of } = self;
        let key = &profile.sample(part.sample).key;
        let point = profile.input(key.input).point;
        keyed.rows_of(part, |row, leaf| {
            while rows.len() <= row {
                rows.push(Counts::new(points.len()));
            }
            let Counts { sums, stacks, .. } = &mut rows[row];
            let sums = sums.at_last(point);
            if leaf {
                sums.flat += part.count;
            }
            if std::mem::replace(&mut sums.part, *added) == *added {
                return;
            }
            sums.total += part.count;
            sums.waits.merge(&part.waits);
            *sums.states.entry(key.state).or_default() += part.count;
            *sums.kinds.entry(key.kind).or_default() += part.count;
            let stack = stacks.entry(key.stack).or_insert((point, 0));
            match stack.0 == point {
                true => stack.1 += part.count,
                false => *stack = (point, part.count),
            }
            row_of.insert((part.sample, part.range), row);
        });
    }

    /// Notes that a goroutine of the last point has stayed in its stack.
    pub(super) fn persists(&mut self, sample: SampleId, range: Option<usize>) {
        if let Some(&row) = self.row_of.get(&(sample, range)) {
            self.rows[row].persist += 1;
        }
    }

    /// At most how many rows there are.
    pub(super) fn row_count(&self) -> usize {
        self.rows.len()
    }

    /// The rows with any count, with the values of their keys.
    ///
    /// # Errors
    /// If these values are too long together.
    pub(super) fn finish(self) -> Result<impl Iterator<Item = (Vec<Option<String>>, Counts)>> {
        let Counting { keyed, rows, .. } = self;
        keyed.check_texts()?;
        let rows = rows.into_iter().enumerate().filter(|(_, counts)| !counts.stacks.is_empty());
        Ok(rows.map(move |(row, counts)| (keyed.values(row), counts)))
    }
}
