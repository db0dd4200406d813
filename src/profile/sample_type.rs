//! Sample types: what the values of samples measure.

use super::StrId;
use crate::limits::LIMITS;

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
    /// Its name.
    pub kind: StrId,
    /// The unit of its values.
    pub unit: StrId,
}

/// What there is too much of, if there are so many sample types.
pub fn too_many_types(count: usize) -> Option<String> {
    let most = LIMITS.sample_types;
    (count > most).then(|| format!("more than {most} different sample types (sample_types)"))
}
