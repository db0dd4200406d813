//! Points in time, and processes over time.

use super::count::Sums;
use super::timeline::Timeline;
use super::{Options, Series, rounded, states};
use crate::filter::Selection;
use crate::profile::{Profile, WaitRange};
use crate::view::rows::Count;
use crate::view::table::part::Parts;
use crate::view::table::profile_verdict::{self, Total};
use crate::view::values::base::ratio;
use serde::Serialize;

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
    /// The sums of all sample types, of the first and the last point; empty if goroutines are counted.
    pub totals: Vec<Total>,
}

impl Point {
    pub(super) fn scaled(&self, count: i128) -> f64 {
        rounded(count as f64 * self.scale)
    }
}

/// A process over time.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Process {
    /// Its name.
    pub name: String,
    /// Goroutines at each point that it has an input at.
    pub counts: Series<Count>,
}

/// The points with what there is at each.
pub(super) fn points(
    profile: &Profile,
    points: &Timeline,
    parts: &Parts<'_>,
    selection: &Selection,
    options: &Options,
) -> Vec<Point> {
    let mut sums = vec![Sums::default(); points.len()];
    for part in parts.iter() {
        let key = &profile.sample(part.sample).key;
        let sums = &mut sums[profile.input(key.input).point];
        sums.total += part.count;
        sums.waits.merge(&part.waits);
        *sums.states.entry(key.state).or_default() += part.count;
    }
    let mut wholes = vec![0; points.len()];
    for sample in &profile.samples {
        wholes[profile.input(sample.key.input).point] += i128::from(sample.count);
    }
    let point = |(at, sums): (usize, Sums)| Point {
        name: points.names[at].clone(),
        total: sums.total,
        whole: wholes[at],
        scale: if options.normalize { ratio(wholes[0], wholes[at]) } else { 1.0 },
        states: states(profile, &sums),
        waits: sums.waits,
        totals: match !profile.counts_goroutines() && (at == 0 || at + 1 == points.len()) {
            true => {
                profile_verdict::totals(profile, selection, &|id| profile.input(id).point == at)
            }
            false => Vec::new(),
        },
    };
    sums.into_iter().enumerate().map(point).collect()
}

/// The processes with their counts at each point.
pub(super) fn processes(profile: &Profile, points: &Timeline, parts: &Parts<'_>) -> Vec<Process> {
    let mut of_inputs = vec![0; profile.inputs.len()];
    for part in parts.iter() {
        of_inputs[profile.sample(part.sample).key.input.index()] += part.count;
    }
    let process = |name: &String| Process { name: name.clone(), counts: Series::new(points.len()) };
    let mut processes: Vec<Process> = points.processes.iter().map(process).collect();
    let mut inputs: Vec<_> = profile.inputs().collect();
    inputs.sort_by_key(|(_, input)| input.point);
    for (id, input) in inputs {
        processes[points.process(id)].counts.at_last(input.point).0 += of_inputs[id.index()];
    }
    processes
}
