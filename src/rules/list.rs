//! The lists of rules, and a rule as it was written.

use super::dialect::Dialect;
use super::syntax::{self, Fault, Meaning};
use std::fmt;

/// A list of rules.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum List {
    /// Prefixes to cut from functions.
    TrimFunc,
    /// Prefixes to cut from files.
    TrimFile,
    /// Frames that don't show where a stack comes from.
    CategorySkip,
    /// The part of a function that is its category.
    CategoryMatch,
    /// Frames that don't show what a stack is doing.
    NameSkip,
    /// Parts of functions to cut or replace in names.
    NameTrim,
    /// Frames to replace by a shorter name.
    NameFold,
    /// Frames to look for deeper in the stack.
    NameFind,
    /// How an input is named from its content.
    InputName,
    /// Members of archives to read.
    InputMember,
}

/// Every list, its key in TOML and its key in the browser tool's settings, in the order of both.
pub const LISTS: [(List, &str, &str); 10] = [
    (List::TrimFunc, "trim.func", "functionTrimPrefixes"),
    (List::TrimFile, "trim.file", "fileTrimPrefixes"),
    (List::CategorySkip, "category.skip", "categorySkipRules"),
    (List::CategoryMatch, "category.match", "categoryMatchRules"),
    (List::NameSkip, "name.skip", "nameSkipRules"),
    (List::NameTrim, "name.trim", "nameTrimRules"),
    (List::NameFold, "name.fold", "nameFoldRules"),
    (List::NameFind, "name.find", "nameFindRules"),
    (List::InputName, "input.name", "nameExtractionPatterns"),
    (List::InputMember, "input.member", "zipFilePatterns"),
];

impl List {
    /// Its key in TOML and in `--rule`: `name.skip`.
    pub fn key(self) -> &'static str {
        LISTS[self as usize].1
    }

    /// Its key in the browser tool's settings: `nameSkipRules`.
    pub fn browser_key(self) -> &'static str {
        LISTS[self as usize].2
    }

    /// The list with this key.
    pub fn from_key(key: &str) -> Option<List> {
        LISTS.iter().find(|(_, own, _)| *own == key).map(|(list, ..)| *list)
    }

    /// The list with this key in the browser tool's settings.
    pub fn from_browser_key(key: &str) -> Option<List> {
        LISTS.iter().find(|(_, _, browser)| *browser == key).map(|(list, ..)| *list)
    }

    /// The fields that a rule of this list can have.
    pub fn fields(self) -> &'static [&'static str] {
        match self {
            List::TrimFunc | List::TrimFile | List::CategorySkip | List::NameSkip => {
                &["prefix", "regex"]
            }
            List::CategoryMatch => &["prefix", "regex", "group", "to"],
            List::NameTrim => &["prefix", "regex", "to", "all", "ignore_case"],
            List::NameFold | List::NameFind => &["prefix", "regex", "while", "to"],
            List::InputName => &["regex", "to", "hex"],
            List::InputMember => &["regex"],
        }
    }
}

/// A rule as it was written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Spec {
    /// In the text form of its list.
    Text(String),
    /// In the text form of its list as the browser tool reads it.
    Browser(String),
    /// As a table of fields.
    Fields(Fields),
}

/// A rule as a table of fields; each list has its own set of them ([`List::fields`]).
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Fields {
    /// Matches functions that start with this.
    pub prefix: Option<String>,
    /// Matches functions in which this regular expression is found.
    pub regex: Option<String>,
    /// The group that is the category.
    pub group: Option<usize>,
    /// The text that replaces the match.
    pub to: Option<String>,
    /// Which of the frames after it belong to it: `stdlib` or a regular expression.
    pub while_: Option<String>,
    /// Whether to replace every match, not only the first.
    pub all: bool,
    /// Whether to ignore upper and lower case.
    pub ignore_case: bool,
    /// Whether the group is a hexadecimal number, to be written as a decimal one.
    pub hex: bool,
}

impl fmt::Display for Spec {
    /// Formats it as TOML.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Spec::Text(text) => out.write_str(&quote(text)),
            Spec::Browser(text) => write!(out, "{{ browser = {} }}", quote(text)),
            Spec::Fields(fields) => fields.fmt(out),
        }
    }
}

impl fmt::Display for Fields {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let texts = [
            ("prefix", &self.prefix),
            ("regex", &self.regex),
            ("while", &self.while_),
            ("to", &self.to),
        ];
        let mut fields: Vec<String> = texts
            .iter()
            .filter_map(|(key, text)| text.as_ref().map(|text| format!("{key} = {}", quote(text))))
            .collect();
        fields.extend(self.group.map(|group| format!("group = {group}")));
        let switches = [("all", self.all), ("ignore_case", self.ignore_case), ("hex", self.hex)];
        fields
            .extend(switches.iter().filter(|(_, on)| *on).map(|(key, _)| format!("{key} = true")));
        write!(out, "{{ {} }}", fields.join(", "))
    }
}

/// A TOML string in one line: in single quotes if possible, so that backslashes needn't be doubled.
pub fn quote(text: &str) -> String {
    if !text.contains('\'') && !text.contains(|c: char| c.is_control()) {
        let plain = !text.contains(['\\', '"']);
        return if plain { format!("\"{text}\"") } else { format!("'{text}'") };
    }
    // TOML has the escapes of JSON, and wants one for DEL too.
    serde_json::Value::from(text).to_string().replace('\u{7f}', "\\u007F")
}

/// A rule, its meaning, and where it was written.
#[derive(Clone, PartialEq, Debug)]
pub struct Rule {
    /// As it was written.
    pub spec: Spec,
    /// Where it was written: `built-in`, `stackgazer.toml:12`, `--rule`.
    pub origin: String,
    pub(super) meaning: Meaning,
    /// Whether it is a built-in rule; a test checks that those compile.
    pub(super) built_in: bool,
}

impl Rule {
    /// Reads a rule of a list.
    ///
    /// # Errors
    /// If the rule is wrong; says where in its text.
    pub fn new(list: List, spec: Spec, origin: impl Into<String>) -> Result<Rule, Fault> {
        Rule::written_in(Dialect::Rust, list, spec, origin.into())
    }

    pub(super) fn written_in(
        dialect: Dialect,
        list: List,
        spec: Spec,
        origin: String,
    ) -> Result<Rule, Fault> {
        let meaning = syntax::read(list, &spec, dialect)?;
        Ok(Rule { spec, origin, meaning, built_in: dialect == Dialect::BuiltIn })
    }
}

/// All lists of rules, and their settings.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct RuleLists {
    lists: [Vec<Rule>; LISTS.len()],
    /// Whether stacks of one category with the same name get distinct names.
    pub distinct: bool,
}

impl RuleLists {
    /// The rules of a list, in the order in which they are tried.
    pub fn list(&self, list: List) -> &[Rule] {
        &self.lists[list as usize]
    }

    /// The rules of a list, to be changed.
    pub fn list_mut(&mut self, list: List) -> &mut Vec<Rule> {
        &mut self.lists[list as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_found_by_both_of_their_keys() {
        for (at, (list, key, browser)) in LISTS.into_iter().enumerate() {
            assert_eq!(list as usize, at);
            assert_eq!(
                (List::from_key(key), List::from_browser_key(browser)),
                (Some(list), Some(list))
            );
        }
    }

    #[test]
    fn toml_text_needs_no_doubled_backslashes() {
        let fields = Fields {
            regex: Some(r"\.func\d".into()),
            to: Some(String::new()),
            all: true,
            ..Fields::default()
        };
        let text = Spec::Fields(fields).to_string();
        assert_eq!(text, r#"{ regex = '\.func\d', to = "", all = true }"#);
        assert_eq!(Spec::Browser("a|b".into()).to_string(), r#"{ browser = "a|b" }"#);
        for text in ["it's \\ odd", "main.f\n::error::x", "\r\t\u{8}\0\u{7f}\u{85}\u{2028}'\""] {
            let odd = quote(text);
            let back: toml::Table = format!("x = {odd}").parse().unwrap();
            assert_eq!(back["x"].as_str(), Some(text));
            assert!(!odd.contains('\n'), "{odd}");
        }
    }
}
