//! What to compare with.

use super::input::input_parser;
use crate::view::values::base::Base;
use clap::Args;
use std::ffi::OsString;

/// What to compare with.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Comparing, as go tool pprof does")]
pub struct BaseArgs {
    /// Subtract this input
    #[arg(long, value_name = "INPUT", conflicts_with = "diff_base", value_parser = input_parser())]
    pub base: Vec<OsString>,

    /// Subtract this input, and take it for 100%
    #[arg(long, alias = "diff_base", value_name = "INPUT", value_parser = input_parser())]
    pub diff_base: Vec<OsString>,

    /// Scale values to the total of the base (diff: of the first point), to compare shares
    #[arg(long)]
    pub normalize: bool,
}

impl BaseArgs {
    /// The inputs to subtract.
    pub fn inputs(&self) -> &[OsString] {
        match self.base.is_empty() {
            true => &self.diff_base,
            false => &self.base,
        }
    }

    /// How the inputs are subtracted, if `others` inputs come before them; `None` if there are none.
    pub fn behind(&self, others: usize) -> Option<Base> {
        (!self.inputs().is_empty()).then_some(Base {
            from_point: others,
            normalize: self.normalize,
            is_whole: !self.diff_base.is_empty(),
        })
    }
}
