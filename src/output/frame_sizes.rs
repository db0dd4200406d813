//! The stack that calls of a binary's functions take, in every format that `stacksize --functions` offers.

use super::Output;
use super::csv::{Columns, number, text};
use super::numbers::{counted, thousands};
use super::table::{Column, Content, Table};
use super::terminal::{Paint, Screen};
use crate::view::stacksize::frame_sizes::{FrameSize, FrameSizes};
use std::io::{self, Write};

/// Writes the functions.
///
/// # Errors
/// The error of writing to `out`.
pub fn write(
    output: Output,
    view: &FrameSizes<'_>,
    screen: &Screen,
    out: &mut dyn Write,
) -> io::Result<()> {
    match output {
        Output::Json => super::document::write(view, out),
        Output::Csv => csv(view, out),
        _ => table(view, screen, out),
    }
}

fn table(view: &FrameSizes<'_>, screen: &Screen, out: &mut dyn Write) -> io::Result<()> {
    let go = view.binary.go.as_deref().unwrap_or("an unknown version of Go");
    let functions = counted(view.functions as i128, "function");
    let head = format!(
        "{} ({go}): what a call of each of its {functions} takes of a stack",
        view.binary.path
    );
    writeln!(out, "{}\n", screen.paint(Paint::Strong, screen.text(&head)))?;
    let mut table = Table::new([
        Column::new(Content::Number, "BYTES"),
        Column { dispensable: 1, ..Column::new(Content::Number, "START") },
        Column::new(Content::Name, "FUNCTION"),
    ]);
    for row in &view.rows {
        let func = String::from_utf8_lossy(&row.func()).into_owned();
        table.row([thousands(row.bytes.into()), format!("{:#x}", row.start.0), func]);
    }
    table.write(screen, out)?;
    match view.functions - view.rows.len() {
        0 => Ok(()),
        more => writeln!(out, "... {} not shown", counted(more as i128, "more function")),
    }
}

fn csv(view: &FrameSizes<'_>, out: &mut dyn Write) -> io::Result<()> {
    let mut columns: Columns<'_, &FrameSize<'_>> = Columns::default();
    columns.add("function", |row| text(row.func()));
    columns.add("start", |row| number(format!("{:#x}", row.start.0)));
    columns.add("end", |row| number(format!("{:#x}", row.end.0)));
    columns.add("bytes", |row| number(row.bytes));
    columns.write(&view.rows, out)
}
