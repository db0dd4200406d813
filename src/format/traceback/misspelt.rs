//! Names of profiles of goroutines in which letters are lost or others.

use crate::error::suggest::distance;

/// Names of profiles of goroutines; `go routine` is read as a prefix and a name.
const NAMES: [&str; 3] = ["goroutine", "goroutineleak", "routine"];

/// Whether the name of a profile is that of goroutines, damaged: `Goroutine`, `gorout1ne` of a text that
/// was recognised in a picture, a soft hyphen inside it, a letter that is gone.
pub(crate) fn is_nearly_goroutine(name: &[u8]) -> bool {
    let plain = letters(name);
    // A line before it has lost its end: `exit status 2goroutine`, `0.1sgoroutine`.
    let is_joined = NAMES.iter().take(2).any(|wanted| {
        let before = name.strip_suffix(wanted.as_bytes()).and_then(<[u8]>::last);
        before.is_some_and(u8::is_ascii_alphanumeric)
    });
    // Its start is lost, as behind `tail -c`.
    let is_end = plain.len() > 3 && "goroutine".ends_with(&plain)
        || plain.len() > "leak".len() && "goroutineleak".ends_with(&plain);
    is_joined || is_end || NAMES.iter().any(|wanted| is_nearly(&plain, wanted))
}

/// Whether a text ends in a word that is nearly the name of a profile of goroutines.
pub(super) fn ends_nearly_in_goroutine(text: &[u8]) -> bool {
    // Names have at most twice as many bytes that aren't letters.
    let plain = letters(text.get(text.len().saturating_sub(39)..).unwrap_or(text));
    NAMES.iter().any(|wanted| {
        let lengths = [wanted.len(), wanted.len().saturating_sub(1)];
        let ends =
            lengths.iter().filter_map(|length| plain.get(plain.len().checked_sub(*length)?..));
        ends.into_iter().any(|end| is_nearly(end, wanted))
    }) && !plain.ends_with("coroutine")
}

/// Whether at most two letters of a long name differ, or one is missing; `coroutine` is another word.
fn is_nearly(plain: &str, wanted: &str) -> bool {
    let letters: Vec<char> = plain.chars().collect();
    let missing = wanted.len().checked_sub(plain.len());
    let most = if wanted.len() < 9 { 0 } else { 2 };
    matches!(missing, Some(0 | 1)) && plain != "coroutine" && distance(&letters, wanted) <= most
}

/// The letters and digits of a text, in lower case.
fn letters(text: &[u8]) -> String {
    let letters = text.iter().filter(|byte| byte.is_ascii_alphanumeric());
    letters.map(|byte| char::from(byte.to_ascii_lowercase())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_profiles_that_are_nearly_goroutine_are_told_from_others() {
        for name in [
            "Goroutine",
            "gorout1ne",
            "g0rout1ne",
            "gorou\u{ad}tine",
            "routine",
            "GoroutineLeak",
            "oroutine",
            "2goroutine",
            "0.1sgoroutine",
            "utine",
            "tine",
            "ineleak",
        ] {
            assert!(is_nearly_goroutine(name.as_bytes()), "{name}");
        }
        for name in [
            "coroutine",
            "routing",
            "my/goroutine",
            "subroutine",
            "threads",
            "threadcreate",
            "leak",
        ] {
            assert!(!is_nearly_goroutine(name.as_bytes()), "{name}");
        }
    }
}
