//! Writes protos: samples are streamed, tables follow them, everything is gzipped without a time
//! stamp.
//!
//! ```text
//! ProtoWriter::new(out: W, sample_types: &[(&[u8], &[u8])]) -> io::Result<ProtoWriter<W>>
//!     .comment(text: &[u8])
//!     .location(func: &[u8], file: &[u8], line: i64) -> LocationId
//!     .sample(stack: &[LocationId], values: &[i64], labels: &[(&[u8], LabelText<'_>)]) -> io::Result<()>
//!     .finish() -> io::Result<W>
//! ```
//!
//! Concatenated messages are one message with all their fields, so each sample, location, ... is
//! encoded as a profile that holds nothing else.

use super::field;
use super::proto::{Function, Label, Line, Location, Mapping, Profile, Sample, ValueType};
use crate::profile::{self, LabelValue, LabelsId};
use flate2::write::GzEncoder;
use flate2::{Compression, GzBuilder};
use foldhash::fast::FixedState;
use hashbrown::HashMap;
use prost::Message;
use std::io::{self, BufWriter, Write};

/// A value of a sample's label: text, or a number and its unit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LabelText<'a> {
    /// Text.
    Text(&'a [u8]),
    /// A number and its unit, which can be empty.
    Number(i64, &'a [u8]),
}

/// A location of one [`ProtoWriter`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct LocationId(pub(super) u64);

/// Writes one gzipped proto that `go tool pprof` reads.
///
/// Samples are written at once; strings, functions and locations are kept, each once, until
/// [`ProtoWriter::finish`]. The same calls write the same bytes.
///
/// ```
/// use stackgazer::format::pprof::{LabelText, ProtoWriter};
/// let mut proto = ProtoWriter::new(Vec::new(), &[(b"goroutine", b"count")])?;
/// let main = proto.location(b"main.main", b"main.go", 9);
/// proto.sample(&[main], &[3], &[(b"tenant", LabelText::Text(b"acme"))])?;
/// let gzipped = proto.finish()?;
/// assert_eq!(&gzipped[..2], b"\x1f\x8b");
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct ProtoWriter<W: Write> {
    out: BufWriter<GzEncoder<W>>,
    strings: HashMap<Vec<u8>, i64, FixedState>,
    /// The string table, encoded.
    string_fields: Vec<u8>,
    functions: HashMap<Function, u64, FixedState>,
    locations: HashMap<(i64, i64, i64), u64, FixedState>,
    /// Other tables, encoded.
    table_fields: Vec<u8>,
    /// A profile with one sample, reused for the next sample.
    one: Profile,
    encoded: Vec<u8>,
}

/// The id of the mapping of all frames without addresses.
const MAPPING: u64 = 1;
/// How many bytes are compressed at once: a sample has about a hundred.
const CHUNK: usize = 64 << 10;
/// The tags of a profile's sample and of a sample's label, which are messages.
const SAMPLE_TAG: u8 = (field::SAMPLE << 3 | 2) as u8;
const LABEL_TAG: u8 = (field::LABEL << 3 | 2) as u8;

/// The common part of samples that differ in a few labels, encoded.
#[derive(Debug)]
pub(super) struct Common {
    before: Vec<u8>,
    after: Vec<u8>,
}

impl Common {
    /// Encodes stack and value, and the labels before and after those in which the samples differ.
    pub(super) fn new(
        stack: &[LocationId],
        value: i64,
        before: Vec<Label>,
        after: Vec<Label>,
    ) -> Common {
        let before = Sample {
            location_id: stack.iter().map(|location| location.0).collect(),
            value: vec![value],
            label: before,
        };
        let after = Sample { label: after, ..Sample::default() };
        Common { before: before.encode_to_vec(), after: after.encode_to_vec() }
    }
}

impl<W: Write> ProtoWriter<W> {
    /// Starts a proto with these sample types (type and unit); the first is also the period type.
    ///
    /// # Errors
    /// Errors of writing.
    pub fn new(out: W, sample_types: &[(&[u8], &[u8])]) -> io::Result<ProtoWriter<W>> {
        let mut proto = ProtoWriter::empty(out);
        let mut types = Vec::new();
        for (kind, unit) in sample_types {
            types.push(ValueType { kind: proto.string(kind), unit: proto.string(unit) });
        }
        let head = Profile {
            period_type: types.first().cloned(),
            period: 1,
            sample_type: types,
            // A mapping that has its symbols keeps pprof from looking for the program's file.
            mapping: vec![Mapping {
                id: MAPPING,
                has_functions: true,
                has_filenames: true,
                has_line_numbers: true,
                ..Mapping::default()
            }],
            ..Profile::default()
        };
        proto.stream(&head)?;
        Ok(proto)
    }

    /// Starts a proto without a head.
    pub(super) fn empty(out: W) -> ProtoWriter<W> {
        let mut proto = ProtoWriter {
            // As fast as possible, like Go (`gzip.BestSpeed` in runtime/pprof/proto.go).
            out: BufWriter::with_capacity(
                CHUNK,
                GzBuilder::new().mtime(0).write(out, Compression::fast()),
            ),
            strings: HashMap::default(),
            string_fields: Vec::new(),
            functions: HashMap::default(),
            locations: HashMap::default(),
            table_fields: Vec::new(),
            one: Profile { sample: vec![Sample::default()], ..Profile::default() },
            encoded: Vec::new(),
        };
        proto.string(b"");
        proto
    }

    /// Writes fields immediately.
    pub(super) fn stream(&mut self, fields: &Profile) -> io::Result<()> {
        self.encoded.clear();
        append(&mut self.encoded, fields);
        self.out.write_all(&self.encoded)
    }

    /// Adds fields to be written after all samples.
    pub(super) fn table(&mut self, fields: &Profile) {
        append(&mut self.table_fields, fields);
    }

    /// Adds a comment, which `pprof -comments` shows.
    pub fn comment(&mut self, text: &[u8]) {
        let comment = vec![self.string(text)];
        self.table(&Profile { comment, ..Profile::default() });
    }

    /// The location of a frame, added if it is new.
    pub fn location(&mut self, func: &[u8], file: &[u8], line: i64) -> LocationId {
        let key = (self.string(func), self.string(file), line);
        if let Some(&known) = self.locations.get(&key) {
            return LocationId(known);
        }
        let id = (self.locations.len() as u64).saturating_add(1);
        self.locations.insert(key, id);
        let (name, file, _) = key;
        let function =
            self.function(Function { name, system_name: name, file, ..Function::default() });
        let line = vec![Line { function, line, column: 0 }];
        let location = Location { id, mapping: MAPPING, line, ..Location::default() };
        self.table(&Profile { location: vec![location], ..Profile::default() });
        LocationId(id)
    }

    /// Writes a sample: its stack, leaf first, one value for each sample type, its labels.
    ///
    /// # Errors
    /// Errors of writing.
    pub fn sample(
        &mut self,
        stack: &[LocationId],
        values: &[i64],
        labels: &[(&[u8], LabelText<'_>)],
    ) -> io::Result<()> {
        let mut one = std::mem::take(&mut self.one);
        if let Some(sample) = one.sample.first_mut() {
            sample.location_id.clear();
            sample.location_id.extend(stack.iter().map(|location| location.0));
            sample.value.clear();
            sample.value.extend_from_slice(values);
            sample.label.clear();
            sample.label.extend(labels.iter().map(|(key, value)| self.label(key, *value)));
        }
        let result = self.stream(&one);
        self.one = one;
        result
    }

    /// Writes one of those samples with labels of its own. A message consists of its fields one
    /// after the other, so only these labels have to be encoded.
    pub(super) fn sample_of(&mut self, common: &Common, labels: &[Label]) -> io::Result<()> {
        let encoded = &mut self.encoded;
        encoded.clear();
        for label in labels {
            encoded.push(LABEL_TAG);
            // Can't fail: a vector grows; only buffers of a fixed size can be too small.
            let _ = label.encode_length_delimited(encoded);
        }
        let own = encoded.len();
        let length = [&common.before, &common.after]
            .into_iter()
            .fold(own, |sum, part| sum.saturating_add(part.len()));
        // The head contains the length, so it is encoded after the labels that it comes before.
        encoded.push(SAMPLE_TAG);
        prost::encoding::encode_varint(length as u64, encoded);
        let Some((own, head)) = encoded.split_at_checked(own) else { return Ok(()) };
        let parts = [head, &common.before, own, &common.after];
        parts.into_iter().try_for_each(|part| self.out.write_all(part))
    }

    /// A label of a sample.
    pub(super) fn label(&mut self, key: &[u8], value: LabelText<'_>) -> Label {
        let key = self.string(key);
        match value {
            LabelText::Text(text) => Label { key, text: self.string(text), ..Label::default() },
            // A 0 is written too: only its presence distinguishes it from an empty text.
            LabelText::Number(number, unit) => {
                Label { key, number: Some(number), unit: self.string(unit), ..Label::default() }
            }
        }
    }

    /// Writes the tables and the end of the gzip stream; returns the writer.
    ///
    /// # Errors
    /// Errors of writing.
    pub fn finish(mut self) -> io::Result<W> {
        self.out.write_all(&self.table_fields)?;
        self.out.write_all(&self.string_fields)?;
        self.out.into_inner().map_err(|error| error.into_error())?.finish()
    }

    /// The index of a string, added if it is new.
    pub(super) fn string(&mut self, text: &[u8]) -> i64 {
        if let Some(&known) = self.strings.get(text) {
            return known;
        }
        let id = self.strings.len() as i64;
        self.strings.insert(text.to_vec(), id);
        let string_table = vec![text.to_vec()];
        append(&mut self.string_fields, &Profile { string_table, ..Profile::default() });
        id
    }

    /// The id of a function, added if it is new; the id in `function` doesn't matter.
    pub(super) fn function(&mut self, function: Function) -> u64 {
        let next = (self.functions.len() as u64).saturating_add(1);
        let id = *self.functions.entry(function).or_insert(next);
        if id == next {
            self.table(&Profile {
                function: vec![Function { id, ..function }],
                ..Profile::default()
            });
        }
        id
    }
}

/// The labels of a set, as they are written.
pub(super) fn label_texts(
    profile: &profile::Profile,
    labels: LabelsId,
) -> impl Iterator<Item = (&[u8], LabelText<'_>)> {
    profile.labels(labels).iter().map(|label| {
        let value = match label.value {
            LabelValue::Text(text) => LabelText::Text(profile.str(text)),
            LabelValue::Number(number, unit) => LabelText::Number(number, profile.str(unit)),
        };
        (profile.str(label.key), value)
    })
}

fn append(encoded: &mut Vec<u8>, fields: &Profile) {
    // Can't fail: a vector grows; only buffers of a fixed size can be too small.
    let _ = fields.encode(encoded);
}
