//! The functions and places of addresses in a binary, in every format that `symbolize` offers.

use super::Output;
use super::csv::{Columns, maybe, text};
use super::debug2::one_line;
use super::table::{Column, Content, Table};
use super::terminal::Screen;
use crate::view::symbols::{Answers, OutermostFrame, Row, SymbolFrame, Symbols};
use std::io::{self, Write};
use std::rc::Rc;

/// The formats of `symbolize`; the first one is the default.
pub const OFFERED: [Output; 4] = [Output::Table, Output::Json, Output::Csv, Output::Addr2line];

/// Writes the answers as a document or a table.
///
/// # Errors
/// The error of writing to `out`.
pub fn write(
    output: Output,
    view: &Symbols<'_>,
    screen: &Screen,
    out: &mut dyn Write,
) -> io::Result<()> {
    match output {
        Output::Json => super::document::write(view, out),
        Output::Csv => csv(&view.rows, out),
        _ => table(&view.rows, screen, out),
    }
}

/// Writes an answer like `go tool addr2line`: the function with the code, then the place of the innermost
/// call; `:-1` for padding, `?:0` for anything that isn't Go code.
///
/// # Errors
/// The error of writing to `out`.
pub fn addr2line(place: Option<&OutermostFrame<'_>>, out: &mut dyn Write) -> io::Result<()> {
    let Some(place) = place else { return out.write_all(b"?\n?:0\n") };
    // Readers count lines: another line break in a name would shift all later answers.
    out.write_all(&one_line(&place.func))?;
    match &place.file {
        Some(file) => {
            out.write_all(b"\n")?;
            out.write_all(&one_line(file))?;
            writeln!(out, ":{}", place.line)
        }
        None => out.write_all(b"\n:-1\n"),
    }
}

/// A row for each call, the innermost first; the address is in the first one.
fn table(answers: &Answers<'_>, screen: &Screen, out: &mut dyn Write) -> io::Result<()> {
    let mut table = Table::new([
        Column::new(Content::Text, "ADDRESS"),
        Column::new(Content::Name, "FUNCTION"),
        Column::new(Content::Path, "PLACE"),
        Column { dispensable: 1, ..Column::new(Content::Path, "MODULE") },
    ]);
    for answer in answers.rows() {
        let mut address = address(&answer);
        if answer.frames.is_empty() {
            let why = if answer.address.is_some() { "not Go code" } else { "no such function" };
            let address = std::mem::take(&mut address);
            table.row([address, format!("? ({why})"), String::new(), String::new()]);
        }
        for frame in &answer.frames {
            let place = match &frame.file {
                Some(file) => format!("{}:{}", String::from_utf8_lossy(file), frame.line),
                None => "? (padding)".to_owned(),
            };
            let func = String::from_utf8_lossy(&frame.func);
            let module = frame.module.as_deref().unwrap_or_default();
            let address = std::mem::take(&mut address);
            table.row([address, func.into_owned(), place, module.to_owned()]);
        }
        // A hostile binary may have a thousand long names at each address.
        table.write_part(screen, out)?;
    }
    table.write(screen, out)
}

/// The address, or the text of the query if it isn't one.
fn address(answer: &Row<'_>) -> String {
    answer.address.map_or_else(|| answer.asked.clone(), |address| format!("{:#x}", address.0))
}

/// A row for each call; a row without a call if the address is unknown.
fn csv(answers: &Answers<'_>, out: &mut dyn Write) -> io::Result<()> {
    type Call<'a> = (Rc<Row<'a>>, usize);
    let rows = answers.rows().map(Rc::new).flat_map(|answer| {
        (0..answer.frames.len().max(1)).map(move |depth| (answer.clone(), depth))
    });
    fn frame<'r, 'a>((answer, depth): &'r Call<'a>) -> Option<&'r SymbolFrame<'a>> {
        answer.frames.get(*depth)
    }
    let mut columns: Columns<'_, Call<'_>> = Columns::default();
    columns.add("asked", |(answer, _)| text(&answer.asked));
    columns.add("address", |(answer, _)| {
        maybe(answer.address.map(|address| format!("{:#x}", address.0)))
    });
    columns.add("depth", move |call| maybe(frame(&call).map(|_| call.1)));
    columns.add("func", move |call| text(frame(&call).map_or(&b""[..], |frame| &frame.func)));
    columns.add("file", move |call| {
        text(frame(&call).and_then(|frame| frame.file.as_deref()).unwrap_or_default())
    });
    columns.add("line", move |call| maybe(frame(&call).map(|frame| frame.line)));
    columns.add("module", move |call| {
        text(frame(&call).and_then(|frame| frame.module.as_deref()).unwrap_or_default())
    });
    columns.write(rows, out)
}
