//! The views that `summarize` shows instead of a table: calls, stacks, labels.

use super::apart::Reads;
use super::args::{CallView, OutputArgs, ReportArgs};
use super::emit::{check_writable, show};
use super::exit::Exit;
use super::session::Session;
use super::sources::Sources;
use crate::error::{Error, Result};
use crate::output::Output;
use crate::output::callers::{self, Calls, Report};
use crate::output::numbers::counted;
use crate::view::calls::callers::{
    Listing, Subject, Tree, functions, graph, list, peek, tags::tags, traces,
};
use crate::view::table::Order;
use crate::view::table::key::Key;
use crate::view::values::options::ValueOptions;

/// Fails if an option is set that has no effect on this view.
pub(super) fn check(
    view: &CallView,
    report: &ReportArgs,
    by: Option<&[Key]>,
    order: Order,
) -> Result<()> {
    let without_effect: &[&str] = match view {
        CallView::Graph => &[],
        CallView::Peek(_) => &["--nodecount", "--nodefraction", "--edgefraction"],
        CallView::Tree => &["--nodecount", "--edgefraction"],
        CallView::Traces | CallView::Tags | CallView::List(_) => {
            &["--nodecount", "--nodefraction", "--edgefraction", "--drop-negative"]
        }
    };
    report.check(without_effect, view.option())?;
    let refuse = |option: &str, what: String| Err(Error::misuse(option, what));
    let has_no_cum = matches!(view, CallView::Traces | CallView::Tags | CallView::List(_));
    if order == Order::Wait || order == Order::Cum && has_no_cum {
        return refuse("--sort", format!("{} can't be sorted by that", view.option()));
    }
    let Some(by) = by else { return Ok(()) };
    if matches!(view, CallView::List(_)) {
        return refuse("--by", "sources are listed by line".to_owned());
    }
    if matches!(view, CallView::Tags) {
        return refuse("--by", "labels aren't told apart by anything but their values".to_owned());
    }
    match by.iter().find(|key| !key.is_of_frames()) {
        Some(key) => refuse(
            "--by",
            format!("{} isn't a property of frames, which {} shows", key.name(), view.option()),
        ),
        None => Ok(()),
    }
}

/// How the view is shown.
#[derive(Debug)]
pub(super) struct Shown<'a> {
    /// The keys that make frames rows.
    pub(super) by: Option<Vec<Key>>,
    /// The order of rows.
    pub(super) order: Order,
    /// How values are counted, cut and written.
    pub(super) value_options: ValueOptions,
    /// Where sources are.
    pub(super) sources: &'a mut Sources,
}

/// Shows the view.
pub(super) fn run(
    view: &CallView,
    session: &Session,
    output: &OutputArgs,
    format: Output,
    shown: Shown<'_>,
) -> Result<Exit> {
    let Shown { by, order, value_options, sources } = shown;
    let Session { profile, names, selection, .. } = session;
    let by = match view {
        CallView::Traces => by.unwrap_or_else(|| traces::FRAMES.to_vec()),
        _ => functions(by),
    };
    let subject =
        Subject { profile, names, selection, by: &by, value_options: &value_options, order };
    let mut left_out = 0;
    let calls = match view {
        CallView::Peek(wanted) => {
            let found = peek(&subject, wanted)?;
            if found.is_empty() {
                super::say("note: --peek matches no function");
            }
            Calls::Functions(found)
        }
        CallView::Graph => {
            let (functions, more) = graph(&subject)?;
            left_out = more;
            Calls::Functions(functions)
        }
        CallView::Tree => {
            let tree = Tree::new(&subject)?;
            left_out = tree.left_out();
            Calls::Tree(tree)
        }
        CallView::Traces => Calls::Traces(traces::traces(&subject)?),
        CallView::Tags => Calls::Tags(tags(&subject, value_options.unit.as_deref())),
        CallView::List(wanted) => {
            let mut found = list(&subject, wanted);
            if found.is_empty() {
                super::say("note: --list matches no function");
            }
            for listing in &mut found {
                listing.source = sources.find(listing)?;
            }
            let mut reads = Reads::default();
            let what = "a source that --list reads";
            sources.files().for_each(|file| reads.add_file(what.to_owned(), file));
            check_writable(output, &reads)?;
            if let Some(note) = missing(&found) {
                super::say(note);
            }
            Calls::List(found)
        }
    };
    let (view, limit) = (view.option().trim_start_matches('-'), output.limit);
    let report =
        Report { view, calls, left_out, by, value_options, limit, own: session.own.clone() };
    show(output, format, &mut |screen, out| callers::write(format, profile, &report, screen, out))?;
    Ok(session.report())
}

/// A note on functions without a source.
fn missing(listings: &[Listing]) -> Option<String> {
    let missing = listings.iter().filter(|listing| listing.source.is_none());
    let mut files: Vec<&str> = missing.map(|listing| &*listing.file).collect();
    files.sort_unstable();
    files.dedup();
    let first = match files.first()? {
        &"" => "functions whose file isn't told",
        first => first,
    };
    let others = match files.len() {
        1 => String::new(),
        more => format!(" and {}", counted(more as i128 - 1, "other file")),
    };
    Some(format!(
        "note: no source of {first}{others} is here; name its folder with --source-root DIR"
    ))
}
