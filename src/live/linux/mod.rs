//! Processes on Linux.

mod access;
mod full;
mod memory;
#[cfg(all(any(target_arch = "x86_64", target_arch = "aarch64"), feature = "native"))]
mod native;
mod process;
mod running;
mod stop;
mod suspend;

use super::capture::Target;
use super::error::Refusal;
use super::layout::Layout;
use super::native::Reader;
use super::{Capture, CaptureMode, CaptureOptions};
use crate::error::Result;
use memory::ProcessMemory;
#[cfg(all(any(target_arch = "x86_64", target_arch = "aarch64"), feature = "native"))]
pub use native::{native_calls, native_stacks};
use nix::unistd::Pid;
use process::Process;
pub use process::{program, started};

/// Reads the goroutines of a process.
///
/// # Errors
/// If no process has this ID, it isn't a Go program, or may not be read.
pub fn capture(pid: u32, options: &CaptureOptions, input: &str) -> Result<Capture> {
    read(pid, options).map_err(|refusal| refusal.error(input))
}

fn read(pid: u32, options: &CaptureOptions) -> std::result::Result<Capture, Refusal> {
    let process = Process::open(pid)?;
    let known = process.binary.text().start.wrapping_add(process.slide.bytes());
    let number = i32::try_from(pid).map_err(|_| Refusal::Gone)?;
    let memory = ProcessMemory::open(Pid::from_raw(number), known, Reader::Auto)?;
    let environment = process.environment();
    let mut target =
        Target::find(&memory, &process.binary, process.slide, &environment, options.force)?;
    target.wanted = options.wanted;
    let mut capture = match options.mode {
        CaptureMode::Full => full::capture(pid, &process, &target, options.stop_timeout)?,
        _ => while_it_runs(pid, &process, &target, options)?,
    };
    process.check()?;
    let numbers = running::Numbers::of(pid)?;
    for goroutine in &mut capture.captured.goroutines {
        let here = goroutine.thread.and_then(|own| numbers.here(own));
        goroutine.thread = here.map(u64::from);
    }
    capture.tell(options.mode);
    Ok(capture)
}

/// Reads a process that keeps running; only threads that run goroutines are stopped.
fn while_it_runs(
    pid: u32,
    process: &Process,
    target: &Target<ProcessMemory>,
    options: &CaptureOptions,
) -> std::result::Result<Capture, Refusal> {
    let (mut stopped, mut note) = Default::default();
    let arch = target.binary.arch();
    let running = |layout: &Layout, ms: &[u64]| {
        if options.mode == CaptureMode::None {
            return Ok(Vec::new());
        }
        let why = match running::read(pid, target.memory, (layout, arch), ms, options.stop_timeout)
        {
            Ok((running, held)) => {
                stopped = held;
                return Ok(running);
            }
            Err(Refusal::Stopping) => "its threads may not be stopped".to_owned(),
            Err(Refusal::Traced(by)) => format!("process {by} is debugging it"),
            Err(Refusal::Unstoppable { thread, .. }) => format!("thread {thread} doesn't stop"),
            Err(refusal) => return Err(refusal),
        };
        note = Some(format!("{why}: goroutines that run are without a stack"));
        Ok(Vec::new())
    };
    let mut capture = target.capture(|| process.now(), running)?;
    capture.stopped = stopped;
    capture.captured.notes.extend(note);
    Ok(capture)
}
