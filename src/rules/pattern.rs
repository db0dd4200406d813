//! Regular expressions that are compiled when they are first needed.
//!
//! Compiling the built-in rules would take half the time of reading a small dump. Most of them need
//! a text in the function, such as `.(*Stopper).`, that few dumps have.

use super::beginnings::{Beginning, Beginnings, Rest};
use super::dialect::{Compiler, Template, build};
use super::syntax::Fault;
use crate::limits::LIMITS;
use memchr::memmem::Finder;
use regex::bytes::{Captures, Match, Regex};
use std::sync::OnceLock;

/// Shorter texts are in too many functions to save anything.
const NEEDLE: usize = 3;

/// A regular expression of a rule.
#[derive(Clone, Debug)]
pub(super) struct Pattern {
    source: String,
    ignore_case: bool,
    hint: OnceLock<Hint>,
    /// `None` inside when it can't be compiled, which is told beforehand for rules of the user.
    regex: OnceLock<Option<Regex>>,
}

/// What is known of all texts that an expression matches.
#[derive(Clone, Debug)]
enum Hint {
    Nothing,
    /// They start with one of these.
    Starts(Vec<Beginning>),
    /// They hold one of these.
    Holds(Vec<Finder<'static>>),
}

impl Hint {
    fn of(pattern: &str) -> Hint {
        let finder = |text: &str| Finder::new(text.as_bytes()).into_owned();
        match (Beginnings::of(pattern), needle(pattern)) {
            (Some(Beginnings { at_start: true, texts }), _) => Hint::Starts(texts),
            (_, Some(needle)) => Hint::Holds(vec![finder(&needle)]),
            (Some(Beginnings { texts, .. }), _) => {
                Hint::Holds(texts.iter().map(|begin| finder(&begin.text)).collect())
            }
            (None, None) => Hint::Nothing,
        }
    }

    /// Whether a text matches, as far as that can be told without the expression.
    fn tells(&self, text: &[u8]) -> Option<bool> {
        match self {
            Hint::Nothing => None,
            Hint::Holds(finders) => {
                let may_match = finders.iter().any(|finder| finder.find(text).is_some());
                (!may_match).then_some(false)
            }
            Hint::Starts(starts) => {
                let mut told = Some(false);
                for start in starts {
                    let Some(rest) = text.strip_prefix(start.text.as_bytes()) else { continue };
                    match start.rest {
                        Rest::Anything => return Some(true),
                        Rest::End if rest.is_empty() => return Some(true),
                        Rest::End => {}
                        Rest::Unknown => told = None,
                    }
                }
                told
            }
        }
    }
}

impl Pattern {
    /// What [`super::dialect::translate`] made. Rules that a test compiles needn't be compiled to
    /// know that they can be.
    pub(super) fn new(
        source: &str,
        ignore_case: bool,
        compiler: &mut Compiler,
    ) -> Result<Pattern, Fault> {
        let regex = OnceLock::new();
        if !compiler.trusts {
            let _ = regex.set(Some(compiler.compile(source, ignore_case)?));
        }
        Ok(Pattern { source: source.to_owned(), ignore_case, hint: OnceLock::new(), regex })
    }

    fn hint(&self) -> &Hint {
        let make = || if self.ignore_case { Hint::Nothing } else { Hint::of(&self.source) };
        self.hint.get_or_init(make)
    }

    fn compiled(&self) -> Option<&Regex> {
        let make = || build(&self.source, self.ignore_case, LIMITS.regex_bytes).ok();
        self.regex.get_or_init(make).as_ref()
    }

    /// The expression, if the text can match it.
    fn regex_for(&self, text: &[u8]) -> Option<&Regex> {
        if self.hint().tells(text) == Some(false) { None } else { self.compiled() }
    }

    pub(super) fn is_match(&self, text: &[u8]) -> bool {
        let told = self.hint().tells(text);
        told.unwrap_or_else(|| self.compiled().is_some_and(|regex| regex.is_match(text)))
    }

    pub(super) fn find<'t>(&self, text: &'t [u8]) -> Option<Match<'t>> {
        self.regex_for(text)?.find(text)
    }

    pub(super) fn captures_iter<'t>(&self, text: &'t [u8]) -> impl Iterator<Item = Captures<'t>> {
        self.regex_for(text).into_iter().flat_map(|regex| regex.captures_iter(text))
    }

    pub(super) fn captures<'t>(&self, text: &'t [u8]) -> Option<Captures<'t>> {
        self.regex_for(text)?.captures(text)
    }
}

/// A replacement for what a pattern matches; what it means depends on the pattern's groups.
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
        pattern: &Pattern,
        text: &[u8],
        captures: &Captures<'_>,
        out: &mut Vec<u8>,
    ) {
        if let Some(Some(regex)) = pattern.regex.get() {
            self.template
                .get_or_init(|| Template::new(&self.text, regex))
                .expand(text, captures, out);
        }
    }
}

/// The longest text that everything has that matches, as far as that is seen without parsing.
fn needle(pattern: &str) -> Option<String> {
    let chars: Vec<char> = pattern.chars().collect();
    let (mut runs, mut run) = (Vec::new(), String::new());
    let (mut at, mut depth) = (0, 0_usize);
    while let Some(&c) = chars.get(at) {
        at += 1;
        let next = chars.get(at).copied();
        let literal = match c {
            '\\' => {
                at += 1;
                match next {
                    Some(c) if c.is_ascii_punctuation() => Some(c),
                    // Classes and assertions; what has an argument isn't worth the trouble.
                    Some('d' | 'D' | 'w' | 'W' | 's' | 'S' | 'b' | 'B' | 'A' | 'z') => None,
                    _ => return None,
                }
            }
            '[' => {
                at = class_end(&chars, at)?;
                None
            }
            '(' => {
                if next == Some('?') && chars.get(at + 1) != Some(&':') {
                    // Flags and names.
                    return None;
                }
                depth += 1;
                None
            }
            ')' => {
                depth = depth.checked_sub(1)?;
                None
            }
            '|' if depth == 0 => return None,
            // What is repeated already may be missing after all.
            '*' | '{' if at > 1 && matches!(chars.get(at - 2), Some('+' | '?' | '*' | '}')) => {
                return None;
            }
            '?' | '*' | '{' => {
                // What stands before it may be missing.
                run.pop();
                if c == '{' {
                    at += chars.get(at..)?.iter().position(|c| *c == '}')? + 1;
                }
                None
            }
            '+' | '.' | '^' | '$' | '|' | '}' => None,
            c => Some(c),
        };
        match literal.filter(|_| depth == 0) {
            Some(c) => run.push(c),
            None => runs.push(std::mem::take(&mut run)),
        }
    }
    runs.push(run);
    runs.into_iter().max_by_key(String::len).filter(|run| run.len() >= NEEDLE)
}

/// Where a class ends whose first character is `at`; `None` for one with a bracket inside.
fn class_end(chars: &[char], mut at: usize) -> Option<usize> {
    at += usize::from(chars.get(at) == Some(&'^'));
    // The first one is a member.
    at += usize::from(chars.get(at) == Some(&']'));
    loop {
        match chars.get(at)? {
            '\\' => at += 2,
            '[' => return None,
            ']' => return Some(at + 1),
            _ => at += 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn what_is_told_without_the_expression_is_what_it_says(
            pattern in r"\^?([ab]|[ab]{2}|\(|\(\?:|\)|\||\?|\*|\+|\^|\$|\.|\[ab\]|\{0,2\}|\{2\}){0,9}",
            texts in prop::collection::vec("[abc]{0,6}", 8),
        ) {
            let Ok(regex) = Regex::new(&pattern) else { return Ok(()) };
            let pattern = Pattern::new(&pattern, false, &mut Compiler::default()).unwrap();
            for text in &texts {
                let text = text.as_bytes();
                prop_assert_eq!(pattern.is_match(text), regex.is_match(text), "{:?}", text);
                let found = pattern.find(text).map(|found| found.range());
                prop_assert_eq!(found, regex.find(text).map(|found| found.range()), "{:?}", text);
            }
        }
    }

    #[test]
    fn what_every_match_has_is_found() {
        let cases = [
            (r"\.\(\*Stopper\)\.(Run|run|start)[A-Za-z]*", Some(".(*Stopper).")),
            (r"^testing\.tRunner$", Some("testing.tRunner")),
            ("[iI]nterceptor", Some("nterceptor")),
            ("abcd?e+fgh*", Some("abc")),
            ("abc+{0,2}", None),
            ("ab{0,3}cdef", Some("cdef")),
            ("(optional)?", None),
            ("one|other", None),
            ("(?i)letters", None),
            (r"[^]]abc", Some("abc")),
            (r"abc\x41def", None),
            ("a.b.c", None),
            ("ab", None),
        ];
        for (pattern, expected) in cases {
            assert_eq!(needle(pattern).as_deref(), expected, "{pattern}");
        }
    }

    #[test]
    fn needles_are_in_all_texts_that_the_built_in_rules_match() {
        let lists = crate::rules::default_lists();
        let rules = format!("{lists:?}");
        // The rules' own texts serve as functions: each has what its rule looks for.
        let texts: Vec<&[u8]> = rules.split(['"', '^', '$']).map(str::as_bytes).collect();
        let trusting = &mut Compiler::default();
        trusting.trusts = true;
        for source in rules.split('"').filter(|text| Regex::new(text).is_ok()) {
            let source = source.replace("\\\\", "\\");
            let Ok(regex) = Regex::new(&source) else { continue };
            let pattern = Pattern::new(&source, false, trusting).unwrap();
            for text in &texts {
                assert_eq!(pattern.is_match(text), regex.is_match(text), "{source} {text:?}");
            }
        }
    }
}
