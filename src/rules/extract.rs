//! Names of inputs, extracted from their content: labels, arguments of a frame, log lines.

use super::dialect::Compiler;
use super::list::Rule;
use super::pattern::LazyRegex;
use super::syntax::{Fault, Meaning};
use super::template::append;
use crate::profile::lossy;
use bstr::ByteSlice;
use regex::bytes::Captures;

/// The rules of `input.name`, ready to run.
#[derive(Clone, Debug, Default)]
pub struct Extractor(Vec<Extract>);

#[derive(Clone, Debug)]
struct Extract {
    regex: LazyRegex,
    to: String,
    hex: bool,
}

impl Extractor {
    pub(super) fn push(&mut self, rule: &Rule, compiler: &mut Compiler) -> Result<(), Fault> {
        if let Meaning::Extract { pattern, to, hex } = &rule.meaning {
            let regex = LazyRegex::new(pattern, false, compiler)?;
            self.0.push(Extract { regex, to: to.clone(), hex: *hex });
        }
        Ok(())
    }

    /// Whether there is no rule.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The name that a line contains, by the first rule that matches.
    pub fn name(&self, line: &[u8]) -> Option<String> {
        let name = |rule: &Extract| rule.regex.captures(line).and_then(|found| rule.name(&found));
        self.0.iter().find_map(name).filter(|name| !name.is_empty())
    }
}

impl Extract {
    fn name(&self, captures: &Captures<'_>) -> Option<String> {
        let group = |n: usize| {
            let found = captures.get(n).map_or(&b""[..], |found| found.as_bytes());
            lossy(found)
        };
        if self.hex {
            return Some(self.to.replacen("$1", &decimal(&group(1))?, 1));
        }
        // One group after the other, the first occurrence of each: `$10` is `$1` and a zero.
        let groups = 0..captures.len();
        let start = self.to.clone().into_bytes();
        let put = |name: Vec<u8>, n| put_in(name, format!("${n}").as_bytes(), group(n).as_bytes());
        Some(lossy(&groups.fold(start, put)))
    }
}

/// Replaces the first occurrence of `key` as JavaScript does: in the text put in, `$&`, `$$`, `` $` `` and
/// `$'` stand for the match, a dollar, and the text before and after the match.
fn put_in(name: Vec<u8>, key: &[u8], text: &[u8]) -> Vec<u8> {
    let Some((before, behind)) = name.split_once_str(key) else { return name };
    let mut out = before.to_vec();
    let mut rest = text;
    while let Some((plain, special)) = rest.split_once_str("$") {
        append(&mut out, plain);
        let (meant, length) = match special.first() {
            Some(b'$') => (&b"$"[..], 1),
            Some(b'&') => (key, 1),
            Some(b'`') => (before, 1),
            Some(b'\'') => (behind, 1),
            _ => (&b"$"[..], 0),
        };
        append(&mut out, meant);
        rest = &special[length..];
    }
    append(&mut out, rest);
    append(&mut out, behind);
    out
}

/// The value of the hexadecimal digits at the start of a text.
fn decimal(text: &str) -> Option<String> {
    let text = text.trim();
    let text = text.strip_prefix("0x").or(text.strip_prefix("0X")).unwrap_or(text);
    let digits = text.bytes().take_while(u8::is_ascii_hexdigit).count();
    u128::from_str_radix(&text[..digits], 16).ok().map(|value| value.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::list::{List, Spec};

    fn name(rules: &[&str], line: &str) -> Option<String> {
        let mut extractor = Extractor::default();
        for text in rules {
            let rule = Rule::new(List::InputName, Spec::Text((*text).into()), "test").unwrap();
            extractor.push(&rule, &mut Compiler::default()).unwrap();
        }
        extractor.name(line.as_bytes())
    }

    #[test]
    fn groups_are_put_in_once_each() {
        assert_eq!(name(&["s|(a)(b)?(c)|$3$2$1$0|"], "xacx").as_deref(), Some("caac"));
        assert_eq!(name(&["s|(a)|$1$1|"], "a").as_deref(), Some("a$1"));
        assert_eq!(name(&["s|b|second|", "s|a|first|"], "b a").as_deref(), Some("second"));
        assert_eq!(name(&[r"s|ok(\d)|v$1"], "ok7").as_deref(), Some("v7"));
        assert_eq!(name(&[r"s|(x\|y)|$1|"], "y").as_deref(), Some("y"));
        assert_eq!(name(&["s|x|n|"], "y"), None);
        assert_eq!(name(&["s|a(.)b|$1|"], "aäb").as_deref(), Some("ä"));
    }

    #[test]
    fn hexadecimal_numbers_are_exact() {
        let rule = ["s|n0x([0-9a-f]+)|hex:n$1|"];
        assert_eq!(name(&rule, "n0xff").as_deref(), Some("n255"));
        assert_eq!(name(&rule, "n0xffffffffffffffff").as_deref(), Some("n18446744073709551615"));
    }
}
