//! The functions that rules are asked about.

use super::compile::Find;
use super::memo::Memo;
use super::simple::{Contents, Subject};
use crate::profile::{StrId, Strings};

/// Texts of functions, and what those are made of that rules were asked about.
#[derive(Debug)]
pub(super) struct Funcs<'a> {
    pub(super) texts: &'a mut Strings,
    pub(super) contents: &'a mut Memo<Contents>,
}

impl Funcs<'_> {
    /// A function for rules to look at.
    pub(super) fn subject(&mut self, func: StrId) -> Subject<'_> {
        let text = self.texts.get(func);
        let contents = self.contents.get(func);
        let contents = contents.unwrap_or_else(|| self.contents.set(func, Contents::of(text)));
        Subject { text, contents }
    }

    /// The position of the first rule that matches a function, asked once.
    pub(super) fn first<'a>(
        &mut self,
        memo: &mut Memo<Option<usize>>,
        func: StrId,
        mut rules: impl Iterator<Item = &'a Find>,
    ) -> Option<usize> {
        memo.get(func).unwrap_or_else(|| {
            let subject = self.subject(func);
            memo.set(func, rules.position(|rule| rule.is_match(subject)))
        })
    }
}
