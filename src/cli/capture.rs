//! `stackgazer capture`

use super::annotate;
use super::apart::{Reads, check_apart, file_of};
use super::destination::Destination;
use super::emit::emit_to;
use super::exit::Exit;
use super::export::{self, ExportArgs};
use super::native::{self, NativeArgs, Process};
use super::watch;
use crate::error::{Error, ErrorKind, Result};
use crate::live::{
    self, Capture, CaptureCounts, CaptureMode, CaptureOptions, Captured, CorePrograms, Wanted,
};
use crate::output::Output;
use crate::output::escape::Style;
use crate::output::numbers::{counted, thousands};
use crate::read_at::ReadAt;
use crate::source::Extent;
use clap::{Args, ValueEnum};
use std::path::{Path, PathBuf};

/// Arguments of `capture`.
#[derive(Args, Debug)]
#[command(after_long_help = "\
Examples:
  stackgazer capture 1234 --to dump.txt
  stackgazer capture 1234 --stats | grep -c '^goroutine'
  stackgazer capture 1234 --native
  stackgazer capture 1234/DR --native -o folded
  stackgazer capture 1234 --annotate 17
  stackgazer capture 1234 --watch 60 --every 10s --to dumps
  stackgazer summarize pid:1234
  stackgazer export pid:1234 -o pprof --to goroutines.pb.gz")]
pub(super) struct CaptureArgs {
    /// Number of the process
    ///
    /// Every command that reads inputs takes it as pid:N.
    #[arg(value_name = "PID", required_unless_present = "core", conflicts_with = "core")]
    process: Option<Process>,

    /// Read this core file instead
    ///
    /// It is an input of every other command, too.
    #[arg(long, value_name = "FILE", help_heading = "Input")]
    core: Option<PathBuf>,

    /// The program that wrote the core file
    ///
    /// If it isn't where the core says.
    #[arg(long = "binary", value_name = "FILE", requires = "core", help_heading = "Input")]
    binaries: Vec<PathBuf>,

    /// Use --binary even if it isn't the one that wrote the core file
    #[arg(long, requires = "binaries", hide_short_help = true, help_heading = "Input")]
    force_binary: bool,

    /// What of the process is stopped while it is read
    #[arg(long, value_enum, default_value = "lite", conflicts_with_all = ["core", "native"], help_heading = "Input")]
    mode: Mode,

    /// Read a version of Go that isn't known as if it were the newest one that is
    #[arg(
        long,
        conflicts_with_all = ["core", "native"],
        hide_short_help = true,
        help_heading = "Input"
    )]
    force: bool,

    /// Only the goroutine of this number
    #[arg(long, value_name = "ID", conflicts_with = "form",
          value_parser = clap::value_parser!(u64).range(1..), help_heading = "Output")]
    goroutine: Option<u64>,

    /// Each word of one goroutine's stack, explained
    ///
    /// Return addresses, saved frame pointers, arguments, and what the garbage collector
    /// follows, by the tables that every Go program has, and names of variables, by DWARF; on amd64.
    #[arg(long, value_name = "ID", group = "form",
          value_parser = clap::value_parser!(u64).range(1..), help_heading = "Output")]
    pub(super) annotate: Option<u64>,

    /// Format: debug2, or any that export has
    ///
    /// Of --native: text, json, folded or flamegraph; of --annotate: table or json.
    #[arg(short = 'o', long = "output", value_name = "FORMAT", help_heading = "Output")]
    pub(super) format: Option<String>,

    #[command(flatten)]
    pub(super) native: NativeArgs,

    /// Show how well goroutines are known, and pauses
    ///
    /// On stderr: how many goroutines are known how well, and for how long threads were stopped.
    #[arg(long, help_heading = "Output")]
    pub(super) stats: bool,

    /// Capture this many times, into the folder of --to
    ///
    /// Each into a file of its own, named by its time.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..),
          requires = "to", conflicts_with_all = ["core", "form", "format", "stats"], help_heading = "Output")]
    watch: Option<u32>,

    /// The time from one capture to the next: 10s, 5m, 1h [default: 10s]
    #[arg(
        long,
        value_name = "TIME",
        requires = "watch",
        hide_short_help = true,
        help_heading = "Output"
    )]
    pub(super) every: Option<String>,

    /// Write to this file instead of stdout
    ///
    /// `-` is stdout. The file is written whole or not at all.
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    to: Option<PathBuf>,
}

/// What is stopped of a process.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum Mode {
    /// The threads that run goroutines, for a fraction of a millisecond
    Lite,
    /// All threads, while all is copied: goroutines as they are at one moment
    Full,
    /// Nothing: goroutines that run have no stack
    None,
}

impl CaptureArgs {
    /// How a process is captured.
    pub(super) fn options(&self) -> CaptureOptions {
        CaptureOptions {
            mode: match self.mode {
                Mode::Lite => CaptureMode::Lite,
                Mode::Full => CaptureMode::Full,
                Mode::None => CaptureMode::None,
            },
            stop_timeout: self.native.stop_timeout(),
            force: self.force,
            wanted: match (self.goroutine, self.annotate) {
                (Some(id), _) => Wanted::One(id),
                (None, Some(id)) => Wanted::Words(id),
                (None, None) => Wanted::All,
            },
        }
    }
}

impl CaptureArgs {
    /// The format of goroutines, unless it is that of tracebacks.
    fn exported(&self) -> Option<&str> {
        let is_other = self.annotate.is_some() || self.native.native;
        self.format.as_deref().filter(|format| !is_other && *format != Output::Debug2.name())
    }
}

/// Runs `capture`.
pub(super) fn run(args: &CaptureArgs) -> Result<Exit> {
    if let (Some(count), Some(process)) = (args.watch, &args.process) {
        return watch::run(args, process.whole()?, count, args.to.as_deref());
    }
    if let Some(format) = args.exported() {
        return export(args, format);
    }
    let to = Destination::of(args.to.as_deref())?;
    to.check()?;
    let inputs: Vec<_> = args.core.iter().map(Into::into).collect();
    let mut reads = Reads::inputs(&inputs);
    args.binaries.iter().for_each(|path| reads.add_file(file_of("--binary"), path));
    // Symbols are read from programs and libraries of the process, too: no output replaces one.
    check_apart(&[("--to", &to)], &reads)?;
    if args.annotate.is_some() {
        // An unknown format is reported before anything is read.
        annotate::format(args)?;
    }
    let capture = match (&args.process, &args.core) {
        (Some(process), _) if args.native.native => return native::run(args, process, &to),
        (Some(process), _) => {
            live::capture(process.whole()?, &args.options(), &format!("pid:{}", process.pid))?
        }
        (None, Some(core)) => from_core(args, core)?,
        (None, None) => return Err(no_process()),
    };
    match &capture.words {
        Some(words) => annotate::show(args, &capture, words, &to)?,
        None => emit_to(&to, Style::Text, &mut |out| out.write_all(&capture.text))?,
    }
    let CaptureCounts { exact, drifted, broken, unstable, unread, unlabelled: _ } =
        capture.captured.counts;
    let Captured { losses, notes, .. } = &capture.captured;
    for note in losses.iter().chain(notes) {
        super::say(format_args!("note: {note}"));
    }
    if args.stats {
        let [exact, drifted, broken, unstable, unread] =
            [exact, drifted, broken, unstable, unread].map(i128::from);
        let all = exact + drifted + broken + unstable + unread;
        super::say(format_args!(
            "{}: {} exact, {} a moment later, {} in part, {} without a stack, {} unread",
            counted(all, "goroutine"),
            thousands(exact),
            thousands(drifted),
            thousands(broken),
            thousands(unstable),
            thousands(unread),
        ));
        if let (threads @ 1.., time) = capture.stopped {
            super::say(format_args!(
                "{} stood still for {} us",
                counted(threads as i128, "thread"),
                thousands(time.as_micros() as i128),
            ));
        }
    }
    Ok(Exit::Done)
}

/// Reads the process like any input, and writes it in a format that has more than text.
fn export(args: &CaptureArgs, format: &str) -> Result<Exit> {
    if args.stats {
        let what = format!("isn't told beside {format}");
        return Err(Error::misuse("--stats", what)
            .advise("json tells of each goroutine how well it is known"));
    }
    let input = match (&args.process, &args.core) {
        (Some(process), _) => format!("pid:{}", process.whole()?).into(),
        (None, Some(core)) => core.clone().into_os_string(),
        (None, None) => return Err(no_process()),
    };
    let mut export = ExportArgs::of(input, format, args.to.as_deref());
    let options = &mut export.common.input;
    options.capture = args.options();
    options.binaries.clone_from(&args.binaries);
    options.force_binary = args.force_binary;
    export::run(&export)
}

fn no_process() -> Error {
    Error::misuse("PID", "is missing")
}

fn from_core(args: &CaptureArgs, path: &Path) -> Result<Capture> {
    let input = path.display().to_string();
    let core = Extent::open(path).map_err(|error| Error::io(input.as_str(), &error))?;
    let start = core.bytes_at(0, 64).map_err(|error| Error::io(input.as_str(), &error))?;
    if !live::is_core(&start) {
        return Err(Error::new(ErrorKind::Unknown, input, "isn't a core file"));
    }
    let programs = CorePrograms { given: args.binaries.clone(), force: args.force_binary };
    live::capture_core(&core, &programs, args.options().wanted, &input)
}
