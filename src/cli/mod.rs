//! The command line: the only part that knows clap, prints, and decides the exit code.

mod annotate;
mod apart;
pub mod args;
mod calls;
mod capture;
mod check;
mod closed;
mod command;
mod completions;
mod config;
mod destination;
mod diff;
mod emit;
mod exit;
mod export;
mod filter;
mod folder;
#[cfg(test)]
mod generated;
mod losses;
mod man;
mod memory;
mod name;
mod native;
mod pace;
mod page;
mod points;
mod pprof;
mod progress;
mod replacement;
mod report;
mod screen;
mod secrets;
mod session;
mod short_help;
mod signals;
mod sources;
mod stacksize;
mod summarize;
mod symbolize;
mod tree;
mod typed;
mod unfinished;
mod values;
mod views;
mod watch;

pub use memory::Memory;

use crate::error::Error;
use crate::limits;
use crate::output::report::NoCommands;
use crate::output::{Output, terminal};
use clap::ArgMatches;
use command::{Command, program};
use exit::Exit;
use std::ffi::OsString;
use std::io::{IsTerminal, Write};
use std::process::ExitCode;

/// Runs the program with these arguments; the first is its own name.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    limits::keep_to_memory();
    signals::survive_file_limit();
    let terminal = std::io::stdin().is_terminal();
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    if let Some(answer) = pprof::one_dash(&arguments) {
        say(&answer);
        return Exit::Trouble.into();
    }
    let arguments = match typed::with_command(arguments, terminal) {
        Ok(arguments) => arguments,
        Err(error) => {
            say_error(&error);
            return Exit::Trouble.into();
        }
    };
    if let [_] | [] = arguments.as_slice() {
        return help_instead_of_waiting(&program(), None);
    }
    let matches = match typed::parse(&arguments) {
        Ok(parsed) => parsed,
        Err(error) => {
            if error.use_stderr()
                && let Some(answer) = pprof::instead(&arguments)
            {
                say(&answer);
                return Exit::Trouble.into();
            }
            let may_print = if error.use_stderr() { Ok(()) } else { closed::check_stdout() };
            let printed =
                may_print.and_then(|()| match short_help::asked_for(&arguments, &error) {
                    Some(text) => write!(std::io::stdout(), "{text}"),
                    None if error.use_stderr() && emit::in_ci() => {
                        say_lines(format_args!("{}", error.render().to_string().trim_end()));
                        Ok(())
                    }
                    // clap prints help and version to stdout with code 0, errors to stderr with code 2.
                    None => error.print(),
                });
            let printed = printed.and_then(|()| std::io::stdout().flush());
            return match printed {
                Err(failed) if failed.kind() != std::io::ErrorKind::BrokenPipe => {
                    say_error(&Error::io("stdout", &failed));
                    Exit::Trouble.into()
                }
                _ => ExitCode::from(error.exit_code() as u8),
            };
        }
    };
    if terminal && let Some(name) = reads_nothing(&matches) {
        return help_instead_of_waiting(&program(), Some(name));
    }
    let result = match matches.subcommand() {
        Some((name, typed)) => Command::find(name).map(|command| (command.run)(typed)),
        None => None,
    };
    match result {
        Some(Ok(exit)) => exit.into(),
        // clap requires a command, and knows no others.
        None => help_instead_of_waiting(&program(), None),
        Some(Err(error)) => {
            say_error(&error);
            Exit::Trouble.into()
        }
    }
}

/// The command, if it reads inputs and none is named.
fn reads_nothing(matches: &ArgMatches) -> Option<&str> {
    let (name, arguments) = matches.subcommand()?;
    // Commands that read nothing don't have the argument.
    (!arguments.try_contains_id("inputs").ok()?).then_some(name)
}

/// The short help of the program or of a command: nobody types a dump.
fn help_instead_of_waiting(program: &clap::Command, name: Option<&str>) -> ExitCode {
    // Nothing can be done about a closed stderr.
    let _ = write!(std::io::stderr(), "{}", short_help::of(program, name));
    Exit::Trouble.into()
}

/// The end of `--help`: how a command is used, and the formats that it writes.
fn examples(examples: &str, offered: &[Output]) -> String {
    format!("Examples:\n{examples}\n\n{}", Output::help(offered))
}

/// Prints an error to the person at the terminal.
fn say_error(error: &Error) {
    // Errors escape the text of inputs; a caret has its own line.
    say_lines(format_args!("stackgazer: {}", secrets::without_addresses(error)));
}

/// Prints a warning about something that didn't stop the run.
fn say_warning(warning: &Error) {
    say_lines(format_args!("stackgazer: warning: {}", secrets::without_addresses(warning)));
}

/// Prints a text in one line, whatever names are in it.
fn say(text: impl std::fmt::Display) {
    let text = text.to_string();
    say_lines(format_args!("stackgazer: {}", terminal::escape(&text)));
}

/// Prints lines to stderr, none of which a CI system takes for a command: one can be of the user's settings.
fn say_lines(lines: std::fmt::Arguments<'_>) {
    let lines = secrets::without_secrets(lines.to_string());
    let mut stderr = std::io::stderr().lock();
    // Nothing can be done about a closed stderr.
    let _ = match emit::in_ci() {
        true => {
            let mut out = NoCommands::new(&mut stderr);
            writeln!(out, "{lines}").and_then(|()| out.flush())
        }
        false => writeln!(stderr, "{lines}"),
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_that_read_need_something_to_read() {
        let waits = |arguments: &[&str]| {
            let matches = program().try_get_matches_from(arguments).unwrap();
            reads_nothing(&matches).map(str::to_owned)
        };
        assert_eq!(waits(&["stackgazer", "summarize"]).as_deref(), Some("summarize"));
        assert_eq!(waits(&["stackgazer", "summarize", "dump.txt"]), None);
        assert_eq!(waits(&["stackgazer", "summarize", "-"]), None);
        assert_eq!(waits(&["stackgazer", "completions", "bash"]), None);
    }

    #[test]
    fn every_command_that_reads_has_examples() {
        for command in program().get_subcommands_mut() {
            let name = command.get_name().to_owned();
            let help = command.render_long_help().to_string();
            assert!(help.contains("Examples:\n  stackgazer "), "{name}");
        }
    }
}
