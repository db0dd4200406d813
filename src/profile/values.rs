//! Values and locations of samples.

use super::{
    Addresses, Arguments, Detail, Function, FunctionId, Input, InputId, LabelsId, Line, Location,
    LocationId, Mapping, MappingId, Profile, SampleId, SampleType, TypeId, WaitRange,
};

impl Profile {
    /// The sample types of all inputs, in the order in which they came up.
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

    /// The sample type that people mean by this name, as `go tool pprof` understands it: a number
    /// counts the types, and the names of its old options are known too.
    pub fn find_type(&self, asked: &str) -> Option<TypeId> {
        if let Some(known) = self.type_named(asked.as_bytes()) {
            return Some(known);
        }
        if let Ok(at) = asked.parse::<usize>() {
            return (at < self.sample_types.len()).then_some(TypeId(position(at)));
        }
        let (name, unit) = asked.rsplit_once('/').unwrap_or((asked, ""));
        let old_name = match name {
            "total_delay" | "mean_delay" => "delay",
            // Old heap profiles have only these.
            name => name.strip_prefix("inuse_").unwrap_or(name),
        };
        let named = |name: &str| self.type_named(name.as_bytes());
        let found = named(name).or_else(|| named(old_name))?;
        let is_unit = unit.is_empty() || self.str(self.sample_type(found).unit) == unit.as_bytes();
        is_unit.then_some(found)
    }

    /// The type whose values are the counts of samples; `None` when nothing was read.
    pub fn value_type(&self) -> Option<TypeId> {
        self.value_type
    }

    /// Name and unit of the type in force, `goroutine` in `count` when nothing was read.
    pub fn value_name(&self) -> (&[u8], &[u8]) {
        self.value_type.map_or((b"goroutine", b"count"), |id| {
            let kind = self.sample_type(id);
            (self.str(kind.kind), self.str(kind.unit))
        })
    }

    /// Whether the counts of samples are numbers of goroutines.
    pub fn counts_goroutines(&self) -> bool {
        let of_goroutines = |input: &&Input| input.format.counts_goroutines();
        self.value_type.is_none()
            || self
                .inputs
                .iter()
                .filter(of_goroutines)
                .any(|input| input.header.default_type == self.value_type)
    }

    /// Whether the samples of an input have values of this type.
    pub fn has_type(&self, input: InputId, of: TypeId) -> bool {
        self.input(input).header.sample_types.contains(&of)
    }

    /// The value of a sample, 0 where its input doesn't have the type.
    pub fn value(&self, sample: SampleId, of: TypeId) -> i64 {
        let of_input = &self.input(self.sample(sample).key.input).header.sample_types;
        let Some(at) = of_input.iter().position(|&kind| kind == of) else { return 0 };
        match self.detail(sample).values() {
            Some(start) => self.values[start + at],
            None => self.sample(sample).count,
        }
    }

    /// All values of a sample, one for each of its input's types.
    pub fn values(&self, sample: SampleId) -> &[i64] {
        let at = self.sample(sample);
        match self.detail(sample).values() {
            Some(start) => &self.values[start..start + self.types_of(at.key.input).len()],
            None => std::slice::from_ref(&at.count),
        }
    }

    /// What the samples of an input measure.
    pub fn types_of(&self, input: InputId) -> &[TypeId] {
        &self.input(input).header.sample_types
    }

    /// Makes the values of this type the counts of all samples.
    ///
    /// Goroutines are forgotten where they don't count any more.
    pub fn use_value(&mut self, of: TypeId) {
        if self.value_type == Some(of) {
            return;
        }
        self.value_type = Some(of);
        let goroutines = self.counts_goroutines();
        for at in 0..self.samples.len() {
            let id = SampleId(at as u32);
            let input = self.samples[at].key.input;
            let is_counted = goroutines && self.input(input).format.counts_goroutines();
            if self.detail(id).values().is_none() {
                if is_counted {
                    // Its count is all that it has; goroutines and leaked ones are counted alike.
                    continue;
                }
                self.details.resize(self.details.len().max(at + 1), Detail::NONE);
                self.details[at].values = position(self.values.len());
                self.values.push(self.samples[at].count);
            }
            let of_input = self.input(input).header.default_type;
            let count = self.value(id, of_input.filter(|_| is_counted).unwrap_or(of));
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

    /// Drops what is known of single goroutines; they are only counted from now on.
    pub fn forget_goroutines(&mut self) {
        self.goroutines = Vec::new();
        self.spill = None;
        self.addresses = Addresses::default();
        self.arguments = Arguments::default();
        self.ancestors.clear();
    }

    /// The types that all of these inputs have, in the order of the first one.
    pub fn shared_types(&self, inputs: &[InputId]) -> Vec<TypeId> {
        let Some((&first, others)) = inputs.split_first() else { return Vec::new() };
        let mut shared = self.types_of(first).to_vec();
        shared.retain(|&of| others.iter().all(|&input| self.has_type(input, of)));
        shared
    }

    /// The type whose values are the counts of an input's samples: the one in force, or the input's
    /// own where both count goroutines, leaked or not; `None` where its samples count 0.
    pub fn counted_type(&self, input: InputId) -> Option<TypeId> {
        let in_force = self.value_type.filter(|&of| self.has_type(input, of));
        in_force.or_else(|| {
            let input = self.input(input);
            let both = self.counts_goroutines() && input.format.counts_goroutines();
            input.header.default_type.filter(|_| both)
        })
    }

    /// Gives a sample other values: what `change` makes of each, by its type. They may not be
    /// numbers of goroutines any more, so that nothing is known of waits.
    pub fn change_values(&mut self, sample: SampleId, change: &dyn Fn(TypeId, i64) -> i64) {
        let input = self.sample(sample).key.input;
        let counted = self.counted_type(input);
        let detail = self.detail(sample);
        let at = &mut self.samples[sample.index()];
        at.count = counted.map_or(at.count, |of| change(of, at.count));
        at.waits = WaitRange::default();
        let Some(start) = detail.values() else { return };
        let types = &self.inputs[input.index()].header.sample_types;
        for (value, &of) in self.values[start..].iter_mut().zip(types) {
            *value = change(of, *value);
        }
    }

    pub(super) fn detail(&self, sample: SampleId) -> Detail {
        self.details.get(sample.index()).copied().unwrap_or(Detail::NONE)
    }

    /// The locations of a sample, leaf first; empty where the format knows none.
    pub fn sample_locations(&self, sample: SampleId) -> &[LocationId] {
        self.location_lists.get(self.detail(sample).locations)
    }

    /// The number of the list of a sample's locations; samples with equal ones have the same.
    pub fn location_list(&self, sample: SampleId) -> u32 {
        self.detail(sample).locations
    }

    /// The labels of a sample as its proto has them, also those that tell of a goroutine.
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

    /// Locations, those of one input together and in its order.
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
    use crate::profile::{FlagsId, InputFormat, Keep, ProfileBuilder, SampleSpec};

    #[test]
    fn goroutines_and_leaked_ones_are_counted_alike_also_after_another_value() {
        let mut builder = ProfileBuilder::new(Keep::default());
        let formats = [InputFormat::Debug0, InputFormat::LeakDebug0, InputFormat::HeapDebug0];
        for (format, kind) in formats.into_iter().zip(["goroutine", "goroutineleak", "space"]) {
            let mut input = Input::new(kind, kind, format);
            let of = builder.sample_type(kind.as_bytes(), b"count");
            input.header.sample_types.push(of);
            input.header.default_type = Some(of);
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
        for (kind, expected) in [("space", [0, 0, 12]), ("goroutine", [10, 11, 0])] {
            profile.use_value(profile.find_type(kind).unwrap());
            let now: Vec<i64> = counts(&profile);
            assert_eq!(now, expected, "{kind}");
        }
    }
}
