//! Labels with their values.

use super::Subject;
use crate::profile::unit::{self, LabelUnits};
use crate::profile::{LabelValue, lossy};
use crate::view::table::Order;
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// A label, with the values of the samples that have it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Tag {
    /// The label's key.
    pub key: String,
    /// The sum over all of its values.
    pub total: i128,
    /// The label's values and their sums, the largest first.
    pub values: Vec<(String, i128)>,
}

/// Every label of the selected samples, by key, with numbers in `unit`.
pub fn tags(subject: &Subject<'_>, unit: Option<&str>) -> Vec<Tag> {
    let profile = subject.profile;
    let units = LabelUnits::new(profile);
    let mut found: BTreeMap<String, BTreeMap<String, i128>> = BTreeMap::new();
    let text = |bytes: &[u8]| lossy(bytes);
    for (sample, sums) in subject.samples() {
        for label in profile.all_labels(sample).iter().filter(|label| !label.is_empty()) {
            let value = match label.value {
                LabelValue::Text(value) => text(profile.str(value)),
                LabelValue::Number(number, _) => {
                    unit::label(number.into(), units.of(label.key), unit.unwrap_or(unit::AUTO))
                }
            };
            let values = found.entry(text(profile.str(label.key))).or_default();
            // pprof gives labels sums, where it gives functions means.
            *values.entry(value).or_default() += sums.value;
        }
    }
    let tag = |(key, values): (String, BTreeMap<String, i128>)| {
        let total = values.values().sum();
        let mut values: Vec<(String, i128)> = values.into_iter().collect();
        if subject.order != Order::Name {
            // The sort is stable: equal ones stay in the order of their texts.
            values.sort_by_key(|(_, value)| Reverse(value.unsigned_abs()));
        }
        Tag { key, total, values }
    };
    found.into_iter().map(tag).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::fixture::{Fixture, G, all};
    use crate::view::values::options::ValueOptions;

    #[test]
    fn the_values_of_a_label_have_the_most_first() {
        let mut fixture = Fixture::new("n1");
        for (id, customer) in [(1, "acme"), (2, "globex"), (3, "globex"), (4, "initech")] {
            fixture.add(G { id, labels: &[("customer", customer)], ..G::default() });
        }
        fixture.add(G { id: 5, labels: &[("customer", "")], ..G::default() });
        let (profile, names) = fixture.done();
        let (profile, names, selection) = (&profile, &names, &all(&profile));
        let (by, value_options, order) = (&[][..], &ValueOptions::default(), Order::Count);
        let found = tags(&Subject { profile, names, selection, by, value_options, order }, None);
        let values = [("globex", 2), ("acme", 1), ("initech", 1)];
        let values = values.map(|(text, value)| (text.to_owned(), value)).to_vec();
        assert_eq!(found, [Tag { key: "customer".to_owned(), total: 4, values }]);
    }
}
