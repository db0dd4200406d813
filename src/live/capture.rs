//! Reading all goroutines of a process that keeps running.
//!
//! One call of [`Memory::read_pieces`] reads a goroutine's `g`, its stack, then the `g` again. If both copies
//! of the `g` are equal and it didn't run, its stack didn't change in between: a goroutine that runs counts up
//! `g.trackingSeq` when it stops. That is one byte, and 256 stops take 25 us and more, while the two reads
//! are a microsecond or two apart. If this program had to wait for a processor, the call takes longer than
//! [`LONGEST`]; it is then repeated, with smaller batches each round. Stacks move, and their memory is
//! reused at once, so a copy is only used for the goroutine that it was read with.
//!
//! From Go 1.26 on a return from a system call isn't counted. The counters of the thread then show whether
//! the goroutine is still in the same call ([`SystemCall`]).

use super::block::{Block, Printer};
use super::code::Codes;
use super::error::Refusal;
use super::labels::{self, Labels};
use super::layout::{Goroutine, Layout, Status, SystemCall};
use super::locate;
use super::memory::{self, Memory, PIECES, Piece, room};
use super::running::Running;
use super::stack::{StackCopy, Start};
use super::sudog::{self, Waiter};
use super::text::Header;
use crate::binary::{Arch, Binary, Slide};
use crate::limits::LIMITS;
use crate::live::{Capture, CaptureMode, CaptureOptions, Certainty, Wanted, goroutines};
use std::collections::{BTreeSet, HashMap};
use std::ops::Range;
use std::time::{Duration, Instant};

/// How often a goroutine is read if it runs each time. In the last rounds it is read alone.
const ROUNDS: u32 = 10;

/// How often a goroutine is read in memory that doesn't change: again if its `sudog`s can't be read, without
/// them.
const FROZEN_ROUNDS: u32 = 2;

/// How long one call may take to read [`LIMITS`]`.live_batch` bytes: five times what it needs. A thread that
/// loses its processor waits for milliseconds.
const LONGEST: Duration = Duration::from_millis(2);

/// What is read, and how.
pub(super) struct Target<'a, M> {
    pub(super) memory: &'a M,
    pub(super) binary: &'a Binary,
    pub(super) slide: Slide,
    pub(super) layout: Layout,
    /// The address of the list of all goroutines.
    pub(super) list: u64,
    pub(super) wait_reasons: Vec<String>,
    /// Whether headers have labels.
    pub(super) labels_shown: bool,
    /// Which goroutines are read.
    pub(super) wanted: Wanted,
    /// The most bytes of text.
    pub(super) most_text: u64,
}

impl<'a, M: Memory> Target<'a, M> {
    /// Finds the runtime's tables in memory, before any goroutine is read.
    pub(super) fn find(
        memory: &'a M,
        binary: &'a Binary,
        slide: Slide,
        environment: &[u8],
        force: bool,
    ) -> Result<Target<'a, M>, Refusal> {
        let moved = |range: &Range<u64>| {
            range.start.wrapping_add(slide.bytes())..range.end.wrapping_add(slide.bytes())
        };
        Target::find_in(
            memory,
            binary,
            slide,
            &binary.variables().each_ref().map(moved),
            environment,
            force,
        )
    }

    /// Like [`Target::find`], with the addresses of the variables in the process.
    pub(super) fn find_in(
        memory: &'a M,
        binary: &'a Binary,
        slide: Slide,
        [data, zeros]: &[Range<u64>; 2],
        environment: &[u8],
        force: bool,
    ) -> Result<Target<'a, M>, Refusal> {
        let built = binary.build_info();
        let version = built.as_ref().map_or("its version of Go", |info| &info.go).to_owned();
        let layout = Layout::of(&version).or_else(|| force.then(Layout::newest));
        let Some(mut layout) = layout else {
            return Err(Refusal::Version(version));
        };
        layout.is_frozen = memory.is_frozen();
        let wait_reasons = locate::wait_reasons(memory, data, &layout);
        let list = locate::goroutines(memory, zeros, &layout);
        if memory.has_ended() {
            return Err(Refusal::Ended);
        }
        let labels_shown = labels::shown(layout.minor, built.as_ref(), environment);
        match (list, wait_reasons) {
            (Some(list), Some(wait_reasons)) => Ok(Target {
                memory,
                binary,
                slide,
                layout,
                list,
                wait_reasons,
                labels_shown,
                wanted: Wanted::All,
                most_text: LIMITS.live_text,
            }),
            _ => Err(Refusal::Layout(version)),
        }
    }

    /// Reads all goroutines. `now` is the time by the clock of the process; `running` reads the goroutines
    /// that run on the given threads (addresses of `runtime.m`).
    pub(super) fn capture(
        &self,
        now: impl Fn() -> i64,
        running: impl FnOnce(&Layout, &[u64]) -> Result<Vec<Running>, Refusal>,
    ) -> Result<Capture, Refusal> {
        let list = locate::addresses(self.memory, self.list).ok_or_else(|| self.changed())?;
        let locate::List { addresses, beyond } = list;
        let mut items = Vec::new();
        let mut unread = addresses.len() as u64;
        // Each is listed once.
        let is_listed = memory::disjoint(&self.goroutines(&addresses));
        locate::each(self.memory, &addresses, self.layout.size, |at, bytes| {
            if is_listed.get(at) != Some(&true) {
                return;
            }
            let address = addresses.get(at).copied().unwrap_or_default();
            let read = self.layout.parse(address, bytes);
            let Some(first) = read.filter(Goroutine::is_plausible) else { return };
            unread = unread.saturating_sub(1);
            let is_wanted = self.wanted.id().is_none_or(|id| id == first.id);
            if is_wanted && first.status != Status::Dead {
                items.push(Item::new(first, self.system_call(&first)));
            }
        });
        if let (Some(id), []) = (self.wanted.id(), items.as_slice()) {
            return Err(Refusal::NoGoroutine(id));
        }
        // A goroutine that from now on is read unchanged was also so while `running` stopped the threads.
        let of_running = |item: &Item| (item.first.status == Status::Running, item.first.m);
        let threads = items.iter().map(of_running).filter(|&(runs, m)| runs && m != 0);
        let threads: BTreeSet<u64> = threads.map(|(_, m)| m).collect();
        let threads: Vec<u64> = threads.into_iter().collect();
        let running =
            if threads.is_empty() { Vec::new() } else { running(&self.layout, &threads)? };
        self.find_sudogs(&mut items);
        let header =
            Header { minor: self.layout.minor, wait_reasons: &self.wait_reasons, now: now() };
        let mut printer = Printer {
            header,
            codes: Codes::new(self.binary, self.slide, self.layout.minor),
            labels: Labels::new(self.memory, self.layout, self.labels_shown),
            memory: self.memory,
            layout: self.layout,
            arch: self.binary.arch(),
            room: self.most_text,
            annotates: matches!(self.wanted, Wanted::Words(_)),
        };
        let mut running: HashMap<u64, Running> =
            running.into_iter().map(|running| (running.goroutine.address, running)).collect();
        for item in &mut items {
            if let Some(Running { goroutine, start, stack }) = running.remove(&item.first.address)
                && goroutine.id == item.first.id
            {
                let stack = (start, StackCopy { start: start.sp, bytes: &stack });
                item.block = printer.with_stack(&goroutine, stack, Certainty::Exact, false);
            }
        }
        let mut overlapping = 0_u64;
        if self.layout.is_frozen {
            // Stacks of a process that runs may move while they are listed.
            let stacks: Vec<Piece> = items.iter().map(|item| item.first.stack_piece()).collect();
            let is_own = memory::disjoint(&stacks);
            for (item, _) in items.iter_mut().zip(is_own).filter(|(_, is_own)| !is_own) {
                let block = printer.without_stack(&item.first);
                overlapping = overlapping.saturating_add((!block.text.is_empty()).into());
                item.block = Some(block);
            }
        }
        let is_left = |at: &usize| items.get(*at).is_some_and(|item| item.block.is_none());
        let mut left: Vec<usize> = (0..items.len()).filter(is_left).collect();
        let rounds = if self.layout.is_frozen { FROZEN_ROUNDS } else { ROUNDS };
        for round in 1..=rounds {
            self.round(&mut items, &mut left, &mut printer, (round, round == rounds));
            if left.is_empty() || printer.room == 0 || self.memory.has_ended() {
                break;
            }
        }
        if self.memory.has_ended() {
            return Err(Refusal::Ended);
        }
        for at in left {
            if let Some(item) = items.get_mut(at).filter(|_| printer.room > 0) {
                item.block = Some(printer.without_stack(&item.latest));
            }
        }
        if printer.room == 0 {
            return Err(Refusal::TooMuch(self.most_text));
        }
        let mut capture = Capture::of(items.into_iter().filter_map(|item| item.block));
        if let (Wanted::Words(id), None) = (self.wanted, &capture.words) {
            return Err(match self.binary.arch() {
                Arch::Amd64 => Refusal::NoStack(id),
                _ => Refusal::NoWords,
            });
        }
        capture.captured.counts.unread = unread;
        capture.overlapping = overlapping;
        if overlapping > 0 {
            let of = goroutines(overlapping);
            let what = format!("nothing is known of the stacks of {of}: others have that memory");
            capture.captured.losses.push(what);
        }
        if beyond > 0 {
            let (of, listed) =
                (goroutines(beyond), (addresses.len() as u64).saturating_sub(beyond));
            let what = format!(
                "its list of goroutines is damaged: {of} follow the {listed} that it counts"
            );
            capture.captured.losses.push(what);
        }
        capture.captured.goroutines.sort_by_key(|goroutine| goroutine.id);
        capture.captured.has_waits = true;
        Ok(capture)
    }

    /// The error if the list of goroutines isn't readable any more.
    pub(super) fn changed(&self) -> Refusal {
        match self.memory.has_ended() {
            true => Refusal::Ended,
            false => Refusal::Layout("this process".to_owned()),
        }
    }

    /// The system call that a goroutine is in, if the version of Go makes it necessary to know.
    fn system_call(&self, goroutine: &Goroutine) -> Option<SystemCall> {
        let is_needed = goroutine.status == Status::Syscall && !self.layout.counts_system_calls();
        is_needed.then(|| self.layout.system_call(self.memory, goroutine)).flatten()
    }

    /// Looks up the `sudog`s of goroutines that wait.
    fn find_sudogs(&self, items: &mut [Item]) {
        let waiter = |item: &Item| Waiter::of(&item.first, &self.wait_reasons);
        let (places, waiters): (Vec<usize>, Vec<Waiter>) =
            items.iter().enumerate().filter_map(|(at, item)| Some((at, waiter(item)?))).unzip();
        let found = sudog::find(self.memory, &self.layout, &waiters);
        for (at, found) in places.into_iter().zip(found) {
            if let Some(item) = items.get_mut(at) {
                item.sudogs = found;
            }
        }
    }

    /// Reads the goroutines in `left` once more; afterwards `left` has those that still aren't read.
    fn round(
        &self,
        items: &mut [Item],
        left: &mut Vec<usize>,
        printer: &mut Printer<M>,
        (round, is_last): (u32, bool),
    ) {
        // If a batch takes too long, smaller ones may not.
        let halved = |all: usize| all.checked_shr(round.saturating_sub(1)).unwrap_or(0);
        let (most_bytes, most_pieces) = (halved(LIMITS.live_batch), halved(PIECES));
        let size = self.layout.size;
        let mut buffer = Vec::new();
        let mut remaining = Vec::new();
        let mut rest = left.as_slice();
        while !rest.is_empty() && printer.room > 0 && !self.memory.has_ended() {
            let (mut pieces, mut bytes) = (Vec::new(), 0_usize);
            // Where the pieces of each goroutine end in `pieces`.
            let mut ends = Vec::new();
            for item in rest.iter().filter_map(|&at| items.get(at)) {
                let own = item.pieces(&self.layout);
                let more = own.iter().map(|piece| piece.len).fold(0, usize::saturating_add);
                let end = pieces.len().saturating_add(own.len());
                let full = bytes.saturating_add(more) > most_bytes || end > most_pieces;
                if !ends.is_empty() && full {
                    break;
                }
                pieces.extend(own);
                bytes = bytes.saturating_add(more);
                ends.push(end);
            }
            let count = ends.len();
            let copied = room(&mut buffer, bytes);
            let started = Instant::now();
            let read = self.memory.read_pieces(&pieces, copied);
            let read = ends.partition_point(|&end| end <= read);
            // One stack may be larger than a batch.
            let parts = bytes.checked_div(LIMITS.live_batch).unwrap_or(0).saturating_add(1);
            let longest = LONGEST.saturating_mul(u32::try_from(parts).unwrap_or(u32::MAX));
            let was_interrupted = !self.layout.is_frozen && started.elapsed() > longest;
            let (batch, following) = rest.split_at_checked(count).unwrap_or((rest, &[]));
            let mut unread: &[u8] = copied;
            for &at in batch.get(..read).unwrap_or_default() {
                let Some(item) = items.get_mut(at) else { continue };
                let stack = item.latest.stack_piece();
                let mut take = |len| unread.split_off(..len).unwrap_or_default();
                let (before, copy) = (take(size), take(stack.len));
                let of_sudogs = self.layout.sudog_size().saturating_mul(item.sudogs.len());
                let (sudogs, after) = (take(of_sudogs), take(size));
                let same_bytes = before == after;
                let Some(after) = self.layout.parse(item.latest.address, after) else { continue };
                let is_same = match after.status {
                    Status::Syscall if !self.layout.counts_system_calls() => {
                        item.is_in_same(self.system_call(&after))
                    }
                    _ => !was_interrupted,
                };
                let unchanged = is_same && same_bytes && after.stack_piece() == stack;
                item.latest = after;
                let copy = StackCopy { start: stack.address, bytes: copy };
                let settled = match after.status {
                    Status::Dead => true,
                    status if unchanged && status.is_parked() => {
                        let stack = (after.start(), copy);
                        item.block = printer.with_stack(&after, stack, item.certainty(), is_last);
                        if let Some(block) = &mut item.block {
                            let (layout, reasons) = (&self.layout, &self.wait_reasons);
                            block.captured.waits_on = sudog::waits_on(
                                layout,
                                reasons,
                                &after,
                                copy,
                                &item.sudogs,
                                sudogs,
                            );
                        }
                        item.block.is_some() || is_last
                    }
                    _ => false,
                };
                if !settled {
                    remaining.push(at);
                }
            }
            // The goroutine at which reading stopped is read anew, `g` first.
            if let Some(&at) = batch.get(read) {
                if let Some(item) = items.get_mut(at) {
                    let mut bytes = vec![0; size];
                    let address = item.latest.address;
                    let now = self.memory.fill(address, &mut bytes);
                    let now = self.layout.parse(address, &bytes).filter(|_| now);
                    item.latest = now.unwrap_or(item.latest);
                    item.sudogs.clear();
                }
                remaining.push(at);
            }
            let passed = if read < count { read.saturating_add(1) } else { count };
            let (_, after) = batch.split_at_checked(passed).unwrap_or((batch, &[]));
            rest = match after.is_empty() {
                true => following,
                false => rest.get(passed..).unwrap_or_default(),
            };
        }
        *left = remaining;
    }
}

/// A goroutine, as it was first read and as it was last read.
struct Item {
    first: Goroutine,
    latest: Goroutine,
    /// The system call that it was in when it was last read.
    call: Option<SystemCall>,
    /// Whether it was in another system call, or none, before.
    called_since: bool,
    /// The addresses of the `sudog`s that it was first seen waiting with.
    sudogs: Vec<u64>,
    block: Option<Block>,
}

impl Item {
    fn new(first: Goroutine, call: Option<SystemCall>) -> Item {
        Item { first, latest: first, call, called_since: false, sudogs: Vec::new(), block: None }
    }

    /// The pieces that one call reads: the `g`, its stack, its `sudog`s, and the `g` again.
    fn pieces(&self, layout: &Layout) -> Vec<Piece> {
        let goroutine = Piece { address: self.latest.address, len: layout.size };
        let mut pieces = vec![goroutine, self.latest.stack_piece()];
        pieces.extend(sudog::pieces(layout, &self.sudogs));
        pieces.push(goroutine);
        pieces
    }

    /// Whether it is still in the same system call; `now` is the one that it is in now.
    fn is_in_same(&mut self, now: Option<SystemCall>) -> bool {
        let is_same = now.is_some() && now == self.call;
        self.called_since |= !is_same;
        self.call = now;
        is_same
    }

    /// How well it is known if it didn't change since it was last read.
    fn certainty(&self) -> Certainty {
        match self.first == self.latest && !self.called_since {
            true => Certainty::Exact,
            false => Certainty::Drifted,
        }
    }
}

impl Goroutine {
    /// The stack in use, up to the limit for a copy; empty for a goroutine that runs.
    pub(super) fn stack_piece(&self) -> Piece {
        let start = self.stack_start().filter(|_| self.status.is_parked());
        let address = start.unwrap_or_default();
        let len = start.map_or(0, |start| self.high.saturating_sub(start));
        Piece { address, len: usize::try_from(len).unwrap_or(usize::MAX).min(LIMITS.live_stack) }
    }

    pub(super) fn start(&self) -> Start {
        let is_syscall = self.syscall_sp != 0;
        match is_syscall {
            true => Start {
                pc: self.syscall_pc,
                sp: self.syscall_sp,
                lr: 0,
                is_syscall,
                is_trap: false,
            },
            false => Start { pc: self.pc, sp: self.sp, lr: self.lr, is_syscall, is_trap: false },
        }
    }
}

/// Reads the goroutines of a process through `memory`. Its threads aren't stopped: running goroutines have
/// no stack, and in the mode [`CaptureMode::Full`] all others are read from a copy.
///
/// # Errors
/// If the memory isn't that of this program, or the program isn't a Go program.
pub fn capture_memory(
    memory: &impl Memory,
    (binary, slide): (&Binary, Slide),
    environment: &[u8],
    options: &CaptureOptions,
    input: &str,
) -> crate::error::Result<Capture> {
    let read = || -> Result<Capture, Refusal> {
        let mut target = Target::find(memory, binary, slide, environment, options.force)?;
        target.wanted = options.wanted;
        // Without the clock of the process, nothing has waited yet.
        let now = || 0;
        if options.mode != CaptureMode::Full {
            return target.capture(now, |_, _| Ok(Vec::new()));
        }
        let until = Instant::now().checked_add(options.stop_timeout).ok_or(Refusal::TooSlow)?;
        let (mut copy, sudogs) = target.prepare()?;
        target.copy(&mut copy, sudogs, until)?;
        target.in_copy(&copy).capture(now, |_, _| Ok(Vec::new()))
    };
    let mut capture = read().map_err(|refusal| refusal.error(input))?;
    capture.tell(options.mode);
    Ok(capture)
}

impl Capture {
    /// Puts the blocks together.
    fn of(blocks: impl Iterator<Item = Block>) -> Capture {
        let mut capture = Capture::default();
        for block in blocks.filter(|block| !block.text.is_empty()) {
            if !capture.text.is_empty() {
                capture.text.push(b'\n');
            }
            capture.text.extend_from_slice(&block.text);
            capture.words = capture.words.or(block.words);
            let counts = &mut capture.captured.counts;
            counts.unlabelled = counts.unlabelled.saturating_add(block.lacks_labels.into());
            let count = match block.captured.certainty {
                Certainty::Exact => &mut counts.exact,
                Certainty::Drifted => &mut counts.drifted,
                Certainty::Broken => &mut counts.broken,
                Certainty::Unstable => &mut counts.unstable,
            };
            *count = count.saturating_add(1);
            capture.captured.goroutines.push(block.captured);
        }
        capture
    }
}
