//! All goroutines at one moment: all threads are stopped while they are copied.

use super::memory::ProcessMemory;
use super::process::Process;
use super::running::{self, Numbers};
use super::stop::{Seized, trace};
use crate::live::Capture;
use crate::live::capture::Target;
use crate::live::error::Refusal;
use std::time::Duration;

/// Copies a process while it is stopped, for `timeout` at most, and reads the copy.
pub(super) fn capture(
    pid: u32,
    process: &Process,
    target: &Target<ProcessMemory>,
    timeout: Duration,
) -> Result<Capture, Refusal> {
    let numbers = Numbers::of(pid)?;
    let (mut copy, sudogs) = target.prepare()?;
    let act = |seized: Seized| {
        let stopped = seized.stop_all(timeout)?;
        let ms: Vec<u64> = target.copy(&mut copy, sudogs, stopped.until())?.into_iter().collect();
        let layout = target.layout.frozen();
        let wanted = numbers.threads(&copy, &layout, &ms);
        let running =
            running::copy(&stopped, target.memory, (&layout, target.binary.arch()), &wanted);
        let now = process.now();
        Ok((running, now, (stopped.len(), stopped.resume().total)))
    };
    let (running, now, stopped) = trace(pid, |_| true, act)?;
    let mut capture = target.in_copy(&copy).capture(|| now, |_, _| Ok(running))?;
    capture.stopped = stopped;
    Ok(capture)
}
