//! Reads headers: their minutes are cut out, the rest is looked up.

use super::sample::{Bound, ForGeneration};
use super::templates::{Seen, Sort, Template, TemplateId};
use super::{Meaning, Records};
use crate::format::traceback::header::{Attributes, Header, quotes_are_entities};
use crate::format::traceback::number::short_number;
use crate::format::traceback::status::Status;
use crate::profile::{ProfileBuilder, Wait};
use crate::simd::{Kernel, WIDTH};

/// Whether a part of a header holds another one that grew together with it.
fn holds_header(part: &[u8]) -> bool {
    memchr::memmem::find(part, b"goroutine ").is_some()
}

/// At most this many header texts are kept; labels can make each one different.
const HEADERS: usize = 1 << 14;

/// At most this many digits of minutes are read here: 32-bit floats are exact up to 2^24.
const DIGITS: usize = 6;

/// How many headers are recognised without a look-up.
pub(super) const LAST: usize = 1 << 8;

/// The last header seen with a hash.
#[derive(Clone, Copy, Debug)]
pub(super) struct LastHead {
    template: TemplateId,
    status: u32,
    wait: Wait,
}

/// The contents of a header, and where the line after it starts.
#[derive(Clone, Copy, Debug)]
pub(super) struct Head {
    pub(super) id: u64,
    pub(super) wait: Wait,
    pub(super) status: u32,
    pub(super) end: usize,
}

impl Records {
    /// Reads the header at the start of a text; its line ends at `newline` if that is known.
    #[inline(always)]
    pub(super) fn header(
        &mut self,
        text: &[u8],
        newline: Option<u16>,
        builder: &mut ProfileBuilder,
        kernel: impl Kernel,
    ) -> Option<Head> {
        let (id, rest) = short_number(text.strip_prefix(b"goroutine ")?)?;
        if id == 0 {
            // Its flags don't follow from its header alone.
            return None;
        }
        let after = text.len().checked_sub(rest.len())?;
        let newline = match newline {
            Some(newline) => newline as usize,
            None => after.checked_add(memchr::memchr(b'\n', rest)?)?,
        };
        let start = match rest.starts_with(b" [") {
            true => after.checked_add(1)?,
            // GOTRACEBACK=system prints addresses before the brackets.
            false => {
                let header = Header::cut(text.get(..newline)?)?;
                let start = newline.checked_sub(header.attributes.len())?;
                if holds_header(text.get(after..start)?) {
                    return None;
                }
                start
            }
        };
        let end = match text.get(newline.checked_sub(1)?) {
            Some(b'\r') => newline.saturating_sub(1),
            _ => newline,
        };
        let minutes = minutes(text, start, end, kernel);
        let (prefix, suffix) = match &minutes {
            Some(minutes) => (start..minutes.before, minutes.after..end),
            None => (start..end, start..start),
        };
        let template = Template::new(Sort::Header, text, prefix, suffix)?;
        let printed = minutes.map(|minutes| Wait::minutes(minutes.value));
        let slot = template.hash() as usize & (LAST - 1);
        let (status, wait) = match self.heads.get(slot).copied().flatten() {
            Some(ForGeneration { generation, value: last })
                if generation == self.generation.tables
                    && self.templates.is_at(last.template, &template, kernel) =>
            {
                (last.status, printed.unwrap_or(last.wait))
            }
            _ => self.other_header(&template, text.get(start..end)?, printed, slot, builder)?,
        };
        Some(Head { id, wait, status, end: newline.wrapping_add(1) })
    }

    /// The contents of a header whose text isn't the last one with its hash.
    #[inline(never)]
    fn other_header(
        &mut self,
        template: &Template<'_>,
        attributes: &[u8],
        printed: Option<Wait>,
        slot: usize,
        builder: &mut ProfileBuilder,
    ) -> Option<(u32, Wait)> {
        let seen = self.templates.find(template);
        let Some((id, status, wait)) = self.known_header(seen) else {
            return self.new_header(template, attributes, printed, seen, builder);
        };
        if let Some(last) = self.heads.get_mut(slot) {
            let value = LastHead { template: id, status, wait };
            *last = Some(ForGeneration { generation: self.generation.tables, value });
        }
        Some((status, printed.unwrap_or(wait)))
    }

    fn known_header(&self, seen: Seen) -> Option<(TemplateId, u32, Wait)> {
        let Seen::Before(id) = seen else { return None };
        match (self.meanings.get(id.index())?, self.bound.get(id.index())?) {
            (
                &Meaning::Header(wait),
                &Some(ForGeneration { generation, value: Bound::Status(status) }),
            ) => (generation == self.generation.tables).then_some((id, status, wait)),
            _ => None,
        }
    }

    fn new_header(
        &mut self,
        template: &Template<'_>,
        attributes: &[u8],
        printed: Option<Wait>,
        seen: Seen,
        builder: &mut ProfileBuilder,
    ) -> Option<(u32, Wait)> {
        let parsed = Attributes::parse(attributes)?;
        // Two headers that grew together have text behind the colon, or the second one among the first one's flags.
        let is_joined = !parsed.after.is_empty() || holds_header(attributes);
        if !parsed.closed || parsed.damaged || is_joined || quotes_are_entities(attributes) {
            return None;
        }
        let status = Status::new(&parsed, builder);
        let next = u32::try_from(self.statuses.len()).ok()?;
        let number = *self.status_numbers.entry(status).or_insert(next);
        if number == next {
            self.statuses.push(status);
        }
        // If the wait doesn't only depend on the minutes, they can't be cut out.
        let only_minutes_matter = printed.is_none_or(|wait| wait == parsed.wait);
        let id = match seen {
            Seen::Before(id) => Some(id),
            Seen::Never if self.headers < HEADERS && only_minutes_matter => {
                self.headers = self.headers.saturating_add(1);
                self.learn(template, Meaning::Header(parsed.wait))
            }
            Seen::Never | Seen::Crowd => None,
        };
        if let Some(id) = id
            && let Some(bound) = self.bound.get_mut(id.index())
        {
            *bound = Some(ForGeneration {
                generation: self.generation.tables,
                value: Bound::Status(number),
            });
        }
        Some((number, parsed.wait))
    }
}

/// The minutes of a header: `5` in `[select, 5 minutes]:`.
#[derive(Clone, Copy, Debug)]
struct Minutes {
    value: f32,
    before: usize,
    after: usize,
}

/// The minutes among the attributes of a header.
///
/// Only if they come after the first comma and there are no quotes before it, so that another
/// number there changes nothing else.
#[inline(always)]
fn minutes(text: &[u8], start: usize, end: usize, kernel: impl Kernel) -> Option<Minutes> {
    let ends_word = |byte: &u8| matches!(byte, b',' | b']' | b'"');
    let comma = match text.get(start..)?.first_chunk::<WIDTH>() {
        Some(window) => {
            let is = |byte| kernel.compare(window, &[byte; WIDTH]);
            let ends = is(b',') | is(b']') | is(b'"');
            ends.trailing_zeros() as usize
        }
        None => text.get(start..end)?.iter().position(ends_word)?,
    };
    let before = start.checked_add(comma)?.checked_add(2)?;
    let rest = text.get(before..end)?;
    if !text.get(start..before)?.ends_with(b", ") {
        return None;
    }
    let (value, after) = short_number(rest)?;
    let digits = rest.len().checked_sub(after.len())?;
    if digits > DIGITS || !after.starts_with(b" minutes") {
        return None;
    }
    Some(Minutes { value: value as f32, before, after: end.checked_sub(after.len())? })
}
