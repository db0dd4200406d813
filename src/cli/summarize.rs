//! `stackgazer summarize`

use super::args::Common;
use super::examples;
use super::exit::Exit;
use super::screen::{order, screen};
use super::session::{Session, emit, emit_escaped};
use crate::error::Result;
use crate::output::{Output, summary as output};
use crate::profile::Keep;
use crate::view::key::Key;
use crate::view::summary::{Options, summarize};
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
    /// by all frames: package, function, file, line, module [default: category; function for
    /// profiles that don't count goroutines]
    #[arg(long, value_name = "KEY,...", help_heading = "Output")]
    by: Option<String>,

    #[command(flatten)]
    common: Common,
}

/// Runs `summarize`.
pub(super) fn run(args: &SummarizeArgs) -> Result<Exit> {
    let common = &args.common;
    let by = args.by.as_deref().map(Key::list).transpose()?;
    let format = Output::pick(common.output.format.as_deref(), &output::OFFERED)?;
    let keep =
        Keep { goroutines: by.iter().flatten().any(|key| *key == Key::Wait), ..Keep::default() };
    let mut session = Session::start(common, keep)?;
    session.note_odd_bytes(format);
    let is_of_goroutines = session.profile.counts_goroutines();
    let default = if is_of_goroutines { Key::Category } else { Key::Function };
    let options = Options {
        by: by.unwrap_or_else(|| vec![default]),
        order: order(common.output.sort),
        limit: common.output.limit,
        selecting: session.selecting,
    };
    let summary = summarize(&session.profile, &session.names, &session.selection, &options);
    let screen = screen(&common.output);
    let write =
        |out: &mut dyn Write| output::write(format, &session.profile, &summary, &screen, out);
    match format {
        Output::Table => emit(&common.output, write)?,
        format => emit_escaped(&common.output, format, write)?,
    }
    Ok(session.report())
}
