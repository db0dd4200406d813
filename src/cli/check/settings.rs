//! The options of the checks, from the command line and settings.

use crate::cli::args::GateArgs;
use crate::config::{CheckSettings, Setting, Value};
use crate::error::{Error, ErrorKind, Result};
use crate::leak::{AllowList, CHECKS, Date, LIMIT_KINDS, Level, Limit, Options, Own, compared};
use crate::limits::LIMITS;
use crate::source::shown_argument;
use crate::textfile;
use std::collections::HashSet;
use std::path::Path;
use std::time::SystemTime;

/// The options from the settings alone; fails if they are wrong.
pub(in crate::cli) fn gate(settings: &CheckSettings) -> Result<Options> {
    options(&GateArgs::default(), settings)
}

/// Combines options of the command line and settings, which the former replace.
pub(super) fn options(args: &GateArgs, settings: &CheckSettings) -> Result<Options> {
    let today = match &args.today {
        None => Date::of(SystemTime::now()),
        Some(text) => Date::read(text).ok_or_else(|| {
            Error::usage("--today", text, 1, "isn't a day").advise("write 2026-12-31")
        })?,
    };
    let mut options = Options::new(today);
    let is_on = |flag: bool, key: &str| flag || settings.switch(key) == Some(true);
    options.at_end = is_on(args.at_end, "at_end");
    options.require_leak_profile = is_on(args.require_leak_profile, "require_leak_profile");
    options.catalogue = !args.no_default_allow && settings.switch("default_allow") != Some(false);
    let labels = texts(&args.leak_labels, settings, "leak_label").iter();
    options.leak_labels = labels.map(|text| label(text)).collect();
    options.own = Own::compile(texts(&args.own, settings, "own"))?;
    options.fail_on = fail_on(args.fail_on.as_deref(), settings)?;
    let skip_first = match settings.get("skip_first").map(|one| &one.value) {
        Some(Value::Count(count)) => *count,
        _ => 0,
    };
    options.skip_first = args.skip_first.unwrap_or(skip_first) as usize;
    options.limits = limits(args, settings)?;
    let checks = CHECKS.map(|check| check.name);
    let mut left = LIMITS.listed_bytes;
    for (paths, key) in [(&args.allow, "allow"), (&args.baseline, "baseline")] {
        let is_baseline = key == "baseline";
        let mut add = |name: &str, text: &str| -> Result<()> {
            options.allow.push(AllowList::read(name, text, &checks, is_baseline)?);
            Ok(())
        };
        for path in paths {
            add(&path.display().to_string(), &textfile::named(path)?)?;
        }
        let is_replaced = is_baseline && !paths.is_empty();
        let mut read = HashSet::new();
        for path in settings.texts(key).iter().filter(|_| !is_replaced) {
            let file = Path::new(path);
            // What can't be found is an error once it is read.
            if file.canonicalize().is_ok_and(|file| !read.insert(file)) {
                continue;
            }
            let text = textfile::of_settings(file).map_err(|error| {
                // An address there is no file.
                Error { input: shown_argument(file.as_os_str()), ..error }
            })?;
            left = left.checked_sub(text.len() as u64).ok_or_else(|| too_long(path))?;
            add(path, &text).map_err(|error| textfile::quoted(error, file))?;
        }
    }
    if compared(&options.allow) > LIMITS.listed_entries {
        let most = LIMITS.listed_entries;
        let what = format!(
            "have more than {most} patterns that are compared with each goroutine (listed_entries)"
        );
        let advice = "name function and created_by whole in each entry, as a baseline does";
        return Err(Error::new(ErrorKind::Limit, "allow-lists", what).advise(advice));
    }
    Ok(options)
}

fn too_long(path: &str) -> Error {
    let most = LIMITS.listed_bytes >> 20;
    let what = format!(
        "is too long: files that settings name have at most {most} MiB together (listed_bytes)"
    );
    Error::new(ErrorKind::Limit, path, what).advise("name it with --allow or --baseline")
}

/// `KEY` or `KEY=VALUE`
fn label(text: &str) -> (String, Option<String>) {
    match text.split_once('=') {
        None => (text.to_owned(), None),
        Some((key, value)) => (key.to_owned(), Some(value.to_owned())),
    }
}

/// The texts of the options, or else of the settings.
fn texts<'a>(flags: &'a [String], settings: &'a CheckSettings, key: &str) -> &'a [String] {
    if flags.is_empty() { settings.texts(key) } else { flags }
}

fn fail_on(flag: Option<&str>, settings: &CheckSettings) -> Result<Level> {
    let (text, from) = match (flag, settings.get("fail_on")) {
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

/// All limits: those of the options, and those of the settings for which there is no option.
fn limits(args: &GateArgs, settings: &CheckSettings) -> Result<Vec<Limit>> {
    let flags = [&args.max_goroutines, &args.max_growth, &args.max_leaked, &args.max_age];
    let mut limits = Vec::new();
    for (name, texts) in LIMIT_KINDS.iter().zip(flags) {
        for text in texts {
            limits.push(Limit::read(name, &format!("--{name}"), text)?);
        }
    }
    for name in LIMIT_KINDS {
        let key = name.replace('-', "_");
        let Some(setting) = settings.get(&key) else { continue };
        for text in settings.texts(&key) {
            let limit = Limit::read(name, &format!("{} of {}", setting.key, setting.from), text)?;
            if !limits.iter().any(|flag| flag.is_about_the_same(&limit)) {
                limits.push(limit);
            }
        }
    }
    Ok(limits)
}
