//! The text of one goroutine.

use super::annotate::{StackWords, annotate};
use super::code::{Codes, Started};
use super::labels::Labels;
use super::layout::{Goroutine, Layout, Status};
use super::memory::Memory;
use super::stack::{End, StackCopy, Start};
use super::text::{Header, print_stack};
use crate::binary::Arch;
use crate::profile::{CapturedGoroutine, Certainty};

/// The text of one goroutine; empty if Go wouldn't print it.
pub(super) struct Block {
    pub(super) text: Vec<u8>,
    pub(super) captured: CapturedGoroutine,
    /// Whether its labels couldn't be read.
    pub(super) lacks_labels: bool,
    /// The words of its stack, if they are wanted.
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
    /// How many bytes of text may still be printed.
    pub(super) room: u64,
    /// Whether the words of stacks are wanted; then all goroutines are printed.
    pub(super) annotates: bool,
}

impl<M: Memory> Printer<'_, '_, M> {
    /// Returns the block of a goroutine (empty if Go wouldn't print it); `None` if the copy doesn't unwind
    /// as its stack, unless `at_last` a partial stack is better than none.
    pub(super) fn with_stack(
        &mut self,
        goroutine: &Goroutine,
        (start, stack): (Start, StackCopy),
        certainty: Certainty,
        at_last: bool,
    ) -> Option<Block> {
        let (mut text, lacks_labels) = self.first_line(goroutine);
        let printed = print_stack(&mut self.codes, self.arch, stack, start, &mut text);
        let is_broken = printed.end == End::Broken;
        if is_broken && !at_last {
            return None;
        }
        text.extend(self.creator(goroutine));
        self.room = self.room.saturating_sub(text.len() as u64);
        if self.is_hidden(goroutine, printed.has_user_code) {
            text.clear();
        }
        let certainty = if is_broken { Certainty::Broken } else { certainty };
        let words = self
            .annotates
            .then(|| annotate(&mut self.codes, self.arch, goroutine, (start, stack), certainty));
        let used = Some(goroutine.high.saturating_sub(start.sp));
        let captured = CapturedGoroutine { used, ..self.captured(goroutine, certainty) };
        Some(Block { text, captured, lacks_labels, words: words.flatten() })
    }

    /// Returns the block of a goroutine that runs, or whose stack couldn't be read.
    pub(super) fn without_stack(&mut self, goroutine: &Goroutine) -> Block {
        let mut shown = *goroutine;
        let is_missing = self.layout.is_frozen && goroutine.status.is_parked();
        if !is_missing {
            shown.status = Status::Running;
        }
        let (mut text, lacks_labels) = self.first_line(&shown);
        if !is_missing {
            text.extend_from_slice(b"\tgoroutine running on other thread; stack unavailable\n");
        }
        text.extend(self.creator(goroutine));
        self.room = self.room.saturating_sub(text.len() as u64);
        if self.is_hidden(goroutine, false) {
            text.clear();
        }
        let captured =
            CapturedGoroutine { used: None, ..self.captured(goroutine, Certainty::Unstable) };
        Block { text, captured, lacks_labels, words: None }
    }

    /// The facts that the text doesn't have.
    fn captured(&self, goroutine: &Goroutine, certainty: Certainty) -> CapturedGoroutine {
        let waits = matches!(goroutine.status, Status::Waiting | Status::Syscall)
            && goroutine.wait_since != 0;
        let blocked = self.header.now.saturating_sub(goroutine.wait_since);
        CapturedGoroutine {
            id: goroutine.id,
            certainty,
            allocated: goroutine.high.saturating_sub(goroutine.low),
            used: goroutine.stack_start().map(|start| goroutine.high.saturating_sub(start)),
            thread: self.layout.thread(self.memory, goroutine),
            blocked: u64::try_from(blocked).ok().filter(|_| waits),
            waits_on: Vec::new(),
        }
    }

    /// The first line, and whether its labels are missing.
    fn first_line(&mut self, goroutine: &Goroutine) -> (Vec<u8>, bool) {
        let bubble = self.labels.bubble(goroutine);
        let labels = self.labels.of(goroutine);
        let line = self.header.line(goroutine, bubble, labels.unwrap_or_default());
        (line.into_bytes(), labels.is_none())
    }

    fn creator(&mut self, goroutine: &Goroutine) -> Vec<u8> {
        let creator = self.codes.creator(goroutine.creator_pc, goroutine.creator_id);
        // The runtime created the first goroutine.
        creator.filter(|_| goroutine.id != 1).unwrap_or_default()
    }

    /// Whether Go doesn't print it.
    fn is_hidden(&mut self, goroutine: &Goroutine, has_user_code: bool) -> bool {
        match self.codes.started(goroutine.start_pc) {
            _ if self.annotates => false,
            Started::Shown => false,
            Started::Hidden => true,
            Started::ShownWithUserCode => !has_user_code,
        }
    }
}
