//! `stackgazer check`

mod answer;
mod settings;
mod watch;

use super::args::{Common, GateArgs, OutputArgs, PageArgs, PointArgs, WatchArgs};
use super::emit::emit;
use super::exit::Exit;
use super::points;
use crate::error::{Error, Result};
use crate::leak::{CHECKS, Check};
use crate::output::report::ReportFormat;
use crate::output::{Output, check as output};
use answer::Gate;
use clap::Args;
pub(super) use settings::gate;
use std::ffi::OsString;

const EXAMPLES: &str = "  stackgazer check dump.txt
  stackgazer check --at-end goroutines.txt
  stackgazer check t1.txt t2.txt t3.txt t4.txt t5.txt
  stackgazer check --require-leak-profile leaks.pb.gz
  stackgazer check --max-goroutines 5000 --max-growth 20% before.zip after.zip
  stackgazer check --at-end --write-baseline leaks.toml dump.txt
  stackgazer check --at-end --baseline leaks.toml dump.txt -o json
  stackgazer check --at-end dump.txt --report sarif=leaks.sarif --report github
  stackgazer check pid:1234 --watch 30 --every 10s
  stackgazer check --explain growth";

/// Arguments of `check`.
#[derive(Args, Debug)]
#[command(after_help = formats(), after_long_help = format!("Examples:\n{EXAMPLES}\n\n{}", formats()))]
pub(super) struct CheckArgs {
    /// Say what a check finds, and why
    ///
    /// All checks if none is named.
    #[arg(long, value_name = "CHECK", num_args = 0..=1, default_missing_value = "", help_heading = "Output")]
    explain: Option<String>,

    /// Also write sarif, junit, github, html, ...
    ///
    /// Even when the check fails; any number of them. One without a file goes to stdout, behind the
    /// table.
    #[arg(long = "report", value_name = "FORMAT[=FILE]", help_heading = "Output")]
    reports: Vec<OsString>,

    /// List what the built-in catalogue and allow-lists suppressed, each with the entry
    #[arg(long, help_heading = "Output")]
    explain_suppressed: bool,

    #[command(flatten)]
    gate: GateArgs,

    #[command(flatten)]
    points: PointArgs,

    #[command(flatten)]
    watch: WatchArgs,

    #[command(flatten)]
    page: PageArgs,

    #[command(flatten)]
    common: Common,
}

fn formats() -> String {
    format!("{}\n\n{}", Output::help(&output::OFFERED), ReportFormat::help())
}

/// Runs `check`.
pub(super) fn run(args: &CheckArgs) -> Result<Exit> {
    if let Some(name) = &args.explain {
        return explain(name, &args.common.output);
    }
    args.common.value.refuse_mean()?;
    let gate = Gate::of(args)?;
    if let Some(count) = args.watch.watch {
        return watch::run(args, &gate, count);
    }
    let (session, points) = points::start(&args.common, &args.points, gate.keep())?;
    gate.answer(session, &points)
}

fn explain(name: &str, args: &OutputArgs) -> Result<Exit> {
    let named: Vec<&Check> = match name {
        "" => CHECKS.iter().collect(),
        name => vec![Check::named(name).ok_or_else(|| {
            let names = CHECKS.map(|check| check.name);
            Error::misuse("--explain", format!("unknown check {name:?}")).advise_one_of(name, names)
        })?],
    };
    emit(args, Output::Text, &mut |out| output::explain(&named, out))?;
    Ok(Exit::Done)
}
