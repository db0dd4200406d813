//! A proto of any kind, its tables decoded by prost, with the ids and string indexes of the proto.
//!
//! Texts stay in the buffer, and so do samples, which make up most of a large proto and are decoded
//! one by one in each pass. Memory is bounded by a constant times the bytes read: every entry of
//! every table takes at least two bytes of the proto.

use super::field;
use super::proto::{Profile, Sample};
use super::wire::{Damage, DamageKind, Field, Fields};
use crate::format::kept;
use crate::limits::LIMITS;
use prost::Message as _;

/// A profile.proto message.
#[derive(Debug, Default)]
pub(super) struct Message<'a> {
    pub(super) bytes: &'a [u8],
    /// Everything except samples and texts.
    pub(super) profile: Profile,
    /// How many samples there are.
    pub(super) samples: usize,
    /// Its texts, each up to [`text`](crate::limits::Limits::text) bytes: samples share them, and every
    /// row of a result repeats its own.
    pub(super) strings: Vec<&'a [u8]>,
    /// Whether a text was longer.
    pub(super) has_cut: bool,
    /// How many time stamps there are; more than one if protos were concatenated.
    pub(super) time_stamps: u32,
}

impl<'a> Message<'a> {
    /// Decodes a proto into tables.
    pub(super) fn decode(bytes: &'a [u8]) -> Result<Message<'a>, Damage> {
        let mut message = Message { bytes, ..Message::default() };
        for (count, field) in Fields::new(bytes).enumerate() {
            let field = field?;
            // An empty entry takes 2 bytes, and up to 100 in memory.
            if count > LIMITS.proto_entries && field.at / 4 < count as u64 {
                return Err(Damage { what: DamageKind::Many, ..field.damage() });
            }
            if field.number != field::STRING && field.raw.len() > LIMITS.proto_entry {
                return Err(Damage { what: DamageKind::Long, ..field.damage() });
            }
            match field.number {
                field::SAMPLE => {
                    field.bytes()?;
                    message.samples = message.samples.saturating_add(1);
                }
                field::STRING => {
                    let text = field.bytes()?;
                    let kept = kept(text);
                    message.has_cut |= kept.len() < text.len();
                    message.strings.push(kept);
                }
                _ => message.profile.merge(field.raw).map_err(|_| field.damage())?,
            }
            if field.number == field::TIME_NANOS && message.profile.time_nanos != 0 {
                message.time_stamps = message.time_stamps.saturating_add(1);
            }
        }
        Ok(message)
    }

    /// A string; checked messages have all strings that they refer to.
    pub(super) fn string(&self, index: i64) -> &'a [u8] {
        usize::try_from(index)
            .ok()
            .and_then(|index| self.strings.get(index))
            .copied()
            .unwrap_or(b"")
    }

    /// The samples, to be read one after the other.
    pub(super) fn read_samples(&self) -> Samples<'a> {
        Samples { fields: Fields::new(self.bytes), sample: Sample::default() }
    }

    /// The position after the last byte.
    pub(super) fn end(&self) -> u64 {
        self.bytes.len() as u64
    }

    /// The byte at which the content of entry `at` of a table starts; `table` is the number of its
    /// field in the profile.
    pub(super) fn place(&self, table: u32, at: usize) -> Option<u64> {
        let fields = Fields::new(self.bytes).filter_map(Result::ok);
        let mut entries = 0_usize;
        let holds = |field: &Field<'_>| {
            // Comments are numbers, of which a field can hold many.
            let more = if table == field::COMMENT { field.count() } else { 1 };
            entries = entries.saturating_add(more);
            entries > at
        };
        fields.filter(|field| field.number == table).find(holds).map(|field| field.at)
    }
}

/// The samples of a message.
pub(super) struct Samples<'a> {
    fields: Fields<'a>,
    /// One for all, so that its lists keep their room.
    sample: Sample,
}

impl Samples<'_> {
    /// The next one.
    pub(super) fn read(&mut self) -> Result<Option<&Sample>, Damage> {
        for field in self.fields.by_ref() {
            let field = field?;
            if field.number == field::SAMPLE {
                self.sample.clear();
                self.sample.merge(field.bytes()?).map_err(|_| field.damage())?;
                return Ok(Some(&self.sample));
            }
        }
        Ok(None)
    }
}
