//! `stackgazer capture --native`

use super::capture::CaptureArgs;
use super::destination::Destination;
use super::emit::emit_format;
use super::exit::Exit;
use super::session::{parse_bytes, say_notes};
use crate::error::suggest::first_notes;
use crate::error::{Error, Result};
use crate::limits::LIMITS;
use crate::live::native::{NativeFrame, NativeOptions, NativeStacks, Reader};
use crate::live::{self};
use crate::output::escape::Style;
use crate::output::flamegraph::Picture;
use crate::output::native::{OFFERED, Shown, json, text};
use crate::output::numbers::{counted, thousands};
use crate::output::{Output, folded};
use crate::profile::{Input, InputFormat, Keep, NewSample, Profile, ProfileBuilder, SampleSpec};
use crate::profile::{LabelsId, SampleId};
use crate::rules::RuleSet;
use crate::view::calls::Calls;
use crate::view::calls::flame::Flame;
use clap::{Args, ValueEnum};
use std::io::Write;
use std::str::FromStr;
use std::time::Duration;

/// Options of native stacks.
#[derive(Args, Debug)]
#[command(next_help_heading = "Threads")]
pub(super) struct NativeArgs {
    /// Native stacks of all threads, for any program
    ///
    /// Instead of goroutines: of programs in C, C++, Rust, Go. It stops the threads for a fraction
    /// of a millisecond.
    #[arg(long, conflicts_with = "core", group = "form")]
    pub(super) native: bool,

    /// Only these threads; PID/TID,... is short for it
    #[arg(long = "tid", value_name = "TID,...", value_delimiter = ',', requires = "native")]
    tids: Vec<u32>,

    /// Only threads in these states, as ps shows them
    ///
    /// As they are before they are stopped; PID/RS is short for it.
    #[arg(long, value_name = "RSD...", requires = "native")]
    thread_state: Option<String>,

    /// Show the state of each thread
    #[arg(long, requires = "native")]
    show_state: bool,

    /// Show the stack pointer of each thread
    #[arg(long, requires = "native", hide_short_help = true)]
    show_sp: bool,

    /// Copy at most this much of each stack
    ///
    /// In bytes or with K, M [default: 64K]
    #[arg(long, value_name = "SIZE", requires = "native")]
    max_stack: Option<String>,

    /// Read what is at a deleted library's path now
    ///
    /// For libraries that were deleted since they were loaded.
    #[arg(long, requires = "native")]
    ignore_deleted: bool,

    /// How long threads may be stopped, or take to stop
    ///
    /// In milliseconds; after that, all threads run on.
    #[arg(long, value_name = "MS", default_value_t = 1000)]
    stop_timeout: u64,

    /// How memory is read
    #[arg(
        long,
        value_name = "HOW",
        value_enum,
        default_value = "auto",
        requires = "native",
        hide_short_help = true
    )]
    reader: ReaderArg,
}

/// How memory is read.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(super) enum ReaderArg {
    /// As the system allows it.
    Auto,
    /// By process_vm_readv.
    Vm,
    /// From /proc/PID/mem.
    Procmem,
}

/// A process, and some of its threads.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Process {
    /// Its number.
    pub pid: u32,
    /// The thread ids after a slash.
    pub threads: Vec<u32>,
    /// The states after a slash.
    pub states: String,
}

impl Process {
    /// Its number; fails if threads were chosen, as goroutines can't be chosen by them.
    pub(super) fn whole(&self) -> Result<u32> {
        if self.threads.is_empty() && self.states.is_empty() {
            return Ok(self.pid);
        }
        let what = "threads are chosen for --native alone";
        Err(Error::misuse(format!("pid:{}", self.pid), what))
    }
}

impl FromStr for Process {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Process, String> {
        // As other commands take it, and messages show it.
        let text = text.strip_prefix("pid:").unwrap_or(text);
        let (pid, which) = text.split_once('/').unwrap_or((text, ""));
        let pid = pid.parse().map_err(|_| "it is the number of a process".to_owned())?;
        if which.is_empty() || which.bytes().all(|byte| byte.is_ascii_alphabetic()) {
            return Ok(Process { pid, threads: Vec::new(), states: which.to_owned() });
        }
        let threads = which.split(',').map(str::parse).collect::<std::result::Result<_, _>>();
        let threads = threads.map_err(|_| "behind the slash stand TID,... or states, as RS")?;
        Ok(Process { pid, threads, states: String::new() })
    }
}

impl NativeArgs {
    /// How long threads may take to stop.
    pub(super) fn stop_timeout(&self) -> Duration {
        Duration::from_millis(self.stop_timeout)
    }
}

/// Runs `capture --native`.
pub(super) fn run(args: &CaptureArgs, process: &Process, to: &Destination) -> Result<Exit> {
    let native = &args.native;
    let format = Output::pick(args.format.as_deref(), &OFFERED)?;
    let max_stack = match &native.max_stack {
        Some(text) => usize::try_from(parse_bytes("--max-stack", text)?).unwrap_or(usize::MAX),
        None => 64 << 10,
    };
    if max_stack == 0 || max_stack > LIMITS.live_stack {
        let what = format!("takes 1 byte to {} MiB", LIMITS.live_stack >> 20);
        return Err(Error::misuse("--max-stack", what));
    }
    let options = NativeOptions {
        threads: process.threads.iter().chain(&native.tids).copied().collect(),
        states: native.thread_state.clone().unwrap_or_default() + &process.states,
        ignore_deleted: native.ignore_deleted,
        max_stack,
        stop_timeout: native.stop_timeout(),
        reader: match native.reader {
            ReaderArg::Auto => Reader::Auto,
            ReaderArg::Vm => Reader::Vm,
            ReaderArg::Procmem => Reader::ProcMem,
        },
    };
    let pid = process.pid;
    let input = format!("pid:{pid}");
    let stacks = live::native_stacks(pid, &options, &input)?;
    let style = if format == Output::Json { Style::Json } else { Style::Text };
    let shown = Shown { state: native.show_state, sp: native.show_sp };
    emit_format(to, format, style, &mut |out| match format {
        Output::Json => json(pid, &stacks, out),
        Output::Folded | Output::Flamegraph => drawn(&stacks, pid, format, out),
        _ => text(&stacks, shown, out),
    })?;
    let others = |more| format!("{more} more notes on what couldn't be read");
    say_notes(&first_notes(&stacks.notes, String::clone, others));
    if args.stats {
        let stats = stacks.stats;
        let ms = |time: Duration| format!("{:.2} ms", time.as_secs_f64() * 1000.0);
        super::say(format_args!(
            "{} stopped for {}: {} to stop, {} to copy {} bytes, {} to run on",
            counted(stacks.threads.len() as i128, "thread"),
            ms(stats.total),
            ms(stats.stopping),
            ms(stats.copying),
            thousands(stats.bytes.into()),
            ms(stats.resuming),
        ));
    }
    Ok(Exit::Done)
}

/// Writes the calls, by the names of threads.
fn drawn(
    stacks: &NativeStacks,
    pid: u32,
    format: Output,
    out: &mut dyn Write,
) -> std::io::Result<()> {
    let name = live::program(pid).unwrap_or_else(|| format!("pid:{pid}"));
    let profile = profile(stacks, &name);
    let names = RuleSet::default().apply(&profile).map_err(std::io::Error::other)?;
    let count = |sample: SampleId| profile.sample(sample).count;
    let calls = Calls::of(&profile, &names, |_| false, count);
    match format {
        Output::Flamegraph => {
            let flame = Flame::new(&calls, false).map_err(std::io::Error::other)?;
            Picture::new(&profile, &calls, &flame, &[&name], None).write(out)
        }
        _ => folded::write(&calls, false, out),
    }
}

/// The threads as samples of a profile.
fn profile(stacks: &NativeStacks, name: &str) -> Profile {
    let mut builder = ProfileBuilder::new(Keep::default());
    let kind = builder.sample_type(b"threads", b"count");
    let mut input = Input::new(name, name, InputFormat::ProfileDebug0);
    input.header.sample_types.push(kind);
    input.header.default_type = Some(kind);
    let input = builder.input(input);
    for thread in &stacks.threads {
        let calls = thread.frames.iter().map(|frame| {
            let file = frame.file.as_deref().unwrap_or_default();
            builder.frame(function(frame).as_bytes(), file.as_bytes(), frame.line.into())
        });
        let mut frames: Vec<_> = calls.collect();
        frames.push(builder.frame(thread.name.as_bytes(), b"", 0));
        let stack = builder.stack(&frames);
        let spec = SampleSpec::new(input, stack);
        builder.add_sample(&NewSample { spec, values: &[1], locations: 0, labels: LabelsId::NONE });
    }
    builder.finish()
}

/// The name of a function, or of the module that it is in.
fn function(frame: &NativeFrame) -> String {
    let module = || frame.module.as_ref().map(|module| format!("[{module}]"));
    frame.function.clone().or_else(module).unwrap_or_else(|| "[unknown]".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_is_named_by_its_number_with_or_without_what_messages_write_in_front() {
        let process = |text: &str| text.parse::<Process>();
        assert_eq!(process("pid:77"), process("77"));
        assert_eq!(process("pid:77/RS").map(|it| it.states), Ok("RS".to_owned()));
        for wrong in ["", "pid:", "pid:x", "pid:pid:7", "-7"] {
            assert!(process(wrong).is_err(), "{wrong}");
        }
    }
}
