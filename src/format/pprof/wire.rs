//! Protobuf's wire format: one message, field by field, borrowed from the buffer.
//!
//! There is no recursion: messages of profile.proto are at most three deep, each read by a loop of
//! its own, and unknown fields are skipped by their length.

use super::field;
use std::fmt;

/// The value of a field.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Value<'a> {
    /// Wire type 0, and the fixed sizes 1 and 5, which profile.proto doesn't use.
    Number(u64),
    /// Wire type 2: text, a message, packed numbers.
    Bytes(&'a [u8]),
}

/// What is wrong with the bytes, and where.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Damage {
    pub(super) what: DamageKind,
    /// Counted from the start of the proto.
    pub(super) at: u64,
    /// The field of the profile that it is in, 0 where there is none.
    pub(super) field: u32,
}

/// The sorts of damage.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum DamageKind {
    /// The bytes end inside a field.
    Truncated,
    /// A number of more than 64 bits.
    Varint,
    /// Wire types 3 and 4, which no version of profile.proto ever used.
    Group,
    /// Wire types 6 and 7, field number 0.
    Tag,
    /// A number where text or a message belongs, or the other way round.
    Type,
    /// Something inside of a message.
    Inside,
}

impl fmt::Display for DamageKind {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            DamageKind::Truncated => "truncated",
            DamageKind::Varint => "a number of more than 64 bits",
            DamageKind::Group => "a group, which profile.proto doesn't have",
            DamageKind::Tag => "not a protobuf field",
            DamageKind::Type => "a field of the wrong type",
            DamageKind::Inside => "a message that can't be read",
        })
    }
}

/// The fields of one message.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fields<'a> {
    rest: &'a [u8],
    at: u64,
    /// The field of the profile that these bytes are in, or that is being read; 0 between fields.
    field: u32,
    is_profile: bool,
}

/// A field: its number, its value, and where the value starts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Field<'a> {
    pub(super) number: u32,
    pub(super) value: Value<'a>,
    pub(super) at: u64,
    /// The whole field with its number, as it stands in the message.
    pub(super) raw: &'a [u8],
    /// The field of the profile that it is, or is in.
    outer: u32,
}

impl<'a> Fields<'a> {
    /// The fields of a profile.
    pub(super) fn new(bytes: &'a [u8]) -> Fields<'a> {
        Fields { rest: bytes, at: 0, field: 0, is_profile: true }
    }

    fn damage(&self, what: DamageKind) -> Damage {
        Damage { what, at: self.at, field: self.field }
    }

    fn varint(&mut self) -> Result<u64, Damage> {
        let (value, length) = varint(self.rest).map_err(|what| self.damage(what))?;
        self.skip(length)?;
        Ok(value)
    }

    fn skip(&mut self, count: usize) -> Result<&'a [u8], Damage> {
        let Some((taken, rest)) = self.rest.split_at_checked(count) else {
            return Err(Damage { at: self.end(), ..self.damage(DamageKind::Truncated) });
        };
        self.rest = rest;
        self.at = self.at.saturating_add(count as u64);
        Ok(taken)
    }

    fn end(&self) -> u64 {
        self.at.saturating_add(self.rest.len() as u64)
    }

    fn field(&mut self) -> Result<Field<'a>, Damage> {
        if self.is_profile {
            self.field = 0;
        }
        let bad_tag = self.damage(DamageKind::Tag);
        let whole = self.rest;
        let tag = self.varint()?;
        let number = u32::try_from(tag >> 3).map_err(|_| bad_tag)?;
        if number == 0 {
            return Err(bad_tag);
        }
        if self.is_profile {
            self.field = number;
        }
        let (mut at, outer) = (self.at, self.field);
        let value = match tag & 7 {
            0 => Value::Number(self.varint()?),
            1 => Value::Number(little_endian(self.skip(8)?)),
            5 => Value::Number(little_endian(self.skip(4)?)),
            2 => {
                let length = self.varint()?;
                // A length beyond what is there is an error before anything is made of it.
                let length = usize::try_from(length).unwrap_or(usize::MAX);
                at = self.at;
                Value::Bytes(self.skip(length)?)
            }
            3 | 4 => return Err(Damage { what: DamageKind::Group, ..bad_tag }),
            _ => return Err(bad_tag),
        };
        let raw = whole.get(..whole.len().saturating_sub(self.rest.len())).unwrap_or_default();
        Ok(Field { number, value, at, raw, outer })
    }
}

impl<'a> Iterator for Fields<'a> {
    type Item = Result<Field<'a>, Damage>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.rest.is_empty() {
            return None;
        }
        let field = self.field();
        if field.is_err() {
            self.rest = &[];
        }
        Some(field)
    }
}

impl<'a> Field<'a> {
    fn wrong_type(&self) -> Damage {
        Damage { what: DamageKind::Type, at: self.at, field: self.outer }
    }

    pub(super) fn bytes(&self) -> Result<&'a [u8], Damage> {
        match self.value {
            Value::Bytes(bytes) => Ok(bytes),
            Value::Number(_) => Err(self.wrong_type()),
        }
    }

    pub(super) fn message(&self) -> Result<Fields<'a>, Damage> {
        Ok(self.inside(self.bytes()?))
    }

    /// What is wrong with a field of the profile that can't be decoded.
    pub(super) fn damage(&self) -> Damage {
        let is_message = matches!(self.number, ..field::STRING | field::PERIOD_TYPE);
        let Some(fields) = self.message().ok().filter(|_| is_message) else {
            return self.wrong_type();
        };
        let inside = Damage { what: DamageKind::Inside, ..self.wrong_type() };
        fields.filter_map(Result::err).next().unwrap_or(inside)
    }

    fn inside(&self, bytes: &'a [u8]) -> Fields<'a> {
        Fields { rest: bytes, at: self.at, field: self.outer, is_profile: false }
    }

    /// Adds the numbers of a repeated field, packed or single.
    pub(super) fn numbers(&self, mut add: impl FnMut(u64)) -> Result<(), Damage> {
        match self.value {
            Value::Number(number) => add(number),
            Value::Bytes(bytes) => {
                let mut packed = self.inside(bytes);
                while !packed.rest.is_empty() {
                    add(packed.varint()?);
                }
            }
        }
        Ok(())
    }
}

/// A varint and its length. Nearly all have one byte or two: small ids, tags, lengths.
fn varint(bytes: &[u8]) -> Result<(u64, usize), DamageKind> {
    match *bytes {
        [only @ ..0x80, ..] => Ok((only.into(), 1)),
        [low, high @ ..0x80, ..] => Ok((u64::from(low & 0x7f) | u64::from(high) << 7, 2)),
        _ => long_varint(bytes),
    }
}

/// A varint of any length.
fn long_varint(bytes: &[u8]) -> Result<(u64, usize), DamageKind> {
    let mut value = 0u64;
    for (at, &byte) in bytes.iter().take(10).enumerate() {
        if at == 9 && byte > 1 {
            return Err(DamageKind::Varint);
        }
        value |= u64::from(byte & 0x7f).wrapping_shl(7u32.wrapping_mul(at as u32));
        if byte < 0x80 {
            return Ok((value, at.saturating_add(1)));
        }
    }
    Err(if bytes.len() < 10 { DamageKind::Truncated } else { DamageKind::Varint })
}

fn little_endian(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |value, &byte| value.wrapping_shl(8) | u64::from(byte))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn all(bytes: &[u8]) -> Result<Vec<(u32, Value<'_>)>, Damage> {
        Fields::new(bytes).map(|field| field.map(|field| (field.number, field.value))).collect()
    }

    fn damage(bytes: &[u8]) -> (DamageKind, u64) {
        all(bytes).map_err(|damage| (damage.what, damage.at)).unwrap_err()
    }

    #[test]
    fn every_wire_type_of_a_field_is_read() {
        let bytes =
            b"\x08\x96\x01\x12\x02ab\x19\x01\x00\x00\x00\x00\x00\x00\x80\x25\xff\x00\x00\x01";
        assert_eq!(
            all(bytes).unwrap(),
            [
                (1, Value::Number(150)),
                (2, Value::Bytes(b"ab")),
                (3, Value::Number(0x8000_0000_0000_0001)),
                (4, Value::Number(0x0100_00ff)),
            ]
        );
    }

    #[test]
    fn all_64_bits_of_a_number_are_read_and_no_more() {
        let most = [b"\x08".as_slice(), &[0xff; 9], b"\x01"].concat();
        assert_eq!(all(&most).unwrap(), [(1, Value::Number(u64::MAX))]);
        let more = [b"\x08".as_slice(), &[0xff; 9], b"\x02"].concat();
        assert_eq!(damage(&more), (DamageKind::Varint, 1));
        assert_eq!(damage(&[0xff; 11]), (DamageKind::Varint, 0));
    }

    proptest! {
        #[test]
        fn short_numbers_are_read_like_long_ones(
            bytes in prop::collection::vec(prop_oneof![any::<u8>(), Just(0x80), Just(0x01)], 0..12),
        ) {
            prop_assert_eq!(varint(&bytes), long_varint(&bytes));
        }
    }

    #[test]
    fn damage_is_named_and_placed() {
        assert_eq!(damage(b"\x08"), (DamageKind::Truncated, 1));
        assert_eq!(damage(b"\x12\x05ab"), (DamageKind::Truncated, 4));
        assert_eq!(damage(b"\x08\x01\xc3\x02\xc4\x02"), (DamageKind::Group, 2));
        assert_eq!(damage(b"\x00\x01"), (DamageKind::Tag, 0));
        assert_eq!(damage(b"\x0f"), (DamageKind::Tag, 0));
    }

    #[test]
    fn a_length_beyond_the_end_takes_no_memory() {
        assert_eq!(damage(b"\x12\xff\xff\xff\xff\xff\xff\xff\xff\x7f").0, DamageKind::Truncated);
    }

    #[test]
    fn repeated_numbers_may_be_packed_or_not() {
        let mut numbers = Vec::new();
        for field in Fields::new(b"\x0a\x03\x01\x96\x01\x08\x07") {
            field.unwrap().numbers(|number| numbers.push(number)).unwrap();
        }
        assert_eq!(numbers, [1, 150, 7]);
    }
}
