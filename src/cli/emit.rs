//! Writes output: to stdout, or to a file that is whole or doesn't exist.

use super::apart::{Reads, check_apart};
use super::args::OutputArgs;
use super::destination::{Destination, Writing};
use super::folder::Folder;
use super::screen::screen;
use crate::error::Result;
use crate::output::Output;
use crate::output::escape::{Escape, Style};
use crate::output::report::NoCommands;
use crate::output::screenful::Screenful;
use crate::output::terminal::Screen;
use std::ffi::OsString;
use std::io::{self, IsTerminal, Write};

/// A terminal is treated as having at least this many lines: with fewer there would be no verdict.
const FEWEST_LINES: usize = 16;

/// Whether stdout is a terminal and nothing sends the output elsewhere.
pub(super) fn to_terminal(output: &OutputArgs) -> bool {
    let is_stdout = Destination::of(output.file()).is_ok_and(|to| to == Destination::Stdout);
    is_stdout && std::io::stdout().is_terminal()
}

/// Whether `--to` names stderr, a device or a descriptor: it may be a terminal.
pub(super) fn is_stream(output: &OutputArgs) -> bool {
    Destination::of(output.file())
        .is_ok_and(|to| matches!(to, Destination::Stderr | Destination::Stream(_)))
}

/// Fails if `--to` can't be written, or is one of the files that are read, before anything is read.
pub(super) fn check_writable(output: &OutputArgs, reads: &Reads<'_>) -> Result<()> {
    if let Some(folder) = Folder::of(output)? {
        return folder.check(reads);
    }
    let to = Destination::of(output.file())?;
    to.check()?;
    check_apart(&[("--to", &to)], reads)
}

/// Runs `write` on stdout, or on the file of `--to`. On a terminal, whatever could control it is
/// escaped, in every format; a pipe and a file get every byte as it is.
pub(super) fn emit(output: &OutputArgs, format: Output, write: Writing<'_>) -> Result<()> {
    let style = match format {
        Output::Json | Output::Ndjson | Output::Speedscope => Style::Json,
        Output::Table if screen(output).color => Style::Painted,
        _ => Style::Text,
    };
    emit_in(format, style, output, write)
}

fn emit_in(format: Output, style: Style, output: &OutputArgs, write: Writing<'_>) -> Result<()> {
    emit_format(&Destination::of(output.file())?, format, style, write)
}

/// Like [`emit_to`]; in formats that people read, no CI system finds commands.
pub(super) fn emit_format(
    to: &Destination,
    format: Output,
    style: Style,
    write: Writing<'_>,
) -> Result<()> {
    match format {
        Output::Table | Output::Text | Output::Markdown => emit_for_people(to, style, write),
        _ => emit_to(to, style, write),
    }
}

/// Like [`emit_to`], for text that people read: no CI system finds commands in it.
pub(super) fn emit_for_people(to: &Destination, style: Style, write: Writing<'_>) -> Result<()> {
    if matches!(to, Destination::File(_)) || !in_ci() {
        return emit_to(to, style, write);
    }
    emit_to(to, style, &mut |out| {
        let mut out = NoCommands::new(out);
        write(&mut out)?;
        out.flush()
    })
}

/// Whether a CI system reads what is printed that runs commands which it finds there.
pub(super) fn in_ci() -> bool {
    let is_set = |value: OsString| !value.is_empty() && value != "false";
    NoCommands::is_needed(|variable| std::env::var_os(variable).is_some_and(is_set))
}

/// Runs `write` on a destination; output to a terminal is escaped in this style.
pub(super) fn emit_to(to: &Destination, style: Style, write: Writing<'_>) -> Result<()> {
    to.write_shown(&mut |out, is_terminal| {
        if !is_terminal {
            return write(out);
        }
        let mut out = Escape::new(out, style);
        write(&mut out)?;
        out.flush()
    })
}

/// Like [`emit`], for results that people read: a terminal gets as much of a table or text as fits it,
/// unless `-n` is set.
pub(super) fn show(
    output: &OutputArgs,
    format: Output,
    write: &mut dyn FnMut(&Screen, &mut dyn Write) -> io::Result<()>,
) -> Result<()> {
    let screen = screen(output);
    let write = &mut |out: &mut dyn Write| write(&screen, out);
    if !matches!(format, Output::Table | Output::Text) {
        return emit(output, format, write);
    }
    let style = if screen.color { Style::Painted } else { Style::Text };
    let (None, Some(width), Some(height)) = (output.limit, screen.width, screen.height) else {
        return emit_in(format, style, output, write);
    };
    emit_in(format, style, output, &mut |out| {
        let mut out = Screenful::new(out, width, height.max(FEWEST_LINES));
        write(&mut out)?;
        out.finish()
    })
}
