//! `stackgazer completions`

mod offer;

use super::command::program;
use super::destination::Destination;
use super::exit::Exit;
use super::values::Values;
use crate::error::Result;
use clap::builder::PossibleValuesParser;
use clap::{Args, Command};
use clap_complete::Shell;

/// Arguments of `completions`.
#[derive(Args, Debug)]
#[command(after_long_help = "\
Examples:
  stackgazer completions bash > /etc/bash_completion.d/stackgazer
  stackgazer completions zsh > ~/.zfunc/_stackgazer
  stackgazer completions fish > ~/.config/fish/completions/stackgazer.fish
  stackgazer completions powershell >> $PROFILE")]
pub(super) struct CompletionsArgs {
    /// The shell
    #[arg(value_name = "SHELL")]
    shell: Shell,
}

/// Runs `completions`.
pub(super) fn run(args: &CompletionsArgs) -> Result<Exit> {
    let script = script(args.shell);
    Destination::Stdout.write(&mut |out| out.write_all(script.as_bytes()))?;
    Ok(Exit::Done)
}

/// The completion script of a shell: the one that clap writes, which has the options, with the values
/// that this program knows put in.
///
/// clap can offer values as well, but neither lists of them nor, in bash, any with blanks in them, and
/// it would refuse others when the program runs, with a message that names no input.
fn script(shell: Shell) -> String {
    let mut program = program();
    let mut values = Vec::new();
    let names: Vec<String> =
        program.get_subcommands().map(|command| command.get_name().to_owned()).collect();
    for name in names {
        program = program.mut_subcommand(name, |command| with_marks(command, &mut values));
    }
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut program, "stackgazer", &mut script);
    let script = String::from_utf8_lossy(&script).into_owned();
    match shell {
        Shell::Bash => offer::bash(script, &values),
        Shell::Zsh => offer::zsh(script, &values),
        Shell::Fish => offer::fish(script, &program, &values),
        Shell::PowerShell => offer::powershell(script, &program, &values),
        _ => script,
    }
}

/// The placeholder in a script for the values of this number.
fn mark(number: usize) -> String {
    format!("@@{number}@@")
}

/// The command with a placeholder for the values of each option that has any.
fn with_marks(command: Command, values: &mut Vec<Values>) -> Command {
    let known = command.clone();
    command.mut_args(|argument| {
        let found = argument.get_long().and_then(|option| Values::of(&known, option));
        let Some(found) = found else { return argument };
        let at = values.iter().position(|one| *one == found).unwrap_or_else(|| {
            values.push(found);
            values.len() - 1
        });
        // clap wants names that live as long as the program, which writes this script and ends.
        argument.value_parser(PossibleValuesParser::new([&*mark(at).leak()]))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::generated::assert_fresh;
    use clap::ValueEnum;
    use clap_complete::Generator;

    #[test]
    fn committed_completions_are_those_of_the_program() {
        for shell in Shell::value_variants() {
            let path = format!("completions/{}", shell.file_name("stackgazer"));
            assert_fresh(&path, script(*shell).as_bytes());
        }
    }

    #[test]
    fn no_mark_is_left() {
        for shell in Shell::value_variants() {
            assert!(!script(*shell).contains("@@"), "{shell}");
        }
    }
}
