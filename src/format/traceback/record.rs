//! The fast way through regular goroutines: hash what stacks are made of, look the sample up.
//!
//! A goroutine costs finding its boundaries, hashing its frames and one look-up. Only a stack that
//! hasn't been seen goes through [`super::goroutine::OpenGoroutine`], line by line, so both ways
//! give the same samples.

use super::header::{Attributes, Header};
use super::lines::{self, CREATED_BY};
use crate::profile::{InputId, SampleId, Wait};
use foldhash::fast::FixedState;
use hashbrown::{HashMap, HashTable};
use std::hash::{BuildHasher, Hasher};

/// Header texts that are remembered; labels can make each one different.
const HEADERS: usize = 1 << 14;

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

/// What all goroutines with the same header text share.
#[derive(Clone, Copy, Debug)]
struct HeaderEntry {
    number: u32,
    wait: Wait,
}

/// A sample and the text that leads to it.
#[derive(Clone, Copy, Debug)]
struct Entry {
    hash: u64,
    header: u32,
    input: InputId,
    start: usize,
    end: usize,
    sample: SampleId,
}

/// Samples by the text of their goroutines.
#[derive(Debug, Default)]
pub(crate) struct Records {
    headers: HashMap<Box<[u8]>, HeaderEntry, FixedState>,
    /// Header texts without their wait, so that all minutes of one state share their samples.
    kinds: HashMap<Box<[u8]>, u32, FixedState>,
    entries: HashTable<Entry>,
    /// The skeletons of all entries: what was hashed, to tell equal hashes apart.
    skeletons: Vec<u8>,
    /// Where the parts of the record just scanned stand in its text: functions, places, creators,
    /// gaps. They are its skeleton; line feeds part them when it is kept.
    parts: Vec<(usize, usize)>,
    hasher: FixedState,
}

impl Records {
    /// Scans the goroutine that `text` starts with; `None` when it isn't regular or isn't whole.
    pub(crate) fn scan(&mut self, text: &[u8]) -> Option<Record> {
        let (header, mut at) = take_line(text, 0)?;
        let header = Header::cut(header)?;
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
        let mut hasher = self.hasher.build_hasher();
        let mut part = |start: usize, bytes: &[u8]| {
            hasher.write(bytes);
            self.parts.push((start, start.saturating_add(bytes.len())));
        };
        loop {
            let (line, next) = take_line(text, at)?;
            record.lines = record.lines.saturating_add(1);
            match line.first() {
                None => {
                    record.bytes = next;
                    break;
                }
                Some(b'\t' | b' ' | b'[') => return None,
                Some(b'.') => {
                    lines::elided(line)?;
                    record.elided = true;
                    part(at, line);
                    at = next;
                    continue;
                }
                Some(_) => {}
            }
            if let Some((func, creator)) = lines::created_by(line) {
                record.created_by = creator;
                part(at, line.get(..CREATED_BY.len().saturating_add(func.len()))?);
            } else {
                part(at, lines::call(line)?);
            }
            let (line, after) = take_line(text, next)?;
            record.lines = record.lines.saturating_add(1);
            let place = lines::without_offset(line.strip_prefix(b"\t")?).0;
            part(next.saturating_add(1), place);
            at = after;
        }
        record.hash = hasher.finish();
        Some(record)
    }

    /// The number of a header's text without its wait.
    fn header(&mut self, attributes: &[u8]) -> Option<HeaderEntry> {
        if let Some(&entry) = self.headers.get(attributes) {
            return Some(entry);
        }
        let parsed = Attributes::parse(attributes)?;
        if !parsed.closed || !attributes.ends_with(b":") {
            return None;
        }
        let kind = kind(&parsed);
        let next = u32::try_from(self.kinds.len()).ok()?;
        let number = *self.kinds.entry(kind.into()).or_insert(next);
        let entry = HeaderEntry { number, wait: parsed.wait };
        if self.headers.len() < HEADERS {
            self.headers.insert(attributes.into(), entry);
        }
        Some(entry)
    }

    /// The sample of the record just scanned, whose text this is.
    pub(crate) fn find(&self, record: &Record, text: &[u8], input: InputId) -> Option<SampleId> {
        let same = |entry: &Entry| {
            entry.header == record.header && entry.input == input && self.is_skeleton(entry, text)
        };
        self.entries.find(record.hash, same).map(|entry| entry.sample)
    }

    /// Whether an entry has the parts of the record just scanned.
    fn is_skeleton(&self, entry: &Entry, text: &[u8]) -> bool {
        let Some(mut skeleton) = self.skeletons.get(entry.start..entry.end) else { return false };
        for &(start, end) in &self.parts {
            let part = text.get(start..end).unwrap_or_default();
            let Some((kept, rest)) = skeleton.split_at_checked(part.len()) else { return false };
            if kept != part || rest.first() != Some(&b'\n') {
                return false;
            }
            skeleton = rest.get(1..).unwrap_or_default();
        }
        skeleton.is_empty()
    }

    /// Remembers the sample of the record just scanned, whose text this is.
    pub(crate) fn insert(
        &mut self,
        record: &Record,
        text: &[u8],
        input: InputId,
        sample: SampleId,
    ) {
        let start = self.skeletons.len();
        for &(from, to) in &self.parts {
            self.skeletons.extend_from_slice(text.get(from..to).unwrap_or_default());
            self.skeletons.push(b'\n');
        }
        let end = self.skeletons.len();
        let entry = Entry { hash: record.hash, header: record.header, input, start, end, sample };
        self.entries.insert_unique(record.hash, entry, |entry| entry.hash);
    }
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

/// The line at `at` without its end, and where the next one starts.
fn take_line(text: &[u8], at: usize) -> Option<(&[u8], usize)> {
    let rest = text.get(at..)?;
    let end = memchr::memchr(b'\n', rest)?;
    let line = rest.get(..end)?;
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    Some((line, at.checked_add(end)?.checked_add(1)?))
}
