//! Processes of Linux.

mod access;
mod memory;
#[cfg(all(any(target_arch = "x86_64", target_arch = "aarch64"), feature = "native"))]
mod native;
mod process;
#[cfg_attr(not(feature = "native"), allow(dead_code, reason = "only native stacks need it"))]
mod stop;

use super::Capture;
use super::capture::Target;
use super::error::Refusal;
use super::native::Reader;
use crate::error::Result;
use memory::ProcessMemory;
#[cfg(all(any(target_arch = "x86_64", target_arch = "aarch64"), feature = "native"))]
pub use native::native_stacks;
use nix::unistd::Pid;
use process::Process;

/// Reads the goroutines of a process.
///
/// # Errors
/// If there is none of this number, it isn't one of Go, or may not be read.
pub fn capture(pid: u32, input: &str) -> Result<Capture> {
    read(pid).map_err(|refusal| refusal.error(input))
}

fn read(pid: u32) -> std::result::Result<Capture, Refusal> {
    let process = Process::open(pid)?;
    let known = process.binary.text().start.wrapping_add(process.slide.bytes());
    let number = i32::try_from(pid).map_err(|_| Refusal::Gone)?;
    let memory = ProcessMemory::open(Pid::from_raw(number), known, Reader::Auto)?;
    let environment = process.environment();
    let target = Target::find(&memory, &process.binary, process.slide, &environment)?;
    let mut capture = target.capture(|| process.now())?;
    process.check()?;
    capture.tell();
    Ok(capture)
}

/// The name of the program that a process runs.
pub fn program(pid: u32) -> Option<String> {
    process::name(pid)
}

/// When a process was started, which tells it from others that had its number.
pub fn started(pid: u32) -> Option<u64> {
    process::started(pid)
}
