//! What is printed of one goroutine.

use super::annotate::{StackWords, annotate};
use super::code::Codes;
use super::labels::Labels;
use super::layout::{Goroutine, Layout, Status};
use super::memory::Memory;
use super::stack::{End, StackCopy, Start};
use super::text::{Header, print_stack};
use crate::binary::Arch;
use crate::profile::{CapturedGoroutine, Certainty};

/// What is printed of one; nothing of what Go leaves out.
pub(super) struct Block {
    pub(super) text: Vec<u8>,
    pub(super) told: CapturedGoroutine,
    /// Whether it has labels that aren't known.
    pub(super) lacks_labels: bool,
    /// The words of its stack, if that is what is wanted.
    pub(super) words: Option<StackWords>,
}

/// Prints goroutines.
pub(super) struct Printer<'a, 't, M> {
    pub(super) header: Header<'t>,
    pub(super) codes: Codes<'a>,
    pub(super) labels: Labels<'a, M>,
    pub(super) memory: &'a M,
    pub(super) layout: Layout,
    pub(super) arch: Arch,
    /// Bytes of text that there may still be.
    pub(super) room: u64,
    /// Whether the words of stacks are wanted; then nothing is left out, either.
    pub(super) annotates: bool,
}

impl<M: Memory> Printer<'_, '_, M> {
    /// The block of a goroutine, of which nothing is left where Go leaves it out; `None` if the copy isn't
    /// one of its stack, unless `at_last` as much is wanted as there is.
    pub(super) fn with_stack(
        &mut self,
        it: &Goroutine,
        (start, stack): (Start, StackCopy),
        certainty: Certainty,
        at_last: bool,
    ) -> Option<Block> {
        let (mut text, lacks_labels) = self.first_line(it);
        let printed = print_stack(&mut self.codes, self.arch, stack, start, &mut text);
        let is_broken = printed.end == End::Broken;
        if is_broken && !at_last {
            return None;
        }
        text.extend(self.creator(it));
        if self.is_hidden(it, printed.has_user_code) {
            text.clear();
        }
        let certainty = if is_broken { Certainty::Broken } else { certainty };
        let words = self
            .annotates
            .then(|| annotate(&mut self.codes, self.arch, it, (start, stack), certainty));
        self.room = self.room.saturating_sub(text.len() as u64);
        let used = Some(it.high.saturating_sub(start.sp));
        let told = CapturedGoroutine { used, ..self.told(it, certainty) };
        Some(Block { text, told, lacks_labels, words: words.flatten() })
    }

    /// The block of a goroutine that runs, or of which the stack isn't there.
    pub(super) fn without_stack(&mut self, it: &Goroutine) -> Block {
        let mut shown = *it;
        let is_missing = self.layout.stands_still && it.status.is_parked();
        if !is_missing {
            shown.status = Status::Running;
        }
        let (mut text, lacks_labels) = self.first_line(&shown);
        if !is_missing {
            text.extend_from_slice(b"\tgoroutine running on other thread; stack unavailable\n");
        }
        text.extend(self.creator(it));
        if self.is_hidden(it, false) {
            text.clear();
        }
        let told = CapturedGoroutine { used: None, ..self.told(it, Certainty::Unstable) };
        Block { text, told, lacks_labels, words: None }
    }

    /// What isn't in the text.
    fn told(&self, it: &Goroutine, certainty: Certainty) -> CapturedGoroutine {
        let waits = matches!(it.status, Status::Waiting | Status::Syscall) && it.wait_since != 0;
        let blocked = self.header.now.saturating_sub(it.wait_since);
        CapturedGoroutine {
            id: it.id,
            certainty,
            allocated: it.high.saturating_sub(it.low),
            used: it.stack_start().map(|start| it.high.saturating_sub(start)),
            thread: self.layout.thread(self.memory, it),
            blocked: u64::try_from(blocked).ok().filter(|_| waits),
            waits_on: Vec::new(),
        }
    }

    /// The first line, and whether labels are missing in it.
    fn first_line(&mut self, it: &Goroutine) -> (Vec<u8>, bool) {
        let bubble = self.labels.bubble(it);
        let labels = self.labels.of(it);
        let line = self.header.line(it, bubble, labels.unwrap_or_default());
        (line.into_bytes(), labels.is_none())
    }

    fn creator(&self, it: &Goroutine) -> Vec<u8> {
        let creator = self.codes.creator(it.creator_pc, it.creator_id);
        // The first one was created by the runtime.
        creator.filter(|_| it.id != 1).unwrap_or_default()
    }

    /// Whether it is one of the runtime's own (`isSystemGoroutine`): by the function that it started with,
    /// and for those that call finalizers and cleanups by whether they do so now.
    fn is_hidden(&self, it: &Goroutine, has_user_code: bool) -> bool {
        if self.annotates {
            return false;
        }
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
