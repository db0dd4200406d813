//! Patterns: how a text is compared, and regular expressions within their limits.

use crate::error::{Error, Result};
use crate::limits::LIMITS;
use crate::profile::{KINDS, Kind};
use bstr::ByteSlice;
use regex::bytes::{Regex, RegexBuilder};
use std::collections::HashSet;

/// How a text is compared; always by bytes, as input needn't be UTF-8.
#[derive(Clone, Debug)]
pub(super) enum Pattern {
    /// Equal to one of these.
    OneOf(HashSet<Vec<u8>>),
    /// Contains this.
    Contains(Vec<u8>),
    /// Matched by this, anywhere unless anchored.
    Regex(Regex),
    /// Equal to the first, or matched by the second. Names contain `(*T)` and `[...]`: a name copied
    /// from an output must select what it came from.
    Glob(Vec<u8>, Regex),
}

impl Pattern {
    pub(super) fn equal(text: &str) -> Pattern {
        Pattern::OneOf(HashSet::from([text.as_bytes().to_vec()]))
    }

    /// The pattern of a kind. Kinds are a closed set: `fail` makes the error for an unknown one.
    pub(super) fn of_kind(name: &str, fail: impl FnOnce(String) -> Error) -> Result<Pattern> {
        match Kind::from_name(name) {
            Some(_) => Ok(Pattern::equal(name)),
            None => {
                let error = fail(format!("unknown kind `{name}`"));
                Err(error.advise_one_of(name, KINDS.map(|(_, known)| known)))
            }
        }
    }

    pub(super) fn is_match(&self, text: &[u8]) -> bool {
        match self {
            Pattern::OneOf(set) => set.contains(text),
            Pattern::Contains(part) => text.contains_str(part),
            Pattern::Regex(regex) => regex.is_match(text),
            Pattern::Glob(literal, regex) => literal == text || regex.is_match(text),
        }
    }
}

/// What is wrong with a pattern: the character (counted from 0), the fault, and what to do.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct PatternError {
    pub(super) at: usize,
    pub(super) what: String,
    pub(super) advice: Option<String>,
}

impl PatternError {
    /// Makes it an error of an option; `column` is that of the pattern's first character in `text`.
    pub(super) fn usage(self, option: &str, text: &str, column: usize) -> Error {
        let error = Error::usage(option, text, column + self.at, self.what);
        match self.advice {
            Some(advice) => error.advise(advice),
            None => error,
        }
    }
}

/// Compiles the patterns of one filter, which share [`crate::limits::Limits::regex_bytes_total`].
#[derive(Debug)]
pub(super) struct Patterns {
    bytes_left: usize,
}

impl Patterns {
    pub(super) fn new() -> Patterns {
        Patterns { bytes_left: LIMITS.regex_bytes_total }
    }

    /// A regular expression, not anchored.
    pub(super) fn regex(&mut self, pattern: &str) -> std::result::Result<Pattern, PatternError> {
        self.compile(pattern, false).map(Pattern::Regex).map_err(|error| explain(pattern, &error))
    }

    /// A glob for the whole text: `*` and `?` match anything, including `/`.
    pub(super) fn glob(&mut self, glob: &str) -> std::result::Result<Pattern, PatternError> {
        // Plain names must not use up the bytes that patterns share.
        if !glob.contains(['*', '?', '[', ']', '{', '}', '\\']) {
            return Ok(Pattern::equal(glob));
        }
        let error = |what: String| PatternError { at: 0, what, advice: None };
        LIMITS.check_braces(glob).map_err(error)?;
        let parsed = globset::GlobBuilder::new(glob)
            .literal_separator(false)
            .backslash_escape(true)
            .build()
            .map_err(|bad| error(format!("not a glob: {}", bad.kind())))?;
        let regex =
            self.compile(&by_characters(parsed.regex()), true).map_err(|bad| match bad {
                regex::Error::CompiledTooBig(_) => explain(glob, &bad),
                _ => error("not a glob".into()),
            })?;
        Ok(Pattern::Glob(glob.into(), regex))
    }

    /// The regex crate doesn't report how large a compiled expression is, so growing limits are tried and
    /// the limit that was enough is charged: at most four times the real size.
    fn compile(
        &mut self,
        pattern: &str,
        dot_matches_new_line: bool,
    ) -> std::result::Result<Regex, regex::Error> {
        let most = LIMITS.regex_bytes.min(self.bytes_left);
        let mut limit = most.min(4 << 10);
        loop {
            let built = RegexBuilder::new(pattern)
                .size_limit(limit)
                .dfa_size_limit(LIMITS.regex_bytes)
                .dot_matches_new_line(dot_matches_new_line)
                .build();
            match built {
                Err(regex::Error::CompiledTooBig(_)) if limit < most => {
                    limit = most.min(limit * 4);
                }
                Err(error) => return Err(error),
                Ok(regex) => {
                    self.bytes_left -= limit;
                    return Ok(regex);
                }
            }
        }
    }
}

/// Makes the expression of a glob, which is about bytes, one about characters: for `?` and `[äö]`. `*` still
/// stands for any bytes.
fn by_characters(regex: &str) -> String {
    let mut rest = regex.strip_prefix("(?-u)").unwrap_or(regex).as_bytes();
    let mut characters = Vec::new();
    loop {
        let (next, behind): (&[u8], _) = match rest {
            [] => break,
            [b'\\', b'x', high, low, behind @ ..] => {
                // A byte of a character that isn't ASCII.
                let digits = [*high, *low].map(|digit| char::from(digit).to_digit(16));
                let [high, low] = digits.map(Option::unwrap_or_default);
                (&[(high * 16 + low) as u8], behind)
            }
            [b'\\', _, behind @ ..] => (&rest[..2], behind),
            [b'.', b'*', behind @ ..] => (b"(?-u:.)*", behind),
            [_, behind @ ..] => (&rest[..1], behind),
        };
        characters.extend_from_slice(next);
        rest = behind;
    }
    String::from_utf8(characters).unwrap_or_else(|_| regex.to_owned())
}

/// Returns what is wrong with a regular expression, and at which character.
fn explain(pattern: &str, error: &regex::Error) -> PatternError {
    let text = match error {
        regex::Error::Syntax(text) => text.as_str(),
        regex::Error::CompiledTooBig(_) => {
            return PatternError {
                at: 0,
                what: format!(
                    "the pattern is too large: one may compile to {} KiB, all to {} KiB (regex_bytes)",
                    LIMITS.regex_bytes >> 10,
                    LIMITS.regex_bytes_total >> 10,
                ),
                advice: Some("use smaller counts in {...}, or fewer patterns".into()),
            };
        }
        other => {
            return PatternError { at: 0, what: other.to_string(), advice: None };
        }
    };
    // The message shows the pattern indented by four blanks and carets under what is wrong; a
    // pattern of several lines is shown with line numbers instead, and is pointed at as a whole.
    let is_carets = |line: &str| line.contains('^') && line.trim_matches([' ', '^']).is_empty();
    let carets = text.lines().find(|line| is_carets(line));
    let at = carets.and_then(|line| line.find('^')).map_or(0, |column| column.saturating_sub(4));
    let at = if pattern.contains('\n') { 0 } else { at };
    let what = text.lines().rev().find_map(|line| line.strip_prefix("error: "));
    let what = what.unwrap_or("not a regular expression");
    let advice = if what.starts_with("look-around") {
        Some("say it with a second condition: not ... =~ \"...\"".to_owned())
    } else if what.starts_with("backreferences") {
        Some("write the alternatives out".to_owned())
    } else {
        None
    };
    PatternError { at, what: format!("not a regular expression: {what}"), advice }
}

/// The text of a value without its leading `!`, which negates it; `\!` is a literal one.
pub(super) fn split_negation<'a>(option: &str, value: &'a str) -> Result<(bool, &'a str, usize)> {
    if let Some(rest) = value.strip_prefix('!') {
        if rest.is_empty() {
            return Err(Error::usage(option, value, 1, "nothing follows the `!`").advise(
                "put the value that must not hold behind it, or write `\\!` for the character",
            ));
        }
        return Ok((true, rest, 2));
    }
    match value.strip_prefix("\\!") {
        Some(_) => Ok((false, &value[1..], 2)),
        None => Ok((false, value, 1)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrong_regular_expression_is_pointed_at() {
        for (pattern, at, what) in [
            ("ab(c", 2, "unclosed group"),
            ("a[z-a]", 2, "invalid character class range, the start must be <= the end"),
            ("(?=x)", 0, "look-around, including look-ahead and look-behind, is not supported"),
            (r"(a)\1", 3, "backreferences are not supported"),
            ("é(", 1, "unclosed group"),
            ("^(ab", 1, "unclosed group"),
        ] {
            let error = Patterns::new().regex(pattern).unwrap_err();
            assert_eq!(error.at, at, "{pattern}");
            assert_eq!(error.what, format!("not a regular expression: {what}"));
        }
    }

    #[test]
    fn a_regular_expression_that_blows_up_is_refused() {
        let error = Patterns::new().regex("(((a{1000}){1000}){1000})").unwrap_err();
        assert!(error.what.contains("too large"), "{}", error.what);
        let nested = format!("{}a{}", "(".repeat(10_000), ")".repeat(10_000));
        assert!(Patterns::new().regex(&nested).is_err());
    }

    #[test]
    fn all_regular_expressions_together_are_limited() {
        let mut patterns = Patterns::new();
        let large = r"\w{5}";
        let taken = (0..10_000).take_while(|_| patterns.regex(large).is_ok()).count();
        assert!((16..2000).contains(&taken), "{taken}");
    }

    /// The compiler of globs calls itself for each level, until the stack ends.
    #[test]
    fn braces_may_not_be_nested_without_end() {
        let nested = |depth: usize| format!("{}a{}", "{".repeat(depth), "}".repeat(depth));
        assert!(Patterns::new().glob(&nested(200)).is_ok());
        let error = Patterns::new().glob(&nested(60_000)).unwrap_err();
        assert!(error.what.contains("expression_depth"), "{}", error.what);
    }

    #[test]
    fn thousands_of_plain_names_are_no_trouble() {
        let mut patterns = Patterns::new();
        assert!((0..100_000).all(|name| patterns.glob(&format!("kv/{name}")).is_ok()));
    }

    #[test]
    fn globs_take_slashes_and_any_bytes() {
        for (glob, text, matches) in [
            ("kv/*", &b"kv/kvserver/raft"[..], true),
            ("kv", b"kv/kvserver", false),
            (r"a\*", b"a*", true),
            (r"a\*", b"ab", false),
            ("*server", b"kv/kvserver", true),
            ("n?", b"n1", true),
            ("n?", b"n10", false),
            ("[ab]*", b"beta", true),
            ("{rpc,sql}", b"sql", true),
            ("a*", b"a\xff\n", true),
            ("A*", b"a", false),
            ("pool.(*Pool[...]).Get", b"pool.(*Pool[...]).Get", true),
            ("pool.(*Pool[...]).Get", b"pool.(*Pool.).Get", true),
            ("", b"", true),
            ("", b"x", false),
            ("gr?ße", "größe".as_bytes(), true),
            ("gr??ße", "größe".as_bytes(), false),
            ("*gr[öa]ß[!a]", "größe".as_bytes(), true),
            ("gr[!a]*", "größe".as_bytes(), true),
            ("gr[ä-ü]?e", "größe".as_bytes(), true),
            (r"{größe,\?}", "größe".as_bytes(), true),
            (r"a\\xc3*", b"a\\xc3\xff", true),
            (r"a.\**", b"a.*\xc3", true),
        ] {
            let pattern = Patterns::new().glob(glob).unwrap();
            assert_eq!(pattern.is_match(text), matches, "{glob}");
        }
        assert!(Patterns::new().glob("{a").is_err());
    }

    #[test]
    fn an_exclamation_mark_negates_unless_escaped() {
        assert_eq!(split_negation("--state", "!select").unwrap(), (true, "select", 2));
        assert_eq!(split_negation("--state", r"\!select").unwrap(), (false, "!select", 2));
        assert_eq!(split_negation("--state", "select").unwrap(), (false, "select", 1));
        assert!(split_negation("--state", "!").is_err());
    }
}
