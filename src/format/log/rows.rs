//! Records that aren't JSON and have as many fields: entries of the journal, rows of CSV.

use super::entries::Entries;
use super::json::Records;
use super::row::Use;
use super::table::Table;
use super::words::keyword;
use super::{Decoder, Kind, LAYERS, Unwrapped};
use crate::format::start::starts_dump;
use crate::format::traceback::lookalike::may_hold_pieces;

#[derive(Debug)]
pub(super) enum Rows {
    Entries(Entries),
    Table(Table),
}

impl Rows {
    /// A reader for lines from this one on, if records certainly start with it.
    pub(super) fn of(line: &[u8]) -> Option<Rows> {
        let entries = || Entries::of(line).map(Rows::Entries);
        entries().or_else(|| Table::of(line).map(Rows::Table))
    }

    fn line(&mut self, line: &[u8]) -> Use {
        match self {
            Rows::Entries(entries) => entries.line(line),
            Rows::Table(table) => table.line(line),
        }
    }

    /// Whether a record above the last one has lost its end.
    pub(super) fn has_lost(&self) -> bool {
        matches!(self, Rows::Table(table) if table.has_lost())
    }

    /// Whether a record is open that goes on.
    fn is_open(&self) -> bool {
        match self {
            Rows::Entries(entries) => entries.is_open(),
            Rows::Table(table) => table.is_open(),
        }
    }

    fn end_input(&mut self) -> Records<'static> {
        match self {
            Rows::Entries(entries) => entries.end_input(),
            Rows::Table(table) => table.end_input(),
        }
    }

    /// The lines held, when they are no record after all.
    pub(super) fn take_held(&mut self) -> Vec<u8> {
        match self {
            Rows::Entries(entries) => entries.take_held(),
            Rows::Table(table) => table.take_held(),
        }
    }

    /// Whether a line that is in no record is what is left of one.
    pub(super) fn is_damaged(&self, line: &[u8]) -> bool {
        let line = line.trim_ascii_end();
        match self {
            Rows::Entries(entries) => entries.is_damaged(line),
            Rows::Table(table) => table.is_damaged(line),
        }
    }
}

/// Whether a text may be a part of a dump, or of a crash.
fn is_piece(text: &[u8]) -> bool {
    may_hold_pieces(text) || keyword(text).is_some()
}

/// Whether a line holds the start of a dump behind a quote.
fn wraps_start(line: &[u8]) -> bool {
    memchr::memchr_iter(b'"', line).any(|at| {
        let text = line.get(at.saturating_add(1)..).unwrap_or_default();
        let start = text.get(..START).unwrap_or(text);
        start.starts_with(b"goroutine ") || starts_dump(start)
    })
}

/// So many bytes behind a quote show whether a dump starts there; a line can have a million quotes.
const START: usize = 64;

impl Decoder {
    /// Takes a line of a record.
    pub(super) fn rows(&mut self, line: &[u8], out: &mut Vec<u8>) -> Unwrapped {
        let Kind::Rows(rows, _) = &mut self.kind else { return Unwrapped::Over };
        match rows.line(line) {
            Use::Held => Unwrapped::Held,
            Use::Record(records) => self.record(&records, out),
            Use::Cut(lost, records) => {
                self.cut |= lost.leaves.iter().any(|leaf| is_piece(&leaf.text));
                let Unwrapped::Text(key) = self.record(&lost, out) else {
                    return self.record(&records, out);
                };
                let mut text = Vec::new();
                if let Unwrapped::Text(key) = self.record(&records, &mut text) {
                    self.more.push_back((key, text));
                }
                Unwrapped::Text(key)
            }
            Use::Foreign => {
                self.end_rows();
                Unwrapped::Foreign
            }
            Use::Over(lines) => {
                self.cut |= match **rows {
                    // A length that doesn't fit: some of the value is missing.
                    Rows::Entries(_) => is_piece(&lines),
                    // The start of a dump in a field isn't found where the row is read as text.
                    Rows::Table(_) => lines.split(|&byte| byte == b'\n').any(wraps_start),
                };
                out.extend_from_slice(&lines);
                self.end_rows();
                Unwrapped::Over
            }
        }
    }

    /// Takes the texts of a record.
    fn record(&mut self, records: &Records<'_>, out: &mut Vec<u8>) -> Unwrapped {
        let Kind::Rows(_, json) = &mut self.kind else { return Unwrapped::Over };
        match json.take(b"", records, LAYERS, &mut self.keys, out, &mut self.more) {
            Some(key) => {
                self.last = key;
                Unwrapped::Text(key)
            }
            None => Unwrapped::Held,
        }
    }

    /// Whether the input ends inside a record.
    pub(crate) fn is_in_record(&self) -> bool {
        match &self.kind {
            Kind::Rows(rows, _) => rows.is_open(),
            Kind::Json(json) => json.is_open(),
            _ => false,
        }
    }

    /// Whether the record that is open holds a piece of a dump, or of a crash.
    pub(crate) fn holds_piece(&self) -> bool {
        match &self.kind {
            Kind::Rows(rows, _) => match &**rows {
                Rows::Entries(entries) => entries.values().any(is_piece),
                Rows::Table(table) => is_piece(table.held()),
            },
            _ => false,
        }
    }

    /// Ends the open record, at a line of none or the end of the input: its texts are those that come next.
    pub(super) fn end_rows(&mut self) {
        let Kind::Rows(rows, json) = &mut self.kind else { return };
        let mut text = Vec::new();
        let records = rows.end_input();
        let key = json.take(b"", &records, LAYERS, &mut self.keys, &mut text, &mut self.more);
        if let Some(key) = key.filter(|_| !text.is_empty()) {
            self.more.push_front((key, text));
        }
    }
}
