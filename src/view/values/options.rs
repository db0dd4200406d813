//! How the values of frames are computed before they are shown, by the options of `go tool pprof`.

use super::base::{Base, Labelled};
use super::equal::EqualSamples;
use crate::filter::Selection;
use crate::profile::{Profile, SampleId, unit};
use std::collections::HashMap;

/// How values of frames are counted, cut and written.
#[derive(Clone, Debug)]
pub struct ValueOptions {
    /// The value that is 100%; `None` for the total of what is shown.
    pub whole: Option<i128>,
    /// Whether values are differences, whose total doesn't say how much there is.
    pub is_difference: bool,
    /// Whether values are divided by those of the first sample type: bytes per object.
    pub mean: bool,
    /// Whether rows below zero are left out.
    pub drop_negative: bool,
    /// Rows whose cumulative value is less than this share of the total are left out.
    pub node_fraction: f64,
    /// Calls whose value is less than this share of the total are left out of graphs.
    pub edge_fraction: f64,
    /// The largest number of rows, or of functions of a graph; 0 for all.
    pub node_count: usize,
    /// The divisor of all values when they are written.
    pub divide_by: f64,
    /// The unit that values are written in; `None` for the one that suits each best.
    pub unit: Option<String>,
}

impl Default for ValueOptions {
    fn default() -> ValueOptions {
        ValueOptions {
            whole: None,
            is_difference: false,
            mean: false,
            drop_negative: false,
            node_fraction: 0.0,
            edge_fraction: 0.0,
            node_count: 0,
            divide_by: 1.0,
            unit: None,
        }
    }
}

impl ValueOptions {
    /// A value as it is written.
    pub fn divided(&self, value: i128) -> i128 {
        match self.divide_by {
            1.0 => value,
            by if by > 0.0 => (value as f64 * (1.0 / by)) as i128,
            _ => value,
        }
    }

    /// The requested unit; if the best unit for all rows was requested, that one, given flat and cum of
    /// each row.
    pub fn unit_of_rows(
        &self,
        from: &str,
        rows: impl Iterator<Item = (i128, i128)>,
    ) -> Option<String> {
        let requested = self.unit.as_deref()?;
        if requested != unit::MINIMUM {
            return Some(requested.to_owned());
        }
        let sizes = rows.map(|(flat, cum)| if flat == 0 { cum.abs() } else { flat.abs() });
        let smallest = sizes.filter(|&size| size > 0).min().unwrap_or(0);
        let largest = self.divided(self.whole.unwrap_or(0));
        Some(unit::common(self.divided(smallest), largest, from))
    }

    /// Whether a row with these values is left out because it is negative.
    pub fn drops(&self, flat: i128, cum: i128) -> bool {
        self.drop_negative && (flat < 0 || flat == 0 && cum < 0)
    }

    /// The least cumulative value of a row that is shown, if all of them together have this total.
    pub fn least(&self, total: i128) -> u128 {
        ((total as f64 * self.node_fraction) as i128).unsigned_abs()
    }

    /// The least value of a call that is shown, likewise.
    pub fn least_edge(&self, total: i128) -> u128 {
        ((total as f64 * self.edge_fraction) as i128).unsigned_abs()
    }
}

/// The base of percentages: the sum of the absolute values of samples.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct PercentBase {
    value: i128,
    /// The sum of the first sample type with its signs, which means are divided by.
    divisor: i128,
}

impl PercentBase {
    /// The base of the selected samples; or of `--base` alone, if that was requested now or when the
    /// profile was written. Samples that are equal in everything but their values are one.
    pub fn of(profile: &Profile, selection: &Selection, base: Option<Base>) -> PercentBase {
        let base = base.filter(|base| base.is_whole);
        let labelled = Labelled::of(profile);
        if base.is_none() && labelled.is_none() {
            return PercentBase::of_those(profile, selection, &|_| false, &|_| true);
        }
        let is_base = |id: SampleId| {
            base.is_some_and(|base| base.has(profile, id)) || labelled.has(profile, id)
        };
        match PercentBase::of_those(profile, selection, &is_base, &is_base) {
            nothing if nothing.value == 0 => {
                PercentBase::of_those(profile, selection, &is_base, &|_| true)
            }
            whole => whole,
        }
    }

    fn of_those(
        profile: &Profile,
        selection: &Selection,
        is_base: &dyn Fn(SampleId) -> bool,
        wanted: &dyn Fn(SampleId) -> bool,
    ) -> PercentBase {
        let mut whole = PercentBase::default();
        let mut equal = EqualSamples::default();
        let mut sums: HashMap<_, i128> = HashMap::new();
        let below_zero = selection.counts.iter().any(|&count| count < 0);
        for (id, _) in profile.samples().filter(|(id, _)| selection.has(*id) && wanted(*id)) {
            let count = i128::from(selection.count(id));
            whole.divisor += divisor(profile, id);
            match below_zero {
                false => whole.value += count,
                // If none is negative it doesn't matter which are added up; a base that is 100% isn't
                // added to the rest.
                true => *sums.entry((is_base(id), equal.number(profile, id))).or_default() += count,
            }
        }
        whole.value += sums.values().map(|sum| sum.abs()).sum::<i128>();
        whole
    }

    /// The value that is 100%.
    pub fn value(&self, mean: bool) -> i128 {
        if mean { self::mean(self.value, self.divisor) } else { self.value }
    }
}

/// The mean of a sum; the sum itself if there is nothing to divide it by.
pub(in crate::view) fn mean(sum: i128, divisor: i128) -> i128 {
    if divisor == 0 { sum } else { sum / divisor }
}

/// The divisor for the mean of this sample: its value of the first sample type.
pub(in crate::view) fn divisor(profile: &Profile, sample: SampleId) -> i128 {
    i128::from(profile.values(sample).first().copied().unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_divided_by_what_is_above_zero() {
        let divided =
            |divide_by, value| ValueOptions { divide_by, ..ValueOptions::default() }.divided(value);
        assert_eq!(divided(1.0, i128::from(i64::MAX)), i128::from(i64::MAX));
        assert_eq!(divided(4.0, -10), -2);
        assert_eq!(divided(0.5, 10), 20);
        assert_eq!((divided(0.0, 10), divided(-2.0, 10)), (10, 10));
    }

    #[test]
    fn a_row_is_negative_by_its_own_value_or_else_by_that_of_what_it_calls() {
        let drops = |drop_negative, (flat, cum)| {
            ValueOptions { drop_negative, ..ValueOptions::default() }.drops(flat, cum)
        };
        for (values, is_negative) in
            [((-1, 5), true), ((1, -5), false), ((0, -1), true), ((0, 0), false), ((0, 1), false)]
        {
            assert_eq!(drops(true, values), is_negative, "{values:?}");
            assert!(!drops(false, values), "{values:?}");
        }
    }

    #[test]
    fn one_unit_suits_the_smallest_row_that_is_not_zero() {
        let unit = |asked: Option<&str>, rows: &[(i128, i128)]| {
            let unit = asked.map(ToOwned::to_owned);
            let options = ValueOptions { unit, whole: Some(9 << 20), ..ValueOptions::default() };
            options.unit_of_rows("bytes", rows.iter().copied())
        };
        let minimum = Some(unit::MINIMUM);
        let megabytes = [(0, 0), (0, -2 << 20), (5 << 20, 6 << 10)];
        assert_eq!(unit(minimum, &megabytes).as_deref(), Some("MB"));
        let kilobytes = [(0, 0), (0, -900 << 10), (5 << 20, 6 << 20)];
        assert_eq!(unit(minimum, &kilobytes).as_deref(), Some("kB"));
        assert_eq!(unit(Some("GB"), &kilobytes).as_deref(), Some("GB"));
        assert_eq!(unit(None, &kilobytes), None);
    }
}
