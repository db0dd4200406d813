//! Values at some of the points.

use serde::{Serialize, Serializer};

/// A value for each point that has one. The others take no memory: of six thousand dumps each can have
/// stacks of its own, and most stacks of a series are at few of its points.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Series<T> {
    points: usize,
    /// In the order of points.
    values: Vec<(usize, T)>,
}

impl<T> Series<T> {
    /// No value at any of so many points.
    pub fn new(points: usize) -> Series<T> {
        Series { points, values: Vec::new() }
    }

    /// The value at a point, a default one if it has none yet. Points come in their order: none may be
    /// before one that has a value.
    pub(super) fn at_last(&mut self, point: usize) -> &mut T
    where
        T: Default,
    {
        if self.values.last().is_none_or(|(last, _)| *last != point) {
            debug_assert!(self.values.last().is_none_or(|(last, _)| *last < point));
            self.values.push((point, T::default()));
        }
        let last = self.values.len() - 1;
        &mut self.values[last].1
    }

    /// How many points there are.
    pub fn points(&self) -> usize {
        self.points
    }

    /// The value at a point.
    pub fn at(&self, point: usize) -> Option<&T> {
        let found = self.values.binary_search_by_key(&point, |(point, _)| *point).ok()?;
        self.values.get(found).map(|(_, value)| value)
    }

    /// The value at the first point.
    pub fn first(&self) -> Option<&T> {
        self.at(0)
    }

    /// The value at the last point.
    pub fn last(&self) -> Option<&T> {
        self.at(self.points.checked_sub(1)?)
    }

    /// Every point in order, `None` where there is no value.
    pub fn iter(&self) -> impl Iterator<Item = Option<&T>> {
        let mut values = self.values.iter().peekable();
        (0..self.points).map(move |point| values.next_if(|(at, _)| *at == point).map(|(_, it)| it))
    }

    /// The values that there are, in the order of points.
    pub fn values(&self) -> impl Iterator<Item = &T> {
        self.values.iter().map(|(_, value)| value)
    }

    /// Makes other values of those that there are.
    pub(super) fn map<U>(self, make: impl Fn(T) -> U) -> Series<U> {
        let values = self.values.into_iter().map(|(point, value)| (point, make(value)));
        Series { points: self.points, values: values.collect() }
    }
}

/// A list with an element for every point, `null` where there is no value.
impl<T: Serialize> Serialize for Series<T> {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        out.collect_seq(self.iter())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_without_a_value_are_listed_and_not_stored() {
        let mut series = Series::new(5);
        for (point, count) in [(1, 1), (3, 2), (3, 4)] {
            *series.at_last(point) += count;
        }
        assert_eq!(serde_json::to_string(&series).unwrap(), "[null,1,null,6,null]");
        assert_eq!(series.values().collect::<Vec<_>>(), [&1, &6]);
        assert_eq!(
            (series.points(), series.at(3), series.at(2), series.at(9)),
            (5, Some(&6), None, None)
        );
        assert_eq!((series.first(), series.last()), (None, None));
        *series.at_last(4) = 7;
        assert_eq!(series.map(|count| count * 10).last(), Some(&70));
        assert_eq!(Series::<i32>::new(0).last(), None);
    }
}
