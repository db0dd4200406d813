//! `stackgazer capture`

use super::destination::Destination;
use super::exit::Exit;
use crate::error::Result;
use crate::live::{self, Counts};
use crate::output::escape::{Escape, Style};
use crate::output::numbers::{counted, thousands};
use clap::Args;
use std::io::{IsTerminal, Write};
use std::path::PathBuf;

/// Arguments of `capture`.
#[derive(Args, Debug)]
#[command(after_long_help = "\
Examples:
  stackgazer capture 1234 --to dump.txt
  stackgazer capture 1234 --stats | grep -c '^goroutine'
  stackgazer summarize pid:1234
  stackgazer export pid:1234 -o pprof --to goroutines.pb.gz")]
pub struct CaptureArgs {
    /// The number of the process; every command that reads inputs takes it as pid:N
    #[arg(value_name = "PID")]
    pid: u32,

    /// Say on stderr how many goroutines are known how well
    #[arg(long, help_heading = "Output")]
    stats: bool,

    /// Write to this file instead of stdout (-); a file is whole or as it was
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    to: Option<PathBuf>,
}

/// Runs `capture`.
pub(super) fn run(args: &CaptureArgs) -> Result<Exit> {
    let to = Destination::of(args.to.as_deref())?;
    to.check()?;
    let capture = live::capture(args.pid, &format!("pid:{}", args.pid))?;
    let on_terminal = to == Destination::Stdout && std::io::stdout().is_terminal();
    to.write(|out| match on_terminal {
        true => {
            let mut out = Escape::new(out, Style::Text);
            out.write_all(&capture.text)?;
            out.flush()
        }
        false => out.write_all(&capture.text),
    })?;
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
