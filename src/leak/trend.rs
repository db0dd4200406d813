//! Whether a series of counts grows, by statistics that a single odd count can't spoil.

/// What a series of counts does.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Trend {
    /// How many points there are.
    pub(super) points: usize,
    /// Whether every point has more than the one before.
    pub(super) every_step: bool,
    /// From the first to the last point.
    pub(super) rise: i64,
    pub(super) median: f64,
    /// The Theil-Sen slope: the median of the slopes between all pairs of points.
    pub(super) slope: f64,
    /// The slope is at least this with a confidence of 95 percent, after Sen.
    pub(super) slope_at_least: f64,
    /// The last two steps didn't rise: a pool that has filled up.
    pub(super) levelled_off: bool,
}

impl Trend {
    /// The trend of counts at evenly spaced points.
    pub(super) fn of(counts: &[i64]) -> Trend {
        let steps: Vec<i64> =
            counts.windows(2).map(|pair| pair[1].saturating_sub(pair[0])).collect();
        let mut slopes = slopes(counts);
        slopes.sort_by(f64::total_cmp);
        let mut sorted: Vec<f64> = counts.iter().map(|&count| count as f64).collect();
        sorted.sort_by(f64::total_cmp);
        let first = counts.first().copied().unwrap_or(0);
        Trend {
            points: counts.len(),
            every_step: !steps.is_empty() && steps.iter().all(|step| *step > 0),
            rise: counts.last().copied().unwrap_or(0).saturating_sub(first),
            median: median(&sorted),
            slope: median(&slopes),
            slope_at_least: lower_bound(&slopes, counts.len()),
            levelled_off: steps.len() >= 2 && steps.iter().rev().take(2).all(|step| *step <= 0),
        }
    }

    /// Whether the rise is more than the noise of small numbers: 10 or more, and a fifth of the
    /// median.
    pub(super) fn is_large(&self) -> bool {
        self.rise as f64 >= (0.2 * self.median).max(10.0)
    }
}

/// Series longer than this are thinned out: the pairs grow with the square.
const LONGEST: usize = 1000;

fn slopes(counts: &[i64]) -> Vec<f64> {
    let every = counts.len().div_ceil(LONGEST).max(1);
    let thinned: Vec<(usize, i64)> = counts.iter().copied().enumerate().step_by(every).collect();
    let mut slopes = Vec::new();
    for (at, &(x, low)) in thinned.iter().enumerate() {
        let later = thinned.get(at + 1..).unwrap_or_default().iter();
        slopes.extend(later.map(|&(y, high)| (high as f64 - low as f64) / (y - x) as f64));
    }
    slopes
}

fn median(sorted: &[f64]) -> f64 {
    let half = sorted.len() / 2;
    match (sorted.len() % 2, sorted.get(half)) {
        (1, Some(middle)) => *middle,
        (0, Some(upper)) => (sorted.get(half.wrapping_sub(1)).unwrap_or(upper) + upper) / 2.0,
        _ => 0.0,
    }
}

/// The lower end of the 95 % confidence interval of the slope (Sen 1968).
fn lower_bound(sorted: &[f64], points: usize) -> f64 {
    let (pairs, n) = (sorted.len() as f64, points as f64);
    let spread = 1.96 * (n * (n - 1.0) * (2.0 * n + 5.0) / 18.0).sqrt();
    let at = ((pairs - spread) / 2.0).floor();
    if at < 0.0 {
        return f64::NEG_INFINITY;
    }
    sorted.get(at as usize).copied().unwrap_or(f64::NEG_INFINITY)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rise_at_every_step_is_told_from_a_rise() {
        assert!(Trend::of(&[1, 2, 3, 4, 5]).every_step);
        assert!(!Trend::of(&[1, 2, 2, 4, 5]).every_step);
        assert!(!Trend::of(&[7]).every_step);
        assert!(!Trend::of(&[]).every_step);
    }

    #[test]
    fn the_slope_is_a_median_that_one_odd_count_does_not_move() {
        let trend = Trend::of(&[10, 20, 30, 40, 50, 60]);
        assert_eq!((trend.slope, trend.rise, trend.median), (10.0, 50, 35.0));
        assert_eq!(Trend::of(&[10, 20, 3000, 40, 50, 60, 70]).slope, 10.0);
        assert_eq!(Trend::of(&[5, 5, 5, 900, 5, 5]).slope, 0.0);
    }

    #[test]
    fn a_slope_is_certain_only_when_most_pairs_rise() {
        assert!(Trend::of(&[10, 20, 28, 41, 39, 60, 71]).slope_at_least > 0.0);
        assert!(Trend::of(&[10, 30, 12, 29, 11, 31]).slope_at_least <= 0.0);
        assert!(Trend::of(&[10, 20]).slope_at_least <= 0.0, "two points are no trend");
    }

    #[test]
    fn a_pool_that_filled_up_has_levelled_off() {
        assert!(Trend::of(&[1, 50, 99, 100, 100, 100]).levelled_off);
        assert!(!Trend::of(&[1, 50, 99, 100, 100, 101]).levelled_off);
    }

    #[test]
    fn small_rises_are_noise() {
        assert!(Trend::of(&[1, 11]).is_large());
        assert!(!Trend::of(&[1, 10]).is_large());
        assert!(!Trend::of(&[1000, 1100]).is_large());
    }
}
