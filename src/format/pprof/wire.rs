//! Protobuf's wire format: one message, field by field, borrowed from the buffer.
//!
//! There is no recursion: messages of profile.proto are at most three deep, each read by a loop of
//! its own, and unknown fields are skipped by their length.

use super::field;
use crate::limits::LIMITS;
use prost::encoding::decode_varint;
use std::fmt;

/// An error in the bytes, and its place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Damage {
    pub(super) what: DamageKind,
    /// The byte, counted from the start of the proto.
    pub(super) at: u64,
    /// The field of the profile that it is in, 0 if it is in none.
    pub(super) field: u32,
}

/// Kinds of damage.
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
    /// A number in place of text or a message, or the other way round.
    Type,
    /// Damage inside a message.
    Inside,
    /// An entry of a table that is larger than [`proto_entry`](crate::limits::Limits::proto_entry).
    Long,
    /// More entries than [`proto_entries`](crate::limits::Limits::proto_entries), with hardly anything in them.
    Many,
}

impl fmt::Display for DamageKind {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match self {
            DamageKind::Truncated => "truncated",
            DamageKind::Varint => "a number of more than 64 bits",
            DamageKind::Group => "a group, which profile.proto doesn't have",
            DamageKind::Tag => "not a protobuf field",
            DamageKind::Type => "a field of the wrong type",
            DamageKind::Inside => "a message that can't be read",
            DamageKind::Long => {
                return write!(
                    out,
                    "an entry of more than {} KiB (proto_entry)",
                    LIMITS.proto_entry >> 10
                );
            }
            DamageKind::Many => {
                let most = LIMITS.proto_entries;
                return write!(
                    out,
                    "more than {most} entries of less than 4 bytes (proto_entries)"
                );
            }
        };
        out.write_str(what)
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

/// A field: its number, its content, and where that starts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Field<'a> {
    pub(super) number: u32,
    /// Text, a message, packed numbers; none for a single number.
    pub(super) content: Option<&'a [u8]>,
    pub(super) at: u64,
    /// The whole field with its number, as in the message.
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
        /// Bytes that 64 bits take at most.
        const LONGEST: usize = 10;
        let mut behind = self.rest;
        let Ok(value) = decode_varint(&mut behind) else {
            let is_cut = self.rest.len() < LONGEST;
            let what = if is_cut { DamageKind::Truncated } else { DamageKind::Varint };
            return Err(self.damage(what));
        };
        self.skip(self.rest.len().saturating_sub(behind.len()))?;
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
        let content = match tag & 7 {
            0 => self.varint().map(|_| None)?,
            // Of a fixed size, which profile.proto doesn't use.
            1 => self.skip(8).map(|_| None)?,
            5 => self.skip(4).map(|_| None)?,
            2 => {
                let length = self.varint()?;
                // A length beyond the end is an error before any bytes are taken.
                let length = usize::try_from(length).unwrap_or(usize::MAX);
                at = self.at;
                Some(self.skip(length)?)
            }
            3 | 4 => return Err(Damage { what: DamageKind::Group, ..bad_tag }),
            _ => return Err(bad_tag),
        };
        let raw = whole.get(..whole.len().saturating_sub(self.rest.len())).unwrap_or_default();
        Ok(Field { number, content, at, raw, outer })
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
        self.content.ok_or(self.wrong_type())
    }

    pub(super) fn message(&self) -> Result<Fields<'a>, Damage> {
        Ok(self.inside(self.bytes()?))
    }

    /// The error in a field of the profile that can't be decoded.
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

    /// How many numbers a repeated field has, packed or single, as far as they can be read.
    pub(super) fn count(&self) -> usize {
        let Some(bytes) = self.content else { return 1 };
        let mut packed = self.inside(bytes);
        let numbers = std::iter::from_fn(|| packed.varint().ok());
        numbers.count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Content<'a> = (u32, Option<&'a [u8]>);

    fn all(bytes: &[u8]) -> Result<Vec<Content<'_>>, Damage> {
        Fields::new(bytes).map(|field| field.map(|field| (field.number, field.content))).collect()
    }

    fn damage(bytes: &[u8]) -> (DamageKind, u64) {
        all(bytes).map_err(|damage| (damage.what, damage.at)).unwrap_err()
    }

    #[test]
    fn every_wire_type_of_a_field_is_read() {
        let bytes =
            b"\x08\x96\x01\x12\x02ab\x19\x01\x00\x00\x00\x00\x00\x00\x80\x25\xff\x00\x00\x01";
        let found = all(bytes).unwrap();
        assert_eq!(found, [(1, None), (2, Some(&b"ab"[..])), (3, None), (4, None)]);
    }

    #[test]
    fn all_64_bits_of_a_number_are_read_and_no_more() {
        let most = [b"\x08".as_slice(), &[0xff; 9], b"\x01"].concat();
        assert_eq!(all(&most).unwrap(), [(1, None)]);
        let more = [b"\x08".as_slice(), &[0xff; 9], b"\x02"].concat();
        assert_eq!(damage(&more), (DamageKind::Varint, 1));
        assert_eq!(damage(&[0xff; 11]), (DamageKind::Varint, 0));
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
        let fields = Fields::new(b"\x0a\x03\x01\x96\x01\x08\x07");
        let counts: Vec<usize> = fields.map(|field| field.unwrap().count()).collect();
        assert_eq!(counts, [2, 1]);
    }
}
