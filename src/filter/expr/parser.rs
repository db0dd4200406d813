//! Tokens to conditions.

use super::fields::{Field, NumberField, TextField};
use super::lexer::{Placed, Token, tokens};
use crate::error::{Error, Result};
use crate::filter::compile::{Compiler, kind_pattern};
use crate::filter::id::IdSet;
use crate::filter::label::{LabelCondition, LabelTest};
use crate::filter::pattern::{Pattern, PatternError};
use crate::filter::suggest;
use crate::filter::test::{Integers, Test};
use crate::filter::truth::Condition;
use crate::filter::wait::{self, Interval};
use crate::limits::LIMITS;

pub(super) struct Parser<'a> {
    option: &'a str,
    text: &'a str,
    tokens: Vec<Placed>,
    next: usize,
    compiler: &'a mut Compiler,
}

/// The comparisons; those that negate are the negation of these.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Operator {
    In,
    Less,
    AtMost,
    More,
    AtLeast,
    Regex,
    Glob,
    Contains,
}

/// What a field is compared with.
struct Operand {
    operator: Operator,
    negated: bool,
    /// The operator.
    sign: Placed,
    /// Several for `in`.
    values: Vec<Placed>,
}

impl<'a> Parser<'a> {
    pub(super) fn new(
        option: &'a str,
        text: &'a str,
        compiler: &'a mut Compiler,
    ) -> Result<Parser<'a>> {
        Ok(Parser { option, text, tokens: tokens(option, text)?, next: 0, compiler })
    }

    pub(super) fn parse(mut self) -> Result<Condition> {
        let condition = self.any(0)?;
        match self.peek() {
            Token::End => Ok(condition),
            _ => Err(self.unexpected().advise("join conditions with `and` or `or`")),
        }
    }

    fn peek(&self) -> &Token {
        &self.tokens[self.next].token
    }

    /// The next token; the end is never passed.
    fn take(&mut self) -> Placed {
        let placed = self.tokens[self.next].clone();
        if placed.token != Token::End {
            self.next += 1;
        }
        placed
    }

    fn take_if(&mut self, sign: &str, word: &str) -> bool {
        let found = match self.peek() {
            Token::Sign(found) => *found == sign,
            Token::Word(found) => !word.is_empty() && found == word,
            _ => false,
        };
        self.next += usize::from(found);
        found
    }

    fn error(&self, column: usize, what: impl Into<String>) -> Error {
        Error::usage(self.option, self.text, column, what)
    }

    fn unexpected(&self) -> Error {
        let placed = &self.tokens[self.next];
        self.error(placed.column, format!("unexpected `{}`", placed.typed))
    }

    /// What is wrong when `wanted` should stand here.
    fn missing(&self, wanted: &str) -> Error {
        match self.peek() {
            Token::End => {
                let column = self.tokens[self.next].column;
                self.error(column, format!("{wanted} is missing at the end"))
            }
            _ => self.unexpected().advise(format!("{wanted} should stand here")),
        }
    }

    fn any(&mut self, depth: usize) -> Result<Condition> {
        let mut list = vec![self.all(depth)?];
        while self.take_if("||", "or") {
            list.push(self.all(depth)?);
        }
        Ok(only(list, Condition::Any))
    }

    fn all(&mut self, depth: usize) -> Result<Condition> {
        let mut list = vec![self.one(depth)?];
        while self.take_if("&&", "and") {
            list.push(self.one(depth)?);
        }
        Ok(only(list, Condition::All))
    }

    fn one(&mut self, depth: usize) -> Result<Condition> {
        let mut negated = false;
        while self.take_if("!", "not") {
            negated = !negated;
        }
        let condition = match self.peek() {
            Token::Sign("(") => self.group(depth)?,
            Token::Word(_) => self.comparison()?,
            _ => return Err(self.missing("a condition")),
        };
        Ok(if negated { condition.negated() } else { condition })
    }

    fn group(&mut self, depth: usize) -> Result<Condition> {
        let column = self.take().column;
        if depth == LIMITS.expression_depth {
            let what = format!("more than {depth} parentheses inside each other");
            return Err(self.error(column, what));
        }
        let condition = self.any(depth + 1)?;
        match self.peek() {
            Token::Sign(")") => self.next += 1,
            Token::End => return Err(self.error(column, "this parenthesis isn't closed")),
            _ => return Err(self.unexpected().advise("join conditions with `and` or `or`")),
        }
        Ok(condition)
    }

    fn comparison(&mut self) -> Result<Condition> {
        let word = self.take();
        let field = self.field(&word)?;
        match &field {
            Field::Flag(flag) => {
                let flag = String::from_utf8_lossy(flag);
                return Ok(self.compiler.test(Test::Flag(Pattern::equal(&flag))));
            }
            Field::Match => {
                let Token::Text(text, _) = self.peek().clone() else {
                    return Err(self.missing("a text in quotes"));
                };
                self.next += 1;
                return Ok(self.compiler.text(&text));
            }
            _ => {}
        }
        let Some(operand) = self.operand()? else {
            return match field {
                Field::Label(key) => Ok(self.label(key, LabelCondition::Present)),
                _ => Err(self
                    .error(word.column, format!("`{}` must be compared with something", word.typed))
                    .advise("follow it with an operator and a value, as in state == \"select\"")),
            };
        };
        let condition = match field {
            Field::Text(field) => self.text_comparison(field, &word, &operand)?,
            Field::Label(key) => self.label_comparison(key, &word, &operand)?,
            Field::Id => self.id_comparison(&word, &operand)?,
            Field::Number(field) => self.number_comparison(field, &word, &operand)?,
            Field::Wait => self.wait_comparison(&word, &operand)?,
            Field::Flag(_) | Field::Match => return Err(self.unexpected()),
        };
        Ok(if operand.negated { condition.negated() } else { condition })
    }

    fn field(&mut self, word: &Placed) -> Result<Field> {
        let name = word.typed.as_str();
        let no_key = |parser: &Self, column| {
            parser
                .error(column, "the label's key is missing")
                .advise("write label.KEY, or label[\"KEY\"]")
        };
        if name == "label" {
            let column = self.tokens[self.next].column;
            if !self.take_if("[", "") {
                return Err(no_key(self, column));
            }
            let key = self.take();
            return match key.token {
                Token::Text(text, _) if self.take_if("]", "") => Ok(Field::Label(text.into())),
                _ => Err(no_key(self, key.column)),
            };
        }
        if let Some(key) = name.strip_prefix("label.") {
            return match key {
                "" => Err(no_key(self, word.column)),
                key => Ok(Field::Label(key.into())),
            };
        }
        Field::from_name(name).ok_or_else(|| {
            let error = self.error(word.column, format!("unknown field `{name}`"));
            match suggest::nearest(name, Field::names()) {
                Some(meant) => error.advise(format!("did you mean `{meant}`?")),
                None => error.advise(
                    "the fields are state, kind, wait, id, creator, input, category, name, \
                     frame, leaf, root, created_by, label.KEY, flag, depth and count",
                ),
            }
        })
    }

    /// An operator and what follows it, if an operator stands here.
    fn operand(&mut self) -> Result<Option<Operand>> {
        let sign = self.tokens[self.next].clone();
        let start = self.next;
        let word_negates = self.take_if("", "not");
        let found = match self.peek() {
            Token::Word(word) => match word.as_str() {
                "in" => Some((Operator::In, word_negates)),
                "like" => Some((Operator::Glob, word_negates)),
                "contains" => Some((Operator::Contains, word_negates)),
                _ => None,
            },
            Token::Sign(sign) if !word_negates => match *sign {
                "==" => Some((Operator::In, false)),
                "!=" => Some((Operator::In, true)),
                "=~" => Some((Operator::Regex, false)),
                "!~" => Some((Operator::Regex, true)),
                "<" => Some((Operator::Less, false)),
                "<=" => Some((Operator::AtMost, false)),
                ">" => Some((Operator::More, false)),
                ">=" => Some((Operator::AtLeast, false)),
                _ => None,
            },
            _ => None,
        };
        let Some((operator, negated)) = found else {
            self.next = start;
            return Ok(None);
        };
        let list = self.take().typed == "in";
        let mut values = Vec::new();
        if list && !self.take_if("(", "") {
            return Err(self.missing("a list in parentheses"));
        }
        loop {
            match self.peek() {
                Token::Text(..) | Token::Number(_) => values.push(self.take()),
                // The only value that is a word: `wait == unknown`.
                Token::Word(word) if word == "unknown" => values.push(self.take()),
                Token::Word(word) => {
                    let advice = format!("write \"{word}\" for a text");
                    return Err(self.unexpected().advise(advice));
                }
                _ => return Err(self.missing("a value")),
            }
            if !list || self.take_if(")", "") {
                return Ok(Some(Operand { operator, negated, sign, values }));
            }
            if !self.take_if(",", "") {
                return Err(self.missing("a comma or `)`"));
            }
        }
    }

    fn wrong_operator(&self, word: &Placed, operand: &Operand, use_instead: &str) -> Error {
        let what = format!("`{}` can't be compared with `{}`", word.typed, operand.sign.typed);
        self.error(operand.sign.column, what).advise(format!("use {use_instead}"))
    }

    fn pattern_error(&self, columns: &[usize], error: &PatternError) -> Error {
        let at = error.at.min(columns.len().saturating_sub(1));
        let column = columns.get(at).copied().unwrap_or(1);
        let shifted = PatternError { at: 0, ..error.clone() };
        shifted.usage(self.option, self.text, column)
    }

    /// The pattern of a comparison of texts; `None` for operators that compare numbers.
    fn pattern(&mut self, word: &Placed, operand: &Operand) -> Result<Option<Pattern>> {
        let mut texts = Vec::new();
        if matches!(
            operand.operator,
            Operator::Less | Operator::AtMost | Operator::More | Operator::AtLeast
        ) {
            return Ok(None);
        }
        for value in &operand.values {
            match &value.token {
                Token::Text(text, columns) => texts.push((text.as_str(), columns.as_slice())),
                _ => {
                    let what = format!("`{}` is compared with a text", word.typed);
                    return Err(self
                        .error(value.column, what)
                        .advise(format!("write \"{}\"", value.typed)));
                }
            }
        }
        let (text, columns) = texts.first().copied().unwrap_or(("", &[]));
        let pattern = match operand.operator {
            Operator::Regex => self.compiler.patterns.regex(text),
            // A glob that is wrong is pointed at as a whole.
            Operator::Glob => {
                let column = operand.values.first().map_or(1, |value| value.column);
                let glob = self.compiler.patterns.glob(text);
                return glob.map(Some).map_err(|error| self.pattern_error(&[column], &error));
            }
            Operator::Contains => Ok(Pattern::Contains(text.into())),
            _ => Ok(Pattern::OneOf(texts.iter().map(|(text, _)| (*text).into()).collect())),
        };
        pattern.map(Some).map_err(|error| self.pattern_error(columns, &error))
    }

    fn text_comparison(
        &mut self,
        field: TextField,
        word: &Placed,
        operand: &Operand,
    ) -> Result<Condition> {
        if field == TextField::Kind && operand.operator == Operator::In {
            for value in &operand.values {
                if let Token::Text(text, _) = &value.token {
                    kind_pattern(text)
                        .map_err(|(what, advice)| self.error(value.column, what).advise(advice))?;
                }
            }
        }
        let Some(pattern) = self.pattern(word, operand)? else {
            return Err(self.wrong_operator(word, operand, "==, !=, =~, !~, in, like or contains"));
        };
        Ok(self.compiler.test(match field {
            TextField::State => Test::State(pattern),
            TextField::Kind => Test::Kind(pattern),
            TextField::Input => Test::Input(pattern),
            TextField::Category => Test::Category(pattern),
            TextField::Name => Test::Name(pattern),
            TextField::AnyFlag => Test::Flag(pattern),
            TextField::Frame(at, part) => Test::Frame(at, part, pattern),
        }))
    }

    fn label(&mut self, key: Vec<u8>, value: LabelCondition) -> Condition {
        self.compiler.test(Test::Label(LabelTest { key, value }))
    }

    /// Labels are texts, and numbers where they are compared as such.
    fn label_comparison(
        &mut self,
        key: Vec<u8>,
        word: &Placed,
        operand: &Operand,
    ) -> Result<Condition> {
        let ordered = interval_of(operand.operator);
        let of_numbers = operand.values.iter().all(|v| matches!(v.token, Token::Number(_)));
        if ordered.is_none() && !(of_numbers && operand.operator == Operator::In) {
            return match self.pattern(word, operand)? {
                Some(pattern) => Ok(self.label(key, LabelCondition::Text(pattern))),
                None => Err(self.unexpected()),
            };
        }
        let mut any = Vec::new();
        for value in &operand.values {
            let number = match &value.token {
                Token::Number(number) => wait::parse_number(number),
                _ => None,
            };
            let Some(number) = number else {
                let what = format!("`{}` is not a number", value.typed);
                return Err(self.error(value.column, what));
            };
            let interval = ordered.map_or(Interval::exactly(number), |make| make(number));
            any.push(self.label(key.clone(), LabelCondition::Number(interval)));
        }
        Ok(only(any, Condition::Any))
    }

    fn id_comparison(&mut self, word: &Placed, operand: &Operand) -> Result<Condition> {
        if operand.operator != Operator::In {
            return self.integers(word, operand, "a goroutine id", Test::IdNumber);
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
        Ok(self.compiler.test(Test::Id(ids)))
    }

    fn number_comparison(
        &mut self,
        field: NumberField,
        word: &Placed,
        operand: &Operand,
    ) -> Result<Condition> {
        self.integers(word, operand, "a whole number", |numbers| match field {
            NumberField::Creator => Test::CreatorId(numbers),
            NumberField::Depth => Test::Depth(numbers),
            NumberField::Count => Test::Count(numbers),
        })
    }

    fn integers(
        &mut self,
        word: &Placed,
        operand: &Operand,
        wanted: &str,
        test: impl Fn(Integers) -> Test,
    ) -> Result<Condition> {
        let (least, most) = (i128::MIN, i128::MAX);
        let mut any = Vec::new();
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
            any.push(self.compiler.test(test(Integers { from, to })));
        }
        Ok(only(any, Condition::Any))
    }

    fn wait_comparison(&mut self, word: &Placed, operand: &Operand) -> Result<Condition> {
        let make = match operand.operator {
            Operator::In => Interval::exactly,
            operator => match interval_of(operator) {
                Some(make) => make,
                None => {
                    return Err(self.wrong_operator(word, operand, "==, !=, <, <=, >, >= or in"));
                }
            },
        };
        let mut any = Vec::new();
        for value in &operand.values {
            let test = match &value.token {
                Token::Number(number) => match wait::parse_minutes(number) {
                    Some(minutes) => Test::Wait(make(minutes)),
                    None => {
                        let what = format!("`{number}` is not a number of minutes");
                        return Err(self
                            .error(value.column, what)
                            .advise("write minutes, or use units: 30s, 90m, 1h, 2d"));
                    }
                },
                Token::Word(_) if operand.operator == Operator::In => {
                    let known = self.compiler.test(Test::WaitKnown);
                    any.push(known.negated());
                    continue;
                }
                _ => {
                    let what = "`wait` is compared with a number of minutes";
                    return Err(self
                        .error(value.column, what)
                        .advise("write it without quotes: 5, 30s, 1h"));
                }
            };
            any.push(self.compiler.test(test));
        }
        Ok(only(any, Condition::Any))
    }
}

/// The range that an order means; `None` for what isn't an order.
fn interval_of(operator: Operator) -> Option<fn(f64) -> Interval> {
    match operator {
        Operator::Less => Some(Interval::less_than),
        Operator::AtMost => Some(Interval::at_most),
        Operator::More => Some(Interval::more_than),
        Operator::AtLeast => Some(Interval::at_least),
        _ => None,
    }
}

/// A list of one is its only member: nesting stays as shallow as what was typed.
fn only(mut list: Vec<Condition>, join: fn(Vec<Condition>) -> Condition) -> Condition {
    match list.len() {
        1 => list.remove(0),
        _ => join(list),
    }
}
