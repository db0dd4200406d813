//! The data of a sample besides its key and its count.

/// What a sample has besides its key and its count; samples that only count goroutines have none.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Detail {
    /// Where its values start in the profile's table of values, one for each type of its input;
    /// [`Detail::NO_VALUES`] if its count is its only value.
    pub(super) values: u32,
    /// The number of its list in [`super::Profile::location_lists`]; 0 is the empty list.
    pub(super) locations: u32,
    /// All labels of the sample in the proto, including those that became state, flags and the like
    /// and so aren't in the key's labels.
    pub(super) labels: super::LabelsId,
}

impl Detail {
    const NO_VALUES: u32 = u32::MAX;

    /// The detail of a sample that only has a key and a count.
    pub(super) const NONE: Detail =
        Detail { values: Detail::NO_VALUES, locations: 0, labels: super::LabelsId::NONE };

    /// Where its values start; `None` if its count is the only one.
    pub(super) fn first_value(self) -> Option<usize> {
        (self.values != Detail::NO_VALUES).then_some(self.values as usize)
    }
}
