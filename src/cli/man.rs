//! `stackgazer man`

use super::exit::Exit;
use crate::error::Result;
use clap::Args;

/// Arguments of `man`.
#[derive(Args, Debug)]
pub struct ManArgs {}

/// Runs `man`.
pub(super) fn run(args: &ManArgs) -> Result<Exit> {
    let ManArgs {} = args;
    Ok(Exit::Done)
}
