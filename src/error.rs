//! Errors: what is wrong, where, and what to do.

mod problems;
pub(crate) mod suggest;

pub use problems::{ErrorCounts, Problem, Problems};

use std::borrow::Cow;
use std::fmt::{self, Write};
use unicode_width::UnicodeWidthStr;

/// The kinds of errors. The kind of an error only affects its wording.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum ErrorKind {
    /// The user's own text is wrong: an option, a rule, a filter, the configuration.
    Usage,
    /// The system refused: a missing file, a full disk.
    Io,
    /// The bytes are in no known format.
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

/// An error, printed as `INPUT: what is wrong (line or byte N); what to do`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Error {
    /// What kind of error it is.
    pub kind: ErrorKind,
    /// The input, option or file that it is about.
    pub input: String,
    /// What is wrong, without a full stop.
    pub what: String,
    /// Where in the input it is.
    pub place: Option<Place>,
    /// What to do about it.
    pub advice: Option<String>,
    /// The user's text, printed with a caret under the column of `place`.
    pub source: Option<String>,
}

/// The result of everything that can fail.
pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    /// An error of this kind about this input.
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

    /// The error that an option or argument can't be used like this.
    pub fn misuse(option: impl Into<String>, what: impl Into<String>) -> Error {
        Error::new(ErrorKind::Usage, option, what)
    }

    /// The error that the user's text is wrong at a column (counted from 1, in characters).
    pub fn usage(
        option: impl Into<String>,
        text: impl Into<String>,
        column: usize,
        what: impl Into<String>,
    ) -> Error {
        Error {
            place: Some(Place::Column(column)),
            source: Some(text.into()),
            ..Error::misuse(option, what)
        }
    }

    /// The error that the user's text can't be used as a regular expression.
    pub fn regex(option: impl Into<String>, text: &str, error: &regex::Error) -> Error {
        if let regex::Error::CompiledTooBig(limit) = error {
            let what = format!(
                "the pattern is too large: it may compile to {} KiB (regex_bytes)",
                limit >> 10
            );
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

    /// Sets where it is.
    pub fn at(mut self, place: Place) -> Error {
        self.place = Some(place);
        self
    }

    /// Sets what to do about it.
    pub fn advise(mut self, advice: impl Into<String>) -> Error {
        self.advice = Some(advice.into());
        self
    }

    /// Advises what to write instead of an unknown name: the one of `known` that was probably meant, or
    /// else all of them.
    pub fn advise_one_of<'a>(self, typed: &str, known: impl IntoIterator<Item = &'a str>) -> Error {
        let known: Vec<&str> = known.into_iter().collect();
        let advice = match suggest::nearest(typed, known.iter().copied()) {
            Some(near) => format!("did you mean {near}?"),
            None => format!("use one of {}", known.join(", ")),
        };
        self.advise(advice)
    }

    /// An error that the system reports for a file.
    pub fn io(input: impl Into<String>, error: &std::io::Error) -> Error {
        Error::new(ErrorKind::Io, input, error.to_string())
    }
}

/// Text from inputs is escaped, so that it can't start a line of its own or control the terminal: no
/// input can make it look as if this program said something.
impl fmt::Display for Error {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}: {}", escaped(&self.input), escaped(&self.what))?;
        match self.place {
            Some(Place::Line(line)) => write!(out, " (line {line})")?,
            Some(Place::Byte(byte)) => write!(out, " (at byte {byte})")?,
            Some(Place::Column(column)) => write!(out, " (column {column})")?,
            None => {}
        }
        if let Some(advice) = &self.advice {
            write!(out, "; {}", escaped(advice))?;
        }
        if let (Some(source), Some(Place::Column(column))) = (&self.source, self.place) {
            let at = source.char_indices().nth(column.saturating_sub(1));
            let (before, behind) = source.split_at(at.map_or(source.len(), |(at, _)| at));
            // Escaping makes the text before the caret longer, so its column is measured anew.
            let before = end_of(before);
            let blanks = " ".repeat(before.width());
            write!(out, "\n  {before}{}\n  {blanks}^", start_of(behind))?;
        }
        Ok(())
    }
}

impl std::error::Error for Error {}

/// How many characters of a text are shown on either side of a place in it.
const AROUND: usize = 100;

/// The text before a place, without its beginning if it is long.
fn end_of(text: &str) -> String {
    match text.char_indices().rev().nth(AROUND - 1) {
        Some((at @ 1.., _)) => format!("…{}", escaped(&text[at..])),
        _ => escaped(text).into_owned(),
    }
}

/// The text behind a place, without its end if it is long.
fn start_of(text: &str) -> String {
    match text.char_indices().nth(AROUND) {
        Some((at, _)) => format!("{}…", escaped(&text[..at])),
        None => escaped(text).into_owned(),
    }
}

/// The text with every character escaped that [`is_unsafe_to_print`].
pub(crate) fn escaped(text: &str) -> Cow<'_, str> {
    if !text.chars().any(is_unsafe_to_print) {
        return text.into();
    }
    let mut safe = String::with_capacity(text.len() + 8);
    for char in text.chars() {
        // Writing to a String can't fail.
        let _ = match char {
            '\n' => write!(safe, "\\n"),
            '\r' => write!(safe, "\\r"),
            '\t' => write!(safe, "\\t"),
            char if !is_unsafe_to_print(char) => write!(safe, "{char}"),
            char if char.is_ascii() => write!(safe, "\\x{:02x}", u32::from(char)),
            char => write!(safe, "\\u{{{:x}}}", u32::from(char)),
        };
    }
    safe.into()
}

/// Whether printing this character could control a terminal, or change the order of what it shows:
/// control characters (C0, DEL, C1), line separators, and the marks that change the direction of text.
pub(crate) fn is_unsafe_to_print(char: char) -> bool {
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
        assert_eq!(caret("\u{1b}[1m(", 5), "  \\x1b[1m(\n         ^");
        assert_eq!(caret("ab", 3), "  ab\n    ^");
    }

    #[test]
    fn of_a_long_text_only_the_surroundings_of_the_place_are_shown() {
        let text = format!("{}({}", "a\u{1}".repeat(40_000), "é".repeat(300));
        let shown = Error::usage("--frame", &text, 80_001, "wrong").to_string();
        let lines: Vec<&str> = shown.lines().collect();
        let before = "a\\x01".repeat(50);
        assert_eq!(lines[1], format!("  …{before}({}…", "é".repeat(99)));
        assert_eq!(lines[2], format!("   {}^", " ".repeat(before.len())));
        assert_eq!(lines.len(), 3);
    }

    #[test]
    fn a_regular_expression_that_blows_up_is_told_as_such() {
        let error = regex::RegexBuilder::new("a{1000}").size_limit(1 << 10).build().unwrap_err();
        let shown = Error::regex("--line-prefix", "a{1000}", &error).to_string();
        assert!(shown.contains("too large: it may compile to 1 KiB"), "{shown}");
    }

    #[test]
    fn no_name_starts_a_line_of_its_own() {
        let error = Error::new(ErrorKind::Io, "a\nstackgazer: b", "no \u{202e}file\r");
        assert_eq!(error.to_string(), r"a\nstackgazer: b: no \u{202e}file\r");
    }
}
