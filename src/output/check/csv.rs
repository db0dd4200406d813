//! A row for each finding, worst first.

use super::Shown;
use crate::leak::{Finding, SourceLocation};
use crate::output::csv::{Columns, maybe, number, text};
use std::io::{self, Write};

/// Writes header and rows; later versions only add columns. `old` and `new` are the goroutines at the first
/// and the last point.
pub(super) fn write(shown: &Shown<'_>, out: &mut dyn Write) -> io::Result<()> {
    let of = |place: &Option<SourceLocation>, part: fn(&SourceLocation) -> &str| {
        text(place.as_ref().map_or("", part))
    };
    let mut columns: Columns<'_, &Finding> = Columns::default();
    columns.add("check", |one| text(one.check));
    columns.add("level", |one| text(one.level.name()));
    columns.add("tier", |one| text(one.tier.name()));
    columns.add("score", |one| number(one.score));
    columns.add("category", |one| text(&one.category));
    columns.add("name", |one| text(&one.name));
    columns.add("shape", |one| text(&one.shape));
    columns.add("kind", |one| text(one.kind.as_deref().unwrap_or_default()));
    columns.add("function", |one| of(&one.function, |place| &place.func));
    columns.add("file", |one| of(&one.function, |place| &place.file));
    columns.add("line", |one| maybe(one.function.as_ref().map(|place| place.line)));
    columns.add("created_by_func", |one| of(&one.created_by, |place| &place.func));
    columns.add("old", |one| maybe(one.counts.iter().next()));
    columns.add("new", |one| maybe(one.counts.iter().next_back()));
    columns.add("inputs", |one| text(one.inputs.join("; ")));
    columns.add("text", |one| text(&one.text));
    columns.add("suppressed_by", |one| {
        text(one.suppressed.as_ref().map_or("", |by| by.source.as_str()))
    });
    columns.add("reason", |one| text(one.suppressed.as_ref().map_or("", |by| by.reason.as_str())));
    columns.write(shown.findings(), out)
}
