//! What can be typed: argument groups that the commands share.

mod again;
mod arguments;
mod base;
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

use super::capture::CaptureArgs;
use super::check::CheckArgs;
use super::completions::CompletionsArgs;
use super::config::ConfigArgs;
use super::diff::DiffArgs;
use super::export::ExportArgs;
use super::filter::FilterArgs;
use super::man::ManArgs;
use super::name::NameArgs;
use super::stacksize::StacksizeArgs;
use super::summarize::SummarizeArgs;
use super::symbolize::SymbolizeArgs;
use super::tree::TreeArgs;
use clap::{Args, Parser, Subcommand};

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
    /// Say what is in here: a verdict, then a table by category
    Summarize(SummarizeArgs),
    /// Show goroutines that match, with frames, labels, ids, waits
    Filter(FilterArgs),
    /// Tell what each unique stack is called, in which category, and why
    Name(NameArgs),
    /// Tell what changed from one point in time to the next
    Diff(DiffArgs),
    /// May this pass? Leak checks, limits and a baseline, for CI
    Check(Box<CheckArgs>),
    /// Tell who created whom
    Tree(TreeArgs),
    /// Write everything in another format
    Export(ExportArgs),
    /// Tell which function, file and line addresses of a Go binary are
    Symbolize(SymbolizeArgs),
    /// Tell which code holds how much stack memory
    Stacksize(StacksizeArgs),
    /// Write the goroutines of a live process that never asked for it
    Capture(CaptureArgs),
    /// Show settings, or import those of the browser tool
    Config(ConfigArgs),
    /// Write completions for a shell
    Completions(CompletionsArgs),
    /// Write the manual page
    Man(ManArgs),
}

impl Command {
    /// What clap has to know of a command that reads inputs.
    pub(super) fn alone(name: &str) -> Option<clap::Command> {
        type Arguments = fn(clap::Command) -> clap::Command;
        let commands: [(&'static str, Arguments); 8] = [
            ("summarize", SummarizeArgs::augment_args),
            ("filter", FilterArgs::augment_args),
            ("name", NameArgs::augment_args),
            ("diff", DiffArgs::augment_args),
            ("check", CheckArgs::augment_args),
            ("tree", TreeArgs::augment_args),
            ("export", ExportArgs::augment_args),
            ("stacksize", StacksizeArgs::augment_args),
        ];
        let (name, arguments) = commands.into_iter().find(|(known, _)| *known == name)?;
        Some(arguments(clap::Command::new(name)))
    }
}

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
