//! Comparisons of fields with values: each becomes one predicate, or one for each value.

use super::fields::{NumberField, TextField};
use super::lexer::{Placed, Token};
use crate::error::{Error, Result};
use crate::filter::id::IdSet;
use crate::filter::label::{LabelCondition, LabelPredicate, parse_signed};
use crate::filter::pattern::{Pattern, PatternError};
use crate::filter::predicate::{Integers, Predicate, Predicates};
use crate::filter::truth::Condition;
use crate::filter::wait::{self, Interval};

/// The comparisons; `!=`, `!~` and `not` are negations of these.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Operator {
    /// `in`, and `==` and `!=`.
    In,
    Less,
    AtMost,
    More,
    AtLeast,
    Regex,
    Glob,
    Contains,
}

/// The right side of a comparison: an operator and its values.
pub(super) struct Operand {
    pub(super) operator: Operator,
    pub(super) negated: bool,
    /// The operator as it was typed.
    pub(super) symbol: Placed,
    /// Several for `in`; one for other operators, `==` and `!=` included.
    pub(super) values: Vec<Placed>,
}

/// Turns comparisons into predicates; errors point into the text of an option.
pub(super) struct Comparisons<'a> {
    pub(super) option: &'a str,
    pub(super) text: &'a str,
    pub(super) predicates: &'a mut Predicates,
}

impl Comparisons<'_> {
    pub(super) fn error(&self, column: usize, what: impl Into<String>) -> Error {
        Error::usage(self.option, self.text, column, what)
    }

    fn wrong_operator(&self, word: &Placed, operand: &Operand, use_instead: &str) -> Error {
        let what = format!("`{}` can't be used with `{}`", word.typed, operand.symbol.typed);
        self.error(operand.symbol.column, what).advise(format!("use {use_instead}"))
    }

    fn pattern_error(&self, columns: &[usize], error: &PatternError) -> Error {
        let at = error.at.min(columns.len().saturating_sub(1));
        let column = columns.get(at).copied().unwrap_or(1);
        let shifted = PatternError { at: 0, ..error.clone() };
        shifted.usage(self.option, self.text, column)
    }

    /// The pattern of a text comparison.
    fn pattern(&mut self, word: &Placed, operand: &Operand) -> Result<Pattern> {
        let mut texts = Vec::new();
        for value in &operand.values {
            match &value.token {
                Token::Text(text, columns) => texts.push((text.as_str(), columns.as_slice())),
                _ => {
                    let what = format!("`{}` must be compared with a text", word.typed);
                    return Err(self
                        .error(value.column, what)
                        .advise(format!("write \"{}\"", value.typed)));
                }
            }
        }
        let (text, columns) = texts.first().copied().unwrap_or(("", &[]));
        let pattern = match operand.operator {
            Operator::Regex => self.predicates.patterns.regex(text),
            // Errors in a glob point at the whole glob: where in it isn't known.
            Operator::Glob => {
                let column = operand.values.first().map_or(1, |value| value.column);
                let glob = self.predicates.patterns.glob(text);
                return glob.map_err(|error| self.pattern_error(&[column], &error));
            }
            Operator::Contains => Ok(Pattern::Contains(text.into())),
            _ => Ok(Pattern::OneOf(texts.iter().map(|(text, _)| (*text).into()).collect())),
        };
        pattern.map_err(|error| self.pattern_error(columns, &error))
    }

    pub(super) fn text(
        &mut self,
        field: TextField,
        word: &Placed,
        operand: &Operand,
    ) -> Result<Condition> {
        if interval_of(operand.operator).is_some() {
            return Err(self.wrong_operator(word, operand, "==, !=, =~, !~, in, like or contains"));
        }
        if field == TextField::Kind && operand.operator == Operator::In {
            for value in &operand.values {
                if let Token::Text(text, _) = &value.token {
                    Pattern::of_kind(text, |what| self.error(value.column, what))?;
                }
            }
        }
        let pattern = self.pattern(word, operand)?;
        Ok(self.predicates.add(match field {
            TextField::State => Predicate::State(pattern),
            TextField::Kind => Predicate::Kind(pattern),
            TextField::Input => Predicate::Input(pattern),
            TextField::Category => Predicate::Category(pattern),
            TextField::Name => Predicate::Name(pattern),
            TextField::AnyFlag => Predicate::Flag(pattern),
            TextField::Frame(at, part) => Predicate::Frame(at, part, pattern),
        }))
    }

    pub(super) fn has_label(&mut self, key: Vec<u8>, value: LabelCondition) -> Condition {
        self.predicates.add(Predicate::Label(LabelPredicate { key, value }))
    }

    /// The condition of `label.KEY`. Values are compared as numbers by `<`, `<=`, `>` and `>=`, and by `==`,
    /// `!=` and `in` if all of them are numbers; otherwise as text. `word` is the field as it was typed,
    /// for errors.
    pub(super) fn label(
        &mut self,
        key: Vec<u8>,
        word: &Placed,
        operand: &Operand,
    ) -> Result<Condition> {
        let make_interval = interval_of(operand.operator);
        let of_numbers = operand.values.iter().all(|v| matches!(v.token, Token::Number(_)));
        if make_interval.is_none() && !(of_numbers && operand.operator == Operator::In) {
            let pattern = self.pattern(word, operand)?;
            return Ok(self.has_label(key, LabelCondition::Text(pattern)));
        }
        let mut alternatives = Vec::new();
        for value in &operand.values {
            let number = match &value.token {
                Token::Number(number) => parse_signed(number),
                _ => None,
            };
            let Some(number) = number else {
                let what = format!("`{}` is not a number", value.typed);
                return Err(self.error(value.column, what));
            };
            let interval = make_interval.map_or(Interval::exactly(number), |make| make(number));
            alternatives.push(self.has_label(key.clone(), LabelCondition::Number(interval)));
        }
        Ok(join(alternatives, Condition::Any))
    }

    pub(super) fn id(&mut self, word: &Placed, operand: &Operand) -> Result<Condition> {
        if operand.operator != Operator::In {
            return self.integer_comparison(word, operand, "a goroutine id", Predicate::IdNumber);
        }
        let mut ids = IdSet::default();
        for value in &operand.values {
            match &value.token {
                Token::Text(text, columns) => {
                    let column = columns.first().copied().unwrap_or(value.column);
                    ids.insert(self.option, self.text, text, column)?;
                }
                Token::Number(number) if number.parse::<u64>().is_ok() => {
                    ids.insert(self.option, self.text, number, value.column)?;
                }
                _ => {
                    let what = format!("`{}` is not a goroutine id", value.typed);
                    return Err(self.error(value.column, what).advise("write 17, or \"n1.17\""));
                }
            }
        }
        Ok(self.predicates.add(Predicate::Id(ids)))
    }

    pub(super) fn number(
        &mut self,
        field: NumberField,
        word: &Placed,
        operand: &Operand,
    ) -> Result<Condition> {
        self.integer_comparison(word, operand, "a whole number", |numbers| match field {
            NumberField::Creator => Predicate::CreatorId(numbers),
            NumberField::Depth => Predicate::Depth(numbers),
            NumberField::Count => Predicate::Count(numbers),
        })
    }

    fn integer_comparison(
        &mut self,
        word: &Placed,
        operand: &Operand,
        wanted: &str,
        make: impl Fn(Integers) -> Predicate,
    ) -> Result<Condition> {
        let (least, most) = (i128::MIN, i128::MAX);
        let mut alternatives = Vec::new();
        for value in &operand.values {
            let number = match &value.token {
                Token::Number(number) => number.parse::<u64>().ok().map(i128::from),
                _ => None,
            };
            let Some(number) = number else {
                let what = format!("`{}` is not {wanted}", value.typed);
                return Err(self.error(value.column, what));
            };
            let (from, to) = match operand.operator {
                Operator::In => (number, number),
                Operator::Less => (least, number - 1),
                Operator::AtMost => (least, number),
                Operator::More => (number + 1, most),
                Operator::AtLeast => (number, most),
                Operator::Regex | Operator::Glob | Operator::Contains => {
                    return Err(self.wrong_operator(word, operand, "==, !=, <, <=, >, >= or in"));
                }
            };
            alternatives.push(self.predicates.add(make(Integers { from, to })));
        }
        Ok(join(alternatives, Condition::Any))
    }

    pub(super) fn wait(&mut self, word: &Placed, operand: &Operand) -> Result<Condition> {
        let make = match operand.operator {
            Operator::In => Interval::exactly,
            operator => match interval_of(operator) {
                Some(make) => make,
                None => {
                    return Err(self.wrong_operator(word, operand, "==, !=, <, <=, >, >= or in"));
                }
            },
        };
        let mut alternatives = Vec::new();
        for value in &operand.values {
            let predicate = match &value.token {
                Token::Number(number) => match wait::parse_minutes(number) {
                    Some(minutes) => Predicate::Wait(make(minutes)),
                    None => {
                        let what = format!("`{number}` is not a number of minutes");
                        return Err(self
                            .error(value.column, what)
                            .advise("write minutes, or use units: 30s, 90m, 1h, 2d"));
                    }
                },
                Token::Word(_) if operand.operator == Operator::In => {
                    let known = self.predicates.add(Predicate::WaitKnown);
                    alternatives.push(known.negated());
                    continue;
                }
                _ => {
                    let what = "`wait` must be compared with a number of minutes";
                    return Err(self
                        .error(value.column, what)
                        .advise("write it without quotes: 5, 30s, 1h"));
                }
            };
            alternatives.push(self.predicates.add(predicate));
        }
        Ok(join(alternatives, Condition::Any))
    }
}

/// How to make the range for `<`, `<=`, `>` and `>=`; `None` for other operators.
fn interval_of(operator: Operator) -> Option<fn(f64) -> Interval> {
    match operator {
        Operator::Less => Some(Interval::less_than),
        Operator::AtMost => Some(Interval::at_most),
        Operator::More => Some(Interval::more_than),
        Operator::AtLeast => Some(Interval::at_least),
        _ => None,
    }
}

/// Joins conditions; a single one stays as it is, so nesting is as shallow as in the text.
pub(super) fn join(mut list: Vec<Condition>, joined: fn(Vec<Condition>) -> Condition) -> Condition {
    match list.len() {
        1 => list.remove(0),
        _ => joined(list),
    }
}
