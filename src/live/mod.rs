//! Goroutines of a process that needn't do anything for it: its memory is read, and printed as its own
//! runtime would print it. Also the goroutines in core files.

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

mod annotate;
mod block;
mod capture;
mod code;
#[cfg_attr(
    not(all(target_os = "linux", target_pointer_width = "64")),
    allow(dead_code, reason = "threads can be stopped on Linux only")
)]
mod copied;
mod core_file;
#[cfg(not(all(target_os = "linux", target_pointer_width = "64")))]
mod elsewhere;
#[cfg_attr(
    not(all(target_os = "linux", feature = "native")),
    allow(dead_code, reason = "not all that can be refused can be asked for")
)]
mod error;
#[cfg_attr(
    not(all(target_os = "linux", target_pointer_width = "64")),
    allow(dead_code, reason = "threads can be stopped on Linux only")
)]
mod full;
mod labels;
#[cfg_attr(
    not(all(target_os = "linux", target_pointer_width = "64")),
    allow(dead_code, reason = "threads can be stopped on Linux only")
)]
mod layout;
#[cfg(all(target_os = "linux", target_pointer_width = "64"))]
mod linux;
mod locate;
mod memory;
pub mod native;
mod running;
mod stack;
mod sudog;
#[cfg(test)]
mod tests;
mod text;

#[cfg(not(all(target_os = "linux", target_pointer_width = "64")))]
pub use elsewhere::{capture, program, started};
#[cfg(all(target_os = "linux", target_pointer_width = "64"))]
pub use linux::{capture, program, started};
#[cfg(all(
    target_os = "linux",
    any(target_arch = "x86_64", target_arch = "aarch64"),
    feature = "native"
))]
pub use linux::{native_calls, native_stacks};
#[cfg(not(all(
    target_os = "linux",
    any(target_arch = "x86_64", target_arch = "aarch64"),
    feature = "native"
)))]
pub use native::{native_calls, native_stacks};

pub use crate::profile::{CaptureCounts, Captured, Certainty};
pub use annotate::{StackFrame, StackFrameCall, StackWord, StackWords, Target, Variable, What};
pub use capture::capture_memory;
pub use core_file::{CorePrograms, capture_core, is_core};
pub use memory::{Memory, Piece};
pub use native::{NativeCopy, NativeFrame};
use std::time::Duration;

/// Tells whether the parent process has set a signal to be ignored (`nohup`), which has to stay so.
#[cfg(unix)]
pub fn ignored_signals() -> impl Fn(i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let ignored = ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    move |signal| {
        let bit = u32::try_from(signal.saturating_sub(1)).ok();
        let bits = ignored.zip(bit).and_then(|(mask, bit)| mask.checked_shr(bit));
        bits.is_some_and(|bits| bits & 1 == 1)
    }
}

/// Which threads of a process are stopped while it is captured.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum CaptureMode {
    /// Those that run goroutines, while these goroutines are copied.
    #[default]
    Lite,
    /// All, while all goroutines are copied.
    Full,
    /// None: goroutines that run have no stack.
    None,
}

/// Which goroutines are read.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Wanted {
    /// All of them.
    #[default]
    All,
    /// The one with this number.
    One(u64),
    /// The one with this number, and the words of its stack.
    Words(u64),
}

impl Wanted {
    /// The number of the only goroutine that is read.
    fn id(self) -> Option<u64> {
        match self {
            Wanted::All => None,
            Wanted::One(id) | Wanted::Words(id) => Some(id),
        }
    }
}

/// How a process is captured.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CaptureOptions {
    /// Which threads are stopped.
    pub mode: CaptureMode,
    /// How long threads may take to stop, and how long they may be stopped.
    pub stop_timeout: Duration,
    /// Whether to read an unknown version of Go like the newest known one.
    pub force: bool,
    /// Which goroutines are read.
    pub wanted: Wanted,
}

impl Default for CaptureOptions {
    fn default() -> CaptureOptions {
        CaptureOptions {
            mode: CaptureMode::Lite,
            stop_timeout: Duration::from_secs(1),
            force: false,
            wanted: Wanted::All,
        }
    }
}

/// The result of reading a process.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Capture {
    /// Its goroutines as debug=2 prints them.
    pub text: Vec<u8>,
    /// How many threads were stopped, and for how long.
    pub stopped: (usize, Duration),
    /// The process ID, if a core file has it.
    pub pid: Option<u32>,
    /// Facts that aren't in the text.
    pub captured: Captured,
    /// The words of the selected goroutine's stack.
    pub words: Option<StackWords>,
    /// How many goroutines of memory that doesn't change say that they have the stack of another one, or a
    /// part of it: theirs aren't read.
    pub overlapping: u64,
}

/// A number of goroutines in a sentence.
fn goroutines(count: u64) -> String {
    match count {
        1 => "1 goroutine".to_owned(),
        _ => format!("{count} goroutines"),
    }
}

impl Capture {
    /// Adds notes about missing parts of a live process.
    fn tell(&mut self, mode: CaptureMode) {
        let CaptureCounts { broken, unstable, unread, unlabelled, .. } = self.captured.counts;
        let Captured { losses, notes, .. } = &mut self.captured;
        let unstable = unstable.saturating_sub(self.overlapping);
        if unread > 0 {
            let what = goroutines(unread);
            losses.push(format!("nothing could be read of {what}, or nothing that can be true"));
        }
        if broken > 0 {
            let what = goroutines(broken);
            losses.push(format!("of {what} the stack leads to what isn't code of the program"));
        }
        if unlabelled > 0 {
            let what = goroutines(unlabelled);
            losses.push(format!("labels of {what} are missing: too many, too long or unreadable"));
        }
        if unstable > 0 {
            let why = match mode {
                CaptureMode::Full => {
                    "what ran them was at work for the runtime, or handled a signal"
                }
                _ => "running whenever they were looked at",
            };
            notes.push(format!("{} without a stack: {why}", goroutines(unstable)));
        }
    }
}
