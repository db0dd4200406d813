//! The units of numbers in labels.

use crate::profile::{LabelValue, Profile, StrId};
use std::collections::HashMap;

/// The unit of each key's numbers.
#[derive(Debug, Default)]
pub struct LabelUnits {
    units: HashMap<StrId, String>,
}

impl LabelUnits {
    /// Finds the units: the first unit of a key is used for all of its numbers. The unit of numbers
    /// without one is the key itself, except for two keys that allocators write.
    pub fn new(profile: &Profile) -> LabelUnits {
        let mut units: HashMap<StrId, String> = HashMap::new();
        for (sample, _) in profile.samples() {
            let of_path = profile.labels(profile.input(profile.sample(sample).key.input).labels);
            for label in profile.all_labels(sample).iter().chain(of_path) {
                let LabelValue::Number(_, unit) = label.value else { continue };
                let known = units.entry(label.key).or_default();
                if known.is_empty() {
                    *known = String::from_utf8_lossy(profile.str(unit)).into_owned();
                }
            }
        }
        for (&key, unit) in units.iter_mut().filter(|(_, unit)| unit.is_empty()) {
            *unit = match profile.str(key) {
                b"alignment" | b"request" => "bytes".to_owned(),
                key => String::from_utf8_lossy(key).into_owned(),
            };
        }
        LabelUnits { units }
    }

    /// The unit of a key's numbers; empty if the key has none.
    pub fn of(&self, key: StrId) -> &str {
        self.units.get(&key).map_or("", String::as_str)
    }
}
