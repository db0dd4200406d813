//! `stackgazer check`

use super::args::{Common, GateArgs, OutputArgs, PageArgs, PointArgs};
use super::destination::{Destination, check_apart};
use super::emit::{emit, emit_screenful};
use super::exit::Exit;
use super::screen::screen;
use super::session::Session;
use super::{page, points, report};
use crate::config::{CheckSettings, Config, Places, Setting, Value};
use crate::error::suggest::nearest;
use crate::error::{Error, ErrorKind, Result};
use crate::leak::{AllowList, CHECKS, Check, Date, FLAGS, Level, Limit, Options, Own, Review};
use crate::output::report::{NoCommands, Report, ReportFormat};
use crate::output::{Output, check as output};
use crate::profile::Keep;
use crate::textfile;
use clap::Args;
use std::ffi::OsString;
use std::io::Write;
use std::path::Path;
use std::time::SystemTime;

const EXAMPLES: &str = "  stackgazer check dump.txt
  stackgazer check --at-end goroutines.txt
  stackgazer check t1.txt t2.txt t3.txt t4.txt t5.txt
  stackgazer check --require-leak-profile leaks.pb.gz
  stackgazer check --max-goroutines 5000 --max-growth 20% before.zip after.zip
  stackgazer check --at-end --write-baseline leaks.toml dump.txt
  stackgazer check --at-end --baseline leaks.toml dump.txt -o json
  stackgazer check --at-end dump.txt --report sarif=leaks.sarif --report github
  stackgazer check --explain growth";

/// Arguments of `check`.
#[derive(Args, Debug)]
#[command(after_help = formats(), after_long_help = format!("Examples:\n{EXAMPLES}\n\n{}", formats()))]
pub struct CheckArgs {
    /// Say what a check finds, and why
    ///
    /// All checks when none is named.
    #[arg(long, value_name = "CHECK", num_args = 0..=1, default_missing_value = "", help_heading = "Output")]
    explain: Option<String>,

    /// Also write sarif, junit, github, html, ...
    ///
    /// Even when the check fails; any number of them. One without a file goes to stdout, behind the
    /// table.
    #[arg(long = "report", value_name = "FORMAT[=FILE]", help_heading = "Output")]
    reports: Vec<OsString>,

    /// List what the built-in catalogue and allow-lists took out, each with the entry that did
    #[arg(long, help_heading = "Output")]
    explain_suppressed: bool,

    #[command(flatten)]
    gate: GateArgs,

    #[command(flatten)]
    points: PointArgs,

    #[command(flatten)]
    page: PageArgs,

    #[command(flatten)]
    common: Common,
}

fn formats() -> String {
    format!("{}\n\n{}", Output::help(&output::OFFERED), ReportFormat::help())
}

/// Runs `check`.
pub(super) fn run(args: &CheckArgs) -> Result<Exit> {
    if let Some(name) = &args.explain {
        return explain(name, &args.common.output);
    }
    let common = &args.common;
    common.value.refuse_mean()?;
    let format = Output::pick(common.output.format.as_deref(), &output::OFFERED)?;
    let config = Config::load(&common.rules.request(), &Places::of_process())?;
    let options = options(&args.gate, &config.check)?;
    let table = format == Output::Table || common.output.file().is_some();
    let reports = report::requests(&args.reports, table)?;
    let baseline = match &args.gate.write_baseline {
        None => None,
        Some(path) => {
            let to = Destination::of(Some(path))?;
            to.check()?;
            Some((path, to))
        }
    };
    let to = Destination::of(common.output.file())?;
    let mut outputs = vec![("--to", &to)];
    outputs.extend(baseline.iter().map(|(_, to)| ("--write-baseline", to)));
    outputs.extend(reports.iter().map(|report| ("--report", &report.to)));
    check_apart(&outputs, &common.input.inputs)?;
    let is_page = format == Output::Html;
    let has_page = is_page || reports.iter().any(report::Request::is_page);
    args.page.check_of_report(format, has_page, &common.output)?;
    let keep = Keep { creators: has_page, ..page::keep() };
    let (mut session, points) = points::start(common, &args.points, keep)?;
    session.note_odd_bytes(if has_page { Output::Html } else { format });
    let contents = has_page.then(|| page::Contents::new(&mut session, points.clone(), &args.page));
    let Session { profile, names, selection, .. } = &session;
    let mut review = Review::new(profile, names, selection, &points, &options);
    review.blind.extend(profile.unread.problems().map(ToString::to_string));
    let mut written = None;
    if let Some((path, to)) = &baseline {
        if !review.blind.is_empty() {
            session.report();
            let what = "isn't written, since the inputs can't be judged";
            say_blind(&review, &session);
            return Err(Error::new(ErrorKind::Damaged, path.display().to_string(), what));
        }
        let text = review.baseline();
        to.write(|out| out.write_all(text.as_bytes()))?;
        review.accept(&path.display().to_string());
        written = Some(baseline_note(path, &text));
    }
    let screen = screen(&common.output);
    review.unmatched.iter().for_each(|note| super::say(format_args!("note: {note}")));
    let shown = output::Shown {
        profile,
        review: &review,
        limit: common.output.limit,
        suppressed: args.explain_suppressed,
        own: &options.own,
    };
    // Programs that read stdout find nothing there but what they know.
    let (in_table, on_stderr) = match format == Output::Table && common.output.file().is_none() {
        true => (written, None),
        false => (None, written),
    };
    let write_page = |out: &mut dyn Write| match &contents {
        Some(contents) => contents.write(&session, &page::Answer::Findings(shown), &options, out),
        None => Ok(()),
    };
    match format {
        Output::Table => emit_screenful(&common.output, &screen, |out| {
            let write = |out: &mut dyn Write| {
                shown.write(format, &screen, out)?;
                let note = in_table.as_deref();
                note.map_or(Ok(()), |note| writeln!(out, "{}", screen.text(note)))
            };
            if !report::annotates_stdout(&reports) {
                return write(out);
            }
            let mut out = NoCommands::new(out);
            write(&mut out)?;
            out.flush()
        })?,
        Output::Html => emit(&common.output, format, write_page)?,
        _ => emit(&common.output, format, |out| shown.write(format, &screen, out))?,
    }
    if let Some(note) = on_stderr {
        super::say(format_args!("note: {note}"));
    }
    if !reports.is_empty() {
        let workspace = report::workspace();
        let page = &write_page;
        let report = Report { profile, review: &review, workspace: &workspace, page };
        report::write(&reports, &report)?;
    }
    let mut exit = session.report();
    if !review.passes() {
        exit = exit.max(Exit::Found);
    }
    if !review.blind.is_empty() {
        say_blind(&review, &session);
        exit = Exit::Trouble;
    }
    page::open(&args.page, &common.output)?;
    Ok(exit)
}

/// What `--write-baseline` has done.
fn baseline_note(path: &Path, text: &str) -> String {
    let entries = text.lines().filter(|line| *line == "[[allow]]").count();
    let verb = if entries == 1 { "entry was" } else { "entries were" };
    format!(
        "{entries} {verb} written to {}; --baseline {} lets what they cover pass",
        path.display(),
        path.display()
    )
}

/// Says why the gate can't pass, as far as it wasn't said when the inputs were read.
fn say_blind(review: &Review, session: &Session) {
    let said = session.profile.unread.problems().count();
    for why in review.blind.iter().take(review.blind.len().saturating_sub(said)) {
        super::say(why);
    }
}

fn explain(name: &str, args: &OutputArgs) -> Result<Exit> {
    let named: Vec<&Check> = match name {
        "" => CHECKS.iter().collect(),
        name => vec![Check::named(name).ok_or_else(|| {
            let names = CHECKS.map(|check| check.name);
            let advice = match nearest(name, names) {
                Some(near) => format!("did you mean {near}?"),
                None => format!("known are {}", names.join(", ")),
            };
            Error::new(ErrorKind::Usage, "--explain", format!("unknown check {name:?}"))
                .advise(advice)
        })?],
    };
    emit(args, Output::Text, |out| output::explain(&named, out))?;
    Ok(Exit::Done)
}

/// What the settings alone ask for; fails where they can't be used.
pub(super) fn gate(settings: &CheckSettings) -> Result<Options> {
    options(&GateArgs::default(), settings)
}

/// Flags and settings put together; what flags say takes the place of the settings.
fn options(args: &GateArgs, settings: &CheckSettings) -> Result<Options> {
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

/// The settings below the flags.
struct Layers<'s> {
    settings: &'s CheckSettings,
}

impl Layers<'_> {
    fn switch(&self, key: &str) -> bool {
        self.settings.get(key).is_some_and(|one| one.value == Value::Switch(true))
    }

    /// What the flags say, or else what the settings say.
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

    /// All limits: those of the flags, and those of the settings that no flag is about.
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
