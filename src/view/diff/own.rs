//! The functions of own code that grew most, for profiles that don't count goroutines.

use super::{Point, Series};
use crate::profile::{Profile, StrId, lossy};
use crate::rules::Names;
use crate::view::frames::finder::FrameFinder;
use crate::view::rows::{as_counts, as_number};
use crate::view::table::part::Parts;
use foldhash::fast::FixedState;
use hashbrown::HashMap;
use serde::Serialize;

/// Of functions whose cumulative change is at least this share of the largest, the deepest one says
/// most: `main.main` grows with every function.
const AS_MUCH: f64 = 0.95;

/// The functions of own code that grew most.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct Own {
    /// By their own value.
    pub flat: Option<Grown>,
    /// By their cumulative value.
    pub cum: Option<Grown>,
}

/// A function that grew.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Grown {
    /// Its name.
    pub function: String,
    /// Its value at each point.
    #[serde(serialize_with = "as_counts")]
    pub counts: Vec<i128>,
    /// The change from the first point to the last, after scaling.
    #[serde(serialize_with = "as_number")]
    pub change: f64,
}

/// The values of a function at the points that have any.
struct Values {
    flat: Series<i128>,
    cum: Series<i128>,
    /// Its largest distance from the root.
    depth: usize,
    /// The part that was added last: a function that calls itself counts once.
    part: usize,
}

impl Own {
    /// Counts the functions of own code in these parts.
    pub(super) fn of(profile: &Profile, names: &Names, points: &[Point], parts: &Parts<'_>) -> Own {
        let frames = FrameFinder::new(profile);
        let mut values: HashMap<StrId, Values, FixedState> = HashMap::default();
        for (number, part) in parts.iter().enumerate() {
            let key = &profile.sample(part.sample).key;
            let point = profile.input(key.input).point;
            let stack = profile.stack(key.full);
            for (at, &frame) in stack.iter().enumerate() {
                if !frames.is_own(frame) {
                    continue;
                }
                let of = values.entry(names.func_id(frame)).or_insert_with(|| Values {
                    flat: Series::new(points.len()),
                    cum: Series::new(points.len()),
                    depth: 0,
                    part: usize::MAX,
                });
                if at == 0 {
                    *of.flat.at_last(point) += part.count;
                }
                of.depth = of.depth.max(stack.len() - at);
                if std::mem::replace(&mut of.part, number) != number {
                    *of.cum.at_last(point) += part.count;
                }
            }
        }
        let change = |counts: &Series<i128>| {
            let ends = [(points.first(), counts.first()), (points.last(), counts.last())];
            let scaled = |(point, count): (Option<&Point>, Option<&i128>)| {
                point.map_or(0.0, |point| point.scaled(count.copied().unwrap_or(0)))
            };
            super::change(&ends.map(scaled))
        };
        let grown = |counts: fn(&Values) -> &Series<i128>, tolerance: f64| {
            let all = values.iter().map(|(&function, of)| (function, of, change(counts(of))));
            let all: Vec<_> = all.filter(|(_, _, change)| *change > 0.0).collect();
            let most = all.iter().map(|(_, _, change)| *change).fold(0.0, f64::max);
            let (function, of, change) = all
                .into_iter()
                .filter(|(_, _, change)| *change >= most * tolerance)
                .max_by(|a, b| {
                    let by_size = a.1.depth.cmp(&b.1.depth).then(a.2.total_cmp(&b.2));
                    by_size.then_with(|| names.text(b.0).cmp(names.text(a.0)))
                })?;
            Some(Grown {
                function: lossy(names.text(function)),
                counts: counts(of).iter().map(|count| count.copied().unwrap_or(0)).collect(),
                change,
            })
        };
        Own { flat: grown(|of| &of.flat, 1.0), cum: grown(|of| &of.cum, AS_MUCH) }
    }
}
