//! Words, strings, numbers and signs of an expression.

use crate::error::{Error, Result};

/// A token of an expression.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Token {
    /// A field, or an operator that is a word. It includes the characters of label keys, as in
    /// `label.k8s.io/name`.
    Word(String),
    /// A string with its escapes resolved, and the column of each of its characters.
    Text(String, Vec<usize>),
    /// A number with its unit, as typed.
    Number(String),
    /// An operator, a parenthesis, a bracket or a comma.
    Symbol(&'static str),
    /// The end of the expression.
    End,
}

/// A token, where it starts (column in characters, from 1), and how it was typed.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Placed {
    pub(super) token: Token,
    pub(super) column: usize,
    pub(super) typed: String,
}

/// Longer signs come first.
const SIGNS: [&str; 16] =
    ["==", "!=", "=~", "!~", "<=", ">=", "&&", "||", "<", ">", "!", "(", ")", "[", "]", ","];

/// Splits an expression into tokens; the last is [`Token::End`].
pub(super) fn tokens(option: &str, text: &str) -> Result<Vec<Placed>> {
    let mut tokens = Vec::new();
    let mut rest = text;
    let mut column = 1;
    loop {
        let trimmed = rest.trim_start();
        column += rest[..rest.len() - trimmed.len()].chars().count();
        rest = trimmed;
        let Some(first) = rest.chars().next() else {
            tokens.push(Placed { token: Token::End, column, typed: String::new() });
            return Ok(tokens);
        };
        let sign = SIGNS.into_iter().find(|sign| rest.starts_with(sign));
        let (token, length) = if let Some(sign) = sign {
            (Token::Symbol(sign), sign.len())
        } else if first == '"' || first == '\'' {
            string(rest, first, column).ok_or_else(|| {
                Error::usage(option, text, column, "the string isn't closed")
                    .advise(format!("end it with {first}"))
            })?
        } else if rest.strip_prefix('-').unwrap_or(rest).starts_with(|c: char| c.is_ascii_digit()) {
            let inside = |c: char| c.is_ascii_alphanumeric() || c == '.';
            let end = rest[1..].find(|c| !inside(c)).map_or(rest.len(), |end| end + 1);
            (Token::Number(rest[..end].to_owned()), end)
        } else if first.is_alphabetic() || first == '_' {
            let end = rest.find(|c: char| !c.is_alphanumeric() && !"_-./:@".contains(c));
            let word = &rest[..end.unwrap_or(rest.len())];
            (Token::Word(word.to_owned()), word.len())
        } else {
            let error = Error::usage(option, text, column, format!("unexpected `{first}`"));
            return Err(match first {
                '=' => error.advise("write `==` for equal, `=~` for a regular expression"),
                '&' => error.advise("write `and`"),
                '|' => error.advise("write `or`"),
                _ => error,
            });
        };
        let typed = rest[..length].to_owned();
        let width = typed.chars().count();
        tokens.push(Placed { token, column, typed });
        column += width;
        rest = &rest[length..];
    }
}

/// A string with its quotes, and its length in bytes; `None` if its end is missing.
fn string(rest: &str, quote: char, column: usize) -> Option<(Token, usize)> {
    let (mut value, mut columns) = (String::new(), Vec::new());
    let mut chars = rest.char_indices().enumerate().skip(1).peekable();
    while let Some((nth, (at, c))) = chars.next() {
        let mut push = |c: char| {
            value.push(c);
            columns.push(column + nth);
        };
        if c == quote {
            columns.push(column + nth);
            return Some((Token::Text(value, columns), at + c.len_utf8()));
        }
        let escaped = match (c, chars.peek().map(|&(_, (_, next))| next)) {
            ('\\', Some('n')) => Some('\n'),
            ('\\', Some('t')) => Some('\t'),
            ('\\', Some(c @ ('\\' | '"' | '\''))) => Some(c),
            _ => None,
        };
        match escaped {
            Some(c) => {
                push(c);
                chars.next();
            }
            None => push(c),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Vec<Token> {
        tokens("--where", text).unwrap().into_iter().map(|placed| placed.token).collect()
    }

    #[test]
    fn words_strings_numbers_and_signs() {
        let text = |value: &str, columns: &[usize]| Token::Text(value.into(), columns.to_vec());
        assert_eq!(
            kinds("label.k8s.io/x!=\"a\\\"\\d\" and(wait<=1h30m)"),
            [
                Token::Word("label.k8s.io/x".into()),
                Token::Symbol("!="),
                text("a\"\\d", &[18, 19, 21, 22, 23]),
                Token::Word("and".into()),
                Token::Symbol("("),
                Token::Word("wait".into()),
                Token::Symbol("<="),
                Token::Number("1h30m".into()),
                Token::Symbol(")"),
                Token::End,
            ]
        );
        assert_eq!(kinds(r"'a\nb\tc'")[0], text("a\nb\tc", &[2, 3, 5, 6, 8, 9]));
        assert_eq!(kinds("'it\\'s \"x\"'")[0], text("it's \"x\"", &[2, 3, 4, 6, 7, 8, 9, 10, 11]));
    }

    #[test]
    fn columns_count_characters() {
        let tokens = tokens("--where", "'ÄÖ'  x").unwrap();
        assert_eq!(tokens[1].column, 7);
        assert_eq!(tokens[2].column, 8);
    }
}
