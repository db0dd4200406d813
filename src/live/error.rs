//! Why a process can't be captured, and what to do about it.

use crate::binary::BinaryError;
use crate::error::{Error, ErrorKind};
use crate::limits::LIMITS;
use std::time::Duration;

/// Why not.
#[derive(Debug)]
pub(super) enum Refusal {
    /// It ended, or was never there.
    Gone,
    /// A thread of the kernel, or a process that has ended and that nobody waited for.
    NoProgram,
    /// Its files in /proc belong to somebody else.
    Owner,
    /// Its memory may not be read.
    Memory,
    /// Its threads may not be stopped, though its memory may be read.
    Stopping,
    /// A debugger has its threads already: this process.
    Traced(u32),
    /// One of its threads doesn't stop in the time that it is given.
    Unstoppable {
        /// Its number.
        thread: u32,
        /// What it does instead, as `ps` shows it.
        state: char,
        /// The time.
        timeout: Duration,
    },
    /// What the process runs isn't what was read of its file.
    Changed,
    /// Its program isn't one of Go.
    Binary(BinaryError),
    /// It is of a version of Go that isn't known.
    Version(String),
    /// What the runtime keeps in memory isn't where this version of Go keeps it.
    Layout(String),
    /// Its goroutines would take more memory as text than a run may have.
    TooMuch,
    /// Anything else.
    System(std::io::Error),
}

impl Refusal {
    /// The error about a core file, of which no other dump can be had.
    pub(super) fn without_advice(self, input: &str) -> Error {
        Error { advice: None, ..self.error(input) }
    }

    /// The error about this input.
    pub(super) fn error(self, input: &str) -> Error {
        let new = |kind, what: &str| Error::new(kind, input, what);
        match self {
            Refusal::Gone => new(ErrorKind::Io, "no such process"),
            Refusal::NoProgram => new(
                ErrorKind::Unknown,
                "has no program: it is a thread of the kernel, or has ended",
            ),
            Refusal::Owner => new(ErrorKind::Io, "belongs to another user")
                .advise("run it as that user or as root"),
            Refusal::Memory => new(ErrorKind::Io, "its memory may not be read").advise(memory()),
            Refusal::Stopping => {
                new(ErrorKind::Io, "its threads may not be stopped").advise(memory())
            }
            Refusal::Traced(tracer) => {
                let name = super::program(tracer).unwrap_or_else(|| "a debugger".to_owned());
                let what = format!("is being debugged by {name} (process {tracer})");
                new(ErrorKind::Io, &what).advise("end that first")
            }
            Refusal::Unstoppable { thread, state, timeout } => {
                let what = format!(
                    "thread {thread} (state {state}) didn't stop within {} ms; all run on",
                    timeout.as_millis()
                );
                new(ErrorKind::Io, &what).advise("try again, or with a longer --stop-timeout")
            }
            Refusal::Changed => {
                new(ErrorKind::Damaged, "runs another program than a moment before")
                    .advise("try again")
            }
            Refusal::Binary(BinaryError::NotGo | BinaryError::Unknown) => {
                new(ErrorKind::Unknown, "isn't a Go program")
            }
            Refusal::Binary(BinaryError::Io(error)) => Error::io(input, &error),
            Refusal::Binary(error) => {
                new(ErrorKind::Unknown, &format!("its program can't be read: {error}"))
            }
            Refusal::Version(version) => {
                let what = format!("{version} isn't known: Go 1.21 to 1.27 can be captured");
                new(ErrorKind::Unknown, &what)
                    .advise("take a dump that the program writes itself (SIGQUIT, /debug/pprof)")
            }
            Refusal::Layout(version) => {
                let what = format!("what {version} keeps in memory wasn't found");
                new(ErrorKind::Damaged, &what).advise(
                    "if it has just started, try again; else take a dump that it writes itself",
                )
            }
            Refusal::TooMuch => {
                let most = LIMITS.live_text >> 30;
                let what = format!("its goroutines take more than {most} GiB as text");
                new(ErrorKind::Limit, &what)
            }
            Refusal::System(error) => Error::io(input, &error),
        }
    }
}

/// What to do where memory may not be read: it depends on what this system forbids.
fn memory() -> String {
    let scope = std::fs::read_to_string("/proc/sys/kernel/yama/ptrace_scope").unwrap_or_default();
    let contained = std::path::Path::new("/.dockerenv").exists()
        || std::path::Path::new("/run/.containerenv").exists();
    match scope.trim() {
        "3" => "kernel.yama.ptrace_scope is 3, which forbids it to everybody until the next boot; \
                take a dump that the program writes itself"
            .into(),
        "1" | "2" => format!(
            "kernel.yama.ptrace_scope is {}: run it as root or with CAP_SYS_PTRACE",
            scope.trim()
        ),
        _ if contained => {
            "run the container with --cap-add=SYS_PTRACE, or capture from the host".into()
        }
        _ => "run it as the process's own user, as root or with CAP_SYS_PTRACE".into(),
    }
}
