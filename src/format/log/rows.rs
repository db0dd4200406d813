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
            Use::Foreign => Unwrapped::Foreign,
            Use::Over(lines) => {
                out.extend_from_slice(&lines);
                Unwrapped::Over
            }
        }
    }

    /// Ends the input: the texts of the open record are those that come next.
    pub(super) fn end_rows(&mut self) {
        let Kind::Rows(rows, json) = &mut self.kind else { return };
        self.cut |= matches!(&**rows, Rows::Table(table) if table.is_open());
        let mut text = Vec::new();
        let records = rows.end_input();
        let key = json.take(b"", &records, LAYERS, &mut self.keys, &mut text, &mut self.more);
        if let Some(key) = key.filter(|_| !text.is_empty()) {
            self.more.push_front((key, text));
        }
    }
}
