//! Which rules gave each stack its name and category.

use super::columns::NONE;
use crate::profile::StackId;
use crate::rules::{Explainer, List, Spec};
use crate::view::goroutines::name::RuleRow;
use serde::Serialize;
use std::collections::HashMap;

/// Columns by position of the stack; each rule, and each step with its rule, is listed once.
#[derive(Default, Serialize)]
pub(super) struct Naming<'r> {
    rules: Vec<RuleRow<'r>>,
    /// What was done with a frame, and the position of the rule that decided it.
    roles: Vec<(&'static str, i64)>,
    /// The positions of frames' roles, leaf first, up to the last frame that rules saw; -1 for a frame that
    /// they didn't see.
    frames: Vec<Vec<i64>>,
    /// The rules that trimmed the taken names.
    trims: Vec<Vec<i64>>,
    /// The frame that decided the category, and the rule that picked it.
    category: Vec<(i64, i64)>,
}

/// Explains stacks one by one.
pub(super) struct Namings<'e, 'r> {
    explainer: &'e mut Explainer<'r>,
    naming: Naming<'r>,
    /// The positions of rules, by list and address: a rule can have a megabyte of text, and each frame one.
    rule_ids: HashMap<(&'static str, *const Spec), i64>,
    role_ids: HashMap<(&'static str, i64), i64>,
}

impl<'e, 'r> Namings<'e, 'r> {
    pub(super) fn new(explainer: &'e mut Explainer<'r>) -> Namings<'e, 'r> {
        Namings {
            explainer,
            naming: Naming::default(),
            rule_ids: HashMap::new(),
            role_ids: HashMap::new(),
        }
    }

    pub(super) fn add(&mut self, stack: StackId) {
        let explained = self.explainer.explain(stack);
        let looked_at = explained.frames.iter().rposition(|frame| frame.step.is_some());
        let frames = explained.frames.iter().take(looked_at.map_or(0, |last| last + 1));
        let frames = frames
            .map(|frame| {
                let Some(step) = frame.step else { return NONE };
                let rule = frame.rule.map_or(NONE, |rule| self.rule(RuleRow::new(rule)));
                self.role(step, rule)
            })
            .collect();
        let trims = explained.trims.iter();
        let trims = trims.map(|rule| self.rule(RuleRow::new((List::NameTrim, *rule)))).collect();
        let picked = explained.category_rule;
        let picked = picked.map(|rule| self.rule(RuleRow::new((List::CategoryMatch, rule))));
        let frame = explained.category_frame.and_then(|frame| i64::try_from(frame).ok());
        self.naming.frames.push(frames);
        self.naming.trims.push(trims);
        self.naming.category.push((frame.unwrap_or(NONE), picked.unwrap_or(NONE)));
    }

    pub(super) fn finish(self) -> Naming<'r> {
        self.naming
    }

    fn rule(&mut self, rule: RuleRow<'r>) -> i64 {
        let next = self.naming.rules.len() as i64;
        let id = *self.rule_ids.entry((rule.list, std::ptr::from_ref(rule.rule))).or_insert(next);
        if id == next {
            self.naming.rules.push(rule);
        }
        id
    }

    fn role(&mut self, step: &'static str, rule: i64) -> i64 {
        let next = self.naming.roles.len() as i64;
        let id = *self.role_ids.entry((step, rule)).or_insert(next);
        if id == next {
            self.naming.roles.push((step, rule));
        }
        id
    }
}
