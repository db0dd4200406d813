//! Parses tokens into conditions.

use super::comparison::{Comparisons, Operand, Operator, join};
use super::fields::Field;
use super::lexer::{Placed, Token, tokens};
use crate::error::{Error, Result};
use crate::filter::label::LabelCondition;
use crate::filter::pattern::Pattern;
use crate::filter::predicate::{Predicate, Predicates};
use crate::filter::truth::Condition;
use crate::limits::LIMITS;

/// Reads the tokens once, from left to right.
pub(super) struct Parser<'a> {
    tokens: Vec<Placed>,
    next: usize,
    comparisons: Comparisons<'a>,
}

impl<'a> Parser<'a> {
    pub(super) fn new(
        option: &'a str,
        text: &'a str,
        predicates: &'a mut Predicates,
    ) -> Result<Parser<'a>> {
        let tokens = tokens(option, text)?;
        Ok(Parser { tokens, next: 0, comparisons: Comparisons { option, text, predicates } })
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

    fn take_if(&mut self, symbol: &str, word: &str) -> bool {
        let found = match self.peek() {
            Token::Symbol(found) => *found == symbol,
            Token::Word(found) => !word.is_empty() && found == word,
            _ => false,
        };
        self.next += usize::from(found);
        found
    }

    fn error(&self, column: usize, what: impl Into<String>) -> Error {
        self.comparisons.error(column, what)
    }

    fn unexpected(&self) -> Error {
        let placed = &self.tokens[self.next];
        self.error(placed.column, format!("unexpected `{}`", placed.typed))
    }

    /// The error that `wanted` is missing here.
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
        Ok(join(list, Condition::Any))
    }

    fn all(&mut self, depth: usize) -> Result<Condition> {
        let mut list = vec![self.one(depth)?];
        while self.take_if("&&", "and") {
            list.push(self.one(depth)?);
        }
        Ok(join(list, Condition::All))
    }

    fn one(&mut self, depth: usize) -> Result<Condition> {
        let mut negated = false;
        while self.take_if("!", "not") {
            negated = !negated;
        }
        let condition = match self.peek() {
            Token::Symbol("(") => self.group(depth)?,
            Token::Word(_) => self.comparison()?,
            _ => return Err(self.missing("a condition")),
        };
        Ok(if negated { condition.negated() } else { condition })
    }

    fn group(&mut self, depth: usize) -> Result<Condition> {
        let column = self.take().column;
        if depth == LIMITS.expression_depth {
            let what =
                format!("more than {depth} parentheses inside each other (expression_depth)");
            return Err(self.error(column, what));
        }
        let condition = self.any(depth + 1)?;
        match self.peek() {
            Token::Symbol(")") => self.next += 1,
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
                return Ok(self.comparisons.predicates.add(Predicate::Flag(Pattern::equal(&flag))));
            }
            Field::Match => {
                let Token::Text(text, _) = self.peek().clone() else {
                    return Err(self.missing("a text in quotes"));
                };
                self.next += 1;
                return Ok(self.comparisons.predicates.text(&text));
            }
            _ => {}
        }
        let Some(operand) = self.operand()? else {
            return match field {
                Field::Label(key) => Ok(self.comparisons.has_label(key, LabelCondition::Present)),
                _ => Err(self
                    .error(word.column, format!("`{}` must be compared with something", word.typed))
                    .advise("follow it with an operator and a value, as in state == \"select\"")),
            };
        };
        let condition = match field {
            Field::Text(field) => self.comparisons.text(field, &word, &operand)?,
            Field::Label(key) => self.comparisons.label(key, &word, &operand)?,
            Field::Id => self.comparisons.id(&word, &operand)?,
            Field::Number(field) => self.comparisons.number(field, &word, &operand)?,
            Field::Wait => self.comparisons.wait(&word, &operand)?,
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
            let Token::Text(text, _) = key.token else { return Err(no_key(self, key.column)) };
            if !self.take_if("]", "") {
                return Err(self.missing("`]`"));
            }
            return Ok(Field::Label(text.into()));
        }
        if let Some(key) = name.strip_prefix("label.") {
            return match key {
                "" => Err(no_key(self, word.column)),
                key => Ok(Field::Label(key.into())),
            };
        }
        Field::from_name(name).ok_or_else(|| {
            let error = self.error(word.column, format!("unknown field `{name}`"));
            if name == "labels" || name.starts_with("labels.") {
                return error.advise("did you mean label.KEY?");
            }
            error.advise_one_of(name, Field::names())
        })
    }

    /// Reads an operator and its values; `None` if no operator comes next.
    fn operand(&mut self) -> Result<Option<Operand>> {
        let symbol = self.tokens[self.next].clone();
        let start = self.next;
        let word_negates = self.take_if("", "not");
        let found = match self.peek() {
            Token::Word(word) => match word.as_str() {
                "in" => Some((Operator::In, word_negates)),
                "like" => Some((Operator::Glob, word_negates)),
                "contains" => Some((Operator::Contains, word_negates)),
                _ => None,
            },
            Token::Symbol(symbol) if !word_negates => match *symbol {
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
                return Ok(Some(Operand { operator, negated, symbol, values }));
            }
            if !self.take_if(",", "") {
                return Err(self.missing("a comma or `)`"));
            }
        }
    }
}
