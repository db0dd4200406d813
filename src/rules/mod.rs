//! Rules: trimming, categories and names of stacks, names of inputs.
//!
//! Rules run once for each function or stack of a profile, never for each goroutine. [`RuleLists`] are
//! the rules as written, [`RuleSet`] the same rules compiled, [`Names`] the result for a profile.

mod browser;
mod category;
mod compile;
mod default;
mod dialect;
mod distinct;
mod document;
mod explain;
mod extract;
#[cfg(test)]
pub(crate) mod fixture;
mod list;
mod memo;
mod name;
mod name_builder;
mod namer;
mod pattern;
mod settings;
mod syntax;
mod template;
#[cfg(test)]
mod tests;
mod trim;

pub use default::default_lists;
pub(crate) use document::LineNumbers;
pub use document::{Document, Entry, RuleChanges};
pub use explain::{Explained, Explainer, FrameRole};
pub use extract::Extractor;
pub use list::{Fields, LISTS, List, Rule, RuleLists, Spec, quote};
pub use settings::{Settings, to_toml};
pub use syntax::Fault;

use crate::error::{Error, Result};
use crate::profile::{FrameId, Profile, StackId, StrId, Strings};
use category::CategoryRules;
use dialect::Compiler;
use distinct::DistinctNames;
use name::NameRules;
use namer::Namer;
use std::sync::Arc;
use trim::TrimRules;

/// The result of rules for a profile: trimmed frames, and the name and category of every stack.
#[derive(Debug, Default)]
pub struct Names {
    texts: Strings,
    frames: Vec<(StrId, StrId)>,
    /// Names and categories as rules make them.
    stacks: Vec<(StrId, StrId)>,
    /// Makes equal names distinct, if `name.distinct` is set.
    distinct: Option<DistinctNames>,
}

impl Names {
    /// A frame's function after trimming.
    pub fn func(&self, frame: FrameId) -> &[u8] {
        self.text(self.func_id(frame))
    }

    /// The number of that text: equal texts have equal numbers.
    pub fn func_id(&self, frame: FrameId) -> StrId {
        self.frames[frame.index()].0
    }

    /// A frame's file after trimming.
    pub fn file(&self, frame: FrameId) -> &[u8] {
        self.texts.get(self.frames[frame.index()].1)
    }

    /// A stack's name: what it is doing now. It differs from those of other stacks of the category,
    /// as far as their frames allow.
    pub fn name(&self, profile: &Profile, stack: StackId) -> &[u8] {
        let distinct = self.distinct.as_ref();
        let name = distinct.and_then(|distinct| distinct.name(self, profile, stack));
        name.unwrap_or_else(|| self.shared_name(stack))
    }

    /// The name that rules made, which other stacks can share.
    pub fn shared_name(&self, stack: StackId) -> &[u8] {
        self.text(self.stacks[stack.index()].0)
    }

    /// A stack's category: where it comes from.
    pub fn category(&self, stack: StackId) -> &[u8] {
        self.text(self.category_id(stack))
    }

    /// Its number among the texts.
    pub fn category_id(&self, stack: StackId) -> StrId {
        self.stacks[stack.index()].1
    }

    /// The text of this number.
    pub fn text(&self, id: StrId) -> &[u8] {
        self.texts.get(id)
    }
}

/// Compiled rules; cheap to clone.
#[derive(Clone, Debug, Default)]
pub struct RuleSet {
    rules: Arc<Compiled>,
}

#[derive(Debug, Default)]
struct Compiled {
    lists: RuleLists,
    trim_func: TrimRules,
    trim_file: TrimRules,
    category: CategoryRules,
    name: NameRules,
    extractor: Extractor,
    members: Vec<String>,
    distinct: bool,
}

impl RuleSet {
    /// Compiles rules.
    ///
    /// ```
    /// use stackgazer::rules::{List, Rule, RuleLists, RuleSet, Spec};
    /// let mut lists = RuleLists::default();
    /// let skip = Rule::new(List::NameSkip, Spec::Text("runtime.".into()), "here").unwrap();
    /// lists.list_mut(List::NameSkip).push(skip);
    /// let rules = RuleSet::compile(lists).unwrap();
    /// ```
    ///
    /// # Errors
    /// If an expression can't be compiled; names the rule and where it was written.
    pub fn compile(lists: RuleLists) -> Result<RuleSet> {
        let mut rules = Compiled { distinct: lists.distinct, ..Compiled::default() };
        let compiler = &mut Compiler::default();
        for (list, key, _) in LISTS {
            for rule in lists.list(list) {
                compiler.known_valid = rule.built_in;
                let pushed = match list {
                    List::TrimFunc => rules.trim_func.push(rule, compiler),
                    List::TrimFile => rules.trim_file.push(rule, compiler),
                    List::CategorySkip | List::CategoryMatch => rules.category.push(rule, compiler),
                    List::NameSkip | List::NameTrim | List::NameFold | List::NameFind => {
                        rules.name.push(list, rule, compiler)
                    }
                    List::InputName => rules.extractor.push(rule, compiler),
                    List::InputMember => {
                        if let syntax::Meaning::Member(pattern) = &rule.meaning {
                            rules.members.push(pattern.clone());
                        }
                        Ok(())
                    }
                };
                pushed.map_err(|fault| {
                    let text = rule.spec.to_string();
                    let error =
                        Error::usage(&rule.origin, text, 1, format!("{key}: {}", fault.what));
                    match fault.advice {
                        Some(advice) => error.advise(advice),
                        None => error,
                    }
                })?;
            }
        }
        rules.lists = lists;
        Ok(RuleSet { rules: Arc::new(rules) })
    }

    /// Names every frame and stack of a profile.
    ///
    /// # Errors
    /// If the names are longer than [`names_from`](crate::limits::Limits::names_from) and
    /// [`names_average`](crate::limits::Limits::names_average) allow.
    pub fn apply(&self, profile: &Profile) -> Result<Names> {
        Namer::new(&self.rules, profile).name_stacks(profile)
    }

    /// The rules that name inputs by their content.
    pub fn extractor(&self) -> &Extractor {
        &self.rules.extractor
    }

    /// Regular expressions for the members of archives to read, in the syntax of the `regex` crate,
    /// not anchored.
    pub fn member_patterns(&self) -> &[String] {
        &self.rules.members
    }
}
