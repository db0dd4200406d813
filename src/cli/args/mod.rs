//! The argument groups that commands share.

mod arguments;
mod base;
mod command_line;
mod gate;
mod graph;
mod input;
mod output;
mod page;
mod points;
mod prune;
mod report;
mod rules;
mod select;
mod value;
mod view;
mod watch;

pub use arguments::ArgumentArgs;
pub use base::BaseArgs;
pub use gate::GateArgs;
pub use graph::GraphArgs;
pub use input::InputArgs;
pub use output::{Color, FrameStyle, OutputArgs, Sort};
pub use page::PageArgs;
pub use points::{PointArgs, PointOrder};
pub use prune::PruneArgs;
pub use report::ReportArgs;
pub use rules::RuleArgs;
pub use select::SelectArgs;
pub use value::ValueArgs;
pub use view::{CallView, SourceArgs, ViewArgs};
pub use watch::WatchArgs;

use clap::Args;

/// What every command that reads inputs takes.
#[derive(Clone, Debug, Args)]
pub struct Common {
    /// Inputs and how to read them.
    #[command(flatten)]
    pub input: InputArgs,
    /// Which goroutines.
    #[command(flatten)]
    pub select: SelectArgs,
    /// Which stacks, and how much of each.
    #[command(flatten)]
    pub prune: PruneArgs,
    /// Names and categories.
    #[command(flatten)]
    pub rules: RuleArgs,
    /// What comes out.
    #[command(flatten)]
    pub output: OutputArgs,
    /// Which sample type.
    #[command(flatten)]
    pub value: ValueArgs,
}
