//! The command line: the only part that knows clap, prints, and decides the exit code.

pub mod args;

use args::Cli;
use clap::Parser;
use std::ffi::OsString;
use std::process::ExitCode;

/// Runs the program with these arguments, the first being its own name.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    match Cli::try_parse_from(arguments) {
        Ok(_) => ExitCode::SUCCESS,
        Err(error) => error.exit(),
    }
}
