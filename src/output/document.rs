//! JSON documents: what they all start with, and how they are written, as one object or in lines.

use crate::profile::Profile;
use crate::view::inputs::{Inputs, Unread};
pub(super) use crate::view::rows::without_null;
use serde::Serialize;
use serde_json::Value;
use std::io::{self, Write};

/// A document: its schema, its inputs, what couldn't be read of them, then its own fields, and lists of
/// rows at the end.
pub(super) struct Document<'a, T: Serialize = Value> {
    head: Head<'a, T>,
    lists: Vec<List<'a>>,
}

#[derive(Serialize)]
struct Head<'a, T: Serialize> {
    schema: &'static str,
    inputs: Inputs<'a>,
    #[serde(flatten)]
    unread: Unread<'a>,
    #[serde(flatten)]
    own: T,
}

/// Rows of one kind. They are made while they are written, so a million of them are never in memory at
/// once.
struct List<'a> {
    /// The name of the document's field.
    name: &'static str,
    /// The type of a row that is written as a line.
    r#type: &'static str,
    rows: Box<dyn Iterator<Item = Box<dyn Row + 'a>> + 'a>,
}

trait Row {
    fn write(&self, out: &mut dyn Write) -> io::Result<()>;
}

impl<T: Serialize> Row for T {
    fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        Ok(serde_json::to_writer(out, self)?)
    }
}

impl<'a, T: Serialize> Document<'a, T> {
    pub(super) fn new(schema: &'static str, profile: &'a Profile, own: T) -> Document<'a, T> {
        let inputs = Inputs { profile, points: None };
        let head = Head { schema, inputs, unread: Unread::of(profile), own };
        Document { head, lists: Vec::new() }
    }

    /// Writes the inputs by point, each with the name of its point.
    pub(super) fn at_points(mut self, points: Vec<&'a str>) -> Document<'a, T> {
        self.head.inputs.points = Some(points);
        self
    }

    /// Adds a field with a list of rows; `type` is that of rows written as lines.
    pub(super) fn list<R: Serialize + 'a>(
        mut self,
        name: &'static str,
        r#type: &'static str,
        rows: impl Iterator<Item = R> + 'a,
    ) -> Document<'a, T> {
        let rows = Box::new(rows.map(|row| -> Box<dyn Row + 'a> { Box::new(row) }));
        self.lists.push(List { name, r#type, rows });
        self
    }

    /// Writes the document as one object on a line.
    pub(super) fn write(self, out: &mut dyn Write) -> io::Result<()> {
        // The lists go before the brace that ends the head.
        serde_json::to_writer(WithoutLast { out: &mut *out, last: None }, &self.head)?;
        for List { name, rows, .. } in self.lists {
            write!(out, ",\"{name}\":[")?;
            for (at, row) in rows.enumerate() {
                if at > 0 {
                    out.write_all(b",")?;
                }
                row.write(out)?;
            }
            out.write_all(b"]")?;
        }
        out.write_all(b"}\n")
    }

    /// Writes the head as a line of type `inputs`, then a line for each row.
    pub(super) fn write_lines(self, out: &mut dyn Write) -> io::Result<()> {
        #[derive(Serialize)]
        struct Line<'a, T> {
            r#type: &'static str,
            #[serde(flatten)]
            head: &'a T,
        }
        write(&Line { r#type: "inputs", head: &self.head }, out)?;
        self.write_rows(out)
    }

    /// Writes a line for each row.
    pub(super) fn write_rows(self, out: &mut dyn Write) -> io::Result<()> {
        for List { r#type, rows, .. } in self.lists {
            for row in rows {
                typed(out, r#type, &*row)?;
            }
        }
        Ok(())
    }
}

/// Writes a document on a line.
pub(super) fn write(document: &impl Serialize, out: &mut dyn Write) -> io::Result<()> {
    serde_json::to_writer(&mut *out, document)?;
    out.write_all(b"\n")
}

/// Writes an object on a line, with its type as the first field.
pub(super) fn line(out: &mut dyn Write, r#type: &str, row: &impl Serialize) -> io::Result<()> {
    typed(out, r#type, row)
}

/// Writes everything but the last byte.
struct WithoutLast<'a> {
    out: &'a mut dyn Write,
    last: Option<u8>,
}

impl Write for WithoutLast<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if let Some((&last, others)) = bytes.split_last() {
            if let Some(before) = self.last.replace(last) {
                self.out.write_all(&[before])?;
            }
            self.out.write_all(others)?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

fn typed(out: &mut dyn Write, r#type: &str, row: &dyn Row) -> io::Result<()> {
    // Most rows fit: growing step by step was 5 % of an export.
    let mut object = Vec::with_capacity(4 << 10);
    row.write(&mut object)?;
    write!(out, "{{\"type\":\"{}\",", r#type)?;
    // Without the brace that starts it.
    out.write_all(object.get(1..).unwrap_or_default())?;
    out.write_all(b"\n")
}
