//! `-o html`: the page, a single file with the selected data and the code that shows it.
//!
//! The code is built from `page/` and committed, so building this crate needs no Node. The data is gzipped
//! and in base64: the only text from inputs in the markup is the title, which is escaped.

mod columns;
mod naming;
mod pack;

use super::check;
use super::command::CommandLine;
use super::diff;
use super::flamegraph::markup;
use super::summary::{self, linked_lines};
use super::waits::Graph;
use super::{Output, terminal::Screen};
use crate::rules::RuleSet;
use crate::verdict::Verdict;
use crate::view::diff::Diff;
use crate::view::goroutines::export::Export;
use crate::view::table::summary::Summary;
use columns::Columns;
use std::io::{self, Write};

/// The page without its data, as `npm run build` makes it.
const PAGE: &str = include_str!("../../../page/page.html");

/// The placeholders for the title and the data.
const TITLE: &str = "{{title}}";
const DATA: &str = "{{data}}";

/// What a page shows first: the result of the command.
#[derive(Clone, Copy, Debug)]
pub enum Opens<'a> {
    /// The list of stacks.
    Stacks,
    /// The table of a summary.
    Summary(&'a Summary),
    /// The changes from the first point to the last.
    Changes(&'a Diff),
    /// The findings of a check.
    Findings(check::Shown<'a>),
}

impl Opens<'_> {
    /// The name that the page uses.
    fn name(&self) -> &'static str {
        match self {
            Opens::Stacks => "stacks",
            Opens::Summary(_) => "summary",
            Opens::Changes(_) => "changes",
            Opens::Findings(_) => "findings",
        }
    }
}

/// The contents of a page.
#[derive(Debug)]
pub struct Page<'a> {
    /// The title.
    pub title: &'a str,
    /// The names of the points in time; a single one if nothing is compared.
    pub points: &'a [String],
    /// What the page shows first.
    pub opens: Opens<'a>,
    /// The selected goroutines or samples.
    pub export: &'a Export<'a>,
    /// The verdict ...
    pub verdict: &'a Verdict,
    /// ... and the sums that are told beside it.
    pub total: &'a Summary,
    /// The rules that named the stacks.
    pub rules: &'a RuleSet,
    /// The findings; `None` if the profile doesn't count goroutines.
    pub check: Option<check::Shown<'a>>,
    /// Who waits for whom.
    pub waits: Graph<'a>,
}

impl Page<'_> {
    /// Writes the page.
    ///
    /// # Errors
    /// The error of writing to `out`.
    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let (head, rest) = PAGE.split_once(TITLE).ok_or_else(broken)?;
        let (middle, tail) = rest.split_once(DATA).ok_or_else(broken)?;
        out.write_all(head.as_bytes())?;
        markup::text(&markup::Text::new(self.title.as_bytes()), out)?;
        out.write_all(middle.as_bytes())?;
        pack::write(out, |out| self.document(out))?;
        out.write_all(tail.as_bytes())
    }

    /// A summary as it is written. Who opens the page may have neither the inputs nor their paths: it shows
    /// no commands.
    fn shown<'s>(&'s self, summary: &'s Summary) -> summary::Shown<'s> {
        const NO_COMMANDS: &CommandLine =
            &CommandLine { options: Vec::new(), inputs: Vec::new(), is_open: false };
        let (profile, verdict) = (self.export.profile, self.verdict);
        summary::Shown { profile, summary, verdict, command_line: NO_COMMANDS }
    }

    /// `{"page": ..., "check": ..., "waits": ..., "summary": ..., "diff": ...}`
    fn document(&self, out: &mut dyn Write) -> io::Result<()> {
        out.write_all(b"{\"page\":")?;
        let verdict = linked_lines(&self.shown(self.total));
        serde_json::to_writer(&mut *out, &Columns::of(self, &verdict))?;
        if let Some(check) = self.check {
            out.write_all(b",\"check\":")?;
            check.write(Output::Json, &Screen::PIPE, out)?;
        }
        out.write_all(b",\"waits\":")?;
        self.waits.write(Output::Json, &Screen::PIPE, out)?;
        match self.opens {
            Opens::Summary(summary) => {
                out.write_all(b",\"summary\":")?;
                self.shown(summary).write(Output::Json, &Screen::PIPE, out)?;
            }
            Opens::Changes(diff) => {
                out.write_all(b",\"diff\":")?;
                let (profile, names) = (self.export.profile, self.export.names);
                diff::write(Output::Json, (profile, names), diff, true, &Screen::PIPE, out)?;
            }
            Opens::Stacks | Opens::Findings(_) => {}
        }
        out.write_all(b"}")
    }
}

fn broken() -> io::Error {
    io::Error::other("the page was built without a place for its data")
}
