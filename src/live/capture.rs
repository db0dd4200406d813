//! Reading all goroutines of a process that goes on running.
//!
//! A goroutine, its stack and the goroutine again are neighbours of one call. If both readings of the
//! goroutine are equal and it didn't run, its stack didn't change in between: whoever runs counts up
//! `g.trackingSeq` when it stops. That is one byte, and 256 stops take 25 us and more, while a
//! microsecond or two lie between the two readings; a call in which this program had to wait for a processor
//! takes longer than [`LONGEST`], and what it read is read again. Stacks move, and what was one is another's a moment later. So a copy
//! belongs to the goroutine that it was read with and is asked for nothing else.

use super::code::Codes;
use super::error::Refusal;
use super::labels::{self, Labels};
use super::layout::{Goroutine, Layout, Status};
use super::locate;
use super::memory::{Memory, PIECES, Piece};
use super::stack::{End, StackCopy, Start};
use super::text::{Header, print_stack};
use crate::binary::{Binary, Slide};
use crate::limits::LIMITS;
use crate::live::Capture;
use crate::profile::CapturedGoroutine;
use std::ops::Range;
use std::time::{Duration, Instant};

/// Times that a goroutine is read which runs whenever it is looked at.
const ROUNDS: usize = 8;

/// The time that one call may take, of which there are [`LIMITS`]`.live_batch` bytes to read, a fifth of
/// that time's work. A processor is given to others for milliseconds.
const LONGEST: Duration = Duration::from_millis(2);

/// What is read, and what is known of it.
pub(super) struct Target<'a, M> {
    pub(super) memory: &'a M,
    pub(super) binary: &'a Binary,
    pub(super) slide: Slide,
    layout: Layout,
    /// Where the list of all goroutines is.
    list: u64,
    wait_reasons: Vec<String>,
    labels_shown: bool,
}

impl<'a, M: Memory> Target<'a, M> {
    /// Finds what is needed, before any goroutine is looked at.
    pub(super) fn find(
        memory: &'a M,
        binary: &'a Binary,
        slide: Slide,
        environment: &[u8],
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
        )
    }

    /// The same, of a process that has its variables in these places.
    pub(super) fn find_in(
        memory: &'a M,
        binary: &'a Binary,
        slide: Slide,
        [data, zeros]: &[Range<u64>; 2],
        environment: &[u8],
    ) -> Result<Target<'a, M>, Refusal> {
        let built = binary.build_info();
        let version = built.as_ref().map_or("its version of Go", |info| &info.go).to_owned();
        let Some(mut layout) = Layout::of(&version) else {
            return Err(Refusal::Version(version));
        };
        layout.stands_still = memory.stands_still();
        let wait_reasons = locate::wait_reasons(memory, data, &layout);
        let list = locate::goroutines(memory, zeros, &layout);
        let labels_shown = labels::shown(layout.minor, built.as_ref(), environment);
        match (list, wait_reasons) {
            (Some(list), Some(wait_reasons)) => {
                Ok(Target { memory, binary, slide, layout, list, wait_reasons, labels_shown })
            }
            _ => Err(Refusal::Layout(version)),
        }
    }

    /// Reads all goroutines. `now` is the time by the clock of the process.
    pub(super) fn capture(&self, now: impl Fn() -> i64) -> Result<Capture, Refusal> {
        let changed = || Refusal::Layout("this process".to_owned());
        let addresses = locate::addresses(self.memory, self.list).ok_or_else(changed)?;
        let mut items = Vec::new();
        let mut unread = addresses.len() as u64;
        locate::each(self.memory, &addresses, self.layout.size, |at, bytes| {
            unread = unread.saturating_sub(1);
            let address = addresses.get(at).copied().unwrap_or_default();
            let read = self.layout.parse(address, bytes);
            if let Some(first) = read.filter(|it| it.is_plausible() && it.status != Status::Dead) {
                items.push(Item { first, latest: first, block: None });
            }
        });
        let header =
            Header { minor: self.layout.minor, wait_reasons: &self.wait_reasons, now: now() };
        let mut printer = Printer {
            header,
            codes: Codes::new(self.binary, self.slide, self.layout.minor),
            labels: Labels::new(self.memory, self.layout, self.labels_shown),
            target: self,
            room: LIMITS.live_text,
        };
        let mut left: Vec<usize> = (0..items.len()).collect();
        for round in 1..=ROUNDS {
            self.round(&mut items, &mut left, &mut printer, round == ROUNDS);
            if left.is_empty() || printer.room == 0 {
                break;
            }
        }
        for at in left {
            if let Some(item) = items.get_mut(at) {
                item.block = Some(printer.without_stack(&item.latest));
            }
        }
        if printer.room == 0 {
            return Err(Refusal::TooMuch);
        }
        let mut capture = Capture::of(items.into_iter().filter_map(|item| item.block));
        capture.counts.unread = unread;
        capture.captured.goroutines.sort_by_key(|goroutine| goroutine.id);
        capture.captured.tells_waits = true;
        Ok(capture)
    }

    /// Reads those that are left once more; tells which are left then.
    fn round(
        &self,
        items: &mut [Item],
        left: &mut Vec<usize>,
        printer: &mut Printer<M>,
        is_last: bool,
    ) {
        let size = self.layout.size;
        let mut buffer = Vec::new();
        let mut still = Vec::new();
        let mut rest = left.as_slice();
        while !rest.is_empty() && printer.room > 0 {
            let (mut pieces, mut bytes, mut count) = (Vec::new(), 0_usize, 0_usize);
            for item in rest.iter().filter_map(|&at| items.get(at)) {
                let of_stack = item.latest.stack_piece();
                let more = size.saturating_mul(2).saturating_add(of_stack.len);
                let full = bytes.saturating_add(more) > LIMITS.live_batch;
                if count > 0 && full || pieces.len().saturating_add(3) > PIECES {
                    break;
                }
                let goroutine = Piece { address: item.latest.address, len: size };
                pieces.extend([goroutine, of_stack, goroutine]);
                bytes = bytes.saturating_add(more);
                count = count.saturating_add(1);
            }
            buffer.resize(bytes, 0);
            let started = Instant::now();
            let read = self.memory.read_pieces(&pieces, &mut buffer) / 3;
            // One stack may be larger than a batch.
            let parts = bytes.checked_div(LIMITS.live_batch).unwrap_or(0).saturating_add(1);
            let longest = LONGEST.saturating_mul(u32::try_from(parts).unwrap_or(u32::MAX));
            let was_interrupted = !self.layout.stands_still && started.elapsed() > longest;
            let (batch, behind) = rest.split_at_checked(count).unwrap_or((rest, &[]));
            let mut unread = buffer.as_slice();
            for &at in batch.get(..read).unwrap_or_default() {
                let Some(item) = items.get_mut(at) else { continue };
                let stack = item.latest.stack_piece();
                let mut take = |len| unread.split_off(..len).unwrap_or_default();
                let (before, copy, after) = (take(size), take(stack.len), take(size));
                let address = item.latest.address;
                let same_bytes = before == after;
                let Some(after) = self.layout.parse(address, after) else { continue };
                let unchanged = !was_interrupted && same_bytes && after.stack_piece() == stack;
                item.latest = after;
                let copy = StackCopy { start: stack.address, bytes: copy };
                let settled = match after.status {
                    Status::Dead => true,
                    // From Go 1.26 on nothing counts how often one came back from a system call.
                    Status::Syscall if self.layout.minor >= 26 && !self.layout.stands_still => {
                        false
                    }
                    status if unchanged && status.is_parked() => {
                        item.block = printer.with_stack(item, copy, is_last);
                        item.block.is_some() || is_last
                    }
                    _ => false,
                };
                if !settled {
                    still.push(at);
                }
            }
            // What was in the way of the others is read anew, from the goroutine on.
            if let Some(&at) = batch.get(read) {
                if let Some(item) = items.get_mut(at) {
                    let mut bytes = vec![0; size];
                    let address = item.latest.address;
                    let now = self.memory.fill(address, &mut bytes);
                    let now = self.layout.parse(address, &bytes).filter(|_| now);
                    item.latest = now.unwrap_or(item.latest);
                }
                still.push(at);
            }
            let passed = if read < count { read.saturating_add(1) } else { count };
            let (_, after) = batch.split_at_checked(passed).unwrap_or((batch, &[]));
            rest = match after.is_empty() {
                true => behind,
                false => rest.get(passed..).unwrap_or_default(),
            };
        }
        *left = still;
    }
}

/// A goroutine, as it was at first and when it was read last.
struct Item {
    first: Goroutine,
    latest: Goroutine,
    block: Option<Block>,
}

/// What is printed of one; nothing of what Go leaves out.
pub(super) struct Block {
    pub(super) text: Vec<u8>,
    told: CapturedGoroutine,
    pub(super) certainty: Certainty,
}

/// How well a goroutine is known.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Certainty {
    /// As it was when the capture started.
    Exact,
    /// As it was a moment later.
    Drifted,
    /// It ran whenever it was looked at, or its stack can't be read.
    Unstable,
}

impl Goroutine {
    /// The stack in use, as much of it as is copied; nothing of one that runs.
    fn stack_piece(&self) -> Piece {
        let start = self.stack_start().filter(|_| self.status.is_parked());
        let address = start.unwrap_or_default();
        let len = start.map_or(0, |start| self.high.saturating_sub(start));
        Piece { address, len: usize::try_from(len).unwrap_or(usize::MAX).min(LIMITS.live_stack) }
    }

    fn start(&self) -> Start {
        let is_syscall = self.syscall_sp != 0;
        match is_syscall {
            true => Start { pc: self.syscall_pc, sp: self.syscall_sp, lr: 0, is_syscall },
            false => Start { pc: self.pc, sp: self.sp, lr: self.lr, is_syscall },
        }
    }
}

struct Printer<'a, 't, M> {
    header: Header<'t>,
    codes: Codes<'a>,
    labels: Labels<'a, M>,
    target: &'t Target<'a, M>,
    /// Bytes of text that there may still be.
    room: u64,
}

impl<M: Memory> Printer<'_, '_, M> {
    /// The block of a goroutine, of which nothing is left where Go leaves it out; `None` if the copy isn't
    /// one of its stack, unless `at_last` as much is wanted as there is.
    fn with_stack(&mut self, item: &Item, stack: StackCopy, at_last: bool) -> Option<Block> {
        let it = &item.latest;
        let mut text = self.first_line(it);
        let arch = self.target.binary.arch();
        let printed = print_stack(&mut self.codes, arch, stack, it.start(), &mut text);
        if printed.end == End::Broken && !at_last {
            return None;
        }
        text.extend(self.creator(it));
        if self.is_hidden(it, printed.has_user_code) {
            text.clear();
        }
        let certainty = match () {
            () if printed.end == End::Broken => Certainty::Unstable,
            () if item.first == *it => Certainty::Exact,
            () => Certainty::Drifted,
        };
        self.room = self.room.saturating_sub(text.len() as u64);
        Some(Block { text, certainty, told: self.told(it) })
    }

    /// The block of a goroutine that runs, or of which the stack isn't there.
    fn without_stack(&mut self, it: &Goroutine) -> Block {
        let mut shown = *it;
        let is_missing = self.target.layout.stands_still && it.status.is_parked();
        if !is_missing {
            shown.status = Status::Running;
        }
        let mut text = self.first_line(&shown);
        if !is_missing {
            text.extend_from_slice(b"\tgoroutine running on other thread; stack unavailable\n");
        }
        text.extend(self.creator(it));
        if self.is_hidden(it, false) {
            text.clear();
        }
        let told = CapturedGoroutine { used: None, ..self.told(it) };
        Block { text, certainty: Certainty::Unstable, told }
    }

    /// What isn't in the text.
    fn told(&self, it: &Goroutine) -> CapturedGoroutine {
        let Target { memory, layout, .. } = self.target;
        let waits = matches!(it.status, Status::Waiting | Status::Syscall) && it.wait_since != 0;
        let blocked = self.header.now.saturating_sub(it.wait_since);
        CapturedGoroutine {
            id: it.id,
            allocated: it.high.saturating_sub(it.low),
            used: it.stack_start().map(|start| it.high.saturating_sub(start)),
            thread: layout.thread(*memory, it),
            blocked: u64::try_from(blocked).ok().filter(|_| waits),
        }
    }

    fn first_line(&mut self, it: &Goroutine) -> Vec<u8> {
        let bubble = self.labels.bubble(it);
        let labels = self.labels.of(it);
        self.header.line(it, bubble, labels).into_bytes()
    }

    fn creator(&self, it: &Goroutine) -> Vec<u8> {
        let creator = self.codes.creator(it.creator_pc, it.creator_id);
        // The first one was created by the runtime.
        creator.filter(|_| it.id != 1).unwrap_or_default()
    }

    /// Whether it is one of the runtime's own (`isSystemGoroutine`): by the function that it started with,
    /// and for those that call finalizers and cleanups by whether they do so now.
    fn is_hidden(&self, it: &Goroutine, has_user_code: bool) -> bool {
        let Some(function) = self.codes.function(it.start_pc) else { return false };
        match &*function.name() {
            b"runtime.main" | b"runtime.corostart" | b"runtime.handleAsyncEvent" => false,
            b"runtime.runfinq" | b"runtime.runFinalizers" | b"runtime.runCleanups" => {
                !has_user_code
            }
            name => name.starts_with(b"runtime."),
        }
    }
}

impl Capture {
    /// What was made of the goroutines.
    fn of(blocks: impl Iterator<Item = Block>) -> Capture {
        let mut capture = Capture::default();
        for block in blocks.filter(|block| !block.text.is_empty()) {
            if !capture.text.is_empty() {
                capture.text.push(b'\n');
            }
            capture.text.extend_from_slice(&block.text);
            capture.captured.goroutines.push(block.told);
            let counts = &mut capture.counts;
            let count = match block.certainty {
                Certainty::Exact => &mut counts.exact,
                Certainty::Drifted => &mut counts.drifted,
                Certainty::Unstable => &mut counts.unstable,
            };
            *count = count.saturating_add(1);
        }
        capture
    }
}
