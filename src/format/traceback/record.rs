//! The fast way through regular goroutines: hash what stacks are made of, look the sample up.
//!
//! A goroutine costs finding its boundaries, hashing its frames and one look-up. Only a stack that
//! hasn't been seen goes through [`super::plain`] or, where anything is odd, line by line through
//! [`super::goroutine::OpenGoroutine`]; all ways give the same samples.

use super::header::{Attributes, Header};
use super::lines::{self, CREATED_BY};
use super::marks::Marks;
use super::plain::PlainLines;
use crate::profile::{InputId, SampleId, Wait};
use foldhash::fast::FixedState;
use hashbrown::{HashMap, HashTable};

/// Header texts that are remembered; labels can make each one different.
const HEADERS: usize = 1 << 14;

/// Digits of minutes that are read here: numbers up to 2^24 are the same in 32-bit floats.
const DIGITS: usize = 6;

/// A regular goroutine as it stands in the text.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Record {
    /// Its id.
    pub(crate) id: u64,
    /// The id of its creator.
    pub(crate) created_by: Option<u64>,
    /// How long it has been blocked.
    pub(crate) wait: Wait,
    /// Whether Go elided frames.
    pub(crate) elided: bool,
    /// Bytes of its text, the blank line behind it included.
    pub(crate) bytes: usize,
    /// Lines of its text, the blank line included.
    pub(crate) lines: u64,
    header: u32,
    hash: u64,
}

/// What all goroutines share whose header texts differ in the minutes alone.
#[derive(Clone, Copy, Debug)]
struct HeaderEntry {
    number: u32,
    /// What holds where the text tells no minutes.
    wait: Wait,
}

/// The text of a stack: what was hashed, to tell equal hashes apart.
#[derive(Clone, Copy, Debug)]
struct Skeleton {
    hash: u64,
    number: u32,
    start: usize,
    end: usize,
}

/// Stacks of one hash that are kept. The hash looks at the ends of parts only, so a hostile text
/// can make thousands equal; those beyond this number go the slow way, which costs the same for all.
const CROWD: usize = 16;

/// What is known of a record.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Found {
    /// It counts in this sample.
    Sample(SampleId),
    /// It hasn't been seen.
    Nothing,
    /// Too many others look alike for it to be looked up.
    Crowd,
}

/// Samples by the text of their goroutines.
#[derive(Debug, Default)]
pub(crate) struct Records {
    /// By the text of a header without the number of its minutes.
    headers: HashMap<Box<[u8]>, HeaderEntry, FixedState>,
    key: Vec<u8>,
    /// What headers say beside the wait, so that all minutes of one state share their samples.
    kinds: HashMap<Box<[u8]>, u32, FixedState>,
    stacks: HashTable<Skeleton>,
    /// The skeletons of all stacks. One for each stack, not for each sample: labels can make many
    /// samples of a stack, and comparing costs most where the skeletons don't fit in the cache.
    skeletons: Vec<u8>,
    /// By the numbers of stack and header.
    samples: HashMap<(u32, u32, InputId), SampleId, FixedState>,
    /// Where the parts of the record just scanned stand in its text: functions, places, creators,
    /// gaps. They are its skeleton; line feeds part them when it is kept.
    parts: Vec<(usize, usize)>,
    pub(crate) plain: PlainLines,
    marks: Marks,
}

impl Records {
    /// Marks a text that goroutines are then scanned in.
    pub(crate) fn mark(&mut self, text: &[u8]) {
        self.marks.mark(text);
    }

    /// Scans the goroutine that starts at `from` in the marked text; `None` when it isn't regular
    /// or isn't whole.
    pub(crate) fn scan(&mut self, text: &[u8], from: usize) -> Option<Record> {
        let (header, mut at) = self.line(text, from)?;
        let header = Header::cut(text.get(from..header)?)?;
        if header.id == 0 {
            // Its flags don't follow from its header alone.
            return None;
        }
        let entry = self.header(header.attributes)?;
        let mut record = Record {
            id: header.id,
            created_by: None,
            wait: entry.wait,
            elided: false,
            bytes: 0,
            lines: 1,
            header: entry.number,
            hash: 0,
        };
        self.parts.clear();
        let mut hash = 0;
        loop {
            let (end, next) = self.line(text, at)?;
            record.lines = record.lines.saturating_add(1);
            if end == at {
                record.bytes = next.checked_sub(from)?;
                break;
            }
            let part_end = match *text.get(at)? {
                b'\t' | b' ' | b'[' => return None,
                b'.' => {
                    lines::elided(text.get(at..end)?)?;
                    record.elided = true;
                    self.part(at, end, text, &mut hash)?;
                    at = next;
                    continue;
                }
                b'c' if text.get(at..end)?.starts_with(CREATED_BY) => {
                    let (func, creator) = lines::created_by(text.get(at..end)?)?;
                    record.created_by = creator;
                    at.checked_add(CREATED_BY.len())?.checked_add(func.len())?
                }
                _ => self.call_end(text, at, end)?,
            };
            self.part(at, part_end, text, &mut hash)?;
            let (end, after) = self.line(text, next)?;
            record.lines = record.lines.saturating_add(1);
            if text.get(next) != Some(&b'\t') {
                return None;
            }
            let place = next.checked_add(1)?;
            let place_end = self.place_end(text, place, end)?;
            self.part(place, place_end, text, &mut hash)?;
            at = after;
        }
        record.hash = hash;
        Some(record)
    }

    /// Where the line at `at` ends, and where the next one starts.
    #[inline]
    fn line(&self, text: &[u8], at: usize) -> Option<(usize, usize)> {
        let feed = self.marks.line_end(at)?;
        let last = feed.checked_sub(1)?;
        let end = if last >= at && text.get(last) == Some(&b'\r') { last } else { feed };
        Some((end, feed.checked_add(1)?))
    }

    /// As [`lines::call`]: where the arguments of a call begin.
    #[inline]
    fn call_end(&self, text: &[u8], start: usize, end: usize) -> Option<usize> {
        let last = end.checked_sub(1)?;
        if text.get(last) != Some(&b')') {
            return None;
        }
        self.marks.last_open(start, last).filter(|&open| open > start)
    }

    /// As [`lines::without_offset`]: where a place ends.
    #[inline]
    fn place_end(&self, text: &[u8], start: usize, end: usize) -> Option<usize> {
        let Some(blank) = self.marks.last_blank(start, end) else { return Some(end) };
        if text.get(blank..end)?.starts_with(b" +0x") {
            return Some(blank);
        }
        start.checked_add(lines::without_offset(text.get(start..end)?).0.len())
    }

    #[inline]
    fn part(&mut self, start: usize, end: usize, text: &[u8], hash: &mut u64) -> Option<()> {
        *hash = mix(*hash, text.get(start..end)?);
        self.parts.push((start, end));
        Some(())
    }

    /// The number of what a header says beside its wait, and the wait.
    fn header(&mut self, attributes: &[u8]) -> Option<HeaderEntry> {
        let minutes = minutes(attributes);
        let text = match &minutes {
            Some((_, before, behind)) => {
                self.key.clear();
                self.key.extend_from_slice(before);
                self.key.extend_from_slice(behind);
                &self.key
            }
            None => attributes,
        };
        let wait = minutes.map(|(minutes, ..)| Wait::minutes(minutes));
        if let Some(&entry) = self.headers.get(text) {
            return Some(HeaderEntry { wait: wait.unwrap_or(entry.wait), ..entry });
        }
        let parsed = Attributes::parse(attributes)?;
        if !parsed.closed || !attributes.ends_with(b":") {
            return None;
        }
        let kind = kind(&parsed);
        let next = u32::try_from(self.kinds.len()).ok()?;
        let number = *self.kinds.entry(kind.into()).or_insert(next);
        let entry = HeaderEntry { number, wait: parsed.wait };
        if self.headers.len() < HEADERS && wait.is_none_or(|wait| wait == parsed.wait) {
            self.headers.insert(text.into(), entry);
        }
        Some(entry)
    }

    /// Looks up the record just scanned, whose text this is.
    pub(crate) fn find(&self, record: &Record, text: &[u8], input: InputId) -> Found {
        let sample = |stack| self.samples.get(&(stack, record.header, input));
        match self.stack(record, text) {
            Ok(Some(stack)) => sample(stack).map_or(Found::Nothing, |&found| Found::Sample(found)),
            Ok(None) => Found::Nothing,
            Err(Crowded) => Found::Crowd,
        }
    }

    /// The number of the stack of the record just scanned.
    fn stack(&self, record: &Record, text: &[u8]) -> Result<Option<u32>, Crowded> {
        let mut others: usize = 0;
        let same = |stack: &Skeleton| {
            if others >= CROWD || stack.hash != record.hash {
                return false;
            }
            let same = self.is_skeleton(stack, text);
            others = others.saturating_add(usize::from(!same));
            same
        };
        match self.stacks.find(record.hash, same) {
            Some(stack) => Ok(Some(stack.number)),
            None if others >= CROWD => Err(Crowded),
            None => Ok(None),
        }
    }

    /// Whether a stack has the parts of the record just scanned.
    fn is_skeleton(&self, entry: &Skeleton, text: &[u8]) -> bool {
        let Some(mut skeleton) = self.skeletons.get(entry.start..entry.end) else { return false };
        for &(start, end) in &self.parts {
            let part = text.get(start..end).unwrap_or_default();
            let Some((kept, rest)) = skeleton.split_at_checked(part.len()) else { return false };
            if !equal(kept, part) || rest.first() != Some(&b'\n') {
                return false;
            }
            skeleton = rest.get(1..).unwrap_or_default();
        }
        skeleton.is_empty()
    }

    /// Reads the record just scanned, which starts at `from`, into [`Records::plain`]; `None` when
    /// it isn't plain.
    pub(crate) fn read_plain(&mut self, record: &Record, from: usize, text: &[u8]) -> Option<()> {
        let end = from.checked_add(record.bytes)?;
        self.plain.read(&self.parts, text, from..end)
    }

    /// Remembers the sample of the record just scanned, whose text this is.
    pub(crate) fn insert(
        &mut self,
        record: &Record,
        text: &[u8],
        input: InputId,
        sample: SampleId,
    ) {
        let stack = match self.stack(record, text) {
            Ok(Some(stack)) => stack,
            Ok(None) => match self.insert_stack(record, text) {
                Some(stack) => stack,
                None => return,
            },
            Err(Crowded) => return,
        };
        self.samples.insert((stack, record.header, input), sample);
    }

    fn insert_stack(&mut self, record: &Record, text: &[u8]) -> Option<u32> {
        let number = u32::try_from(self.stacks.len()).ok()?;
        let start = self.skeletons.len();
        for &(from, to) in &self.parts {
            self.skeletons.extend_from_slice(text.get(from..to)?);
            self.skeletons.push(b'\n');
        }
        let stack = Skeleton { hash: record.hash, number, start, end: self.skeletons.len() };
        self.stacks.insert_unique(record.hash, stack, |stack| stack.hash);
        Some(number)
    }
}

/// Too many stacks look like the one that was looked for.
#[derive(Debug)]
struct Crowded;

/// Cuts a header's text around the number of its minutes: `[select, ` and ` minutes]:`.
///
/// Only where they stand behind the first comma and nothing is quoted before it, so that another
/// number there changes nothing else.
#[inline]
fn minutes(attributes: &[u8]) -> Option<(f32, &[u8], &[u8])> {
    let comma = attributes.iter().position(|&byte| matches!(byte, b',' | b']' | b'"'))?;
    let (before, rest) = attributes.split_at_checked(comma.checked_add(2)?)?;
    if !before.ends_with(b", ") {
        return None;
    }
    let digits = rest.iter().position(|byte| !byte.is_ascii_digit())?;
    let (number, behind) = rest.split_at_checked(digits)?;
    if digits == 0 || digits > DIGITS || !behind.starts_with(b" minutes") {
        return None;
    }
    let value = number.iter().fold(0_u32, |value, digit| {
        value.wrapping_mul(10).wrapping_add(u32::from(digit.wrapping_sub(b'0')))
    });
    Some((value as f32, before, behind))
}

/// What a header says beside the wait, in one unambiguous text.
fn kind(attributes: &Attributes<'_>) -> Vec<u8> {
    let mut text = Vec::new();
    let mut part = |bytes: &[u8], end: u8| {
        text.extend_from_slice(&bytes.len().to_le_bytes());
        text.extend_from_slice(bytes);
        text.push(end);
    };
    part(attributes.state, b's');
    for flag in &attributes.flags {
        part(flag, b'f');
    }
    for (key, value) in &attributes.labels {
        part(key, b'k');
        part(value, b'v');
    }
    text
}

/// Adds a part to a hash: its length, its first and its last 8 bytes. What was found is compared
/// byte by byte, so a weak hash costs nothing but a comparison now and then, and hashing every byte
/// took a tenth of the whole time.
#[inline]
fn mix(hash: u64, part: &[u8]) -> u64 {
    const ODD: u64 = 0x9e37_79b9_7f4a_7c15;
    let ends = match (part.first_chunk::<8>(), part.last_chunk::<8>()) {
        (Some(first), Some(last)) => {
            u64::from_le_bytes(*first) ^ u64::from_le_bytes(*last).rotate_left(23)
        }
        _ => part.iter().fold(0, |bytes, &byte| bytes << 8 | u64::from(byte)),
    };
    let mixed = (hash ^ ends).wrapping_add(part.len() as u64).wrapping_mul(ODD);
    mixed ^ mixed >> 29
}

/// Whether two texts are equal: 16 bytes at a time, because a call costs more than the 40 bytes
/// that parts have.
#[inline]
fn equal(one: &[u8], other: &[u8]) -> bool {
    if one.len() != other.len() {
        return false;
    }
    let (Some(one_last), Some(other_last)) = (one.last_chunk::<16>(), other.last_chunk::<16>())
    else {
        return one == other;
    };
    let (ones, others) = (one.as_chunks::<16>().0, other.as_chunks::<16>().0);
    ones.iter().zip(others).all(|(one, other)| one == other) && one_last == other_last
}
