//! Tables of CSV, as Grafana, Splunk, Datadog, Kibana, CloudWatch and Google Cloud export logs: first a row of names, then
//! one for each line of text, or for a whole dump.

use super::json::{Records, is_text_field};
use super::row::Use;
use super::shape::common;
use super::words::keyword;
use crate::format::quoted::unquote;
use crate::format::start::{is_header, starts_dump, without_cr};
use crate::format::traceback::rest::is_stray;
use crate::limits::LIMITS;
use std::borrow::Cow;

/// The maximal number of bytes of the row of names.
const NAMES: usize = 4 << 10;

/// How many bytes of the start of the last row are kept, and of its end.
const START: usize = 32;
const END: usize = 2;

#[derive(Debug)]
pub(super) struct Table {
    separator: u8,
    names: Vec<String>,
    /// Whether a row had as many fields as there are names.
    is_decided: bool,
    /// The row of names; those of other pages can have it again.
    head: Vec<u8>,
    /// The start of the last row, and its end.
    last: [Vec<u8>; 2],
    /// The lines of the open row, as read, each with a newline: a quoted field goes on in the next one.
    held: Vec<u8>,
    /// Whether a row above the last one has lost its end.
    has_lost: bool,
}

impl Table {
    /// A reader for the rows below this line, if it is the row of names of a table with text.
    pub(super) fn of(line: &[u8]) -> Option<Table> {
        let line = without_cr(line);
        // Few other lines have such bytes only; reading their fields costs more than all that is done with them else.
        if line.len() > NAMES || !line.iter().all(is_of_names) {
            return None;
        }
        [b',', b';', b'\t'].into_iter().find_map(|separator| {
            memchr::memchr(separator, line)?;
            let names = fields(line, separator, unquoted)?.into_iter().map(|field| name(&field));
            let names: Vec<String> = names.collect::<Option<_>>()?;
            let has_text = names.iter().any(|name| is_text_field(name));
            let (head, last, held) = (Vec::new(), [const { Vec::new() }; 2], Vec::new());
            let (is_decided, has_lost) = (false, false);
            has_text.then_some(Table { separator, names, is_decided, head, last, held, has_lost })
        })
    }

    /// Takes a line; the first is the row of names.
    pub(super) fn line(&mut self, line: &[u8]) -> Use {
        let line = without_cr(line);
        if self.head.is_empty() {
            self.head = line.to_vec();
        }
        self.has_lost = false;
        if !self.is_open() {
            return self.first_line(line);
        }
        // A lost quote would take all rows below it into its field. A quote that ends one has no text behind it.
        let starts_field =
            matches!(line, [b'"', next, ..] if ![b'"', self.separator].contains(next));
        if (starts_field || self.start_of_last(line) >= END)
            && let Some(records) = self.row(line)
        {
            self.has_lost = true;
            let mut lost = self.end_input();
            let text = self.names.iter().find(|name| is_text(name));
            if let Some(name) = text.filter(|_| self.is_open()) {
                // It can't be divided into fields; its lines are read as they are.
                lost.add(name, 0, std::mem::take(&mut self.held).into());
            }
            return Use::Cut(lost, records);
        }
        self.further_line(line)
    }

    /// Takes the first line of a row.
    fn first_line(&mut self, line: &[u8]) -> Use {
        // Each page may have the mark of its encoding.
        if line.strip_prefix("\u{feff}".as_bytes()).unwrap_or(line) == self.head {
            return Use::Held;
        }
        if is_header(line) {
            // The program that wrote the table crashed.
            return Use::Over(self.take_held());
        }
        if let Some(records) = self.row(line) {
            return self.take_row(records, line);
        }
        if has_odd_quote(line) && self.may_start_row(line) {
            return self.hold(line);
        }
        match self.is_decided && !starts_dump(line) {
            true => Use::Foreign,
            false => Use::Over(self.take_held()),
        }
    }

    /// Takes a further line of the open row, which only a quote ends.
    fn further_line(&mut self, line: &[u8]) -> Use {
        if !has_odd_quote(line) {
            return self.hold(line);
        }
        match self.row(&[&self.held, line].concat()) {
            Some(records) => self.take_row(records, line),
            None => Use::Over(self.take_held()),
        }
    }

    fn hold(&mut self, line: &[u8]) -> Use {
        if self.held.len().saturating_add(line.len()) > LIMITS.json_document {
            return Use::Over(self.take_held());
        }
        self.held.extend_from_slice(line);
        self.held.push(b'\n');
        Use::Held
    }

    /// Takes a row that ends with this line.
    fn take_row(&mut self, records: Records<'static>, line: &[u8]) -> Use {
        self.is_decided = true;
        let first = if self.is_open() { &self.held } else { line };
        let end = line.len().saturating_sub(END);
        self.last = [first.get(..START).unwrap_or(first), line.get(end..).unwrap_or_default()]
            .map(<[u8]>::to_vec);
        self.held.clear();
        Use::Record(records)
    }

    /// Whether a row above the last one has lost its end.
    pub(super) fn has_lost(&self) -> bool {
        self.has_lost
    }

    /// How much of its start a line has in common with the last row, but for digits.
    fn start_of_last(&self, line: &[u8]) -> usize {
        let [first, _] = &self.last;
        common(line.iter(), first.iter())
    }

    /// Whether a row is open: its quotes go on in the next line.
    pub(super) fn is_open(&self) -> bool {
        !self.held.is_empty()
    }

    /// The lines of the open row.
    pub(super) fn held(&self) -> &[u8] {
        &self.held
    }

    /// Ends the row at the end of the input: what there is of it, if that can be one.
    pub(super) fn end_input(&mut self) -> Records<'static> {
        let mut row = [&*self.held, b"\""].concat();
        let missing = |fields: &Vec<_>| self.names.len().saturating_sub(fields.len());
        let missing = fields(&row, self.separator, unquoted).as_ref().map_or(0, missing);
        row.resize(row.len().saturating_add(missing), self.separator);
        let records = self.row(&row).or_else(|| self.damaged_row().filter(|_| self.is_decided));
        if records.is_some() {
            self.is_decided = true;
            self.held.clear();
        }
        records.unwrap_or_else(Records::of_one)
    }

    /// The open row, if only the quotes in its first line are where they should be: all of the others are text.
    fn damaged_row(&self) -> Option<Records<'static>> {
        let (first, others) = self.held.split_at_checked(memchr::memchr(b'\n', &self.held)?)?;
        let first = [first, b"\""].concat();
        let mut values = fields(&first, self.separator, unquoted)?;
        values.last_mut()?.to_mut().extend_from_slice(others);
        values.resize(self.names.len().max(values.len()), Cow::default());
        self.record(&values)
    }

    /// The lines of the open row, when it isn't one after all; those of no table are given back with the row of names.
    pub(super) fn take_held(&mut self) -> Vec<u8> {
        let mut lines = Vec::new();
        if !self.is_decided && !self.head.is_empty() {
            lines.append(&mut self.head);
            lines.push(b'\n');
        }
        lines.append(&mut self.held);
        lines
    }

    /// Whether a line that is no row is what is left of one: it starts as the last row does, or ends so, or it is one of a
    /// dump in its field.
    pub(super) fn is_damaged(&self, line: &[u8]) -> bool {
        let [_, end] = &self.last;
        let start = self.start_of_last(line);
        let is_part = start == line.len() && line.len() < START;
        let has_fields = line.contains(&self.separator) || line.contains(&b'"');
        let ends = common(line.iter().rev(), end.iter().rev());
        !line.is_empty() && (is_part || has_fields && (start >= END || ends >= END))
            || line.starts_with(b"\"goroutine ")
            || is_stray(line)
    }

    /// Whether a row can start with a line that has an open quote.
    fn may_start_row(&self, line: &[u8]) -> bool {
        let closed = [line, b"\""].concat();
        fields(&closed, self.separator, unquoted)
            .is_some_and(|fields| fields.len() <= self.names.len())
    }

    /// The fields of a row; `None` if it isn't one of this table.
    fn row(&self, row: &[u8]) -> Option<Records<'static>> {
        let plain = fields(row, self.separator, unquoted);
        // Some programs write `\t` and `\"`.
        let starts = |field: &Cow<'_, [u8]>| field.starts_with(b"\\t");
        let values = match plain {
            Some(fields) if !fields.iter().any(starts) => fields,
            _ => fields(row, self.separator, unquote)?,
        };
        self.record(&values)
    }

    /// The record with these fields; `None` if it isn't one of this table.
    fn record(&self, values: &[Cow<'_, [u8]>]) -> Option<Records<'static>> {
        if values.len() != self.names.len() {
            return None;
        }
        let fields = || self.names.iter().zip(values);
        // Exports of Google Cloud have several fields with text, of which one isn't empty.
        let has_text = fields().any(|(name, value)| is_text_field(name) && !value.is_empty());
        let is_elsewhere = |is_of_text: bool| {
            fields().any(|(name, value)| is_text(name) == is_of_text && keyword(value).is_some())
        };
        if is_elsewhere(false) && !is_elsewhere(true) {
            // A line of a log that has as many separators.
            return None;
        }
        let mut records = Records::of_one();
        for (name, value) in fields() {
            if !(has_text && is_text_field(name) && value.is_empty()) {
                records.add(name, 0, value.to_vec().into());
            }
            // Grafana has all labels in one column, as JSON.
            if value.starts_with(b"{")
                && !is_text_field(name)
                && let Some(labels) = Records::read(value)
            {
                for label in &labels.leaves {
                    let path = labels.path(label);
                    if !is_text_field(path) {
                        records.add(path, 0, label.text.to_vec().into());
                    }
                }
            }
        }
        Some(records)
    }
}

/// The fields of a row as RFC 4180 has them; `None` where a quote stands in a field without quotes, or behind one.
/// `unquote` takes the text from its first quote on, and returns it without quotes and what follows it. Of more fields
/// than a row of names has room for there are none.
fn fields(
    row: &[u8],
    separator: u8,
    unquote: impl Fn(&[u8]) -> Option<(Cow<'_, [u8]>, &[u8])>,
) -> Option<Vec<Cow<'_, [u8]>>> {
    let mut fields = Vec::new();
    let mut rest = row;
    loop {
        let (field, after) = match rest.first() {
            Some(b'"') => unquote(rest)?,
            _ => {
                let end = memchr::memchr(separator, rest).unwrap_or(rest.len());
                let (field, after) = rest.split_at_checked(end)?;
                if memchr::memchr(b'"', field).is_some() {
                    return None;
                }
                (Cow::Borrowed(field), after)
            }
        };
        fields.push(field);
        match after.split_first() {
            None => return Some(fields),
            Some((byte, next)) if *byte == separator && fields.len() < NAMES => rest = next,
            Some(_) => return None,
        }
    }
}

/// The text between quotes, with one for each two of them, and what follows it.
fn unquoted(quoted: &[u8]) -> Option<(Cow<'_, [u8]>, &[u8])> {
    let mut field = Vec::new();
    let mut rest = quoted.strip_prefix(b"\"")?;
    loop {
        let (part, after) = rest.split_at_checked(memchr::memchr(b'"', rest)?)?;
        match after {
            [b'"', b'"', next @ ..] => {
                field.extend_from_slice(part);
                field.push(b'"');
                rest = next;
            }
            [_, next @ ..] if field.is_empty() => return Some((part.into(), next)),
            [_, next @ ..] => {
                field.extend_from_slice(part);
                return Some((field.into(), next));
            }
            [] => return None,
        }
    }
}

fn has_odd_quote(line: &[u8]) -> bool {
    memchr::memchr_iter(b'"', line).count() % 2 == 1
}

/// Whether a column of this name has a line of text, or a whole dump.
fn is_text(name: &str) -> bool {
    const DUMPS: [&str; 6] = ["stack", "stacktrace", "stack_trace", "trace", "dump", "goroutines"];
    let last = name.rsplit('.').next().unwrap_or(name);
    is_text_field(name) || DUMPS.iter().any(|dump| dump.eq_ignore_ascii_case(last))
}

/// Whether a byte can stand in the row of names.
fn is_of_names(byte: &u8) -> bool {
    matches!(
        byte,
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | 0x80.. | b'_' | b'.' | b'@' | b'-' | b'/'
            | b' ' | b'[' | b']' | b',' | b';' | b'\t' | b'"'
    )
}

/// The name of a column: `@timestamp`, `kubernetes.pod.name`, `TimeGenerated [UTC]`.
fn name(field: &[u8]) -> Option<String> {
    let text = std::str::from_utf8(field).ok()?;
    let starts = text.starts_with(|char: char| char.is_alphabetic() || "_@".contains(char));
    (starts && !text.contains([',', ';', '\t'])).then(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Vec<String> {
        let mut table = Table::of(text.lines().next().unwrap().as_bytes()).expect("a table");
        let mut read = Vec::new();
        for line in text.lines() {
            read.push(match table.line(line.as_bytes()) {
                Use::Held => "held".to_owned(),
                Use::Record(records) => described(&records),
                Use::Over(lines) => format!("over {}", String::from_utf8_lossy(&lines)),
                Use::Cut(lost, records) => {
                    format!("cut {} {}", described(&lost), described(&records))
                }
                Use::Foreign => "foreign".to_owned(),
            });
        }
        read.push(described(&table.end_input()));
        read
    }

    fn described(records: &Records<'_>) -> String {
        let text = |text: &[u8]| String::from_utf8_lossy(text).into_owned();
        let fields = records.leaves.iter();
        let fields: Vec<String> =
            fields.map(|leaf| format!("{}={}", records.path(leaf), text(&leaf.text))).collect();
        fields.join("|")
    }

    #[test]
    fn rows_have_the_fields_of_the_first_one() {
        for (text, expected) in [
            (
                "Time,Line,labels\n1,main.f(),\"{\"\"a\"\":\"\"b\"\"}\"\n2,\"main.f(0x1, 0x2)\",\r\n3,,x\n",
                &[
                    "held",
                    "Time=1|Line=main.f()|labels={\"a\":\"b\"}|a=b",
                    "Time=2|Line=main.f(0x1, 0x2)|labels=",
                    "Time=3|Line=|labels=x",
                    "",
                ][..],
            ),
            (
                "\"Date\";\"Message\"\n\"1\";\"a\n\nb \"\"c\"\"\n\"\n\"2\";\"d",
                &[
                    "held",
                    "held",
                    "held",
                    "held",
                    "Date=1|Message=a\n\nb \"c\"\n",
                    "held",
                    "Date=2|Message=d\n",
                ],
            ),
            (
                "jsonPayload.message\ttextPayload\n\ta\nb\t\n\t\n",
                &[
                    "held",
                    "textPayload=a",
                    "jsonPayload.message=b",
                    "jsonPayload.message=|textPayload=",
                    "",
                ],
            ),
        ] {
            assert_eq!(read(text), expected, "{text}");
        }
    }

    #[test]
    fn what_is_left_of_a_row_starts_or_ends_as_the_last_one_or_is_of_a_dump() {
        let mut table = Table::of(b"Time,Line,Pod").unwrap();
        for line in ["Time,Line,Pod", "10:00:01,\"", "main.f()\",web-1"] {
            table.line(line.as_bytes());
        }
        for (line, is_damaged) in [
            ("10:0", true),
            ("10:00:02,main.f", true),
            ("n.f()\",web-1", true),
            ("main.f()", true),
            ("\t/src/a.go:3 +0x1d", true),
            ("", false),
            ("10 rows", false),
            ("Thanks, Bob", false),
            ("main.f() failed", false),
        ] {
            assert_eq!(table.is_damaged(line.as_bytes()), is_damaged, "{line}");
        }
    }

    #[test]
    fn the_last_row_can_be_cut_in_any_column() {
        for (cut, record) in [
            ("10,\"a", "Time=10|Line=a\n|Pod="),
            ("10,\"a\",\"", "Time=10|Line=a|Pod=\n"),
            ("10,\"a\",\"b", "Time=10|Line=a|Pod=b\n"),
        ] {
            assert_eq!(read(&format!("Time,Line,Pod\n{cut}"))[1..], ["held", record]);
            let more = read(&format!("Time,Line,Pod\n09,x,y\n{cut}\n11,b,c\n"));
            let more_than_it = format!("cut {record} Time=11|Line=b|Pod=c");
            assert_eq!(more[2..], ["held", &more_than_it, ""]);
        }
    }

    #[test]
    fn what_a_row_takes_is_bounded() {
        assert_eq!(fields(&vec![b','; 1 << 20], b',', unquoted), None);
        assert!(Table::of(&[&b"message,"[..], &b"x".repeat(NAMES)].concat()).is_none());
        let mut table = Table::of(b"time,message").unwrap();
        for line in ["time,message", "1,\"x"] {
            assert!(matches!(table.line(line.as_bytes()), Use::Held));
        }
        let long = vec![b'x'; 1 << 20];
        let held = (0..).take_while(|_| matches!(table.line(&long), Use::Held)).count();
        assert_eq!((held, table.held.len()), (LIMITS.json_document / long.len() - 1, 0));
    }

    #[test]
    fn rows_with_other_fields_are_none() {
        for (line, used) in [
            ("2,b", "Time=2|Line=b"),
            ("2,b,c", "foreign"),
            ("2", "foreign"),
            ("", "foreign"),
            ("{\"x\":1,2", "foreign"),
            ("{\"x\":1,\"2", "foreign"),
            ("2,\"b\"c", "foreign"),
            ("2,\"b\"\"", "held"),
            ("2,\"\\tb \\\"c\\\", \"", "Time=2|Line=\tb \"c\", "),
            ("2,\"\\t/a.go:3 +0x1d\"", "Time=2|Line=\t/a.go:3 +0x1d"),
            ("\u{feff}Time,Line", "held"),
            ("2,\"b \\\"c\"", "Time=2|Line=b \"c"),
            ("2,\"C:\\new\\t\"", "Time=2|Line=C:\\new\\t"),
            ("2,3,\"b", "foreign"),
        ] {
            let expected = ["held", "Time=1|Line=a", used];
            assert_eq!(read(&format!("Time,Line\n1,a\n{line}\n"))[..3], expected, "{line}");
        }
        let text = "Line,Pod\na,x1\nb,\"x2\nc,goroutine 7\na,x3\n";
        let lost = "cut Line=b,\"x2\nc,goroutine 7\n Line=a|Pod=x3";
        assert_eq!(read(text)[2..5], ["held", "held", lost]);
        let text = "Time,Line\n1,a\n4,\"e\n5,f\"\"\n6,\"x\n";
        let crash = "Time,Line\n1,a\npanic: boom\na, b\n";
        assert_eq!(read(crash)[2..4], ["over ", "Time=a|Line= b"]);
        let over = "over 4,\"e\n5,f\"\"\n";
        assert_eq!(read(text), ["held", "Time=1|Line=a", "held", "held", over, ""]);
        assert_eq!(read("Time,Line\n1,a,b\n"), ["held", "over Time,Line\n", ""]);
        for line in [
            "",
            "message",
            "Hello, message",
            "2026,message",
            "a,b",
            "main.f(0x1, text)",
            "x=1,message",
        ] {
            assert!(Table::of(line.as_bytes()).is_none(), "{line}");
        }
    }
}
