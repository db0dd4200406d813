//! Writes samples of any profile as they were read: values, labels, locations, mappings, comments.
//!
//! ```text
//! write_samples(profile: &Profile, selected: &dyn Fn(SampleId) -> bool, out: W) -> io::Result<W>
//! ```
//! A single input is written as it was read, including unused tables. Several are merged as in `go
//! tool pprof`: equal mappings, locations and functions become one, values are merged by sample
//! type, with 0 if an input lacks one; samples with equal stacks and labels are added up, and those
//! with only zeros are left out. Inputs that don't have the selected type aren't written.

use super::write::{LocationId, ProtoWriter, label_texts};
use super::{incomplete, proto};
use crate::profile::{
    self, Header, InputId, LabelsId, MappingId, Profile, SampleId, SampleType, StrId, TypeId,
};
use foldhash::fast::FixedState;
use hashbrown::HashMap;
use std::collections::BTreeSet;
use std::io::{self, Write};

/// Writes the selected samples.
///
/// # Errors
/// Errors of writing to `out`.
pub fn write_samples<W: Write>(
    profile: &Profile,
    selected: &dyn Fn(SampleId) -> bool,
    out: W,
) -> io::Result<W> {
    let inputs: Vec<InputId> = profile
        .inputs()
        .map(|(id, _)| id)
        .filter(|&id| profile.value_type().is_none_or(|type_id| profile.has_type(id, type_id)))
        .collect();
    let mut types: Vec<TypeId> = Vec::new();
    for &input in &inputs {
        for &kind in profile.types_of(input) {
            if inputs.len() == 1 || !types.contains(&kind) {
                types.push(kind);
            }
        }
    }
    let mut writer = SampleWriter {
        profile,
        proto: ProtoWriter::empty(out),
        merges: inputs.len() > 1,
        equal_mappings: HashMap::default(),
        equal_locations: HashMap::default(),
        mappings: vec![None; profile.mappings().len()],
        locations: vec![None; profile.locations().count()],
    };
    writer.head(&inputs, &types)?;
    if inputs.len() == profile.inputs.len() {
        // The first mapping is the program itself, and stays first. What a single input doesn't use
        // is kept too.
        let kept = if writer.merges { 1 } else { usize::MAX };
        for at in (0..profile.mappings().len()).take(kept) {
            writer.mapping(MappingId(at as u32));
        }
        if !writer.merges {
            profile.locations().for_each(|(id, _)| {
                writer.location(id);
            });
        }
    }
    let mut sums = Sums::default();
    let (mut stack, mut values) = (Vec::new(), Vec::new());
    for (id, sample) in profile.samples() {
        if !inputs.contains(&sample.key.input) || !selected(id) {
            continue;
        }
        if !writer.merges {
            stack.clear();
            stack.extend(profile.sample_locations(id).iter().map(|&at| writer.location(at)));
            writer.sample(&stack, profile.values(id), profile.written_labels(id))?;
            continue;
        }
        values.clear();
        values.extend(types.iter().map(|&type_id| profile.value(id, type_id)));
        if values.iter().any(|&value| value != 0) {
            let stack =
                profile.sample_locations(id).iter().map(|&at| writer.location(at)).collect();
            sums.add(stack, profile.written_labels(id), &values);
        }
    }
    for (stack, labels, values) in sums.samples {
        if values.iter().any(|&value| value != 0) {
            writer.sample(&stack, &values, labels)?;
        }
    }
    writer.proto.finish()
}

/// Values of samples by stack and labels, in order of appearance.
#[derive(Default)]
struct Sums {
    samples: Vec<(Vec<LocationId>, LabelsId, Vec<i64>)>,
    known: HashMap<(Vec<LocationId>, LabelsId), usize, FixedState>,
}

impl Sums {
    fn add(&mut self, stack: Vec<LocationId>, labels: LabelsId, values: &[i64]) {
        let next = self.samples.len();
        let at = *self.known.entry((stack, labels)).or_insert_with_key(|(stack, labels)| {
            self.samples.push((stack.clone(), *labels, vec![0; values.len()]));
            next
        });
        if let Some((_, _, sums)) = self.samples.get_mut(at) {
            for (sum, value) in sums.iter_mut().zip(values) {
                *sum = sum.saturating_add(*value);
            }
        }
    }
}

struct SampleWriter<'a, W: Write> {
    profile: &'a Profile,
    proto: ProtoWriter<W>,
    /// Whether there are several inputs, whose equal tables are merged.
    merges: bool,
    /// Id and start of the first of equal mappings: by pages, offset, and build id or file.
    equal_mappings: HashMap<(u64, u64, StrId), (u64, u64), FixedState>,
    /// Locations by their contents, without ids.
    equal_locations: HashMap<proto::Location, LocationId, FixedState>,
    /// By id: the mapping's id in the proto, and how much higher its addresses are there.
    mappings: Vec<Option<(u64, u64)>>,
    locations: Vec<Option<LocationId>>,
}

impl<W: Write> SampleWriter<'_, W> {
    fn sample(&mut self, stack: &[LocationId], values: &[i64], labels: LabelsId) -> io::Result<()> {
        let labels: Vec<_> = label_texts(self.profile, labels).collect();
        self.proto.sample(stack, values, &labels)
    }

    fn head(&mut self, inputs: &[InputId], types: &[TypeId]) -> io::Result<()> {
        let profile = self.profile;
        let headers: Vec<&Header> =
            inputs.iter().map(|&input| &profile.input(input).header).collect();
        let mut comments = BTreeSet::new();
        let mut head = proto::Profile::default();
        for &kind in types {
            let kind = self.value_type(profile.sample_type(kind));
            head.sample_type.push(kind);
        }
        for header in &headers {
            head.time_nanos = match head.time_nanos {
                0 => header.time_nanos,
                first => first.min(header.time_nanos),
            };
            head.duration_nanos = head.duration_nanos.saturating_add(header.duration_nanos);
            head.period = match head.period {
                0 => header.period,
                longest => longest.max(header.period),
            };
            for &comment in &header.comments {
                if headers.len() == 1 || comments.insert(comment) {
                    head.comment.push(self.proto.string(profile.str(comment)));
                }
            }
            for (into, text) in [
                (&mut head.default_sample_type, header.default_name),
                (&mut head.doc_url, header.doc_url),
                (&mut head.drop_frames, header.drop_frames),
                (&mut head.keep_frames, header.keep_frames),
            ] {
                if *into == 0 {
                    *into = self.proto.string(profile.str(text));
                }
            }
        }
        for comment in incomplete::comments(profile, &|input| inputs.contains(&input)) {
            let text = self.proto.string(&comment);
            if !head.comment.contains(&text) {
                head.comment.push(text);
            }
        }
        let period_type = headers.iter().find_map(|header| header.period_type);
        head.period_type = period_type.map(|kind| self.value_type(kind));
        self.proto.stream(&head)
    }

    fn value_type(&mut self, kind: SampleType) -> proto::ValueType {
        let SampleType { kind, unit } = kind;
        let mut text = |text| self.proto.string(self.profile.str(text));
        proto::ValueType { kind: text(kind), unit: text(unit) }
    }

    /// The id of a mapping in the proto, and how much higher its addresses are there.
    fn mapping(&mut self, id: MappingId) -> (u64, u64) {
        if let Some(Some(known)) = self.mappings.get(id.index()) {
            return *known;
        }
        let profile = self.profile;
        let mapping = *profile.mapping(id);
        let next = (self.equal_mappings.len() as u64).saturating_add(1);
        let (number, start) = match self.merges {
            true => {
                let equal = self.equal_mappings.entry(mapping.identity());
                *equal.or_insert((next, mapping.start))
            }
            false => (u64::from(id.0).saturating_add(1), mapping.start),
        };
        let known = (number, start.wrapping_sub(mapping.start));
        if !self.merges || number == next {
            let mapping = proto::Mapping {
                id: number,
                start: mapping.start,
                limit: mapping.limit,
                offset: mapping.offset,
                file: self.proto.string(profile.str(mapping.file)),
                build_id: self.proto.string(profile.str(mapping.build_id)),
                has_functions: mapping.has.functions,
                has_filenames: mapping.has.filenames,
                has_line_numbers: mapping.has.line_numbers,
                has_inline_frames: mapping.has.inline_frames,
            };
            let table = proto::Profile { mapping: vec![mapping], ..proto::Profile::default() };
            self.proto.table(&table);
        }
        if let Some(slot) = self.mappings.get_mut(id.index()) {
            *slot = Some(known);
        }
        known
    }

    /// The proto's location for one of the profile.
    fn location(&mut self, id: profile::LocationId) -> LocationId {
        if let Some(Some(known)) = self.locations.get(id.index()) {
            return *known;
        }
        let location = *self.profile.location(id);
        let (mapping, higher) = location.mapping.map_or((0, 0), |id| self.mapping(id));
        let mut written = proto::Location {
            id: 0,
            mapping,
            address: location.address.wrapping_add(higher),
            line: self.lines(id),
            folded: location.folded,
        };
        let next = LocationId((self.equal_locations.len() as u64).saturating_add(1));
        let known = match self.merges {
            true => *self.equal_locations.entry(written.clone()).or_insert(next),
            false => LocationId(u64::from(id.0).saturating_add(1)),
        };
        if !self.merges || known == next {
            written.id = known.0;
            let table = proto::Profile { location: vec![written], ..proto::Profile::default() };
            self.proto.table(&table);
        }
        if let Some(slot) = self.locations.get_mut(id.index()) {
            *slot = Some(known);
        }
        known
    }

    fn lines(&mut self, id: profile::LocationId) -> Vec<proto::Line> {
        let profile = self.profile;
        let line = |line: &profile::Line| {
            let function = profile.function(line.function);
            let mut text = |text| self.proto.string(profile.str(text));
            let function = proto::Function {
                id: 0,
                name: text(function.name),
                system_name: text(function.system_name),
                file: text(function.file),
                start_line: function.start_line,
            };
            let function = self.proto.function(function);
            proto::Line { function, line: line.line, column: line.column }
        };
        profile.lines(id).iter().map(line).collect()
    }
}
