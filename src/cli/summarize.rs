//! `stackgazer summarize`

use super::args::Common;
use super::exit::Exit;
use super::session::Session;
use crate::error::Result;
use crate::profile::Keep;
use clap::Args;

/// Arguments of `summarize`.
#[derive(Args, Debug)]
pub struct SummarizeArgs {
    #[command(flatten)]
    common: Common,
}

/// Runs `summarize`.
pub(super) fn run(args: &SummarizeArgs) -> Result<Exit> {
    let session = Session::start(&args.common, Keep::default())?;
    Ok(session.report())
}
