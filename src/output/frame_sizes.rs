//! What calls of a binary's functions take of a stack, in every format that
//! `stacksize --functions` offers.

use super::Output;
use super::csv::{guard, io_error, rows};
use super::numbers::{counted, thousands};
use super::table::{Column, Holds, Table};
use super::terminal::{Paint, Screen};
use crate::view::frame_sizes::FrameSizes;
use std::io::{self, Write};

/// Writes them.
pub fn write(
    output: Output,
    view: &FrameSizes<'_>,
    screen: &Screen,
    out: &mut dyn Write,
) -> io::Result<()> {
    match output {
        Output::Json => {
            serde_json::to_writer(&mut *out, view)?;
            out.write_all(b"\n")
        }
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
    let mut table = Table::new(vec![
        Column::new(Holds::Number, "BYTES"),
        Column { dispensable: 1, ..Column::new(Holds::Number, "START") },
        Column::new(Holds::Name, "FUNCTION"),
    ]);
    for row in &view.rows {
        let func = row.func();
        let func = screen.text(&String::from_utf8_lossy(&func)).into_owned();
        table.row(vec![thousands(row.bytes.into()), format!("{:#x}", row.start.0), func]);
    }
    table.write(screen, out)?;
    match view.functions - view.rows.len() {
        0 => Ok(()),
        more => writeln!(out, "... {} not shown", counted(more as i128, "more function")),
    }
}

/// function,start,end,bytes
fn csv(view: &FrameSizes<'_>, out: &mut dyn Write) -> io::Result<()> {
    let mut rows = rows(out);
    rows.write_record(["function", "start", "end", "bytes"]).map_err(io_error)?;
    for row in &view.rows {
        let numbers =
            [format!("{:#x}", row.start.0), format!("{:#x}", row.end.0), row.bytes.to_string()];
        let [start, end, bytes] = &numbers;
        rows.write_record([
            &guard(&row.func()),
            start.as_bytes(),
            end.as_bytes(),
            bytes.as_bytes(),
        ])
        .map_err(io_error)?;
    }
    rows.flush()
}
