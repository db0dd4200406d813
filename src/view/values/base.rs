//! The inputs that are subtracted from the others: `--base` and `--diff-base`.

use crate::filter::Selection;
use crate::profile::{InputId, Label, LabelValue, Profile, SampleId, TypeId};

/// The label that `go tool pprof -proto -diff_base` writes to the samples that were subtracted.
const LABEL: (&[u8], &[u8]) = (b"pprof::base", b"true");

/// Inputs that are subtracted from the others: those of all points from a number on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Base {
    /// The first point that is subtracted.
    pub from_point: usize,
    /// Whether the others are scaled to the same total first.
    pub normalize: bool,
    /// Whether the base alone is 100%.
    pub is_whole: bool,
}

impl Base {
    /// Whether an input is subtracted.
    pub fn has_input(&self, profile: &Profile, input: InputId) -> bool {
        profile.input(input).point >= self.from_point
    }

    /// Whether a sample is subtracted.
    pub fn has(&self, profile: &Profile, sample: SampleId) -> bool {
        self.has_input(profile, profile.sample(sample).key.input)
    }

    /// Subtracts it as `go tool pprof` does: all its values change their sign; those of the other inputs
    /// are scaled first if that was requested. Sums are differences from then on.
    ///
    /// Goroutines become mere counts: two of them have no difference.
    pub fn subtract(&self, profile: &mut Profile, selection: &mut Selection) {
        let ratios = self.ratios(profile);
        let of_base: Vec<bool> =
            profile.inputs().map(|(input, _)| self.has_input(profile, input)).collect();
        for at in 0..profile.samples.len() {
            let sample = SampleId(at as u32);
            let input = profile.sample(sample).key.input;
            let change = |of: TypeId, value: i64| match of_base[input.index()] {
                true => value.saturating_neg(),
                false if ratios[of.index()] == 1.0 => value,
                false => (value as f64 * ratios[of.index()]).round() as i64,
            };
            if let Some(of) = profile.counted_type(input) {
                selection.set_count(sample, change(of, selection.count(sample)));
            }
            profile.change_values(sample, &change);
        }
        profile.forget_goroutines();
        selection.goroutines = None;
    }

    /// Labels the samples that were subtracted as `go tool pprof` does, so that readers take them as 100%.
    pub fn label(&self, profile: &mut Profile) {
        if !self.is_whole {
            return;
        }
        for at in 0..profile.samples.len() {
            let sample = SampleId(at as u32);
            if self.has(profile, sample) {
                profile.set_label(sample, LABEL.0, LABEL.1);
            }
        }
    }

    /// What the values of each type are multiplied with.
    fn ratios(&self, profile: &Profile) -> Vec<f64> {
        let mut ratios = vec![1.0; profile.sample_types().len()];
        if !self.normalize {
            return ratios;
        }
        let sum = |of_base: bool, value: &dyn Fn(SampleId) -> i64| -> i128 {
            let ids = profile.samples().map(|(id, _)| id);
            let ids = ids.filter(|&id| self.has(profile, id) == of_base);
            ids.map(|id| i128::from(value(id))).sum()
        };
        for of in profile.type_ids() {
            let value = |id| profile.value(id, of);
            ratios[of.index()] = ratio(sum(true, &value), sum(false, &value));
        }
        // Goroutines and leaked goroutines are two types, but are counted in the same way.
        let count = |id| profile.sample(id).count;
        let of_counts = ratio(sum(true, &count), sum(false, &count));
        for of in profile.inputs().filter_map(|(input, _)| profile.counted_type(input)) {
            ratios[of.index()] = of_counts;
        }
        ratios
    }
}

/// The label of samples that were subtracted when their profile was written.
#[derive(Clone, Copy, Debug)]
pub(super) struct Labelled(Option<Label>);

impl Labelled {
    pub(super) fn of(profile: &Profile) -> Labelled {
        let (key, value) = LABEL;
        let label = profile.strings.find(key).zip(profile.strings.find(value));
        Labelled(label.map(|(key, value)| Label { key, value: LabelValue::Text(value) }))
    }

    /// Whether no sample can have this label.
    pub(super) fn is_none(&self) -> bool {
        self.0.is_none()
    }

    pub(super) fn has(&self, profile: &Profile, sample: SampleId) -> bool {
        self.0.is_some_and(|label| profile.all_labels(sample).contains(&label))
    }
}

/// What values are multiplied with so that their total becomes that of the other side.
pub(in crate::view) fn ratio(to: i128, from: i128) -> f64 {
    if from == 0 { 0.0 } else { to as f64 / from as f64 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::{
        Input, InputFormat, Keep, LabelsId, NewSample, ProfileBuilder, SampleSpec,
    };
    use crate::rules::RuleSet;
    use crate::view::values::options::PercentBase;

    /// Objects and bytes of one stack in a new profile and in its base.
    fn heaps(new: &[[i64; 2]], base: &[[i64; 2]]) -> Profile {
        let mut builder = ProfileBuilder::new(Keep::default());
        for (point, samples) in [new, base].into_iter().enumerate() {
            let types = [(&b"objects"[..], &b"count"[..]), (b"space", b"bytes")];
            let mut input = Input::new("heap", "heap", InputFormat::HeapDebug0);
            input.point = point;
            input.header.sample_types =
                types.map(|(kind, unit)| builder.sample_type(kind, unit)).to_vec();
            input.header.default_type = input.header.sample_types.last().copied();
            let input = builder.input(input);
            let frame = builder.frame(b"main.work", b"main.go", 1);
            let stack = builder.stack(&[frame]);
            for values in samples {
                builder.add_sample(&NewSample {
                    spec: SampleSpec::new(input, stack),
                    values,
                    locations: 0,
                    labels: LabelsId::NONE,
                });
            }
        }
        builder.finish()
    }

    fn subtracted(normalize: bool) -> (Vec<[i64; 2]>, Vec<i64>) {
        let mut profile = heaps(&[[4, 100], [6, 100]], &[[5, 50]]);
        let names = RuleSet::default().apply(&profile).unwrap();
        let mut selection = crate::filter::Filter::default().select(&profile, &names);
        let base = Base { from_point: 1, normalize, is_whole: false };
        base.subtract(&mut profile, &mut selection);
        let ids: Vec<SampleId> = profile.samples().map(|(id, _)| id).collect();
        let counts: Vec<i64> = ids.iter().map(|&id| profile.sample(id).count).collect();
        assert_eq!(selection.counts, counts);
        let values = ids.iter().map(|&id| profile.values(id).try_into().unwrap()).collect();
        (values, counts)
    }

    #[test]
    fn all_values_of_the_base_change_their_sign() {
        let (values, counts) = subtracted(false);
        assert_eq!(values, [[4, 100], [6, 100], [-5, -50]]);
        assert_eq!(counts, [100, 100, -50]);
    }

    #[test]
    fn values_that_are_not_scaled_stay_what_they_are_however_large() {
        let mut profile = heaps(&[[1, i64::MAX - 1]], &[[1, 1]]);
        let names = RuleSet::default().apply(&profile).unwrap();
        let mut selection = crate::filter::Filter::default().select(&profile, &names);
        let base = Base { from_point: 1, normalize: false, is_whole: false };
        base.subtract(&mut profile, &mut selection);
        assert_eq!(selection.counts, [i64::MAX - 1, -1], "more than floating point can tell");
    }

    #[test]
    fn percentages_are_of_the_base_or_else_of_the_size_of_the_difference() {
        let whole = |new: &[[i64; 2]], of_base: &[[i64; 2]], is_whole: bool| {
            let mut profile = heaps(new, of_base);
            let names = RuleSet::default().apply(&profile).unwrap();
            let mut selection = crate::filter::Filter::default().select(&profile, &names);
            let base = Base { from_point: 1, normalize: false, is_whole };
            base.subtract(&mut profile, &mut selection);
            PercentBase::of(&profile, &selection, Some(base)).value(false)
        };
        assert_eq!(whole(&[[4, 90]], &[[5, 50]], true), 50);
        assert_eq!(whole(&[[4, 90]], &[[5, 0]], true), 90, "a base of nothing is no base");
        // All of them are one stack.
        assert_eq!(whole(&[[4, 90]], &[[5, 50]], false), 40);
        assert_eq!(whole(&[], &[[5, 50], [1, 30]], false), 80, "all of it is gone");
    }

    #[test]
    fn each_type_is_scaled_to_its_own_total_in_the_base() {
        // 10 objects to 5, 200 bytes to 50.
        assert_eq!(subtracted(true).0, [[2, 25], [3, 25], [-5, -50]]);
    }
}
