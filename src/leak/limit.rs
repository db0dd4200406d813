//! Limits that the user sets.

use super::entry::has_label;
use super::pattern::NamePattern;
use crate::error::{Error, Result};
use crate::filter::parse_minutes;
use crate::profile::{Profile, SampleKey};
use crate::rules::Names;

/// The quantity that a limit bounds, and the bound.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Bound {
    /// Goroutines.
    Goroutines(i64),
    /// More goroutines at the last point than at the first.
    Growth(i64),
    /// More goroutines at the last point than at the first, in percent of those at the first.
    GrowthPercent(f64),
    /// Goroutines that the runtime proved leaked.
    Leaked(i64),
    /// Minutes blocked.
    Age(f64),
}

/// A limit.
#[derive(Clone, Debug)]
pub struct Limit {
    pub(super) bound: Bound,
    pub(super) scope: Scope,
    /// As it was written: `--max-goroutines category=rpc:500`.
    pub origin: String,
}

impl Limit {
    /// Whether two limits bound the same quantity of the same goroutines.
    pub fn is_about_the_same(&self, other: &Limit) -> bool {
        let what = |bound| match bound {
            Bound::Goroutines(_) => 0,
            Bound::Growth(_) | Bound::GrowthPercent(_) => 1,
            Bound::Leaked(_) => 2,
            Bound::Age(_) => 3,
        };
        what(self.bound) == what(other.bound) && self.scope.text() == other.scope.text()
    }
}

/// The goroutines that a limit holds for.
#[derive(Clone, Debug)]
pub(super) enum Scope {
    All,
    Category(NamePattern, String),
    Name(NamePattern, String),
    Label(String, Option<NamePattern>, String),
}

/// The kinds of limits, by their options without `--`.
pub const LIMIT_KINDS: [&str; 4] = ["max-goroutines", "max-growth", "max-leaked", "max-age"];

impl Limit {
    /// Reads the text of an option: a value, or `category=GLOB:VALUE` and the like. `kind` is one of
    /// [`LIMIT_KINDS`], `option` its name in errors.
    ///
    /// # Errors
    /// If it isn't valid; points at the column.
    pub fn read(kind: &str, option: &str, text: &str) -> Result<Limit> {
        let (scope, value) = match text.rsplit_once(':') {
            None => (None, text),
            Some((scope, value)) => (Some(scope), value),
        };
        let column = scope.map_or(1, |scope| scope.chars().count() + 2);
        let bound = read_bound(kind, value).ok_or_else(|| {
            let (what, advice) = match kind {
                "max-growth" => ("isn't a number or a percentage", "write 100 or 20%"),
                "max-age" => ("isn't a time", "write 30m, 2h, 1d, or 90 for minutes"),
                _ => ("isn't a number of goroutines", "write 1000 or category=rpc:1000"),
            };
            Error::usage(option, text, column, format!("{value:?} {what}")).advise(advice)
        })?;
        let scope = match scope {
            None => Scope::All,
            Some(scope) => read_scope(scope).map_err(|what| {
                Error::usage(option, text, 1, what)
                    .advise("write category=GLOB:N, name=GLOB:N, label:KEY:N or label:KEY=GLOB:N")
            })?,
        };
        Ok(Limit { bound, scope, origin: format!("{option} {text}") })
    }
}

fn read_bound(kind: &str, value: &str) -> Option<Bound> {
    let count = || value.parse::<i64>().ok().filter(|count| *count >= 0 && !value.starts_with('+'));
    match kind {
        "max-goroutines" => count().map(Bound::Goroutines),
        "max-leaked" => count().map(Bound::Leaked),
        "max-age" => parse_minutes(value).map(Bound::Age),
        _ => match value.strip_suffix('%') {
            None => count().map(Bound::Growth),
            Some(percent) => {
                let percent = percent.parse::<f64>().ok();
                percent.filter(|p| p.is_finite() && *p >= 0.0).map(Bound::GrowthPercent)
            }
        },
    }
}

fn read_scope(text: &str) -> std::result::Result<Scope, String> {
    let shown = text.to_owned();
    if let Some(label) = text.strip_prefix("label:") {
        return Ok(match label.split_once('=') {
            None => Scope::Label(label.to_owned(), None, shown),
            Some((key, value)) => {
                Scope::Label(key.to_owned(), Some(NamePattern::read(value)?), shown)
            }
        });
    }
    match text.split_once('=') {
        Some(("category", glob)) => Ok(Scope::Category(NamePattern::read(glob)?, shown)),
        Some(("name", glob)) => Ok(Scope::Name(NamePattern::read(glob)?, shown)),
        _ => Err(format!("{text:?} names no goroutines")),
    }
}

impl Scope {
    /// Whether it has the goroutines of a sample.
    pub(super) fn holds(&self, profile: &Profile, names: &Names, key: &SampleKey) -> bool {
        match self {
            Scope::All => true,
            Scope::Category(pattern, _) => pattern.matches(names.category(key.stack)),
            Scope::Name(pattern, _) => pattern.matches(names.name(profile, key.stack)),
            Scope::Label(label, value, _) => has_label(profile, key, label, |text| {
                value.as_ref().is_none_or(|value| value.matches(text))
            }),
        }
    }

    /// As it was written; `None` for all goroutines.
    pub(super) fn text(&self) -> Option<&str> {
        match self {
            Scope::All => None,
            Scope::Category(_, text) | Scope::Name(_, text) | Scope::Label(.., text) => Some(text),
        }
    }
}
