//! A proto of any kind as flat tables: ids and string indexes are still those of the proto.
//!
//! Nothing is copied but numbers; texts stay in the buffer. Memory is bounded by a constant times
//! the bytes read: every entry of every table takes at least two bytes of the proto.

use super::field;
use super::wire::{Damage, Field, Fields};
use std::ops::Range;

/// A profile.proto message.
#[derive(Debug, Default)]
pub(super) struct Message<'a> {
    pub(super) sample_types: Vec<ValueType>,
    pub(super) period_type: Option<ValueType>,
    pub(super) samples: Vec<Sample>,
    /// Location ids of samples, leaf first.
    pub(super) stacks: Vec<u64>,
    pub(super) values: Vec<i64>,
    pub(super) labels: Vec<Label>,
    pub(super) mappings: Vec<Mapping>,
    pub(super) locations: Vec<Location>,
    pub(super) lines: Vec<Line>,
    pub(super) functions: Vec<Function>,
    pub(super) strings: Vec<&'a [u8]>,
    pub(super) comments: Vec<i64>,
    /// How often a time stamp stands in it; more than once when protos were joined.
    pub(super) time_stamps: u32,
}

/// Type and unit, as string indexes.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ValueType {
    pub(super) kind: i64,
    pub(super) unit: i64,
}

/// Ranges of the tables of the message.
#[derive(Clone, Debug)]
pub(super) struct Sample {
    pub(super) stack: Range<usize>,
    pub(super) values: Range<usize>,
    pub(super) labels: Range<usize>,
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
    pub(super) file: i64,
    pub(super) build_id: i64,
}

/// An address and the lines of code that it stands for, innermost inlined call first.
#[derive(Clone, Debug)]
pub(super) struct Location {
    pub(super) id: u64,
    pub(super) address: u64,
    pub(super) lines: Range<usize>,
}

/// A line of a function.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Line {
    pub(super) function: u64,
    pub(super) line: i64,
}

/// A function, names as string indexes.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Function {
    pub(super) id: u64,
    pub(super) name: i64,
    pub(super) system_name: i64,
    pub(super) file: i64,
}

impl<'a> Message<'a> {
    /// Reads a proto into tables.
    pub(super) fn decode(bytes: &'a [u8]) -> Result<Message<'a>, Damage> {
        let mut message = Message::default();
        for field in Fields::new(bytes) {
            let field = field?;
            match field.number {
                field::SAMPLE_TYPE => message.sample_types.push(value_type(&field)?),
                field::SAMPLE => message.sample(&field)?,
                field::MAPPING => message.mappings.push(mapping(&field)?),
                field::LOCATION => message.location(&field)?,
                field::FUNCTION => message.functions.push(function(&field)?),
                field::STRING => message.strings.push(field.bytes()?),
                field::TIME_NANOS if field.number()? != 0 => {
                    message.time_stamps = message.time_stamps.saturating_add(1);
                }
                field::PERIOD_TYPE => message.period_type = Some(value_type(&field)?),
                field::COMMENT => field.numbers(|text| message.comments.push(text as i64))?,
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

    fn sample(&mut self, field: &Field<'a>) -> Result<(), Damage> {
        let starts = (self.stacks.len(), self.values.len(), self.labels.len());
        for field in field.message()? {
            let field = field?;
            match field.number {
                field::sample::LOCATION => field.numbers(|id| self.stacks.push(id))?,
                field::sample::VALUE => field.numbers(|value| self.values.push(value as i64))?,
                field::sample::LABEL => self.labels.push(label(&field)?),
                _ => {}
            }
        }
        self.samples.push(Sample {
            stack: starts.0..self.stacks.len(),
            values: starts.1..self.values.len(),
            labels: starts.2..self.labels.len(),
        });
        Ok(())
    }

    fn location(&mut self, field: &Field<'a>) -> Result<(), Damage> {
        let start = self.lines.len();
        let (mut id, mut address) = (0, 0);
        for field in field.message()? {
            let field = field?;
            match field.number {
                field::location::ID => id = field.number()?,
                field::location::ADDRESS => address = field.number()?,
                field::location::LINE => self.lines.push(line(&field)?),
                _ => {}
            }
        }
        self.locations.push(Location { id, address, lines: start..self.lines.len() });
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
            field::mapping::FILE => mapping.file = field.signed()?,
            field::mapping::BUILD_ID => mapping.build_id = field.signed()?,
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
            _ => {}
        }
    }
    Ok(function)
}
