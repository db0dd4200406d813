//! Calls, traces and labels with their values, as text and as JSON.

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
use crate::view::calls::callers::{Function, Listing, Tree};
use crate::view::table::key::Key;
use crate::view::values::options::ValueOptions;
use std::io::{self, Write};

/// The formats of calls; the first one is the default.
pub const OFFERED: [Output; 2] = [Output::Table, Output::Json];

/// The rows of a report.
#[derive(Debug)]
pub enum Calls {
    /// Functions with callers and callees.
    Functions(Vec<Function>),
    /// The tree of calls.
    Tree(Tree),
    /// Stacks with values.
    Traces(Vec<Trace>),
    /// Labels with values.
    Tags(Vec<Tag>),
    /// Lines of source with values.
    List(Vec<Listing>),
}

/// The rows of a report, and how they are written.
#[derive(Debug)]
pub struct Report {
    /// The name of the view.
    pub view: &'static str,
    /// The rows.
    pub calls: Calls,
    /// How many of these the view has left out.
    pub left_out: usize,
    /// The keys that distinguish frames.
    pub by: Vec<Key>,
    /// How values are written.
    pub value_options: ValueOptions,
    /// At most this many functions, branches or stacks.
    pub limit: Option<usize>,
    /// Which code is own code, which is highlighted.
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
/// The error of writing to `out`.
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

/// The texts of a report's values.
fn values<'a>(profile: &Profile, report: &'a Report) -> Values<'a> {
    let rows: Box<dyn Iterator<Item = (i128, i128)>> = match &report.calls {
        Calls::Functions(functions) => Box::new(functions.iter().map(|it| (it.flat, it.cum))),
        Calls::Tree(tree) => Box::new(tree.branches().map(|it| (it.flat, it.cum))),
        Calls::Traces(traces) => Box::new(traces.iter().map(|trace| (trace.value, 0))),
        Calls::List(listings) => {
            Box::new(listings.iter().flat_map(|listing| listing.lines.values().copied()))
        }
        Calls::Tags(tags) => {
            let values = tags.iter().flat_map(|tag| &tag.values);
            Box::new(values.map(|(_, value)| (*value, 0)))
        }
    };
    Values::new(profile, &report.value_options, rows)
}
