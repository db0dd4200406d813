//! Labels with their values.

use super::path::parts;
use crate::filter::Selection;
use crate::profile::{LabelValue, Profile, StrId, unit};
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// A label: what samples that have it are worth, by value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Tag {
    /// The label's key.
    pub key: String,
    /// What all of its values are worth.
    pub total: i128,
    /// The label's values, the most first.
    pub values: Vec<(String, i128)>,
}

/// Every label that is selected, by key.
pub fn tags(profile: &Profile, selection: &Selection) -> Vec<Tag> {
    let mut found: BTreeMap<String, BTreeMap<String, i128>> = BTreeMap::new();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    for part in parts(profile, selection) {
        for label in profile.all_labels(part.sample) {
            let value = match label.value {
                LabelValue::Text(value) => text(profile.str(value)),
                LabelValue::Number(number, of) => {
                    // Keys of numbers without a unit are units: Go writes `bytes`.
                    let unit = if of == StrId::EMPTY { label.key } else { of };
                    unit::label(number.into(), &text(profile.str(unit)), unit::AUTO)
                }
            };
            let values = found.entry(text(profile.str(label.key))).or_default();
            *values.entry(value).or_default() += part.count;
        }
    }
    let tag = |(key, values): (String, BTreeMap<String, i128>)| {
        let mut values: Vec<(String, i128)> = values.into_iter().collect();
        // Stable: equal ones stay in the order of their texts.
        values.sort_by_key(|(_, value)| Reverse(value.unsigned_abs()));
        Tag { key, total: values.iter().map(|(_, value)| value).sum(), values }
    };
    found.into_iter().map(tag).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::sketch::{G, Sketch, all};

    #[test]
    fn the_values_of_a_label_have_the_most_first() {
        let mut sketch = Sketch::new("n1");
        for (id, customer) in [(1, "acme"), (2, "globex"), (3, "globex"), (4, "initech")] {
            sketch.add(G { id, labels: &[("customer", customer)], ..G::default() });
        }
        sketch.add(G { id: 5, ..G::default() });
        let (profile, _) = sketch.done();
        let found = tags(&profile, &all(&profile));
        let values = [("globex", 2), ("acme", 1), ("initech", 1)];
        let values = values.map(|(text, value)| (text.to_owned(), value)).to_vec();
        assert_eq!(found, [Tag { key: "customer".to_owned(), total: 4, values }]);
    }
}
