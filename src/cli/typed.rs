//! The arguments before clap sees them: which command is meant if none is named.

use super::command::{COMMANDS, Command, program, program_with};
use super::secrets::without_secrets;
use crate::error::{Error, Result};
use crate::output::terminal;
use crate::source::{is_process, is_url};
use clap::ArgMatches;
use clap::builder::StyledStr;
use clap::error::{ContextKind, ContextValue};
use std::ffi::{OsStr, OsString};
use std::path::Path;

/// The command that is meant if none is named.
const DEFAULT: &str = "summarize";
/// Arguments that aren't the name of a command and still say what to do.
const PROGRAM: [&str; 5] = ["help", "-h", "--help", "-V", "--version"];

/// Adds the command that is meant: `stackgazer FILE` is `stackgazer summarize FILE`.
///
/// A file with the name of a command is read if it is written as a path, `./check`.
///
/// # Errors
///
/// If the first argument is neither a command nor anything that could be read.
pub(super) fn with_command(
    mut arguments: Vec<OsString>,
    stdin_is_terminal: bool,
) -> Result<Vec<OsString>> {
    let meant = match arguments.get(1) {
        // A pipe has something to read; on a terminal the only thing to do is to help.
        None => !stdin_is_terminal,
        Some(first) => !is_command(first) && reads(first)?,
    };
    if meant {
        arguments.insert(1.min(arguments.len()), DEFAULT.into());
    }
    Ok(arguments)
}

fn is_command(first: &OsStr) -> bool {
    let Some(first) = first.to_str() else { return false };
    PROGRAM.contains(&first) || Command::find(first).is_some()
}

/// Whether an argument that isn't a command is an input: an option, a path, an address.
fn reads(first: &OsStr) -> Result<bool> {
    let text = first.to_string_lossy();
    let is_input = text.starts_with('-')
        || text.contains(['/', '\\', '.'])
        || is_url(&text)
        || is_process(&text)
        || Path::new(first).exists();
    if is_input {
        return Ok(true);
    }
    let known = COMMANDS.map(|command| command.name);
    let error = Error::misuse(&*text, "is neither a command nor a file");
    Err(error.advise_one_of(&text, known))
}

/// Parses the arguments. clap first gets only the command that was typed; if that fails it gets all of
/// them, as its message may need them.
pub(super) fn parse(arguments: &[OsString]) -> clap::error::Result<ArgMatches> {
    let name = arguments.get(1).and_then(|name| name.to_str());
    name.and_then(Command::find)
        .and_then(|command| {
            program_with(std::slice::from_ref(command)).try_get_matches_from(arguments).ok()
        })
        .map_or_else(|| program().try_get_matches_from(arguments), Ok)
        .map_err(|error| if error.use_stderr() { escaped(error) } else { error })
}

/// The error with the arguments that it quotes made safe to print, and without secrets: an unpacked archive may
/// hold a file whose name is an option with control characters, and `*` in a shell makes it an argument.
fn escaped(mut error: clap::Error) -> clap::Error {
    let one = |text: &str| without_secrets(terminal::escape(text).into_owned());
    let styled = |text: &StyledStr| StyledStr::from(one(&text.to_string()));
    let context: Vec<(ContextKind, ContextValue)> =
        error.context().map(|(kind, value)| (kind, value.clone())).collect();
    for (kind, value) in context {
        let value = match value {
            ContextValue::String(text) => ContextValue::String(one(&text)),
            ContextValue::Strings(texts) => {
                ContextValue::Strings(texts.iter().map(|text| one(text)).collect())
            }
            ContextValue::StyledStrs(texts) => {
                ContextValue::StyledStrs(texts.iter().map(styled).collect())
            }
            // Usage is not made of arguments; the others are no texts.
            other => other,
        };
        error.insert(kind, value);
    }
    error
}

#[cfg(test)]
mod tests {
    use super::*;

    fn meant(typed: &[&str], terminal: bool) -> Vec<String> {
        let typed = typed.iter().map(OsString::from);
        let all = std::iter::once("stackgazer".into()).chain(typed).collect();
        let all = with_command(all, terminal).unwrap();
        all.iter().skip(1).map(|one| one.to_string_lossy().into_owned()).collect()
    }

    #[test]
    fn what_is_read_is_summarized() {
        assert_eq!(meant(&["dump.txt", "-n", "3"], true), ["summarize", "dump.txt", "-n", "3"]);
        assert_eq!(meant(&["--strict", "x"], true), ["summarize", "--strict", "x"]);
        assert_eq!(meant(&["-"], true), ["summarize", "-"]);
        assert_eq!(meant(&["./check"], true), ["summarize", "./check"]);
        assert_eq!(meant(&["src"], true), ["summarize", "src"], "a folder that is there");
        assert_eq!(meant(&[], false), ["summarize"]);
    }

    #[test]
    fn commands_and_help_are_left_alone() {
        for first in ["check", "help", "-h", "--help", "-V", "--version"] {
            assert_eq!(meant(&[first], true), [first]);
        }
        assert!(meant(&[], true).is_empty());
    }

    #[test]
    fn a_slip_is_recognised() {
        let typed = |first: &str| {
            let all = vec!["stackgazer".into(), first.into()];
            with_command(all, true).unwrap_err().to_string()
        };
        assert_eq!(
            typed("sumarize"),
            "sumarize: is neither a command nor a file; did you mean summarize?"
        );
        assert!(typed("frobnicate").contains("use one of summarize, filter"));
    }
}
