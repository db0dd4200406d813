//! A row for each finding, worst first.

use super::Shown;
use crate::leak::Place;
use crate::output::csv::{guard, io_error, rows};
use std::io::{self, Write};

/// The columns; later versions only add to them. `old` and `new` are the goroutines at the first and
/// the last point.
const COLUMNS: [&str; 18] = [
    "check",
    "level",
    "tier",
    "score",
    "category",
    "name",
    "shape",
    "kind",
    "function",
    "file",
    "line",
    "created_by_func",
    "old",
    "new",
    "inputs",
    "text",
    "suppressed_by",
    "reason",
];

/// Writes header and rows.
pub(super) fn write(shown: &Shown<'_>, out: &mut dyn Write) -> io::Result<()> {
    let mut rows = rows(out);
    rows.write_record(COLUMNS).map_err(io_error)?;
    let text = |text: &str| guard(text.as_bytes()).into_owned();
    let number = |number: Option<&i64>| number.map_or(String::new(), i64::to_string).into_bytes();
    let of = |place: Option<&Place>, part: fn(&Place) -> &str| text(place.map_or("", part));
    for finding in shown.findings() {
        let (place, creator) = (finding.function.as_ref(), finding.created_by.as_ref());
        let covered = finding.suppressed.as_ref();
        rows.write_record([
            text(finding.check),
            text(finding.level.name()),
            text(finding.tier.name()),
            finding.score.to_string().into_bytes(),
            text(&finding.category),
            text(&finding.name),
            text(&finding.shape),
            text(finding.kind.as_deref().unwrap_or_default()),
            of(place, |place| &place.func),
            of(place, |place| &place.file),
            place.map_or(String::new(), |place| place.line.to_string()).into_bytes(),
            of(creator, |place| &place.func),
            number(finding.counts.first()),
            number(finding.counts.last()),
            text(&finding.inputs.join("; ")),
            text(&finding.text),
            text(covered.map_or("", |one| &one.source)),
            text(covered.map_or("", |one| &one.reason)),
        ])
        .map_err(io_error)?;
    }
    rows.flush()
}
