//! Explains the name and category of a stack.

use super::list::{List, Rule};
use super::name::Step;
use super::namer::Namer;
use super::{Compiled, RuleSet};
use crate::profile::{Profile, StackId};
use std::collections::BTreeSet;

/// The role of a frame in naming its stack.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct FrameRole<'r> {
    /// `skip`, `fold`, `while` (belongs to the folded or found frame before it), `take`, `find`;
    /// `None` for frames that weren't needed.
    pub step: Option<&'static str>,
    /// The rule that decided it; a frame is taken if no rule matches it.
    pub rule: Option<(List, &'r Rule)>,
}

/// Explains the name and category of a stack.
#[derive(Clone, PartialEq, Debug)]
pub struct Explained<'r> {
    /// The name before equal names were made distinct.
    pub name: Vec<u8>,
    /// The role of each frame, leaf first.
    pub frames: Vec<FrameRole<'r>>,
    /// The rules of `name.trim` that changed the frames that were taken.
    pub trims: Vec<&'r Rule>,
    /// The frame that decides the category.
    pub category_frame: Option<usize>,
    /// The rule of `category.match` that picked it; `None` if none matched.
    pub category_rule: Option<&'r Rule>,
}

/// Names stacks once more, noting the effect of each rule.
#[derive(Debug)]
pub struct Explainer<'r> {
    rules: &'r Compiled,
    namer: Namer,
    profile: &'r Profile,
    used: BTreeSet<(List, usize)>,
}

impl<'r> Explainer<'r> {
    /// Explains the stacks of a profile.
    pub fn new(rules: &'r RuleSet, profile: &'r Profile) -> Explainer<'r> {
        let namer = Namer::new(&rules.rules, profile);
        let rules = &*rules.rules;
        let mut used = BTreeSet::new();
        for frame in profile.frames() {
            rules.trim_func.apply(profile.str(frame.func), |at| {
                used.insert((List::TrimFunc, at));
            });
            rules.trim_file.apply(profile.str(frame.file), |at| {
                used.insert((List::TrimFile, at));
            });
        }
        Explainer { rules, namer, profile, used }
    }

    fn rule(&mut self, list: List, at: usize) -> (List, &'r Rule) {
        self.used.insert((list, at));
        (list, &self.rules.lists.list(list)[at])
    }

    /// Explains one stack.
    pub fn explain(&mut self, stack: StackId) -> Explained<'r> {
        let depth = self.profile.stack(stack).len();
        let mut steps = vec![None; depth];
        let name = self.namer.name_with(self.profile, stack, |at, step| steps[at] = Some(step));
        let name = self.namer.names.texts.get(name).to_vec();
        let mut trims = Vec::new();
        let frames = steps.iter().enumerate().map(|(at, step)| {
            let (word, rule) = match step {
                None => return FrameRole { step: None, rule: None },
                Some(Step::Skip(rule)) => ("skip", Some((List::NameSkip, *rule))),
                Some(Step::Fold(rule)) => ("fold", Some((List::NameFold, *rule))),
                Some(Step::FoldOn(rule)) => ("while", Some((List::NameFold, *rule))),
                Some(Step::Find(rule)) => ("find", Some((List::NameFind, *rule))),
                Some(Step::FindOn(rule)) => ("while", Some((List::NameFind, *rule))),
                Some(Step::Take) => {
                    let frame = self.profile.stack(stack)[at];
                    let func = self.namer.names.func(frame).to_vec();
                    let mut took = Vec::new();
                    self.rules.name.trim(&func, |at| took.push(at));
                    for at in took {
                        trims.push(self.rule(List::NameTrim, at).1);
                    }
                    ("take", None)
                }
            };
            FrameRole { step: Some(word), rule: rule.map(|(list, at)| self.rule(list, at)) }
        });
        let frames = frames.collect();
        for at in (0..depth).rev() {
            match self.namer.category_skip(self.profile, stack, at) {
                Some(rule) => drop(self.used.insert((List::CategorySkip, rule))),
                None => break,
            }
        }
        let chosen = self.namer.category(self.profile, stack);
        let category_rule = chosen.rule.map(|at| self.rule(List::CategoryMatch, at).1);
        Explained { name, frames, trims, category_frame: chosen.frame, category_rule }
    }

    /// The rules without an effect on the stacks explained so far, except rules for inputs.
    pub fn unused(&self) -> Vec<(List, &'r Rule)> {
        let mut unused = Vec::new();
        for (list, ..) in super::LISTS {
            if matches!(list, List::InputName | List::InputMember) {
                continue;
            }
            let rules = self.rules.lists.list(list).iter().enumerate();
            unused.extend(
                rules
                    .filter(|(at, _)| !self.used.contains(&(list, *at)))
                    .map(|(_, rule)| (list, rule)),
            );
        }
        unused
    }
}
