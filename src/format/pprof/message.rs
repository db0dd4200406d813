//! A proto of any kind as flat tables: ids and string indexes are still those of the proto.
//!
//! Nothing is copied but numbers; texts stay in the buffer, and so do samples, which are read one by
//! one whenever somebody asks for them: they are nearly all of a large proto. Memory is bounded by a
//! constant times the bytes read: every entry of every table takes at least two bytes of the proto.

use super::field;
use super::wire::{Damage, Field, Fields};
use std::ops::Range;

/// A profile.proto message.
#[derive(Debug, Default)]
pub(super) struct Message<'a> {
    pub(super) bytes: &'a [u8],
    pub(super) sample_types: Vec<ValueType>,
    /// How many samples there are.
    pub(super) samples: usize,
    pub(super) mappings: Vec<Mapping>,
    pub(super) locations: Vec<Location>,
    pub(super) lines: Vec<Line>,
    pub(super) functions: Vec<Function>,
    pub(super) strings: Vec<&'a [u8]>,
    pub(super) drop_frames: i64,
    pub(super) keep_frames: i64,
    pub(super) time_nanos: i64,
    /// How often a time stamp stands in it; more than once when protos were joined.
    pub(super) time_stamps: u32,
    pub(super) duration_nanos: i64,
    pub(super) period_type: Option<ValueType>,
    pub(super) period: i64,
    pub(super) comments: Vec<i64>,
    pub(super) default_type: i64,
    pub(super) doc_url: i64,
}

/// One sample: its parts stay until the next one is read.
#[derive(Debug, Default)]
pub(super) struct Sample {
    /// Location ids, leaf first.
    pub(super) stack: Vec<u64>,
    pub(super) values: Vec<i64>,
    pub(super) labels: Vec<Label>,
}

/// Type and unit, as string indexes.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ValueType {
    pub(super) kind: i64,
    pub(super) unit: i64,
}

/// A label: `num` and `unit` only count where they are written.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Label {
    pub(super) key: i64,
    pub(super) text: i64,
    pub(super) number: Option<i64>,
    pub(super) unit: i64,
}

/// A mapped file.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Mapping {
    pub(super) id: u64,
    pub(super) start: u64,
    pub(super) limit: u64,
    pub(super) offset: u64,
    pub(super) file: i64,
    pub(super) build_id: i64,
    /// Functions, files, lines, inlined calls: whether they were looked up.
    pub(super) has: [bool; 4],
}

/// An address and the lines of code that it stands for, innermost inlined call first.
#[derive(Clone, Debug)]
pub(super) struct Location {
    pub(super) id: u64,
    pub(super) mapping: u64,
    pub(super) address: u64,
    pub(super) lines: Range<usize>,
    pub(super) folded: bool,
}

/// A line of a function.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Line {
    pub(super) function: u64,
    pub(super) line: i64,
    pub(super) column: i64,
}

/// A function, names as string indexes.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Function {
    pub(super) id: u64,
    pub(super) name: i64,
    pub(super) system_name: i64,
    pub(super) file: i64,
    pub(super) start_line: i64,
}

impl<'a> Message<'a> {
    /// Reads a proto into tables.
    pub(super) fn decode(bytes: &'a [u8]) -> Result<Message<'a>, Damage> {
        let mut message = Message { bytes, ..Message::default() };
        for field in Fields::new(bytes) {
            let field = field?;
            match field.number {
                field::SAMPLE_TYPE => message.sample_types.push(value_type(&field)?),
                field::SAMPLE => {
                    field.bytes()?;
                    message.samples = message.samples.saturating_add(1);
                }
                field::MAPPING => message.mappings.push(mapping(&field)?),
                field::LOCATION => message.location(&field)?,
                field::FUNCTION => message.functions.push(function(&field)?),
                field::STRING => message.strings.push(field.bytes()?),
                field::DROP_FRAMES => message.drop_frames = field.signed()?,
                field::KEEP_FRAMES => message.keep_frames = field.signed()?,
                field::TIME_NANOS => {
                    message.time_nanos = field.signed()?;
                    let is_stamp = u32::from(message.time_nanos != 0);
                    message.time_stamps = message.time_stamps.saturating_add(is_stamp);
                }
                field::DURATION_NANOS => message.duration_nanos = field.signed()?,
                field::PERIOD_TYPE => message.period_type = Some(value_type(&field)?),
                field::PERIOD => message.period = field.signed()?,
                field::COMMENT => field.numbers(|text| message.comments.push(text as i64))?,
                field::DEFAULT_TYPE => message.default_type = field.signed()?,
                field::DOC_URL => message.doc_url = field.signed()?,
                _ => {}
            }
        }
        Ok(message)
    }

    /// A string; checked messages have all that they refer to.
    pub(super) fn string(&self, index: i64) -> &'a [u8] {
        usize::try_from(index)
            .ok()
            .and_then(|index| self.strings.get(index))
            .copied()
            .unwrap_or(b"")
    }

    /// Reads every sample, until `take` has had enough.
    pub(super) fn each_sample<E: From<Damage>>(
        &self,
        mut take: impl FnMut(&Sample) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut sample = Sample::default();
        for field in Fields::new(self.bytes) {
            let field = field?;
            if field.number == field::SAMPLE {
                sample.read(&field)?;
                take(&sample)?;
            }
        }
        Ok(())
    }

    /// Where it ends, and whatever is missing in it.
    pub(super) fn end(&self) -> u64 {
        self.bytes.len() as u64
    }

    /// Where the content of an entry of a table starts, given the field of the profile that the
    /// table is.
    pub(super) fn place(&self, table: u32, at: usize) -> Option<u64> {
        let fields = Fields::new(self.bytes).filter_map(Result::ok);
        let mut entries = 0_usize;
        let holds = |field: &Field<'_>| {
            // Comments are numbers, of which a field may hold many.
            let known = match table {
                field::COMMENT => field.numbers(|_| entries = entries.saturating_add(1)).is_ok(),
                _ => false,
            };
            if !known {
                entries = entries.saturating_add(1);
            }
            entries > at
        };
        fields.filter(|field| field.number == table).find(holds).map(|field| field.at)
    }

    fn location(&mut self, field: &Field<'a>) -> Result<(), Damage> {
        let start = self.lines.len();
        let mut location =
            Location { id: 0, mapping: 0, address: 0, lines: start..start, folded: false };
        for field in field.message()? {
            let field = field?;
            match field.number {
                field::location::ID => location.id = field.number()?,
                field::location::MAPPING => location.mapping = field.number()?,
                field::location::ADDRESS => location.address = field.number()?,
                field::location::LINE => self.lines.push(line(&field)?),
                field::location::FOLDED => location.folded = field.number()? != 0,
                _ => {}
            }
        }
        location.lines.end = self.lines.len();
        self.locations.push(location);
        Ok(())
    }
}

impl Sample {
    fn read(&mut self, field: &Field<'_>) -> Result<(), Damage> {
        self.stack.clear();
        self.values.clear();
        self.labels.clear();
        for field in field.message()? {
            let field = field?;
            match field.number {
                field::sample::LOCATION => field.numbers(|id| self.stack.push(id))?,
                field::sample::VALUE => field.numbers(|value| self.values.push(value as i64))?,
                field::sample::LABEL => self.labels.push(label(&field)?),
                _ => {}
            }
        }
        Ok(())
    }
}

fn value_type(field: &Field<'_>) -> Result<ValueType, Damage> {
    let mut value = ValueType::default();
    for field in field.message()? {
        let field = field?;
        match field.number {
            field::value_type::TYPE => value.kind = field.signed()?,
            field::value_type::UNIT => value.unit = field.signed()?,
            _ => {}
        }
    }
    Ok(value)
}

fn label(field: &Field<'_>) -> Result<Label, Damage> {
    let mut label = Label::default();
    for field in field.message()? {
        let field = field?;
        match field.number {
            field::label::KEY => label.key = field.signed()?,
            field::label::STR => label.text = field.signed()?,
            field::label::NUM => label.number = Some(field.signed()?),
            field::label::UNIT => label.unit = field.signed()?,
            _ => {}
        }
    }
    Ok(label)
}

fn mapping(field: &Field<'_>) -> Result<Mapping, Damage> {
    let mut mapping = Mapping::default();
    for field in field.message()? {
        let field = field?;
        match field.number {
            field::mapping::ID => mapping.id = field.number()?,
            field::mapping::START => mapping.start = field.number()?,
            field::mapping::LIMIT => mapping.limit = field.number()?,
            field::mapping::OFFSET => mapping.offset = field.number()?,
            field::mapping::FILE => mapping.file = field.signed()?,
            field::mapping::BUILD_ID => mapping.build_id = field.signed()?,
            has @ field::mapping::HAS_FUNCTIONS..=field::mapping::HAS_INLINE_FRAMES => {
                let at = has.saturating_sub(field::mapping::HAS_FUNCTIONS) as usize;
                if let Some(flag) = mapping.has.get_mut(at) {
                    *flag = field.number()? != 0;
                }
            }
            _ => {}
        }
    }
    Ok(mapping)
}

fn line(field: &Field<'_>) -> Result<Line, Damage> {
    let mut line = Line::default();
    for field in field.message()? {
        let field = field?;
        match field.number {
            field::line::FUNCTION => line.function = field.number()?,
            field::line::LINE => line.line = field.signed()?,
            field::line::COLUMN => line.column = field.signed()?,
            _ => {}
        }
    }
    Ok(line)
}

fn function(field: &Field<'_>) -> Result<Function, Damage> {
    let mut function = Function::default();
    for field in field.message()? {
        let field = field?;
        match field.number {
            field::function::ID => function.id = field.number()?,
            field::function::NAME => function.name = field.signed()?,
            field::function::SYSTEM_NAME => function.system_name = field.signed()?,
            field::function::FILE => function.file = field.signed()?,
            field::function::START_LINE => function.start_line = field.signed()?,
            _ => {}
        }
    }
    Ok(function)
}
