//! `stackgazer capture`

use super::destination::Destination;
use super::emit::emit_to;
use super::exit::Exit;
use super::native::{self, NativeArgs, Process};
use crate::error::{Error, ErrorKind, Result};
use crate::live::{self, Counts};
use crate::output::escape::Style;
use crate::output::numbers::{counted, thousands};
use clap::Args;
use std::path::PathBuf;

/// Arguments of `capture`.
#[derive(Args, Debug)]
#[command(after_long_help = "\
Examples:
  stackgazer capture 1234 --to dump.txt
  stackgazer capture 1234 --stats | grep -c '^goroutine'
  stackgazer capture 1234 --native
  stackgazer capture 1234/DR --native -o folded
  stackgazer summarize pid:1234
  stackgazer export pid:1234 -o pprof --to goroutines.pb.gz")]
pub struct CaptureArgs {
    /// The number of the process; every command that reads inputs takes it as pid:N
    #[arg(value_name = "PID")]
    process: Process,

    #[command(flatten)]
    pub(super) native: NativeArgs,

    /// Say on stderr how many goroutines are known how well, and how long threads were stopped
    #[arg(long, help_heading = "Output")]
    pub(super) stats: bool,

    /// Write to this file instead of stdout (-); a file is whole or as it was
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    to: Option<PathBuf>,
}

/// Runs `capture`.
pub(super) fn run(args: &CaptureArgs) -> Result<Exit> {
    let to = Destination::of(args.to.as_deref())?;
    to.check()?;
    let pid = args.process.pid;
    if args.native.native {
        return native::run(args, &args.process, &to);
    }
    if !args.process.threads.is_empty() || !args.process.states.is_empty() {
        let what = "threads are chosen for --native alone";
        return Err(Error::new(ErrorKind::Usage, "PID/TID", what));
    }
    let capture = live::capture(pid, &format!("pid:{pid}"))?;
    emit_to(&to, Style::Text, |out| out.write_all(&capture.text))?;
    let Counts { exact, drifted, unstable } = capture.counts;
    if args.stats {
        let all = exact.saturating_add(drifted).saturating_add(unstable);
        super::say(format_args!(
            "{}: {} exact, {} a moment later, {} without a stack",
            counted(all.into(), "goroutine"),
            thousands(exact.into()),
            thousands(drifted.into()),
            thousands(unstable.into()),
        ));
    } else if unstable > 0 {
        let what = counted(unstable.into(), "goroutine");
        super::say(format_args!("note: {what} without a stack: running all the while"));
    }
    Ok(Exit::Done)
}
