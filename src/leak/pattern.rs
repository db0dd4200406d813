//! Patterns of allow-lists: a text with `*` for any characters, or `/a regular expression/`.

use crate::error::Error;
use crate::group::ids::normal_function;
use crate::limits::LIMITS;
use crate::profile::{FrameId, Profile, StrId, lossy};
use crate::view::frames::finder::FrameFinder;
use regex::bytes::{Regex, RegexBuilder};
use std::borrow::Cow;
use std::collections::HashMap;

/// A pattern for names.
///
/// `*` matches any characters, but not where it makes a pointer of a type: `(*Pool).run` isn't
/// `(*ConnPool).run`.
#[derive(Clone, Debug)]
pub(super) enum NamePattern {
    Glob(Vec<Vec<u8>>),
    Regex(Regex),
}

impl NamePattern {
    /// Reads a pattern; the error says what is wrong with the regular expression.
    pub(super) fn read(text: &str) -> Result<NamePattern, String> {
        let inside = text.strip_prefix('/').and_then(|rest| rest.strip_suffix('/'));
        match inside {
            Some(regex) => RegexBuilder::new(regex)
                .size_limit(LIMITS.regex_bytes)
                .build()
                .map(NamePattern::Regex)
                .map_err(|error| Error::regex("", regex, &error).what),
            None => Ok(NamePattern::Glob(parts(text))),
        }
    }

    /// The text of the pattern, without the slashes of a regular expression.
    pub(super) fn text(&self) -> String {
        match self {
            NamePattern::Regex(regex) => regex.as_str().to_owned(),
            NamePattern::Glob(parts) => lossy(&parts.join(&b'*')),
        }
    }

    /// The one name that it matches, if it has neither `*` nor is a regular expression.
    pub(super) fn exact(&self) -> Option<&[u8]> {
        match self {
            NamePattern::Glob(parts) if parts.len() == 1 => Some(&parts[0]),
            _ => None,
        }
    }

    pub(super) fn matches(&self, text: &[u8]) -> bool {
        match self {
            NamePattern::Regex(regex) => regex.is_match(text),
            NamePattern::Glob(parts) => glob(parts, text),
        }
    }
}

/// The functions of a profile in the form that baselines have: each made once, not for every pattern.
///
/// What isn't UTF-8 is U+FFFD in them, as in the findings that baselines are written from.
pub(super) struct Functions<'a> {
    normal: Vec<Vec<u8>>,
    /// The names that aren't UTF-8.
    lossy: HashMap<StrId, String>,
    /// Finds the functions that stacks are blocked in.
    pub(super) frames: &'a FrameFinder<'a>,
}

impl<'a> Functions<'a> {
    pub(super) fn of(profile: &Profile, frames: &'a FrameFinder<'a>) -> Functions<'a> {
        let mut normal = vec![Vec::new(); profile.strings.len()];
        let mut lossy = HashMap::new();
        for frame in profile.frames() {
            let name = &mut normal[frame.func.index()];
            if name.is_empty() {
                let text = String::from_utf8_lossy(profile.str(frame.func));
                *name = normal_function(text.as_bytes());
                if let Cow::Owned(text) = text {
                    lossy.insert(frame.func, text);
                }
            }
        }
        Functions { normal, lossy, frames }
    }

    /// The names of a frame's function: as it is, and in the form that baselines have.
    pub(super) fn names<'s>(&'s self, profile: &'s Profile, frame: FrameId) -> [&'s [u8]; 2] {
        let func = profile.frame(frame).func;
        let name = self.lossy.get(&func).map_or(profile.str(func), String::as_bytes);
        [name, &self.normal[func.index()]]
    }

    /// Whether a frame's function matches, by either of its names.
    pub(super) fn matches(&self, pattern: &NamePattern, profile: &Profile, frame: FrameId) -> bool {
        self.names(profile, frame).iter().any(|name| pattern.matches(name))
    }
}

/// What stands between the stars that match any characters.
fn parts(text: &str) -> Vec<Vec<u8>> {
    let mut parts = vec![Vec::new()];
    let mut chars = text.chars().peekable();
    let mut before = None;
    while let Some(char) = chars.next() {
        let is_of_type = |next: &char| next.is_alphabetic() || *next == '_';
        let is_pointer = before == Some('(') && chars.peek().is_some_and(is_of_type);
        match parts.last_mut() {
            Some(part) if char != '*' || is_pointer => {
                part.extend_from_slice(char.encode_utf8(&mut [0; 4]).as_bytes());
            }
            // Stars side by side are as good as one.
            Some(part) if part.is_empty() && before == Some('*') => {}
            _ => parts.push(Vec::new()),
        }
        before = Some(char);
    }
    parts
}

/// Looks for each part after the previous one; the first and last have to be at the ends.
fn glob(parts: &[Vec<u8>], text: &[u8]) -> bool {
    let Some((first, rest)) = parts.split_first() else { return text.is_empty() };
    let Some(mut left) = text.strip_prefix(first.as_slice()) else { return false };
    let Some((last, between)) = rest.split_last() else { return left.is_empty() };
    for part in between {
        match memchr::memmem::find(left, part) {
            Some(at) => left = &left[at + part.len()..],
            None => return false,
        }
    }
    left.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::{Keep, ProfileBuilder};

    fn matches(pattern: &str, text: &str) -> bool {
        matches_bytes(pattern, text.as_bytes())
    }

    fn matches_bytes(pattern: &str, text: &[u8]) -> bool {
        let mut builder = ProfileBuilder::new(Keep::default());
        let frame = builder.frame(text, b"", 0);
        let profile = builder.finish();
        Functions::of(&profile, &FrameFinder::new(&profile)).matches(
            &NamePattern::read(pattern).unwrap(),
            &profile,
            frame,
        )
    }

    #[test]
    fn stars_stand_for_anything() {
        assert!(matches("main.work", "main.work"));
        assert!(!matches("main.work", "main.worker"));
        assert!(matches("main.*", "main.(*Pool).run"));
        assert!(matches("*.(*Pool).*", "ex.org/kv.(*Pool).run"));
        assert!(!matches("a*b*a", "aba!"));
        assert!(!matches("a*a", "a"), "the ends don't overlap");
        assert_eq!(parts(&"*".repeat(1 << 20)), parts("*"), "each star costs a look at every name");
        assert!(matches("a**b***", "a-b-"));
    }

    #[test]
    fn the_star_of_a_pointer_is_itself() {
        for (pattern, text, is) in [
            ("kv.(*Pool).run", "kv.(*Pool).run", true),
            ("kv.(*Pool).run", "kv.(*ConnPool).run", false),
            ("kv.(*Pool).*", "kv.(*Pool).run", true),
            ("kv.(*_t).run", "kv.(*x_t).run", false),
            ("kv.(*).run", "kv.(*Pool).run", true),
            ("kv.(**Pool).run", "kv.(*ConnPool).run", true),
        ] {
            assert_eq!(matches(pattern, text), is, "{pattern} {text}");
        }
        let exact = NamePattern::read("kv.(*Pool).run").unwrap();
        assert_eq!(exact.exact(), Some(&b"kv.(*Pool).run"[..]), "so it is looked up");
        assert_eq!(exact.text(), "kv.(*Pool).run");
    }

    #[test]
    fn names_match_as_they_stand_and_without_what_compilers_count() {
        assert!(matches("main.run.func3", "main.run.func3"));
        assert!(matches("main.run.func", "main.run.func3.1"));
        assert!(!matches("main.run.func2", "main.run.func3"));
    }

    #[test]
    fn names_that_are_not_utf_8_match_as_they_are_shown() {
        for pattern in
            ["main.f\u{fffd}.func2", "main.f\u{fffd}.func", "main.f*", "/^main.f.\\.func2$/"]
        {
            assert!(matches_bytes(pattern, b"main.f\xff.func2"), "{pattern}");
        }
        assert!(!matches_bytes("main.f\u{fffd}", b"main.f\xff\xff"));
    }

    #[test]
    fn slashes_make_a_regular_expression() {
        assert!(matches("/^main\\.[a-z]+$/", "main.work"));
        assert!(!matches("/^main\\.[a-z]+$/", "main.Work"));
        assert!(NamePattern::read("/(/").is_err());
    }
}
