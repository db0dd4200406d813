//! Goroutines at each point.

use serde::{Serialize, Serializer};
use std::collections::BTreeMap;

/// How many goroutines there are at each point. Points without any take no memory: a log with ten
/// thousand crashes is a series of as many points, and each crash can be a finding.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Counts {
    points: usize,
    by_point: BTreeMap<usize, i64>,
}

impl Counts {
    /// The sums of counts at so many points.
    pub fn sum(points: usize, counts: impl IntoIterator<Item = (usize, i64)>) -> Counts {
        let mut by_point = BTreeMap::new();
        for (point, count) in counts {
            let sum: &mut i64 = by_point.entry(point).or_default();
            *sum = sum.saturating_add(count);
        }
        Counts { points, by_point }
    }

    /// Replaces the count at a point.
    pub(super) fn set(&mut self, point: usize, count: i64) {
        self.by_point.insert(point, count);
    }

    /// How many points there are.
    pub fn points(&self) -> usize {
        self.points
    }

    /// The count at a point.
    pub fn at(&self, point: usize) -> i64 {
        self.by_point.get(&point).copied().unwrap_or(0)
    }

    /// The counts at all points, in order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = i64> {
        (0..self.points).map(|point| self.at(point))
    }

    /// The points with any goroutines, in order.
    pub(super) fn with_any(&self) -> impl DoubleEndedIterator<Item = usize> {
        self.by_point.iter().filter(|(_, count)| **count > 0).map(|(point, _)| *point)
    }

    /// The largest count at any point.
    pub(super) fn most(&self) -> i64 {
        let none = (self.by_point.len() < self.points).then_some(0);
        self.by_point.values().copied().chain(none).max().unwrap_or(0)
    }
}

/// A list of the counts at all points.
impl Serialize for Counts {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        out.collect_seq(self.iter())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_without_goroutines_are_listed_and_not_stored() {
        let counts = Counts::sum(5, [(3, 2), (1, 1), (3, 4)]);
        assert_eq!(serde_json::to_string(&counts).unwrap(), "[0,1,0,6,0]");
        assert_eq!(counts.by_point.len(), 2);
        assert_eq!(counts.with_any().collect::<Vec<_>>(), [1, 3]);
        assert_eq!((counts.points(), counts.at(3), counts.at(4), counts.most()), (5, 6, 0, 6));
    }

    #[test]
    fn of_differences_the_largest_can_be_none_or_negative() {
        assert_eq!(Counts::sum(2, [(0, -3)]).most(), 0);
        assert_eq!(Counts::sum(1, [(0, -3)]).most(), -3);
        assert_eq!(Counts::sum(1, [(0, -3)]).with_any().count(), 0);
        assert_eq!(Counts::default().most(), 0);
    }
}
