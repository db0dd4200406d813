//! Names: what a stack is doing now, read from the leaf.
//!
//! Frames are skipped or folded until one is taken; then the deepest frame that a find rule matches is
//! added. The folded, taken and found parts are joined, outermost first, by ` → `.

use super::compile::{CompiledMatcher, CompiledWhile};
use super::dialect::Compiler;
use super::list::{List, Rule};
use super::memo::Memo;
use super::name_builder::NameBuilder;
use super::pattern::Replacement;
use super::syntax::{Fault, Meaning};
use super::template::CUT;
use crate::limits::LIMITS;
use crate::profile::{StrId, Strings};
use foldhash::fast::FixedState;
use hashbrown::HashMap;

/// The name of a stack without frames.
const EMPTY: &[u8] = b"empty";

/// The rules of the `name` lists, ready to run.
#[derive(Clone, Debug, Default)]
pub(super) struct NameRules {
    skips: Vec<CompiledMatcher>,
    trims: Vec<Trim>,
    folds: Vec<Fold>,
    finds: Vec<Fold>,
}

#[derive(Clone, Debug)]
struct Trim {
    find: CompiledMatcher,
    to: Replacement,
    literal: Vec<u8>,
    all: bool,
}

#[derive(Clone, Debug)]
struct Fold {
    find: CompiledMatcher,
    continuation: Option<CompiledWhile>,
    to: Vec<u8>,
}

/// Caches of what rules decide about functions.
#[derive(Clone, Debug, Default)]
pub(super) struct NameMemo {
    skips: Memo<Option<usize>>,
    folds: Memo<Option<usize>>,
    finds: Memo<Option<usize>>,
    taken: Memo<StrId>,
    /// Joins the parts of names.
    builder: NameBuilder,
    /// Whether the `while` of a rule matches a function; the number of a fold rule is twice its
    /// position, that of a find rule one more.
    continuation: HashMap<(usize, StrId), bool, FixedState>,
}

/// The role of a frame; rules are positions in their list.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Step {
    /// Skipped by a rule of `name.skip`.
    Skip(usize),
    /// Folded by a rule of `name.fold`.
    Fold(usize),
    /// Belongs to a frame that this rule of `name.fold` folded.
    FoldOn(usize),
    /// Its function is a part of the name.
    Take,
    /// Found by a rule of `name.find`.
    Find(usize),
    /// Belongs to a frame that this rule of `name.find` found.
    FindOn(usize),
}

impl NameRules {
    pub(super) fn push(
        &mut self,
        list: List,
        rule: &Rule,
        compiler: &mut Compiler,
    ) -> Result<(), Fault> {
        match &rule.meaning {
            Meaning::Skip(matcher) => self.skips.push(CompiledMatcher::new(matcher, compiler)?),
            Meaning::Trim { matcher, to, all } => self.trims.push(Trim {
                find: CompiledMatcher::new(matcher, compiler)?,
                to: Replacement::new(to),
                literal: to.clone().into(),
                all: *all,
            }),
            Meaning::Fold { matcher, while_, to } => {
                let continuation = match while_ {
                    None => None,
                    Some(while_) => Some(CompiledWhile::new(while_, compiler)?),
                };
                let find = CompiledMatcher::new(matcher, compiler)?;
                let list = if list == List::NameFold { &mut self.folds } else { &mut self.finds };
                list.push(Fold { find, continuation, to: to.clone().into() });
            }
            _ => {}
        }
        Ok(())
    }

    /// The rule that skips a function.
    pub(super) fn skip(&self, func: StrId, texts: &Strings, memo: &mut NameMemo) -> Option<usize> {
        memo.skips.first_match(func, texts, self.skips.iter())
    }

    fn fold(&self, func: StrId, texts: &Strings, memo: &mut NameMemo) -> Option<usize> {
        memo.folds.first_match(func, texts, self.folds.iter().map(|fold| &fold.find))
    }

    fn find(&self, func: StrId, texts: &Strings, memo: &mut NameMemo) -> Option<usize> {
        memo.finds.first_match(func, texts, self.finds.iter().map(|find| &find.find))
    }

    /// Whether the `while` of a rule continues over a function; skipped functions always belong to it.
    /// `number` is the rule's own, see [`NameMemo::continuation`].
    fn continues_over(
        &self,
        rule: &Fold,
        number: usize,
        func: StrId,
        texts: &Strings,
        memo: &mut NameMemo,
    ) -> bool {
        let Some(continuation) = &rule.continuation else { return false };
        if self.skip(func, texts, memo).is_some() {
            return true;
        }
        *memo
            .continuation
            .entry((number, func))
            .or_insert_with(|| continuation.is_match(texts.get(func)))
    }

    /// A function as it appears in names.
    pub(super) fn taken(&self, func: StrId, texts: &mut Strings, memo: &mut NameMemo) -> StrId {
        memo.taken.get(func).unwrap_or_else(|| {
            let text = self.trim(texts.get(func), |_| {});
            let trimmed = texts.intern(&text);
            memo.taken.set(func, trimmed)
        })
    }

    /// Applies every trim rule once, in order; calls `took` for each that changed the text. What a rule made too long
    /// is cut, and no other rule looks at it: a thousand rules that double a text would take minutes.
    pub(super) fn trim(&self, func: &[u8], mut took: impl FnMut(usize)) -> Vec<u8> {
        let mut text = func.to_vec();
        for (at, trim) in self.trims.iter().enumerate() {
            if trim.apply(&mut text) {
                took(at);
                if text.len() > LIMITS.name && text.ends_with(CUT) {
                    break;
                }
            }
        }
        text
    }

    /// The name of a stack, leaf first; calls `step` with the role of each frame.
    pub(super) fn name(
        &self,
        stack: &[StrId],
        texts: &mut Strings,
        memo: &mut NameMemo,
        mut step: impl FnMut(usize, Step),
    ) -> StrId {
        let Some(root) = stack.last() else {
            return texts.intern(EMPTY);
        };
        let mut name = std::mem::take(&mut memo.builder);
        name.clear();
        // The deepest frame that a find rule matches.
        let found = match self.finds.is_empty() {
            true => None,
            false => {
                (0..stack.len()).rev().find_map(|at| Some((at, self.find(stack[at], texts, memo)?)))
            }
        };
        let mut at = 0;
        while at < stack.len() {
            let func = stack[at];
            if let Some(rule) = self.skip(func, texts, memo) {
                step(at, Step::Skip(rule));
                at += 1;
                continue;
            }
            if let Some(rule) = self.fold(func, texts, memo) {
                step(at, Step::Fold(rule));
                let fold = &self.folds[rule];
                name.prepend(&fold.to);
                at += 1;
                while at < stack.len()
                    && self.continues_over(fold, rule * 2, stack[at], texts, memo)
                {
                    step(at, Step::FoldOn(rule));
                    at += 1;
                }
                continue;
            }
            step(at, Step::Take);
            let taken = self.taken(func, texts, memo);
            name.prepend(texts.get(taken));
            let Some((deepest, rule)) = found.filter(|(deepest, _)| *deepest > at) else { break };
            step(deepest, Step::Find(rule));
            let find = &self.finds[rule];
            name.prepend(&find.to);
            at = deepest + 1;
            while at < stack.len()
                && self.continues_over(find, rule * 2 + 1, stack[at], texts, memo)
            {
                step(at, Step::FindOn(rule));
                at += 1;
            }
        }
        let id = if name.text().is_empty() { *root } else { texts.intern(name.text()) };
        memo.builder = name;
        id
    }
}

impl Trim {
    /// Whether the rule changed the text.
    fn apply(&self, text: &mut Vec<u8>) -> bool {
        match &self.find {
            CompiledMatcher::Prefix(prefix) => {
                let found = text.starts_with(prefix);
                if found {
                    text.splice(0..prefix.len(), self.literal.iter().copied());
                }
                found
            }
            CompiledMatcher::Regex(regex) | CompiledMatcher::Either(_, regex) => {
                let Some(trimmed) = regex.replace(text, &self.to, self.all) else { return false };
                let changed = trimmed != *text;
                *text = trimmed;
                changed
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::Strings;
    use crate::rules::list::{Fields, Spec};

    fn rules(lists: &[(List, &[&str])]) -> NameRules {
        let mut rules = NameRules::default();
        for (list, texts) in lists {
            for text in *texts {
                add(&mut rules, *list, Spec::Text((*text).into()));
            }
        }
        rules
    }

    fn add(rules: &mut NameRules, list: List, spec: Spec) {
        let rule = Rule::new(list, spec, "test").unwrap();
        let compiler = &mut Compiler::default();
        rules.push(list, &rule, compiler).unwrap();
    }

    fn name(frames: &[&str], rules: &NameRules) -> String {
        let mut texts = Strings::default();
        let stack: Vec<StrId> = frames.iter().map(|func| texts.intern(func.as_bytes())).collect();
        let name = rules.name(&stack, &mut texts, &mut NameMemo::default(), |_, _| {});
        String::from_utf8(texts.get(name).to_vec()).unwrap()
    }

    #[test]
    fn the_first_frame_that_is_not_skipped_is_taken_and_trimmed() {
        let rules = rules(&[
            (List::NameSkip, &["runtime."]),
            (List::NameTrim, &["ex.org/u/", r"s/\(\*([^)]+)\)/$1/"]),
        ]);
        assert_eq!(
            name(&["runtime.gopark", "ex.org/u/repo.(*T).M", "main.main"], &rules),
            "repo.T.M"
        );
        assert_eq!(
            name(&["runtime.a", "runtime.b"], &rules),
            "runtime.b",
            "nothing left: the root"
        );
        assert_eq!(name(&[], &rules), "empty");
    }

    #[test]
    fn folded_frames_stand_behind_what_called_them() {
        let fold = |text: &str| rules(&[(List::NameFold, &[text])]);
        let frames = ["net/http.x", "fmt.P", "main.w", "fmt.Q"];
        assert_eq!(name(&frames, &fold("s|net/http,stdlib|H|")), "main.w → H");
        assert_eq!(name(&frames, &fold("s|net/http|H|")), "fmt.P → H");
        assert_eq!(name(&["a.X", "b.Y"], &fold("s|a.X||")), "b.Y", "an empty part vanishes");
        let mut empty = NameRules::default();
        let fields = Fields {
            prefix: Some("main.w".into()),
            while_: Some(String::new()),
            to: Some("W".into()),
            ..Fields::default()
        };
        add(&mut empty, List::NameFold, Spec::Fields(fields));
        assert_eq!(name(&["main.w", "helper.f"], &empty), "helper.f → W", "an empty while is none");
    }

    #[test]
    fn a_part_that_the_name_starts_with_is_not_repeated() {
        let folds = rules(&[(List::NameFold, &["s|a.X|lock wait|", "s|b.Y|lock|"])]);
        assert_eq!(name(&["a.X", "b.Y", "c.Z"], &folds), "c.Z → lock wait");
    }

    #[test]
    fn the_deepest_frame_that_a_find_rule_knows_is_found() {
        let find = rules(&[(List::NameFind, &["s|b.|B|"])]);
        assert_eq!(name(&["a.A", "b.1", "x.X", "b.2", "y.Y"], &find), "y.Y → B → a.A");
        assert_eq!(name(&["b.1", "y.Y"], &find), "b.1", "not the taken frame itself");
        let two = rules(&[(List::NameFind, &["s|b.|B|", "s|d.|D|"])]);
        assert_eq!(name(&["a.A", "b.B", "c.C", "d.D", "e.E"], &two), "e.E → D → a.A");
        let skipped = rules(&[(List::NameSkip, &["s."]), (List::NameFind, &["s|s.|S|"])]);
        assert_eq!(name(&["a.A", "s.S", "y.Y"], &skipped), "y.Y → S → a.A");
    }
}
