//! The quantity of counts and totals: goroutines, or values of the selected sample type.

use crate::profile::{Profile, lossy};
use serde::Serialize;

/// The quantity of counts and totals. Serialized as a sample type; documents leave out that of
/// goroutines.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[serde(untagged)]
pub enum Quantity {
    /// Numbers of goroutines.
    Goroutines,
    /// Values of a sample type.
    Values {
        /// Its name.
        #[serde(rename = "type")]
        kind: String,
        /// Its unit.
        unit: String,
    },
}

impl Quantity {
    /// The quantity of a profile's sample counts.
    pub fn of(profile: &Profile) -> Quantity {
        if profile.counts_goroutines() {
            return Quantity::Goroutines;
        }
        let (kind, unit) = profile.value_name();
        Quantity::Values { kind: lossy(kind), unit: lossy(unit) }
    }

    /// Whether these are numbers of goroutines.
    pub fn is_of_goroutines(&self) -> bool {
        *self == Quantity::Goroutines
    }

    /// The noun after a number: `goroutines`, `inuse_space`.
    pub fn noun(&self) -> &str {
        match self {
            Quantity::Goroutines => "goroutines",
            Quantity::Values { kind, .. } => kind,
        }
    }
}
