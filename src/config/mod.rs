//! Configuration: finds, reads and combines settings.
//!
//! The more specific setting wins: options, then the file named by `--config` or by `STACKGAZER_CONFIG`,
//! or else the project's and after it the user's file, then the built-in rules.
//!
//! A file is TOML, or settings of the browser tool, which are recognised by their first brace.

mod check;
mod find;

pub use check::CheckSettings;
pub use find::{ConfigFile, Layer, Places, root};

use crate::error::{Error, Result};
use crate::rules::{
    Document, LISTS, List, Rule, RuleChanges, RuleLists, Settings, Spec, default_lists,
};
use crate::textfile;
use serde::Serialize;
use std::path::{Path, PathBuf};

/// The options of the command line.
#[derive(Clone, Debug, Default)]
pub struct Request {
    /// `--config`
    pub file: Option<PathBuf>,
    /// `--no-config`
    pub no_files: bool,
    /// `--no-default-rules`
    pub no_default_rules: bool,
    /// `--rule LIST=TEXT`
    pub rules: Vec<String>,
}

/// A single setting.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Setting {
    /// Its key: `check.max_age`.
    pub key: String,
    /// Its value.
    pub value: Value,
    /// Where it was set: `stackgazer.toml:3`.
    pub from: String,
}

/// The value of a setting.
#[derive(Clone, PartialEq, Debug, Serialize)]
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

/// The settings that apply.
#[derive(Clone, Debug)]
pub struct Config {
    /// Rules; each knows where it was written.
    pub rules: RuleLists,
    /// Where `name.distinct` was set.
    pub distinct_from: String,
    /// The settings of `check`.
    pub check: CheckSettings,
    /// The files that were read, the weakest first.
    pub files: Vec<ConfigFile>,
    /// Warnings about parts of settings files that aren't supported.
    pub warnings: Vec<Error>,
}

impl Config {
    /// Loads the settings that apply to a request.
    ///
    /// # Errors
    /// If a rule of the request or a file is wrong, or a named file can't be read.
    pub fn load(request: &Request, places: &Places) -> Result<Config> {
        // Options first: nothing is read if they are wrong.
        let mut options = RuleChanges::default();
        for text in &request.rules {
            let (list, rule) = option_rule(text)?;
            options.add(list, rule);
        }
        let mut config = Config {
            rules: RuleLists::default(),
            distinct_from: "built-in".to_owned(),
            check: CheckSettings::default(),
            files: find::files(request, places)?,
            warnings: Vec::new(),
        };
        if !request.no_default_rules {
            config.rules = default_lists();
        }
        for found in &config.files.clone() {
            let Some(project) = found.project.as_deref() else {
                let text = match found.layer {
                    Layer::User | Layer::Project => textfile::found(&found.path)?,
                    Layer::Environment | Layer::Flag => textfile::named(&found.path)?,
                };
                config.read(&found.name(), &text, None)?;
                continue;
            };
            let Some((text, path)) = textfile::of_project(&found.path, project)? else {
                let what = "leads outside of the project";
                return Err(Error::misuse(found.name(), what).advise("name it with --config"));
            };
            config
                .read(&found.name(), &text, Some(project))
                .map_err(|error| textfile::quoted(error, &path))?;
        }
        options.apply(&mut config.rules);
        Ok(config)
    }

    /// Adds the settings of a file. They are stronger than those that are already set, and replace them.
    /// The files that they name have to be in the folder of the project, if they are those of one.
    fn read(&mut self, name: &str, text: &str, project: Option<&Path>) -> Result<()> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        if is_of_browser_tool(text) {
            // These settings are whole: where they have no list, the browser tool's own rules apply, and
            // names aren't made distinct there.
            let settings = Settings::read(name, text)?;
            self.rules = settings.lists;
            self.distinct_from = name.to_owned();
            self.warnings.extend(settings.warnings);
            return Ok(());
        }
        let document = Document { name, text };
        let root = document.parse()?;
        let mut changes = RuleChanges::default();
        let mut sections: Vec<_> = root.get_ref().iter().collect();
        sections.sort_by_key(|(key, _)| key.span().start);
        for (key, value) in sections {
            match key.get_ref().as_ref() {
                section if RuleChanges::SECTIONS.contains(&section) => {
                    changes.read_section(&document, section, value)?;
                }
                CheckSettings::SECTION => self.check.read_section(&document, value, project)?,
                _ => {
                    let known = [&RuleChanges::SECTIONS[..], &[CheckSettings::SECTION]].concat();
                    return Err(document.unknown_key(key, &known));
                }
            }
        }
        if changes.sets_distinct() {
            self.distinct_from = name.to_owned();
        }
        changes.apply(&mut self.rules);
        Ok(())
    }
}

/// Whether a file has settings of the browser tool; no TOML document starts with a brace.
pub fn is_of_browser_tool(text: &str) -> bool {
    text.trim_start_matches('\u{feff}').trim_start().starts_with('{')
}

/// A rule of `--rule LIST=TEXT`; the text can also be a TOML table: `name.fold={ prefix = ... }`.
fn option_rule(option: &str) -> Result<(List, Rule)> {
    const NAME: &str = "--rule";
    let Some((key, text)) = option.split_once('=') else {
        let column = option.chars().count() + 1;
        return Err(Error::usage(NAME, option, column, "the = is missing")
            .advise("write LIST=TEXT, as in name.skip=runtime.gopark"));
    };
    let Some(list) = List::from_key(key.trim()) else {
        let known = LISTS.map(|(_, key, _)| key);
        let error = Error::usage(NAME, option, 1, format!("unknown list {key:?}"));
        return Err(error.advise_one_of(key.trim(), known));
    };
    if text.trim_start().starts_with('{') {
        return Ok((list, Document { name: NAME, text }.inline_rule(list)?));
    }
    let rule = Rule::new(list, Spec::Text(text.to_owned()), NAME).map_err(|fault| {
        let column = key.chars().count() + 1 + fault.column;
        let error = Error::usage(NAME, option, column, fault.what);
        match fault.advice {
            Some(advice) => error.advise(advice),
            None => error,
        }
    })?;
    Ok((list, rule))
}

/// Settings of the browser tool as TOML with the same meaning.
///
/// # Errors
/// If they aren't JSON in the form that the browser tool stores.
pub fn import(name: &str, text: &str) -> Result<(String, Vec<Error>)> {
    let text = text.trim_start_matches('\u{feff}');
    if !is_of_browser_tool(text) {
        return Err(Error::misuse(name, "these aren't settings of the browser tool")
            .advise("give a JSON file; TOML needs no import"));
    }
    let settings = Settings::read(name, text)?;
    Ok((crate::rules::to_toml(&settings.lists), settings.warnings))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config(options: &[&str], file: &str) -> Result<Config> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("c");
        std::fs::write(&path, file).unwrap();
        let rules = options.iter().map(|option| (*option).to_owned()).collect();
        let request = Request { file: Some(path), rules, ..Request::default() };
        Config::load(&request, &Places::default())
    }

    fn skips(config: &Config) -> Vec<String> {
        let rules = config.rules.list(List::NameSkip).iter();
        rules.map(|rule| rule.spec.to_string()).collect()
    }

    #[test]
    fn flags_stand_in_front_of_the_file_and_the_file_in_front_of_the_built_in_rules() {
        let config =
            config(&["name.skip=one", "name.skip=two"], "[name]\nskip = ['three']").unwrap();
        assert_eq!(skips(&config)[..3], [r#""one""#, r#""two""#, r#""three""#]);
        assert!(skips(&config).len() > 3);
        assert!(config.rules.distinct);
    }

    #[test]
    fn settings_of_the_browser_tool_leave_no_built_in_rule() {
        let text = r#"{"nameSkipRules": {"ignoreDefault": true, "custom": ["x"]}}"#;
        let config = config(&[], text).unwrap();
        assert_eq!(skips(&config), [r#"{ browser = "x" }"#]);
        assert!(!config.rules.distinct);
    }

    #[test]
    fn flags_that_cannot_be_understood_point_at_the_column() {
        let error = |option: &str| option_rule(option).unwrap_err().to_string();
        assert!(error("name.skip").contains("the = is missing (column 10)"));
        assert!(error("name.skp=x").contains("did you mean name.skip?"));
        assert!(
            error("name.fold=s|a[|A|").contains("(column 14)"),
            "{}",
            error("name.fold=s|a[|A|")
        );
        assert!(error("name.fold={ prefix = 'a' }").contains("needs a `to`"));
        let (_, rule) = option_rule("name.fold={ prefix = 'a', to = 'b' }").unwrap();
        assert_eq!(rule.spec.to_string(), r#"{ prefix = "a", to = "b" }"#);
    }

    #[test]
    fn sections_that_mean_nothing_are_errors() {
        let error = config(&[], "[names]\nskip = []\n").unwrap_err().to_string();
        assert!(error.contains(":1:2: unknown key \"names\""), "{error}");
        assert!(error.contains("did you mean name?"), "{error}");
    }

    #[test]
    fn settings_of_check_know_where_they_stand() {
        let text = "[check]\nmax_goroutines = [500, 'category=rpc:100']\nfail_on = 'note'\n";
        let config = config(&[], text).unwrap();
        let limits = config.check.get("max_goroutines").unwrap();
        let texts = Value::Texts(vec!["500".to_owned(), "category=rpc:100".to_owned()]);
        assert_eq!(limits.value, texts);
        assert!(limits.from.ends_with("/c:2"), "{}", limits.from);
        assert_eq!(config.check.get("max_age"), None);
        assert_eq!(config.check.all().len(), 2);
    }

    #[test]
    fn settings_of_check_are_listed_in_the_order_of_their_keys() {
        let text = "[check]\nskip_first = 1\nmax_age = '1h'\ndefault_allow = false\nbaseline = 'b.json'\n\
                    allow = 'leaks.toml'\nown = 'ex.org'\n";
        let config = config(&[], text).unwrap();
        let keys = config.check.all().iter().map(|setting| setting.key.as_str());
        let keys: Vec<&str> = keys.filter_map(|key| key.strip_prefix("check.")).collect();
        assert_eq!(keys, ["own", "allow", "baseline", "default_allow", "max_age", "skip_first"]);
    }

    #[test]
    fn settings_of_check_are_refused_with_a_place() {
        for (text, says) in [
            ("[check]\nmax_goroutine = 5\n", "did you mean max_goroutines?"),
            ("[check]\nat_end = 1\n", ":2:10: check.at_end must be true or false"),
            ("[check]\nown = [1]\n", ":2:7: check.own must be a string"),
            ("[check]\nskip_first = 'x'\n", "check.skip_first must be a number"),
            ("[chek]\n", "did you mean check?"),
        ] {
            let error = config(&[], text).unwrap_err().to_string();
            assert!(error.contains(says), "{error}");
        }
    }

    #[test]
    fn files_are_looked_for_beside_the_settings_that_name_them() {
        let config = config(&[], "[check]\nallow = 'leaks.toml'\n").unwrap();
        let Value::Texts(files) = &config.check.get("allow").unwrap().value else { panic!() };
        let beside = config.files[0].path.with_file_name("leaks.toml");
        assert_eq!(files[..], [beside.display().to_string()]);
    }

    /// A change that somebody else suggests to a project could make a run show the first line of any file.
    #[cfg(unix)]
    #[test]
    fn settings_of_a_project_do_not_lead_out_of_it() {
        use std::os::unix::fs::symlink;
        let home = tempfile::tempdir().unwrap();
        let path = |name: &str| home.path().join(name);
        std::fs::create_dir_all(path("repo/.git")).unwrap();
        std::fs::create_dir(path("repo/sub")).unwrap();
        std::fs::write(path("secret"), "SECRET").unwrap();
        std::fs::write(path("repo/allow.toml"), "").unwrap();
        let places = Places { folder: Some(path("repo/sub")), ..Places::default() };
        let load = || Config::load(&Request::default(), &places).map_err(|error| error.to_string());
        let settings = path("repo/sub/stackgazer.toml");
        for (file, is_inside) in [
            ("../allow.toml", true),
            ("../gone.toml", true),
            ("../../secret", false),
            ("/proc/self/environ", false),
            ("link", false),
        ] {
            let _ = symlink(path("secret"), path("repo/sub/link"));
            std::fs::write(&settings, format!("[check]\nallow = ['{file}']\n")).unwrap();
            match load() {
                Ok(_) => assert!(is_inside, "{file}"),
                Err(error) => {
                    assert!(
                        !is_inside && error.contains(":2:9: check.allow leads outside"),
                        "{error}"
                    );
                }
            }
        }
        for (target, is_inside) in [("../allow.toml", true), ("../../secret", false)] {
            std::fs::remove_file(&settings).unwrap();
            symlink(target, &settings).unwrap();
            let error = load().err().unwrap_or_default();
            assert_eq!(error.contains("leads outside of the project"), !is_inside, "{error}");
            assert!(!error.contains("SECRET"), "{error}");
        }
        std::fs::write(path("repo/.env"), "SECRET=abc").unwrap();
        std::fs::remove_file(&settings).unwrap();
        symlink("../.env", &settings).unwrap();
        let error = load().unwrap_err();
        assert!(error.contains(":1:8: ") && !error.contains("SECRET"), "{error}");
    }

    #[test]
    fn an_import_means_the_same() {
        let text = r#"{"nameFoldRules": {"custom": ["s|a{1,2}|A|", "lost"]},
                       "functionTrimPrefixes": ["a|b"], "categoryMatchRules": ["s|^(a)|$1|"]}"#;
        let (toml, warnings) = import("s.json", text).unwrap();
        assert_eq!(warnings.len(), 2, "{warnings:?}");
        assert!(toml.contains(r#"func = { replace = ["#), "{toml}");
        assert!(toml.contains(r#"  { browser = "a|b" },"#), "{toml}");
        assert!(toml.contains("match = { replace = [\n  \"^(a)\",\n] }"), "{toml}");
        let imported = config(&[], &toml).unwrap().rules;
        assert_eq!(crate::rules::to_toml(&imported), toml);
    }
}
