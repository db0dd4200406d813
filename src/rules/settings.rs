//! Settings files of the browser tool: read with the same meaning, and converted to TOML.

use super::browser::{self, Dropped};
use super::dialect::Dialect;
use super::list::{LISTS, List, Rule, RuleLists, Spec, quote};
use super::syntax::Meaning;
use crate::error::{Error, Result};
use crate::limits::LIMITS;
use serde_json::Value;
use std::fmt::Write;

/// The browser tool's own rules, which the lists of its settings extend.
const DEFAULTS: &str = include_str!("browser_defaults.json");

/// The content of a settings file.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Every list, including the browser tool's own rules unless they are ignored.
    pub lists: RuleLists,
    /// The rules that the browser tool leaves out or misreads, each with its spelling in TOML.
    pub warnings: Vec<Error>,
}

impl Settings {
    /// Reads settings in the stored form, `{LIST: {"ignoreDefault": true, "custom": ["..."]}}`, or
    /// with plain lists, `{LIST: ["..."]}`, which replace the browser tool's own rules.
    ///
    /// # Errors
    /// If they aren't JSON of that form.
    pub fn read(name: &str, text: &str) -> Result<Settings> {
        let value: Value =
            serde_json::from_str(text).map_err(|error| not_json(name, text, &error))?;
        let fail = |what: String| Error::misuse(name, what);
        let Value::Object(settings) = value else {
            return Err(fail("settings must be an object of lists".into()));
        };
        let mut read = Settings { lists: RuleLists::default(), warnings: Vec::new() };
        let mut unknown = settings.keys().filter(|key| List::from_browser_key(key).is_none());
        if let Some(key) = unknown.next() {
            let known = LISTS.map(|(.., browser)| browser);
            let others = match unknown.count() {
                0 => String::new(),
                others => format!(", as are {others} more"),
            };
            let error = fail(format!("unknown list {key:?} is left out{others}"));
            read.warnings.push(error.advise_one_of(key, known));
        }
        for (list, _, key) in LISTS {
            let (ignore_default, custom) = match settings.get(key) {
                None | Some(Value::Null) => (false, Vec::new()),
                // A plain list is the whole list.
                Some(Value::Array(rules)) => {
                    (true, texts(rules).map_err(|what| fail(format!("{key}: {what}")))?)
                }
                Some(Value::Object(stored)) => {
                    let ignore = match stored.get("ignoreDefault") {
                        None | Some(Value::Null) => false,
                        Some(Value::Bool(ignore)) => *ignore,
                        Some(_) => {
                            return Err(fail(format!("{key}.ignoreDefault must be true or false")));
                        }
                    };
                    let custom = match stored.get("custom") {
                        None | Some(Value::Null) => Vec::new(),
                        Some(Value::Array(rules)) => {
                            texts(rules).map_err(|what| fail(format!("{key}.custom: {what}")))?
                        }
                        Some(_) => {
                            return Err(fail(format!("{key}.custom must be a list of strings")));
                        }
                    };
                    (ignore, custom)
                }
                Some(_) => {
                    return Err(fail(format!("{key} must be a list of strings"))
                        .advise(r#"write {"custom": ["..."]} or ["..."]"#));
                }
            };
            if !ignore_default {
                for text in &defaults(list) {
                    read.push(list, text, "the browser tool's own rules", name, 0);
                }
            }
            for (at, text) in custom.iter().enumerate() {
                read.push(list, text, &format!("{name}: {key}[{at}]"), name, at + 1);
            }
        }
        if let Some(others) = read.warnings.get(LIMITS.problems_alike..).map(<[_]>::len)
            && others > 0
        {
            read.warnings.truncate(LIMITS.problems_alike);
            read.warnings.push(fail(format!("{others} more rules are left out")));
        }
        Ok(read)
    }

    /// Adds a rule, or warns about it; `entry` is its number in the list, from 1 (0: one of the browser
    /// tool's own).
    fn push(&mut self, list: List, text: &str, origin: &str, file: &str, entry: usize) {
        let text = text.trim();
        if text.is_empty() {
            return;
        }
        let mut warn = |dropped: Dropped| {
            let (key, text) = (list.browser_key(), quote(text));
            let what = format!("{key} entry {entry}, {text}: {}", dropped.reason);
            let warning = Error::misuse(file, what);
            self.warnings.push(match dropped.instead {
                Some(spec) => warning.advise(format!("in TOML: {} = [{spec}]", list.key())),
                None => warning,
            });
        };
        match browser::read(list, text) {
            Ok(meaning) => {
                if let Some(lost) = browser::lost(list, text) {
                    warn(lost);
                }
                let spec = Spec::Browser(text.to_owned());
                self.lists.list_mut(list).push(Rule {
                    spec,
                    origin: origin.to_owned(),
                    meaning,
                    built_in: false,
                });
            }
            Err(dropped) => warn(dropped),
        }
    }
}

fn texts(values: &[Value]) -> std::result::Result<Vec<String>, String> {
    let text = |value: &Value| value.as_str().map(str::to_owned);
    values
        .iter()
        .map(|value| text(value).ok_or_else(|| format!("{value} isn't a string")))
        .collect()
}

/// The browser tool's own rules of a list.
fn defaults(list: List) -> Vec<String> {
    let defaults: Value = serde_json::from_str(DEFAULTS).unwrap_or_default();
    defaults[list.browser_key()]
        .as_array()
        .map_or(Vec::new(), |rules| texts(rules).unwrap_or_default())
}

/// TOML with the same meaning as these lists, whatever the built-in rules are.
pub fn to_toml(lists: &RuleLists) -> String {
    let mut out = String::new();
    let mut section = "";
    for (list, key, _) in LISTS {
        let (of, name) = key.split_once('.').unwrap_or(("", key));
        if of != section {
            let _ = writeln!(out, "{}[{of}]", if section.is_empty() { "" } else { "\n" });
            section = of;
            if of == "name" {
                let _ = writeln!(out, "distinct = {}", lists.distinct);
            }
        }
        let rules = lists.list(list);
        if rules.is_empty() {
            let _ = writeln!(out, "{name} = {{ replace = [] }}");
            continue;
        }
        let _ = writeln!(out, "{name} = {{ replace = [");
        for rule in rules {
            let _ = writeln!(out, "  {},", own_spelling(list, rule));
        }
        let _ = writeln!(out, "] }}");
    }
    out
}

/// A rule in our own text form if that has the same meaning, else as the browser tool reads it.
fn own_spelling(list: List, rule: &Rule) -> Spec {
    let Spec::Browser(text) = &rule.spec else {
        return rule.spec.clone();
    };
    let mut candidates = Vec::new();
    if let (List::CategoryMatch, Some(rest)) = (list, text.strip_prefix("s|")) {
        candidates.push(Spec::Text(rest.split('|').next().unwrap_or(rest).to_owned()));
    }
    candidates.push(Spec::Text(text.clone()));
    if let Meaning::Skip(_) = &rule.meaning {
        let fields = super::list::Fields { prefix: Some(text.clone()), ..Default::default() };
        candidates.push(Spec::Fields(fields));
    }
    let same = |spec: &Spec| {
        super::syntax::read(list, spec, Dialect::Rust).is_ok_and(|own| own == rule.meaning)
    };
    candidates.into_iter().find(same).unwrap_or_else(|| rule.spec.clone())
}

/// The longest line, in bytes, that is shown with a caret.
const LONGEST_SHOWN: usize = 400;

/// An error that points at the line and byte that serde reports.
fn not_json(name: &str, text: &str, error: &serde_json::Error) -> Error {
    let line = text.split('\n').nth(error.line().saturating_sub(1)).unwrap_or_default();
    let before = line.as_bytes().get(..error.column().saturating_sub(1)).unwrap_or(line.as_bytes());
    let column = String::from_utf8_lossy(before).chars().count() + 1;
    let message = error.to_string();
    let what = message.split_once(" at line ").map_or(&*message, |(what, _)| what);
    let at = format!("{name}:{}:{column}", error.line());
    let what = format!("not valid JSON: {what}");
    // A caret is no help below a file that is one long line.
    if line.len() > LONGEST_SHOWN {
        return Error::misuse(at, what);
    }
    Error::usage(at, line.trim_end_matches('\r'), column, what)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn specs(settings: &Settings, list: List) -> Vec<String> {
        settings.lists.list(list).iter().map(|rule| rule.spec.to_string()).collect()
    }

    #[test]
    fn lists_extend_the_browser_tools_own_rules_unless_they_ignore_them() {
        let text = r#"{"nameSkipRules": {"custom": ["c"]},
                       "nameTrimRules": {"ignoreDefault": true, "custom": ["  t  ", "", " "]},
                       "nameFoldRules": ["s|a|A|"], "nameFindRules": null}"#;
        let settings = Settings::read("s.json", text).unwrap();
        let skips = specs(&settings, List::NameSkip);
        assert_eq!(skips.len(), 7);
        assert_eq!(skips[0], r#"{ browser = "runtime.gopark" }"#);
        assert_eq!(skips[6], r#"{ browser = "c" }"#);
        assert_eq!(specs(&settings, List::NameTrim), [r#"{ browser = "t" }"#]);
        assert_eq!(specs(&settings, List::NameFold), [r#"{ browser = "s|a|A|" }"#]);
        assert_eq!(
            specs(&settings, List::CategorySkip).len(),
            5,
            "a list not named: its own rules"
        );
        assert!(!settings.lists.distinct, "names stay exactly what they are there");
        assert!(settings.warnings.is_empty());
    }

    #[test]
    fn what_is_left_out_is_named_with_its_toml_spelling() {
        let text = r#"{"nameFoldRules": {"custom": ["s|ok|OK|", "a.X"]}, "nameSkipRule": {}}"#;
        let settings = Settings::read("s.json", text).unwrap();
        let warnings: Vec<String> = settings.warnings.iter().map(Error::to_string).collect();
        assert_eq!(
            warnings,
            [
                "s.json: unknown list \"nameSkipRule\" is left out; did you mean nameSkipRules?",
                "s.json: nameFoldRules entry 2, \"a.X\": a rule that doesn't start with s| is left \
                 out; in TOML: name.fold = [{ prefix = \"a.X\", to = \"...\" }]",
            ]
        );
    }

    #[test]
    fn many_things_that_are_left_out_are_counted() {
        let rules = vec!["\"a.X\""; LIMITS.problems_alike + 7].join(",");
        let text = format!(r#"{{"nameFoldRules": [{rules}], "a": {{}}, "b": {{}}, "c": {{}}}}"#);
        let warnings = Settings::read("s.json", &text).unwrap().warnings;
        assert_eq!(warnings.len(), LIMITS.problems_alike + 1);
        assert!(warnings[0].to_string().contains("unknown list \"a\" is left out, as are 2 more;"));
        assert_eq!(warnings.last().unwrap().to_string(), "s.json: 8 more rules are left out");
    }

    #[test]
    fn settings_of_the_wrong_shape_are_refused() {
        for text in ["[]", r#"{"nameTrimRules": "x"}"#, r#"{"nameTrimRules": [1]}"#, "{"] {
            assert!(Settings::read("s.json", text).is_err(), "{text}");
        }
    }

    #[test]
    fn what_is_not_json_is_pointed_at() {
        let text = "{\n  \"näme\": [x]\n}";
        let error = Settings::read("s.json", text).unwrap_err().to_string();
        let expected = "s.json:2:12: not valid JSON: expected value (column 12)\n    \"näme\": [x]\n             ^";
        assert_eq!(error, expected);
    }
}
