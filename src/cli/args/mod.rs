//! What can be typed: argument groups that the commands share.

mod input;
mod output;
mod rules;
mod select;

pub use input::InputArgs;
pub use output::{Color, FrameStyle, OutputArgs, Sort};
pub use rules::RuleArgs;
pub use select::SelectArgs;

use clap::{Parser, Subcommand};

/// Says what the goroutines of Go dumps and profiles are doing.
#[derive(Debug, Parser)]
#[command(name = "stackgazer", version, max_term_width = 100)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Say what is in here: a verdict, then a table of goroutines by category
    Summarize(Common),
}

/// What every command that reads inputs takes.
#[derive(Debug, clap::Args)]
pub struct Common {
    /// Inputs and how to read them.
    #[command(flatten)]
    pub input: InputArgs,
    /// Which goroutines.
    #[command(flatten)]
    pub select: SelectArgs,
    /// Names and categories.
    #[command(flatten)]
    pub rules: RuleArgs,
    /// What comes out.
    #[command(flatten)]
    pub output: OutputArgs,
}
