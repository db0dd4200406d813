//! How a count moves over a series, by statistics that a single odd count can't spoil.

use crate::view::rows::as_number;
use crate::view::table::peers::{median, ranked};
use serde::Serialize;

/// How a count moves over a series. JSON has the fields that a diff shows.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Trend {
    /// How many points there are.
    #[serde(skip)]
    pub points: usize,
    /// The Theil-Sen slope: the median of the slopes between all pairs of points.
    #[serde(serialize_with = "as_number")]
    pub slope: f64,
    /// The lower bound of the slope with a confidence of 95 percent, after Sen.
    #[serde(skip)]
    pub slope_at_least: f64,
    /// How many steps from one point to the next go up.
    pub rising_steps: usize,
    /// Whether every step goes up.
    pub rises: bool,
    /// From the first to the last point.
    #[serde(skip)]
    pub rise: f64,
    /// The median of the counts.
    #[serde(skip)]
    pub median: f64,
    /// Whether it is above its start, but neither of the last two steps goes up: a pool that has filled
    /// and stays full is no leak. With three points nothing can have risen before that.
    pub levelled_off: bool,
}

impl Trend {
    /// The trend of counts at evenly spaced points, in order; `None` for fewer than three.
    pub fn of(counts: &[f64]) -> Option<Trend> {
        let (&[first, .., last], 3..) = (counts, counts.len()) else { return None };
        let rising_steps = counts.windows(2).filter(|step| step[1] > step[0]).count();
        let rests = counts[counts.len() - 3..].windows(2).all(|step| step[1] <= step[0]);
        let thinned: Vec<(usize, f64)> =
            counts.iter().copied().enumerate().step_by(counts.len().div_ceil(LONGEST)).collect();
        let mut slopes = Slopes::between(&thinned);
        Some(Trend {
            points: counts.len(),
            slope: slopes.median(),
            slope_at_least: slopes.lower_bound(thinned.len()),
            rising_steps,
            rises: rising_steps + 1 == counts.len(),
            rise: last - first,
            median: median(&mut counts.to_vec()),
            levelled_off: last > first && rests,
        })
    }

    /// Whether the rise is more than the noise of small numbers: 10 or more, and a fifth of the
    /// median.
    pub fn is_large(&self) -> bool {
        self.rise >= (0.2 * self.median).max(10.0)
    }
}

/// Longer series are thinned out, as pairs grow with the square: 300 points have 45,000 pairs.
const LONGEST: usize = 300;

/// The slopes between all pairs of points. Most stacks of a long series are at a few points of it only, and at all
/// others have the same count: the slopes between those are zero, and aren't listed.
struct Slopes {
    /// Those of the other pairs.
    others: Vec<f64>,
    /// How many of them are below zero.
    negative: usize,
    zeros: usize,
}

impl Slopes {
    fn between(points: &[(usize, f64)]) -> Slopes {
        let usual = median(&mut points.iter().map(|&(_, count)| count).collect::<Vec<_>>());
        let (mut others, mut usual_points) = (Vec::new(), points.len());
        for (at, &(place, count)) in points.iter().enumerate() {
            if count == usual {
                continue;
            }
            usual_points -= 1;
            let before = points[..at].iter();
            others.extend(before.map(|&(start, from)| (count - from) / (place - start) as f64));
            // A pair of two such points is counted with the later one.
            let behind = points[at + 1..].iter().filter(|&&(_, to)| to == usual);
            others.extend(behind.map(|&(end, to)| (to - count) / (end - place) as f64));
        }
        let negative = others.iter().filter(|&&slope| slope < 0.0).count();
        Slopes { others, negative, zeros: usual_points * usual_points.saturating_sub(1) / 2 }
    }

    fn len(&self) -> usize {
        self.others.len() + self.zeros
    }

    /// The slope that has so many before it when all are sorted.
    fn ranked(&mut self, at: usize) -> f64 {
        match at.checked_sub(self.negative) {
            None => ranked(&mut self.others, at),
            Some(behind) if behind < self.zeros => 0.0,
            Some(_) => ranked(&mut self.others, at - self.zeros),
        }
    }

    fn median(&mut self) -> f64 {
        let middle = self.len() / 2;
        match self.len() % 2 {
            0 => f64::midpoint(self.ranked(middle - 1), self.ranked(middle)),
            _ => self.ranked(middle),
        }
    }

    /// The lower end of the 95 % confidence interval of the slope (Sen 1968) of so many points.
    fn lower_bound(&mut self, points: usize) -> f64 {
        let n = points as f64;
        let pairs = n * (n - 1.0) / 2.0;
        let spread = 1.96 * (n * (n - 1.0) * (2.0 * n + 5.0) / 18.0).sqrt();
        match ((pairs - spread) / 2.0).floor() {
            at if at < 0.0 => f64::NEG_INFINITY,
            at => self.ranked((at as usize).min(self.len() - 1)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn trend(counts: &[f64]) -> Trend {
        Trend::of(counts).unwrap()
    }

    proptest! {
        #[test]
        fn slopes_are_those_of_all_pairs(counts in proptest::collection::vec(0..4_u8, 3..12)) {
            let points: Vec<(usize, f64)> =
                counts.iter().map(|&count| f64::from(count)).enumerate().collect();
            let pairs = points.iter().flat_map(|&(start, from)| {
                let later = points.iter().filter(move |&&(end, _)| end > start);
                later.map(move |&(end, to)| (to - from) / (end - start) as f64)
            });
            let mut all: Vec<f64> = pairs.collect();
            let mut slopes = Slopes::between(&points);
            prop_assert_eq!(slopes.median(), median(&mut all));
            all.sort_by(f64::total_cmp);
            let ranked: Vec<f64> = (0..slopes.len()).map(|at| slopes.ranked(at)).collect();
            prop_assert_eq!(ranked, all);
        }
    }

    #[test]
    fn two_points_are_no_series() {
        assert_eq!(Trend::of(&[1.0, 2.0]), None);
        assert_eq!(Trend::of(&[]), None);
    }

    #[test]
    fn what_grows_at_every_step_rises() {
        let steady = trend(&[10.0, 20.0, 30.0, 40.0]);
        assert_eq!((steady.slope, steady.rising_steps, steady.rises), (10.0, 3, true));
        assert!(!steady.levelled_off);
        assert!(!trend(&[10.0, 20.0, 20.0, 40.0]).rises, "one step stands still");
    }

    #[test]
    fn the_slope_is_a_median_that_one_odd_count_does_not_move() {
        let even = trend(&[10.0, 20.0, 30.0, 40.0, 50.0, 60.0]);
        assert_eq!((even.slope, even.rise, even.median), (10.0, 50.0, 35.0));
        assert_eq!(trend(&[10.0, 20.0, 3000.0, 40.0, 50.0, 60.0, 70.0]).slope, 10.0);
        assert_eq!(trend(&[5.0, 5.0, 5.0, 900.0, 5.0, 5.0]).slope, 0.0);
    }

    #[test]
    fn a_slope_is_certain_only_when_most_pairs_rise() {
        assert!(trend(&[10.0, 20.0, 28.0, 41.0, 39.0, 60.0, 71.0]).slope_at_least > 0.0);
        assert!(trend(&[10.0, 30.0, 12.0, 29.0, 11.0, 31.0]).slope_at_least <= 0.0);
        assert!(trend(&[10.0, 20.0, 30.0]).slope_at_least <= 0.0, "three points prove nothing");
        assert_eq!(trend(&[10.0, 20.0, 28.0, 38.0, 50.0]).slope_at_least, 8.0, "the least of five");
        // Of 45 slopes the twelfth: 1.96 deviations of 11.18 below the middle.
        let counts: Vec<f64> = (0..10).map(|at| 3_f64.powi(at)).collect();
        assert_eq!(trend(&counts).slope_at_least, 60.0);
    }

    #[test]
    fn the_slope_of_a_long_series_is_certain_too() {
        // Up by one in ten steps, with a swing that is larger than that.
        let counts: Vec<f64> = (0..20_000).map(|at| f64::from(at / 10 + at % 7 * 3)).collect();
        let long = trend(&counts);
        assert!((0.09..0.11).contains(&long.slope), "{long:?}");
        assert!(long.slope_at_least > 0.09, "{long:?}");
    }

    #[test]
    fn what_stands_still_has_no_slope() {
        let still = trend(&[4.0; 9]);
        assert_eq!((still.slope, still.slope_at_least, still.rises), (0.0, 0.0, false));
        let few = trend(&[4.0; 3]);
        assert_eq!((few.slope, few.slope_at_least), (0.0, f64::NEG_INFINITY));
    }

    #[test]
    fn a_pool_that_filled_has_levelled_off() {
        assert!(trend(&[1.0, 8.0, 16.0, 16.0, 16.0]).levelled_off);
        assert!(trend(&[1.0, 16.0, 16.0, 15.0]).levelled_off);
        assert!(!trend(&[1.0, 16.0, 16.0]).levelled_off, "one step at rest is too few");
        assert!(!trend(&[16.0, 16.0, 16.0, 16.0]).levelled_off, "it never rose");
        assert!(!trend(&[1.0, 8.0, 8.0, 8.0, 9.0]).levelled_off, "it rises again");
    }

    #[test]
    fn small_rises_are_noise() {
        assert!(trend(&[1.0, 5.0, 11.0]).is_large());
        assert!(!trend(&[1.0, 5.0, 10.0]).is_large());
        assert!(!trend(&[1000.0, 1050.0, 1100.0]).is_large());
    }
}
