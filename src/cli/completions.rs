//! `stackgazer completions`

use super::exit::Exit;
use crate::error::Result;
use clap::Args;

/// Arguments of `completions`.
#[derive(Args, Debug)]
pub struct CompletionsArgs {}

/// Runs `completions`.
pub(super) fn run(args: &CompletionsArgs) -> Result<Exit> {
    let CompletionsArgs {} = args;
    Ok(Exit::Done)
}
