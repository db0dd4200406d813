//! How the browser tool reads the text of a rule: which rules it accepts, misreads and leaves out.
//!
//! Its settings have to mean here exactly what they mean there. Its text form differs from
//! [`super::syntax`]: there are no escapes, and it leaves out rules that it can't read.

use super::dialect::{Dialect, translate};
use super::list::{Fields, List, Spec};
use super::syntax::{
    Fault, Matcher, Meaning, Pick, While, browser_fold_matcher, cut, is_substitution, selector,
};

/// A rule that the browser tool leaves out, or that isn't supported here.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Dropped {
    /// Why it was left out.
    pub(super) reason: String,
    /// The rule that was probably meant.
    pub(super) instead: Option<Box<Spec>>,
}

fn dropped(reason: impl Into<String>, instead: Option<Spec>) -> Dropped {
    Dropped { reason: reason.into(), instead: instead.map(Box::new) }
}

/// The fault of an expression as the reason to drop its rule.
fn broken(fault: Fault) -> Dropped {
    let advice = fault.advice.map_or(String::new(), |advice| format!("; {advice}"));
    dropped(format!("{}{advice}", fault.what), None)
}

/// Reads a rule, which isn't empty and has no blanks around it.
pub(super) fn read(list: List, text: &str) -> Result<Meaning, Dropped> {
    match list {
        List::CategorySkip => Ok(Meaning::Skip(Matcher::Prefix(text.to_owned()))),
        List::NameSkip if is_substitution(text, '|') => {
            let prefix = Fields { prefix: Some(text.to_owned()), ..Fields::default() };
            Err(dropped("a skip rule that starts with s| is left out", Some(Spec::Fields(prefix))))
        }
        List::NameSkip => Ok(Meaning::Skip(Matcher::Prefix(text.to_owned()))),
        List::CategoryMatch => read_match(text),
        List::NameTrim => read_trim(text),
        List::NameFold | List::NameFind => read_fold(text),
        List::TrimFunc | List::TrimFile => Ok(read_cut(text)?),
        List::InputName => read_extract(text),
        List::InputMember => Ok(read_member(text)),
    }
}

/// The members to read if a pattern can't be read; its dot matches any character there too.
pub(super) const DEFAULT_MEMBER: &str = "^(.*/)?stacks.txt$";

fn read_member(text: &str) -> Meaning {
    Meaning::Member(
        translate(text, Dialect::JavaScript).unwrap_or_else(|_| DEFAULT_MEMBER.to_owned()),
    )
}

fn read_match(text: &str) -> Result<Meaning, Dropped> {
    let body = match text.strip_prefix("s|") {
        None => text,
        Some(rest) => match rest.split('|').collect::<Vec<_>>()[..] {
            [pattern, _, ""] => pattern,
            _ => {
                let body = rest.strip_suffix('|').unwrap_or(rest);
                let body = body.rsplit_once('|').map_or(body, |(pattern, _)| pattern);
                let (regex, group) = selector(body);
                let group = (group != 1).then_some(group);
                let regex = Some(regex.to_owned());
                let instead = Fields { regex, group, ..Fields::default() };
                return Err(dropped(
                    "an s|...|...| rule with another bar, flags or no last bar is left out",
                    Some(Spec::Fields(instead)),
                ));
            }
        },
    };
    let (pattern, group) = selector(body);
    let pattern = translate(pattern, Dialect::JavaScript).map_err(broken)?;
    let matcher = Matcher::Regex { pattern, ignore_case: false };
    Ok(Meaning::Match { matcher, pick: Pick::Group(group) })
}

/// `s|PATTERN|TEXT|FLAGS`; the pattern ends at the last but one separator.
fn substitution(text: &str, separator: char) -> Option<(&str, &str, &str)> {
    let rest = text.strip_prefix('s')?.strip_prefix(separator)?;
    let (rest, flags) = rest.rsplit_once(separator)?;
    let (pattern, to) = rest.rsplit_once(separator)?;
    flags.bytes().all(|flag| flag.is_ascii_lowercase()).then_some((pattern, to, flags))
}

fn read_trim(text: &str) -> Result<Meaning, Dropped> {
    let Some(separator) = ['|', '/'].into_iter().find(|sign| is_substitution(text, *sign)) else {
        let matcher = Matcher::Prefix(text.to_owned());
        return Ok(Meaning::Trim { matcher, to: String::new(), all: false });
    };
    let Some((source, to, flags)) = substitution(text, separator) else {
        let prefix = Some(text.to_owned());
        return Err(dropped(
            format!("a rule without its last {separator} is left out"),
            Some(Spec::Fields(Fields { prefix, ..Fields::default() })),
        ));
    };
    let (all, ignore_case) = (flags.contains('g'), flags.contains('i'));
    if separator == '|' && !flags.is_empty() {
        let (regex, to) = (Some(source.to_owned()), Some(to.to_owned()));
        let instead = Fields { regex, to, all, ignore_case, ..Fields::default() };
        let reason = format!("a rule with flags ({flags}) behind the last bar is left out");
        return Err(dropped(reason, Some(Spec::Fields(instead))));
    }
    let pattern = translate(source, Dialect::JavaScript).map_err(broken)?;
    let matcher = Matcher::Regex { pattern, ignore_case };
    Ok(Meaning::Trim { matcher, to: to.to_owned(), all })
}

fn read_fold(text: &str) -> Result<Meaning, Dropped> {
    let instead = |source: &str, to: &str, while_: Option<&str>| {
        let fields = Fields {
            to: Some(to.to_owned()),
            while_: while_.map(str::to_owned),
            ..Fields::default()
        };
        let matcher = browser_fold_matcher(source);
        let source = Some(source.to_owned());
        Some(Spec::Fields(match matcher {
            Ok(Matcher::Either { .. }) => Fields { regex: source, ..fields },
            _ => Fields { prefix: source, ..fields },
        }))
    };
    let Some(rest) = text.strip_prefix("s|") else {
        let advice = instead(text, "...", None);
        return Err(dropped("a rule that doesn't start with s| is left out", advice));
    };
    let Some((body, to, "")) = substitution(text, '|') else {
        let body = rest.split('|').next().unwrap_or(rest);
        let to = rest.split('|').nth(1).unwrap_or("...");
        let (source, while_) = body.split_once(',').unwrap_or((body, ""));
        let advice = instead(source, to, Some(while_).filter(|text| !text.is_empty()));
        return Err(dropped("a rule that doesn't end with a bar is left out", advice));
    };
    let mut parts = body.split(',');
    let source = parts.next().unwrap_or(body);
    let matcher = browser_fold_matcher(source).map_err(broken)?;
    let while_ = match parts.next() {
        None | Some("") => None,
        Some("stdlib") => Some(While::Stdlib),
        Some(text) => Some(While::Matches(match translate(text, Dialect::JavaScript) {
            Ok(pattern) => Matcher::Regex { pattern, ignore_case: false },
            Err(fault) if fault.what.contains("supported") => return Err(broken(fault)),
            Err(_) => Matcher::Prefix(text.to_owned()),
        })),
    };
    Ok(Meaning::Fold { matcher, while_, to: to.to_owned() })
}

/// The part of a rule that the browser tool ignores while keeping the rule, and how to write it.
pub(super) fn lost(list: List, text: &str) -> Option<Dropped> {
    if !matches!(list, List::NameFold | List::NameFind) {
        return None;
    }
    let (body, to, _) = substitution(text, '|')?;
    let (source, rest) = body.split_once(',')?;
    // A comma inside braces belongs to a quantifier, as in `a{1,2}`.
    let open = source.rfind('{').is_some_and(|at| !source[at..].contains('}'));
    let more = rest.contains(',');
    if !open && !more {
        return None;
    }
    let fields = Fields { to: Some(to.to_owned()), ..Fields::default() };
    let fields = match open {
        true => Fields { regex: Some(body.to_owned()), ..fields },
        false => {
            Fields { prefix: Some(source.to_owned()), while_: Some(rest.to_owned()), ..fields }
        }
    };
    let reason = match more {
        true => "everything behind its second comma is left out",
        false => "its comma ends the pattern, also inside { }",
    };
    Some(dropped(reason, Some(Spec::Fields(fields))))
}

/// The browser tool puts `^` before the expression without parentheses, so `a|b` becomes `^a|b`; then
/// it cuts as many characters from the start as were matched anywhere.
fn read_cut(text: &str) -> Result<Meaning, Dropped> {
    let anchored = match text.starts_with('^') {
        true => text.to_owned(),
        false => format!("^{text}"),
    };
    match translate(&anchored, Dialect::JavaScript) {
        Ok(pattern) if has_alternatives(text) => Ok(Meaning::Cut {
            matcher: Matcher::Regex { pattern, ignore_case: false },
            from_start: true,
        }),
        Ok(_) => Ok(cut(translate(text, Dialect::JavaScript).map_err(broken)?)),
        Err(fault) if fault.what.contains("supported") => Err(broken(fault)),
        Err(_) => Ok(Meaning::Cut { matcher: Matcher::Prefix(text.to_owned()), from_start: false }),
    }
}

/// Whether an expression has a bar outside of all groups and classes.
fn has_alternatives(text: &str) -> bool {
    let (mut depth, mut class, mut escaped) = (0_usize, false, false);
    for c in text.chars() {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '[' => class = true,
            ']' => class = false,
            _ if class => {}
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            '|' if depth == 0 => return true,
            _ => {}
        }
    }
    false
}

fn read_extract(text: &str) -> Result<Meaning, Dropped> {
    let Some(rest) = text.strip_prefix("s|") else {
        let regex = Some(text.to_owned());
        let fields = Fields { regex, to: Some("$1".to_owned()), ..Fields::default() };
        return Err(dropped(
            "a rule that doesn't start with s| is left out",
            Some(Spec::Fields(fields)),
        ));
    };
    let parts: Vec<&str> = rest.split('|').collect();
    let (source, to) = match parts[..] {
        [source, to] | [source, to, ""] => (source, to),
        [_] => return Err(dropped("a rule without a name is left out", None)),
        _ => {
            let body = rest.strip_suffix('|').unwrap_or(rest);
            let (regex, to) = body.rsplit_once('|').unwrap_or((body, "$1"));
            let fields = Fields {
                regex: Some(regex.to_owned()),
                to: Some(to.strip_prefix("hex:").unwrap_or(to).to_owned()),
                hex: to.starts_with("hex:"),
                ..Fields::default()
            };
            return Err(dropped(
                "every bar ends a part, so the rule is left out",
                Some(Spec::Fields(fields)),
            ));
        }
    };
    let pattern = translate(source, Dialect::JavaScript).map_err(broken)?;
    let (to, hex) = match to.strip_prefix("hex:") {
        Some(rest) => (rest, true),
        None => (to, false),
    };
    Ok(Meaning::Extract { pattern, to: to.to_owned(), hex })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn instead(list: List, text: &str) -> String {
        read(list, text).unwrap_err().instead.unwrap().to_string()
    }

    #[test]
    fn dropped_rules_come_with_their_toml_spelling() {
        assert_eq!(instead(List::NameFold, "a.X"), r#"{ prefix = "a.X", to = "..." }"#);
        assert_eq!(instead(List::NameFold, "s|a.X,|A"), r#"{ prefix = "a.X", to = "A" }"#);
        assert_eq!(instead(List::NameSkip, "s|a"), r#"{ prefix = "s|a" }"#);
        assert_eq!(
            instead(List::NameTrim, r"s|\.|/|g"),
            r#"{ regex = '\.', to = "/", all = true }"#
        );
        assert_eq!(instead(List::CategoryMatch, "s|^(a|z)|$1|"), r#"{ regex = "^(a|z)" }"#);
        assert_eq!(instead(List::InputName, "s|(x|y)|$1|"), r#"{ regex = "(x|y)", to = "$1" }"#);
    }

    #[test]
    fn lost_parts_of_kept_rules_come_with_their_toml_spelling() {
        let lost = |text| lost(List::NameFold, text).map(|lost| lost.instead.unwrap().to_string());
        assert_eq!(
            lost(r"s|a.X,b{1,2}\.|A|").as_deref(),
            Some(r#"{ prefix = "a.X", while = 'b{1,2}\.', to = "A" }"#)
        );
        assert_eq!(lost("s|a{1,2}|A|").as_deref(), Some(r#"{ regex = "a{1,2}", to = "A" }"#));
        assert_eq!(lost("s|a,b|A|"), None);
    }

    #[test]
    fn commas_bars_and_flags_are_read_as_the_browser_tool_reads_them() {
        let Ok(Meaning::Fold { matcher, while_, .. }) = read(List::NameFold, "s|a{1,2}|A|") else {
            panic!("a fold rule");
        };
        assert_eq!(matcher, Matcher::Prefix("a{1".into()));
        let pattern = r"2\}".to_owned();
        assert_eq!(while_, Some(While::Matches(Matcher::Regex { pattern, ignore_case: false })));
        let slash = read(List::NameTrim, r"s/\./_/g").unwrap();
        assert!(matches!(slash, Meaning::Trim { all: true, .. }), "flags are kept in the s/ form");
        let Ok(Meaning::Cut { from_start, .. }) = read(List::TrimFunc, "a|b") else {
            panic!("a prefix");
        };
        assert!(from_start);
    }
}
