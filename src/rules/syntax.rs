//! The meaning of rules: the text form and the fields of each list.
//!
//! | list | text form |
//! |---|---|
//! | `category.skip`, `name.skip` | the beginning of a function |
//! | `category.match` | a regular expression, `#2` for another group than the first, ` -- why` |
//! | `name.trim` | the beginning of a function, or `s\|REGEX\|TEXT\|`, `s/REGEX/TEXT/` and flags `g`, `i` |
//! | `name.fold`, `name.find` | `s\|PATTERN[,WHILE]\|TEXT\|` |
//! | `trim.func`, `trim.file` | a regular expression for the beginning |
//! | `input.name` | `s\|REGEX\|TEXT\|`, where TEXT may start with `hex:` |
//! | `input.member` | a regular expression for the path of a member |
//!
//! `\,` is a comma and `\|` a bar where these would otherwise end a part.

use super::browser;
use super::dialect::{Dialect, parse, translate};
use super::list::{Fields, List, Spec, quote};

/// What is wrong with a rule, and where in its text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fault {
    /// The field that the column is counted in; `None` for the text form.
    pub field: Option<&'static str>,
    /// The column in characters, counted from 1.
    pub column: usize,
    /// What is wrong, without a full stop.
    pub what: String,
    /// What to do about it.
    pub advice: Option<String>,
}

impl Fault {
    pub(super) fn at(column: usize, what: impl Into<String>) -> Fault {
        Fault { field: None, column, what: what.into(), advice: None }
    }

    pub(super) fn advise(mut self, advice: impl Into<String>) -> Fault {
        self.advice = Some(advice.into());
        self
    }

    fn within(mut self, field: &'static str) -> Fault {
        self.field = Some(field);
        self
    }

    /// Moves the fault into a text that starts `by` characters earlier.
    fn shift(mut self, by: usize) -> Fault {
        self.column += by;
        self
    }
}

/// How a rule matches functions; expressions are in the syntax of the `regex` crate.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Matcher {
    Prefix(String),
    Regex {
        pattern: String,
        ignore_case: bool,
    },
    /// The prefix, or else the expression.
    Either {
        prefix: String,
        pattern: String,
    },
}

/// Which frames after a folded one belong to it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum While {
    Stdlib,
    Matches(Matcher),
}

/// The part of a function that a category rule picks.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Pick {
    Group(usize),
    Text(String),
}

/// The meaning of a rule, independent of how it was written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Meaning {
    Skip(Matcher),
    Match {
        matcher: Matcher,
        pick: Pick,
    },
    Trim {
        matcher: Matcher,
        to: String,
        all: bool,
    },
    /// Of `name.fold` and `name.find`.
    Fold {
        matcher: Matcher,
        while_: Option<While>,
        to: String,
    },
    /// `from_start`: whether to cut the length of the match from the start, wherever the match was.
    Cut {
        matcher: Matcher,
        from_start: bool,
    },
    Extract {
        pattern: String,
        to: String,
        hex: bool,
    },
    Member(String),
}

/// Reads a rule whose expressions are written in this dialect.
pub(super) fn read(list: List, spec: &Spec, dialect: Dialect) -> Result<Meaning, Fault> {
    match spec {
        Spec::Text(text) => read_text(list, text, dialect),
        Spec::Browser(text) => browser::read(list, text)
            .map_err(|dropped| Fault { field: Some("browser"), ..Fault::at(1, dropped.reason) }),
        Spec::Fields(fields) => read_fields(list, fields, dialect),
    }
}

fn read_text(list: List, text: &str, dialect: Dialect) -> Result<Meaning, Fault> {
    if text.is_empty() {
        return Err(Fault::at(1, "the rule is empty"));
    }
    match list {
        List::CategorySkip | List::NameSkip => {
            if is_substitution(text, '|') {
                return Err(Fault::at(1, "a skip rule is the beginning of a function, not s|...|")
                    .advise(format!("write {{ prefix = {} }} or {{ regex = ... }}", quote(text))));
            }
            Ok(Meaning::Skip(Matcher::Prefix(text.to_owned())))
        }
        List::CategoryMatch => read_match(text, dialect),
        List::NameTrim => read_trim(text, dialect),
        List::NameFold | List::NameFind => read_fold(text, dialect),
        List::TrimFunc | List::TrimFile => Ok(cut(translate(text, dialect)?)),
        List::InputName => read_extract(text, dialect),
        List::InputMember => Ok(Meaning::Member(translate(text, dialect)?)),
    }
}

fn read_fields(list: List, fields: &Fields, dialect: Dialect) -> Result<Meaning, Fault> {
    let regex = |text: &str, field| translate(text, dialect).map_err(|f| f.within(field));
    let matcher = match (&fields.prefix, &fields.regex) {
        (Some(prefix), None) => Matcher::Prefix(prefix.clone()),
        (None, Some(text)) => {
            Matcher::Regex { pattern: regex(text, "regex")?, ignore_case: fields.ignore_case }
        }
        (Some(_), Some(_)) => {
            return Err(Fault::at(1, "a rule has a prefix or a regex, not both").within("regex"));
        }
        (None, None) => {
            let needs =
                if list.fields().contains(&"prefix") { "a prefix or a regex" } else { "a regex" };
            return Err(Fault::at(1, format!("the rule needs {needs}")));
        }
    };
    let to = fields.to.clone();
    let needs_to = || Fault::at(1, "the rule needs a `to`: what stands for it");
    Ok(match list {
        List::CategorySkip | List::NameSkip => Meaning::Skip(matcher),
        List::CategoryMatch => {
            let pick = match (to, fields.group) {
                (Some(_), Some(_)) => {
                    return Err(Fault::at(1, "a rule has a group or a `to`, not both").within("to"));
                }
                (Some(to), None) => Pick::Text(to),
                (None, group) => Pick::Group(group.unwrap_or(1)),
            };
            if pick == Pick::Group(1) && matches!(matcher, Matcher::Prefix(_)) {
                return Err(needs_to());
            }
            Meaning::Match { matcher, pick }
        }
        List::NameTrim => Meaning::Trim { matcher, to: to.unwrap_or_default(), all: fields.all },
        List::NameFold | List::NameFind => {
            let while_ = match fields.while_.as_deref() {
                None | Some("") => None,
                Some("stdlib") => Some(While::Stdlib),
                Some(text) => Some(While::Matches(Matcher::Regex {
                    pattern: regex(text, "while")?,
                    ignore_case: false,
                })),
            };
            Meaning::Fold { matcher, while_, to: to.ok_or_else(needs_to)? }
        }
        List::TrimFunc | List::TrimFile => match matcher {
            Matcher::Regex { pattern, .. } => cut(pattern),
            prefix => Meaning::Cut { matcher: prefix, from_start: false },
        },
        List::InputName => match matcher {
            Matcher::Regex { pattern, .. } => {
                let to = to.ok_or_else(needs_to)?;
                if fields.hex && !has_group(&pattern, 1) {
                    return Err(Fault::at(1, "a hexadecimal name needs a group").within("regex"));
                }
                Meaning::Extract { pattern, to, hex: fields.hex }
            }
            _ => return Err(Fault::at(1, "the rule needs a regex").within("prefix")),
        },
        List::InputMember => match matcher {
            Matcher::Regex { pattern, .. } => Meaning::Member(pattern),
            _ => return Err(Fault::at(1, "the rule needs a regex").within("prefix")),
        },
    })
}

/// A prefix to cut: the expression must match at the start.
pub(super) fn cut(pattern: String) -> Meaning {
    let pattern = format!("^(?:{pattern})");
    Meaning::Cut { matcher: Matcher::Regex { pattern, ignore_case: false }, from_start: false }
}

/// Whether a text starts a substitution with this separator: `s|`.
pub(super) fn is_substitution(text: &str, separator: char) -> bool {
    text.strip_prefix('s').is_some_and(|rest| rest.starts_with(separator))
}

/// The positions, in characters, of a sign without a backslash before it.
fn unescaped(text: &str, sign: char) -> Vec<usize> {
    let mut found = Vec::new();
    let mut escaped = false;
    for (at, c) in text.chars().enumerate() {
        if escaped {
            escaped = false;
        } else if c == '\\' {
            escaped = true;
        } else if c == sign {
            found.push(at);
        }
    }
    found
}

fn part(text: &str, from: usize, to: usize) -> String {
    text.chars().skip(from).take(to - from).collect()
}

/// The text with `\,` or `\|` replaced by the plain sign.
fn unescape(text: &str, sign: char) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match (c, chars.peek()) {
            ('\\', Some(next)) if *next == sign => {}
            ('\\', Some(_)) => {
                out.push(c);
                out.extend(chars.next());
            }
            _ => out.push(c),
        }
    }
    out
}

/// `s|PATTERN|TEXT|FLAGS`; the pattern ends at the last but one bar.
struct Substitution {
    /// The pattern as it is written, after `s|`.
    pattern: String,
    text: String,
    flags: String,
    flags_at: usize,
}

fn substitution(text: &str, separator: char) -> Result<Substitution, Fault> {
    let bars = unescaped(text, separator);
    let [first, .., middle, last] = bars[..] else {
        let end = text.chars().count();
        return Err(Fault::at(end + 1, format!("the last {separator} is missing"))
            .advise(format!("write s{separator}PATTERN{separator}TEXT{separator}")));
    };
    let end = text.chars().count();
    Ok(Substitution {
        pattern: part(text, first + 1, middle),
        text: unescape(&part(text, middle + 1, last), separator),
        flags: part(text, last + 1, end),
        flags_at: last + 2,
    })
}

fn read_match(text: &str, dialect: Dialect) -> Result<Meaning, Fault> {
    let mut body = text.to_owned();
    let mut shift = 0;
    if is_substitution(text, '|') {
        let bars = unescaped(text, '|');
        let [_, middle, last] = bars[..] else {
            let (column, what) = match bars.get(3) {
                Some(bar) => (bar + 1, "one bar too many"),
                None => (text.chars().count() + 1, "the last | is missing"),
            };
            return Err(Fault::at(column, what)
                .advise(r"write the expression alone, or \| for a bar in it"));
        };
        body = unescape(&part(text, 2, middle), '|');
        shift = 2;
        let replacement = part(text, middle + 1, last);
        let picked = format!("${}", selector(&body).1);
        if !replacement.is_empty() && replacement != picked {
            return Err(Fault::at(middle + 2, "this text would be ignored").advise(
                "write { regex = ..., to = ... }, or #2 behind the expression for group 2",
            ));
        }
        if last + 1 < text.chars().count() {
            return Err(Fault::at(last + 2, "nothing may stand behind the last |"));
        }
    }
    let (pattern, group) = selector(&body);
    let pattern = translate(pattern, dialect).map_err(|fault| fault.shift(shift))?;
    let matcher = Matcher::Regex { pattern, ignore_case: false };
    Ok(Meaning::Match { matcher, pick: Pick::Group(group) })
}

/// A category expression without its comment and its `#GROUP`, and the group.
pub(super) fn selector(text: &str) -> (&str, usize) {
    let text = text.split_once(" --").map_or(text, |(pattern, _)| pattern);
    match text.rsplit_once('#') {
        None => (text, 1),
        Some((pattern, group)) => (pattern, group.trim().parse().unwrap_or(0)),
    }
}

fn read_trim(text: &str, dialect: Dialect) -> Result<Meaning, Fault> {
    let Some(separator) = ['|', '/'].into_iter().find(|sign| is_substitution(text, *sign)) else {
        let matcher = Matcher::Prefix(text.to_owned());
        return Ok(Meaning::Trim { matcher, to: String::new(), all: false });
    };
    let found = substitution(text, separator).map_err(|fault| {
        let advice = format!(
            "{}, or {{ prefix = {} }}",
            fault.advice.clone().unwrap_or_default(),
            quote(text)
        );
        fault.advise(advice)
    })?;
    for (at, flag) in found.flags.chars().enumerate() {
        if !matches!(flag, 'g' | 'i') {
            return Err(Fault::at(found.flags_at + at, format!("unknown flag {flag:?}"))
                .advise("known are g (every match) and i (ignore case)"));
        }
    }
    let pattern = translate(&found.pattern, dialect).map_err(|fault| fault.shift(2))?;
    Ok(Meaning::Trim {
        matcher: Matcher::Regex { pattern, ignore_case: found.flags.contains('i') },
        to: found.text,
        all: found.flags.contains('g'),
    })
}

fn read_fold(text: &str, dialect: Dialect) -> Result<Meaning, Fault> {
    if !is_substitution(text, '|') {
        return Err(Fault::at(1, "the rule doesn't start with s|").advise(format!(
            "write s|PATTERN|TEXT|, or {{ prefix = {}, to = ... }}",
            quote(text)
        )));
    }
    let found = substitution(text, '|')?;
    if !found.flags.is_empty() {
        return Err(Fault::at(found.flags_at, "nothing may stand behind the last |"));
    }
    let commas = unescaped(&found.pattern, ',');
    if let [_, second, ..] = commas[..] {
        return Err(Fault::at(second + 3, "one comma too many")
            .advise(r"write \, for a comma in an expression"));
    }
    let end = found.pattern.chars().count();
    let comma = commas.first().copied().unwrap_or(end);
    let pattern = unescape(&part(&found.pattern, 0, comma), ',');
    let matcher = fold_matcher(&pattern, dialect).map_err(|fault| match commas.is_empty() {
        true => fault.shift(2),
        false => {
            fault.shift(2).advise(r"a comma ends the pattern: write \, for one that belongs to it")
        }
    })?;
    let while_ = match part(&found.pattern, (comma + 1).min(end), end) {
        empty if empty.is_empty() => None,
        stdlib if stdlib == "stdlib" => Some(While::Stdlib),
        text => Some(While::Matches(Matcher::Regex {
            pattern: translate(&unescape(&text, ','), dialect)
                .map_err(|fault| fault.shift(comma + 3))?,
            ignore_case: false,
        })),
    };
    Ok(Meaning::Fold { matcher, while_, to: found.text })
}

/// Without one of these signs a pattern is only ever a prefix.
const REGEX_SIGNS: [char; 6] = ['(', '[', '*', '+', '?', '\\'];

/// A pattern of `name.fold` and `name.find`: a prefix, and also an expression if it looks like one.
fn fold_matcher(pattern: &str, dialect: Dialect) -> Result<Matcher, Fault> {
    let prefix = pattern.to_owned();
    if !pattern.contains(REGEX_SIGNS) {
        // `a{1` is left over if a comma that belongs to the pattern wasn't escaped.
        return match pattern.rfind('{').filter(|at| !pattern[*at..].contains('}')) {
            Some(at) => {
                Err(Fault::at(pattern[..at].chars().count() + 1, "the brace is never closed"))
            }
            None => Ok(Matcher::Prefix(prefix)),
        };
    }
    match translate(pattern, dialect) {
        Ok(pattern) => Ok(Matcher::Either { prefix, pattern }),
        // `sync.(*Cond).Wait` isn't an expression, but clearly a function.
        Err(_) if is_method(pattern) => Ok(Matcher::Prefix(prefix)),
        Err(fault) if fault.what.contains("supported") => Err(fault),
        Err(fault) => {
            Err(fault.advise("write { prefix = ..., to = ... } for text that is no expression"))
        }
    }
}

/// Whether a pattern is text that only looks like an expression because of a `(*Receiver)`.
fn is_method(pattern: &str) -> bool {
    let Some((before, rest)) = pattern.split_once("(*") else { return false };
    let after = rest.split_once(')').map_or("", |(_, after)| after);
    !before.contains(REGEX_SIGNS) && !after.contains(REGEX_SIGNS)
}

/// A pattern as the browser tool reads it: if it isn't an expression it is only a prefix.
pub(super) fn browser_fold_matcher(pattern: &str) -> Result<Matcher, Fault> {
    let prefix = pattern.to_owned();
    if !pattern.contains(REGEX_SIGNS) {
        return Ok(Matcher::Prefix(prefix));
    }
    match translate(pattern, Dialect::JavaScript) {
        Ok(pattern) => Ok(Matcher::Either { prefix, pattern }),
        Err(fault) if fault.what.contains("supported") => Err(fault),
        Err(_) => Ok(Matcher::Prefix(prefix)),
    }
}

fn read_extract(text: &str, dialect: Dialect) -> Result<Meaning, Fault> {
    if !is_substitution(text, '|') {
        return Err(Fault::at(1, "the rule doesn't start with s|")
            .advise("write s|REGEX|TEXT|, where TEXT may hold $1"));
    }
    let bars = unescaped(text, '|');
    let end = text.chars().count();
    let (middle, last) = match bars[..] {
        [_, middle] => (middle, end),
        [_, middle, last] if last + 1 == end => (middle, last),
        [_] => return Err(Fault::at(end + 1, "the name is missing").advise("write s|REGEX|TEXT|")),
        _ => {
            let bar = bars.get(2).copied().unwrap_or(0);
            return Err(Fault::at(bar + 1, "one bar too many")
                .advise(r"write \| for a bar in the expression"));
        }
    };
    let source = unescape(&part(text, 2, middle), '|');
    let pattern = translate(&source, dialect).map_err(|fault| fault.shift(2))?;
    let to = unescape(&part(text, middle + 1, last), '|');
    let (to, hex) = match to.strip_prefix("hex:") {
        Some(rest) => (rest.to_owned(), true),
        None => (to, false),
    };
    if hex && !has_group(&pattern, 1) {
        return Err(
            Fault::at(3, "a hexadecimal name needs a group").advise("put ( ) around the number")
        );
    }
    Ok(Meaning::Extract { pattern, to, hex })
}

/// Whether a valid expression has a group of this number.
pub(super) fn has_group(pattern: &str, group: usize) -> bool {
    parse(pattern, false).is_some_and(|hir| hir.properties().explicit_captures_len() >= group)
}

#[cfg(test)]
mod tests;
