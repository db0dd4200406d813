//! The settings that apply, and where each comes from: the document `stackgazer.config/1`.

use crate::config::{Config, Setting, Value};
use crate::rules::LISTS;
use serde::Serialize;

/// The schema that the document follows.
pub const SCHEMA: &str = "stackgazer.config/1";

/// The settings that apply.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct ConfigView {
    schema: &'static str,
    /// The files that were read, the weakest first.
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

/// A list of rules.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Rules {
    /// Its key: `name.skip`.
    pub key: &'static str,
    /// The rules, in the order in which they are tried.
    pub rules: Vec<RuleRow>,
}

/// A rule.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct RuleRow {
    /// The rule in TOML.
    pub rule: String,
    /// Where it was written: `built-in:12`, `stackgazer.toml:3`, `--rule`.
    pub from: String,
}

impl ConfigView {
    /// The view of a configuration.
    pub fn new(config: &Config) -> ConfigView {
        let files = config.files.iter();
        let files = files.map(|found| File { layer: found.layer.name(), path: found.name() });
        let distinct = Setting {
            key: "name.distinct".to_owned(),
            value: Value::Switch(config.rules.distinct),
            from: config.distinct_from.clone(),
        };
        let settings = std::iter::once(distinct).chain(config.check.all().iter().cloned());
        let lists = LISTS.iter().map(|(list, key, _)| Rules {
            key,
            rules: config
                .rules
                .list(*list)
                .iter()
                .map(|rule| RuleRow { rule: rule.spec.to_string(), from: rule.origin.clone() })
                .collect(),
        });
        ConfigView {
            schema: SCHEMA,
            files: files.collect(),
            settings: settings.collect(),
            lists: lists.collect(),
        }
    }
}
