//! Stopping the threads of a process for a moment, with ptrace.
//!
//! A traced thread belongs to the thread that traces it. When the tracer ends, for whatever reason (an
//! error, a panic, Ctrl-C, `kill -9`), the kernel releases all its threads and they run on. So tracing is
//! done by a thread that does nothing else, and ends when it is done.
//!
//! A traced thread also stops when a signal reaches it, and the signal is lost unless it is passed on: a Go
//! program that has lost two SIGURG hangs forever, as its runtime waits until they are handled. So stops
//! are only looked at (`WNOWAIT`), never consumed: then the signal stays with the stop, and the kernel
//! delivers it even if this program is killed while all threads are stopped.

use super::access;
use super::suspend::PutOff;
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

/// How often threads are listed while the process keeps starting new ones.
const LISTINGS: usize = 16;

/// The longest pause between two looks at threads that haven't stopped yet.
const LONGEST_PAUSE: Duration = Duration::from_micros(500);

/// Traces the threads that are `wanted` (by ID) while `act` runs, on a new thread. From then on a traced
/// thread that gets a signal stops, so anything slow must be done before. Ctrl-Z is put off meanwhile.
///
/// # Errors
/// If threads may not be traced, and the errors of `act`.
pub(super) fn trace<R: Send>(
    pid: u32,
    wanted: impl Fn(u32) -> bool + Send,
    act: impl FnOnce(Seized) -> Result<R, Refusal> + Send,
) -> Result<R, Refusal> {
    let _put_off = PutOff::new();
    thread::scope(|scope| {
        let tracer = thread::Builder::new().name("tracer".to_owned());
        let tracer = tracer.spawn_scoped(scope, || act(Seized::open(pid, wanted)?));
        let result = tracer.map_err(Refusal::System)?.join();
        result.unwrap_or_else(|panic| panic::resume_unwind(panic))
    })
}

/// Threads that are traced but run.
pub(super) struct Seized {
    pid: u32,
    threads: Vec<Thread>,
    /// The IDs of all threads that were tried, whether or not they could be traced.
    known: HashSet<u32>,
    /// Not `Send`: only the thread that traces can control them.
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
    /// With the signal that stopped it, 0 if it was none.
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

    /// Traces the wanted threads that aren't known yet; returns whether there were any.
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
                // The kernel also returns this for a thread that has ended before its process.
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

    /// Stops all traced threads.
    ///
    /// # Errors
    /// If one of them doesn't stop in time; then all are released.
    pub(super) fn stop(self, timeout: Duration) -> Result<Stopped, Refusal> {
        let mut stopped =
            Stopped { seized: self, started: Instant::now(), timeout, stopping: Duration::ZERO };
        stopped.stop_from(0)?;
        Ok(stopped)
    }

    /// Stops all threads, including those that the process starts before its last one has stopped.
    ///
    /// # Errors
    /// As [`Seized::stop`].
    pub(super) fn stop_all(self, timeout: Duration) -> Result<Stopped, Refusal> {
        let mut stopped = self.stop(timeout)?;
        // Only a running thread can start others.
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
    /// Returns the present state of a thread that ran.
    fn look(self) -> State {
        let Ok(id) = self.number.try_into().map(rustix::process::Pid::from_raw) else {
            return State::Gone;
        };
        let Some(id) = id else { return State::Gone };
        let wall = WaitIdOptions::from_bits_retain(libc::__WALL.cast_unsigned());
        let any = wall | WaitIdOptions::STOPPED | WaitIdOptions::EXITED | WaitIdOptions::NOHANG;
        match waitid(WaitId::Pid(id), any | WaitIdOptions::NOWAIT) {
            Ok(None) | Err(rustix::io::Errno::INTR) => State::Running,
            // The number of a ptrace event is above the signal's: `PTRACE_EVENT_STOP << 8 | SIGTRAP`.
            Ok(Some(status)) if status.trapped() || status.stopped() => {
                let signal = status.trapping_signal().filter(|&signal| signal >> 8 == 0);
                State::Stopped(signal.unwrap_or(0))
            }
            // A thread that has ended stays until its tracer has waited for it.
            Ok(Some(_)) => {
                let _ = waitid(WaitId::Pid(id), any);
                State::Gone
            }
            Err(_) => State::Gone,
        }
    }
}

/// Threads that are stopped until this is dropped.
pub(super) struct Stopped {
    seized: Seized,
    started: Instant,
    timeout: Duration,
    stopping: Duration,
}

/// How long threads were stopped.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(super) struct Times {
    /// From the first request to stop until the last thread had stopped.
    pub(super) stopping: Duration,
    /// From the first release until all were released.
    pub(super) resuming: Duration,
    /// The longest that any thread can have been stopped.
    pub(super) total: Duration,
}

impl Stopped {
    /// Stops the threads from this position on.
    fn stop_from(&mut self, first: usize) -> Result<(), Refusal> {
        let Stopped { seized, started, timeout, .. } = self;
        let threads = seized.threads.get_mut(first..).unwrap_or_default();
        for thread in &mut *threads {
            // It only fails if the thread has ended.
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
            // Most stop within 50 us, but need a processor to do so.
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

    /// The latest time at which all have to be released.
    pub(super) fn until(&self) -> Instant {
        self.started.checked_add(self.timeout).unwrap_or(self.started)
    }

    /// The number of threads.
    pub(super) fn len(&self) -> usize {
        self.seized.threads.len()
    }

    /// The IDs and registers of the wanted threads that haven't ended.
    pub(super) fn registers(&self, wanted: impl Fn(u32) -> bool) -> Vec<(u32, Registers)> {
        let threads = self.seized.threads.iter();
        let stopped = threads.filter(|thread| thread.state != State::Gone && wanted(thread.number));
        let read = |thread: &Thread| Some((thread.number, Registers::of(thread.pid().ok()?)?));
        stopped.filter_map(read).collect()
    }

    /// Releases all threads.
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
            // Real-time signals have no names; the kernel delivers them when this thread ends.
            let signal = Signal::try_from(number).ok();
            if let (Ok(id), true) = (thread.pid(), signal.is_some() || number == 0) {
                // A thread that was killed can't be released any more.
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
    /// The link register; 0 on processors without one.
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

/// The IDs of a process' threads, in ascending order.
pub(super) fn threads(pid: u32) -> Result<Vec<u32>, Refusal> {
    let entries = fs::read_dir(format!("/proc/{pid}/task"));
    let entries = entries.map_err(|error| access::unreadable(pid, error))?;
    let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let mut numbers: Vec<u32> = names.filter_map(|name| name.parse().ok()).collect();
    numbers.sort_unstable();
    Ok(numbers)
}

/// The letter of a thread's state, as `ps` shows it.
pub(super) fn thread_state(pid: u32, thread: u32) -> Option<char> {
    let stat = fs::read(format!("/proc/{pid}/task/{thread}/stat")).ok()?;
    // `ID (NAME) STATE ...`, where the name may contain anything.
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
    // That is the ID of a thread of the debugger.
    number(&format!("/proc/{tracer}/status"), "Tgid:").or(Some(tracer))
}

#[cfg(test)]
mod tests;
