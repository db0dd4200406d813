//! Replacements of rules.

use crate::limits::LIMITS;
use regex::bytes::Captures;

/// What stands for the rest of a text that rules made too long.
pub(super) const CUT: &[u8] = "…".as_bytes();

/// Appends to a text that rules make, up to [`name`](crate::limits::Limits::name) bytes; a character that
/// only fits in part is left out.
pub(super) fn append(out: &mut Vec<u8>, text: &[u8]) {
    let Some(room) = LIMITS.name.checked_sub(out.len()) else { return };
    if text.len() <= room {
        out.extend_from_slice(text);
    } else if room > 0 || !out.ends_with(CUT) {
        let is_start = |at: &usize| text.get(*at).is_some_and(|byte| byte & 0xc0 != 0x80);
        // No character has more than four bytes.
        let end = (room.saturating_sub(3)..=room).rev().find(is_start).unwrap_or(room);
        out.extend_from_slice(text.get(..end).unwrap_or_default());
        out.extend_from_slice(CUT);
    }
}

/// A replacement in the syntax of JavaScript: `$1`, `$&`, `$$`, ...
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Template(Vec<TemplatePart>);

#[derive(Clone, PartialEq, Eq, Debug)]
enum TemplatePart {
    Text(Vec<u8>),
    Group(usize),
    Before,
    After,
}

impl Template {
    /// Reads a replacement for an expression whose groups have these names; the first is that of the
    /// whole match. A reference to a group that doesn't exist stays as it is, as in JavaScript.
    pub(super) fn new(text: &str, names: &[Option<&str>]) -> Template {
        let has_names = names.iter().any(Option::is_some);
        let mut parts = Vec::new();
        let mut plain = Vec::new();
        let mut rest = text;
        while let Some(at) = rest.find('$') {
            plain.extend_from_slice(&rest.as_bytes()[..at]);
            let after = &rest[at + 1..];
            let digits = after.bytes().take(2).take_while(u8::is_ascii_digit).count();
            let number = |length: usize| after[..length].parse::<usize>().unwrap_or(0);
            // `$10` is group 10 if there are that many, else group 1 followed by a zero.
            let numbered = (1..=digits).rev().find(|n| (1..names.len()).contains(&number(*n)));
            let name = after.strip_prefix('<').and_then(|name| name.split_once('>'));
            let (part, length) = match after.as_bytes().first() {
                Some(b'$') => (TemplatePart::Text(b"$".to_vec()), 1),
                Some(b'&') => (TemplatePart::Group(0), 1),
                Some(b'`') => (TemplatePart::Before, 1),
                Some(b'\'') => (TemplatePart::After, 1),
                _ => match (numbered, name) {
                    (Some(length), _) => (TemplatePart::Group(number(length)), length),
                    (None, Some((name, _))) if has_names => {
                        let group = names.iter().position(|other| *other == Some(name));
                        // A group that doesn't exist matches nothing.
                        (
                            group.map_or(TemplatePart::Text(Vec::new()), TemplatePart::Group),
                            name.len() + 2,
                        )
                    }
                    _ => (TemplatePart::Text(b"$".to_vec()), 0),
                },
            };
            if !plain.is_empty() {
                parts.push(TemplatePart::Text(std::mem::take(&mut plain)));
            }
            parts.push(part);
            rest = &after[length..];
        }
        plain.extend_from_slice(rest.as_bytes());
        if !plain.is_empty() {
            parts.push(TemplatePart::Text(plain));
        }
        Template(parts)
    }

    /// Writes the replacement of one match.
    pub(super) fn expand(&self, text: &[u8], groups: &Captures<'_>, out: &mut Vec<u8>) {
        let whole = groups.get_match().range();
        for part in &self.0 {
            let part = match part {
                TemplatePart::Text(text) => text,
                TemplatePart::Group(group) => {
                    groups.get(*group).map_or(&b""[..], |group| group.as_bytes())
                }
                TemplatePart::Before => &text[..whole.start],
                TemplatePart::After => &text[whole.end..],
            };
            append(out, part);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_that_is_too_long_is_cut_between_characters() {
        for character in ["ä", "…", "😀"] {
            for before in 0..5 {
                let mut out = vec![b'x'; LIMITS.name - before];
                for _ in 0..3 {
                    append(&mut out, character.repeat(7).as_bytes());
                }
                let text = std::str::from_utf8(&out).unwrap();
                let rest = text.trim_start_matches('x');
                let count = before / character.len();
                assert_eq!(rest, format!("{}…", character.repeat(count)), "{before} bytes");
            }
        }
    }

    #[test]
    fn bytes_that_are_no_text_are_cut_at_the_limit() {
        let mut out = Vec::new();
        append(&mut out, &vec![0x80; 2 * LIMITS.name]);
        assert_eq!(out.len(), LIMITS.name + CUT.len());
    }
}
