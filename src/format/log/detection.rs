//! Which container a line is in.

use super::escaped::Escaped;
use super::json::Json;
use super::prefixed::Prefixed;
use super::pretty::Pretty;
use super::reversed::{self, Reversed};
use super::rows::Rows;
use super::words::keyword;
use super::wraps::wraps_bruised;
use super::{
    Decoder, Kind, LAYERS, Stripped, compose, console, cri, gitlab, journal, kubectl, prefixes,
    records,
};
use crate::format::start::starts_dump;
use std::collections::BTreeSet;

/// Detects the container of a line (without its line end; possibly only the first part of a very
/// long line) that is outside any dump and doesn't start one itself.
///
/// Returns a decoder if the line starts a dump once it is unwrapped, or if it certainly belongs to
/// a container whatever its text: then later lines can be wrapped in more. The decoder hasn't taken
/// the line yet.
pub(crate) fn detect(line: &[u8]) -> Option<Decoder> {
    let mended = || wraps_bruised(line).then_some(Kind::Mended);
    // The fence before the first line would be taken for a part of its prefix.
    let known = match line.first() {
        Some(b'`') => mended().or_else(|| kind(line, LAYERS)),
        _ => kind(line, LAYERS).or_else(mended),
    };
    known.map(Decoder::new)
}

/// Whether a text starts a dump, possibly inside at most `layers` further containers.
pub(super) fn carries(text: &[u8], layers: usize) -> bool {
    starts_dump(text) || kind(text, layers).is_some()
}

/// The outermost container of a line with at most `layers` of them.
pub(super) fn kind(line: &[u8], layers: usize) -> Option<Kind> {
    let layers = layers.checked_sub(1)?;
    let inside = |stripped: &Stripped<'_>| carries(stripped.text, layers);
    let prefix = |strip: fn(&[u8]) -> Option<Stripped<'_>>| {
        strip(line).is_some().then_some(Kind::Prefix(strip))
    };
    let wrapping = |strip: fn(&[u8]) -> Option<Stripped<'_>>| {
        strip(line).filter(inside).map(|_| Kind::Prefix(strip))
    };
    let sure = match line.first()? {
        b'{' => Json::of(line, layers).map(|json| Kind::Json(Box::new(json))),
        b'0'..=b'9' => prefix(cri::strip)
            .or_else(|| gitlab::strip(line).map(|_| Kind::Gitlab(BTreeSet::new()))),
        b'\t' | b' ' => Reversed::of(line).map(|reversed| Kind::Reversed(Box::new(reversed))),
        _ => None,
    };
    let sure = sure.or_else(|| {
        Pretty::of(line).map(|pretty| Kind::Pretty(Box::new(pretty), Box::default(), None))
    });
    let rows = || Rows::of(line).map(|rows| Kind::Rows(Box::new(rows), Box::new(Json::of_rows())));
    let sure = sure.or_else(rows);
    // All other containers need a keyword in the line.
    let may_start = || {
        keyword(line).is_some() || reversed::ends_in_place(line) || reversed::may_quote_place(line)
    };
    if sure.is_some() || !may_start() {
        return sure;
    }
    let row = |log: bool| {
        let mut rows =
            prefixes::rows_with_prefix(line, log).filter(|(_, stripped)| inside(stripped));
        rows.next().map(|(row, _)| Kind::Row(row))
    };
    let known = match line.first()? {
        b'[' => wrapping(kubectl::strip_both).or_else(|| wrapping(kubectl::strip_pod)),
        b'0'..=b'9' => row(true)
            .or_else(|| wrapping(kubectl::strip_timestamp))
            .or_else(|| wrapping(journal::strip).map(of_journal)),
        _ => wrapping(journal::strip).map(of_journal).or_else(|| wrapping(compose::strip)),
    };
    known
        .or_else(|| row(true))
        .or_else(|| console::strip(line).filter(inside).map(|_| Kind::Console))
        .or_else(|| row(false))
        .or_else(|| Json::of(line, layers).map(|json| Kind::Json(Box::new(json))))
        .or_else(|| records::is_quoted_start(line).then_some(Kind::Quoted))
        .or_else(|| Escaped::of(line, layers).map(|escaped| Kind::Escaped(Some(Box::new(escaped)))))
        .or_else(|| Prefixed::of(line).map(|prefixed| Kind::Prefixed(Box::new(prefixed))))
}

/// Whether the container of a line is only a guess.
pub(super) fn is_guessed(line: &[u8]) -> bool {
    matches!(kind(line, LAYERS), Some(Kind::Prefixed(_)))
}

/// Until the first line shows the width, no line is that wide.
fn of_journal(_: Kind) -> Kind {
    Kind::Journal(usize::MAX)
}
