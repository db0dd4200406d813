//! `stackgazer man`

use super::command::program;
use super::destination::Destination;
use super::exit::Exit;
use crate::error::{Error, Result};
use bstr::ByteSlice;
use clap::{Args, Command};
use clap_mangen::Man;
use std::io;
use std::path::PathBuf;

/// Arguments of `man`.
#[derive(Args, Debug)]
#[command(after_long_help = "\
Examples:
  stackgazer man | man -l -
  stackgazer man --dir ~/.local/share/man/man1")]
pub(super) struct ManArgs {
    /// Write all pages into this folder
    ///
    /// One for the program, and one for each command. The folder is made if it isn't there.
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
        Destination::Stdout.write(&mut |out| out.write_all(&page))?;
        return Ok(Exit::Done);
    };
    std::fs::create_dir_all(folder).map_err(fail(&folder.display().to_string()))?;
    for (name, page) in pages().map_err(fail("man"))? {
        let path = folder.join(name);
        std::fs::write(&path, page).map_err(fail(&path.display().to_string()))?;
    }
    Ok(Exit::Done)
}

/// The page of the program.
fn overview() -> io::Result<Vec<u8>> {
    page(program())
}

/// Every page with its file name: `stackgazer.1`, `stackgazer-filter.1`, ...
fn pages() -> io::Result<Vec<(String, Vec<u8>)>> {
    let mut program = program();
    // What all commands share, as `-h`, and their full names are only in the built commands.
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
    // Pages have no date, so the same program always makes the same ones.
    let source = concat!("stackgazer ", env!("CARGO_PKG_VERSION"));
    let reads = command.get_positionals().any(|argument| argument.get_id() == "inputs");
    let is_program = command.get_name() == "stackgazer";
    Man::new(command).source(source).manual("stackgazer").render(&mut page)?;
    // clap calls the text after the options EXTRA; here it is examples, then formats.
    let page = page.replace(".SH EXTRA\nExamples:\n", ".SH EXAMPLES\n");
    let mut page = page.replace("\nFormats of \\-\\-output:\n", ".SH FORMATS\n");
    let mut more = EXIT_STATUS.to_owned();
    if reads || is_program {
        more += ENVIRONMENT;
        more += FILES;
    }
    if is_program {
        more += EXAMPLES;
    }
    let ends = [".SH EXAMPLES\n", ".SH VERSION\n"].into_iter().filter_map(|end| page.find(end));
    let at = ends.min().unwrap_or(page.len());
    page.splice(at..at, more.bytes());
    Ok(page)
}

const EXIT_STATUS: &str = "\
.SH \"EXIT STATUS\"
.TP
0
done; \\fBcheck\\fR and \\fBdiff \\-\\-fail\\-on\\fR found nothing that counts
.TP
1
\\fBcheck\\fR or \\fBdiff \\-\\-fail\\-on\\fR found something that counts
.TP
2
wrong usage, or an input that could not be read whole; what could be read is still shown. With
\\fB\\-\\-strict\\fR, and in \\fBcheck\\fR, also a dump that is cut or from which something was lost
";

const ENVIRONMENT: &str = "\
.SH ENVIRONMENT
.TP
\\fBSTACKGAZER_CONFIG\\fR
a settings file, in the place of those of the project and the user
.TP
\\fBNO_COLOR\\fR, \\fBCLICOLOR_FORCE\\fR, \\fBTERM=dumb\\fR
no colours, colours in a pipe too, no colours; \\fB\\-\\-color\\fR decides over them
.TP
\\fBXDG_CONFIG_HOME\\fR
where settings of users are, instead of \\fI~/.config\\fR
.TP
\\fBHTTP_PROXY\\fR, \\fBHTTPS_PROXY\\fR, \\fBALL_PROXY\\fR, \\fBNO_PROXY\\fR
the way to inputs that are addresses, but for those of this machine
.TP
\\fBGITHUB_WORKSPACE\\fR, \\fBCI_PROJECT_DIR\\fR
the repository that the reports of \\fBcheck\\fR are about; else that around the current folder
";

const FILES: &str = "\
.SH FILES
.TP
\\fIstackgazer.toml\\fR, \\fI.stackgazer.toml\\fR
settings of the project: in the current folder, or the nearest one above it in its repository
.TP
\\fI$XDG_CONFIG_HOME/stackgazer/config.toml\\fR, \\fI~/.config/stackgazer/config.toml\\fR
settings of the user; \\fI%APPDATA%\\\\stackgazer\\\\config.toml\\fR on Windows
.PP
\\fBstackgazer config show\\fR tells which are in force, \\fB\\-\\-no\\-config\\fR leaves them out.
";

const EXAMPLES: &str = "\
.SH EXAMPLES
.nf
  stackgazer dump.txt
  kubectl logs POD | stackgazer
  stackgazer localhost:6060/debug/pprof/goroutine?debug=2
  stackgazer filter debug.zip \\-\\-state 'sync.Mutex.Lock' \\-\\-wait 5+
  stackgazer diff before.txt after.txt
  stackgazer check \\-\\-at\\-end goroutines/
  stackgazer export cpu.pb.gz \\-o flamegraph \\-\\-to flames.svg
.fi
";

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
    fn pages_tell_codes_and_those_of_commands_that_read_files_and_environment() {
        let pages = pages().unwrap();
        let mut reading = 0;
        for (name, page) in &pages {
            let text = String::from_utf8_lossy(page);
            let has = |section: &str| text.contains(&format!("\n.SH {section}\n"));
            assert!(has("\"EXIT STATUS\""), "{name}");
            let reads = text.contains("[\\fIINPUT\\fR]") || name == "stackgazer.1";
            assert_eq!(has("FILES") && has("ENVIRONMENT") && has("EXAMPLES"), reads, "{name}");
            reading += usize::from(reads);
        }
        assert_eq!(reading, 9);
    }

    #[test]
    fn every_command_has_a_page() {
        let names: Vec<String> = pages().unwrap().into_iter().map(|(name, _)| name).collect();
        for command in program().get_subcommands() {
            assert!(names.contains(&format!("stackgazer-{}.1", command.get_name())));
        }
    }
}
