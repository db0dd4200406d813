//! What `check` found, in every format that it offers.

pub(super) mod json;
mod text;

use super::Output;
use super::terminal::Screen;
use crate::leak::{Check, Review};
use crate::profile::Profile;
use std::io::{self, Write};

/// The formats of `check`; the first one is the default.
pub const OFFERED: [Output; 2] = [Output::Table, Output::Json];

/// A review with what it was made of.
#[derive(Clone, Copy, Debug)]
pub struct Shown<'a> {
    /// What was checked.
    pub profile: &'a Profile,
    /// What was found.
    pub review: &'a Review,
    /// Show at most so many findings.
    pub limit: Option<usize>,
}

impl Shown<'_> {
    /// Writes the review.
    pub fn write(&self, output: Output, screen: &Screen, out: &mut dyn Write) -> io::Result<()> {
        match output {
            Output::Json => json::write(self, out),
            _ => text::write(self, screen, out),
        }
    }
}

/// Writes what checks mean: one in full, several as a list.
pub fn explain(checks: &[&Check], out: &mut dyn Write) -> io::Result<()> {
    if let [check] = checks {
        writeln!(out, "{} ({}): {}\n", check.name, check.tier.name(), check.about)?;
        return writeln!(out, "{}", check.explanation);
    }
    let width = checks.iter().map(|check| check.name.len()).max().unwrap_or(0);
    for check in checks {
        writeln!(out, "{:width$}  {:<9}  {}", check.name, check.tier.name(), check.about)?;
    }
    writeln!(out, "\n`stackgazer check --explain CHECK` says more of one.")
}
