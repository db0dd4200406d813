//! The command line: the only part that knows clap, prints, and decides the exit code.

pub mod args;
mod check;
mod completions;
mod config;
mod diff;
mod exit;
mod export;
mod filter;
#[cfg(test)]
mod generated;
mod man;
mod name;
mod points;
mod progress;
mod screen;
mod session;
mod summarize;
mod tree;

use crate::output::{Output, terminal};
use args::{Cli, Command};
use clap::Parser;
use exit::Exit;
use std::ffi::OsString;
use std::process::ExitCode;

/// Runs the program with these arguments, the first being its own name.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let cli = match Cli::try_parse_from(arguments) {
        Ok(cli) => cli,
        Err(error) => {
            // clap prints help and version to stdout with code 0, mistakes to stderr with code 2.
            let _ = error.print();
            return ExitCode::from(error.exit_code() as u8);
        }
    };
    let result = match &cli.command {
        Command::Summarize(args) => summarize::run(args),
        Command::Filter(args) => filter::run(args),
        Command::Name(args) => name::run(args),
        Command::Diff(args) => diff::run(args),
        Command::Check(args) => check::run(args),
        Command::Tree(args) => tree::run(args),
        Command::Export(args) => export::run(args),
        Command::Config(args) => config::run(args),
        Command::Completions(args) => completions::run(args),
        Command::Man(args) => man::run(args),
    };
    match result {
        Ok(exit) => exit.into(),
        Err(error) => {
            say(&error);
            Exit::Trouble.into()
        }
    }
}

/// What `--help` ends with: how a command is used, and the formats that it writes.
fn examples(examples: &str, offered: &[Output]) -> String {
    format!("Examples:\n{examples}\n\n{}", Output::help(offered))
}

/// Says one thing to the person in front of the terminal.
fn say(text: impl std::fmt::Display) {
    use std::io::Write;
    let text = text.to_string();
    // Paths and names in messages may hold anything; a caret keeps its own line.
    let lines: Vec<_> = text.split('\n').map(terminal::escape).collect();
    // Nothing can be done about a closed stderr.
    let _ = writeln!(std::io::stderr(), "stackgazer: {}", lines.join("\n"));
}
