//! What `summarize` found, in every format that it offers.

mod cells;
mod json;
mod markdown;
mod measured;
mod measured_json;
mod text;
mod verdict;

use super::Output;
use super::terminal::Screen;
use crate::profile::Profile;
use crate::verdict::Verdict;
use crate::view::summary::Summary;
use std::io::{self, Write};

/// The formats of a summary; the first one is the default.
pub const OFFERED: [Output; 5] =
    [Output::Table, Output::Json, Output::Ndjson, Output::Csv, Output::Markdown];

/// Writes a summary.
pub fn write(
    output: Output,
    profile: &Profile,
    summary: &Summary,
    verdict: &Verdict,
    screen: &Screen,
    out: &mut dyn Write,
) -> io::Result<()> {
    match output {
        Output::Json => json::document(profile, summary, verdict, out),
        Output::Ndjson => json::lines(profile, summary, verdict, out),
        Output::Csv => cells::write_csv(summary, out),
        Output::Markdown => markdown::write(profile, summary, verdict, out),
        _ => text::write(profile, summary, verdict, screen, out),
    }
}
