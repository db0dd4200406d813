//! Categories: where a stack comes from, by the first frame from the root that isn't skipped.

use super::compile::CompiledMatcher;
use super::dialect::Compiler;
use super::list::Rule;
use super::memo::Memo;
use super::pattern::{LazyRegex, Replacement};
use super::syntax::{Fault, Meaning, Pick};
use crate::profile::{StrId, Strings};

/// The category of a stack without frames.
const FRAMELESS: &[u8] = b"<frameless stack>";

/// The rules of `category.skip` and `category.match`, ready to run.
#[derive(Clone, Debug, Default)]
pub(super) struct CategoryRules {
    skips: Vec<CompiledMatcher>,
    matches: Vec<Match>,
}

#[derive(Clone, Debug)]
enum Match {
    Prefix(Vec<u8>, Vec<u8>),
    Group(LazyRegex, usize),
    Text(LazyRegex, Replacement),
}

impl Match {
    /// The category of a function, if it isn't empty.
    fn of(&self, func: &[u8]) -> Option<Vec<u8>> {
        let found = match self {
            Match::Prefix(prefix, to) => func.starts_with(prefix).then(|| to.clone())?,
            Match::Group(regex, group) => {
                let groups = regex.captures(func)?;
                let found = groups.get(*group).filter(|found| !found.is_empty());
                found.or(groups.get(0))?.as_bytes().to_vec()
            }
            Match::Text(regex, template) => {
                let groups = regex.captures(func)?;
                let mut text = Vec::new();
                template.expand(regex, func, &groups, &mut text);
                text
            }
        };
        Some(found).filter(|category| !category.is_empty())
    }
}

/// Caches of what rules decide about functions.
#[derive(Clone, Debug, Default)]
pub(super) struct CategoryMemo {
    skips: Memo<Option<usize>>,
    categories: Memo<(StrId, Option<usize>)>,
}

/// How a category was found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Chosen {
    /// The frame whose function decides it; `None` for a stack without frames.
    pub(super) frame: Option<usize>,
    /// The rule of `category.match`; `None` if none matches.
    pub(super) rule: Option<usize>,
    /// The category.
    pub(super) category: StrId,
}

impl CategoryRules {
    pub(super) fn push(&mut self, rule: &Rule, compiler: &mut Compiler) -> Result<(), Fault> {
        match &rule.meaning {
            Meaning::Skip(matcher) => self.skips.push(CompiledMatcher::new(matcher, compiler)?),
            Meaning::Match { matcher, pick } => {
                self.matches.push(match (CompiledMatcher::new(matcher, compiler)?, pick) {
                    (CompiledMatcher::Prefix(prefix), Pick::Text(to)) => {
                        Match::Prefix(prefix, to.clone().into())
                    }
                    (
                        CompiledMatcher::Regex(regex) | CompiledMatcher::Either(_, regex),
                        Pick::Group(group),
                    ) => Match::Group(regex, *group),
                    (
                        CompiledMatcher::Regex(regex) | CompiledMatcher::Either(_, regex),
                        Pick::Text(to),
                    ) => Match::Text(regex, Replacement::new(to)),
                    (CompiledMatcher::Prefix(prefix), Pick::Group(_)) => {
                        Match::Prefix(prefix.clone(), prefix)
                    }
                });
            }
            _ => {}
        }
        Ok(())
    }

    /// The rule that skips a function.
    pub(super) fn skip(
        &self,
        func: StrId,
        texts: &Strings,
        memo: &mut CategoryMemo,
    ) -> Option<usize> {
        memo.skips.first_match(func, texts, self.skips.iter())
    }

    /// The category of a stack, leaf first.
    pub(super) fn category(
        &self,
        stack: &[StrId],
        texts: &mut Strings,
        memo: &mut CategoryMemo,
    ) -> Chosen {
        let Some(leaf) = stack.first() else {
            return Chosen { frame: None, rule: None, category: texts.intern(FRAMELESS) };
        };
        let frame = (0..stack.len()).rev().find(|at| self.skip(stack[*at], texts, memo).is_none());
        let Some(frame) = frame else {
            let category = up_to_slash(texts.get(*leaf)).to_vec();
            return Chosen { frame: Some(0), rule: None, category: texts.intern(&category) };
        };
        let func = stack[frame];
        let (category, rule) = memo.categories.get(func).unwrap_or_else(|| {
            let text = texts.get(func);
            let mut rules = self.matches.iter().enumerate();
            let found = rules.find_map(|(at, rule)| Some((at, rule.of(text)?)));
            let (rule, category) = match found {
                Some((rule, category)) => (Some(rule), category),
                None => (None, up_to_slash(text).to_vec()),
            };
            let category = texts.intern(&category);
            memo.categories.set(func, (category, rule))
        });
        Chosen { frame: Some(frame), rule, category }
    }
}

/// The text before the first slash, or all of it.
fn up_to_slash(func: &[u8]) -> &[u8] {
    func.split(|b| *b == b'/').next().unwrap_or(func)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::Strings;
    use crate::rules::list::{List, Spec};

    fn category(frames: &[&str], skips: &[&str], matches: &[&str]) -> String {
        let mut rules = CategoryRules::default();
        let lists = [(List::CategorySkip, skips), (List::CategoryMatch, matches)];
        for (list, texts) in lists {
            for text in texts {
                let rule = Rule::new(list, Spec::Text((*text).into()), "test").unwrap();
                rules.push(&rule, &mut Compiler::default()).unwrap();
            }
        }
        let mut texts = Strings::default();
        let stack: Vec<StrId> = frames.iter().map(|func| texts.intern(func.as_bytes())).collect();
        let chosen = rules.category(&stack, &mut texts, &mut CategoryMemo::default());
        String::from_utf8(texts.get(chosen.category).to_vec()).unwrap()
    }

    #[test]
    fn the_first_frame_from_the_root_that_is_not_skipped_decides() {
        assert_eq!(category(&["m.A", "db/sql.Q", "runtime.goexit"], &["runtime."], &[]), "db");
        assert_eq!(category(&["a/x.y", "b/c.d"], &[], &["^(a)"]), "b", "and no other");
        assert_eq!(category(&["a/b.w", "runtime.goexit"], &["a/", "runtime."], &[]), "a");
        assert_eq!(category(&[], &[], &[]), "<frameless stack>");
    }

    #[test]
    fn a_rule_picks_a_group_or_the_whole_match() {
        let frames = ["m", "pkg/util/adm.F"];
        assert_eq!(category(&frames, &[], &["pkg/([^/]+)"]), "util");
        assert_eq!(category(&frames, &[], &["pkg/([^/]+)#0"]), "pkg/util");
        assert_eq!(category(&frames, &[], &["(pkg)/([^/]+)/.*#2 -- why"]), "util");
        assert_eq!(category(&frames, &[], &["^(zz)?pkg"]), "pkg", "an empty group: whole match");
        assert_eq!(category(&frames, &[], &["^(zz)", "^(pkg/util)", "^(pkg)"]), "pkg/util");
    }

    #[test]
    fn a_rule_may_write_the_category() {
        let fields = crate::rules::list::Fields {
            regex: Some("^(a)/(b)".into()),
            to: Some("$2-$1".into()),
            ..Default::default()
        };
        let mut rules = CategoryRules::default();
        let rule = Rule::new(List::CategoryMatch, Spec::Fields(fields), "test").unwrap();
        rules.push(&rule, &mut Compiler::default()).unwrap();
        let mut texts = Strings::default();
        let func = texts.intern(b"a/b.F");
        let chosen = rules.category(&[func], &mut texts, &mut CategoryMemo::default());
        assert_eq!(texts.get(chosen.category), b"b-a");
    }
}
