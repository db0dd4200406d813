//! `stackgazer man`

use super::args::Cli;
use super::destination::Destination;
use super::exit::Exit;
use crate::error::{Error, Result};
use bstr::ByteSlice;
use clap::{Args, Command, CommandFactory};
use clap_mangen::Man;
use std::io;
use std::path::PathBuf;

/// Arguments of `man`.
#[derive(Args, Debug)]
#[command(after_long_help = "\
Examples:
  stackgazer man | man -l -
  stackgazer man --dir ~/.local/share/man/man1")]
pub struct ManArgs {
    /// Write a page for the program and one for each command into this folder
    #[arg(long, value_name = "FOLDER")]
    dir: Option<PathBuf>,
}

/// Runs `man`.
pub(super) fn run(args: &ManArgs) -> Result<Exit> {
    let fail = |place: &str| {
        let place = place.to_owned();
        move |error: io::Error| Error::io(place, &error)
    };
    let Some(folder) = &args.dir else {
        let page = overview().map_err(fail("stdout"))?;
        Destination::Stdout.write(|out| out.write_all(&page))?;
        return Ok(Exit::Done);
    };
    for (name, page) in pages().map_err(fail("man"))? {
        let path = folder.join(name);
        std::fs::write(&path, page).map_err(fail(&path.display().to_string()))?;
    }
    Ok(Exit::Done)
}

/// The page of the program.
fn overview() -> io::Result<Vec<u8>> {
    page(Cli::command())
}

/// Every page with its file name: `stackgazer.1`, `stackgazer-filter.1`, ...
fn pages() -> io::Result<Vec<(String, Vec<u8>)>> {
    let mut program = Cli::command();
    // What belongs to all commands, as `-h`, and full names are only known to the built commands.
    program.build();
    let mut pages = Vec::new();
    let mut left = vec![program];
    while let Some(command) = left.pop() {
        let own = command.get_subcommands().filter(|command| command.get_name() != "help");
        left.extend(own.cloned());
        let name = command.get_display_name().unwrap_or(command.get_name());
        pages.push((format!("{name}.1"), page(command)?));
    }
    pages.sort();
    Ok(pages)
}

fn page(command: Command) -> io::Result<Vec<u8>> {
    let mut page = Vec::new();
    // Pages carry no date, so that the same program always makes the same ones.
    let source = concat!("stackgazer ", env!("CARGO_PKG_VERSION"));
    Man::new(command).source(source).manual("stackgazer").render(&mut page)?;
    // What stands behind the options is called EXTRA; here it is examples.
    Ok(page.replace(".SH EXTRA\nExamples:\n", ".SH EXAMPLES\n"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::generated::assert_fresh;

    #[test]
    fn committed_pages_are_those_of_the_program() {
        for (name, page) in pages().unwrap() {
            assert_fresh(&format!("man/{name}"), &page);
        }
    }

    #[test]
    fn every_command_has_a_page() {
        let names: Vec<String> = pages().unwrap().into_iter().map(|(name, _)| name).collect();
        for command in Cli::command().get_subcommands() {
            assert!(names.contains(&format!("stackgazer-{}.1", command.get_name())));
        }
    }
}
