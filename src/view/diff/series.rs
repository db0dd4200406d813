//! What a series of three points or more tells of a row.

use crate::view::rows::as_number;
use serde::Serialize;

/// How a count moves over a series.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Trend {
    /// Goroutines a point: the slope of the line that fits all points best (least squares).
    #[serde(serialize_with = "as_number")]
    pub slope: f64,
    /// Steps from one point to the next that go up.
    pub rising_steps: usize,
    /// Whether every step goes up.
    pub rises: bool,
    /// Whether it is above its start, but neither of the last two steps goes up: a pool that filled
    /// and stays full is no leak. With three points nothing can have risen before that.
    pub levelled_off: bool,
}

impl Trend {
    /// Of the counts in order; `None` for fewer than three.
    pub fn of(counts: &[f64]) -> Option<Trend> {
        let (&[first, .., last], 3..) = (counts, counts.len()) else { return None };
        let rising_steps = counts.windows(2).filter(|step| step[1] > step[0]).count();
        let rests = counts[counts.len() - 3..].windows(2).all(|step| step[1] <= step[0]);
        Some(Trend {
            slope: slope(counts),
            rising_steps,
            rises: rising_steps + 1 == counts.len(),
            levelled_off: last > first && rests,
        })
    }
}

fn slope(counts: &[f64]) -> f64 {
    let middle = (counts.len() - 1) as f64 / 2.0;
    let mean = counts.iter().sum::<f64>() / counts.len() as f64;
    let (mut up, mut across) = (0.0, 0.0);
    for (at, count) in counts.iter().enumerate() {
        let x = at as f64 - middle;
        up += x * (count - mean);
        across += x * x;
    }
    up / across
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
    fn the_slope_is_that_of_the_line_of_least_squares() {
        // By hand: mean 2, (-1)(1-2) + 0 + 1(2-2) = 1, over 2.
        assert_eq!(trend(&[1.0, 3.0, 2.0]).slope, 0.5);
        assert_eq!(trend(&[5.0, 5.0, 5.0]).slope, 0.0);
    }

    #[test]
    fn a_pool_that_filled_has_levelled_off() {
        assert!(trend(&[1.0, 8.0, 16.0, 16.0, 16.0]).levelled_off);
        assert!(trend(&[1.0, 16.0, 16.0, 15.0]).levelled_off);
        assert!(!trend(&[1.0, 16.0, 16.0]).levelled_off, "one step at rest is too few");
        assert!(!trend(&[16.0, 16.0, 16.0, 16.0]).levelled_off, "it never rose");
        assert!(!trend(&[1.0, 8.0, 8.0, 8.0, 9.0]).levelled_off, "it rises again");
    }
}
