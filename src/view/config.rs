//! Which settings are in force, and where each comes from: the document `stackgazer.config/1`.

use crate::rules::{LISTS, RuleLists};
use serde::Serialize;

/// The schema that the document follows.
pub const SCHEMA: &str = "stackgazer.config/1";

/// The settings in force.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct ConfigView {
    schema: &'static str,
    /// The files that were read, the weaker first.
    pub files: Vec<File>,
    /// Single values.
    pub settings: Vec<Setting>,
    /// Lists of rules.
    pub lists: Vec<Rules>,
}

/// A file that was read.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct File {
    /// `user`, `project`, `environment` or `flag`.
    pub layer: &'static str,
    /// Where it is.
    pub path: String,
}

/// A single value.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Setting {
    /// Its key: `name.distinct`.
    pub key: String,
    /// Its value.
    pub value: Value,
    /// Where it was set.
    pub from: String,
}

/// The value of a setting.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[serde(untagged)]
pub enum Value {
    /// True or false.
    Switch(bool),
    /// A number.
    Count(u32),
    /// A text.
    Text(String),
    /// Texts.
    Texts(Vec<String>),
}

/// A list of rules.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Rules {
    /// Its key: `name.skip`.
    pub key: &'static str,
    /// The rules, in the order in which they are asked.
    pub rules: Vec<RuleRow>,
}

/// A rule.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct RuleRow {
    /// As TOML would have it.
    pub rule: String,
    /// Where it was written: `built-in:12`, `stackgazer.toml:3`, `--rule`.
    pub from: String,
}

impl ConfigView {
    /// The view of these settings and rules, which come from these files.
    pub fn new(rules: &RuleLists, settings: Vec<Setting>, files: Vec<File>) -> ConfigView {
        let lists = LISTS.iter().map(|(list, key, _)| Rules {
            key,
            rules: rules
                .list(*list)
                .iter()
                .map(|rule| RuleRow { rule: rule.spec.to_string(), from: rule.origin.clone() })
                .collect(),
        });
        ConfigView { schema: SCHEMA, files, settings, lists: lists.collect() }
    }
}
