//! Goroutines that run: their threads are stopped, copied and released.

use super::memory::ProcessMemory;
use super::stop::{Seized, Stopped, threads, trace};
use crate::binary::Arch;
use crate::live::error::Refusal;
use crate::live::layout::Layout;
use crate::live::locate;
use crate::live::memory::Memory;
use crate::live::running::{self, Running, Thread};
use std::collections::HashMap;
use std::fs;
use std::time::Duration;

/// Reads the goroutines that run on these threads (addresses of `runtime.m`). Also returns how many threads
/// were stopped, and for how long.
pub(super) fn read(
    pid: u32,
    memory: &ProcessMemory,
    (layout, arch): (&Layout, Arch),
    ms: &[u64],
    timeout: Duration,
) -> Result<(Vec<Running>, (usize, Duration)), Refusal> {
    let wanted = Numbers::of(pid)?.threads(memory, layout, ms);
    if wanted.is_empty() {
        return Ok(Default::default());
    }
    let act = |seized: Seized| {
        let stopped = seized.stop(timeout)?;
        let running = copy(&stopped, memory, (layout, arch), &wanted);
        Ok((running, (stopped.len(), stopped.resume().total)))
    };
    match trace(pid, |thread| wanted.contains_key(&thread), act) {
        // The threads have ended meanwhile.
        Err(Refusal::Gone) => Ok(Default::default()),
        read => read,
    }
}

/// Copies the goroutines that stopped threads run; `wanted` has the addresses of their `runtime.m` by
/// thread ID.
pub(super) fn copy(
    stopped: &Stopped,
    memory: &ProcessMemory,
    kind: (&Layout, Arch),
    wanted: &HashMap<u32, u64>,
) -> Vec<Running> {
    let registers = stopped.registers(|number| wanted.contains_key(&number)).into_iter();
    let threads = registers.filter_map(|(number, at)| {
        let &m = wanted.get(&number)?;
        Some(Thread { m, pc: at.pc, sp: at.sp, lr: at.lr })
    });
    running::copy(memory, kind, &threads.collect::<Vec<_>>(), Some(stopped.until()))
}

/// Maps thread IDs of the process' pid namespace to those of this process.
pub(super) enum Numbers {
    Same,
    Others(HashMap<u64, u32>),
}

impl Numbers {
    pub(super) fn of(pid: u32) -> Result<Numbers, Refusal> {
        let own = |path: String| -> Option<(bool, u64)> {
            let status = fs::read(path).ok()?;
            let status = String::from_utf8_lossy(&status);
            let mut numbers =
                status.lines().find_map(|line| line.strip_prefix("NSpid:"))?.split_whitespace();
            let first = numbers.next()?;
            let last = numbers.last();
            Some((last.is_some(), last.unwrap_or(first).parse().ok()?))
        };
        if own(format!("/proc/{pid}/status")).is_none_or(|(is_other, _)| !is_other) {
            return Ok(Numbers::Same);
        }
        let all = threads(pid)?.into_iter();
        let others = all.filter_map(|thread| {
            Some((own(format!("/proc/{pid}/task/{thread}/status"))?.1, thread))
        });
        Ok(Numbers::Others(others.collect()))
    }

    /// The IDs here of the threads (addresses of `runtime.m`) that run a goroutine, with those addresses.
    pub(super) fn threads(
        &self,
        memory: &impl Memory,
        layout: &Layout,
        ms: &[u64],
    ) -> HashMap<u32, u64> {
        let mut threads = HashMap::new();
        locate::each(memory, ms, layout.machine_size(), |at, bytes| {
            let machine = layout.machine(bytes).filter(|machine| machine.current != 0);
            let thread = machine.and_then(|machine| self.here(machine.thread));
            if let (Some(thread), Some(&m)) = (thread, ms.get(at)) {
                threads.insert(thread, m);
            }
        });
        threads
    }

    /// The ID here of a thread, given its ID in its own namespace.
    pub(super) fn here(&self, own: u64) -> Option<u32> {
        match self {
            Numbers::Same => own.try_into().ok(),
            Numbers::Others(others) => others.get(&own).copied(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::{Child, Command, Stdio};
    use std::time::{Duration, Instant};

    struct Ends(Child);

    impl Drop for Ends {
        fn drop(&mut self) {
            // It fails if the process has ended already.
            let _ = self.0.kill();
            let _ = self.0.wait();
        }
    }

    #[test]
    fn threads_in_a_pid_namespace_have_the_numbers_that_they_have_here() {
        let unshare = ["--user", "--pid", "--fork", "--kill-child", "sleep", "60"];
        let child = Command::new("unshare").args(unshare).stderr(Stdio::null()).spawn();
        let Ok(child) = child.map(Ends) else { return skipped() };
        let children = format!("/proc/{0}/task/{0}/children", child.0.id());
        let started = Instant::now();
        let inside: u32 = loop {
            let found = fs::read_to_string(&children).unwrap_or_default();
            match found.trim().parse() {
                Ok(inside) => break inside,
                Err(_) if started.elapsed() > Duration::from_secs(5) => return skipped(),
                Err(_) => std::thread::sleep(Duration::from_millis(5)),
            }
        };
        let numbers = Numbers::of(inside).unwrap();
        assert_eq!((numbers.here(1), numbers.here(inside.into())), (Some(inside), None));
        let own = Numbers::of(child.0.id()).unwrap();
        assert_eq!(own.here(child.0.id().into()), Some(child.0.id()));
    }

    fn skipped() {
        #[expect(clippy::print_stderr, reason = "whoever runs the tests has to know")]
        {
            eprintln!("skipped: no pid namespace may be made here");
        }
    }
}
