//! Core files: the memory of a process that the kernel wrote when it died, or a debugger while it ran.
//!
//! They are ELF files of Linux, but are read on every system. A core may have many GB, nearly all of them
//! holes, so only the bytes that are needed are read. A core leaves out code and other data that can't
//! change: that is read from the program's file.

mod image;
mod notes;
mod program;
#[cfg(test)]
mod tests;

use super::capture::Target;
use super::error::Refusal;
use super::layout::Layout;
use super::locate;
use super::running::{self, Thread};
use super::{Capture, CaptureCounts, Wanted, goroutines};
use crate::binary::Binary;
use crate::error::{Error, ErrorKind, Result};
use crate::limits::LIMITS;
use crate::read_at::ReadAt;
use image::CoreFile;
use notes::Registers;
use std::path::PathBuf;

/// Where to look for the programs of core files.
#[derive(Clone, Default, Debug)]
pub struct CorePrograms {
    /// The given files; if there are none, the file that the core names is used.
    pub given: Vec<PathBuf>,
    /// Whether to use a program that doesn't match.
    pub force: bool,
}

/// Whether a file with this start is a core file.
pub fn is_core(start: &[u8]) -> bool {
    Binary::is_core(start)
}

/// Reads the goroutines in a core file.
///
/// # Errors
/// If it isn't a core of a Go program, the program isn't found, or what is wanted isn't in it.
pub fn capture_core(
    file: &dyn ReadAt,
    programs: &CorePrograms,
    wanted: Wanted,
    input: &str,
) -> Result<Capture> {
    let core = CoreFile::read(file, input)?;
    let program::Program { binary, slide, path, note } = program::find(&core, programs, input)?;
    let memory = core.memory(&binary, slide);
    let environment = core.environment(&memory);
    let target = Target::find(&memory, &binary, slide, &environment, false);
    // A core doesn't say when it was written by the clock that waits are measured with.
    let running = |layout: &Layout, ms: &[u64]| {
        let mut threads = Vec::new();
        locate::each(&memory, ms, layout.machine_size(), |at, bytes| {
            let thread = layout.machine(bytes).map(|machine| machine.thread);
            let registers = thread.and_then(|thread| core.notes.threads.get(&thread));
            if let (Some(&Registers { pc, sp, lr }), Some(&m)) = (registers, ms.get(at)) {
                threads.push(Thread { m, pc, sp, lr });
            }
        });
        Ok(running::copy(&memory, (layout, binary.arch()), &threads, None))
    };
    let most_text = most_text(file.length());
    let capture =
        target.and_then(|target| Target { wanted, most_text, ..target }.capture(|| 0, running));
    if let Some(error) = core.failure() {
        return Err(Error::io(input, error));
    }
    if let Some(error) = binary.read_error() {
        return Err(Error::io(path.display().to_string(), error));
    }
    let mut capture = capture.map_err(|refusal| match refusal {
        Refusal::NoGoroutine(_) => refusal.error(input),
        Refusal::Version(_) | Refusal::TooMuch(_) | Refusal::NoStack(_) | Refusal::NoWords => {
            refusal.without_advice(input)
        }
        _ => {
            let what = format!(
                "what the runtime of {} keeps in memory isn't in it",
                binary.build_info().map_or("Go".to_owned(), |info| info.go)
            );
            Error::new(ErrorKind::Damaged, input, what).advise(match core.missing() {
                0 => "was it written with all memory (/proc/PID/coredump_filter)?",
                _ => "it is cut off: was there a limit (ulimit -c), or a full disk?",
            })
        }
    })?;
    capture.pid = core.notes.pid;
    capture.captured.has_waits = false;
    capture.captured.notes.extend(note);
    let losses = &mut capture.captured.losses;
    if core.missing() > 0 {
        let missing = core.missing();
        losses.push(format!("is cut off: {missing} bytes that it lists aren't there"));
    }
    let CaptureCounts { broken, unstable, unread, unlabelled, .. } = capture.captured.counts;
    for (count, what) in [
        (broken, "only a part is known of the stacks of"),
        (unstable.saturating_sub(capture.overlapping), "nothing is known of the stacks of"),
        (unread, "nothing is known of"),
        (unlabelled, "nothing is known of the labels of"),
    ] {
        if count > 0 {
            losses.push(format!("{what} {}: that memory isn't in it", goroutines(count)));
        }
    }
    Ok(capture)
}

/// The most bytes that the goroutines of a core file of this size may take as text.
fn most_text(core: u64) -> u64 {
    let most = core.saturating_mul(LIMITS.core_text_ratio).max(LIMITS.core_text_from);
    most.min(LIMITS.live_text)
}
