//! Regular expressions of rules, compiled when they are first needed.

use super::dialect::{Compiler, Dialect, build, build_by_characters, parse, translate};
use super::syntax::Fault;
use super::template::{Template, append};
use crate::limits::LIMITS;
use memchr::memmem::Finder;
use regex::bytes::{Captures, Regex};
use regex_syntax::hir::Look;
use regex_syntax::hir::literal::{Extractor, Literal};
use std::ops::Range;
use std::sync::OnceLock;

/// At most this many texts are looked for before an expression is compiled.
const STARTS: usize = 16;

/// A regular expression of a rule.
///
/// Some 60 built-in expressions are tried on a few hundred functions of some 60 bytes, and most match
/// none of them. Compiling one takes 30 us; finding out what its matches start with takes 8. Compiling one
/// by characters takes 300 us, so that is left until a text isn't ASCII. Characters are those of Unicode, as in
/// filters and in `grep`; in JavaScript those beyond U+FFFF are two.
#[derive(Clone, Debug)]
pub(super) struct LazyRegex {
    source: String,
    ignore_case: bool,
    built_in: bool,
    starts: OnceLock<Starts>,
    /// `None` inside if it can't be compiled; for rules of the user that was an error before.
    regex: OnceLock<Option<Regex>>,
    /// For texts that aren't ASCII; `None` inside if `regex` is for them, too, or if this one is too large.
    by_characters: OnceLock<Option<Regex>>,
}

impl LazyRegex {
    /// A pattern from the output of [`super::dialect::translate`]. Built-in rules aren't compiled yet, as
    /// a test has checked that they can be.
    pub(super) fn new(
        source: &str,
        ignore_case: bool,
        compiler: &mut Compiler,
    ) -> Result<LazyRegex, Fault> {
        let regex = OnceLock::new();
        if !compiler.known_valid {
            let _ = regex.set(Some(compiler.compile(source, ignore_case)?));
        }
        Ok(LazyRegex {
            source: source.to_owned(),
            ignore_case,
            built_in: compiler.known_valid,
            starts: OnceLock::new(),
            regex,
            by_characters: OnceLock::new(),
        })
    }

    /// The compiled expression, unless it is clear without it that a text has no match.
    fn regex(&self, text: &[u8]) -> Option<&Regex> {
        if self.regex.get().is_none() {
            let starts = self.starts.get_or_init(|| Starts::of(&self.source, self.ignore_case));
            if !starts.may_match(text) {
                return None;
            }
        }
        let make = || build(&self.source, self.ignore_case, LIMITS.regex_bytes).ok();
        let regex = self.regex.get_or_init(make).as_ref();
        if text.is_ascii() || self.ignore_case {
            return regex;
        }
        self.by_characters.get_or_init(|| self.make_by_characters()).as_ref().or(regex)
    }

    fn make_by_characters(&self) -> Option<Regex> {
        // In those of the user, `\d` and the like have been translated to what they mean in JavaScript.
        match self.built_in {
            true => build_by_characters(&translate(&self.source, Dialect::Rust).ok()?),
            false => build_by_characters(&self.source),
        }
    }

    pub(super) fn is_match(&self, text: &[u8]) -> bool {
        self.regex(text).is_some_and(|regex| regex.is_match(text))
    }

    /// The first match.
    pub(super) fn find(&self, text: &[u8]) -> Option<Range<usize>> {
        self.regex(text)?.find(text).map(|found| found.range())
    }

    /// The first match and its groups.
    pub(super) fn captures<'t>(&self, text: &'t [u8]) -> Option<Captures<'t>> {
        self.regex(text)?.captures(text)
    }

    /// A text with its first match or all matches replaced; `None` without a match.
    pub(super) fn replace(&self, text: &[u8], to: &Replacement, all: bool) -> Option<Vec<u8>> {
        let regex = self.regex(text)?;
        let mut out = Vec::new();
        let mut end = None;
        for groups in regex.captures_iter(text).take(if all { usize::MAX } else { 1 }) {
            let found = groups.get_match();
            append(&mut out, &text[end.unwrap_or(0)..found.start()]);
            to.expand(self, text, &groups, &mut out);
            end = Some(found.end());
        }
        append(&mut out, &text[end?..]);
        Some(out)
    }
}

/// The texts that a match of an expression starts with.
#[derive(Clone, Debug)]
struct Starts {
    /// One of these; `None` if there are too many.
    texts: Option<Vec<Finder<'static>>>,
    /// Whether matches are only at the start of a text.
    anchored: bool,
}

impl Starts {
    fn of(pattern: &str, ignore_case: bool) -> Starts {
        let Some(parsed) = parse(pattern, ignore_case) else {
            return Starts { texts: None, anchored: false };
        };
        let found = Extractor::new().limit_total(STARTS).extract(&parsed);
        let finder = |text: &Literal| Finder::new(text.as_bytes()).into_owned();
        let texts = found.literals().map(|texts| texts.iter().map(finder).collect());
        let anchored = parsed.properties().look_set_prefix().contains(Look::Start);
        Starts { texts, anchored }
    }

    /// Whether a text contains one of them where a match can start.
    fn may_match(&self, text: &[u8]) -> bool {
        let is_there = |start: &Finder<'_>| match self.anchored {
            true => text.starts_with(start.needle()),
            false => start.find(text).is_some(),
        };
        self.texts.as_ref().is_none_or(|texts| texts.iter().any(is_there))
    }
}

/// A replacement for what a pattern matches; its meaning depends on the pattern's groups.
#[derive(Clone, Debug)]
pub(super) struct Replacement {
    text: String,
    template: OnceLock<Template>,
}

impl Replacement {
    pub(super) fn new(text: &str) -> Replacement {
        Replacement { text: text.to_owned(), template: OnceLock::new() }
    }

    /// Writes the replacement of one match of this pattern.
    pub(super) fn expand(
        &self,
        pattern: &LazyRegex,
        text: &[u8],
        groups: &Captures<'_>,
        out: &mut Vec<u8>,
    ) {
        let template = self.template.get_or_init(|| {
            let names = pattern.regex(text).map(|regex| regex.capture_names().collect());
            Template::new(&self.text, &names.unwrap_or_else(|| vec![None]))
        });
        template.expand(text, groups, out);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn trusted(pattern: &str) -> LazyRegex {
        let trusting = &mut Compiler::default();
        trusting.known_valid = true;
        LazyRegex::new(pattern, false, trusting).unwrap()
    }

    proptest! {
        #[test]
        fn no_text_that_matches_is_passed_over(
            pattern in r"\^?([ab]|[ab]{2}|\(|\(\?:|\(\?i|\)|\||\?|\*|\+|\^|\$|\.|\[ab\]|ä|\{0,2\}|\{2\}){0,9}",
            texts in prop::collection::vec("[abcAä]{0,6}", 8),
        ) {
            let Ok(regex) = Regex::new(&pattern) else { return Ok(()) };
            for text in &texts {
                let (text, pattern) = (text.as_bytes(), trusted(&pattern));
                prop_assert_eq!(pattern.is_match(text), regex.is_match(text), "{:?}", text);
            }
        }
    }

    #[test]
    fn built_in_rules_match_what_their_expressions_do() {
        let lists = crate::rules::default_lists();
        let rules = format!("{lists:?}");
        // The texts of the rules serve as functions: each contains what its rule looks for.
        let texts: Vec<&[u8]> = rules.split(['"', '^', '$']).map(str::as_bytes).collect();
        let mut matches = 0;
        for source in rules.split('"').filter(|text| Regex::new(text).is_ok()) {
            let source = source.replace("\\\\", "\\");
            let Ok(regex) = Regex::new(&source) else { continue };
            let starts = Starts::of(&source, false);
            for text in texts.iter().filter(|text| regex.is_match(text)) {
                assert!(starts.may_match(text), "{source} {text:?}");
                matches += 1;
            }
        }
        assert!(matches > 1000, "{matches}");
    }

    #[test]
    fn a_character_is_one_however_many_bytes_it_has() {
        for (pattern, text, found) in [
            ("a.b", "aäb", Some("aäb")),
            ("^[^/]$", "ß", Some("ß")),
            ("^..$", "ä", None),
            ("e.", "größe€", Some("e€")),
            (r"^\w+", "größe", Some("gr")),
            (r"\D", "٣", Some("٣")),
            (r"\d", "٣", None),
            (r"e\b", "größe€", Some("e")),
            ("^.{5}$", "größe", Some("größe")),
            (".", "\n€", Some("€")),
        ] {
            let translated = translate(pattern, Dialect::Rust).unwrap();
            let of_user = LazyRegex::new(&translated, false, &mut Compiler::default()).unwrap();
            for regex in [of_user, trusted(pattern)] {
                let range = regex.find(text.as_bytes());
                assert_eq!(range.map(|range| &text[range]), found, "{pattern} {text}");
            }
        }
    }

    #[test]
    fn an_expression_is_made_ready_when_a_text_starts_as_its_matches_do() {
        let pattern = trusted(r"^sync\.(Once|\(\*Once\))");
        assert!(!pattern.is_match(b"internal/sync.Once"));
        assert!(!pattern.is_match(b"sync.On"));
        assert!(pattern.regex.get().is_none());
        assert!(pattern.is_match(b"sync.Once"));
        assert!(pattern.regex.get().is_some());
    }

    #[test]
    fn replacements_are_those_of_the_engine() {
        for (pattern, to, all, text, expected) in [
            ("b*", "-", true, "abc", Some("-a-c-")),
            ("b*", "-", false, "abc", Some("-abc")),
            ("(b)|c", "[$1]", true, "abc", Some("a[b][]")),
            ("(b)", "$1$1", false, "abb", Some("abbb")),
            ("(x)", "$1", true, "abc", None),
        ] {
            let found = trusted(pattern).replace(text.as_bytes(), &Replacement::new(to), all);
            assert_eq!(found.as_deref(), expected.map(str::as_bytes), "{pattern} {text}");
        }
    }
}
