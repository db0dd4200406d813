//! "Did you mean ...?"

use crate::limits::LIMITS;
use std::collections::BTreeSet;

/// At most this many names are compared with what was typed.
const MOST: usize = 10_000;
/// Longer names, in bytes, aren't compared.
const LONGEST: usize = 300;
/// How many names are listed if none is near.
const SHOWN: usize = 5;

/// The name that was probably meant, if one is close enough, among the first [`MOST`].
pub(crate) fn nearest<'a>(
    typed: &str,
    names: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    let typed: Vec<char> = typed.chars().take(40).collect();
    names
        .into_iter()
        .filter(|name| name.len() <= LONGEST)
        .take(MOST)
        .map(|name| (distance(&typed, name), name))
        .filter(|&(distance, name)| distance <= 1 + name.len() / 4)
        .min()
        .map(|(_, name)| name)
}

/// The end of a message about an unknown name: the name that was probably meant, or those that exist.
pub(crate) fn instead<'a>(typed: &str, known: impl IntoIterator<Item = &'a [u8]>) -> String {
    let known: BTreeSet<&[u8]> = known.into_iter().filter(|name| !name.is_empty()).collect();
    let short = known.iter().filter(|name| name.len() <= LONGEST);
    let names: Vec<&str> = short.filter_map(|name| std::str::from_utf8(name).ok()).collect();
    if let Some(near) = nearest(typed.trim_matches('*'), names.iter().copied()) {
        return format!("; did you mean {near:?}?");
    }
    let shown: Vec<String> = names.iter().take(SHOWN).map(|name| format!("{name:?}")).collect();
    match (shown.as_slice(), known.len().saturating_sub(shown.len())) {
        ([], _) => String::new(),
        (shown, 0) => format!("; there are {}", shown.join(", ")),
        (shown, more) => format!("; there are {} and {more} more", shown.join(", ")),
    }
}

/// A note on each of the first few of what matches nothing, and one on all others, of which it gets the number.
pub(crate) fn first_notes<T>(
    unmatched: impl IntoIterator<Item = T>,
    note: impl FnMut(T) -> String,
    others: impl FnOnce(usize) -> String,
) -> Vec<String> {
    let mut unmatched = unmatched.into_iter();
    let mut notes: Vec<String> = unmatched.by_ref().take(LIMITS.notes_alike).map(note).collect();
    let more = unmatched.count();
    notes.extend((more > 0).then(|| others(more)));
    notes
}

/// How many characters must be added, dropped or changed.
pub(crate) fn distance(typed: &[char], name: &str) -> usize {
    let mut row: Vec<usize> = (0..=typed.len()).collect();
    for (line, letter) in name.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = line + 1;
        for (column, other) in typed.iter().enumerate() {
            let changed = diagonal + usize::from(!letter.eq_ignore_ascii_case(other));
            diagonal = row[column + 1];
            row[column + 1] = changed.min(row[column] + 1).min(diagonal + 1);
        }
    }
    row[typed.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_slips_are_recognised() {
        let names = ["state", "kind", "category", "created_by", "mutex"];
        for (typed, meant) in [
            ("sate", Some("state")),
            ("STATE", Some("state")),
            ("catgory", Some("category")),
            ("created-by", Some("created_by")),
            ("mutexes", Some("mutex")),
            ("zebra", None),
            ("", None),
        ] {
            assert_eq!(nearest(typed, names), meant, "{typed}");
        }
    }

    #[test]
    fn what_there_is_stands_behind_what_there_is_not() {
        let known = [&b"chan receive"[..], b"select", b"", b"select"];
        assert_eq!(instead("chan recieve", known), "; did you mean \"chan receive\"?");
        assert_eq!(instead("zebra", known), "; there are \"chan receive\", \"select\"");
        assert_eq!(instead("zebra", [&b""[..]]), "");
        let many: Vec<String> = (0..9).map(|n| format!("tenant-{n}")).collect();
        let text = instead("zebra", many.iter().map(String::as_bytes));
        assert!(text.ends_with("\"tenant-4\" and 4 more"), "{text}");
    }
}
