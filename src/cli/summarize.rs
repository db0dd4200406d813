//! `stackgazer summarize`

use super::args::{BaseArgs, Common, PageArgs, ReportArgs, SourceArgs, ViewArgs};
use super::emit::{emit, show};
use super::exit::Exit;
use super::screen::order;
use super::session::Session;
use super::sources::Sources;
use super::{examples, page, views};
use crate::error::{Error, Result};
use crate::filter::InputGlobs;
use crate::output::html::Opens;
use crate::output::{Output, callers, summary as output, summary::Shown};
use crate::profile::Keep;
use crate::verdict::Verdict;
use crate::view::diff::timeline::{Layout, Timeline};
use crate::view::table::Order;
use crate::view::table::key::Key;
use crate::view::table::summary::{Options, summarize};
use crate::view::values::options::PercentBase;
use clap::{Args, ValueEnum};

const EXAMPLES: &str = "  stackgazer summarize dump.txt
  stackgazer summarize debug.zip --sort wait -n 20
  curl -s localhost:6060/debug/pprof/goroutine?debug=2 | stackgazer summarize
  stackgazer summarize debug.zip --by input,state --state 'chan receive' --wait 5+
  stackgazer summarize dump.txt --by function -o json | jq '.rows[:3]'
  stackgazer summarize cpu.pb.gz --list 'Pool.*Get' --source-root ~/src/shop";

/// Arguments of `summarize`.
#[derive(Args, Debug)]
#[command(after_help = Output::help(&output::OFFERED), after_long_help = examples(EXAMPLES, &output::OFFERED))]
pub(super) struct SummarizeArgs {
    /// What rows count: category, name, stack, state, ...
    ///
    /// Keys: category, name, stack, shape, state, kind, wait, input, label:KEY, creator; by all
    /// frames: package, function, file, line, address, module [default: category; function for
    /// profiles that don't count goroutines]
    #[arg(long, value_name = "KEY,...", help_heading = "Output")]
    by: Option<String>,

    /// Spread the rows over this key: a column for each input; of more than eight, those whose numbers
    /// differ from the others'
    #[arg(long, value_name = "KEY", help_heading = "Output")]
    pivot: Option<PivotKey>,

    #[command(flatten)]
    view: ViewArgs,

    #[command(flatten)]
    sources: SourceArgs,

    #[command(flatten)]
    report: ReportArgs,

    #[command(flatten)]
    base: BaseArgs,

    #[command(flatten)]
    page: PageArgs,

    #[command(flatten)]
    common: Common,
}

impl SummarizeArgs {
    /// The arguments of all commands.
    #[cfg(test)]
    pub(super) fn common(&self) -> &Common {
        &self.common
    }
}

/// What rows can be spread over.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum PivotKey {
    /// The inputs.
    Input,
}

/// Fails if rows can't be split into columns of inputs.
fn check_pivot(args: &SummarizeArgs, by: Option<&[Key]>, mean: bool, view: bool) -> Result<()> {
    let what = match args.pivot {
        None => return Ok(()),
        _ if view => "has an effect on tables only",
        _ if mean => "can't be combined with --mean: means don't add up",
        _ if by.is_some_and(|by| by.contains(&Key::Input)) => "can't be combined with --by input",
        _ if !args.base.inputs().is_empty() => {
            return Err(Error::misuse("--pivot", "a difference has no inputs")
                .advise("compare each input with stackgazer diff OLD NEW --by-input"));
        }
        _ => return Ok(()),
    };
    Err(Error::misuse("--pivot", what))
}

/// Runs `summarize`.
pub(super) fn run(args: &SummarizeArgs) -> Result<Exit> {
    let common = &args.common;
    let by = match &args.by {
        Some(by) => Some(Key::list(by)?),
        None => args.report.by(),
    };
    let mut value_options = args.report.value_options(common.value.is_mean());
    if !value_options.divide_by.is_normal() {
        let what = format!("can't divide by {}", value_options.divide_by);
        return Err(Error::misuse("--divide-by", what));
    }
    if by.iter().flatten().any(|key| *key == Key::Wait) && !args.base.inputs().is_empty() {
        return Err(Error::misuse("--by wait", "a difference hasn't waited")
            .advise("compare both with stackgazer diff OLD NEW --by wait"));
    }
    let order = if args.report.by_cum() { Order::Cum } else { order(common.output.sort) };
    let view = args.view.view()?;
    check_pivot(args, by.as_deref(), value_options.mean, view.is_some())?;
    let pivoted = InputGlobs::compile("--input", &common.select.inputs)?;
    match &view {
        Some(view) => views::check(view, &args.report, by.as_deref(), order)?,
        None => args.report.check(&["--edgefraction"], "a table")?,
    }
    let offered: &[Output] = if view.is_some() { &callers::OFFERED } else { &output::OFFERED };
    let format = Output::pick(common.output.format.as_deref(), offered)?;
    args.page.check(format, &common.output)?;
    let is_page = format == Output::Html;
    if is_page && !args.base.inputs().is_empty() {
        return page::run_with_base(common, &args.base, args.by.as_deref(), &args.page);
    }
    let gate = is_page.then(|| page::gate(common)).transpose()?;
    // The verdict needs to know who created whom.
    let goroutines = is_page || by.iter().flatten().any(|key| *key == Key::Wait);
    let keep = Keep { goroutines, creators: true, addresses: true, ..Keep::default() };
    let mut session = Session::with_base(common, &args.base, keep)?;
    session.note_odd_bytes(format);
    session.check_keys(by.as_deref().unwrap_or_default())?;
    let whole = match args.report.is_relative() {
        true => PercentBase::of(&session.profile, &session.selection, session.base),
        false => session.whole,
    };
    value_options.whole = Some(whole.value(value_options.mean));
    value_options.is_difference = session.base.is_some();
    if let Some(view) = view {
        let mut sources = Sources::new(&args.sources.source_roots);
        let shown = views::Shown { by, order, value_options, sources: &mut sources };
        return views::run(&view, &session, &common.output, format, shown);
    }
    let is_of_goroutines = session.profile.counts_goroutines();
    let default = if is_of_goroutines { Key::Category } else { Key::Function };
    let by = by.unwrap_or_else(|| vec![default]);
    if !by.iter().any(Key::is_of_frames) {
        args.report.check_of_frames(&value_options, order)?;
    }
    let pivot = args.pivot.map(|PivotKey::Input| pivoted.picked(&session.profile));
    let limit = common.output.limit;
    let options = Options { by, order, limit, selecting: session.selecting, value_options, pivot };
    let summary = summarize(&session.profile, &session.names, &session.selection, &options)?;
    // Nothing says that the inputs weren't taken at the same time.
    let points = match session.base {
        Some(_) => None,
        None => Some(Timeline::arrange(&mut session.profile, Layout::Fleet, &[])),
    };
    if let (Some(gate), Some(points)) = (&gate, &points) {
        let contents = page::Contents::new(&mut session, points.clone(), &args.page)?;
        let opens = Opens::Summary(&summary);
        emit(&common.output, format, &mut |out| contents.write(&session, opens, gate, out))?;
        let exit = session.finish();
        page::open(&args.page, &common.output)?;
        return Ok(exit);
    }
    let Session { profile, names, selection, .. } = &session;
    let mut verdict = Verdict::new(profile, names, selection, points.as_ref());
    if session.base.is_some() {
        // The differences of the two sides of a comparison are no peers.
        verdict.outliers.clear();
    }
    let command_line = common.command_line();
    let shown =
        Shown { profile, summary: &summary, verdict: &verdict, command_line: &command_line };
    show(&common.output, format, &mut |screen, out| shown.write(format, screen, out))?;
    Ok(session.finish())
}
