//! What to compare with.

use clap::Args;
use std::ffi::OsString;

/// What to compare with.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Comparing, as go tool pprof does")]
pub struct BaseArgs {
    /// Subtract this input
    #[arg(long, value_name = "INPUT", conflicts_with = "diff_base")]
    pub base: Vec<OsString>,

    /// Subtract this input, and take it for 100%
    #[arg(long, alias = "diff_base", value_name = "INPUT")]
    pub diff_base: Vec<OsString>,
}

impl BaseArgs {
    /// The inputs to subtract.
    pub fn inputs(&self) -> &[OsString] {
        match self.base.is_empty() {
            true => &self.diff_base,
            false => &self.base,
        }
    }
}
