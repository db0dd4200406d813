//! `stackgazer name`

use super::args::Common;
use super::exit::Exit;
use super::session::Session;
use crate::error::Result;
use crate::profile::Keep;
use clap::Args;

/// Arguments of `name`.
#[derive(Args, Debug)]
pub struct NameArgs {
    #[command(flatten)]
    common: Common,
}

/// Runs `name`.
pub(super) fn run(args: &NameArgs) -> Result<Exit> {
    let session = Session::start(&args.common, Keep::default())?;
    Ok(session.report())
}
