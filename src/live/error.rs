//! Why a process can't be captured, and what to do about it.

use crate::binary::BinaryError;
use crate::error::{Error, ErrorKind};
use crate::limits::LIMITS;
use std::time::Duration;

/// Why a process can't be captured.
#[derive(Debug)]
pub(super) enum Refusal {
    /// It ended before it was read, or never existed.
    Gone,
    /// It ended while it was read.
    Ended,
    /// It is a thread of the kernel, or a process that has ended and nobody has waited for.
    NoProgram,
    /// Its files in /proc may not be read.
    Files {
        /// Why not.
        why: String,
        /// What to do about it.
        advice: &'static str,
    },
    /// Its memory may not be read.
    Memory,
    /// Its threads may not be stopped, though its memory may be read.
    Stopping,
    /// A debugger, this process, controls its threads.
    Traced(u32),
    /// One of its threads doesn't stop in time.
    Unstoppable {
        /// The thread ID.
        thread: u32,
        /// The thread's state, as `ps` shows it.
        state: char,
        /// How long it was waited for.
        timeout: Duration,
    },
    /// It has no thread with this ID.
    NoThread(u32),
    /// Its native stacks have more calls than are kept.
    TooManyCalls,
    /// None of its threads is in one of these states.
    NoSuchState(String),
    /// It has no goroutine with this number.
    NoGoroutine(u64),
    /// The stack of this goroutine couldn't be read.
    NoStack(u64),
    /// The layout of calls on its stacks isn't known.
    NoWords,
    /// The process runs another program than the file that was read.
    Changed,
    /// Its program isn't a Go program.
    Binary(BinaryError),
    /// It was built with an unknown version of Go.
    Version(String),
    /// The runtime's data isn't where this version of Go has it.
    Layout(String),
    /// The text of its goroutines would take more memory than a run may use.
    TooMuch(u64),
    /// Copying it takes longer than it may be stopped.
    TooSlow,
    /// A copy of its goroutines would take more than this many bytes.
    TooLarge(u64),
    /// Any other error of the system.
    System(std::io::Error),
}

impl Refusal {
    /// The error for a core file, without advice: there is no other dump to take.
    pub(super) fn without_advice(self, input: &str) -> Error {
        Error { advice: None, ..self.error(input) }
    }

    /// The error for this input.
    pub(super) fn error(self, input: &str) -> Error {
        let new = |kind, what: &str| Error::new(kind, input, what);
        match self {
            Refusal::Gone => new(ErrorKind::Io, "no such process"),
            Refusal::Ended => new(ErrorKind::Io, "ended while it was read"),
            Refusal::NoProgram => new(
                ErrorKind::Unknown,
                "has no program: it is a thread of the kernel, or has ended",
            ),
            Refusal::Files { why, advice } => new(ErrorKind::Io, &why).advise(advice),
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
            Refusal::NoThread(thread) => new(ErrorKind::Usage, &format!("has no thread {thread}")),
            Refusal::TooManyCalls => {
                let most = LIMITS.native_calls;
                let what = format!(
                    "its stacks count as more than {most} calls, long names as several (native_calls)"
                );
                let advice =
                    "select some of its threads (PID/TID), or copy less of each (--max-stack)";
                new(ErrorKind::Limit, &what).advise(advice)
            }
            Refusal::NoSuchState(states) => {
                new(ErrorKind::Usage, &format!("has no thread in state {states}"))
            }
            Refusal::NoGoroutine(id) => new(ErrorKind::Usage, &format!("has no goroutine {id}"))
                .advise("`capture` of it prints all that there are"),
            Refusal::NoStack(id) => new(
                ErrorKind::Io,
                &format!("the stack of goroutine {id} can't be known: it was running"),
            )
            .advise("try again; --mode lite and full know most of what runs"),
            Refusal::NoWords => {
                new(ErrorKind::Unknown, "words of stacks are known of programs for amd64 alone")
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
                    .advise(
                    "try it as the newest of them with `capture --force PID`, or take a dump that the \
                     program writes itself (SIGQUIT, /debug/pprof)",
                )
            }
            Refusal::Layout(version) => {
                let what = format!("what {version} keeps in memory wasn't found");
                new(ErrorKind::Damaged, &what).advise(
                    "if it has just started, try again; else take a dump that it writes itself",
                )
            }
            Refusal::TooMuch(most) => {
                let name = if most == LIMITS.live_text { "live_text" } else { "core_text_ratio" };
                let mib = most >> 20;
                let what = format!("its goroutines take more than {mib} MiB as text ({name})");
                new(ErrorKind::Limit, &what)
            }
            Refusal::TooSlow => new(
                ErrorKind::Io,
                "could not be copied within --stop-timeout; all its threads run on",
            )
            .advise("allow more, or read it with --mode lite"),
            Refusal::TooLarge(most) => {
                let what = format!(
                    "a copy of its goroutines takes more than {} MiB (live_copied)",
                    most >> 20
                );
                new(ErrorKind::Limit, &what).advise("read it with --mode lite")
            }
            Refusal::System(error) => Error::io(input, &error),
        }
    }
}

/// The advice if memory may not be read; it depends on how this system restricts that.
fn memory() -> String {
    let read = |path| std::fs::read_to_string(path).unwrap_or_default();
    let contained = std::path::Path::new("/.dockerenv").exists()
        || std::path::Path::new("/run/.containerenv").exists();
    let scope = read("/proc/sys/kernel/yama/ptrace_scope");
    memory_advice(scope.trim(), &read("/proc/self/status"), contained).to_owned()
}

/// The advice, given `kernel.yama.ptrace_scope` and `/proc/self/status`.
fn memory_advice(scope: &str, status: &str, contained: bool) -> &'static str {
    let value = |key| status.lines().find_map(|line| line.strip_prefix(key)).unwrap_or("0").trim();
    let may_trace = u64::from_str_radix(value("CapEff:"), 16).is_ok_and(|all| all & TRACING != 0);
    match scope {
        "3" => {
            "kernel.yama.ptrace_scope is 3, which forbids it to everybody until the next boot; take a \
             dump that the program writes itself"
        }
        _ if may_trace && value("Seccomp:") != "0" => {
            "a seccomp filter forbids it: run the container with --security-opt seccomp=unconfined, or \
             capture from the host"
        }
        _ if may_trace => {
            "CAP_SYS_PTRACE isn't enough: a security module (AppArmor, SELinux) forbids it, or the \
             process is in a user namespace outside of this one; capture from the host"
        }
        _ if contained => "run the container with --cap-add=SYS_PTRACE, or capture from the host",
        "1" => {
            "kernel.yama.ptrace_scope is 1: run it as root or with CAP_SYS_PTRACE, or set it to 0 (sysctl)"
        }
        "2" => "kernel.yama.ptrace_scope is 2: run it as root or with CAP_SYS_PTRACE",
        _ => "run it as the process's own user, as root or with CAP_SYS_PTRACE",
    }
}

/// `CAP_SYS_PTRACE`.
const TRACING: u64 = 1 << 19;

#[cfg(test)]
mod tests {
    use super::{Refusal, memory_advice};
    use crate::limits::LIMITS;

    #[test]
    fn what_to_do_depends_on_what_forbids_it() {
        let status =
            |capabilities, seccomp| format!("CapEff:\t{capabilities:016x}\nSeccomp:\t{seccomp}\n");
        let (none, all) = (status(0_u64, 0), status(u64::MAX, 0));
        for (scope, status, contained, says) in [
            ("3", &all, false, "until the next boot"),
            ("2", &none, false, "ptrace_scope is 2"),
            ("1", &none, false, "or set it to 0"),
            ("1", &none, true, "--cap-add=SYS_PTRACE"),
            ("1", &status(u64::MAX, 2), true, "seccomp filter"),
            ("0", &all, false, "security module"),
            ("0", &none, false, "the process's own user"),
            ("", &String::new(), false, "the process's own user"),
        ] {
            let advice = memory_advice(scope, status, contained);
            assert!(advice.contains(says), "{scope} {status} {contained}: {advice}");
        }
    }

    #[test]
    fn too_much_text_is_refused_by_the_name_of_the_limit() {
        for (most, name) in [(LIMITS.live_text, "live_text"), (64 << 20, "core_text_ratio")] {
            let error = Refusal::TooMuch(most).error("core").to_string();
            assert!(error.contains(name), "{error}");
        }
    }
}
