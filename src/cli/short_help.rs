//! `-h`: the most important options, on one screen of 80 columns and 24 lines. `--help` shows all.

use super::command::{self, program};
use crate::output::table::wrap;
use clap::error::ErrorKind;
use clap::{Arg, Command};
use std::ffi::OsString;
use std::fmt::Write;
use unicode_width::UnicodeWidthStr;

/// The selecting options that every command that reads inputs shows.
const SELECTING: &[&str] = &["match", "state", "wait", "label", "where"];
/// The columns of a screen that nobody has made wider.
const WIDTH: usize = 80;

/// The short help of the program, or of one of its commands.
pub(super) fn of(program: &Command, name: Option<&str>) -> String {
    let mut program = program.clone();
    program.build();
    match name.and_then(|name| program.find_subcommand(name)) {
        Some(command) => of_command(command),
        None => of_program(&program),
    }
}

/// The short help, if `-h` requested it, or `--help` without a command; clap's error is then that help
/// was requested.
pub(super) fn asked_for(arguments: &[OsString], error: &clap::Error) -> Option<String> {
    if error.kind() != ErrorKind::DisplayHelp {
        return None;
    }
    let typed = arguments.iter().take_while(|argument| *argument != "--");
    let short = typed.clone().any(|argument| argument == "-h");
    let names: Vec<&str> = typed.skip(1).filter_map(|argument| argument.to_str()).collect();
    let program = program();
    let name = names.first().copied().filter(|name| program.find_subcommand(name).is_some());
    // For the program itself there is nothing to show but its commands.
    if !short && names != ["--help"] {
        return None;
    }
    let command = name.and_then(|name| program.find_subcommand(name));
    // clap's help for commands of commands is short enough.
    let is_nested = command.is_some_and(|one| one.get_subcommands().next().is_some());
    (!is_nested || names.len() <= 2).then(|| of(&program, name))
}

fn of_program(program: &Command) -> String {
    let about = program.get_about().map(ToString::to_string).unwrap_or_default();
    let mut text = format!(
        "stackgazer {}: {}\n\n\
         Usage: stackgazer [COMMAND] [INPUT]... [OPTIONS]\n\n  \
         stackgazer dump.txt                          the same as stackgazer summarize\n  \
         stackgazer localhost:6060/debug/pprof/goroutine?debug=2\n  \
         kubectl logs POD | stackgazer filter --state 'chan send' --wait 5+\n\n",
        program.get_version().unwrap_or_default(),
        about.trim_end_matches('.'),
    );
    let commands: Vec<&Command> =
        program.get_subcommands().filter(|command| command.get_name() != "help").collect();
    let rows = commands.iter().map(|command| {
        let about = command.get_about().map(ToString::to_string).unwrap_or_default();
        (command.get_name().to_owned(), about)
    });
    add_rows(&mut text, rows.collect());
    text += "\nCOMMAND -h tells the options needed most, COMMAND --help all, with examples.\n";
    text
}

fn of_command(command: &Command) -> String {
    let about = command.get_about().map(ToString::to_string).unwrap_or_default();
    let mut text = format!("{about}\n\n");
    let usage = command.clone().render_usage().to_string();
    writeln!(text, "{}\n", usage.replace("[OPTIONS] [INPUT]...", "[INPUT]... [OPTIONS]")).ok();
    let chief = command::Command::find(command.get_name()).map_or(&[][..], |found| found.chief);
    let find =
        |long: &&str| command.get_arguments().find(|argument| argument.get_long() == Some(*long));
    let mut rows: Vec<(String, String)> = Vec::new();
    match chief {
        [_, ..] => {
            rows.extend(chief.iter().filter_map(find).map(row));
            rows.extend(SELECTING.iter().filter_map(find).map(row));
        }
        [] => {
            let is_hidden =
                |argument: &Arg| argument.is_hide_set() || argument.is_hide_short_help_set();
            let all = command.get_arguments().filter(|argument| !is_hidden(argument));
            rows.extend(all.filter(|argument| argument.get_long() != Some("help")).map(row));
            let commands = command.get_subcommands().filter(|one| one.get_name() != "help");
            rows.extend(commands.map(|one| {
                let about = one.get_about().map(ToString::to_string).unwrap_or_default();
                (one.get_name().to_owned(), about)
            }));
        }
    }
    let output = rows.iter_mut().find(|(typed, _)| typed.contains("--output"));
    if let (Some((_, help)), Some(formats)) = (output, formats(command)) {
        *help = formats;
    }
    add_rows(&mut text, rows);
    writeln!(text, "\n{} --help shows all options, with examples.", full_name(command)).ok();
    text
}

/// The formats that a command writes, as its help lists them.
pub(super) fn formats(command: &Command) -> Option<String> {
    let help = command.get_after_help()?.to_string();
    let list = help.split_once("Formats of --output:\n")?.1;
    let names = list.lines().take_while(|line| !line.is_empty());
    Some(names.filter_map(|line| line.split_whitespace().next()).collect::<Vec<_>>().join(", "))
}

fn full_name(command: &Command) -> String {
    command.get_bin_name().unwrap_or(command.get_name()).to_owned()
}

/// An option as it is typed, and what it does.
fn row(argument: &Arg) -> (String, String) {
    let mut typed = match (argument.get_short(), argument.get_long()) {
        (Some(short), Some(long)) => format!("-{short}, --{long}"),
        (None, Some(long)) => format!("--{long}"),
        (Some(short), None) => format!("-{short}"),
        (None, None) => String::new(),
    };
    if argument.get_action().takes_values() || argument.is_positional() {
        let names = argument.get_value_names().unwrap_or_default();
        let names: Vec<&str> = names.iter().map(|name| name.as_str()).collect();
        typed = format!("{typed} {}", names.join(" ")).trim_start().to_owned();
    }
    let help = argument.get_help().map(ToString::to_string).unwrap_or_default();
    (typed, help.lines().next().unwrap_or_default().to_owned())
}

/// Adds rows of two columns.
fn add_rows(text: &mut String, rows: Vec<(String, String)>) {
    let left = rows.iter().map(|(typed, _)| typed.width()).max().unwrap_or(0);
    for (typed, help) in rows {
        let mut typed = typed.as_str();
        for line in wrap(&help, WIDTH - left - 4) {
            writeln!(text, "  {typed:<left$}  {line}").ok();
            typed = "";
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_short_help_fits_a_screen() {
        let program = program();
        let names = program.get_subcommands().map(|command| Some(command.get_name()));
        for name in names.chain([None]) {
            let text = of(&program, name);
            let widest = text.lines().map(UnicodeWidthStr::width).max();
            // The prompt needs a line as well.
            assert!(text.lines().count() <= 23, "{name:?} takes {} lines", text.lines().count());
            assert!(widest <= Some(WIDTH), "{name:?} is {widest:?} wide:\n{text}");
        }
    }

    /// The first paragraph of a doc comment is the short help: a whole sentence on one line.
    #[test]
    fn what_an_option_does_is_said_on_one_line() {
        let program = program();
        let names = program.get_subcommands().map(|command| command.get_name());
        for name in names.filter(|name| !["export", "filter"].contains(name)) {
            let text = of(&program, Some(name));
            let rows = text.lines().skip_while(|line| !line.starts_with("  "));
            let broken: Vec<&str> = rows.filter(|line| line.starts_with("     ")).collect();
            assert!(broken.is_empty(), "of {name}: {broken:#?}");
        }
    }

    #[test]
    fn every_chief_option_is_there() {
        let program = program();
        for command::Command { name, chief, .. } in
            command::COMMANDS.iter().filter(|one| !one.chief.is_empty())
        {
            let command = program.find_subcommand(name).expect(name);
            for option in chief.iter().chain(SELECTING) {
                let found = command.get_arguments().any(|one| one.get_long() == Some(option));
                assert!(found, "{name} --{option}");
            }
        }
    }
}
