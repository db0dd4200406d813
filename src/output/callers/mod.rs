//! Calls, traces and labels with their values, for people and as JSON.

mod json;
mod text;

use super::Output;
use super::measure::Values;
use super::terminal::Screen;
use crate::leak::Own;
use crate::profile::Profile;
use crate::profile::modules::Modules;
use crate::view::calls::callers::tags::Tag;
use crate::view::calls::callers::traces::Trace;
use crate::view::calls::callers::{Branch, Function, Listing};
use crate::view::table::key::Key;
use crate::view::values::options::ValueOptions;
use std::io::{self, Write};

/// The formats of these; the first one is the default.
pub const OFFERED: [Output; 2] = [Output::Table, Output::Json];

/// What is to be written.
#[derive(Debug)]
pub enum Calls {
    /// Functions with callers and callees.
    Peek(Vec<Function>),
    /// All functions with callers and callees, and how many of them were left out.
    Graph(Vec<Function>, usize),
    /// The tree of calls, and how many of it were left out.
    Tree(Vec<Branch>, usize),
    /// Stacks with values.
    Traces(Vec<Trace>),
    /// Labels with values.
    Tags(Vec<Tag>),
    /// Lines of source with values.
    List(Vec<Listing>),
}

/// What is written, and how its values are.
#[derive(Debug)]
pub struct Report {
    /// What is to be written.
    pub calls: Calls,
    /// What frames are told apart by.
    pub by: Vec<Key>,
    /// How values are written.
    pub value_options: ValueOptions,
    /// At most so many functions, branches or stacks.
    pub limit: Option<usize>,
    /// Which code is one's own, which stands out.
    pub own: Own,
}

impl Report {
    fn whole(&self) -> i128 {
        self.value_options.whole.unwrap_or(0)
    }

    fn is_own(&self, modules: &Modules, function: &str, place: &str) -> bool {
        self.own.is_own(modules, function.as_bytes(), place.as_bytes())
    }

    fn limit(&self) -> usize {
        self.limit.unwrap_or(usize::MAX)
    }
}

/// Writes a report.
///
/// # Errors
/// What writing to `out` fails with.
pub fn write(
    output: Output,
    profile: &Profile,
    report: &Report,
    screen: &Screen,
    out: &mut dyn Write,
) -> io::Result<()> {
    match output {
        Output::Json => json::write(profile, report, out),
        _ => text::write(profile, report, screen, out),
    }
}

/// How the values of a report are written.
fn values<'a>(profile: &Profile, report: &'a Report) -> Values<'a> {
    let rows: Vec<(i128, i128)> = match &report.calls {
        Calls::Peek(functions) | Calls::Graph(functions, _) => {
            functions.iter().map(|function| (function.flat, function.cum)).collect()
        }
        Calls::Tree(branches, _) => {
            branches.iter().map(|branch| (branch.flat, branch.cum)).collect()
        }
        Calls::Traces(traces) => traces.iter().map(|trace| (trace.value, 0)).collect(),
        Calls::List(listings) => {
            listings.iter().flat_map(|listing| listing.lines.values().copied()).collect()
        }
        Calls::Tags(tags) => {
            let values = tags.iter().flat_map(|tag| &tag.values);
            values.map(|(_, value)| (*value, 0)).collect()
        }
    };
    Values::new(profile, &report.value_options, rows.into_iter())
}
