//! The goroutines of a process that never asked for it: read from its memory, which is only read, and
//! printed as its own runtime would.

#![cfg_attr(
    not(test),
    deny(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::indexing_slicing,
        clippy::arithmetic_side_effects
    )
)]

use crate::error::Result;

#[cfg(all(target_os = "linux", target_pointer_width = "64"))]
mod capture;
#[cfg(all(target_os = "linux", target_pointer_width = "64"))]
mod code;
#[cfg(all(target_os = "linux", target_pointer_width = "64"))]
mod error;
#[cfg(all(target_os = "linux", target_pointer_width = "64"))]
mod labels;
#[cfg(all(target_os = "linux", target_pointer_width = "64"))]
mod layout;
#[cfg(all(target_os = "linux", target_pointer_width = "64"))]
mod locate;
#[cfg(all(target_os = "linux", target_pointer_width = "64"))]
mod memory;
#[cfg(all(target_os = "linux", target_pointer_width = "64"))]
mod process;
#[cfg(all(target_os = "linux", target_pointer_width = "64"))]
mod stack;
#[cfg(all(target_os = "linux", target_pointer_width = "64"))]
mod text;

/// What was read of a process.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Capture {
    /// Its goroutines as debug=2 prints them.
    pub text: Vec<u8>,
    /// How well they are known.
    pub counts: Counts,
}

/// How many goroutines are known how well.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Counts {
    /// As they were when the capture started.
    pub exact: u64,
    /// As they were shortly after.
    pub drifted: u64,
    /// Those that ran whenever they were looked at: without a stack.
    pub unstable: u64,
}

/// Reads the goroutines of a process.
///
/// # Errors
/// If there is none of this number, it isn't one of Go, or may not be read.
#[cfg(all(target_os = "linux", target_pointer_width = "64"))]
pub fn capture(pid: u32, input: &str) -> Result<Capture> {
    read(pid).map_err(|refusal| refusal.error(input))
}

#[cfg(all(target_os = "linux", target_pointer_width = "64"))]
fn read(pid: u32) -> std::result::Result<Capture, error::Refusal> {
    let process = process::Process::open(pid)?;
    let known = process.binary.text().start.wrapping_add(process.slide.bytes());
    let number = i32::try_from(pid).map_err(|_| error::Refusal::Gone)?;
    let memory = memory::ProcessMemory::open(nix::unistd::Pid::from_raw(number), known)?;
    let environment = std::fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
    let target = capture::Target::find(&memory, &process.binary, process.slide, &environment)?;
    target.capture(|| process.now())
}

/// The name of the program that a process runs.
#[cfg(all(target_os = "linux", target_pointer_width = "64"))]
pub fn program(pid: u32) -> Option<String> {
    process::name(pid)
}
