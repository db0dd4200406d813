//! Replacements of rules.

use crate::limits::LIMITS;
use regex::bytes::Captures;

/// What stands for the rest of a text that rules made too long.
pub(super) const CUT: &[u8] = "…".as_bytes();

/// Appends to a text that rules make, up to [`name`](crate::limits::Limits::name) bytes.
pub(super) fn append(out: &mut Vec<u8>, text: &[u8]) {
    let Some(room) = LIMITS.name.checked_sub(out.len()) else { return };
    match text.get(..room) {
        Some(fitting) if fitting.len() < text.len() => {
            out.extend_from_slice(fitting);
            out.extend_from_slice(CUT);
        }
        _ => out.extend_from_slice(text),
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
