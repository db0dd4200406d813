//! Regular expressions of people's rules, translated for the linear-time engine used here.
//!
//! Rule sets are written in the dialect of JavaScript. What the `regex` crate spells differently is
//! translated; look-around and back-references, which no linear-time engine has, are refused.

use super::syntax::Fault;
use crate::limits::LIMITS;
use regex::bytes::{Regex, RegexBuilder};
use regex_syntax::hir::Hir;
use std::fmt::Write;

/// How to read letters after a backslash that have no meaning in JavaScript.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) enum Dialect {
    /// As the `regex` crate reads them (`\A`, `\z`, `\pL`); unknown ones are errors.
    #[default]
    Rust,
    /// Taken as they are, without translation: the built-in rules. A test checks that they are valid
    /// and mean the same in both dialects.
    BuiltIn,
    /// As JavaScript reads them: the letter itself.
    JavaScript,
}

/// White space in JavaScript; the `regex` crate's `\s` is a different set.
const SPACE: &str =
    r"\t-\r \x{A0}\x{1680}\x{2000}-\x{200A}\x{2028}\x{2029}\x{202F}\x{205F}\x{3000}\x{FEFF}";

/// Translates a pattern to the syntax of the `regex` crate and checks it there.
pub(super) fn translate(source: &str, dialect: Dialect) -> Result<String, Fault> {
    if dialect == Dialect::BuiltIn {
        return Ok(source.to_owned());
    }
    let mut translator = Translator {
        chars: source.chars().collect(),
        at: 0,
        out: String::with_capacity(source.len() + 8),
        origins: Vec::new(),
        dialect,
    };
    translator.run()?;
    let Translator { out, origins, .. } = translator;
    let parsed = regex_syntax::ParserBuilder::new().utf8(false).build().parse(&out);
    let (offset, what) = match parsed {
        Ok(_) => return Ok(out),
        Err(regex_syntax::Error::Parse(error)) => {
            (error.span().start.offset, error.kind().to_string())
        }
        Err(regex_syntax::Error::Translate(error)) => {
            (error.span().start.offset, error.kind().to_string())
        }
        Err(error) => (0, error.to_string()),
    };
    let column = origins.iter().rev().find(|(to, _)| *to <= offset).map_or(0, |(_, from)| *from);
    Err(Fault::at(column + 1, format!("not a regular expression: {what}")))
}

struct Translator {
    chars: Vec<char>,
    at: usize,
    out: String,
    /// Where in `out` each piece starts, and the position of its character in the source.
    origins: Vec<(usize, usize)>,
    dialect: Dialect,
}

impl Translator {
    fn run(&mut self) -> Result<(), Fault> {
        let groups = self.count_groups();
        while let Some(c) = self.peek(0) {
            self.origins.push((self.out.len(), self.at));
            match c {
                '\\' => self.escape(groups)?,
                '[' => self.class()?,
                '{' if !self.is_quantifier() => self.literal(c),
                '}' if !self.closes_quantifier() => self.literal(c),
                ']' => self.literal(c),
                '(' => self.group()?,
                _ => {
                    self.out.push(c);
                    self.at += 1;
                }
            }
        }
        Ok(())
    }

    fn peek(&self, ahead: usize) -> Option<char> {
        self.chars.get(self.at + ahead).copied()
    }

    fn fault<T>(&self, what: &str, advice: &str) -> Result<T, Fault> {
        Err(Fault::at(self.at + 1, what).advise(advice))
    }

    fn literal(&mut self, c: char) {
        push_literal(&mut self.out, c);
        self.at += 1;
    }

    /// The number of capturing groups, which decides whether `\1` is a back-reference or octal.
    fn count_groups(&self) -> usize {
        let (mut groups, mut at, mut in_class) = (0, 0, false);
        while at < self.chars.len() {
            match self.chars[at] {
                '\\' => at += 1,
                '[' => in_class = true,
                ']' => in_class = false,
                '(' if !in_class => {
                    let next = |ahead: usize| self.chars.get(at + ahead).copied();
                    let named = next(1) == Some('?')
                        && (next(2) == Some('P')
                            || next(2) == Some('<') && !matches!(next(3), Some('=' | '!')));
                    groups += usize::from(next(1) != Some('?') || named);
                }
                _ => {}
            }
            at += 1;
        }
        groups
    }

    /// Whether `{n}`, `{n,}` or `{n,m}` starts here; JavaScript takes any other brace literally.
    fn is_quantifier(&self) -> bool {
        let rest: String = self.chars[self.at + 1..].iter().take_while(|c| **c != '}').collect();
        if self.at + 1 + rest.chars().count() >= self.chars.len() {
            return false;
        }
        let digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
        match rest.split_once(',') {
            None => digits(&rest),
            Some((low, high)) => digits(low) && (high.is_empty() || digits(high)),
        }
    }

    /// Whether this `}` ends a quantifier, whose `{` was therefore copied to `out` unescaped.
    fn closes_quantifier(&self) -> bool {
        let open = self.chars[..self.at].iter().rposition(|c| *c == '{');
        open.is_some_and(|open| {
            // `out` has the `{` as it was; a literal one would have been written as `\{`.
            let copied = self.origins.iter().rev().find(|(_, from)| *from == open);
            copied.is_some_and(|(to, _)| self.out[*to..].starts_with('{'))
                && self.chars[open + 1..self.at].iter().all(|c| c.is_ascii_digit() || *c == ',')
        })
    }

    fn group(&mut self) -> Result<(), Fault> {
        if self.peek(1) == Some('?') {
            let look = match (self.peek(2), self.peek(3)) {
                (Some('='), _) => Some("look-ahead (?=...)"),
                (Some('!'), _) => Some("look-ahead (?!...)"),
                (Some('<'), Some('=')) => Some("look-behind (?<=...)"),
                (Some('<'), Some('!')) => Some("look-behind (?<!...)"),
                _ => None,
            };
            if let Some(look) = look {
                return self.fault(
                    &format!("{look} isn't supported"),
                    "match the text itself and pick the part with a group",
                );
            }
            self.out.push_str("(?");
            self.at += 2;
        } else {
            self.out.push('(');
            self.at += 1;
        }
        Ok(())
    }

    /// An escape outside a class.
    fn escape(&mut self, groups: usize) -> Result<(), Fault> {
        match self.peek(1) {
            Some('b') => self.replace(2, r"(?-u:\b)"),
            Some('B') => self.replace(2, r"(?-u:\B)"),
            Some(c @ '1'..='9') if (c as usize - '0' as usize) <= groups => {
                return self.fault(
                    "back-references aren't supported",
                    "repeat the pattern of the group in its place",
                );
            }
            Some('k') if self.peek(2) == Some('<') => {
                return self.fault(
                    "back-references aren't supported",
                    "repeat the pattern of the group in its place",
                );
            }
            _ => match self.escaped()? {
                Atom::Char(c) => push_literal(&mut self.out, c),
                Atom::Set(set) => {
                    let _ = write!(self.out, "[{set}]");
                }
                Atom::Raw(raw) => self.out.push_str(&raw),
            },
        }
        Ok(())
    }

    fn replace(&mut self, length: usize, by: &str) {
        self.out.push_str(by);
        self.at += length;
    }

    /// The meaning of an escape, inside a class or outside; moves past it.
    fn escaped(&mut self) -> Result<Atom, Fault> {
        let Some(c) = self.peek(1) else {
            return self.fault("a backslash at the end escapes nothing", "double it");
        };
        self.at += 2;
        Ok(match c {
            'd' => Atom::Set("0-9".into()),
            'D' => Atom::Set("^0-9".into()),
            'w' => Atom::Set("0-9A-Za-z_".into()),
            'W' => Atom::Set("^0-9A-Za-z_".into()),
            's' => Atom::Set(SPACE.into()),
            'S' => Atom::Set(format!("^{SPACE}")),
            't' => Atom::Char('\t'),
            'n' => Atom::Char('\n'),
            'r' => Atom::Char('\r'),
            'f' => Atom::Char('\x0C'),
            'v' => Atom::Char('\x0B'),
            'x' => self.hex(2, c),
            'u' => self.hex(4, c),
            '0'..='7' => {
                let mut value = c as u32 - '0' as u32;
                while let Some(digit) = self.peek(0).and_then(|c| c.to_digit(8)) {
                    if value * 8 + digit > 0xFF {
                        break;
                    }
                    value = value * 8 + digit;
                    self.at += 1;
                }
                Atom::Char(char::from_u32(value).unwrap_or('\0'))
            }
            c if c.is_ascii_alphabetic() && self.dialect != Dialect::JavaScript => {
                Atom::Raw(format!("\\{c}"))
            }
            c => Atom::Char(c),
        })
    }

    /// `\xHH` or `\uHHHH`; without these digits it means the letter itself.
    fn hex(&mut self, digits: usize, letter: char) -> Atom {
        let text: String = self.chars.iter().skip(self.at).take(digits).collect();
        let whole = text.len() == digits && text.bytes().all(|b| b.is_ascii_hexdigit());
        match u32::from_str_radix(&text, 16).ok().filter(|_| whole).and_then(char::from_u32) {
            Some(c) => {
                self.at += digits;
                Atom::Char(c)
            }
            None if self.dialect != Dialect::JavaScript => Atom::Raw(format!("\\{letter}")),
            None => Atom::Char(letter),
        }
    }

    /// A class in brackets. Unlike the `regex` crate, JavaScript has no classes inside classes and
    /// no `&&`, `--`, `~~`.
    fn class(&mut self) -> Result<(), Fault> {
        let start = self.at;
        self.at += 1;
        let negated = self.peek(0) == Some('^');
        self.at += usize::from(negated);
        if self.peek(0) == Some(']') {
            self.at += 1;
            self.out.push_str(if negated { "(?s:.)" } else { r"[^\x{0}-\x{10FFFF}]" });
            return Ok(());
        }
        self.out.push_str(if negated { "[^" } else { "[" });
        loop {
            match self.peek(0) {
                None => {
                    self.at = start;
                    return self.fault("the bracket is never closed", r"write \[ for a bracket");
                }
                Some(']') => break,
                Some(_) => {}
            }
            let from = self.class_atom()?;
            let ranges = self.peek(0) == Some('-') && !matches!(self.peek(1), None | Some(']'));
            if !ranges {
                self.push_class_atom(&from);
                continue;
            }
            let dash = self.at;
            self.at += 1;
            let to = self.class_atom()?;
            match (&from, &to) {
                (Atom::Char(low), Atom::Char(high)) => {
                    if low > high {
                        self.at = dash;
                        return self.fault("the range is in the wrong order", "swap its ends");
                    }
                    push_literal(&mut self.out, *low);
                    self.out.push('-');
                    push_literal(&mut self.out, *high);
                }
                _ => {
                    self.push_class_atom(&from);
                    self.out.push_str(r"\-");
                    self.push_class_atom(&to);
                }
            }
        }
        self.out.push(']');
        self.at += 1;
        Ok(())
    }

    fn class_atom(&mut self) -> Result<Atom, Fault> {
        match self.peek(0) {
            Some('\\') if self.peek(1) == Some('b') => {
                self.at += 2;
                Ok(Atom::Char('\x08'))
            }
            Some('\\') => self.escaped(),
            Some(c) => {
                self.at += 1;
                Ok(Atom::Char(c))
            }
            None => self.fault("the bracket is never closed", r"write \[ for a bracket"),
        }
    }

    fn push_class_atom(&mut self, atom: &Atom) {
        match atom {
            Atom::Char(c) => push_literal(&mut self.out, *c),
            Atom::Set(set) if set.starts_with('^') => {
                let _ = write!(self.out, "[{set}]");
            }
            Atom::Set(set) => self.out.push_str(set),
            Atom::Raw(raw) => self.out.push_str(raw),
        }
    }
}

enum Atom {
    Char(char),
    /// The inside of a class.
    Set(String),
    /// Left to the `regex` crate.
    Raw(String),
}

fn push_literal(out: &mut String, c: char) {
    if c.is_ascii_control() {
        let _ = write!(out, r"\x{:02X}", c as u32);
    } else {
        if regex_syntax::is_meta_character(c) {
            out.push('\\');
        }
        out.push(c);
    }
}

/// Compiles regular expressions within the limits for one and for all of them.
#[derive(Debug)]
pub(super) struct Compiler {
    left: usize,
    /// Set while built-in rules are read: they are known to compile, so that needn't be tried.
    pub(super) known_valid: bool,
}

impl Default for Compiler {
    fn default() -> Compiler {
        Compiler { left: LIMITS.regex_bytes_total, known_valid: false }
    }
}

impl Compiler {
    /// Compiles the output of [`translate`].
    ///
    /// The engine doesn't report how large a compiled expression is, only whether it fits; so each is
    /// charged the smallest of five sizes that it fits in.
    pub(super) fn compile(&mut self, pattern: &str, ignore_case: bool) -> Result<Regex, Fault> {
        let sizes = [8, 6, 4, 2, 0].map(|shift| LIMITS.regex_bytes >> shift);
        for size in sizes {
            match build(pattern, ignore_case, size) {
                Ok(regex) => {
                    let Some(left) = self.left.checked_sub(size) else {
                        return Err(Fault::at(1, "all regular expressions together are too large")
                            .advise("remove rules or simplify them"));
                    };
                    self.left = left;
                    return Ok(regex);
                }
                Err(regex::Error::CompiledTooBig(_)) => {}
                Err(error) => return Err(Fault::at(1, error.to_string())),
            }
        }
        Err(Fault::at(1, "the regular expression is too large")
            .advise("lower the numbers in its {n,m}"))
    }
}

/// Compiles an expression to at most `size` bytes.
pub(super) fn build(pattern: &str, ignore_case: bool, size: usize) -> Result<Regex, regex::Error> {
    RegexBuilder::new(pattern)
        .case_insensitive(ignore_case)
        .unicode(ignore_case || needs_characters(pattern))
        .size_limit(size)
        .build()
}

/// Reads an expression as [`build`] does.
pub(super) fn parse(pattern: &str, ignore_case: bool) -> Option<Hir> {
    let mut parser = regex_syntax::ParserBuilder::new();
    parser.utf8(false).case_insensitive(ignore_case);
    parser.unicode(ignore_case || needs_characters(pattern)).build().parse(pattern).ok()
}

/// Compiles an expression that [`build`] compiles by bytes so that `.` and `[^/]` match a character.
pub(super) fn build_by_characters(pattern: &str) -> Option<Regex> {
    let is_already = needs_characters(pattern);
    let build = || RegexBuilder::new(pattern).size_limit(LIMITS.regex_bytes).build().ok();
    if is_already { None } else { build() }
}

/// Whether a pattern needs to be matched by characters instead of by bytes even in ASCII texts. Most don't,
/// and cost a tenth to compile by bytes: `[^/]` is one state instead of a tree of UTF-8 sequences.
fn needs_characters(pattern: &str) -> bool {
    // Characters that aren't ASCII, classes and code points of them, and counted repetitions.
    !pattern.is_ascii()
        || ["\\p", "\\P", "\\x", "\\u", "{"].iter().any(|mark| pattern.contains(mark))
}

#[cfg(test)]
mod tests;
