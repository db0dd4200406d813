//! Records that aren't JSON and have as many fields: entries of the journal, rows of CSV.

use super::entries::Entries;
use super::json::Records;
use super::row::Use;
use super::table::Table;
use super::{Decoder, Kind, LAYERS, Unwrapped};

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

impl Decoder {
    /// Takes a line of a record.
    pub(super) fn rows(&mut self, line: &[u8], out: &mut Vec<u8>) -> Unwrapped {
        let Kind::Rows(rows, json) = &mut self.kind else { return Unwrapped::Over };
        match rows.line(line) {
            Use::Held => Unwrapped::Held,
            Use::Record(records) => {
                match json.take(b"", &records, LAYERS, &mut self.keys, out, &mut self.more) {
                    Some(key) => {
                        self.last = key;
                        Unwrapped::Text(key)
                    }
                    None => Unwrapped::Held,
                }
            }
            Use::Foreign => {
                self.end_rows();
                Unwrapped::Foreign
            }
            Use::Over(lines) => {
                // A goroutine in a field isn't found where the row is read as text.
                self.cut |= memchr::memmem::find(&lines, b"\"goroutine ").is_some();
                out.extend_from_slice(&lines);
                self.end_rows();
                Unwrapped::Over
            }
        }
    }

    /// Whether the input ends inside a record.
    pub(crate) fn is_in_record(&self) -> bool {
        matches!(&self.kind, Kind::Rows(rows, _) if rows.is_open())
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
