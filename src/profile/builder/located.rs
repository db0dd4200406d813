//! Samples with several values and with locations, as protos have them.

use super::delta::Translation;
use super::{ProfileBuilder, SampleSpec};
use crate::profile::values::position;
use crate::profile::{
    Detail, Function, FunctionId, Header, Kind, LabelsId, Line, Location, LocationId, Mapping,
    MappingId, Profile, Sample, SampleId, SampleKey, SampleType, StrId, TypeId, WaitRange,
};

/// A sample as a proto has it.
#[derive(Clone, Copy, Debug)]
pub struct NewSample<'a> {
    /// Its key; if it counts goroutines, state and kind are completed from the frames.
    pub spec: SampleSpec,
    /// A value for each of its input's types.
    pub values: &'a [i64],
    /// The number of its list of locations, from [`ProfileBuilder::locations`]; list 0 is empty.
    pub locations: u32,
    /// All labels that the proto has.
    pub labels: LabelsId,
}

impl ProfileBuilder {
    /// The sample type of this name and unit.
    pub fn sample_type(&mut self, kind: &[u8], unit: &[u8]) -> TypeId {
        let new = SampleType { kind: self.string(kind), unit: self.string(unit) };
        self.type_of(new)
    }

    fn type_of(&mut self, new: SampleType) -> TypeId {
        // Types of one name and different units (a CPU profile in microseconds) are different.
        let types = &mut self.profile.sample_types;
        *self.type_index.entry(new).or_insert_with(|| {
            types.push(new);
            TypeId(position(types.len() - 1))
        })
    }

    /// Adds a mapping.
    pub fn mapping(&mut self, mapping: Mapping) -> MappingId {
        self.profile.mappings.push(mapping);
        MappingId(position(self.profile.mappings.len() - 1))
    }

    /// Adds a function.
    pub fn function(&mut self, function: Function) -> FunctionId {
        self.profile.push_function(function)
    }

    /// Adds a location.
    pub fn location(
        &mut self,
        mapping: Option<MappingId>,
        address: u64,
        folded: bool,
        lines: &[Line],
    ) -> LocationId {
        self.profile.push_location(mapping, address, folded, lines)
    }

    /// The number of a list of locations, leaf first.
    pub fn locations(&mut self, list: &[LocationId]) -> u32 {
        self.profile.location_lists.intern(list)
    }

    /// Adds a sample, even if others have the same key.
    ///
    /// Its count is the value of its input's default type, which has to be set before.
    pub fn add_sample(&mut self, new: &NewSample<'_>) -> SampleId {
        let input = &self.profile.inputs[new.spec.input.index()];
        let counts_goroutines = input.format.counts_goroutines();
        let types = &input.header.sample_types;
        let default_at = types.iter().position(|&kind| Some(kind) == input.header.default_type);
        let count = default_at.and_then(|at| new.values.get(at)).copied().unwrap_or(0);
        let (state, kind) = match counts_goroutines {
            true => self.state_and_kind(&new.spec),
            false => (None, Kind::Unknown),
        };
        let values = match new.values.len() {
            // The only value is the count.
            0 | 1 => Detail::NONE.values,
            _ => {
                let start = position(self.profile.values.len());
                self.profile.values.extend_from_slice(new.values);
                start
            }
        };
        let detail = Detail { values, locations: new.locations, labels: new.labels };
        let sample = self.push_sample(&new.spec.key(state, kind), detail);
        self.profile.samples[sample.index()].count = count;
        if counts_goroutines {
            self.count_in_input(new.spec.input, count);
        }
        sample
    }

    /// Adds a sample without looking for one with the same key.
    pub(super) fn push_sample(&mut self, key: &SampleKey, detail: Detail) -> SampleId {
        let at = self.profile.samples.len();
        self.profile.samples.push(Sample { key: *key, count: 0, waits: WaitRange::default() });
        if detail != Detail::NONE {
            self.profile.details.resize(at, Detail::NONE);
            self.profile.details.push(detail);
        }
        SampleId(position(at))
    }

    /// Completes the sample types of the inputs from this one on.
    pub(super) fn complete_types(&mut self, from: usize) {
        for at in from..self.profile.inputs.len() {
            let input = &self.profile.inputs[at];
            if input.header.sample_types.is_empty() && input.format.counts_goroutines() {
                let name: &[u8] = match input.format.is_leak_profile() {
                    true => b"goroutineleak",
                    false => b"goroutine",
                };
                let kind = self.sample_type(name, b"count");
                let header = &mut self.profile.inputs[at].header;
                header.sample_types.push(kind);
                header.default_type = Some(kind);
            }
        }
    }

    /// Selects the sample type to count: that of goroutines if any input counts them, or else the
    /// default type of the first input. Inputs without anything to count don't decide that.
    pub(super) fn choose_type(&mut self) {
        let inputs = &self.profile.inputs;
        let mut measured = inputs.iter().filter(|input| !input.is_message());
        let first = measured.clone().next().or(inputs.first());
        let goroutines = measured.find(|input| input.format.counts_goroutines());
        let chosen = goroutines.or(first).and_then(|input| input.header.default_type);
        let Some(chosen) = chosen else { return };
        let agree = |input: &crate::profile::Input| {
            input.header.default_type == Some(chosen)
                || goroutines.is_some() && input.format.counts_goroutines()
        };
        if inputs.iter().all(agree) {
            self.profile.select_type(chosen);
        } else {
            self.profile.use_value(chosen);
        }
    }

    /// Merges the types, values and locations of a delta whose strings and frames are merged
    /// already.
    pub(super) fn merge_located(&mut self, part: &Profile, translation: &Translation) -> Located {
        let string = |text| translation.string(text);
        let types = part
            .sample_types
            .iter()
            .map(|kind| SampleType { kind: string(kind.kind), unit: string(kind.unit) })
            .map(|kind| self.type_of(kind))
            .collect();
        let first_mapping = self.profile.mappings.len();
        let first_function = self.profile.functions.len();
        let first_location = self.profile.locations.len();
        let first_line = self.profile.lines.len();
        let first_value = self.profile.values.len();
        self.profile.mappings.extend(part.mappings.iter().map(|mapping| Mapping {
            file: string(mapping.file),
            build_id: string(mapping.build_id),
            ..*mapping
        }));
        self.profile.functions.extend(part.functions.iter().map(|function| Function {
            name: string(function.name),
            system_name: string(function.system_name),
            file: string(function.file),
            ..*function
        }));
        self.profile.lines.extend(part.lines.iter().map(|line| Line {
            function: FunctionId(position(first_function + line.function.index())),
            frame: translation.frame(line.frame),
            ..*line
        }));
        self.profile.locations.extend(part.locations.iter().map(|location| Location {
            mapping: location.mapping.map(|at| MappingId(position(first_mapping + at.index()))),
            lines: position(first_line + location.lines as usize),
            ..*location
        }));
        self.profile.values.extend_from_slice(&part.values);
        let mut list = Vec::new();
        let lists = (0..part.location_lists.len())
            .map(|at| {
                list.clear();
                let locations = part.location_lists.get(position(at)).iter();
                list.extend(locations.map(|at| LocationId(position(first_location + at.index()))));
                self.locations(&list)
            })
            .collect();
        Located { types, lists, first_value }
    }
}

/// The ids and positions here of a delta's types, lists of locations and values.
#[derive(Debug)]
pub(super) struct Located {
    types: Vec<TypeId>,
    lists: Vec<u32>,
    first_value: usize,
}

impl Located {
    /// Translates the ids in a header.
    pub(super) fn header(&self, header: &mut Header, translation: &Translation) {
        let string = |text: &mut StrId| *text = translation.string(*text);
        let kind = |kind: &mut TypeId| *kind = self.types[kind.index()];
        header.sample_types.iter_mut().for_each(kind);
        header.default_type.iter_mut().for_each(kind);
        header.comments.iter_mut().for_each(string);
        if let Some(period) = &mut header.period_type {
            string(&mut period.kind);
            string(&mut period.unit);
        }
        let texts = [
            &mut header.default_name,
            &mut header.doc_url,
            &mut header.drop_frames,
            &mut header.keep_frames,
        ];
        texts.into_iter().for_each(string);
    }

    /// Translates a detail; its labels are translated already.
    pub(super) fn detail(&self, detail: Detail, labels: LabelsId) -> Detail {
        let values = match detail.first_value() {
            Some(start) => position(self.first_value + start),
            None => Detail::NONE.values,
        };
        Detail { values, locations: self.lists[detail.locations as usize], labels }
    }
}
