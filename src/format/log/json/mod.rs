//! JSON logs: a record in each line, with a line of text in one of its fields or a whole dump,
//! possibly after a prefix: `2026-01-02T10:31:41Z app {"log":"panic: boom"}`; and logs of logfmt, with a
//! line of text in each record.
//!
//! A line of JSON is parsed by serde_json, whatever program wrote it; [`fields`] lists the fields with text
//! and those that identify processes. Other fields are text if they hold a dump. Only a line that
//! is too long to be held, or isn't JSON after all, is read by [`super::escaped`].

mod docker;
mod fields;
mod last;
mod logfmt;
mod record;
#[cfg(test)]
mod tests;
mod texts;

use super::keys::{Keys, StreamKey};
use super::shape::identity;
use super::wraps::wraps_bruised;
use super::{Finder, finder, keyword, kind, reversed};
use crate::format::start::starts_dump;
use crate::format::traceback::crash::names_http_panic;
use crate::format::traceback::lookalike;
use docker::Docker;
use fields::KNOWN_CONTAINERS;
use hashbrown::HashMap;
use last::{Last, Sort};
use memchr::memmem;
use record::Leaf;
pub(super) use record::Records;
use serde::de::IgnoredAny;
use std::borrow::Cow;
use std::collections::VecDeque;

/// Most lines are ruled out by these alone; each belongs to a row of [`KNOWN_CONTAINERS`].
static KEYS: [Finder; 3] = [
    finder(|| memmem::Finder::new(br#""log""#)),
    finder(|| memmem::Finder::new(br#""Action""#)),
    finder(|| memmem::Finder::new(br#""MESSAGE""#)),
];

/// Stands behind a dump whose record says that it was cut. The text before may lack its last line end.
const CUT: &[u8] = b"\n[truncated]\n";
/// The maximal number of bytes before a record.
const PREFIX: usize = 512;
/// How many braces are tried as the start of a record.
const STARTS: usize = 4;

/// The texts in one line after its first: of other records in it, for other streams.
pub(super) type More = VecDeque<(StreamKey, Vec<u8>)>;

#[derive(Debug, Default)]
pub(super) struct Json {
    docker: Docker,
    /// Whether records come after a prefix, which Docker's own lines never have.
    prefixed: bool,
    /// Whether records aren't JSON, so that none is Docker's.
    is_of_rows: bool,
    /// What identifies the prefix of the last record.
    root: Vec<u8>,
    /// The field that a header was found in, where no table has it.
    dump_field: Option<Box<str>>,
    /// Streams whose last text was a dump that may be at its end, and whether it is cut if it is.
    ended: HashMap<StreamKey, bool>,
    /// Whether lines can be records of logfmt.
    is_logfmt: bool,
    /// The fields of the last whole record.
    last: Last,
    /// What the record of the last line is beside that one.
    sort: Sort,
    /// Whether that is one of logfmt that lacks the last fields.
    is_short: bool,
    /// Whether a dump breaks off in a value.
    is_cut: bool,
}

impl Json {
    /// A reader for the line, if it holds a dump or certainly belongs to a container.
    pub(super) fn of(line: &[u8], layers: usize) -> Option<Json> {
        let has_keyword = may_hold(line) || reversed::may_quote_place(line);
        let sure =
            || KEYS.iter().zip(&KNOWN_CONTAINERS).filter(|(key, _)| key.find(line).is_some());
        if !has_keyword && sure().next().is_none() {
            return None;
        }
        let Some((prefix, records)) = read(line) else {
            return Json::of_logfmt(line);
        };
        let has =
            |names: &[&str]| records.leaves.iter().any(|leaf| names.contains(&records.path(leaf)));
        let sure = || sure().any(|(_, row)| has(&[row.line]) && has(row.with_one_of));
        let is_place = |leaf: &Leaf<'_>| {
            reversed::is_place(&leaf.text) && fields::line(records.path(leaf)).is_some()
        };
        let holds =
            || records.leaves.iter().any(|leaf| holds(&leaf.text, layers) || is_place(leaf));
        (prefix.is_empty() && sure() || holds()).then(Json::default)
    }

    /// A reader for the line, if it is a record of logfmt with the first line of a dump; one with a whole dump needn't
    /// have an end, and is read by [`super::escaped`].
    fn of_logfmt(line: &[u8]) -> Option<Json> {
        let records = logfmt::read(line.trim_ascii_end())?;
        let starts = |text: &[u8]| is_line(text) && (starts_dump(text) || reversed::is_place(text));
        let holds = records.leaves.iter().any(|leaf| starts(&leaf.text));
        holds.then(|| Json { is_logfmt: true, ..Json::default() })
    }

    /// Whether the last record was cut inside its text.
    pub(super) fn is_cut_in_text(&self) -> bool {
        self.docker.cut == Some(docker::Cut::InText)
    }

    /// Whether a dump broke off in a value since the last call.
    pub(super) fn take_cut(&mut self) -> bool {
        std::mem::take(&mut self.is_cut) | self.docker.take_cut()
    }

    /// Whether the last record may be the start of one.
    pub(super) fn is_open(&self) -> bool {
        self.is_short
    }

    /// Whether a hole has joined the last record from two, or it was cut.
    pub(super) fn is_joined(&self) -> bool {
        self.sort == Sort::Joined || self.docker.cut.is_some()
    }

    /// Whether a line that isn't JSON is joined from two records.
    pub(super) fn is_joined_in(&self, line: &[u8]) -> bool {
        self.last.are_twice_in(line)
    }

    /// Whether a line that isn't taken is what is left of a record of logfmt, or of Docker.
    pub(super) fn is_left_of_record(&self, line: &[u8]) -> bool {
        self.is_logfmt && self.last.are_left_in(line)
            || read(line).is_some_and(|(_, records)| self.docker.has_lost_stream(&records))
    }

    /// Appends the text of a line to `out` and the texts of other records in it to `more`; returns
    /// the stream of the first text, `None` for a line that isn't JSON.
    pub(super) fn decode(
        &mut self,
        line: &[u8],
        layers: usize,
        keys: &mut Keys,
        out: &mut Vec<u8>,
        more: &mut More,
    ) -> Option<StreamKey> {
        self.sort = Sort::Whole;
        self.is_short = false;
        if let Some(key) = self.docker.fast(line, keys, out) {
            return Some(key);
        }
        let (prefix, records) = match read(line) {
            Some((_, records)) if self.docker.has_lost_stream(&records) => return None,
            Some((prefix, records)) => {
                // A record that was torn off, and its line end: only the last one in the line is whole.
                self.is_cut |= lookalike::holds_pieces(prefix);
                if self.starts_in(prefix) {
                    // Another record, whose line end is lost.
                    self.sort = Sort::Joined;
                } else if !self.is_logfmt && self.dump_field.is_none() {
                    self.sort = self.last.take_json(&records);
                }
                (prefix, records)
            }
            None if self.is_logfmt => {
                let records = logfmt::read(line.trim_ascii_end())?;
                self.is_short = self.last.has_more_than(&records);
                self.sort = self.last.take_logfmt(&records);
                self.is_short &= self.sort != Sort::Blank;
                (&b""[..], records)
            }
            None => return None,
        };
        if matches!(self.sort, Sort::Damaged | Sort::Other) {
            return None;
        }
        self.take(prefix, &records, layers, keys, out, more)
    }

    /// A reader for records that aren't JSON.
    pub(super) fn of_rows() -> Json {
        Json { is_of_rows: true, ..Json::default() }
    }

    /// Appends the text of a record to `out` and those of others in it to `more`; returns the stream of the first text.
    pub(super) fn take(
        &mut self,
        prefix: &[u8],
        records: &Records<'_>,
        layers: usize,
        keys: &mut Keys,
        out: &mut Vec<u8>,
        more: &mut More,
    ) -> Option<StreamKey> {
        self.prefixed = !prefix.is_empty();
        let mut streams = Vec::with_capacity(records.parents.len());
        let mut leaves = records.leaves.as_slice();
        let root = root_of(prefix);
        for (number, parent) in records.parents.iter().enumerate() {
            let own = leaves.iter().take_while(|leaf| leaf.record == number).count();
            let (own, rest) = leaves.split_at_checked(own)?;
            leaves = rest;
            let parent = parent.and_then(|parent| streams.get(parent).copied());
            let key = stream(records, own, parent, &root, keys);
            streams.push(key);
            let mut text = Vec::new();
            self.texts(prefix, records, own, layers, key, &mut text);
            if self.sort == Sort::Blank {
                text.push(b'\n');
            }
            let is_cut = || own.iter().any(|leaf| fields::says_cut(records.path(leaf), &leaf.text));
            if !is_line(&text) && may_hold(&text) && is_cut() {
                text.extend_from_slice(CUT);
            }
            match more.back_mut() {
                _ if text.is_empty() => {}
                Some((last, before)) if *last == key => before.append(&mut text),
                _ => more.push_back((key, text)),
            }
        }
        self.root = root;
        match more.pop_front() {
            Some((key, mut text)) => {
                out.append(&mut text);
                Some(key)
            }
            None => streams.first().copied(),
        }
    }

    /// Whether a record starts in a line, behind a prefix as that of the last one.
    pub(super) fn starts_in(&self, line: &[u8]) -> bool {
        let prefix = start_of_record(line).and_then(|at| line.get(..at));
        prefix.is_some_and(|prefix| root_of(prefix) == self.root)
    }
}

/// Whether a text is a line of a goroutine that isn't blank.
fn is_of_goroutine(text: &[u8]) -> bool {
    let text = text.strip_suffix(b"\n").unwrap_or(text);
    !text.trim_ascii().is_empty() && reversed::is_of_goroutine(text)
}

/// Splits a line into the prefix of its record, and the record's texts.
fn read(line: &[u8]) -> Option<(&[u8], Records<'_>)> {
    let line = line.trim_ascii_end();
    // An item of a list that is spread over lines.
    let line = line.strip_suffix(b",").unwrap_or(line);
    let blanks = line.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
    let (prefix, rest) = line.split_at_checked(blanks)?;
    let inside = rest.strip_prefix(b"[").map(<[u8]>::trim_ascii_start);
    if rest.starts_with(b"{")
        || inside.is_some_and(|it| it.first().is_some_and(|byte| b"{[\"".contains(byte)))
    {
        return Records::read(item(rest)).map(|records| (prefix, records));
    }
    let head = line.get(..PREFIX).unwrap_or(line);
    let starts = memmem::find_iter(head, b"{\"").take(STARTS);
    starts
        .filter_map(|at| line.split_at_checked(at))
        .find_map(|(prefix, rest)| Records::read(rest).map(|records| (prefix, records)))
}

/// A record without the bracket of a list that stands in front of its first item, or behind the last one, as `sqlite3 -json`
/// and `json_agg` of PostgreSQL write an item in each line: `[{"a":1}`, `{"a":2}]`.
fn item(text: &[u8]) -> &[u8] {
    match text {
        [b'[', b'{', .., b'}'] => text.strip_prefix(b"[").unwrap_or(text),
        [b'{', .., b'}', b']'] => text.strip_suffix(b"]").unwrap_or(text),
        _ => text,
    }
}

/// Whether a line is a record of JSON or logfmt, without a prefix, with such a text in a field.
pub(crate) fn holds_text(line: &[u8], is_it: impl Fn(&[u8]) -> bool) -> bool {
    let line = line.trim_ascii_end();
    let records = match line.first() {
        Some(b'{') => Records::read(line),
        _ => logfmt::read(line),
    };
    records.is_some_and(|records| records.leaves.iter().any(|leaf| is_it(&leaf.text)))
}

/// Where the first record may start in a line.
fn start_of_record(line: &[u8]) -> Option<usize> {
    memmem::find(line.get(..PREFIX).unwrap_or(line), b"{\"")
}

/// Whether a line holds a whole record, which is no part of another and has no start of another behind it.
pub(super) fn holds_whole(line: &[u8]) -> bool {
    let record = start_of_record(line).and_then(|at| line.split_at_checked(at));
    let Some((before, text)) = record else { return false };
    let mut records = serde_json::Deserializer::from_slice(text).into_iter::<IgnoredAny>();
    let is_record = records.next().is_some_and(|record| record.is_ok());
    let rest = text.get(records.byte_offset()..).unwrap_or_default().trim_ascii_start();
    let goes_on = rest.first().is_some_and(|byte| b"],\"".contains(byte)) || rest.ends_with(b"}");
    let is_inside = before.trim_ascii_end().last().is_some_and(|byte| b"{[,".contains(byte));
    is_record && !goes_on && !is_inside && memmem::find(rest, b"{\"").is_none()
}

/// What identifies the processes whose records have a prefix.
fn root_of(prefix: &[u8]) -> Vec<u8> {
    if prefix.trim_ascii().is_empty() { Vec::new() } else { identity(prefix) }
}

/// The stream of a record's text.
fn stream(
    records: &Records<'_>,
    own: &[Leaf<'_>],
    parent: Option<StreamKey>,
    root: &[u8],
    keys: &mut Keys,
) -> StreamKey {
    let outer = parent.map_or(Cow::Borrowed(root), |key| match key {
        StreamKey::ENCLOSING => Cow::Borrowed(root),
        StreamKey(number) => Cow::Owned(number.to_be_bytes().to_vec()),
    });
    // Two records that a hole has joined have their names twice; a stream has few names.
    const NAMES: usize = 8;
    let mut named: Vec<&Leaf<'_>> = Vec::new();
    for leaf in own.iter().filter(|leaf| fields::is_stream(records.path(leaf))) {
        if !named.iter().take(NAMES).any(|other| records.path(other) == records.path(leaf)) {
            named.push(leaf);
        }
    }
    // `journalctl -o json` writes the fields of each record in another order.
    named.sort_by_key(|leaf| records.path(leaf));
    let mut name: Vec<&[u8]> = named.iter().map(|leaf| leaf.text.as_ref()).collect();
    match (parent, &*name) {
        (Some(parent), []) => return parent,
        (None, [stream]) if root.is_empty() => return keys.key(stream),
        _ => name.insert(0, &outer),
    }
    keys.joined(&name)
}

/// Whether a field of this name has a line of text, or all of it.
pub(super) fn is_text_field(name: &str) -> bool {
    fields::line(name).is_some()
}

/// Whether a text is one line.
fn is_line(text: &[u8]) -> bool {
    memchr::memchr(b'\n', text.strip_suffix(b"\n").unwrap_or(text)).is_none()
}

/// Whether a dump starts in a text, possibly inside at most `layers` further containers.
fn holds(text: &[u8], layers: usize) -> bool {
    if !may_hold(text) {
        return false;
    }
    let mut lines = text.split(|&byte| byte == b'\n');
    let starts = |line: &[u8]| starts_dump(line) || kind(line, layers).is_some();
    lines.any(|line| may_hold(line) && (starts(line) || wraps_bruised(line)))
}

/// Whether a text has a word of which it must have one to hold a dump.
fn may_hold(text: &[u8]) -> bool {
    keyword(text).is_some() || names_http_panic(text)
}
