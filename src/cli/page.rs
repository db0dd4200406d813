//! `-o html`: the page of a command's result.

use super::args::{BaseArgs, Common, OutputArgs, PageArgs, PointArgs, PointOrder};
use super::check;
use super::diff::{self, DiffArgs};
use super::emit::emit;
use super::exit::Exit;
use super::screen::order;
use super::secrets::{hide_secrets, without_secrets};
use super::session::Session;
use crate::error::{Error, Result};
use crate::filter::Selection;
use crate::leak::{Options as Gate, Review};
use crate::output::html::{Opens, Page};
use crate::output::waits::Graph;
use crate::output::{Output, check as findings};
use crate::profile::{Keep, Profile};
use crate::verdict::Verdict;
use crate::view::diff::timeline::{Layout, Timeline};
use crate::view::frames::finder::FrameFinder;
use crate::view::goroutines::export::{Export, note_large_sums};
use crate::view::goroutines::limit::first_stacks;
use crate::view::table::Order;
use crate::view::table::key::Key;
use crate::view::table::summary::{Options, Summary, summarize};
use crate::view::values::options::ValueOptions;
use crate::waits::Waits;
use std::ffi::{OsStr, OsString};
use std::io::{self, Write};
use std::path::Path;
use std::process::{Command, Stdio};

/// How many inputs the title names; more are only counted.
const INPUTS_NAMED: usize = 3;

/// The columns that a page needs in addition to those of the command.
pub(super) fn keep() -> Keep {
    Keep { goroutines: true, creators: true, addresses: true, ..Keep::default() }
}

/// `export -o html`: the page of the selection.
pub(super) fn run(common: &Common, args: &PageArgs) -> Result<Exit> {
    let gate = gate(common)?;
    let mut session = Session::start(common, keep())?;
    session.note_odd_bytes(Output::Html);
    let points = Timeline::arrange(&mut session.profile, Layout::Fleet, &[]);
    if let Some(limit) = common.output.limit {
        let order = order(common.output.sort);
        let (profile, names) = (&session.profile, &session.names);
        session.selection = first_stacks(profile, names, &session.selection, order, limit);
    }
    let contents = Contents::new(&mut session, points, args)?;
    emit(&common.output, Output::Html, &mut |out| {
        contents.write(&session, Opens::Stacks, &gate, out)
    })?;
    let exit = session.finish();
    open(args, &common.output)?;
    Ok(exit)
}

/// The page of a comparison with a base.
pub(super) fn run_with_base(
    common: &Common,
    base: &BaseArgs,
    by: Option<&str>,
    args: &PageArgs,
) -> Result<Exit> {
    let points = PointArgs { order: PointOrder::Given, fleet: false, series: false };
    let (common, base, page) = (common.clone(), base.clone(), args.clone());
    diff::run(&DiffArgs::of_base(common, base, by.map(str::to_owned), points, page))
}

/// The options of the checks from the settings, for a page of a command that is no gate itself.
pub(super) fn gate(common: &Common) -> Result<Gate> {
    check::gate(&common.rules.settings()?.check)
}

/// The parts of a page besides the session and what it opens at.
pub(super) struct Contents {
    points: Timeline,
    title: String,
    /// The selection at the last point: the verdict on several would count goroutines twice.
    last: Option<Selection>,
    verdict: Verdict,
    total: Summary,
}

impl Contents {
    pub(super) fn new(
        session: &mut Session,
        points: Timeline,
        args: &PageArgs,
    ) -> Result<Contents> {
        note_large_sums(&mut session.profile);
        let profile = &session.profile;
        let last = (points.len() > 1).then(|| last_point(profile, &session.selection, &points));
        let selection = last.as_ref().unwrap_or(&session.selection);
        let options = Options {
            by: vec![Key::Category],
            order: Order::Count,
            limit: None,
            selecting: session.selecting,
            value_options: ValueOptions {
                whole: Some(session.whole.value(false)),
                ..ValueOptions::default()
            },
            pivot: None,
        };
        let total = summarize(profile, &session.names, selection, &options)?;
        let verdict = Verdict::new(profile, &session.names, selection, Some(&points));
        let title = match &args.title {
            Some(title) => without_secrets(title.clone()),
            None => title(profile, &points),
        };
        Ok(Contents { points, title, last, verdict, total })
    }

    /// Writes the page. If no gate has run the checks, they are run with the settings.
    pub(super) fn write(
        &self,
        session: &Session,
        opens: Opens<'_>,
        gate: &Gate,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let Session { profile, names, selection, .. } = session;
        let review = match opens {
            Opens::Findings(_) => None,
            _ if !profile.counts_goroutines() => None,
            _ => {
                let mut review = Review::new(profile, names, selection, &self.points, gate);
                hide_secrets(&mut review);
                Some(review)
            }
        };
        let check = match (opens, &review) {
            (Opens::Findings(shown), _) => Some(shown),
            (_, Some(review)) => {
                let own = &gate.own;
                Some(findings::Shown { profile, review, limit: None, suppressed: false, own })
            }
            _ => None,
        };
        let selection_now = self.last.as_ref().unwrap_or(selection);
        let waits = Waits::of(profile, selection_now, &FrameFinder::new(profile));
        let page = Page {
            title: &self.title,
            points: &self.points.names,
            opens,
            export: &Export::new(profile, names, selection),
            verdict: &self.verdict,
            total: &self.total,
            rules: &session.rules,
            check,
            waits: Graph::new(profile, names, &waits, None),
        };
        page.write(out)
    }
}

fn last_point(profile: &Profile, selection: &Selection, points: &Timeline) -> Selection {
    let is_last =
        |at: &crate::profile::Sample| profile.input(at.key.input).point + 1 == points.len();
    let kept: Vec<bool> = profile.samples.iter().map(is_last).collect();
    let mut last = selection.clone();
    last.retain(profile, &kept);
    last
}

fn title(profile: &Profile, points: &Timeline) -> String {
    let names: Vec<&str> = match points.len() {
        0 | 1 => profile.inputs.iter().map(|input| input.name.as_str()).collect(),
        _ => points.names.iter().map(String::as_str).collect(),
    };
    let between = if points.len() > 1 { " → " } else { ", " };
    let mut title = names[..names.len().min(INPUTS_NAMED)].join(between);
    if let more @ 1.. = names.len().saturating_sub(INPUTS_NAMED) {
        title += &format!(" and {more} more");
    }
    match title.is_empty() {
        true => "stackgazer".to_owned(),
        false => title,
    }
}

/// Shows the page that was written in the browser, if that was requested.
pub(super) fn open(args: &PageArgs, output: &OutputArgs) -> Result<()> {
    let Some(file) = output.file().filter(|_| args.open) else { return Ok(()) };
    let opener = opener(std::env::var_os("BROWSER"));
    start(&opener, file).map_err(|error| {
        let opener = opener.to_string_lossy();
        let what = format!("{} is written, but {opener} can't be started: {error}", file.display());
        Error::misuse("--open", what).advise("open the file yourself")
    })
}

/// The command of `$BROWSER`, as for git and gh, else that of the system.
fn opener(browser: Option<OsString>) -> OsString {
    browser.filter(|name| !name.is_empty()).unwrap_or_else(|| {
        OsStr::new(match std::env::consts::OS {
            "macos" => "open",
            "windows" => "explorer",
            _ => "xdg-open",
        })
        .to_owned()
    })
}

fn start(opener: &OsStr, file: &Path) -> io::Result<()> {
    let mut command = Command::new(opener);
    // A name can look like an option or an address.
    command
        .arg(std::path::absolute(file)?)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    command.spawn().map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_browser_that_is_named_opens_pages() {
        assert_eq!(opener(Some("lynx".into())), "lynx");
        assert_ne!(opener(Some("".into())), "");
        assert_ne!(opener(None), "");
    }
}
