//! Errors: what is wrong, where, and what to do.

pub(crate) mod suggest;

use std::fmt;
use unicode_width::UnicodeWidthStr;

/// The sorts of errors; each decides nothing but its wording.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ErrorKind {
    /// The user's own text is wrong: an option, a rule, a filter, the configuration.
    Usage,
    /// The system refused: a missing file, a full disk.
    Io,
    /// The bytes aren't anything that is known.
    Unknown,
    /// The bytes are damaged or break the rules of their format.
    Damaged,
    /// A cap was reached ([`crate::limits`]).
    Limit,
}

/// Where in an input an error is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Place {
    /// A line, counted from 1.
    Line(u64),
    /// A byte, counted from 0.
    Byte(u64),
    /// A column of the user's own text, counted from 1 in characters.
    Column(usize),
}

/// What went wrong: `INPUT: what is wrong (line or byte N); what to do`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Error {
    /// The sort.
    pub kind: ErrorKind,
    /// The input, option or file it concerns.
    pub input: String,
    /// What is wrong, without a full stop.
    pub what: String,
    /// Where.
    pub place: Option<Place>,
    /// What to do about it.
    pub advice: Option<String>,
    /// The user's text, shown with a caret under the column of `place`.
    pub source: Option<String>,
}

/// The result of everything that can fail.
pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    /// An error of this sort about this input.
    pub fn new(kind: ErrorKind, input: impl Into<String>, what: impl Into<String>) -> Error {
        Error {
            kind,
            input: input.into(),
            what: what.into(),
            place: None,
            advice: None,
            source: None,
        }
    }

    /// The user's text is wrong at a column (counted from 1, in characters).
    pub fn usage(
        option: impl Into<String>,
        text: impl Into<String>,
        column: usize,
        what: impl Into<String>,
    ) -> Error {
        Error {
            place: Some(Place::Column(column)),
            source: Some(text.into()),
            ..Error::new(ErrorKind::Usage, option, what)
        }
    }

    /// The user's text can't be used as a regular expression.
    pub fn regex(option: impl Into<String>, text: &str, error: &regex::Error) -> Error {
        if let regex::Error::CompiledTooBig(limit) = error {
            let what = format!("the pattern is too large: it may compile to {} KiB", limit >> 10);
            return Error::usage(option, text, 1, what).advise("use smaller counts in {...}");
        }
        let parsed = regex_syntax::ParserBuilder::new().utf8(false).build().parse(text);
        let (offset, what) = match parsed {
            Err(regex_syntax::Error::Parse(error)) => {
                (error.span().start.offset, error.kind().to_string())
            }
            Err(regex_syntax::Error::Translate(error)) => {
                (error.span().start.offset, error.kind().to_string())
            }
            _ => (0, error.to_string()),
        };
        let column = text.char_indices().take_while(|(at, _)| *at < offset).count() + 1;
        Error::usage(option, text, column, format!("not a regular expression: {what}"))
    }

    /// The same error with a place.
    pub fn at(mut self, place: Place) -> Error {
        self.place = Some(place);
        self
    }

    /// The same error with advice.
    pub fn advise(mut self, advice: impl Into<String>) -> Error {
        self.advice = Some(advice.into());
        self
    }

    /// An error of the system about a file.
    pub fn io(input: impl Into<String>, error: &std::io::Error) -> Error {
        Error::new(ErrorKind::Io, input, error.to_string())
    }
}

impl fmt::Display for Error {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}: {}", self.input, self.what)?;
        match self.place {
            Some(Place::Line(line)) => write!(out, " (line {line})")?,
            Some(Place::Byte(byte)) => write!(out, " (at byte {byte})")?,
            Some(Place::Column(column)) => write!(out, " (column {column})")?,
            None => {}
        }
        if let Some(advice) = &self.advice {
            write!(out, "; {advice}")?;
        }
        if let (Some(source), Some(Place::Column(column))) = (&self.source, self.place) {
            let at = source.char_indices().nth(column.saturating_sub(1));
            let (before, behind) = source.split_at(at.map_or(source.len(), |(at, _)| at));
            // What is written out moves the caret; past the end it stays where it was put.
            let before = shown(before);
            let past = column.saturating_sub(1).saturating_sub(source.chars().count());
            let blanks = before.width().saturating_add(past);
            write!(out, "\n  {before}{}\n  {:blanks$}^", shown(behind), "")?;
        }
        Ok(())
    }
}

impl std::error::Error for Error {}

/// The user's text with everything written out that a terminal would not show in a place of its own.
fn shown(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for char in text.chars() {
        match steers(char) {
            true => shown.extend(char.escape_default()),
            false => shown.push(char),
        }
    }
    shown
}

/// Whether a character could steer a terminal or reorder what it shows: control characters, line
/// separators, and the marks that change the direction of text.
pub(crate) fn steers(char: char) -> bool {
    char.is_control()
        || matches!(char,
            '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrong_regular_expression_is_pointed_at() {
        let text = "é(b".to_owned();
        let error = regex::Regex::new(&text).unwrap_err();
        let shown = Error::regex("--path-label", &text, &error).to_string();
        let expected =
            "--path-label: not a regular expression: unclosed group (column 2)\n  é(b\n   ^";
        assert_eq!(shown, expected);
    }

    #[test]
    fn the_caret_stands_below_its_place_whatever_is_in_front() {
        let caret = |text: &str, column| {
            let shown = Error::usage("--where", text, column, "wrong").to_string();
            shown.split_once('\n').map(|(_, lines)| lines.to_owned()).unwrap()
        };
        assert_eq!(caret("a\tb = c", 4), "  a\\tb = c\n      ^");
        assert_eq!(caret("数据 = c", 4), "  数据 = c\n       ^");
        assert_eq!(caret("\u{1b}[1m(", 5), "  \\u{1b}[1m(\n           ^");
        assert_eq!(caret("ab", 3), "  ab\n    ^");
    }

    #[test]
    fn a_regular_expression_that_blows_up_is_told_as_such() {
        let error = regex::RegexBuilder::new("a{1000}").size_limit(1 << 10).build().unwrap_err();
        let shown = Error::regex("--line-prefix", "a{1000}", &error).to_string();
        assert!(shown.contains("too large: it may compile to 1 KiB"), "{shown}");
    }
}
