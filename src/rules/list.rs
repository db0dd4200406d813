//! The lists that rules stand in, and a rule as it was written.

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
    /// Frames that tell nothing of where a stack comes from.
    CategorySkip,
    /// The part of a function that is its category.
    CategoryMatch,
    /// Frames that tell nothing of what a stack is doing.
    NameSkip,
    /// What to cut from functions in names.
    NameTrim,
    /// Frames that stand for something with a shorter name.
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

    /// The fields that a rule of this list may have.
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
    /// In the text form of its list, to be read as the browser tool reads it.
    Browser(String),
    /// Field by field.
    Fields(Fields),
}

/// A rule field by field; each list has its own set of them ([`List::fields`]).
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Fields {
    /// Functions that start like this.
    pub prefix: Option<String>,
    /// Functions in which this regular expression is found.
    pub regex: Option<String>,
    /// Which group is the category.
    pub group: Option<usize>,
    /// What stands for it.
    pub to: Option<String>,
    /// Which frames behind it belong to it: `stdlib` or a regular expression.
    pub while_: Option<String>,
    /// Replace every match, not only the first.
    pub all: bool,
    /// Take upper and lower case for the same.
    pub ignore_case: bool,
    /// The group is a hexadecimal number, to be written as a decimal one.
    pub hex: bool,
}

impl fmt::Display for Spec {
    /// As TOML would have it.
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

/// A TOML string: as it is in single quotes where possible, so that backslashes need no doubling.
pub fn quote(text: &str) -> String {
    if !text.contains('\'') && !text.contains(|c: char| c.is_control()) {
        let plain = !text.contains(['\\', '"']);
        return if plain { format!("\"{text}\"") } else { format!("'{text}'") };
    }
    toml::Value::String(text.to_owned()).to_string()
}

/// A rule, what it means, and where it was written.
#[derive(Clone, PartialEq, Debug)]
pub struct Rule {
    /// As it was written.
    pub spec: Spec,
    /// Where it was written: `built-in`, `stackgazer.toml:12`, `--rule`.
    pub origin: String,
    pub(super) meaning: Meaning,
    /// Whether it is one of those of which a test knows that they compile.
    pub(super) built_in: bool,
}

impl Rule {
    /// Understands a rule of a list.
    ///
    /// # Errors
    /// If it can't be understood; says where in its text.
    pub fn new(list: List, spec: Spec, origin: impl Into<String>) -> Result<Rule, Fault> {
        Rule::written_in(Dialect::Own, list, spec, origin.into())
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

/// Every list of rules, and the switches beside them.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct RuleLists {
    lists: [Vec<Rule>; LISTS.len()],
    /// Whether stacks of one category that got the same name are told apart.
    pub distinct: bool,
}

impl RuleLists {
    /// The rules of a list, in the order in which they are asked.
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
        let odd = quote("it's \\ odd");
        let back: toml::Table = format!("x = {odd}").parse().unwrap();
        assert_eq!(back["x"].as_str(), Some("it's \\ odd"));
    }
}
