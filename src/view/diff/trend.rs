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
        // Most stacks of a long series are at a few points of it only.
        let still = thinned.iter().all(|&(_, count)| count == first);
        let mut slopes = if still { vec![0.0] } else { slopes(&thinned) };
        Some(Trend {
            points: counts.len(),
            slope: median(&mut slopes),
            slope_at_least: lower_bound(&mut slopes, thinned.len()),
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

fn slopes(points: &[(usize, f64)]) -> Vec<f64> {
    let mut slopes = Vec::with_capacity(points.len() * points.len() / 2);
    for (at, &(start, before)) in points.iter().enumerate() {
        let later = points[at + 1..].iter();
        slopes.extend(later.map(|&(end, after)| (after - before) / (end - start) as f64));
    }
    slopes
}

/// The lower end of the 95 % confidence interval of the slope (Sen 1968) of so many points; if all pairs
/// have the same slope, it may stand there once.
fn lower_bound(slopes: &mut [f64], points: usize) -> f64 {
    let n = points as f64;
    let pairs = n * (n - 1.0) / 2.0;
    let spread = 1.96 * (n * (n - 1.0) * (2.0 * n + 5.0) / 18.0).sqrt();
    match ((pairs - spread) / 2.0).floor() {
        at if at < 0.0 => f64::NEG_INFINITY,
        at => ranked(slopes, (at as usize).min(slopes.len() - 1)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trend(counts: &[f64]) -> Trend {
        Trend::of(counts).unwrap()
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
