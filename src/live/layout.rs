//! The layout of the runtime's data by version of Go. The same on amd64 and arm64.

use super::memory::{Memory, Piece};
use super::sudog::Sudog;

/// Offsets in `runtime.g` (`runtime/runtime2.go`), from the DWARF of programs built with each version.
#[derive(Clone, Copy, Debug)]
pub(super) struct Layout {
    /// Whether no thread runs; then the garbage collector doesn't change stacks that it scans.
    pub(super) is_frozen: bool,
    /// The minor version of Go.
    pub(super) minor: u32,
    /// The number of wait reasons (`waitReasonStrings`).
    pub(super) wait_reasons: usize,
    /// The size of a `g`.
    pub(super) size: usize,
    lr: usize,
    syscall_sp: usize,
    syscall_pc: usize,
    status: usize,
    id: usize,
    wait_since: usize,
    wait_reason: usize,
    switches: usize,
    locked: usize,
    creator_id: usize,
    creator_pc: usize,
    start_pc: usize,
    labels: usize,
    /// `g.waiting`, the first `sudog`.
    waiting: usize,
    /// `sudog.isSelect`, `waitlink`, `elem` and `c`.
    sudog: [usize; 4],
    /// `m.procid`, the thread's ID, from where `m.gsignal` and `m.curg` are found.
    thread: usize,
    /// `m.vdsoSP`, which is followed by the PC.
    vdso: usize,
    /// `syncGroup` of Go 1.24, `bubble` from 1.25 on; 0 in versions without.
    bubble: usize,
}

// Offsets that are the same in all versions.
const LOW: usize = 0;
const HIGH: usize = 8;
const M: usize = 48;
const SP: usize = 56;
const PC: usize = 64;
const SELF: usize = 72;
/// From `m.procid` to `m.curg`.
const RUNS: usize = 120;
/// `m.curg`, `m.oldp` and `m.syscalltick` of Go 1.26 and 1.27.
const CURRENT: usize = 184;
const LAST_P: usize = 224;
const SYSTEM_CALLS: usize = 788;
/// `_Gscan`: the garbage collector scans its stack.
const SCAN: u32 = 0x1000;

/// By version; the numbers are in the order of [`row`], which derives their neighbours.
const LAYOUTS: [Layout; 7] = [
    row(21, 32, [408, 96, 144, 188, 208, 272, 0, 72, 808]),
    row(22, 37, [424, 96, 144, 191, 208, 272, 0, 72, 1120]),
    row(23, 38, [432, 96, 152, 199, 216, 280, 0, 72, 856]),
    row(24, 44, [440, 96, 152, 199, 216, 280, 392, 72, 904]),
    row(25, 47, [440, 88, 144, 191, 208, 272, 384, 64, 896]),
    row(26, 47, [456, 88, 144, 191, 208, 280, 392, 64, 896]),
    row(27, 47, [456, 88, 144, 191, 208, 280, 392, 64, 896]),
];

const fn row(minor: u32, wait_reasons: usize, numbers: [usize; 9]) -> Layout {
    let [size, lr, status, switches, locked, creator_id, bubble, thread, vdso] = numbers;
    Layout {
        is_frozen: false,
        minor,
        wait_reasons,
        size,
        lr,
        // Neighbours in all versions.
        syscall_sp: lr.saturating_add(16),
        syscall_pc: lr.saturating_add(24),
        status,
        id: status.saturating_add(8),
        wait_since: status.saturating_add(24),
        wait_reason: status.saturating_add(32),
        switches,
        locked,
        creator_id,
        creator_pc: creator_id.saturating_add(8),
        start_pc: creator_id.saturating_add(24),
        waiting: creator_id.saturating_add(40),
        labels: creator_id.saturating_add(72),
        sudog: if minor < 26 { [52, 64, 24, 80] } else { [60, 72, 32, 96] },
        thread,
        vdso,
        bubble,
    }
}

impl Layout {
    /// The layout of the newest version.
    pub(super) fn newest() -> Layout {
        let [.., newest] = LAYOUTS;
        newest
    }

    /// The layout of a version as binaries have it: `go1.27.3`, `go1.24.1 X:boringcrypto`.
    pub(super) fn of(version: &str) -> Option<Layout> {
        let minor =
            version.strip_prefix("go1.")?.split(|char: char| !char.is_ascii_digit()).next()?;
        let minor: u32 = minor.parse().ok()?;
        LAYOUTS.into_iter().find(|layout| layout.minor == minor)
    }

    /// The layout for a process whose threads don't run.
    pub(super) fn frozen(self) -> Layout {
        Layout { is_frozen: true, ..self }
    }

    /// Reads the bytes of the `g` at an address.
    pub(super) fn parse(&self, address: u64, bytes: &[u8]) -> Option<Goroutine> {
        let word = |at: usize| Some(u64::from_le_bytes(*bytes.get(at..)?.first_chunk()?));
        let byte = |at: usize| bytes.get(at).copied();
        let status = u32::from_le_bytes(*bytes.get(self.status..)?.first_chunk()?);
        let status = if self.is_frozen { status & !SCAN } else { status };
        Some(Goroutine {
            address,
            low: word(LOW)?,
            high: word(HIGH)?,
            m: word(M)?,
            sp: word(SP)?,
            pc: word(PC)?,
            itself: word(SELF)?,
            lr: word(self.lr)?,
            syscall_sp: word(self.syscall_sp)?,
            syscall_pc: word(self.syscall_pc)?,
            status: Status::of(status),
            id: word(self.id)?,
            wait_since: word(self.wait_since)?.cast_signed(),
            wait_reason: byte(self.wait_reason)?,
            switches: byte(self.switches)?,
            locked: word(self.locked)? != 0,
            creator_id: word(self.creator_id)?,
            creator_pc: word(self.creator_pc)?,
            start_pc: word(self.start_pc)?,
            labels: word(self.labels)?,
            waiting: word(self.waiting)?,
            bubble: if self.bubble == 0 { 0 } else { word(self.bubble)? },
        })
    }

    /// The ID of the thread that runs a goroutine.
    pub(super) fn thread(&self, memory: &impl Memory, goroutine: &Goroutine) -> Option<u64> {
        let mut bytes = vec![0; self.machine_size()];
        (goroutine.m != 0 && memory.fill(goroutine.m, &mut bytes)).then_some(())?;
        let machine = self.machine(&bytes)?;
        (machine.current == goroutine.address).then_some(machine.thread)
    }

    /// The number of bytes of an `m` that are read.
    pub(super) fn machine_size(&self) -> usize {
        self.vdso.saturating_add(16)
    }

    /// Reads the bytes of an `m`.
    pub(super) fn machine(&self, bytes: &[u8]) -> Option<Machine> {
        let word = |at: usize| Some(u64::from_le_bytes(*bytes.get(at..)?.first_chunk()?));
        Some(Machine {
            g0: word(0)?,
            for_signals: word(self.thread.checked_add(8)?)?,
            thread: word(self.thread)?,
            current: word(self.thread.checked_add(RUNS)?)?,
            vdso_sp: word(self.vdso)?,
            vdso_pc: word(self.vdso.checked_add(8)?)?,
        })
    }

    /// Whether `g.trackingSeq` shows that a goroutine has returned from a system call. From Go 1.26 on
    /// `exitsyscall` changes the status without `casgstatus`.
    pub(super) fn counts_system_calls(&self) -> bool {
        self.minor < 26 || self.is_frozen
    }

    /// The system call that a goroutine is in, for Go 1.26 and newer.
    pub(super) fn system_call(
        &self,
        memory: &impl Memory,
        goroutine: &Goroutine,
    ) -> Option<SystemCall> {
        let mut bytes = [0; LAST_P + 8 - CURRENT + 4];
        let piece =
            |from: usize, len| Some(Piece { address: goroutine.m.checked_add(from as u64)?, len });
        let pieces = [piece(CURRENT, LAST_P + 8 - CURRENT)?, piece(SYSTEM_CALLS, 4)?];
        let is_read = goroutine.m != 0 && memory.read_pieces(&pieces, &mut bytes) == pieces.len();
        let current = u64::from_le_bytes(*bytes.first_chunk()?);
        let (rest, &count) = bytes.split_last_chunk()?;
        let call = SystemCall { m: goroutine.m, p: u64::from_le_bytes(*rest.last_chunk()?), count };
        (is_read && current == goroutine.address).then_some(call)
    }

    /// The size of a `sudog`.
    pub(super) fn sudog_size(&self) -> usize {
        let [.., channel] = self.sudog;
        channel.saturating_add(8)
    }

    /// Reads the bytes of a `sudog`.
    pub(super) fn sudog(&self, bytes: &[u8]) -> Option<Sudog> {
        let word = |at: usize| Some(u64::from_le_bytes(*bytes.get(at..)?.first_chunk()?));
        let [is_select, next, element, channel] = self.sudog;
        Some(Sudog {
            goroutine: word(0)?,
            is_select: *bytes.get(is_select)? != 0,
            next: word(next)?,
            channel: word(channel)?,
            element: word(element)?,
        })
    }

    /// Whether `g.waiting` leads to the `sudog`s of semaphores, too.
    pub(super) fn links_semaphores(&self) -> bool {
        self.minor >= 26
    }

    /// The number of a `testing/synctest` bubble, as in headers.
    pub(super) fn bubble_id(&self, memory: &impl Memory, bubble: u64) -> Option<u64> {
        if self.minor == 24 {
            // `synctestGroup.root`, whose goroutine's number Go 1.24 prints.
            let root = memory.word(bubble.checked_add(88)?)?;
            return memory.word(root.checked_add(self.id as u64)?);
        }
        memory.word(bubble.checked_add(72)?)
    }
}

/// A thread in the runtime (`runtime.m`).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Machine {
    /// The goroutine that schedules (`m.g0`).
    pub(super) g0: u64,
    /// The goroutine that handles signals (`m.gsignal`, after `procid` since Go 1.21).
    pub(super) for_signals: u64,
    /// The thread's ID.
    pub(super) thread: u64,
    /// The goroutine that it runs; 0 for none.
    pub(super) current: u64,
    /// The stack pointer of the caller while it is in the kernel's vDSO; 0 otherwise.
    pub(super) vdso_sp: u64,
    pub(super) vdso_pc: u64,
}

/// Identifies one system call of a goroutine. Entering it, a goroutine notes its processor (`m.oldp`), and
/// how many calls have returned on that processor (`m.syscalltick`). Returning clears the first and counts
/// up the second, also if another thread has taken the processor. A wait inside the runtime
/// (`entersyscallblock`) notes no processor, and always has the same calls on its stack.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct SystemCall {
    m: u64,
    p: u64,
    count: [u8; 4],
}

/// A goroutine in the runtime (`runtime.g`).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Goroutine {
    pub(super) address: u64,
    pub(super) low: u64,
    pub(super) high: u64,
    /// The `m` that runs it, or that is in a system call for it.
    pub(super) m: u64,
    pub(super) sp: u64,
    pub(super) pc: u64,
    /// `g.sched.g`, which points to the `g` itself.
    itself: u64,
    pub(super) lr: u64,
    pub(super) syscall_sp: u64,
    pub(super) syscall_pc: u64,
    pub(super) status: Status,
    pub(super) id: u64,
    pub(super) wait_since: i64,
    pub(super) wait_reason: u8,
    /// `g.trackingSeq`: `casgstatus` adds one whenever it stops running.
    switches: u8,
    pub(super) locked: bool,
    pub(super) creator_id: u64,
    pub(super) creator_pc: u64,
    pub(super) start_pc: u64,
    pub(super) labels: u64,
    /// The first `sudog` that it waits with; 0 if there is none.
    pub(super) waiting: u64,
    pub(super) bubble: u64,
}

/// The status of a goroutine: `_Gidle` and following in `runtime/runtime2.go`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Status {
    /// Not in use: `_Gdead` and `_Gdeadextra`.
    Dead,
    Runnable,
    Running,
    Syscall,
    Waiting,
    /// Its stack is being moved, or scanned by the garbage collector.
    Busy,
    Preempted,
    Leaked,
    /// `_Gidle`. The runtime lists a goroutine when it no longer has it (`newproc1`), so this is memory
    /// that a core file lacks.
    Missing,
    /// Not a valid status: this isn't a goroutine.
    Wrong,
}

impl Status {
    fn of(status: u32) -> Status {
        match status {
            6 | 11 => Status::Dead,
            1 => Status::Runnable,
            2 => Status::Running,
            3 => Status::Syscall,
            4 => Status::Waiting,
            9 => Status::Preempted,
            10 => Status::Leaked,
            8 | 0x1000..=0x100a => Status::Busy,
            0 => Status::Missing,
            _ => Status::Wrong,
        }
    }

    /// The state in headers that don't have a wait reason.
    pub(super) fn name(self) -> &'static str {
        match self {
            Status::Runnable => "runnable",
            Status::Syscall => "syscall",
            Status::Waiting => "waiting",
            Status::Preempted => "preempted",
            Status::Leaked => "leaked",
            _ => "running",
        }
    }

    /// Whether its stack doesn't change until the status does.
    pub(super) fn is_parked(self) -> bool {
        use Status::{Leaked, Preempted, Runnable, Syscall, Waiting};
        matches!(self, Runnable | Syscall | Waiting | Preempted | Leaked)
    }
}

impl Goroutine {
    /// Whether this can be a goroutine.
    pub(super) fn is_plausible(&self) -> bool {
        if self.status == Status::Dead {
            return true;
        }
        !matches!(self.status, Status::Missing | Status::Wrong)
            && self.id != 0
            && self.itself == self.address
            && self.low < self.high
    }

    /// The start of the stack in use, which ends at `high`.
    pub(super) fn stack_start(&self) -> Option<u64> {
        let start = if self.syscall_sp != 0 { self.syscall_sp } else { self.sp };
        (self.low <= start && start <= self.high).then_some(start)
    }
}
