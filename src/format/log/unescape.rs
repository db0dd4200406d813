//! Unescapes text that was escaped into one line, as a stream: JSON strings, Go's `%q`, rsyslog's
//! `#012`.

use crate::format::encoding::push_char;
use memchr::{memchr, memchr2};

/// How a text was escaped.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Style {
    /// In double quotes, with backslashes; an unescaped quote ends it.
    Quoted,
    /// With backslashes, without quotes.
    Bare,
    /// In rsyslog's way: `#` and three octal digits.
    Octal,
}

impl Style {
    fn introducer(self) -> u8 {
        if self == Style::Octal { b'#' } else { b'\\' }
    }
}

/// The longest escape: a surrogate pair.
const LONGEST: usize = 12;

/// A parsed escape.
enum Escape {
    /// This byte, and the length of the escape.
    Byte(u8, usize),
    /// This character, and the length of the escape.
    Char(char, usize),
    /// Not an escape: the introducer stands for itself.
    Literal,
    /// The bytes end before the escape does.
    Cut,
}

/// Unescapes text part by part.
#[derive(Debug)]
pub(super) struct Unescape {
    style: Style,
    /// An escape that was cut by the end of the last part; at most [`LONGEST`] bytes.
    carry: Vec<u8>,
}

impl Unescape {
    pub(super) fn new(style: Style) -> Unescape {
        Unescape { style, carry: Vec::new() }
    }

    /// An escape that was cut by the end of the last part.
    pub(super) fn cut_escape(&self) -> &[u8] {
        &self.carry
    }

    /// Appends the unescaped `part` to `out`. Returns the text after the closing quote, or `None`
    /// if the text continues.
    pub(super) fn feed<'a>(&mut self, part: &'a [u8], out: &mut Vec<u8>) -> Option<&'a [u8]> {
        let mut rest = part;
        while !self.carry.is_empty() {
            let known = self.carry.len();
            let more = rest.get(..LONGEST.min(rest.len())).unwrap_or_default();
            let joined = [self.carry.as_slice(), more].concat();
            let Some(length) = self.one(&joined, out) else {
                self.carry = joined;
                return None;
            };
            match length.checked_sub(known) {
                Some(taken) => {
                    self.carry.clear();
                    rest = rest.get(taken..).unwrap_or_default();
                }
                // Half a pair, and after it the beginning of the next escape.
                None => drop(self.carry.drain(..length)),
            }
            if self.carry.first().is_some_and(|&byte| byte != self.style.introducer()) {
                out.append(&mut self.carry);
            }
        }
        loop {
            let found = match (self.style, rest.first()) {
                // After an escape at the end of a text, and at the tab before a place; testing for
                // that saves a search.
                (Style::Quoted, Some(b'"' | b'\\')) => Some(0),
                (Style::Quoted, _) => memchr2(b'"', b'\\', rest),
                _ => memchr(self.style.introducer(), rest),
            };
            let Some((plain, special)) = found.and_then(|at| rest.split_at_checked(at)) else {
                out.extend_from_slice(rest);
                return None;
            };
            out.extend_from_slice(plain);
            if self.style == Style::Quoted && special.first() == Some(&b'"') {
                return special.get(1..);
            }
            match self.one(special, out) {
                Some(length) => rest = special.get(length..).unwrap_or_default(),
                None => {
                    self.carry = special.to_vec();
                    return None;
                }
            }
        }
    }

    /// Ends the text; an escape that was cut stands for itself.
    pub(super) fn end(&mut self, out: &mut Vec<u8>) {
        out.append(&mut self.carry);
    }

    /// Appends the value of the escape at the start of `bytes`; returns its length, `None` if it is
    /// cut.
    fn one(&self, bytes: &[u8], out: &mut Vec<u8>) -> Option<usize> {
        let escape = if self.style == Style::Octal { octal(bytes) } else { backslash(bytes) };
        match escape {
            Escape::Byte(byte, length) => {
                out.push(byte);
                Some(length)
            }
            Escape::Char(character, length) => {
                push_char(character, out);
                Some(length)
            }
            Escape::Literal => {
                out.extend(bytes.first());
                Some(1)
            }
            Escape::Cut => None,
        }
    }
}

/// The position of the quote that ends a text.
pub(super) fn closing_quote(text: &[u8]) -> Option<usize> {
    let mut at = 0usize;
    loop {
        let found = at.saturating_add(memchr2(b'"', b'\\', text.get(at..)?)?);
        if text.get(found) == Some(&b'"') {
            return Some(found);
        }
        at = found.saturating_add(2);
    }
}

/// The escapes of JSON and of Go's `%q`, after a backslash.
fn backslash(bytes: &[u8]) -> Escape {
    let byte = match bytes.get(1) {
        None => return Escape::Cut,
        Some(b'n') => b'\n',
        Some(b't') => b'\t',
        Some(b'r') => b'\r',
        Some(b'a') => 0x07,
        Some(b'b') => 0x08,
        Some(b'v') => 0x0b,
        Some(b'f') => 0x0c,
        Some(&byte @ (b'"' | b'\\' | b'/' | b'\'')) => byte,
        Some(b'x') => {
            return match number(bytes, 2, 2, 16) {
                Digits::Value(value) => Escape::Byte(value.to_le_bytes()[0], 4),
                Digits::Cut => Escape::Cut,
                Digits::None => Escape::Literal,
            };
        }
        Some(b'u') => return utf16(bytes),
        Some(b'U') => {
            return match number(bytes, 2, 8, 16) {
                Digits::Value(value) => {
                    Escape::Char(char::from_u32(value).unwrap_or(char::REPLACEMENT_CHARACTER), 10)
                }
                Digits::Cut => Escape::Cut,
                Digits::None => Escape::Literal,
            };
        }
        Some(_) => return Escape::Literal,
    };
    Escape::Byte(byte, 2)
}

/// `\u00e9`, or a pair of surrogates.
fn utf16(bytes: &[u8]) -> Escape {
    let first = match number(bytes, 2, 4, 16) {
        Digits::Value(value) => value,
        Digits::Cut => return Escape::Cut,
        Digits::None => return Escape::Literal,
    };
    if let Some(character) = char::from_u32(first) {
        return Escape::Char(character, 6);
    }
    let lone = Escape::Char(char::REPLACEMENT_CHARACTER, 6);
    if first >= 0xdc00 {
        return lone;
    }
    match (bytes.get(6), bytes.get(7)) {
        (None, _) | (Some(b'\\'), None) => return Escape::Cut,
        (Some(b'\\'), Some(b'u')) => {}
        _ => return lone,
    }
    match number(bytes, 8, 4, 16) {
        Digits::Cut => Escape::Cut,
        Digits::Value(second @ 0xdc00..=0xdfff) => {
            // Ten bits from each half, above the first 64 Ki characters.
            let joined = ((first & 0x3ff) << 10 | (second & 0x3ff)).saturating_add(0x10000);
            Escape::Char(char::from_u32(joined).unwrap_or(char::REPLACEMENT_CHARACTER), 12)
        }
        _ => lone,
    }
}

/// rsyslog's `#012`, which it writes for control characters.
fn octal(bytes: &[u8]) -> Escape {
    match number(bytes, 1, 3, 8) {
        Digits::Value(value @ (0..0o40 | 0o177)) => Escape::Byte(value.to_le_bytes()[0], 4),
        Digits::Cut => Escape::Cut,
        _ => Escape::Literal,
    }
}

enum Digits {
    Value(u32),
    Cut,
    None,
}

/// The value of exactly `count` digits from `start` on.
fn number(bytes: &[u8], start: usize, count: usize, radix: u32) -> Digits {
    let digits = bytes.get(start..).unwrap_or_default();
    let mut value = 0u32;
    let mut left = count;
    for &byte in digits.iter().take(count) {
        let Some(digit) = char::from(byte).to_digit(radix) else { return Digits::None };
        value = value.wrapping_mul(radix).wrapping_add(digit);
        left = left.saturating_sub(1);
    }
    if left == 0 { Digits::Value(value) } else { Digits::Cut }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// All text, and the part after the closing quote.
    fn split(style: Style, parts: &[&[u8]]) -> (Vec<u8>, Option<Vec<u8>>) {
        let mut unescape = Unescape::new(style);
        let (mut out, mut behind) = (Vec::new(), None::<Vec<u8>>);
        for part in parts {
            match &mut behind {
                Some(behind) => behind.extend_from_slice(part),
                None => behind = unescape.feed(part, &mut out).map(<[u8]>::to_vec),
            }
        }
        if behind.is_none() {
            unescape.end(&mut out);
        }
        (out, behind)
    }

    #[test]
    fn every_escape_of_json_and_go_is_turned_back() {
        let (text, behind) = split(
            Style::Quoted,
            &[br#"a\n\t\r\"\\\/\b\f\a\v\'\x7f\xff\u00e9\ud83d\ude80\U0001f680" b="c""#],
        );
        let mut wanted = b"a\n\t\r\"\\/\x08\x0c\x07\x0b'\x7f\xff".to_vec();
        wanted.extend_from_slice("é🚀🚀".as_bytes());
        assert_eq!(text, wanted);
        assert_eq!(behind.as_deref(), Some(&b" b=\"c\""[..]));
    }

    #[test]
    fn what_is_no_escape_stays_as_it_is() {
        let keeps =
            |text: &str| assert_eq!(split(Style::Bare, &[text.as_bytes()]).0, text.as_bytes());
        keeps(r"C:\Go\src");
        keeps(r"\xg0 \u12 \u12g4 \U0001f68");
        keeps(r"a\");
        keeps("say \"x\"");
        assert_eq!(split(Style::Octal, &[b"a#012#011b#9#0"]).0, b"a\n\tb#9#0");
        assert_eq!(split(Style::Octal, &[b"#101#400"]).0, b"#101#400");
    }

    #[test]
    fn lone_surrogates_become_the_replacement_character() {
        let lone =
            |text: &str| String::from_utf8(split(Style::Bare, &[text.as_bytes()]).0).unwrap();
        assert_eq!(lone(r"\ud83dx"), "\u{fffd}x");
        assert_eq!(lone(r"\ud83d\n"), "\u{fffd}\n");
        assert_eq!(lone(r"\ud83d\u0041"), "\u{fffd}A");
        assert_eq!(lone(r"\ude80"), "\u{fffd}");
        assert_eq!(lone(r"\ud83d"), r"\ud83d");
    }

    #[test]
    fn a_closing_quote_is_one_without_a_backslash() {
        assert_eq!(closing_quote(br#"a\"b\\"c"#), Some(6));
        assert_eq!(closing_quote(br#"a\"b"#), None);
        assert_eq!(closing_quote(br"a\"), None);
    }

    proptest! {
        #[test]
        fn any_split_gives_the_same_text(
            text in proptest::collection::vec(
                prop_oneof![
                    Just(r"\n"), Just(r"\ud83d"), Just(r"\ude80"), Just(r"\u00e9"), Just("\\"), Just("x"),
                    Just(r"\x41"), Just(r"\U0001f680"), Just("7"), Just("#012"), Just("#"), Just("\"")
                ],
                0..24,
            ),
            cuts in proptest::collection::vec(0usize..80, 0..10),
            style in prop_oneof![Just(Style::Quoted), Just(Style::Bare), Just(Style::Octal)],
        ) {
            let text = text.concat().into_bytes();
            let mut cuts: Vec<usize> = cuts.iter().map(|cut| (*cut).min(text.len())).collect();
            cuts.extend([0, text.len()]);
            cuts.sort_unstable();
            let parts: Vec<&[u8]> = cuts.windows(2).map(|cut| &text[cut[0]..cut[1]]).collect();
            prop_assert_eq!(split(style, &parts), split(style, &[&text]));
        }
    }
}
