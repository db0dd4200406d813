//! Changes of the same rows between two points in time, or over a series of points.

mod change;
mod count;
mod notes;
mod own;
mod persist;
pub mod timeline;
pub mod trend;

pub use change::{MinChange, STATUSES, Status, percent};
pub use own::{Grown, Own};

use crate::filter::Selection;
use crate::group::ids::{self, StackHash};
use crate::profile::{Kind, Profile, StackId, StrId, WaitRange, lossy};
use crate::rules::Names;
use crate::view::rows::{Count, as_number};
use crate::view::table::Order;
use crate::view::table::key::{Key, wait_range};
use crate::view::table::part::{self, Parts};
use crate::view::table::profile_verdict::{self, Total};
use crate::view::table::row_index::by_keys;
use crate::view::values::base::ratio;
use crate::view::values::quantity::Quantity;
use count::{Cell, Counting, Counts};
use serde::Serialize;
use std::cmp::Ordering;
use std::collections::BTreeMap;
use timeline::Timeline;
use trend::Trend;

/// What to compare and how to list it.
#[derive(Clone, Debug)]
pub struct Options {
    /// The keys that make rows.
    pub by: Vec<Key>,
    /// The order of rows: [`Order::Count`] is the largest change first (for keys of frames, of their
    /// flat value), [`Order::Cum`] the largest change of their cumulative value.
    pub order: Order,
    /// The largest number of rows.
    pub limit: Option<usize>,
    /// Whether every point is scaled to the total of the first.
    pub normalize: bool,
    /// Changes smaller than this don't count.
    pub min_change: Option<MinChange>,
    /// Whether a selecting flag is set.
    pub selecting: bool,
}

/// The changes from the first point to the last.
#[derive(Clone, Debug)]
pub struct Diff {
    /// The quantity that is counted.
    pub quantity: Quantity,
    /// The keys that make rows.
    pub by: Vec<Key>,
    /// The points in order.
    pub points: Vec<Point>,
    /// The processes in natural order.
    pub processes: Vec<Process>,
    /// The change from the first point to the last, after scaling.
    pub change: f64,
    /// How the total moves, with three points or more.
    pub trend: Option<Trend>,
    /// The numbers of rows that count, and their changes, by status.
    pub tally: BTreeMap<Status, Tally>,
    /// Changes that are smaller than [`Options::min_change`].
    pub below: Tally,
    /// Goroutines that are in the same stack at every point; `None` if the inputs print no ids.
    pub persist: Option<i128>,
    /// The functions of own code that grew most; `None` if goroutines are counted.
    pub own: Option<Own>,
    /// Why the points can't be compared in every respect, one sentence each.
    pub notes: Vec<String>,
    /// Whether the points were scaled to the total of the first.
    pub normalized: bool,
    /// Whether a selecting flag is set.
    pub selecting: bool,
    /// All rows in order, including those that didn't change.
    pub rows: Vec<Row>,
    /// Rows that the limit left out.
    pub left_out: usize,
}

/// Rows and the sum of their changes.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize)]
pub struct Tally {
    /// How many rows.
    pub rows: usize,
    /// The sum of their changes.
    #[serde(serialize_with = "as_number")]
    pub change: f64,
}

impl Tally {
    fn add(&mut self, change: f64) {
        self.rows += 1;
        self.change += change;
    }
}

/// A point in time.
#[derive(Clone, Debug)]
pub struct Point {
    /// Its name.
    pub name: String,
    /// The selected count.
    pub total: i128,
    /// The count of the whole point, selected or not.
    pub whole: i128,
    /// What counts of the point are multiplied with, so that all points have the same
    /// [`Point::whole`]; 1 unless that was requested.
    pub scale: f64,
    /// Goroutines by state, most first.
    pub states: Vec<(Option<String>, i128)>,
    /// Their waits, as far as they are known.
    pub waits: WaitRange,
    /// The sums of all sample types; empty if goroutines are counted.
    pub totals: Vec<Total>,
}

impl Point {
    fn scaled(&self, count: i128) -> f64 {
        rounded(count as f64 * self.scale)
    }
}

/// A process over time.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Process {
    /// Its name.
    pub name: String,
    /// Goroutines at each point; `None` if it has no input there.
    pub counts: Vec<Option<Count>>,
}

/// The goroutines that have the same keys, over time.
#[derive(Clone, Debug)]
pub struct Row {
    /// A value for every key; `None` if it isn't known or doesn't exist.
    pub keys: Vec<Option<String>>,
    /// Category of its most frequent stack at the last point that has any.
    pub category: String,
    /// Name of that stack.
    pub name: String,
    /// That stack.
    pub example: StackId,
    /// Its id.
    pub stack: StackHash,
    /// Its shape.
    pub shape: StackHash,
    /// Distinct stacks over all points.
    pub stacks: usize,
    /// How it changed.
    pub status: Status,
    /// Whether it changed by less than [`Options::min_change`].
    pub below: bool,
    /// Goroutines at each point; for keys of frames, those with the key in any frame.
    pub counts: Vec<i128>,
    /// For keys of frames: goroutines at each point with the key in their leaf frame.
    pub flat: Vec<i128>,
    /// The change of `flat` from the first point to the last, after scaling.
    pub flat_change: f64,
    /// The change from the first point to the last, after scaling.
    pub change: f64,
    /// States at each point, most first.
    pub states: Vec<Vec<(Option<String>, i128)>>,
    /// Whether the most frequent kind at the first point is another than at the last.
    pub other_kind: bool,
    /// Waits at each point.
    pub waits: Vec<WaitRange>,
    /// How it moves, with three points or more.
    pub trend: Option<Trend>,
    /// Goroutines that are in the same stack at every point; `None` if that isn't known.
    pub persist: Option<i128>,
}

impl Row {
    /// Whether it is worth a look: its count changed on the way, by enough, or most goroutines are now
    /// of another kind.
    pub fn changed(&self) -> bool {
        let moved = self.status != Status::Same || self.counts.iter().any(|n| *n != self.counts[0]);
        (moved && !self.below) || self.other_kind
    }

    /// The change in percent of the first count; `None` if that is 0.
    pub fn percent(&self) -> Option<f64> {
        percent(self.counts.first().copied().unwrap_or(0) as f64, self.change)
    }
}

impl Diff {
    /// Compares the selected goroutines or samples of each point.
    pub fn new(
        profile: &Profile,
        names: &Names,
        selection: &Selection,
        points: &Timeline,
        options: &Options,
    ) -> Diff {
        let parts = match options.by.contains(&Key::Wait) {
            true => part::selected_by_wait(profile, selection),
            false => part::selected(profile, selection),
        };
        let of_frames = options.by.iter().any(Key::is_of_frames);
        let totals = totals(profile, points, &parts, selection, options);
        let mut counting = Counting::new(profile, names, points, &options.by);
        parts.iter().for_each(|part| counting.add(&part));
        let persist = persist::can_follow(profile).then(|| {
            let persisting = persist::persisting(profile, points, selection);
            for &at in &persisting {
                let goroutine = &profile.goroutines[at];
                let minutes = goroutine.wait.known().filter(|_| options.by.contains(&Key::Wait));
                counting.persists(goroutine.sample, minutes.map(wait_range));
            }
            persisting.len() as i128
        });
        let follow = persist.is_some() && !of_frames;
        let processes = processes(profile, points, &parts);
        let notes = notes::of(profile, points, &options.by);
        let same_states = notes::same_states(profile);
        let points = &totals;
        let is_of_values = !profile.counts_goroutines();
        let own = is_of_values.then(|| Own::of(profile, names, points, &parts));
        let builder =
            RowBuilder { profile, names, points, options, of_frames, follow, same_states };
        let mut rows: Vec<Row> =
            counting.finish().map(|(keys, counts)| builder.row(keys, &counts)).collect();
        sort(&mut rows, options);
        let mut tally = BTreeMap::<Status, Tally>::new();
        let mut below = Tally::default();
        for row in &rows {
            match row.below {
                true => below.add(row.change),
                false => tally.entry(row.status).or_default().add(row.change),
            }
        }
        let left_out = options.limit.map_or(0, |limit| rows.len().saturating_sub(limit));
        rows.truncate(rows.len() - left_out);
        let scaled: Vec<f64> = totals.iter().map(|point| point.scaled(point.total)).collect();
        Diff {
            quantity: Quantity::of(profile),
            by: options.by.clone(),
            processes,
            change: change(&scaled),
            trend: Trend::of(&scaled),
            tally,
            below,
            persist,
            own,
            notes,
            normalized: options.normalize,
            selecting: options.selecting,
            points: totals,
            rows,
            left_out,
        }
    }

    /// Whether rows are made of frames, so that a goroutine counts in several of them.
    pub fn of_frames(&self) -> bool {
        self.by.iter().any(Key::is_of_frames)
    }

    /// Whether any row that counts has one of these statuses.
    pub fn has(&self, statuses: &[Status]) -> bool {
        statuses.iter().any(|status| self.tally.contains_key(status))
    }

    /// The change in percent of the total of the first point; `None` if that is 0.
    pub fn percent(&self) -> Option<f64> {
        percent(self.points.first().map_or(0, |point| point.total) as f64, self.change)
    }
}

/// The change from the first to the last.
fn change(counts: &[f64]) -> f64 {
    match counts {
        [first, .., last] => rounded(last - first),
        _ => 0.0,
    }
}

/// Scaling leaves rounding errors in the last bits, which must neither count as a rise nor decide
/// what comes first.
fn rounded(number: f64) -> f64 {
    if number.fract() == 0.0 { number } else { (number * 1e6).round() / 1e6 }
}

fn totals(
    profile: &Profile,
    points: &Timeline,
    parts: &Parts<'_>,
    selection: &Selection,
    options: &Options,
) -> Vec<Point> {
    let mut cells = vec![Cell::default(); points.len()];
    for part in parts.iter() {
        let key = &profile.sample(part.sample).key;
        let cell = &mut cells[profile.input(key.input).point];
        cell.total += part.count;
        cell.waits.merge(&part.waits);
        *cell.states.entry(key.state).or_default() += part.count;
    }
    let mut wholes = vec![0; points.len()];
    for sample in &profile.samples {
        wholes[profile.input(sample.key.input).point] += i128::from(sample.count);
    }
    let point = |(at, cell): (usize, Cell)| Point {
        name: points.names[at].clone(),
        total: cell.total,
        whole: wholes[at],
        scale: if options.normalize { ratio(wholes[0], wholes[at]) } else { 1.0 },
        states: states(profile, &cell),
        waits: cell.waits,
        totals: match profile.counts_goroutines() {
            true => Vec::new(),
            false => {
                profile_verdict::totals(profile, selection, &|id| profile.input(id).point == at)
            }
        },
    };
    cells.into_iter().enumerate().map(point).collect()
}

fn processes(profile: &Profile, points: &Timeline, parts: &Parts<'_>) -> Vec<Process> {
    let mut processes: Vec<Process> = points
        .processes
        .iter()
        .map(|name| Process { name: name.clone(), counts: vec![None; points.len()] })
        .collect();
    for (id, input) in profile.inputs() {
        processes[points.process(id)].counts[input.point].get_or_insert(Count(0));
    }
    for part in parts.iter() {
        let input = profile.sample(part.sample).key.input;
        let counts = &mut processes[points.process(input)].counts;
        counts[profile.input(input).point].get_or_insert(Count(0)).0 += part.count;
    }
    processes
}

/// States, most first; only goroutines have any.
fn states(profile: &Profile, cell: &Cell) -> Vec<(Option<String>, i128)> {
    if !profile.counts_goroutines() {
        return Vec::new();
    }
    let text = |state: StrId| lossy(profile.str(state));
    let mut states: Vec<(Option<String>, i128)> =
        cell.states.iter().map(|(state, &count)| (state.map(text), count)).collect();
    states.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    states
}

/// Makes rows from counts.
struct RowBuilder<'a> {
    profile: &'a Profile,
    names: &'a Names,
    points: &'a [Point],
    options: &'a Options,
    of_frames: bool,
    follow: bool,
    /// Whether all inputs are of formats that print the same states.
    same_states: bool,
}

impl RowBuilder<'_> {
    fn row(&self, keys: Vec<Option<String>>, counts: &Counts) -> Row {
        let RowBuilder { profile, names, points, options, .. } = self;
        let totals: Vec<i128> = counts.cells.iter().map(|cell| cell.total).collect();
        let scaled: Vec<f64> =
            totals.iter().zip(*points).map(|(&count, point)| point.scaled(count)).collect();
        let (first, last) = (totals.first().copied(), totals.last().copied());
        let change = change(&scaled);
        let status = Status::of(first.unwrap_or(0), last.unwrap_or(0), change);
        // If a count comes back to where it was, its largest distance decides.
        let distance = match status {
            Status::Same => {
                scaled.iter().map(|n| n - scaled[0]).max_by(|a, b| a.abs().total_cmp(&b.abs()))
            }
            _ => Some(change),
        };
        let below = options.min_change.as_ref().is_some_and(|least| {
            let distance = distance.unwrap_or(0.0);
            distance != 0.0 && !least.reached(scaled[0], distance)
        });
        let flat: Vec<i128> = counts.cells.iter().map(|cell| cell.flat).collect();
        let scaled_flat: Vec<f64> =
            flat.iter().zip(*points).map(|(&count, point)| point.scaled(count)).collect();
        let top = counts
            .latest()
            .map(|(stack, count)| {
                (count, names.name(profile, stack), ids::id(profile, stack), stack)
            })
            .max_by(|a, b| a.0.cmp(&b.0).then_with(|| (b.1, b.2).cmp(&(a.1, a.2))));
        let kinds =
            (counts.cells.first().and_then(Cell::kind), counts.cells.last().and_then(Cell::kind));
        Row {
            keys,
            category: top.map(|top| lossy(names.category(top.3))).unwrap_or_default(),
            name: top.map(|top| lossy(top.1)).unwrap_or_default(),
            example: top.map_or(StackId::EMPTY, |top| top.3),
            stack: top.map(|top| top.2).unwrap_or_default(),
            shape: top.map(|top| ids::shape(profile, top.3)).unwrap_or_default(),
            stacks: counts.stacks(),
            status,
            below,
            flat: if self.of_frames { flat } else { Vec::new() },
            flat_change: self::change(&scaled_flat),
            change,
            states: counts.cells.iter().map(|cell| states(profile, cell)).collect(),
            other_kind: match kinds {
                // A kind that one format doesn't print hasn't changed.
                (Some(Kind::Unknown), _) | (_, Some(Kind::Unknown)) => false,
                (Some(old), Some(new)) => self.same_states && old != new,
                _ => false,
            },
            waits: counts.cells.iter().map(|cell| cell.waits).collect(),
            trend: Trend::of(&scaled),
            persist: self.follow.then_some(counts.persist),
            counts: totals,
        }
    }
}

fn sort(rows: &mut [Row], options: &Options) {
    let by_name = |a: &Row, b: &Row| {
        let named = (&a.category, &a.name).cmp(&(&b.category, &b.name));
        named.then_with(|| by_keys(&options.by, &a.keys, &b.keys))
    };
    rows.sort_by(|a, b| {
        let first = match options.order {
            Order::Name => Ordering::Equal,
            Order::Count | Order::Cum => {
                let own = options.order == Order::Count && options.by.iter().any(Key::is_of_frames);
                let moved = |row: &Row| if own { row.flat_change.abs() } else { 0.0 };
                let size = |row: &Row| row.counts.iter().max().copied();
                moved(b)
                    .total_cmp(&moved(a))
                    .then_with(|| b.change.abs().total_cmp(&a.change.abs()))
                    .then_with(|| size(b).cmp(&size(a)))
            }
            Order::Wait => {
                let longest = |row: &Row| {
                    row.waits.last().and_then(WaitRange::range).map_or(-1.0, |(_, max)| max)
                };
                longest(b)
                    .total_cmp(&longest(a))
                    .then_with(|| b.counts.last().cmp(&a.counts.last()))
            }
        };
        first.then_with(|| by_name(a, b))
    });
}

#[cfg(test)]
mod tests;
