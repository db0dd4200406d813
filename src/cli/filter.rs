//! `stackgazer filter`

use super::args::Common;
use super::examples;
use super::exit::Exit;
use super::export;
use super::session::Session;
use crate::error::Result;
use crate::output::Output;
use crate::profile::Keep;
use clap::Args;

const OFFERED: [Output; 7] = [
    Output::Text,
    Output::Json,
    Output::Ndjson,
    Output::Csv,
    Output::Debug2,
    Output::Folded,
    Output::Pprof,
];

const EXAMPLES: &str = "  stackgazer filter dump.txt --state 'sync.Mutex.Lock'
  stackgazer filter debug.zip -m raft --wait 5+
  stackgazer filter debug.zip --label node=3 --category 'kv/*' --frames func
  stackgazer filter dump.txt --where 'state == \"select\" and not frame =~ \"grpc\"'
  stackgazer filter dump.txt --id 5783 -o json";

/// Arguments of `filter`.
#[derive(Args, Debug)]
#[command(after_help = Output::help(&OFFERED), after_long_help = examples(EXAMPLES, &OFFERED))]
pub struct FilterArgs {
    #[command(flatten)]
    common: Common,
}

/// Runs `filter`.
pub(super) fn run(args: &FilterArgs) -> Result<Exit> {
    let output = Output::pick(args.common.output.format.as_deref(), &OFFERED)?;
    let keep = Keep { goroutines: output != Output::Folded, receivers: false };
    let mut session = Session::start(&args.common, keep)?;
    export::write(&mut session, &args.common, output, true)?;
    Ok(session.report())
}
