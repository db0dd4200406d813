//! The result of `diff`, in every format that it offers.

mod cells;
mod csv;
mod headline;
mod json;
mod markdown;
mod spark;
mod text;

use super::Output;
use super::terminal::Screen;
use crate::profile::Profile;
use crate::rules::Names;
use crate::view::diff::{Diff, Row};
use std::io::{self, Write};

/// The formats of a diff; the first one is the default.
pub const OFFERED: [Output; 6] =
    [Output::Table, Output::Markdown, Output::Json, Output::Ndjson, Output::Csv, Output::Html];

/// Writes a diff. Tables leave out unchanged rows unless `all` is set.
///
/// # Errors
/// The error of writing to `out`.
pub fn write(
    output: Output,
    (profile, names): (&Profile, &Names),
    diff: &Diff,
    all: bool,
    screen: &Screen,
    out: &mut dyn Write,
) -> io::Result<()> {
    match output {
        Output::Json => json::document(profile, diff).write(out),
        Output::Ndjson => json::document(profile, diff).write_lines(out),
        Output::Csv => csv::write(diff, out),
        Output::Markdown => markdown::write(profile, names, diff, all, out),
        _ => text::write(diff, all, screen, out),
    }
}

/// The rows in a table.
fn shown(diff: &Diff, all: bool) -> impl Iterator<Item = &Row> {
    diff.rows.iter().filter(move |row| all || row.changed())
}
