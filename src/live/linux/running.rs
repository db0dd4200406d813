//! Goroutines that run: their threads are stopped, copied and let go.

use super::memory::ProcessMemory;
use super::stop::{Seized, Stopped, threads, trace};
use crate::live::error::Refusal;
use crate::live::layout::Layout;
use crate::live::locate;
use crate::live::memory::Memory;
use crate::live::running::{self, Running, Thread};
use std::collections::HashMap;
use std::fs;
use std::time::Duration;

/// Reads what runs on these threads, of which these are the places in memory. Tells how many stood still
/// for how long, too.
pub(super) fn read(
    pid: u32,
    memory: &ProcessMemory,
    layout: &Layout,
    ms: &[u64],
    timeout: Duration,
) -> Result<(Vec<Running>, (usize, Duration)), Refusal> {
    let wanted = Numbers::of(pid)?.threads(memory, layout, ms);
    if wanted.is_empty() {
        return Ok(Default::default());
    }
    let act = |seized: Seized| {
        let stopped = seized.stop(timeout)?;
        let running = copy(&stopped, memory, layout, &wanted);
        Ok((running, (stopped.len(), stopped.resume().total)))
    };
    match trace(pid, |thread| wanted.contains_key(&thread), act) {
        // They have ended meanwhile.
        Err(Refusal::Gone) => Ok(Default::default()),
        read => read,
    }
}

/// Copies what these threads run, which stand still: by their numbers, with their places in memory.
pub(super) fn copy(
    stopped: &Stopped,
    memory: &ProcessMemory,
    layout: &Layout,
    wanted: &HashMap<u32, u64>,
) -> Vec<Running> {
    let registers = stopped.registers(|number| wanted.contains_key(&number)).into_iter();
    let threads = registers.filter_map(|(number, at)| {
        let &m = wanted.get(&number)?;
        Some(Thread { m, pc: at.pc, sp: at.sp, lr: at.lr })
    });
    running::copy(memory, layout, &threads.collect::<Vec<_>>(), stopped.until())
}

/// What threads are called here that call themselves otherwise, in a pid namespace.
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

    /// Those of these threads that run a goroutine, of which these are the places in memory.
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

    fn here(&self, own: u64) -> Option<u32> {
        match self {
            Numbers::Same => own.try_into().ok(),
            Numbers::Others(others) => others.get(&own).copied(),
        }
    }
}
