//! Regular expressions of rules, made ready when they are first needed.

use super::dialect::{Compiler, Template, build};
use super::groups::Groups;
use super::simple::{Simple, Subject};
use super::syntax::Fault;
use crate::limits::LIMITS;
use regex::bytes::Regex;
use std::ops::Range;
use std::sync::OnceLock;

/// A regular expression of a rule.
#[derive(Clone, Debug)]
pub(super) struct Pattern {
    source: String,
    ignore_case: bool,
    /// `None` inside when it isn't simple.
    simple: OnceLock<Option<Simple>>,
    /// `None` inside when it can't be compiled, which is told beforehand for rules of the user.
    regex: OnceLock<Option<Regex>>,
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
        Ok(Pattern { source: source.to_owned(), ignore_case, simple: OnceLock::new(), regex })
    }

    fn simple(&self) -> Option<&Simple> {
        let read = || if self.ignore_case { None } else { Simple::read(&self.source) };
        self.simple.get_or_init(read).as_ref()
    }

    fn regex(&self) -> Option<&Regex> {
        let make = || build(&self.source, self.ignore_case, LIMITS.regex_bytes).ok();
        self.regex.get_or_init(make).as_ref()
    }

    pub(super) fn is_match(&self, subject: Subject<'_>) -> bool {
        match self.simple().map(|simple| simple.find(subject, 0, &mut [])) {
            Some(Ok(found)) => found.is_some(),
            _ => self.regex().is_some_and(|regex| regex.is_match(subject.text)),
        }
    }

    /// The first match.
    pub(super) fn find(&self, subject: Subject<'_>) -> Option<Range<usize>> {
        match self.simple().map(|simple| simple.find(subject, 0, &mut [])) {
            Some(Ok(found)) => found,
            _ => self.regex()?.find(subject.text).map(|found| found.range()),
        }
    }

    /// The first match from a place on, and where its groups are.
    pub(super) fn captures(
        &self,
        subject: Subject<'_>,
        from: usize,
        groups: &mut Groups,
    ) -> Option<Range<usize>> {
        if let Some(simple) = self.simple()
            && let Ok(found) = simple.find(subject, from, groups.slots(simple.groups()))
        {
            let found = found?;
            groups.found(found.clone());
            return Some(found);
        }
        let regex = self.regex().filter(|_| from <= subject.text.len())?;
        let mut places = regex.capture_locations();
        regex.captures_read_at(&mut places, subject.text, from)?;
        groups.read(regex, &places);
        Some(groups.whole())
    }

    /// The next match behind one that ended here, if there was one.
    pub(super) fn captures_behind(
        &self,
        subject: Subject<'_>,
        end: Option<usize>,
        groups: &mut Groups,
    ) -> Option<Range<usize>> {
        let found = self.captures(subject, end.unwrap_or(0), groups)?;
        match end {
            // Nothing, right where something was found, is no match.
            Some(end) if found == (end..end) => self.captures(subject, end + 1, groups),
            _ => Some(found),
        }
    }

    /// The name of each group, that of the whole match first; most have none.
    pub(super) fn names(&self) -> Vec<Option<&str>> {
        match (self.simple(), self.regex.get()) {
            (Some(simple), _) => vec![None; simple.groups() + 1],
            (None, Some(Some(regex))) => regex.capture_names().collect(),
            (None, _) => vec![None],
        }
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
        groups: &Groups,
        out: &mut Vec<u8>,
    ) {
        let template = self.template.get_or_init(|| Template::new(&self.text, &pattern.names()));
        template.expand(text, groups, out);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn patterns_match_what_their_expressions_do(
            pattern in r"\^?([ab]|[ab]{2}|\(|\(\?:|\)|\||\?|\*|\+|\^|\$|\.|\[ab\]|\{0,2\}|\{2\}){0,9}",
            texts in prop::collection::vec("[abcä]{0,6}", 8),
        ) {
            let Ok(regex) = build(&pattern, false, LIMITS.regex_bytes) else { return Ok(()) };
            let pattern = Pattern::new(&pattern, false, &mut Compiler::default()).unwrap();
            for text in &texts {
                let text = text.as_bytes();
                prop_assert_eq!(pattern.is_match(text.into()), regex.is_match(text), "{:?}", text);
                let found = regex.find(text).map(|found| found.range());
                prop_assert_eq!(pattern.find(text.into()), found, "{:?}", text);
                let groups = &mut Groups::default();
                let (mut all, mut end) = (Vec::new(), None);
                while let Some(found) = pattern.captures_behind(text.into(), end, groups) {
                    end = Some(found.end);
                    all.push((found, groups.get(1, text).map(<[u8]>::to_vec)));
                }
                let expected = regex.captures_iter(text).map(|found| {
                    let group = found.get(1).map(|group| group.as_bytes().to_vec());
                    (found.get(0).unwrap().range(), group)
                });
                prop_assert_eq!(all, expected.collect::<Vec<_>>(), "{:?}", text);
            }
        }
    }

    #[test]
    fn built_in_rules_match_what_their_expressions_do() {
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
                assert_eq!(
                    pattern.is_match((*text).into()),
                    regex.is_match(text),
                    "{source} {text:?}"
                );
            }
        }
    }
}
