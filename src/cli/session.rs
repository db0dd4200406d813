//! From what was typed to what it means: every command that reads inputs starts here.

use super::args::{Common, OutputArgs};
use super::exit::Exit;
use crate::error::{Error, ErrorKind, Result};
use crate::filter::{Filter, Selection};
use crate::load::{self, LoadOptions, Loaded};
use crate::profile::{InputFormat, Keep, Profile};
use crate::rules::{Names, RuleSet};
use crate::source::SourceOptions;
use std::io::{IsTerminal, Write};

/// Everything a command needs to make its view: the profile, its names, what is selected.
#[derive(Debug)]
pub(super) struct Session {
    /// Everything that was read.
    pub(super) profile: Profile,
    /// What rules made of it.
    pub(super) names: Names,
    /// Which goroutines were asked for.
    pub(super) selection: Selection,
    /// Whether any selecting flag was given.
    pub(super) selecting: bool,
    /// What could not be read.
    pub(super) errors: Vec<Error>,
    /// Members that nothing is known of.
    pub(super) skipped: u64,
    strict: bool,
}

impl Session {
    /// Compiles the user's text first, then reads the inputs, keeping at least these columns.
    pub(super) fn start(common: &Common, keep: Keep) -> Result<Session> {
        let filter = Filter::compile(&common.select.select())?;
        let rules = RuleSet::default();
        let options = load_options(common, keep, &filter)?;
        let Loaded { profile, errors, skipped } = load::load(&common.input.inputs, &options)?;
        let names = rules.apply(&profile);
        let selection = filter.select(&profile, &names);
        let selecting = !filter.is_empty();
        let strict = common.input.strict;
        Ok(Session { profile, names, selection, selecting, errors, skipped, strict })
    }

    /// Says on stderr what could not be read and what was lost, and gives the exit code.
    pub(super) fn report(&self) -> Exit {
        let mut exit = Exit::Done;
        for error in &self.errors {
            super::say(error);
            exit = Exit::Trouble;
        }
        for input in &self.profile.inputs {
            for warning in &input.warnings {
                let line = warning.line.map_or(String::new(), |line| format!(" (line {line})"));
                let more = match warning.more {
                    0 => String::new(),
                    more => format!("; {more} more like it"),
                };
                super::say(format_args!("{}: warning: {}{line}{more}", input.path, warning.text));
                if self.strict && warning.kind.means_loss() {
                    exit = Exit::Trouble;
                }
            }
        }
        exit
    }
}

fn load_options(common: &Common, keep: Keep, filter: &Filter) -> Result<LoadOptions> {
    let input = &common.input;
    let line_prefix = match &input.line_prefix {
        None => None,
        Some(pattern) => Some(
            regex::bytes::RegexBuilder::new(&format!("^(?:{pattern})"))
                .size_limit(crate::limits::LIMITS.regex_bytes)
                .build()
                .map_err(|error| Error::usage("--line-prefix", pattern, 1, error.to_string()))?,
        ),
    };
    let format = match input.input_format.as_deref() {
        None => None,
        Some(name) => Some(InputFormat::from_name(name).ok_or_else(|| {
            let known: Vec<&str> = InputFormat::ALL.iter().map(|format| format.name()).collect();
            Error::new(ErrorKind::Usage, "--input-format", format!("unknown format {name:?}"))
                .advise(format!("use one of {}", known.join(", ")))
        })?),
    };
    let goroutines = keep.goroutines || filter.needs_goroutines();
    Ok(LoadOptions {
        source: SourceOptions {
            members: input.members.clone(),
            member_patterns: Vec::new(),
            input_names: input.input_names.clone(),
            path_labels: input.path_labels.clone(),
            max_bytes: None,
        },
        format,
        line_prefix,
        keep: Keep { goroutines, receivers: keep.receivers },
        threads: input.threads.unwrap_or_else(default_threads),
    })
}

fn default_threads() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Whether stdout is a terminal and nothing sends the output elsewhere.
pub(super) fn to_terminal(output: &OutputArgs) -> bool {
    output.to.is_none() && std::io::stdout().is_terminal()
}

/// Runs `write` on stdout.
pub(super) fn emit_stdout(write: impl FnOnce(&mut dyn Write) -> std::io::Result<()>) -> Result<()> {
    let mut out = std::io::BufWriter::with_capacity(1 << 16, std::io::stdout().lock());
    match write(&mut out).and_then(|()| out.flush()) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
            Err(Error::io("stdout", &error))
        }
        // A reader that closed the pipe has seen enough.
        _ => Ok(()),
    }
}

/// Runs `write` on stdout, or on a temporary file that becomes `--to` when all went well.
pub(super) fn emit(
    output: &OutputArgs,
    write: impl FnOnce(&mut dyn Write) -> std::io::Result<()>,
) -> Result<()> {
    match &output.to {
        None => emit_stdout(write),
        Some(path) => {
            let shown = path.display().to_string();
            let fail = |error: &std::io::Error| Error::io(shown.clone(), error);
            let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
            let mut file =
                tempfile::NamedTempFile::new_in(folder.unwrap_or(std::path::Path::new(".")))
                    .map_err(|error| fail(&error))?;
            {
                let mut out = std::io::BufWriter::new(&mut file);
                write(&mut out).and_then(|()| out.flush()).map_err(|error| fail(&error))?;
            }
            file.persist(path).map_err(|error| fail(&error.error))?;
            Ok(())
        }
    }
}
