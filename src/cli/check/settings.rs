//! The options of the checks, from flags and settings.

use crate::cli::args::GateArgs;
use crate::config::{CheckSettings, Setting, Value};
use crate::error::{Error, Result};
use crate::leak::{AllowList, Date, FLAGS, Level, Limit, Options, Own};
use crate::textfile;
use std::path::Path;
use std::time::SystemTime;

/// The options from the settings alone; fails if they are wrong.
pub(in crate::cli) fn gate(settings: &CheckSettings) -> Result<Options> {
    options(&GateArgs::default(), settings)
}

/// Combines flags and settings; flags replace settings.
pub(super) fn options(args: &GateArgs, settings: &CheckSettings) -> Result<Options> {
    let today = match &args.today {
        None => Date::of(SystemTime::now()),
        Some(text) => Date::read(text).ok_or_else(|| {
            Error::usage("--today", text, 1, "isn't a day").advise("write 2026-12-31")
        })?,
    };
    let mut options = Options::new(today);
    let from = Layers { settings };
    options.at_end = args.at_end || from.switch("at_end");
    options.require_leak_profile = args.require_leak_profile || from.switch("require_leak_profile");
    let default_allow = settings.get("default_allow").map(|one| one.value == Value::Switch(true));
    options.catalogue = !args.no_default_allow && default_allow.unwrap_or(true);
    options.leak_labels =
        from.texts(&args.leak_labels, "leak_label").iter().map(|text| label(text)).collect();
    options.own = Own::compile(&from.texts(&args.own, "own"))?;
    options.fail_on = from.fail_on(args.fail_on.as_deref())?;
    let skip_first = match settings.get("skip_first").map(|one| &one.value) {
        Some(Value::Count(count)) => *count,
        _ => 0,
    };
    options.skip_first = args.skip_first.unwrap_or(skip_first) as usize;
    options.limits = from.limits(args)?;
    for (paths, key) in [(&args.allow, "allow"), (&args.baseline, "baseline")] {
        let read = if key == "allow" { AllowList::read } else { AllowList::baseline };
        let more = settings.get(key).map_or(&[][..], texts_of);
        let baseline_replaced = key == "baseline" && !paths.is_empty();
        for path in paths {
            options.allow.push(read(&path.display().to_string(), &textfile::named(path)?)?);
        }
        for path in more.iter().filter(|_| !baseline_replaced) {
            options.allow.push(read(path, &textfile::of_settings(Path::new(path))?)?);
        }
    }
    Ok(options)
}

fn texts_of(setting: &Setting) -> &[String] {
    match &setting.value {
        Value::Texts(texts) => texts,
        _ => &[],
    }
}

/// `KEY` or `KEY=VALUE`
fn label(text: &str) -> (String, Option<String>) {
    match text.split_once('=') {
        None => (text.to_owned(), None),
        Some((key, value)) => (key.to_owned(), Some(value.to_owned())),
    }
}

/// Flags over settings.
struct Layers<'s> {
    settings: &'s CheckSettings,
}

impl Layers<'_> {
    fn switch(&self, key: &str) -> bool {
        self.settings.get(key).is_some_and(|one| one.value == Value::Switch(true))
    }

    /// The texts of the flags, or else of the settings.
    fn texts(&self, flags: &[String], key: &str) -> Vec<String> {
        match self.settings.get(key) {
            Some(setting) if flags.is_empty() => texts_of(setting).to_vec(),
            _ => flags.to_vec(),
        }
    }

    fn fail_on(&self, flag: Option<&str>) -> Result<Level> {
        let setting = self.settings.get("fail_on");
        let (text, from) = match (flag, setting) {
            (Some(text), _) => (text, "--fail-on"),
            (None, Some(Setting { value: Value::Text(text), from, .. })) => {
                (text.as_str(), from.as_str())
            }
            _ => return Ok(Level::Error),
        };
        Level::from_name(text).ok_or_else(|| {
            Error::usage(from, text, 1, format!("unknown level {text:?}"))
                .advise("use error, warning or note")
        })
    }

    /// All limits: those of the flags, and those of the settings for which there is no flag.
    fn limits(&self, args: &GateArgs) -> Result<Vec<Limit>> {
        let flags = [&args.max_goroutines, &args.max_growth, &args.max_leaked, &args.max_age];
        let mut limits = Vec::new();
        for (name, texts) in FLAGS.iter().zip(flags) {
            for text in texts {
                limits.push(Limit::read(name, &format!("--{name}"), text)?);
            }
        }
        for name in FLAGS {
            let Some(setting) = self.settings.get(&name.replace('-', "_")) else { continue };
            for text in texts_of(setting) {
                let limit =
                    Limit::read(name, &format!("{} of {}", setting.key, setting.from), text)?;
                if !limits.iter().any(|flag| flag.is_about_the_same(&limit)) {
                    limits.push(limit);
                }
            }
        }
        Ok(limits)
    }
}
