//! Writing protos: samples are streamed, tables follow them, all gzipped without a time stamp.
//!
//! ```text
//! ProtoWriter::new(out: W, sample_types: &[(&[u8], &[u8])]) -> io::Result<ProtoWriter<W>>
//!     .comment(text: &[u8])
//!     .location(func: &[u8], file: &[u8], line: i64) -> LocationId
//!     .sample(stack: &[LocationId], values: &[i64], labels: &[(&[u8], LabelText<'_>)]) -> io::Result<()>
//!     .finish() -> io::Result<W>
//! ```

use super::field;
use flate2::write::GzEncoder;
use flate2::{Compression, GzBuilder};
use foldhash::fast::FixedState;
use hashbrown::HashMap;
use std::io::{self, Write};

/// A value of a sample's label: text, or a number and its unit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LabelText<'a> {
    /// Text.
    Text(&'a [u8]),
    /// A number and its unit, which may be empty.
    Number(i64, &'a [u8]),
}

/// A location of one [`ProtoWriter`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct LocationId(u64);

/// Writes one gzipped proto that `go tool pprof` reads.
///
/// Samples leave memory as they come; strings, functions and locations are kept, each once, until
/// [`ProtoWriter::finish`]. The same calls give the same bytes.
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
    out: GzEncoder<W>,
    strings: HashMap<Vec<u8>, i64, FixedState>,
    /// The string table, as fields of the profile.
    string_fields: Vec<u8>,
    functions: HashMap<(i64, i64), u64, FixedState>,
    locations: HashMap<(i64, i64, i64), u64, FixedState>,
    /// Functions and locations, as fields of the profile.
    table_fields: Vec<u8>,
    /// Reused for the sample at hand.
    message: Vec<u8>,
    packed: Vec<u8>,
}

impl<W: Write> ProtoWriter<W> {
    /// Starts a proto with these sample types (type and unit); the first is the period type too.
    pub fn new(out: W, sample_types: &[(&[u8], &[u8])]) -> io::Result<ProtoWriter<W>> {
        let mut proto = ProtoWriter {
            out: GzBuilder::new().mtime(0).write(out, Compression::default()),
            strings: HashMap::default(),
            string_fields: Vec::new(),
            functions: HashMap::default(),
            locations: HashMap::default(),
            table_fields: Vec::new(),
            message: Vec::new(),
            packed: Vec::new(),
        };
        proto.string(b"");
        let mut fields = Vec::new();
        for (at, (kind, unit)) in sample_types.iter().enumerate() {
            let mut message = Vec::new();
            number(&mut message, field::value_type::TYPE, proto.string(kind));
            number(&mut message, field::value_type::UNIT, proto.string(unit));
            bytes(&mut fields, field::SAMPLE_TYPE, &message);
            if at == 0 {
                bytes(&mut fields, field::PERIOD_TYPE, &message);
                number(&mut fields, field::PERIOD, 1);
            }
        }
        // One mapping that says "symbolized" keeps pprof from looking for the program's file.
        let mut message = Vec::new();
        number(&mut message, field::mapping::ID, MAPPING);
        for has in field::mapping::HAS_FUNCTIONS..field::mapping::HAS_INLINE_FRAMES {
            number(&mut message, has, 1);
        }
        bytes(&mut fields, field::MAPPING, &message);
        proto.out.write_all(&fields)?;
        Ok(proto)
    }

    /// Adds a comment, which `pprof -comments` shows.
    pub fn comment(&mut self, text: &[u8]) {
        let text = self.string(text);
        number(&mut self.table_fields, field::COMMENT, text);
    }

    /// The location of a frame, made if it is new.
    ///
    /// `0x4a7b` without file and line, as a text dump shows a frame without symbol, becomes an
    /// address without a function.
    pub fn location(&mut self, func: &[u8], file: &[u8], line: i64) -> LocationId {
        let key = (self.string(func), self.string(file), line);
        if let Some(&known) = self.locations.get(&key) {
            return LocationId(known);
        }
        let id = (self.locations.len() as u64).saturating_add(1);
        self.locations.insert(key, id);
        let mut message = Vec::new();
        number(&mut message, field::location::ID, id as i64);
        number(&mut message, field::location::MAPPING, MAPPING);
        match super::address_of_name(func).filter(|_| file.is_empty() && line == 0) {
            Some(address) => number(&mut message, field::location::ADDRESS, address as i64),
            None => {
                let function = self.function(key.0, key.1);
                let mut at = Vec::new();
                number(&mut at, field::line::FUNCTION, function as i64);
                number(&mut at, field::line::LINE, line);
                bytes(&mut message, field::location::LINE, &at);
            }
        }
        bytes(&mut self.table_fields, field::LOCATION, &message);
        LocationId(id)
    }

    /// Writes a sample: its stack, leaf first, one value for each sample type, its labels.
    pub fn sample(
        &mut self,
        stack: &[LocationId],
        values: &[i64],
        labels: &[(&[u8], LabelText<'_>)],
    ) -> io::Result<()> {
        let mut message = std::mem::take(&mut self.message);
        let mut packed = std::mem::take(&mut self.packed);
        message.clear();
        packed.clear();
        stack.iter().for_each(|location| varint(&mut packed, location.0));
        bytes(&mut message, field::sample::LOCATION, &packed);
        packed.clear();
        values.iter().for_each(|&value| varint(&mut packed, value as u64));
        bytes(&mut message, field::sample::VALUE, &packed);
        for (key, value) in labels {
            packed.clear();
            number(&mut packed, field::label::KEY, self.string(key));
            match value {
                LabelText::Text(text) => number(&mut packed, field::label::STR, self.string(text)),
                // A 0 is written too: only its presence tells it from an empty text.
                LabelText::Number(value, unit) => {
                    number(&mut packed, field::label::NUM, *value);
                    if !unit.is_empty() {
                        number(&mut packed, field::label::UNIT, self.string(unit));
                    }
                }
            }
            bytes(&mut message, field::sample::LABEL, &packed);
        }
        packed.clear();
        bytes(&mut packed, field::SAMPLE, &message);
        let result = self.out.write_all(&packed);
        (self.message, self.packed) = (message, packed);
        result
    }

    /// Writes the tables and the end of the gzip stream; returns what was written to.
    pub fn finish(mut self) -> io::Result<W> {
        self.out.write_all(&self.table_fields)?;
        self.out.write_all(&self.string_fields)?;
        self.out.finish()
    }

    fn string(&mut self, text: &[u8]) -> i64 {
        if let Some(&known) = self.strings.get(text) {
            return known;
        }
        let id = self.strings.len() as i64;
        self.strings.insert(text.to_vec(), id);
        bytes(&mut self.string_fields, field::STRING, text);
        id
    }

    fn function(&mut self, name: i64, file: i64) -> u64 {
        let next = (self.functions.len() as u64).saturating_add(1);
        let id = *self.functions.entry((name, file)).or_insert(next);
        if id == next {
            let mut message = Vec::new();
            number(&mut message, field::function::ID, id as i64);
            number(&mut message, field::function::NAME, name);
            number(&mut message, field::function::SYSTEM_NAME, name);
            number(&mut message, field::function::FILE, file);
            bytes(&mut self.table_fields, field::FUNCTION, &message);
        }
        id
    }
}

/// The id of the only mapping.
const MAPPING: i64 = 1;

fn varint(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

fn number(out: &mut Vec<u8>, field: u32, value: i64) {
    varint(out, u64::from(field) << 3);
    varint(out, value as u64);
}

fn bytes(out: &mut Vec<u8>, field: u32, value: &[u8]) {
    varint(out, u64::from(field) << 3 | 2);
    varint(out, value.len() as u64);
    out.extend_from_slice(value);
}
