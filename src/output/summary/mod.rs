//! The result of `summarize`, in every format that it offers.

mod cells;
mod json;
mod linked;
mod markdown;
mod profile_text;
mod short;
mod stuck;
mod text;
mod verdict;

pub(super) use cells::{key_text, of_key};
pub use linked::{Linked, linked_lines};

use super::Output;
use super::command::CommandLine;
use super::terminal::Screen;
use crate::profile::Profile;
use crate::verdict::Verdict;
use crate::view::table::summary::Summary;
use std::io::{self, Write};

/// The formats of a summary; the first one is the default.
pub const OFFERED: [Output; 6] =
    [Output::Table, Output::Json, Output::Ndjson, Output::Csv, Output::Markdown, Output::Html];

/// A summary and everything that is written with it.
#[derive(Clone, Copy, Debug)]
pub struct Shown<'a> {
    /// The profile that was summarized.
    pub profile: &'a Profile,
    /// The table.
    pub summary: &'a Summary,
    /// The verdict.
    pub verdict: &'a Verdict,
    /// The present command line, for commands that show more.
    pub command_line: &'a CommandLine,
}

impl Shown<'_> {
    /// Writes a summary.
    ///
    /// # Errors
    /// The error of writing to `out`.
    pub fn write(&self, output: Output, screen: &Screen, out: &mut dyn Write) -> io::Result<()> {
        match output {
            Output::Json => json::document(self, false).write(out),
            Output::Ndjson => json::document(self, true).write_lines(out),
            Output::Csv => cells::write_csv(self.summary, out),
            Output::Markdown => markdown::write(self, out),
            _ => text::write(self, screen, out),
        }
    }
}
