//! Caches of what rules decide about functions.
//!
//! A dump may hold 300,000 distinct stacks, but only a few thousand distinct functions.

use super::compile::CompiledMatcher;
use crate::profile::{StrId, Strings};

/// A cache with an answer for each string of a table.
#[derive(Clone, Debug)]
pub(super) struct Memo<T> {
    answers: Vec<Option<T>>,
}

impl<T> Default for Memo<T> {
    fn default() -> Memo<T> {
        Memo { answers: Vec::new() }
    }
}

impl<T: Clone> Memo<T> {
    pub(super) fn get(&self, of: StrId) -> Option<T> {
        self.answers.get(of.index()).cloned().flatten()
    }

    pub(super) fn set(&mut self, of: StrId, answer: T) -> T {
        if self.answers.len() <= of.index() {
            self.answers.resize(of.index() + 1, None);
        }
        self.answers[of.index()] = Some(answer.clone());
        answer
    }
}

impl Memo<Option<usize>> {
    /// The position of the first rule that matches a function; the rules are only tried once.
    pub(super) fn first_match<'r>(
        &mut self,
        func: StrId,
        texts: &Strings,
        mut rules: impl Iterator<Item = &'r CompiledMatcher>,
    ) -> Option<usize> {
        self.get(func).unwrap_or_else(|| {
            self.set(func, rules.position(|rule| rule.is_match(texts.get(func))))
        })
    }
}
