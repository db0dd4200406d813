//! Stopping the threads of a process for a moment, by ptrace.
//!
//! What is traced belongs to the thread that traces it. When that one ends, whatever ends it (an error, a
//! panic, Ctrl-C, `kill -9`), the kernel lets all go and they run on. So tracing is done by a thread
//! that does nothing else, and ends with it.
//!
//! A traced thread also stops where a signal reaches it, and the signal is lost unless it is handed on: a Go
//! program that has lost two SIGURG hangs for good, as its runtime waits for them to be handled. So stops
//! are only looked at (`WNOWAIT`), never taken: then the signal stays with the stop, and the kernel
//! hands it on even if this program is killed while all stand still.

use super::access;
use crate::live::error::Refusal;
use nix::errno::Errno;
use nix::libc;
use nix::sys::ptrace::{self, Options};
use nix::sys::signal::Signal;
use nix::unistd::Pid;
use rustix::process::{WaitId, WaitIdOptions, waitid};
use std::collections::HashSet;
use std::fs;
use std::marker::PhantomData;
use std::num::TryFromIntError;
use std::panic;
use std::thread;
use std::time::{Duration, Instant};

/// Times that threads are listed of a process that starts new ones all the time.
const LISTINGS: usize = 16;

/// What is read of a thread that has stopped, after this long at the latest.
const LONGEST_PAUSE: Duration = Duration::from_micros(500);

/// Traces those threads of a process that are `wanted`, by their numbers, as long as `act` runs, on a thread of
/// its own. From its start on a thread that gets a signal stands still: all that takes long comes before.
///
/// # Errors
/// If threads may not be traced, and those of `act`.
pub(super) fn trace<R: Send>(
    pid: u32,
    wanted: impl Fn(u32) -> bool + Send,
    act: impl FnOnce(Seized) -> Result<R, Refusal> + Send,
) -> Result<R, Refusal> {
    thread::scope(|scope| {
        let tracer = thread::Builder::new().name("tracer".to_owned());
        let tracer = tracer.spawn_scoped(scope, || act(Seized::open(pid, wanted)?));
        let done = tracer.map_err(Refusal::System)?.join();
        done.unwrap_or_else(|panic| panic::resume_unwind(panic))
    })
}

/// Threads that are traced and run on.
pub(super) struct Seized {
    pid: u32,
    threads: Vec<Thread>,
    /// The numbers of all that were seen, also of those that aren't traced.
    known: HashSet<u32>,
    /// Only the thread that traces can do anything about them.
    here: PhantomData<*const ()>,
}

/// A thread that is traced.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Thread {
    number: u32,
    state: State,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum State {
    Running,
    /// With the signal that reached it at that moment, 0 if none did.
    Stopped(i32),
    Gone,
}

impl Thread {
    fn pid(self) -> Result<Pid, TryFromIntError> {
        self.number.try_into().map(Pid::from_raw)
    }
}

impl Seized {
    fn open(pid: u32, wanted: impl Fn(u32) -> bool) -> Result<Seized, Refusal> {
        let mut seized =
            Seized { pid, threads: Vec::new(), known: HashSet::new(), here: PhantomData };
        for _ in 0..LISTINGS {
            if !seized.add(&wanted)? {
                break;
            }
        }
        match seized.threads.is_empty() {
            true => Err(Refusal::Gone),
            false => Ok(seized),
        }
    }

    /// Traces those that it has started since; tells whether there are any.
    fn add(&mut self, wanted: &impl Fn(u32) -> bool) -> Result<bool, Refusal> {
        let before = self.known.len();
        for number in threads(self.pid)? {
            if !wanted(number) || !self.known.insert(number) {
                continue;
            }
            let thread = Thread { number, state: State::Running };
            let Ok(id) = thread.pid() else { continue };
            match ptrace::seize(id, Options::empty()) {
                Ok(()) => self.threads.push(thread),
                Err(Errno::ESRCH) => {}
                // The kernel says this also of a thread that has ended and whose process hasn't.
                Err(Errno::EPERM) if has_ended(self.pid, number) => {}
                Err(Errno::EPERM | Errno::EACCES | Errno::ENOSYS) => {
                    return Err(match tracer(self.pid, number) {
                        Some(tracer) => Refusal::Traced(tracer),
                        None => Refusal::Stopping,
                    });
                }
                Err(error) => return Err(Refusal::System(error.into())),
            }
        }
        Ok(self.known.len() > before)
    }

    /// Stops all of them.
    ///
    /// # Errors
    /// If one of them doesn't stop in this time; then all run on.
    pub(super) fn stop(self, timeout: Duration) -> Result<Stopped, Refusal> {
        let mut stopped =
            Stopped { seized: self, started: Instant::now(), timeout, stopping: Duration::ZERO };
        stopped.stop_from(0)?;
        Ok(stopped)
    }

    /// Stops all of them, and those that the process starts until the last one stands still.
    ///
    /// # Errors
    /// As [`Seized::stop`].
    pub(super) fn stop_all(self, timeout: Duration) -> Result<Stopped, Refusal> {
        let mut stopped = self.stop(timeout)?;
        // Only one that runs can start others.
        for _ in 0..LISTINGS {
            let from = stopped.seized.threads.len();
            if !stopped.seized.add(&|_| true)? {
                return Ok(stopped);
            }
            stopped.stop_from(from)?;
        }
        Err(Refusal::TooSlow)
    }
}

impl Thread {
    /// What has become of one that ran.
    fn look(self) -> State {
        let Ok(id) = self.number.try_into().map(rustix::process::Pid::from_raw) else {
            return State::Gone;
        };
        let Some(id) = id else { return State::Gone };
        let wall = WaitIdOptions::from_bits_retain(libc::__WALL.cast_unsigned());
        let any = wall | WaitIdOptions::STOPPED | WaitIdOptions::EXITED | WaitIdOptions::NOHANG;
        match waitid(WaitId::Pid(id), any | WaitIdOptions::NOWAIT) {
            Ok(None) | Err(rustix::io::Errno::INTR) => State::Running,
            // The number of what it stopped at is above a signal's: `PTRACE_EVENT_STOP << 8 | SIGTRAP`.
            Ok(Some(status)) if status.trapped() || status.stopped() => {
                let signal = status.trapping_signal().filter(|&signal| signal >> 8 == 0);
                State::Stopped(signal.unwrap_or(0))
            }
            // One that has ended is there until its tracer has taken note.
            Ok(Some(_)) => {
                let _ = waitid(WaitId::Pid(id), any);
                State::Gone
            }
            Err(_) => State::Gone,
        }
    }
}

/// Threads that stand still until this is dropped.
pub(super) struct Stopped {
    seized: Seized,
    started: Instant,
    timeout: Duration,
    stopping: Duration,
}

/// How long threads were held up.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(super) struct Times {
    /// From when the first was asked to stop until the last one stood still.
    pub(super) stopping: Duration,
    /// From when the first was asked to run on until all did.
    pub(super) resuming: Duration,
    /// All in all: no thread stood still for longer.
    pub(super) total: Duration,
}

impl Stopped {
    /// Stops those from this one on.
    fn stop_from(&mut self, first: usize) -> Result<(), Refusal> {
        let Stopped { seized, started, timeout, .. } = self;
        let threads = seized.threads.get_mut(first..).unwrap_or_default();
        for thread in &mut *threads {
            // The only thing that can be wrong with it is that it has ended.
            if thread.pid().is_ok_and(|id| ptrace::interrupt(id).is_err()) {
                thread.state = thread.look();
            }
        }
        let (asked, mut pause) = (Instant::now(), Duration::ZERO);
        loop {
            let mut missing = None;
            for thread in &mut *threads {
                if thread.state == State::Running {
                    thread.state = thread.look();
                }
                if thread.state == State::Running {
                    missing = missing.or(Some(thread.number));
                }
            }
            let Some(thread) = missing else { break };
            if started.elapsed() >= *timeout {
                return Err(Refusal::Unstoppable {
                    thread,
                    state: thread_state(seized.pid, thread).unwrap_or('?'),
                    timeout: *timeout,
                });
            }
            // Most stop within 50 us. They need processors for it.
            if asked.elapsed() < LONGEST_PAUSE {
                thread::yield_now();
            } else {
                pause = pause.saturating_add(Duration::from_micros(20)).min(LONGEST_PAUSE);
                thread::sleep(pause);
            }
        }
        self.stopping = started.elapsed();
        Ok(())
    }

    /// When all have to run on.
    pub(super) fn until(&self) -> Instant {
        self.started.checked_add(self.timeout).unwrap_or(self.started)
    }

    /// How many threads there are.
    pub(super) fn len(&self) -> usize {
        self.seized.threads.len()
    }

    /// Those threads that are wanted and their registers; without those that have ended.
    pub(super) fn registers(&self, wanted: impl Fn(u32) -> bool) -> Vec<(u32, Registers)> {
        let threads = self.seized.threads.iter();
        let stopped = threads.filter(|thread| thread.state != State::Gone && wanted(thread.number));
        let read = |thread: &Thread| Some((thread.number, Registers::of(thread.pid().ok()?)?));
        stopped.filter_map(read).collect()
    }

    /// Lets them run on.
    pub(super) fn resume(mut self) -> Times {
        let resumed = Instant::now();
        self.detach();
        Times {
            stopping: self.stopping,
            resuming: resumed.elapsed(),
            total: self.started.elapsed(),
        }
    }

    fn detach(&mut self) {
        for thread in self.seized.threads.drain(..) {
            let State::Stopped(number) = thread.state else { continue };
            // Real-time signals have no names; the kernel hands them on when this thread ends.
            let signal = Signal::try_from(number).ok();
            if let (Ok(id), true) = (thread.pid(), signal.is_some() || number == 0) {
                // One that was killed can't be let go any more.
                let _ = ptrace::detach(id, signal);
            }
        }
    }
}

impl Drop for Stopped {
    fn drop(&mut self) {
        self.detach();
    }
}

/// The registers that are needed to unwind a stack.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Registers {
    pub(super) pc: u64,
    pub(super) sp: u64,
    /// The frame pointer.
    pub(super) fp: u64,
    /// The link register; 0 where there is none.
    pub(super) lr: u64,
}

impl Registers {
    #[cfg(target_arch = "x86_64")]
    fn of(id: Pid) -> Option<Registers> {
        let all = ptrace::getregs(id).ok()?;
        Some(Registers { pc: all.rip, sp: all.rsp, fp: all.rbp, lr: 0 })
    }

    #[cfg(target_arch = "aarch64")]
    fn of(id: Pid) -> Option<Registers> {
        let all = ptrace::getregs(id).ok()?;
        let [.., fp, lr] = all.regs;
        Some(Registers { pc: all.pc, sp: all.sp, fp, lr })
    }

    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    fn of(_: Pid) -> Option<Registers> {
        None
    }
}

/// The numbers of a process' threads, smallest first.
pub(super) fn threads(pid: u32) -> Result<Vec<u32>, Refusal> {
    let entries =
        fs::read_dir(format!("/proc/{pid}/task")).map_err(|error| match error.kind() {
            std::io::ErrorKind::NotFound => Refusal::Gone,
            std::io::ErrorKind::PermissionDenied => access::refusal(pid),
            _ => Refusal::System(error),
        })?;
    let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let mut numbers: Vec<u32> = names.filter_map(|name| name.parse().ok()).collect();
    numbers.sort_unstable();
    Ok(numbers)
}

/// The letter of a thread's state, as `ps` shows it.
pub(super) fn thread_state(pid: u32, thread: u32) -> Option<char> {
    let stat = fs::read(format!("/proc/{pid}/task/{thread}/stat")).ok()?;
    // `NUMBER (NAME) STATE ...`, where the name may hold anything.
    let after = stat.get(memchr::memrchr(b')', &stat)?..)?;
    after.get(2).map(|&state| state.into())
}

fn has_ended(pid: u32, thread: u32) -> bool {
    matches!(thread_state(pid, thread), None | Some('Z' | 'X'))
}

/// The process that traces a thread: a debugger.
fn tracer(pid: u32, thread: u32) -> Option<u32> {
    let number = |path: &str, key: &str| -> Option<u32> {
        let status = fs::read(path).ok()?;
        let status = String::from_utf8_lossy(&status);
        status.lines().find_map(|line| line.strip_prefix(key))?.trim().parse().ok()
    };
    let tracer = number(&format!("/proc/{pid}/task/{thread}/status"), "TracerPid:");
    let tracer = tracer.filter(|&tracer| tracer != 0)?;
    // It is one of that process' threads.
    number(&format!("/proc/{tracer}/status"), "Tgid:").or(Some(tracer))
}

#[cfg(test)]
mod tests;
