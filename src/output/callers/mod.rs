//! Calls, traces and labels with their values, for people and as JSON.

mod json;
mod text;

use super::Output;
use super::terminal::Screen;
use crate::profile::{Profile, unit};
use crate::view::callers::tags::Tag;
use crate::view::callers::traces::Trace;
use crate::view::callers::{Branch, Function};
use crate::view::figures::Figures;
use crate::view::key::Key;
use std::io::{self, Write};

/// The formats of these; the first one is the default.
pub const OFFERED: [Output; 2] = [Output::Table, Output::Json];

/// What is to be written.
#[derive(Debug)]
pub enum Calls {
    /// Functions with callers and callees.
    Peek(Vec<Function>),
    /// The tree of calls, and how many of it were left out.
    Tree(Vec<Branch>, usize),
    /// Stacks with values.
    Traces(Vec<Trace>),
    /// Labels with values.
    Tags(Vec<Tag>),
}

/// What is written, and how its values are.
#[derive(Debug)]
pub struct Report {
    /// What is to be written.
    pub calls: Calls,
    /// What frames are told apart by.
    pub by: Vec<Key>,
    /// How values are written.
    pub figures: Figures,
    /// At most so many functions, branches or stacks.
    pub limit: Option<usize>,
}

impl Report {
    fn whole(&self) -> i128 {
        self.figures.whole.unwrap_or(0)
    }

    fn limit(&self) -> usize {
        self.limit.unwrap_or(usize::MAX)
    }
}

/// Writes a report.
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

/// Writes values as people read them, each in the unit that suits it best.
struct Values<'a> {
    figures: &'a Figures,
    from: String,
}

impl<'a> Values<'a> {
    fn new(profile: &Profile, figures: &'a Figures) -> Values<'a> {
        let from = String::from_utf8_lossy(profile.value_name().1).into_owned();
        Values { figures, from }
    }

    fn text(&self, value: i128) -> String {
        let value = self.figures.divided(value);
        match self.figures.unit.as_deref() {
            Some(to) => unit::label(value, &self.from, to),
            None => super::measure::measured(value, &self.from),
        }
    }
}
