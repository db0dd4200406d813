//! Stack memory by code, in every format that `stacksize` offers.

use super::Output;
use super::columns::{RowColumn, table};
use super::csv::{Columns, maybe, number, text};
use super::document::Document;
use super::line::{self, line};
use super::measure::measured;
use super::numbers::{counted, percent, thousands};
use super::summary::of_key;
use super::table::{Column, Content, Table};
use super::terminal::{Paint, Screen};
use crate::profile::Profile;
use crate::view::rows::Count;
use crate::view::stacksize::{Row, Sizes, Stacksize};
use crate::view::table::key::Key;
use serde_json::{Map, Value, json};
use std::io::{self, Write};

/// The formats of `stacksize`; the first one is the default.
pub const OFFERED: [Output; 3] = [Output::Table, Output::Json, Output::Csv];

/// The sizes of stacks and how they are shown.
#[derive(Debug)]
pub struct Shown<'a> {
    /// The profile with the goroutines.
    pub profile: &'a Profile,
    /// The sizes of their stacks.
    pub view: &'a Stacksize,
    /// Whether there is a row for each size of stack.
    pub by_size: bool,
    /// The size of all stacks according to the runtime, and the input that has it.
    pub stack_inuse: Option<(u64, String)>,
}

impl Shown<'_> {
    /// Writes the sizes.
    ///
    /// # Errors
    /// The error of writing to `out`.
    pub fn write(&self, output: Output, screen: &Screen, out: &mut dyn Write) -> io::Result<()> {
        match output {
            Output::Json => self.document().write(out),
            Output::Csv => self.csv(out),
            _ => self.table(screen, out),
        }
    }

    /// A sentence that compares the runtime's number with the sum of the stacks.
    fn reconciled(&self) -> Option<String> {
        let (bytes, _) = self.stack_inuse.as_ref()?;
        let (bytes, least) = (i128::from(*bytes), self.view.total.least);
        Some(format!(
            "StackInuse is {}, of which what these goroutines need explains {}; the rest is what recent peaks and \
             dead goroutines left, and threads: take it again after 3 to 5 collections",
            measured(bytes, "bytes"),
            percent(least, bytes),
        ))
    }

    fn rows(&self) -> Vec<(Vec<(String, Value)>, &Sizes)> {
        let Stacksize { by, rows, sizes, .. } = self.view;
        if self.by_size {
            return sizes
                .iter()
                .map(|(size, of)| (vec![("size".to_owned(), json!(size))], of))
                .collect();
        }
        let row = |row: &Row| {
            let keys = by.iter().map(Key::name).zip(row.keys.iter().map(|key| json!(key)));
            let mut fields: Vec<(String, Value)> = keys.collect();
            match self.view.of_frames() {
                true => fields.push(("self".to_owned(), json!(Count(row.own)))),
                false => fields.push(("name".to_owned(), json!(row.name))),
            }
            fields
        };
        rows.iter().map(|of| (row(of), &of.sizes)).collect()
    }

    fn document(&self) -> Document<'_> {
        let view = self.view;
        let by: Vec<String> = match self.by_size {
            true => vec!["size".to_owned()],
            false => view.by.iter().map(Key::name).collect(),
        };
        let stack_inuse = self.stack_inuse.as_ref().map(|(bytes, source)| {
            json!({
                "bytes": bytes,
                "source": source,
                "explained": Count(view.total.least),
                "text": self.reconciled(),
            })
        });
        let own = json!({
            "by": by,
            "total": object(Vec::new(), &view.total),
            "unknown": Count(view.unknown),
            "stack_inuse": stack_inuse,
            "left_out": view.left_out,
        });
        let rows = self.rows().into_iter().map(|(fields, sizes)| object(fields, sizes));
        let sizes = view.sizes.iter();
        let sizes =
            sizes.map(|(bytes, of)| json!({"bytes": bytes, "goroutines": Count(of.goroutines)}));
        Document::new("stackgazer.stacksize/1", self.profile, own)
            .list("rows", "row", rows)
            .list("sizes", "size", sizes)
    }

    fn csv(&self, out: &mut dyn Write) -> io::Result<()> {
        let keys: Vec<String> = match (self.by_size, self.view.of_frames()) {
            (true, _) => vec!["size".to_owned()],
            (false, frames) => {
                let last = if frames { "self" } else { "name" };
                self.view.by.iter().map(Key::name).chain([last.to_owned()]).collect()
            }
        };
        let rows: Vec<_> =
            self.rows().into_iter().map(|(fields, sizes)| (fields, *sizes)).collect();
        let mut columns = Columns::<&(Vec<(String, Value)>, Sizes)>::default();
        for (at, key) in keys.into_iter().enumerate() {
            columns.add(key, move |(fields, _)| match fields.get(at) {
                Some((_, Value::String(value))) => text(value),
                None | Some((_, Value::Null)) => Vec::new(),
                Some((_, other)) => number(other),
            });
        }
        columns.add("goroutines", |(_, sizes)| number(sizes.goroutines));
        columns.add("used", |(_, sizes)| number(sizes.used));
        columns.add("least", |(_, sizes)| number(sizes.least));
        columns.add("most", |(_, sizes)| number(sizes.most));
        columns.add("truncated", |(_, sizes)| number(sizes.truncated));
        columns.add("allocated", |(_, sizes)| maybe(sizes.allocated()));
        columns.write(&rows, out)
    }

    fn table(&self, screen: &Screen, out: &mut dyn Write) -> io::Result<()> {
        let Stacksize { total, unknown, by, rows, left_out, sizes } = self.view;
        if self.profile.inputs.is_empty() {
            return Ok(());
        }
        let bytes = |value: i128| measured(value, "bytes");
        let allocated = match total.allocated() {
            Some(allocated) => format!("{} allocated", bytes(allocated)),
            None => {
                format!("{} allocated at least, {} at most", bytes(total.least), bytes(total.most))
            }
        };
        let goroutines = counted(total.goroutines, "goroutine");
        let head = format!("{goroutines}: {} of stack in use, {allocated}", bytes(total.used));
        writeln!(out, "{}\n", screen.paint(Paint::Strong, head))?;
        let listed = sizes
            .iter()
            .rev()
            .map(|(&size, of)| format!("{} × {}", thousands(of.goroutines), bytes(size.into())));
        let sizes = listed.collect::<Vec<_>>().join(" · ");
        let mut lines = vec![line("sizes", Paint::Plain, sizes)];
        if total.truncated > 0 {
            let cut = counted(total.truncated, "stack");
            let text = format!("{cut} of them: calls are missing, so that more is in use");
            lines.push(line("cut", Paint::Plain, text));
        }
        if *unknown > 0 {
            let more = counted(*unknown, "goroutine");
            let text = format!("of {more} more nothing tells the stack");
            lines.push(line("unknown", Paint::Plain, text));
        }
        lines.extend(self.reconciled().map(|text| line("runtime", Paint::Plain, text)));
        line::write(&lines, screen, out)?;
        if rows.is_empty() {
            return Ok(());
        }
        writeln!(out)?;
        if self.by_size {
            return self.table_of_sizes(screen, out);
        }
        let of_frames = self.view.of_frames();
        let allocated = total.allocated().is_some();
        let mark = |row: &Row| if row.sizes.truncated > 0 { "+" } else { "" };
        let used = |row: &Row| bytes(row.sizes.used) + mark(row);
        let mut columns: Vec<RowColumn<'_, Row>> = if of_frames {
            let own = RowColumn::number("SELF", |row: &Row| bytes(row.own));
            vec![own, RowColumn::number("CUM", |row: &Row| bytes(row.sizes.used))]
        } else if allocated {
            let least = RowColumn::number("ALLOCATED", |row: &Row| bytes(row.sizes.least));
            vec![RowColumn::number("USED", used), least]
        } else {
            let least = RowColumn::number("LEAST", |row: &Row| bytes(row.sizes.least) + mark(row));
            let most = RowColumn::number("MOST", |row: &Row| bytes(row.sizes.most) + mark(row));
            vec![RowColumn::number("USED", used), least, most]
        };
        columns.push(RowColumn::number("COUNT", |row: &Row| thousands(row.sizes.goroutines)));
        columns.push(RowColumn::number("EACH", |row: &Row| {
            let each = if of_frames { row.own } else { row.sizes.used };
            bytes(each / row.sizes.goroutines.max(1)) + mark(row)
        }));
        for (at, key) in by.iter().enumerate() {
            // A hash means nothing to people.
            if !matches!(key, Key::Stack | Key::Id | Key::Shape) {
                let cell = move |row: &Row| row.keys[at].clone().unwrap_or_default();
                columns.push(RowColumn::new(of_key(key), cell));
            }
        }
        if !of_frames && !by.contains(&Key::Name) {
            let name = Column::new(Content::Name, "STACK");
            columns.push(RowColumn::new(name, |row: &Row| row.name.clone()));
        }
        table(&columns, rows).write(screen, out)?;
        match left_out {
            0 => Ok(()),
            more => writeln!(out, "... and {}", counted(*more as i128, "more row")),
        }
    }

    /// Writes how many stacks there are of each size, the largest first.
    fn table_of_sizes(&self, screen: &Screen, out: &mut dyn Write) -> io::Result<()> {
        let headings = ["SIZE", "COUNT", "USED", "LEAST", "MOST"];
        let mut table = Table::new(headings.map(|heading| Column::new(Content::Number, heading)));
        for (&size, &Sizes { goroutines, used, least, most, truncated, .. }) in
            self.view.sizes.iter().rev()
        {
            let bytes = |value: i128| measured(value, "bytes");
            let mark = if truncated > 0 { "+" } else { "" };
            let sums = [used, least, most].map(|value| bytes(value) + mark);
            table.row(
                [bytes(size.into()), thousands(goroutines)]
                    .into_iter()
                    .chain(sums)
                    .collect::<Vec<_>>(),
            );
        }
        table.write(screen, out)
    }
}

/// What goroutines take, behind what they have in common.
fn object(fields: Vec<(String, Value)>, sizes: &Sizes) -> Map<String, Value> {
    let numbers = [
        ("goroutines", Some(sizes.goroutines)),
        ("used", Some(sizes.used)),
        ("least", Some(sizes.least)),
        ("most", Some(sizes.most)),
        ("truncated", Some(sizes.truncated)),
        ("allocated", sizes.allocated()),
    ];
    let known = numbers
        .into_iter()
        .filter_map(|(name, number)| number.map(|number| (name.to_owned(), json!(Count(number)))));
    fields.into_iter().chain(known).collect()
}
