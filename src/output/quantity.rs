//! Counts and totals for people: numbers of goroutines, values with their units.

use super::measure::measured;
use super::numbers::{counted, thousands};
use super::terminal::escape;
use crate::profile::Profile;
use crate::view::values::quantity::Quantity;

impl Quantity {
    /// The number with its unit: `1,404`, `9.00 MiB`.
    pub fn text(&self, value: i128) -> String {
        match self {
            Quantity::Goroutines => thousands(value),
            Quantity::Values { unit, .. } => measured(value, unit),
        }
    }

    /// A difference, with its sign: `+1,404`, `-9.00 MiB`, `0`.
    pub fn change(&self, value: i128) -> String {
        match value {
            1.. => format!("+{}", self.text(value)),
            _ => self.text(value),
        }
    }

    /// The number and its noun: `1,404 goroutines`, `9.00 MiB inuse_space`.
    pub fn with_noun(&self, value: i128) -> String {
        match self {
            Quantity::Goroutines => counted(value, "goroutine"),
            Quantity::Values { kind, .. } => format!("{} {}", self.text(value), escape(kind)),
        }
    }
}

/// All values of a sample that aren't 0, that of the selected type first:
/// `9.00 MiB inuse_space · 333 inuse_objects`. `values` has one for each type of the profile.
pub fn all_values(profile: &Profile, values: &[i128]) -> String {
    let lossy = |text| String::from_utf8_lossy(profile.str(text)).into_owned();
    let mut texts: Vec<(bool, String)> = profile
        .type_ids()
        .zip(values)
        .filter(|(_, value)| **value != 0)
        .map(|(id, &value)| {
            let of = profile.sample_type(id);
            let text = format!("{} {}", measured(value, &lossy(of.unit)), lossy(of.kind));
            (profile.value_type() != Some(id), escape(&text).into_owned())
        })
        .collect();
    texts.sort_by_key(|(other, _)| *other);
    texts.into_iter().map(|(_, text)| text).collect::<Vec<_>>().join(" · ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn goroutines_are_counted_and_values_measured() {
        let space = Quantity::Values { kind: "inuse_space".to_owned(), unit: "bytes".to_owned() };
        assert_eq!(Quantity::Goroutines.with_noun(1404), "1,404 goroutines");
        assert_eq!(space.with_noun(1 << 20), "1.00 MiB inuse_space");
        assert_eq!(
            (space.change(2048), space.change(-2048)),
            ("+2.00 KiB".into(), "-2.00 KiB".into())
        );
        assert_eq!(
            (space.change(0), Quantity::Goroutines.change(1000)),
            ("0".into(), "+1,000".into())
        );
    }
}
