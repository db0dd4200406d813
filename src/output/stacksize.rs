//! Stack memory by code, in every format that `stacksize` offers.

use super::Output;
use super::csv::{Columns, maybe, number, text};
use super::document;
use super::line::{self, line};
use super::measure::measured;
use super::numbers::{counted, percent, thousands};
use super::summary::of_key;
use super::table::{Column, Content, Table};
use super::terminal::{Paint, Screen};
use crate::profile::Profile;
use crate::view::inputs::Inputs;
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
            Output::Json => self.json(out),
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

    fn json(&self, out: &mut dyn Write) -> io::Result<()> {
        let view = self.view;
        let numbers = |sizes: &Sizes| {
            [
                ("goroutines", sizes.goroutines),
                ("used", sizes.used),
                ("least", sizes.least),
                ("most", sizes.most),
                ("truncated", sizes.truncated),
            ]
        };
        let object = |fields: Vec<(String, Value)>, sizes: &Sizes| {
            let allocated = sizes.allocated().map(|bytes| ("allocated", bytes));
            let numbers = numbers(sizes).into_iter().chain(allocated);
            let numbers = numbers.map(|(name, number)| (name.to_owned(), json!(Count(number))));
            Value::Object(fields.into_iter().chain(numbers).collect::<Map<_, _>>())
        };
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
        let sizes = view.sizes.iter();
        let sizes: Vec<Value> = sizes
            .map(|(bytes, of)| json!({"bytes": bytes, "goroutines": Count(of.goroutines)}))
            .collect();
        let rows = self.rows().into_iter().map(|(fields, sizes)| object(fields, sizes));
        let document = json!({
            "schema": "stackgazer.stacksize/1",
            "inputs": Inputs { profile: self.profile, points: None },
            "by": by,
            "total": object(Vec::new(), &view.total),
            "unknown": Count(view.unknown),
            "stack_inuse": stack_inuse,
            "left_out": view.left_out,
            "rows": rows.collect::<Vec<_>>(),
            "sizes": sizes,
        });
        document::write(&document, out)
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
        let number = |heading: &str| Column::new(Content::Number, heading);
        let mut columns = if of_frames {
            vec![number("SELF"), number("CUM")]
        } else {
            match total.allocated() {
                Some(_) => vec![number("USED"), number("ALLOCATED")],
                None => vec![number("USED"), number("LEAST"), number("MOST")],
            }
        };
        columns.extend([number("COUNT"), number("EACH")]);
        let shown: Vec<(usize, &Key)> = by
            .iter()
            .enumerate()
            .filter(|(_, key)| !matches!(key, Key::Stack | Key::Id | Key::Shape))
            .collect();
        columns.extend(shown.iter().map(|(_, key)| of_key(key)));
        let with_name = !of_frames && !by.contains(&Key::Name);
        if with_name {
            columns.push(Column::new(Content::Name, "STACK"));
        }
        let mut table = Table::new(columns);
        for row in rows {
            let Sizes { goroutines, used, least, most, truncated, .. } = row.sizes;
            let mark = if truncated > 0 { "+" } else { "" };
            let mut cells = match of_frames {
                true => vec![bytes(row.own), bytes(used)],
                // If allocated sizes are known, least and most are equal to them.
                false if total.allocated().is_some() => vec![bytes(used) + mark, bytes(least)],
                false => vec![bytes(used) + mark, bytes(least) + mark, bytes(most) + mark],
            };
            let each = if of_frames { row.own } else { used };
            cells.extend([thousands(goroutines), bytes(each / goroutines.max(1)) + mark]);
            let keys = shown.iter().map(|(at, _)| row.keys[*at].as_deref().unwrap_or_default());
            cells.extend(keys.map(str::to_owned));
            if with_name {
                cells.push(row.name.clone());
            }
            table.row(cells);
        }
        table.write(screen, out)?;
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
