//! Samples of any profile as they were read: values, labels, locations, mappings, comments.
//!
//! ```text
//! write_samples(profile: &Profile, selected: &dyn Fn(SampleId) -> bool, out: W) -> io::Result<W>
//! ```
//! One input comes out as it went in, unused tables included. Several are put together as `go tool
//! pprof` does: equal mappings, locations and functions once, values by sample type, 0 where an
//! input lacks one. Inputs that don't have the type in force aren't written.

use super::proto;
use super::write::{LabelText, LocationId, ProtoWriter};
use crate::profile::{
    self, Header, InputId, LabelValue, MappingId, Profile, SampleId, SampleType, StrId, TypeId,
};
use foldhash::fast::FixedState;
use hashbrown::HashMap;
use std::collections::BTreeSet;
use std::io::{self, Write};

/// Mappings that differ by less than a page count as equal, as in pprof.
const PAGE: u64 = 0x1000;

/// Writes the samples that are selected.
pub fn write_samples<W: Write>(
    profile: &Profile,
    selected: &dyn Fn(SampleId) -> bool,
    out: W,
) -> io::Result<W> {
    let inputs: Vec<InputId> = profile
        .inputs()
        .map(|(id, _)| id)
        .filter(|&id| profile.value_type().is_none_or(|of| profile.has_type(id, of)))
        .collect();
    let mut types: Vec<TypeId> = Vec::new();
    for &input in &inputs {
        for &kind in profile.types_of(input) {
            if inputs.len() == 1 || !types.contains(&kind) {
                types.push(kind);
            }
        }
    }
    let mut whole = Whole {
        profile,
        proto: ProtoWriter::empty(out),
        merges: inputs.len() > 1,
        equal_mappings: HashMap::default(),
        equal_locations: HashMap::default(),
        mappings: vec![None; profile.mappings().len()],
        locations: vec![None; profile.locations().count()],
    };
    whole.head(&inputs, &types)?;
    if inputs.len() == profile.inputs.len() && inputs.len() == 1 {
        // What no sample refers to is kept too.
        for at in 0..profile.mappings().len() {
            whole.mapping(MappingId(at as u32));
        }
        for (id, _) in profile.locations() {
            whole.location(id);
        }
    }
    let (mut stack, mut values, mut labels) = (Vec::new(), Vec::new(), Vec::new());
    for (id, sample) in profile.samples() {
        if !inputs.contains(&sample.key.input) || !selected(id) {
            continue;
        }
        stack.clear();
        for &location in profile.sample_locations(id) {
            stack.push(whole.location(location));
        }
        values.clear();
        if whole.merges {
            values.extend(types.iter().map(|&of| profile.value(id, of)));
        } else {
            values.extend_from_slice(profile.values(id));
        }
        labels.clear();
        labels.extend(profile.labels(profile.written_labels(id)).iter().map(|label| {
            let value = match label.value {
                LabelValue::Text(text) => LabelText::Text(profile.str(text)),
                LabelValue::Number(number, unit) => LabelText::Number(number, profile.str(unit)),
            };
            (profile.str(label.key), value)
        }));
        whole.proto.sample(&stack, &values, &labels)?;
    }
    whole.proto.finish()
}

struct Whole<'a, W: Write> {
    profile: &'a Profile,
    proto: ProtoWriter<W>,
    /// Whether there are several inputs, whose equal tables are put together.
    merges: bool,
    /// Id and start of the first of equal mappings: by pages, offset, and build id or file.
    equal_mappings: HashMap<(u64, u64, StrId), (u64, u64), FixedState>,
    /// By what they are, their ids left out.
    equal_locations: HashMap<proto::Location, LocationId, FixedState>,
    /// By id: the mapping's id in the proto, and how much higher its addresses are there.
    mappings: Vec<Option<(u64, u64)>>,
    locations: Vec<Option<LocationId>>,
}

impl<W: Write> Whole<'_, W> {
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
            if head.time_nanos == 0 || header.time_nanos < head.time_nanos {
                head.time_nanos = header.time_nanos;
            }
            head.duration_nanos = head.duration_nanos.saturating_add(header.duration_nanos);
            if head.period == 0 || head.period < header.period {
                head.period = header.period;
            }
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
        let period_type = headers.iter().find_map(|header| header.period_type);
        head.period_type = period_type.map(|kind| self.value_type(kind));
        self.proto.stream(&head)
    }

    fn value_type(&mut self, kind: SampleType) -> proto::ValueType {
        let SampleType { kind, unit } = kind;
        let mut text = |text| self.proto.string(self.profile.str(text));
        proto::ValueType { kind: text(kind), unit: text(unit) }
    }

    /// The id of a mapping in the proto, and how much higher addresses are there.
    fn mapping(&mut self, id: MappingId) -> (u64, u64) {
        if let Some(Some(known)) = self.mappings.get(id.index()) {
            return *known;
        }
        let profile = self.profile;
        let mapping = *profile.mapping(id);
        let mut number = u64::from(id.0).saturating_add(1);
        let mut first = None;
        if self.merges {
            let name = match profile.str(mapping.build_id).is_empty() {
                true => mapping.file,
                false => mapping.build_id,
            };
            let pages = mapping.limit.wrapping_sub(mapping.start).div_ceil(PAGE);
            number = (self.equal_mappings.len() as u64).saturating_add(1);
            let key = (pages, mapping.offset, name);
            first = self.equal_mappings.get(&key).copied();
            self.equal_mappings.entry(key).or_insert((number, mapping.start));
        }
        let known = match first {
            Some((number, start)) => (number, start.wrapping_sub(mapping.start)),
            None => (number, 0),
        };
        if first.is_none() {
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

    /// A location of the profile in the proto.
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
        let known = if self.merges {
            let next = LocationId((self.equal_locations.len() as u64).saturating_add(1));
            let known = *self.equal_locations.entry(written.clone()).or_insert(next);
            written.id = if known == next { next.0 } else { 0 };
            known
        } else {
            written.id = u64::from(id.0).saturating_add(1);
            LocationId(written.id)
        };
        if written.id != 0 {
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
