//! `stackgazer config`

use super::exit::Exit;
use crate::error::Result;
use clap::Args;

/// Arguments of `config`.
#[derive(Args, Debug)]
pub struct ConfigArgs {}

/// Runs `config`.
pub(super) fn run(args: &ConfigArgs) -> Result<Exit> {
    let ConfigArgs {} = args;
    Ok(Exit::Done)
}
