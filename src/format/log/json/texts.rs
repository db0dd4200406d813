//! The texts of a record: the line that it logs, and dumps in other fields.

use super::super::keys::StreamKey;
use super::super::names_goroutine;
use super::super::tail::Tail;
use super::fields::{self, Ends};
use super::record::{Leaf, Records};
use super::{Json, holds, is_line, is_of_goroutine};
use crate::format::start::{follows_header, is_header};
use crate::format::traceback::lookalike::holds_pieces;
use crate::format::traceback::recovered;
use memchr::memmem;

impl Json {
    /// Appends the texts of one record.
    pub(super) fn texts(
        &mut self,
        prefix: &[u8],
        records: &Records<'_>,
        own: &[Leaf<'_>],
        layers: usize,
        key: StreamKey,
        out: &mut Vec<u8>,
    ) {
        let mut dumps: Vec<&Leaf<'_>> = Vec::new();
        for leaf in own {
            if holds(&leaf.text, layers) {
                let known = fields::line(records.path(leaf)).is_some();
                if !known && is_line(&leaf.text) && is_header(leaf.text.trim_ascii_end()) {
                    self.dump_field = Some(records.path(leaf).into());
                }
                dumps.push(leaf);
            } else if fields::line(records.path(leaf)).is_none() && holds_pieces(&leaf.text) {
                // What can't be read of it is told where it would be read.
                dumps.push(leaf);
            }
        }
        let dump_field = self.dump_field.as_deref();
        let holds_dumps =
            |leaf: &&Leaf<'_>| dump_field.is_some_and(|path| path == records.path(leaf));
        let ranked = own.iter().filter_map(|leaf| Some((fields::line(records.path(leaf))?, leaf)));
        let line =
            own.iter().find(holds_dumps).map(|leaf| (Ends::WithRecord, leaf)).or_else(|| {
                ranked.min_by_key(|(rank, _)| (rank.0, rank.1)).map(|(rank, leaf)| (rank.2, leaf))
            });
        let Some((ends, line)) = line else {
            let stack = dumps.iter().find(|leaf| names_goroutine(&leaf.text));
            if let Some(stack) = stack
                && let Some(message) = message_before(prefix)
            {
                self.separate(&stack.text, key, out);
                out.extend_from_slice(message);
                if let Some(value) = panic_value(records, own, message) {
                    without_value(&mut dumps, value);
                    out.extend([b": ", value].concat());
                }
                out.push(b'\n');
            }
            return self.dumps(dumps, key, out);
        };
        dumps.retain(|leaf| !contains_text(&line.text, &leaf.text));
        let panic_value = panic_value(records, own, &line.text).filter(|_| !dumps.is_empty());
        if panic_value.is_none() && dumps.iter().any(|leaf| contains_text(&leaf.text, &line.text)) {
            // The message is the first line of the dump in another field, or similar.
            return self.dumps(dumps, key, out);
        }
        if let Some(value) = panic_value {
            without_value(&mut dumps, value);
        }
        // A message about the crash comes before the goroutines.
        let header = names_goroutine(&line.text) && !is_line(&line.text);
        let (crashes, stacks): (Vec<_>, Vec<_>) =
            dumps.into_iter().partition(|leaf| header && !names_goroutine(&leaf.text));
        self.dumps(crashes, key, out);
        self.separate(&line.text, key, out);
        let before = out.len();
        out.extend_from_slice(&line.text);
        if let Some(value) = panic_value {
            out.extend([b": ", value].concat());
        }
        let partial = own.iter().any(|leaf| fields::is_partial(records.path(leaf), &leaf.text));
        let ended = out.len() > before && out.ends_with(b"\n");
        let ended = match ends {
            Ends::Written => true,
            Ends::WithRecord => ended || partial,
            Ends::Docker if self.prefixed || self.is_of_rows => ended || partial,
            Ends::Docker => !self.docker.wants_end(ended, line.text.len()) || partial,
        };
        if !ended {
            out.push(b'\n');
        }
        twins(records, own, line, out);
        if header || !stacks.is_empty() {
            self.end_dump(&line.text, key);
        }
        self.dumps(stacks, key, out);
    }

    /// Notes a dump that ends with its text, unless the next text of its stream goes on with it.
    fn end_dump(&mut self, text: &[u8], key: StreamKey) {
        let tail = Tail::of(text);
        self.is_cut |= tail.breaks_off();
        self.ended.insert(key, tail.lacks_creator());
    }

    /// Appends the texts of a record besides its line.
    fn dumps(&mut self, mut dumps: Vec<&Leaf<'_>>, key: StreamKey, out: &mut Vec<u8>) {
        // Loggers that log one error in two fields write its stack twice. A text that is contained
        // in a longer one is left out; there are few, but a hostile line can have many.
        const COMPARED: usize = 16;
        dumps.sort_by_key(|leaf| names_goroutine(&leaf.text));
        for (at, leaf) in dumps.iter().enumerate() {
            let is_repeated = dumps.iter().take(COMPARED).enumerate().any(|(other, longer)| {
                let same = longer.text.trim_ascii() == leaf.text.trim_ascii();
                if same { other < at } else { contains_text(&longer.text, &leaf.text) }
            });
            if is_repeated {
                continue;
            }
            self.separate(&leaf.text, key, out);
            out.extend_from_slice(&leaf.text);
            if !leaf.text.ends_with(b"\n") {
                out.push(b'\n');
            }
            self.end_dump(&leaf.text, key);
        }
    }

    /// Separates different dumps by a blank line; but a record that is too long for a log is cut,
    /// and its rest comes in the next ones.
    fn separate(&mut self, next: &[u8], key: StreamKey, out: &mut Vec<u8>) {
        if let Some(is_cut) = self.ended.remove(&key) {
            let first = next.split(|&byte| byte == b'\n').next().unwrap_or_default();
            if !first.starts_with(b"\t") && !follows_header(first) {
                out.push(b'\n');
                self.is_cut |= is_cut;
            }
        }
    }
}

/// Appends what else stands in the field of a record's line, if that are lines of a goroutine: a hole has joined two
/// records, and what is left of both is read.
fn twins(records: &Records<'_>, own: &[Leaf<'_>], line: &Leaf<'_>, out: &mut Vec<u8>) {
    let path = records.path(line);
    // Once, as a hostile record can have very many.
    let is_line_of_one = is_of_goroutine(&line.text);
    for twin in own.iter().filter(|leaf| records.path(leaf) == path && leaf.text != line.text) {
        if !is_line_of_one && !is_of_goroutine(&twin.text) {
            continue;
        }
        if !out.ends_with(b"\n") {
            out.push(b'\n');
        }
        out.extend_from_slice(&twin.text);
        if !out.ends_with(b"\n") {
            out.push(b'\n');
        }
    }
}

/// The value of a panic, if the line of a record only says that there was a panic.
fn panic_value<'r>(records: &Records<'_>, own: &'r [Leaf<'_>], line: &[u8]) -> Option<&'r [u8]> {
    recovered::message(line)?;
    let leaf = own.iter().find(|leaf| fields::is_panic_value(records.path(leaf)))?;
    let is_new = is_line(line) && !line.ends_with(b"\n") && !contains_text(line, &leaf.text);
    (is_new && is_line(&leaf.text) && !leaf.text.is_empty()).then_some(leaf.text.as_ref())
}

/// Leaves out the value of a panic beside its stack: it is told with the message, and can speak of a
/// panic itself, `failpoint panic: {}`.
fn without_value(dumps: &mut Vec<&Leaf<'_>>, value: &[u8]) {
    if dumps.iter().any(|leaf| names_goroutine(&leaf.text)) {
        dumps.retain(|leaf| !contains_text(value, &leaf.text));
    }
}

/// The message about a panic before a record without one, as in zap's `2026-01-02T10:31:41Z ERROR
/// Observed a panic {"panic": "boom"}`; columns are apart by a tab or several blanks.
fn message_before(prefix: &[u8]) -> Option<&[u8]> {
    let text = prefix.trim_ascii_end();
    let columns = [memchr::memrchr(b'\t', text), memmem::rfind(text, b"  ")];
    let start = columns.into_iter().flatten().max()?;
    let message = text.get(start..)?.trim_ascii_start();
    recovered::message(message).map(|_| message)
}

/// Whether a text contains all of another one.
fn contains_text(text: &[u8], other: &[u8]) -> bool {
    let other = other.trim_ascii();
    !other.is_empty() && memmem::find(text, other).is_some()
}
