//! Values and locations of samples.

use super::{
    Addresses, Arguments, Detail, Function, FunctionId, InputId, LabelsId, Line, Location,
    LocationId, Mapping, MappingId, Profile, SampleId, SampleType, TypeId, WaitRange,
};
use std::collections::HashSet;

impl Profile {
    /// The sample types of all inputs, in order of appearance.
    pub fn sample_types(&self) -> &[SampleType] {
        &self.sample_types
    }

    /// The ids of the sample types.
    pub fn type_ids(&self) -> impl Iterator<Item = TypeId> + use<> {
        (0..self.sample_types.len()).map(|at| TypeId(position(at)))
    }

    /// A sample type.
    pub fn sample_type(&self, id: TypeId) -> SampleType {
        self.sample_types[id.index()]
    }

    /// The sample type of this name.
    pub fn type_named(&self, name: &[u8]) -> Option<TypeId> {
        let at = self.sample_types.iter().position(|kind| self.str(kind.kind) == name)?;
        Some(TypeId(at as u32))
    }

    /// Finds a sample type by a name as `go tool pprof` understands it: a number is the type's
    /// position, and the names of its old options are known too.
    pub fn find_type(&self, wanted: &str) -> Option<TypeId> {
        if let Some(known) = self.type_named(wanted.as_bytes()) {
            return Some(known);
        }
        if let Ok(at) = wanted.parse::<usize>() {
            return (at < self.sample_types.len()).then(|| TypeId(position(at)));
        }
        let (name, unit) = wanted.rsplit_once('/').unwrap_or((wanted, ""));
        let old_name = match name {
            "total_delay" | "mean_delay" => "delay",
            // Old heap profiles only have the types without `inuse_`.
            name => name.strip_prefix("inuse_").unwrap_or(name),
        };
        let named = |name: &str| self.type_named(name.as_bytes());
        let found = named(name).or_else(|| named(old_name))?;
        let is_unit = unit.is_empty() || self.str(self.sample_type(found).unit) == unit.as_bytes();
        is_unit.then_some(found)
    }

    /// The selected type, whose values are the counts of samples; `None` if nothing was read.
    pub fn value_type(&self) -> Option<TypeId> {
        self.value_type
    }

    /// Name and unit of the selected type, `goroutine` in `count` if nothing was read.
    pub fn value_name(&self) -> (&[u8], &[u8]) {
        self.value_type.map_or((b"goroutine", b"count"), |id| {
            let kind = self.sample_type(id);
            (self.str(kind.kind), self.str(kind.unit))
        })
    }

    /// Whether the counts of samples are numbers of goroutines.
    pub fn counts_goroutines(&self) -> bool {
        !self.counts_others
    }

    /// Whether the samples of an input have values of this type.
    pub fn has_type(&self, input: InputId, type_id: TypeId) -> bool {
        self.input(input).header.sample_types.contains(&type_id)
    }

    /// The value of a sample for this type; 0 if its input doesn't have the type.
    pub fn value(&self, sample: SampleId, type_id: TypeId) -> i64 {
        let of_input = &self.input(self.sample(sample).key.input).header.sample_types;
        let Some(at) = of_input.iter().position(|&kind| kind == type_id) else { return 0 };
        match self.detail(sample).first_value() {
            Some(start) => self.values[start + at],
            None => self.sample(sample).count,
        }
    }

    /// All values of a sample, one for each of its input's types.
    pub fn values(&self, sample: SampleId) -> &[i64] {
        let at = self.sample(sample);
        match self.detail(sample).first_value() {
            Some(start) => &self.values[start..start + self.types_of(at.key.input).len()],
            None => std::slice::from_ref(&at.count),
        }
    }

    /// The sample types of an input.
    pub fn types_of(&self, input: InputId) -> &[TypeId] {
        &self.input(input).header.sample_types
    }

    /// Selects a type: its values become the counts of all samples.
    ///
    /// Single goroutines are forgotten if they aren't counted any more.
    pub fn use_value(&mut self, type_id: TypeId) {
        if self.value_type == Some(type_id) {
            return;
        }
        self.select_type(type_id);
        let goroutines = self.counts_goroutines();
        for at in 0..self.samples.len() {
            let id = SampleId(at as u32);
            let input = self.samples[at].key.input;
            let is_counted = goroutines && self.input(input).format.counts_goroutines();
            if self.detail(id).first_value().is_none() {
                if is_counted {
                    // Its count is its only value; goroutines and leaked ones are counted alike.
                    continue;
                }
                self.details.resize(self.details.len().max(at + 1), Detail::NONE);
                self.details[at].values = position(self.values.len());
                self.values.push(self.samples[at].count);
            }
            let of_input = self.input(input).header.default_type;
            let count = self.value(id, of_input.filter(|_| is_counted).unwrap_or(type_id));
            let sample = &mut self.samples[at];
            sample.count = count;
            if !is_counted {
                sample.waits = WaitRange::default();
            }
        }
        if !goroutines {
            self.forget_goroutines();
        }
    }

    /// Selects a type whose values are the counts of all samples already.
    pub(super) fn select_type(&mut self, type_id: TypeId) {
        self.value_type = Some(type_id);
        let mut of_goroutines = self.inputs.iter().filter(|input| input.format.counts_goroutines());
        self.counts_others =
            !of_goroutines.any(|input| input.header.default_type == self.value_type);
    }

    /// Drops the data of single goroutines, which are only counted from now on.
    pub fn forget_goroutines(&mut self) {
        self.goroutines = Vec::new();
        self.spill = None;
        self.addresses = Addresses::default();
        self.arguments = Arguments::default();
        self.ancestors.clear();
    }

    /// The types that all of these inputs have, in the order of the first input.
    pub fn shared_types(&self, inputs: &[InputId]) -> Vec<TypeId> {
        let Some((&first, others)) = inputs.split_first() else { return Vec::new() };
        let mut shared = self.types_of(first).to_vec();
        for &input in others {
            // Protos may have very many types.
            let types: HashSet<TypeId> = self.types_of(input).iter().copied().collect();
            shared.retain(|type_id| types.contains(type_id));
        }
        shared
    }

    /// The type whose values are the counts of an input's samples: the selected one, or the input's
    /// own if both count goroutines (leaked or not); `None` if its samples count 0.
    pub fn counted_type(&self, input: InputId) -> Option<TypeId> {
        let selected = self.value_type.filter(|&type_id| self.has_type(input, type_id));
        selected.or_else(|| {
            let input = self.input(input);
            let both = self.counts_goroutines() && input.format.counts_goroutines();
            input.header.default_type.filter(|_| both)
        })
    }

    /// Replaces each value of a sample by what `change` returns for its type and value. The new
    /// values may not be numbers of goroutines, so the waits are forgotten.
    pub fn change_values(&mut self, sample: SampleId, change: &dyn Fn(TypeId, i64) -> i64) {
        let input = self.sample(sample).key.input;
        let counted = self.counted_type(input);
        let detail = self.detail(sample);
        let at = &mut self.samples[sample.index()];
        at.count = counted.map_or(at.count, |type_id| change(type_id, at.count));
        at.waits = WaitRange::default();
        let Some(start) = detail.first_value() else { return };
        let types = &self.inputs[input.index()].header.sample_types;
        for (value, &type_id) in self.values[start..].iter_mut().zip(types) {
            *value = change(type_id, *value);
        }
    }

    pub(super) fn detail(&self, sample: SampleId) -> Detail {
        self.details.get(sample.index()).copied().unwrap_or(Detail::NONE)
    }

    /// The locations of a sample, leaf first; empty if the format has none.
    pub fn sample_locations(&self, sample: SampleId) -> &[LocationId] {
        self.location_lists.get(self.detail(sample).locations)
    }

    /// The number of the list of a sample's locations; samples with equal locations have the same
    /// one.
    pub fn location_list(&self, sample: SampleId) -> u32 {
        self.detail(sample).locations
    }

    /// The labels of a sample as its proto has them, including those that became state, flags and
    /// the like.
    pub fn written_labels(&self, sample: SampleId) -> LabelsId {
        self.detail(sample).labels
    }

    /// Mapped files.
    pub fn mappings(&self) -> &[Mapping] {
        &self.mappings
    }

    /// A mapping.
    pub fn mapping(&self, id: MappingId) -> &Mapping {
        &self.mappings[id.index()]
    }

    /// The locations, grouped by input and in its order.
    pub fn locations(&self) -> impl Iterator<Item = (LocationId, &Location)> {
        self.locations.iter().enumerate().map(|(at, location)| (LocationId(at as u32), location))
    }

    /// A location.
    pub fn location(&self, id: LocationId) -> &Location {
        &self.locations[id.index()]
    }

    /// The lines of a location, innermost inlined call first.
    pub fn lines(&self, id: LocationId) -> &[Line] {
        let location = self.location(id);
        &self.lines[location.lines as usize..][..location.count as usize]
    }

    /// A function.
    pub fn function(&self, id: FunctionId) -> &Function {
        &self.functions[id.index()]
    }
}

/// Table positions are 32 bits wide; an input that fills 2^32 rows would need over 100 GB.
pub(super) fn position(at: usize) -> u32 {
    u32::try_from(at).expect("fewer than 2^32 rows")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::{FlagsId, Input, InputFormat, Keep, ProfileBuilder, SampleSpec};

    #[test]
    fn goroutines_and_leaked_ones_are_counted_alike_also_after_another_value() {
        let mut builder = ProfileBuilder::new(Keep::default());
        let formats = [InputFormat::Debug0, InputFormat::LeakDebug0, InputFormat::HeapDebug0];
        for (format, kind) in formats.into_iter().zip(["goroutine", "goroutineleak", "space"]) {
            let mut input = Input::new(kind, kind, format);
            let type_id = builder.sample_type(kind.as_bytes(), b"count");
            input.header.sample_types.push(type_id);
            input.header.default_type = Some(type_id);
            let input = builder.input(input);
            let frame = builder.frame(b"main.f", b"f.go", 1);
            let stack = builder.stack(&[frame]);
            let sample = builder.sample(&SampleSpec {
                input,
                stack,
                full: stack,
                state: None,
                flags: FlagsId::NONE,
                labels: LabelsId::NONE,
                creator: None,
                elided: None,
            });
            builder.count(sample, 10 + i64::from(input.0));
        }
        let mut profile = builder.finish();
        let counts = |profile: &Profile| profile.samples.iter().map(|it| it.count).collect();
        let first: Vec<i64> = counts(&profile);
        assert_eq!(first, [10, 11, 0]);
        for number in [3, 1 << 32, u64::MAX] {
            assert_eq!(profile.find_type(&number.to_string()), None, "{number}");
        }
        for (kind, expected) in [("space", [0, 0, 12]), ("goroutine", [10, 11, 0])] {
            profile.use_value(profile.find_type(kind).unwrap());
            let now: Vec<i64> = counts(&profile);
            assert_eq!(now, expected, "{kind}");
        }
    }
}
