//! `-o html` of `export`.

use super::args::{Common, PageArgs};
use super::check;
use super::emit::emit;
use super::exit::Exit;
use super::screen::order;
use super::session::Session;
use crate::config::{Config, Places};
use crate::error::{Error, ErrorKind, Result};
use crate::leak::Review;
use crate::output::command::Asked;
use crate::output::html::Page;
use crate::output::summary::{Shown, linked_lines};
use crate::output::{Output, check as findings};
use crate::profile::{Keep, Profile};
use crate::verdict::Verdict;
use crate::view::export::{Export, note_large_sums};
use crate::view::key::Key;
use crate::view::limit::first_stacks;
use crate::view::summary::{Options, Order, summarize};
use crate::view::timeline::{Layout, Timeline};
use crate::view::value_options::ValueOptions;
use std::path::Path;
use std::process::{Command, Stdio};

/// Inputs that the title names; more are counted.
const INPUTS_NAMED: usize = 3;

/// Writes the page of what is selected.
pub(super) fn run(common: &Common, args: &PageArgs) -> Result<Exit> {
    let config = Config::load(&common.rules.request(), &Places::of_process())?;
    let gate = check::gate(&config.check)?;
    let keep = Keep { goroutines: true, creators: true, addresses: true, ..Keep::default() };
    let mut session = Session::start(common, keep)?;
    session.note_odd_bytes(Output::Json);
    note_large_sums(&mut session.profile);
    let points = Timeline::arrange(&mut session.profile, Layout::Fleet, &[]);
    if let Some(limit) = common.output.limit {
        let order = order(common.output.sort);
        let (profile, names) = (&session.profile, &session.names);
        session.selection = first_stacks(profile, names, &session.selection, order, limit);
    }
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
    let summary = summarize(&session.profile, &mut session.names, &session.selection, &options);
    let Session { profile, names, selection, .. } = &session;
    let verdict = Verdict::new(profile, names, selection, Some(&points));
    let review = (profile.counts_goroutines())
        .then(|| Review::new(profile, names, selection, &points, &gate));
    // Who opens the page may have neither the inputs nor their paths: it shows no commands.
    let asked = Asked { is_open: false, ..Asked::default() };
    let shown = Shown { profile, summary: &summary, verdict: &verdict, asked: &asked };
    let title = args.title.clone().unwrap_or_else(|| title(profile));
    let page = Page {
        title: &title,
        export: &Export::new(profile, names, selection),
        verdict: &linked_lines(&shown),
        rules: &session.rules,
        check: review.as_ref().map(|review| findings::Shown {
            profile,
            review,
            limit: None,
            suppressed: false,
            own: &gate.own,
        }),
    };
    emit(&common.output, Output::Html, |out| page.write(out))?;
    if let Some(file) = common.output.file().filter(|_| args.open) {
        open(file)?;
    }
    Ok(session.finish())
}

fn title(profile: &Profile) -> String {
    let names: Vec<&str> = profile.inputs.iter().map(|input| input.name.as_str()).collect();
    let mut title = names[..names.len().min(INPUTS_NAMED)].join(", ");
    if let more @ 1.. = names.len().saturating_sub(INPUTS_NAMED) {
        title += &format!(" and {more} more");
    }
    match title.is_empty() {
        true => "stackgazer".to_owned(),
        false => title,
    }
}

/// Has the system show a file in what it shows pages in.
fn open(file: &Path) -> Result<()> {
    let opener = match std::env::consts::OS {
        "macos" => "open",
        "windows" => "explorer",
        _ => "xdg-open",
    };
    let started = Command::new(opener)
        .arg(file)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    started.map(drop).map_err(|error| {
        let what = format!("{} is written, but {opener} can't be started: {error}", file.display());
        Error::new(ErrorKind::Usage, "--open", what).advise("open the file yourself")
    })
}
