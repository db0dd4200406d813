//! Allow-lists and baselines: goroutines that somebody decided to accept.

use super::date::Date;
use super::entry::{self, Entry};
use super::finding::Finding;
use crate::error::Result;
use crate::group::ids::normal_function;
use crate::profile::lossy;
use crate::rules::Document;
use std::collections::{BTreeMap, HashMap};
use std::fmt::Write;

/// A file with entries.
#[derive(Clone, Debug)]
pub struct AllowList {
    name: String,
    entries: Vec<Entry>,
    baseline: bool,
}

impl AllowList {
    /// Reads an allow-list, or a baseline, which `check --write-baseline` wrote. `checks` are the names
    /// of checks that entries may name.
    ///
    /// # Errors
    /// If it isn't TOML, or an entry is wrong; points at it.
    pub fn read(name: &str, text: &str, checks: &[&str], baseline: bool) -> Result<AllowList> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let entries = entry::read(&Document { name, text }, checks)?;
        Ok(AllowList { name: name.to_owned(), entries, baseline })
    }

    /// Its entries, and whether each is one of a baseline.
    pub(super) fn entries(&self) -> impl Iterator<Item = (&Entry, bool)> {
        self.entries.iter().map(|entry| (entry, self.baseline))
    }

    /// The file's name, if it has no entry but should. A baseline may be empty.
    pub(super) fn name_if_empty(&self) -> Option<&str> {
        (self.entries.is_empty() && !self.baseline).then_some(&self.name)
    }

    /// Whether it is a baseline.
    pub fn is_baseline(&self) -> bool {
        self.baseline
    }
}

/// How many patterns and entries of these files may be compared with a goroutine: all patterns that can't be looked up,
/// and as many entries as name the same function and creator.
pub fn compared(lists: &[AllowList]) -> usize {
    let mut alike: HashMap<_, usize> = HashMap::new();
    let mut compared = 0_usize;
    for entry in lists.iter().flat_map(|list| &list.entries) {
        compared = compared.saturating_add(entry.patterns());
        if let Some([function]) = entry.exact_functions().as_deref() {
            let count = alike.entry((*function, entry.exact_creator())).or_default();
            *count = count.saturating_add(1);
        }
    }
    compared.saturating_add(alike.into_values().max().unwrap_or(0))
}

/// A baseline's entry for a finding: check, function, creator, kind.
type Line = (&'static str, String, String, String);

/// A baseline that covers these findings, except those that other files cover.
pub(super) fn baseline(findings: &[Finding], today: Date) -> String {
    let mut lines: BTreeMap<Line, i64> = BTreeMap::new();
    for finding in findings.iter().filter(|finding| finding.suppressed.is_none()) {
        let (Some(function), Some(kind)) = (&finding.function, &finding.kind) else { continue };
        let name = |func: &str| lossy(&normal_function(func.as_bytes()));
        let creator = finding.created_by.as_ref().map(|place| name(&place.func));
        let line = (finding.check, name(&function.func), creator.unwrap_or_default(), kind.clone());
        let sum = lines.entry(line).or_default();
        *sum = sum.saturating_add(finding.found);
    }
    let mut text = format!(
        "# What `stackgazer check` found on {today}, for --baseline. Remove an entry when its\n\
         # leak is fixed; `stackgazer check --explain unused-entry` lists the keys.\n"
    );
    for ((check, function, creator, kind), max) in lines {
        let quote = |text: &str| crate::rules::quote(text);
        // Writing to a String can't fail.
        let _ = write!(
            text,
            "\n[[allow]]\ncheck = {}\nfunction = {}\n",
            quote(check),
            quote(&function)
        );
        if !creator.is_empty() {
            let _ = writeln!(text, "created_by = {}", quote(&creator));
        }
        let _ = write!(text, "kind = {}\nmax = {max}\n", quote(&kind));
    }
    text
}
