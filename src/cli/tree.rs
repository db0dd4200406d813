//! `stackgazer tree`

use super::args::Common;
use super::exit::Exit;
use super::session::Session;
use crate::error::Result;
use crate::profile::Keep;
use clap::Args;

/// Arguments of `tree`.
#[derive(Args, Debug)]
pub struct TreeArgs {
    #[command(flatten)]
    common: Common,
}

/// Runs `tree`.
pub(super) fn run(args: &TreeArgs) -> Result<Exit> {
    let session = Session::start(&args.common, Keep::default())?;
    Ok(session.report())
}
