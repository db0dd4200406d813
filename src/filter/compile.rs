//! Turns options as typed into predicates and one condition over them.

use super::frame::{At, FramePart};
use super::id::IdSet;
use super::label::{LabelCondition, LabelPredicate};
use super::pattern::{Pattern, split_negation};
use super::predicate::{Predicate, Predicates};
use super::truth::Condition;
use super::unmatched::Named;
use super::{expr, query, wait};
use crate::error::{Error, Result};
use std::collections::BTreeMap;

/// The selecting options, as typed.
#[derive(Clone, Debug, Default)]
pub struct Select {
    /// `--match`
    pub matches: Vec<String>,
    /// `--query`
    pub query: Option<String>,
    /// `--state`, commas already split
    pub states: Vec<String>,
    /// `--kind`, commas already split
    pub kinds: Vec<String>,
    /// `--wait`
    pub waits: Vec<String>,
    /// `--label`
    pub labels: Vec<String>,
    /// `--input`, commas already split
    pub inputs: Vec<String>,
    /// `--category`, commas already split
    pub categories: Vec<String>,
    /// `--name`
    pub names: Vec<String>,
    /// `--frame`
    pub frames: Vec<String>,
    /// `--created-by`
    pub created_by: Vec<String>,
    /// `--id`, commas already split
    pub ids: Vec<String>,
    /// `--where`
    pub wheres: Vec<String>,
    /// `--keep`
    pub keeps: Vec<String>,
}

/// The predicates of a filter, and one condition over them.
#[derive(Clone, Debug)]
pub(super) struct Compiled {
    pub(super) predicates: Vec<Predicate>,
    pub(super) condition: Condition,
    /// The texts that were typed for single predicates.
    pub(super) named: Vec<Named>,
}

/// Makes conditions from options.
#[derive(Debug)]
struct Compiler {
    predicates: Predicates,
    named: Vec<Named>,
}

/// One value of an option, without the `!` in front.
struct FlagValue<'a> {
    option: &'a str,
    /// As typed.
    whole: &'a str,
    text: &'a str,
    /// The position of `text` in `whole`.
    column: usize,
}

impl FlagValue<'_> {
    fn error(&self, what: impl Into<String>) -> Error {
        Error::usage(self.option, self.whole, self.column, what)
    }
}

/// The condition of these options; `None` without any.
pub(super) fn compile(select: &Select) -> Result<Option<Compiled>> {
    let mut compiler = Compiler { predicates: Predicates::new(), named: Vec::new() };
    let all = compiler.options(select)?;
    let mut kept = Vec::new();
    for keep in &select.keeps {
        kept.push(expr::parse("--keep", keep, &mut compiler.predicates)?);
    }
    if all.is_empty() {
        return Ok(None);
    }
    // `--keep` comes last: it is only evaluated for goroutines that were filtered out.
    kept.insert(0, Condition::All(all));
    let Compiler { predicates, named } = compiler;
    Ok(Some(Compiled { predicates: predicates.list, condition: Condition::Any(kept), named }))
}

impl Compiler {
    /// One condition for each option that was passed, the cheap ones first.
    fn options(&mut self, select: &Select) -> Result<Vec<Condition>> {
        let mut all = Vec::new();
        self.option("--state", &select.states, &mut all, |compiler, value| {
            Ok(compiler.predicates.add(Predicate::State(Pattern::equal(value.text))))
        })?;
        self.option("--kind", &select.kinds, &mut all, |compiler, value| {
            let pattern = Pattern::of_kind(value.text, |what| value.error(what))?;
            Ok(compiler.predicates.add(Predicate::Kind(pattern)))
        })?;
        self.option("--input", &select.inputs, &mut all, |compiler, value| {
            let pattern = compiler.glob(value)?;
            Ok(compiler.predicates.add(Predicate::Input(pattern)))
        })?;
        self.option("--category", &select.categories, &mut all, |compiler, value| {
            let pattern = compiler.glob(value)?;
            Ok(compiler.predicates.add(Predicate::Category(pattern)))
        })?;
        self.option("--name", &select.names, &mut all, |compiler, value| {
            let pattern = compiler.glob(value)?;
            Ok(compiler.predicates.add(Predicate::Name(pattern)))
        })?;
        self.labels(&select.labels, &mut all)?;
        self.option("--created-by", &select.created_by, &mut all, |compiler, value| {
            let pattern = compiler.regex(value)?;
            Ok(compiler.predicates.add(Predicate::Frame(At::Creator, FramePart::Whole, pattern)))
        })?;
        self.option("--frame", &select.frames, &mut all, |compiler, value| {
            let pattern = compiler.regex(value)?;
            Ok(compiler.predicates.add(Predicate::Frame(At::Any, FramePart::Whole, pattern)))
        })?;
        self.option("--match", &select.matches, &mut all, |compiler, value| {
            Ok(compiler.predicates.text(value.text))
        })?;
        self.ids(&select.ids, &mut all)?;
        self.option("--wait", &select.waits, &mut all, |compiler, value| {
            let range = wait::parse_range(value.whole, value.text, value.column)?;
            Ok(compiler.predicates.add(Predicate::Wait(range)))
        })?;
        if let Some(text) = &select.query {
            let query = query::parse(text)?;
            if !query.text.is_empty() {
                all.push(self.predicates.text(&query.text));
            }
            if let Some(minutes) = query.waits() {
                all.push(self.predicates.add(Predicate::Wait(minutes)));
            }
        }
        for text in &select.wheres {
            all.push(expr::parse("--where", text, &mut self.predicates)?);
        }
        Ok(all)
    }

    /// The condition of one option: any of the plain values, and none of the negated ones.
    fn option(
        &mut self,
        option: &str,
        values: &[String],
        all: &mut Vec<Condition>,
        mut compile: impl FnMut(&mut Compiler, &FlagValue<'_>) -> Result<Condition>,
    ) -> Result<()> {
        let mut any = Vec::new();
        for whole in values {
            let (negated, text, column) = split_negation(option, whole)?;
            let condition = compile(self, &FlagValue { option, whole, text, column })?;
            self.name_typed(option, text);
            match negated {
                true => all.push(condition.negated()),
                false => any.push(condition),
            }
        }
        if !any.is_empty() {
            all.push(Condition::Any(any));
        }
        Ok(())
    }

    /// Stores the text typed for the last predicate, for a note if nothing matches it.
    fn name_typed(&mut self, option: &str, text: &str) {
        if let Some(predicate) = self.predicates.list.len().checked_sub(1) {
            let (option, text) = (option.to_owned(), text.to_owned());
            self.named.push(Named { option, text, predicate });
        }
    }

    /// Labels with one key are alternatives; all keys must match.
    fn labels(&mut self, values: &[String], all: &mut Vec<Condition>) -> Result<()> {
        let mut by_key: BTreeMap<&str, Vec<Condition>> = BTreeMap::new();
        for whole in values {
            let option = "--label";
            let (negated, text, column) = split_negation(option, whole)?;
            let value = FlagValue { option, whole, text, column };
            let (key, condition) = match text.split_once('=') {
                None => (text, LabelCondition::Present),
                Some((key, glob)) => {
                    let column = column + key.chars().count() + 1;
                    let glob = FlagValue { text: glob, column, ..value };
                    (key, LabelCondition::Text(self.glob(&glob)?))
                }
            };
            if key.is_empty() {
                return Err(Error::usage(option, whole, column, "the label's key is missing")
                    .advise("write KEY, or KEY=GLOB"));
            }
            let label = LabelPredicate { key: key.into(), value: condition };
            let condition = self.predicates.add(Predicate::Label(label));
            self.name_typed(option, text);
            match negated {
                true => all.push(condition.negated()),
                false => by_key.entry(key).or_default().push(condition),
            }
        }
        all.extend(by_key.into_values().map(Condition::Any));
        Ok(())
    }

    /// Ids become one set, so that a thousand are as fast as one.
    fn ids(&mut self, values: &[String], all: &mut Vec<Condition>) -> Result<()> {
        let (mut any, mut none) = (IdSet::default(), IdSet::default());
        for whole in values {
            let (negated, text, column) = split_negation("--id", whole)?;
            let set = if negated { &mut none } else { &mut any };
            set.insert("--id", whole, text, column)?;
        }
        if !none.is_empty() {
            all.push(self.predicates.add(Predicate::Id(none)).negated());
        }
        if !any.is_empty() {
            all.push(self.predicates.add(Predicate::Id(any)));
        }
        Ok(())
    }

    fn glob(&mut self, value: &FlagValue<'_>) -> Result<Pattern> {
        self.predicates.patterns.glob(value.text).map_err(|error| {
            let error = error.usage(value.option, value.whole, value.column);
            // The value has been split already.
            match value.option {
                "--input" | "--category" if value.text.contains(['{', '}']) => error.advise(
                    "commas separate the values of this option: write each alternative alone",
                ),
                _ => error,
            }
        })
    }

    fn regex(&mut self, value: &FlagValue<'_>) -> Result<Pattern> {
        self.predicates
            .patterns
            .regex(value.text)
            .map_err(|error| error.usage(value.option, value.whole, value.column))
    }
}
