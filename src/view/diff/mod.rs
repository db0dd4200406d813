//! Changes of the same rows between two points in time, or over a series of points.

mod change;
mod count;
mod notes;
mod own;
mod persist;
mod point;
mod series;
pub mod timeline;
pub mod trend;

pub use change::{MinChange, STATUSES, Status, percent};
pub use own::{Grown, Own};
pub use point::{Point, Process};
pub use series::Series;

use crate::error::Result;
use crate::filter::Selection;
use crate::group::ids::{self, StackHash};
use crate::profile::{Kind, Profile, StackId, StrId, WaitRange, lossy};
use crate::rules::Names;
use crate::view::rows::{as_number, check_cells};
use crate::view::table::Order;
use crate::view::table::key::{Key, wait_range};
use crate::view::table::part;
use crate::view::table::row_index::by_keys;
use crate::view::values::quantity::Quantity;
use count::{Counting, Counts, Sums};
use serde::Serialize;
use std::cmp::Ordering;
use std::collections::{BTreeMap, HashMap};
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
    /// Whether a selecting option is set.
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
    /// Whether a selecting option is set.
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
    /// What there is of it at each point that has any.
    pub cells: Series<Cell>,
    /// The most goroutines at any point.
    pub most: i128,
    /// The change of [`Cell::flat`] from the first point to the last, after scaling.
    pub flat_change: f64,
    /// The change from the first point to the last, after scaling.
    pub change: f64,
    /// Whether the most frequent kind at the first point is another than at the last.
    pub other_kind: bool,
    /// How it moves, with three points or more.
    pub trend: Option<Trend>,
    /// Goroutines that are in the same stack at every point; `None` if that isn't known.
    pub persist: Option<i128>,
}

/// What there is of a row at one point.
#[derive(Clone, Debug)]
pub struct Cell {
    /// Goroutines; for keys of frames, those with the key in any frame.
    pub count: i128,
    /// For keys of frames: goroutines with the key in their leaf frame.
    pub flat: i128,
    /// Their states, most first.
    pub states: Vec<(Option<String>, i128)>,
    /// Their waits.
    pub waits: WaitRange,
}

impl Row {
    /// How many goroutines there are at a point.
    pub fn count(&self, point: usize) -> i128 {
        self.cells.at(point).map_or(0, |cell| cell.count)
    }

    /// How many goroutines there are at every point.
    pub fn counts(&self) -> impl Iterator<Item = i128> {
        self.cells.iter().map(|cell| cell.map_or(0, |cell| cell.count))
    }

    /// How many of them have the key in their leaf frame, at a point.
    pub fn flat(&self, point: usize) -> i128 {
        self.cells.at(point).map_or(0, |cell| cell.flat)
    }

    /// Whether its count is another than the first at any point.
    pub fn varies(&self) -> bool {
        let first = self.count(0);
        self.counts().any(|count| count != first)
    }

    /// Whether it is worth a look: its count changed on the way, by enough, or most goroutines are now
    /// of another kind.
    pub fn changed(&self) -> bool {
        let moved = self.status != Status::Same || self.varies();
        (moved && !self.below) || self.other_kind
    }

    /// The change in percent of the first count; `None` if that is 0.
    pub fn percent(&self) -> Option<f64> {
        percent(self.count(0) as f64, self.change)
    }
}

impl Diff {
    /// Compares the selected goroutines or samples of each point.
    ///
    /// # Errors
    /// If there are more cells than [`cells`](crate::limits::Limits::cells).
    pub fn new(
        profile: &Profile,
        names: &Names,
        selection: &Selection,
        points: &Timeline,
        options: &Options,
    ) -> Result<Diff> {
        let parts = match options.by.contains(&Key::Wait) {
            true => part::selected_by_wait(profile, selection),
            false => part::selected(profile, selection),
        };
        let parts = parts.in_time(profile);
        let of_frames = options.by.iter().any(Key::is_of_frames);
        let totals = point::points(profile, points, &parts, selection, options);
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
        let processes = point::processes(profile, points, &parts);
        let notes = notes::of(profile, points, &options.by);
        let same_states = notes::same_states(profile);
        let points = &totals;
        let is_of_values = !profile.counts_goroutines();
        let own = is_of_values.then(|| Own::of(profile, names, points, &parts));
        check_cells("--series", counting.row_count(), points.len())?;
        let mut builder = RowBuilder {
            profile,
            names,
            points,
            options,
            follow,
            same_states,
            ids: HashMap::new(),
            shapes: HashMap::new(),
        };
        let mut rows: Vec<Row> =
            counting.finish()?.map(|(keys, counts)| builder.row(keys, counts)).collect();
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
        Ok(Diff {
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
        })
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

/// States, most first; only goroutines have any.
fn states(profile: &Profile, sums: &Sums) -> Vec<(Option<String>, i128)> {
    if !profile.counts_goroutines() {
        return Vec::new();
    }
    let text = |state: StrId| lossy(profile.str(state));
    let mut states: Vec<(Option<String>, i128)> =
        sums.states.iter().map(|(state, &count)| (state.map(text), count)).collect();
    states.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    states
}

/// Makes rows from counts.
struct RowBuilder<'a> {
    profile: &'a Profile,
    names: &'a Names,
    points: &'a [Point],
    options: &'a Options,
    follow: bool,
    /// Whether all inputs are of formats that print the same states.
    same_states: bool,
    /// The ids and shapes of stacks. A stack counts in the row of each of its functions, so without these it would be
    /// hashed as often as it is deep.
    ids: HashMap<StackId, StackHash>,
    shapes: HashMap<StackId, StackHash>,
}

impl RowBuilder<'_> {
    fn row(&mut self, keys: Vec<Option<String>>, counts: Counts) -> Row {
        let RowBuilder { profile, names, points, options, ids, shapes, .. } = self;
        let scale = |count: fn(&Sums) -> i128| -> Vec<f64> {
            let counts = counts.sums.iter().map(|sums| sums.map_or(0, count));
            counts.zip(*points).map(|(count, point)| point.scaled(count)).collect()
        };
        let (scaled, scaled_flat) = (scale(|sums| sums.total), scale(|sums| sums.flat));
        let (first, last) = (counts.sums.first(), counts.sums.last());
        let total = |sums: Option<&Sums>| sums.map_or(0, |sums| sums.total);
        let change = change(&scaled);
        let status = Status::of(total(first), total(last), change);
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
        let top = counts
            .latest()
            .map(|(stack, count)| {
                let id = *ids.entry(stack).or_insert_with(|| ids::id(profile, stack));
                (count, names.name(profile, stack), id, stack)
            })
            .max_by(|a, b| a.0.cmp(&b.0).then_with(|| (b.1, b.2).cmp(&(a.1, a.2))));
        let kinds = (first.and_then(Sums::kind), last.and_then(Sums::kind));
        let most = counts.sums.iter().map(total).max().unwrap_or(0);
        Row {
            keys,
            category: top.map(|top| lossy(names.category(top.3))).unwrap_or_default(),
            name: top.map(|top| lossy(top.1)).unwrap_or_default(),
            example: top.map_or(StackId::EMPTY, |top| top.3),
            stack: top.map(|top| top.2).unwrap_or_default(),
            shape: top.map_or_else(StackHash::default, |top| {
                *shapes.entry(top.3).or_insert_with(|| ids::shape(profile, top.3))
            }),
            stacks: counts.stacks(),
            status,
            below,
            most,
            flat_change: self::change(&scaled_flat),
            change,
            other_kind: match kinds {
                // A kind that one format doesn't print hasn't changed.
                (Some(Kind::Unknown), _) | (_, Some(Kind::Unknown)) => false,
                (Some(old), Some(new)) => self.same_states && old != new,
                _ => false,
            },
            trend: Trend::of(&scaled),
            persist: self.follow.then_some(counts.persist),
            cells: counts.sums.map(|sums| Cell {
                count: sums.total,
                flat: sums.flat,
                states: states(profile, &sums),
                waits: sums.waits,
            }),
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
                moved(b)
                    .total_cmp(&moved(a))
                    .then_with(|| b.change.abs().total_cmp(&a.change.abs()))
                    .then_with(|| b.most.cmp(&a.most))
            }
            Order::Wait => {
                let last = |row: &Row| {
                    row.cells.last().map_or_else(Default::default, |cell| (cell.waits, cell.count))
                };
                let ((a, of_a), (b, of_b)) = (last(a), last(b));
                a.longest_first(&b).then(of_b.cmp(&of_a))
            }
        };
        first.then_with(|| by_name(a, b))
    });
}

#[cfg(test)]
mod tests;
