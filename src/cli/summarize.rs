//! `stackgazer summarize`

use super::args::{BaseArgs, CallView, Common, ReportArgs, ViewArgs};
use super::examples;
use super::exit::Exit;
use super::screen::{order, screen};
use super::session::{Session, emit, emit_escaped};
use crate::error::{Error, ErrorKind, Result};
use crate::output::{Output, callers, summary as output};
use crate::profile::Keep;
use crate::view::callers::{keys, peek, tags::tags, traces::traces, tree};
use crate::view::figures::{Figures, Whole};
use crate::view::key::Key;
use crate::view::summary::{Options, Order, summarize};
use clap::Args;
use std::io::Write;

const EXAMPLES: &str = "  stackgazer summarize dump.txt
  stackgazer summarize debug.zip --sort wait -n 20
  curl -s localhost:6060/debug/pprof/goroutine?debug=2 | stackgazer summarize
  stackgazer summarize debug.zip --by input,state --state 'chan receive' --wait 5+
  stackgazer summarize dump.txt --by function -o json | jq '.rows[:3]'";

/// Arguments of `summarize`.
#[derive(Args, Debug)]
#[command(after_help = Output::help(&output::OFFERED), after_long_help = examples(EXAMPLES, &output::OFFERED))]
pub struct SummarizeArgs {
    /// Count by these keys: category, name, stack, shape, state, kind, wait, input, label:KEY, creator;
    /// by all frames: package, function, file, line, address, module [default: category; function for
    /// profiles that don't count goroutines]
    #[arg(long, value_name = "KEY,...", help_heading = "Output")]
    by: Option<String>,

    #[command(flatten)]
    view: ViewArgs,

    #[command(flatten)]
    report: ReportArgs,

    #[command(flatten)]
    base: BaseArgs,

    #[command(flatten)]
    common: Common,
}

/// Runs `summarize`.
pub(super) fn run(args: &SummarizeArgs) -> Result<Exit> {
    let common = &args.common;
    let by = match &args.by {
        Some(by) => Some(Key::list(by)?),
        None => args.report.by(),
    };
    let mut figures = args.report.figures(common.value.is_mean());
    if !figures.divide_by.is_normal() {
        let what = format!("can't divide by {}", figures.divide_by);
        return Err(Error::new(ErrorKind::Usage, "--divide-by", what));
    }
    if by.iter().flatten().any(|key| *key == Key::Wait) && !args.base.inputs().is_empty() {
        return Err(Error::new(ErrorKind::Usage, "--by wait", "a difference hasn't waited")
            .advise("compare both with stackgazer diff OLD NEW --by wait"));
    }
    let view = args.view.view()?;
    let offered: &[Output] = if view.is_some() { &callers::OFFERED } else { &output::OFFERED };
    let format = Output::pick(common.output.format.as_deref(), offered)?;
    let keep =
        Keep { goroutines: by.iter().flatten().any(|key| *key == Key::Wait), ..Keep::default() };
    let mut session = Session::with_base(common, &args.base, keep)?;
    session.note_odd_bytes(format);
    let whole = match args.report.is_relative() {
        true => Whole::of(&session.profile, &session.selection, session.base),
        false => session.whole,
    };
    figures.whole = Some(whole.value(figures.mean));
    if let Some(view) = view {
        return run_view(args, &session, format, &view, by, figures);
    }
    let order = if args.report.by_cum() { Order::Cum } else { order(common.output.sort) };
    let is_of_goroutines = session.profile.counts_goroutines();
    let default = if is_of_goroutines { Key::Category } else { Key::Function };
    let options = Options {
        by: by.unwrap_or_else(|| vec![default]),
        order,
        limit: common.output.limit,
        selecting: session.selecting,
        figures,
    };
    let summary = summarize(&session.profile, &session.names, &session.selection, &options);
    let screen = screen(&common.output);
    let write =
        |out: &mut dyn Write| output::write(format, &session.profile, &summary, &screen, out);
    match format {
        Output::Table => emit(&common.output, write)?,
        format => emit_escaped(&common.output, format, write)?,
    }
    Ok(session.finish())
}

/// Shows calls, stacks or labels instead of the table.
fn run_view(
    args: &SummarizeArgs,
    session: &Session,
    format: Output,
    view: &CallView,
    by: Option<Vec<Key>>,
    figures: Figures,
) -> Result<Exit> {
    let Session { profile, names, selection, .. } = session;
    let by = keys(by);
    let calls = match view {
        CallView::Peek(wanted) => {
            callers::Calls::Peek(peek(profile, names, selection, &by, wanted))
        }
        CallView::Tree => {
            let (branches, left_out) = tree(profile, names, selection, &by, &figures);
            callers::Calls::Tree(branches, left_out)
        }
        CallView::Traces => callers::Calls::Traces(traces(profile, selection)),
        CallView::Tags => callers::Calls::Tags(tags(profile, selection)),
    };
    let output = &args.common.output;
    let report = callers::Report { calls, by, figures, limit: output.limit };
    let screen = screen(output);
    let write = |out: &mut dyn Write| callers::write(format, profile, &report, &screen, out);
    match format {
        Output::Table => emit(output, write)?,
        format => emit_escaped(output, format, write)?,
    }
    Ok(session.report())
}
