//! Which of some numbers differ from the others: a robust statistic of the numbers alone.
//!
//! Numbers of goroutines on the nodes of one fleet differ by factors (load), and by chance if they are
//! small. So the logarithms of the numbers plus ten are compared; their centre is the median and their
//! spread the median distance from it (MAD), which a few odd numbers don't move. In fleets of 4 to 64
//! nodes drawn at random, 60 numbers each, with loads that differ with a sigma of 0.3 (one node in six
//! has a third more than the middle one, or a quarter less), one fleet in 150 has a number that
//! differs; at 0.2 none has.

/// Fewer numbers than this have no peers to differ from.
pub const LEAST_PEERS: usize = 4;

/// Added before taking logarithms, so that 3 isn't three times 1.
const SMALL: f64 = 10.0;
/// How many spreads from the centre a number must be.
const SPREADS: f64 = 5.0;
/// The spread is at least this; with `SPREADS` and `SMALL`, a number differs from 4.5 times the median.
const LEAST_SPREAD: f64 = 0.3;
/// The sigma of normally distributed numbers, as a multiple of their MAD.
const SIGMA: f64 = 1.4826;
/// If more than one in this many differ, there are several kinds of inputs and none is odd.
const FEW: usize = 8;

/// An input differs by at least this many goroutines from its peers.
const LEAST_GOROUTINES: f64 = 20.0;
/// An input differs by at least this share of the median total.
const LEAST_SHARE: f64 = 0.02;

/// The centre and the spread of some numbers.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Peers {
    /// The number in the middle; of an even number of them the mean of the middle two.
    pub median: f64,
    /// The centre of the logarithms.
    centre: f64,
    /// Their spread.
    spread: f64,
}

impl Peers {
    /// The centre of these numbers; `None` if there are too few.
    pub fn of(numbers: &[i128]) -> Option<Peers> {
        if numbers.len() < LEAST_PEERS {
            return None;
        }
        let median_of = |number: &dyn Fn(i128) -> f64| {
            median(&mut numbers.iter().map(|&one| number(one)).collect::<Vec<_>>())
        };
        let centre = median_of(&logarithm);
        let deviation = median_of(&|number| (logarithm(number) - centre).abs());
        let median = median_of(&|number| number as f64);
        Some(Peers { median, centre, spread: (SIGMA * deviation).max(LEAST_SPREAD) })
    }

    /// Whether a number is far from the others, and by `least` or more from the median.
    pub fn differs(&self, number: i128, least: f64) -> bool {
        let far = (logarithm(number) - self.centre).abs() > SPREADS * self.spread;
        far && (number as f64 - self.median).abs() >= least
    }
}

/// The least amount by which a number of an input differs, if the inputs have these totals.
pub fn least_difference(totals: &[i128], are_goroutines: bool) -> f64 {
    let middle = Peers::of(totals).map_or(0.0, |peers| peers.median.abs());
    let floor = if are_goroutines { LEAST_GOROUTINES } else { 0.0 };
    floor.max(LEAST_SHARE * middle)
}

/// The positions of the numbers that differ from the others by `least` or more; empty if many do.
pub fn outliers(numbers: &[i128], least: f64) -> Vec<usize> {
    let Some(peers) = Peers::of(numbers) else { return Vec::new() };
    let differs = |at: &usize| peers.differs(numbers[*at], least);
    let found: Vec<usize> = (0..numbers.len()).filter(differs).collect();
    if found.len() <= (numbers.len() / FEW).max(1) { found } else { Vec::new() }
}

/// Differences can be negative; only their size counts.
fn logarithm(number: i128) -> f64 {
    (number.unsigned_abs() as f64 + SMALL).ln()
}

/// The number in the middle, or the mean of the middle two; 0 if there is none. Changes their order.
pub(crate) fn median(numbers: &mut [f64]) -> f64 {
    let half = numbers.len() / 2;
    match numbers.len() {
        0 => 0.0,
        odd if odd % 2 == 1 => ranked(numbers, half),
        _ => f64::midpoint(ranked(numbers, half - 1), ranked(numbers, half)),
    }
}

/// The number that is at position `at` when they are sorted.
pub(in crate::view) fn ranked(numbers: &mut [f64], at: usize) -> f64 {
    *numbers.select_nth_unstable_by(at, f64::total_cmp).1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_number_far_from_the_others_differs() {
        assert_eq!(outliers(&[0, 1, 540, 2, 0], 20.0), [2]);
        assert_eq!(outliers(&[40, 45, 38, 0, 44, 41], 20.0), [3]);
        assert_eq!(outliers(&[100, 110, 95, 600], 20.0), [3]);
    }

    #[test]
    fn load_and_small_numbers_are_no_difference() {
        assert!(outliers(&[100, 110, 95, 250], 20.0).is_empty());
        assert!(outliers(&[0, 0, 0, 19], 20.0).is_empty());
        assert!(outliers(&[1, 2, 0, 3], 20.0).is_empty());
        assert!(outliers(&[10, 1000, 30, 300, 3], 20.0).is_empty());
    }

    #[test]
    fn three_have_no_peers_and_many_that_differ_are_another_sort() {
        assert!(outliers(&[0, 0, 1000], 20.0).is_empty());
        assert!(outliers(&[0, 0, 0, 0, 0, 500, 500], 20.0).is_empty());
        let mut fleet = vec![0; 64];
        fleet[..8].fill(500);
        assert_eq!(outliers(&fleet, 20.0).len(), 8);
        fleet[8] = 500;
        assert!(outliers(&fleet, 20.0).is_empty());
    }

    #[test]
    fn what_is_less_than_asked_for_is_no_difference() {
        assert_eq!(outliers(&[0, 0, 0, 90], 90.0), [3]);
        assert!(outliers(&[0, 0, 0, 90], 91.0).is_empty());
        assert!(outliers(&[12, 12, 12, 12, 99], 88.0).is_empty(), "87 more");
    }

    #[test]
    fn twenty_goroutines_and_a_fiftieth_of_what_is_usual_are_a_difference() {
        for (totals, are_goroutines, least) in [
            (&[1000, 1000, 1000, 9000][..], true, 20.0),
            (&[5000, 5000, 5000, 9000], true, 100.0),
            (&[500, 500, 500, 9000], false, 10.0),
            (&[-500, -500, -500, 9000], false, 10.0),
            (&[5000, 5000, 5000], true, 20.0),
        ] {
            assert_eq!(least_difference(totals, are_goroutines), least, "{totals:?}");
        }
    }

    #[test]
    fn the_median_of_an_even_number_is_between_the_middle_two() {
        assert_eq!(Peers::of(&[1, 2, 4, 100]).unwrap().median, 3.0);
        assert_eq!(Peers::of(&[1, 2, 4, 5, 100]).unwrap().median, 4.0);
        assert_eq!(Peers::of(&[1, 2, 4]), None);
    }
}
