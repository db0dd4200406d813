//! Sample types: what the values of samples measure.

use super::StrId;

/// A sample type of one profile's table.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct TypeId(pub(crate) u32);

impl TypeId {
    /// The position in [`super::Profile::sample_types`].
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// What a value measures: `cpu` in `nanoseconds`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct SampleType {
    /// Its name, which tells the types of one profile apart.
    pub kind: StrId,
    /// The unit of its values.
    pub unit: StrId,
}

/// What a sample has beside its key and its count; samples that only count goroutines have none.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Detail {
    /// Where its values start, one for each type of its input; [`Detail::NONE`] when the count is
    /// all there is.
    pub(super) values: u32,
    /// Its locations, as a list of [`super::Profile::location_lists`].
    pub(super) locations: u32,
    /// All labels that the proto has, also those that were understood and aren't in the key.
    pub(super) labels: super::LabelsId,
}

impl Detail {
    const NO_VALUES: u32 = u32::MAX;

    /// Of samples that have nothing more.
    pub(super) const NONE: Detail =
        Detail { values: Detail::NO_VALUES, locations: 0, labels: super::LabelsId::NONE };

    /// Where its values start, if they are kept.
    pub(super) fn values(self) -> Option<usize> {
        (self.values != Detail::NO_VALUES).then_some(self.values as usize)
    }
}
