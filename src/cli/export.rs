//! `stackgazer export`

use super::args::Common;
use super::exit::Exit;
use super::session::Session;
use crate::error::Result;
use crate::profile::Keep;
use clap::Args;

/// Arguments of `export`.
#[derive(Args, Debug)]
pub struct ExportArgs {
    #[command(flatten)]
    common: Common,
}

/// Runs `export`.
pub(super) fn run(args: &ExportArgs) -> Result<Exit> {
    let session = Session::start(&args.common, Keep::default())?;
    Ok(session.report())
}
