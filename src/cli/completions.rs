//! `stackgazer completions`

use super::args::Cli;
use super::destination::Destination;
use super::exit::Exit;
use crate::error::Result;
use clap::{Args, CommandFactory};
use clap_complete::Shell;

/// Arguments of `completions`.
#[derive(Args, Debug)]
#[command(after_long_help = "\
Examples:
  stackgazer completions bash > /etc/bash_completion.d/stackgazer
  stackgazer completions zsh > ~/.zfunc/_stackgazer
  stackgazer completions fish > ~/.config/fish/completions/stackgazer.fish")]
pub struct CompletionsArgs {
    /// The shell
    #[arg(value_name = "SHELL")]
    shell: Shell,
}

/// Runs `completions`.
pub(super) fn run(args: &CompletionsArgs) -> Result<Exit> {
    let script = script(args.shell);
    Destination::Stdout.write(|out| out.write_all(&script))?;
    Ok(Exit::Done)
}

/// The completions of a shell.
fn script(shell: Shell) -> Vec<u8> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "stackgazer", &mut script);
    script
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
            assert_fresh(&path, &script(*shell));
        }
    }
}
