//! The section `[check]`: settings of `stackgazer check`.

use super::{Setting, Value};
use crate::error::Result;
use crate::limits::LIMITS;
use crate::rules::{Document, LineNumbers};
use crate::textfile;
use std::path::Path;
use toml::Spanned;
use toml::de::DeValue;

/// The type of a key's value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Takes {
    Switch,
    Count,
    Text,
    Texts,
    /// Files, relative to the folder of the settings file.
    Files,
    /// A number or a text, or a list of them.
    Limits,
}

/// The keys of the section.
const KEYS: [(&str, Takes); 13] = [
    ("own", Takes::Texts),
    ("allow", Takes::Files),
    ("baseline", Takes::Files),
    ("default_allow", Takes::Switch),
    ("leak_label", Takes::Texts),
    ("max_goroutines", Takes::Limits),
    ("max_growth", Takes::Limits),
    ("max_leaked", Takes::Limits),
    ("max_age", Takes::Limits),
    ("fail_on", Takes::Text),
    ("at_end", Takes::Switch),
    ("require_leak_profile", Takes::Switch),
    ("skip_first", Takes::Count),
];

/// The settings of `check`: each key once, from the strongest file that has it.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct CheckSettings {
    settings: Vec<Setting>,
}

impl CheckSettings {
    /// The name of the section.
    pub const SECTION: &'static str = "check";

    /// The setting of a key, `max_age` for `check.max_age`.
    pub fn get(&self, key: &str) -> Option<&Setting> {
        self.settings.iter().find(|one| one.key.strip_prefix("check.") == Some(key))
    }

    /// Whether a switch is on; `None` if it is not set.
    pub fn switch(&self, key: &str) -> Option<bool> {
        Some(self.get(key)?.value == Value::Switch(true))
    }

    /// The texts of a key.
    pub fn texts(&self, key: &str) -> &[String] {
        match self.get(key).map(|setting| &setting.value) {
            Some(Value::Texts(texts)) => texts,
            _ => &[],
        }
    }

    /// All settings, in the order of the keys.
    pub fn all(&self) -> &[Setting] {
        &self.settings
    }

    /// Adds the section of a file, which replaces keys that are already set. If it was found in a project, the
    /// files that it names have to be there.
    pub(super) fn read_section(
        &mut self,
        document: &Document<'_>,
        value: &Spanned<DeValue<'_>>,
        project: Option<&Path>,
    ) -> Result<()> {
        let folder = Path::new(document.name).parent().unwrap_or(Path::new(""));
        let mut lines = LineNumbers::of(document);
        for (key, value) in document.table(value, Self::SECTION)? {
            let Some(&(name, takes)) = KEYS.iter().find(|(name, _)| *name == key.get_ref()) else {
                return Err(document.unknown_key(key, &KEYS.map(|(name, _)| name)));
            };
            let line = lines.line(key.span().start);
            let span = value.span();
            let value = read_value(document, name, takes, folder, value)?;
            if let Value::Texts(list) = &value
                && list.len() > LIMITS.listed_entries
            {
                let most = LIMITS.listed_entries;
                let what = format!("check.{name} lists more than {most} entries (listed_entries)");
                let advice = match takes {
                    Takes::Files => "put them into one file",
                    _ => "one pattern can stand for many",
                };
                return Err(document.error(span, &what, Some(advice)));
            }
            if let (Takes::Files, Some(project), Value::Texts(files)) = (takes, project, &value)
                && !files.iter().all(|file| textfile::is_inside(Path::new(file), project))
            {
                let what = format!("check.{name} leads outside of the project");
                return Err(document.error(span, &what, Some("name these settings with --config")));
            }
            let from = format!("{}:{line}", document.name);
            let setting = Setting { key: format!("check.{name}"), value, from };
            self.settings.retain(|one| one.key != setting.key);
            self.settings.push(setting);
        }
        let rank = |one: &Setting| {
            let key = one.key.strip_prefix("check.");
            KEYS.iter().position(|(name, _)| key == Some(*name))
        };
        self.settings.sort_by_key(rank);
        Ok(())
    }
}

fn read_value(
    document: &Document<'_>,
    key: &str,
    takes: Takes,
    folder: &Path,
    value: &Spanned<DeValue<'_>>,
) -> Result<Value> {
    let fail = |value: &Spanned<DeValue<'_>>, what: &str| {
        document.error(value.span(), &format!("check.{key} {what}"), None)
    };
    let text = |value: &Spanned<DeValue<'_>>| value.get_ref().as_str().map(str::to_owned);
    let texts = |read: &dyn Fn(&Spanned<DeValue<'_>>) -> Option<String>, what: &str| {
        let list = match value.get_ref().as_array() {
            None => read(value).map(|one| vec![one]),
            Some(list) => list.iter().map(read).collect(),
        };
        list.map(Value::Texts).ok_or_else(|| fail(value, what))
    };
    match takes {
        Takes::Switch => match value.get_ref().as_bool() {
            Some(on) => Ok(Value::Switch(on)),
            None => Err(fail(value, "must be true or false")),
        },
        Takes::Count => {
            let number = value.get_ref().as_integer().and_then(|n| n.as_str().parse().ok());
            number.map(Value::Count).ok_or_else(|| fail(value, "must be a number"))
        }
        Takes::Text => text(value).map(Value::Text).ok_or_else(|| fail(value, "must be a string")),
        Takes::Texts => texts(&text, "must be a string or a list of strings"),
        Takes::Files => texts(
            &|value| text(value).map(|file| folder.join(file).display().to_string()),
            "must be a file or a list of files",
        ),
        Takes::Limits => texts(
            &|value| {
                let number = value.get_ref().as_integer().map(|number| number.as_str().to_owned());
                text(value).or(number)
            },
            "must be a number or a string, or a list of them",
        ),
    }
}
