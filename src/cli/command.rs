//! The commands: a row for each, and the clap program made from them.

use super::exit::Exit;
use super::{
    capture, check, completions, config, diff, export, filter, man, name, stacksize, summarize,
    symbolize, tree,
};
use crate::error::{Error, Result};
use clap::{ArgMatches, Args, FromArgMatches};

/// What the program needs to know about a command.
#[derive(Debug)]
pub(super) struct Command {
    /// Its name.
    pub(super) name: &'static str,
    about: &'static str,
    /// Adds its arguments.
    arguments: fn(clap::Command) -> clap::Command,
    /// Runs it with the arguments.
    pub(super) run: fn(&ArgMatches) -> Result<Exit>,
    /// The long names of the options that `-h` shows; all options if the list is empty.
    pub(super) chief: &'static [&'static str],
}

/// All commands, in the order in which help lists them.
pub(super) const COMMANDS: [Command; 13] = [
    Command {
        name: "summarize",
        about: "Say what the inputs show: a verdict, then a table by category",
        arguments: summarize::SummarizeArgs::augment_args,
        run: |typed| run(typed, summarize::run),
        chief: &["by", "peek", "list", "base", "value", "sort", "limit", "output", "to"],
    },
    Command {
        name: "filter",
        about: "Show goroutines that match, with frames, labels, ids, waits",
        arguments: filter::FilterArgs::augment_args,
        run: |typed| run(typed, filter::run),
        chief: &["frames", "sort", "limit", "output", "to"],
    },
    Command {
        name: "name",
        about: "Show the name and category of each unique stack, and why",
        arguments: name::NameArgs::augment_args,
        run: |typed| run(typed, name::run),
        chief: &["explain", "unused", "rule", "config", "limit", "output"],
    },
    Command {
        name: "diff",
        about: "Show what changed from one point in time to the next",
        arguments: diff::DiffArgs::augment_args,
        run: |typed| run(typed, diff::run),
        chief: &["by", "by-input", "min-change", "fail-on", "series", "limit", "output"],
    },
    Command {
        name: "check",
        about: "May this pass? Leak checks, limits and a baseline, for CI",
        arguments: check::CheckArgs::augment_args,
        run: |typed| run(typed, check::run),
        chief: &[
            "at-end",
            "max-goroutines",
            "max-age",
            "allow",
            "baseline",
            "write-baseline",
            "fail-on",
            "report",
            "explain",
            "output",
        ],
    },
    Command {
        name: "tree",
        about: "Show who created whom",
        arguments: tree::TreeArgs::augment_args,
        run: |typed| run(typed, tree::run),
        chief: &["whole", "limit", "output", "to"],
    },
    Command {
        name: "export",
        about: "Write everything in another format",
        arguments: export::ExportArgs::augment_args,
        run: |typed| run(typed, export::run),
        chief: &["output", "to", "base", "value", "limit"],
    },
    Command {
        name: "symbolize",
        about: "Find the function, file and line of addresses of a Go binary",
        arguments: symbolize::SymbolizeArgs::augment_args,
        run: |typed| run(typed, symbolize::run),
        chief: &[],
    },
    Command {
        name: "stacksize",
        about: "Show which code uses how much stack memory",
        arguments: stacksize::StacksizeArgs::augment_args,
        run: |typed| run(typed, stacksize::run),
        chief: &["binary", "by", "functions", "stack-inuse", "limit", "output"],
    },
    Command {
        name: "capture",
        about: "Write the goroutines of a live process, without its cooperation",
        arguments: capture::CaptureArgs::augment_args,
        run: |typed| run(typed, capture::run),
        chief: &[],
    },
    Command {
        name: "config",
        about: "Show settings, or import those of the browser tool",
        arguments: config::ConfigArgs::augment_args,
        run: |typed| run(typed, config::run),
        chief: &[],
    },
    Command {
        name: "completions",
        about: "Write completions for a shell",
        arguments: completions::CompletionsArgs::augment_args,
        run: |typed| run(typed, completions::run),
        chief: &[],
    },
    Command {
        name: "man",
        about: "Write the manual page",
        arguments: man::ManArgs::augment_args,
        run: |typed| run(typed, man::run),
        chief: &[],
    },
];

/// Runs a command with its arguments, which clap has validated.
fn run<A: FromArgMatches>(typed: &ArgMatches, command: fn(&A) -> Result<Exit>) -> Result<Exit> {
    let arguments = A::from_arg_matches(typed);
    command(&arguments.map_err(|error| Error::misuse("arguments", error.to_string()))?)
}

impl Command {
    /// The command of this name.
    pub(super) fn find(name: &str) -> Option<&'static Command> {
        COMMANDS.iter().find(|command| command.name == name)
    }

    fn described(&self) -> clap::Command {
        (self.arguments)(clap::Command::new(self.name)).about(self.about).long_about(None)
    }
}

/// The program with all its commands.
pub(super) fn program() -> clap::Command {
    program_with(&COMMANDS)
}

/// The program with some of its commands: describing them to clap takes nearly all of the time of
/// parsing.
pub(super) fn program_with(commands: &[Command]) -> clap::Command {
    clap::Command::new("stackgazer")
        .about("Says what the goroutines of Go dumps and profiles are doing")
        .version(env!("CARGO_PKG_VERSION"))
        .max_term_width(100)
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommands(commands.iter().map(Command::described))
}
