//! What becomes of the values of frames before they are shown, by the options of `go tool pprof`.

use super::base::Base;
use crate::filter::Selection;
use crate::profile::{FunctionId, Label, Profile, SampleId, StrId};
use std::collections::HashMap;

/// How values of frames are counted, cut and written.
#[derive(Clone, Debug)]
pub struct Figures {
    /// What is 100%; `None` for the total of what is shown.
    pub whole: Option<i128>,
    /// Whether values are divided by those of the first sample type: bytes per object.
    pub mean: bool,
    /// Whether rows below zero are left out.
    pub drop_negative: bool,
    /// Rows whose cumulative value is less than this share of the total are left out.
    pub node_fraction: f64,
    /// At most so many rows; 0 for all.
    pub node_count: usize,
    /// What all values are divided by where they are written.
    pub divide_by: f64,
    /// The unit that values are written in; `None` for what suits each best.
    pub unit: Option<String>,
}

impl Default for Figures {
    fn default() -> Figures {
        Figures {
            whole: None,
            mean: false,
            drop_negative: false,
            node_fraction: 0.0,
            node_count: 0,
            divide_by: 1.0,
            unit: None,
        }
    }
}

impl Figures {
    /// A value as it is written.
    pub fn divided(&self, value: i128) -> i128 {
        match self.divide_by {
            1.0 => value,
            by if by > 0.0 => (value as f64 * (1.0 / by)) as i128,
            _ => value,
        }
    }

    /// The least cumulative value that a row needs, where all of them together have this total.
    pub fn least(&self, total: i128) -> u128 {
        ((total as f64 * self.node_fraction) as i128).unsigned_abs()
    }
}

/// What 100% is made of: the values of samples, all counted as if they were above zero.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Whole {
    value: i128,
    /// The same of the first sample type, with their signs.
    divisor: i128,
}

impl Whole {
    /// Of what is selected. Samples that are equal in everything but their values are one.
    pub fn of(profile: &Profile, selection: &Selection, base: Option<Base>) -> Whole {
        if let Some(base) = base.filter(|base| base.is_whole) {
            let is_base = |id: SampleId| base.has(profile, id);
            let whole = Whole::of_those(profile, selection, Some(base), &is_base);
            if whole.value != 0 {
                return whole;
            }
        }
        Whole::of_those(profile, selection, base, &|_| true)
    }

    fn of_those(
        profile: &Profile,
        selection: &Selection,
        base: Option<Base>,
        wanted: &dyn Fn(SampleId) -> bool,
    ) -> Whole {
        let mut whole = Whole::default();
        let mut equal = Equal::default();
        let mut sums: HashMap<_, i128> = HashMap::new();
        let below_zero = selection.counts.iter().any(|&count| count < 0);
        // A base that is 100% is told apart from the rest.
        let apart = |id| base.is_some_and(|base| base.is_whole && base.has(profile, id));
        for (id, _) in profile.samples().filter(|(id, _)| selection.has(*id) && wanted(*id)) {
            let count = i128::from(selection.count(id));
            whole.divisor += divisor(profile, id);
            match below_zero {
                false => whole.value += count,
                // Only where some are below zero it matters which are put together.
                true => *sums.entry((apart(id), equal.number(profile, id))).or_default() += count,
            }
        }
        whole.value += sums.values().map(|sum| sum.abs()).sum::<i128>();
        whole
    }

    /// What is 100%.
    pub fn value(&self, mean: bool) -> i128 {
        match (mean, self.divisor) {
            (true, divisor) if divisor != 0 => self.value / divisor,
            _ => self.value,
        }
    }
}

/// What a mean of this sample is divided by: its value of the first sample type.
pub(super) fn divisor(profile: &Profile, sample: SampleId) -> i128 {
    i128::from(profile.values(sample).first().copied().unwrap_or(0))
}

/// A location by what it is: the pages, offset and name of its mapping, its address in that, and
/// its lines.
type Place = (Option<(u64, u64, StrId)>, u64, Vec<(StrId, StrId, StrId, i64, i64, i64)>);
type Key<'a> = (Vec<usize>, u32, &'a [Label]);

/// Tells samples apart by stack and labels, whichever inputs they are from.
#[derive(Default)]
struct Equal<'a> {
    places: HashMap<Place, usize>,
    by_location: HashMap<u32, usize>,
    samples: HashMap<Key<'a>, usize>,
}

impl<'a> Equal<'a> {
    fn number(&mut self, profile: &'a Profile, sample: SampleId) -> usize {
        let locations = profile.sample_locations(sample);
        let places = locations.iter().map(|&at| self.place(profile, at)).collect();
        let stack = match locations {
            [] => profile.sample(sample).key.full.0,
            _ => 0,
        };
        let new = self.samples.len();
        *self.samples.entry((places, stack, profile.all_labels(sample))).or_insert(new)
    }

    fn place(&mut self, profile: &Profile, id: crate::profile::LocationId) -> usize {
        if let Some(&known) = self.by_location.get(&id.0) {
            return known;
        }
        const PAGE: u64 = 0x1000;
        let location = profile.location(id);
        let mapping = location.mapping.map(|mapping| profile.mapping(mapping));
        let start = mapping.map_or(0, |mapping| mapping.start);
        let file = mapping.map(|mapping| {
            let name = match mapping.build_id {
                StrId::EMPTY => mapping.file,
                build_id => build_id,
            };
            (mapping.limit.wrapping_sub(mapping.start).div_ceil(PAGE), mapping.offset, name)
        });
        let function = |id: FunctionId| profile.function(id);
        let lines = profile.lines(id).iter().map(|line| {
            let of = function(line.function);
            (of.name, of.system_name, of.file, of.start_line, line.line, line.column)
        });
        let place = (file, location.address.wrapping_sub(start), lines.collect());
        let new = self.places.len();
        let number = *self.places.entry(place).or_insert(new);
        self.by_location.insert(id.0, number);
        number
    }
}
