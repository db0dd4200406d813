//! `stackgazer filter`

use super::args::Common;
use super::exit::Exit;
use super::session::Session;
use crate::error::Result;
use crate::profile::Keep;
use clap::Args;

/// Arguments of `filter`.
#[derive(Args, Debug)]
pub struct FilterArgs {
    #[command(flatten)]
    common: Common,
}

/// Runs `filter`.
pub(super) fn run(args: &FilterArgs) -> Result<Exit> {
    let session = Session::start(&args.common, Keep::default())?;
    Ok(session.report())
}
