//! The command line: the only part that knows clap, prints, and decides the exit code.

pub mod args;
mod calls;
mod check;
mod completions;
mod config;
mod destination;
mod diff;
mod emit;
mod exit;
mod export;
mod filter;
#[cfg(test)]
mod generated;
mod man;
mod name;
mod points;
mod pprof;
mod progress;
mod report;
mod screen;
mod session;
mod summarize;
mod tree;
mod unfinished;
mod views;

use crate::error::Error;
use crate::output::{Output, terminal};
use args::{Cli, Command};
use clap::{ArgMatches, CommandFactory, FromArgMatches};
use exit::Exit;
use std::ffi::OsString;
use std::io::{IsTerminal, Write};
use std::process::ExitCode;

/// Runs the program with these arguments, the first being its own name.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    if let Some(answer) = pprof::one_dash(&arguments) {
        say(&answer);
        return Exit::Trouble.into();
    }
    let (cli, matches) = match parse(&arguments) {
        Ok(parsed) => parsed,
        Err(error) => {
            if error.use_stderr()
                && let Some(answer) = pprof::instead(&arguments)
            {
                say(&answer);
                return Exit::Trouble.into();
            }
            // clap prints help and version to stdout with code 0, mistakes to stderr with code 2.
            let printed = error.print().and_then(|()| std::io::stdout().flush());
            return match printed {
                Err(failed) if failed.kind() != std::io::ErrorKind::BrokenPipe => {
                    say_error(&Error::io("stdout", &failed));
                    Exit::Trouble.into()
                }
                _ => ExitCode::from(error.exit_code() as u8),
            };
        }
    };
    if std::io::stdin().is_terminal()
        && let Some(help) = help_instead_of_waiting(&matches)
    {
        // Nothing can be done about a closed stderr.
        let _ = write!(std::io::stderr(), "{help}");
        return Exit::Trouble.into();
    }
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
            say_error(&error);
            Exit::Trouble.into()
        }
    }
}

/// Understands what was typed.
///
/// Most of the time that takes is for describing all commands to clap, so it is told of the one that
/// was typed. It is told of all where that fails, for they may stand in what it then says.
fn parse(arguments: &[OsString]) -> clap::error::Result<(Cli, ArgMatches)> {
    let name = arguments.get(1).and_then(|name| name.to_str());
    let matches = name
        .and_then(Command::alone)
        .map(|command| clap::Command::new("stackgazer").subcommand(command))
        .and_then(|program| program.try_get_matches_from(arguments).ok())
        .map_or_else(|| Cli::command().try_get_matches_from(arguments), Ok)?;
    Ok((Cli::from_arg_matches(&matches)?, matches))
}

/// The short help of a command that reads inputs when none is named: nobody types a dump.
fn help_instead_of_waiting(matches: &ArgMatches) -> Option<String> {
    let (name, arguments) = matches.subcommand()?;
    // Commands that read nothing don't know the argument.
    if arguments.try_contains_id("inputs").ok()? {
        return None;
    }
    let mut program = Cli::command();
    program.build();
    Some(program.find_subcommand_mut(name)?.render_help().to_string())
}

/// What `--help` ends with: how a command is used, and the formats that it writes.
fn examples(examples: &str, offered: &[Output]) -> String {
    format!("Examples:\n{examples}\n\n{}", Output::help(offered))
}

/// Says what went wrong to the person in front of the terminal.
fn say_error(error: &Error) {
    // Errors escape what they repeat; a caret keeps its own line.
    // Nothing can be done about a closed stderr.
    let _ = writeln!(std::io::stderr(), "stackgazer: {error}");
}

/// Says what was odd but didn't keep it from going on.
fn say_warning(warning: &Error) {
    let _ = writeln!(std::io::stderr(), "stackgazer: warning: {warning}");
}

/// Says one thing in one line, whatever names stand in it.
fn say(text: impl std::fmt::Display) {
    let text = text.to_string();
    let _ = writeln!(std::io::stderr(), "stackgazer: {}", terminal::escape(&text));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn help(arguments: &[&str]) -> Option<String> {
        let matches = Cli::command().try_get_matches_from(arguments).unwrap();
        help_instead_of_waiting(&matches)
    }

    #[test]
    fn commands_without_inputs_answer_with_their_short_help() {
        let text = help(&["stackgazer", "summarize"]).unwrap();
        assert!(text.contains("Usage: stackgazer summarize [OPTIONS] [INPUT]..."), "{text}");
        assert_eq!(help(&["stackgazer", "summarize", "dump.txt"]), None);
        assert_eq!(help(&["stackgazer", "summarize", "-"]), None);
        assert_eq!(help(&["stackgazer", "completions", "bash"]), None);
    }

    #[test]
    fn a_command_takes_the_same_alone_as_among_all() {
        let mut alone = 0;
        for command in Cli::command().get_subcommands() {
            let Some(only) = Command::alone(command.get_name()) else { continue };
            let shown = |command: &clap::Command| {
                let arguments: Vec<_> = command.get_arguments().collect();
                let groups: Vec<_> = command.get_groups().collect();
                format!("{arguments:?} {groups:?}")
            };
            assert_eq!(shown(&only), shown(command));
            assert_eq!(command.get_all_aliases().count(), 0, "{}", command.get_name());
            alone += 1;
        }
        assert_eq!(alone, 7);
    }

    #[test]
    fn every_command_that_reads_has_examples() {
        for command in Cli::command().get_subcommands_mut() {
            let name = command.get_name().to_owned();
            let help = command.render_long_help().to_string();
            assert!(help.contains("Examples:\n  stackgazer "), "{name}");
        }
    }
}
