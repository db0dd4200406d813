//! Adds a goroutine to the profile once all its lines are read.

use super::{OpenGoroutine, PendingState};
use crate::format::traceback::{calls, lines};
use crate::limits::LIMITS;
use crate::profile::{
    Ancestor, InputId, NewGoroutine, ProfileBuilder, SampleId, SampleSpec, Wait, WarningKind, flag,
};

/// Facts about a goroutine that was added.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Finished {
    /// Whether a part of it is missing.
    pub(crate) partial: bool,
    /// Whether Go elided frames.
    pub(crate) elided: bool,
    /// Whether Go had no stack to show.
    pub(crate) unavailable: bool,
    /// Lines after the goroutine that were held back until it was clear that it had ended.
    pub(crate) text_lines: u64,
    /// The sample in which it is counted.
    pub(crate) sample: SampleId,
    /// Whether it runs a deferred function during a panic, as a function does that logs one; Go's
    /// own stacks start where the panic was raised.
    pub(crate) recovers: bool,
}

impl OpenGoroutine {
    /// Whether the last line can be the start of one of its lines. Behind its root only the runtime's own can follow, and
    /// not behind other text.
    fn may_be_cut(&self) -> bool {
        self.doubtful == 1 || self.doubtful > 1 && !self.is_at_its_root()
    }

    /// Ends the goroutine; `cut_line` says whether the input stopped inside a line, `ends_open` whether no
    /// blank line follows, with which Go ends each goroutine.
    pub(crate) fn finish(
        &mut self,
        input: InputId,
        cut_line: bool,
        ends_open: bool,
        builder: &mut ProfileBuilder,
    ) -> Finished {
        let mut partial = self.cut
            || self.open_place.is_damaged
            || self.pending.state == PendingState::Call
            || self.creator_func.is_some()
            || self.breaks_off
            || self.pcs.are_lost()
            || (self.has_arguments && self.lacks_arguments)
            || (cut_line && (self.may_be_cut() || self.offset_missing || self.lacks_main()))
            || (ends_open && self.offset_missing && self.has_offsets)
            || (self.is_empty() && (self.id > 0 || ends_open))
            || (self.frames.is_empty() && self.creator.is_some() && !self.unavailable)
            || (ends_open && self.lacks_creator() && builder.knows_creators(input));
        // The line that was cut is one of the goroutine's own.
        self.doubtful = self.doubtful.saturating_sub(u64::from(cut_line || self.breaks_off));
        if self.pending.state == PendingState::Call {
            let frame = builder.frame(&self.pending.func, b"", 0);
            self.push(frame);
        }
        if let Some(func) = self.creator_func.take() {
            let func = if cut_line { lines::without_stump(&func) } else { &func };
            self.take_creator(builder.frame(func, b"", 0));
        }
        partial |= self.ancestors.iter().any(|ancestor| ancestor.frames.is_empty());
        let mut flags = self.status.flags;
        if partial {
            flags = builder.with_flag(flags, flag::TRUNCATED);
        }
        if self.unavailable {
            flags = builder.with_flag(flags, flag::UNAVAILABLE);
        }
        let stack = builder.stack(&self.frames);
        let locations = calls::locations(&self.frames, &self.calls, builder);
        let sample = builder.sample_at(
            &SampleSpec {
                input,
                stack,
                full: stack,
                state: self.status.state,
                flags,
                labels: self.status.labels,
                creator: self.creator,
                elided: self.elided,
            },
            locations,
        );
        let new = NewGoroutine {
            id: self.id,
            created_by: self.created_by,
            wait: self.wait.unwrap_or(Wait::UNKNOWN),
        };
        let position = builder.goroutine(sample, &new);
        if !self.addresses.is_empty() && builder.keeps_addresses(sample, self.addresses.waits) {
            builder.addresses(sample, &new, position, &self.addresses.as_new_addresses());
        }
        if std::mem::take(&mut self.arguments_left_out) {
            let limit = LIMITS.argument_bytes >> 20;
            let text = format!("only the first {limit} MB of arguments are shown (argument_bytes)");
            builder.input_mut(input).warn(WarningKind::Note, None, text);
        }
        if let Some(at) = position {
            if !self.arguments.is_empty() {
                builder.arguments(at, &self.arguments);
            }
            for ancestor in self.ancestors.drain(..) {
                let stack = builder.stack(&ancestor.frames);
                builder
                    .ancestor(at, Ancestor { id: ancestor.id, stack, creator: ancestor.creator });
            }
        }
        Finished {
            partial,
            elided: self.elided.is_some(),
            unavailable: self.unavailable,
            text_lines: self.doubtful,
            sample,
            recovers: self.recovers,
        }
    }
}
