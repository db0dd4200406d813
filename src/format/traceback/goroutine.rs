//! One goroutine while its lines are read, even with other lines between them.

mod broken;
mod finish;
mod place;
#[cfg(test)]
mod tests;

pub(crate) use finish::Finished;

use super::addresses::{CallAddresses, Role};
use super::calls::CallDetails;
use super::closing::before_quote;
use super::frame_addresses::Pcs;
use super::header::Attributes;
use super::lookalike::NOT_GO_AT;
use super::rest::{is_rest, is_stray};
use super::status::Status;
use super::{lines, names};
use crate::format::notice::before_mark;
use crate::limits::LIMITS;
use crate::profile::{Elision, FrameId, Keep, ProfileBuilder, StrId, Wait, flag};
use broken::OpenPlace;

/// How a goroutine uses a line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Use {
    /// The line is part of it.
    Took,
    /// The line may belong to a log that came between; later lines decide.
    Doubtful,
    /// The goroutine ended before the line.
    Ended,
}

/// After this many doubtful lines in a row a goroutine has ended, and a log follows.
const PATIENCE: u64 = 64;

/// Printed instead of the frames of a goroutine that another thread runs.
pub(crate) const UNAVAILABLE: &[u8] = b"goroutine running on other thread; stack unavailable";

/// A call whose place is still to come.
#[derive(Debug, Default)]
struct Pending {
    func: Vec<u8>,
    state: PendingState,
    inlined: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
enum PendingState {
    /// No call waits for its place.
    #[default]
    None,
    /// A call with arguments.
    Call,
    /// A call whose arguments break off at the end of the line.
    Open,
    /// A line that may be only a name (cgo), or a line of a log.
    Bare,
}

/// An ancestor while its lines are read.
#[derive(Debug)]
struct OpenAncestor {
    id: u64,
    frames: Vec<FrameId>,
    creator: Option<FrameId>,
}

/// A goroutine while its lines are read. Its buffers are reused for the next one.
#[derive(Debug, Default)]
pub(crate) struct OpenGoroutine {
    pub(crate) id: u64,
    status: Status,
    wait: Option<Wait>,
    frames: Vec<FrameId>,
    pending: Pending,
    creator_func: Option<Vec<u8>>,
    creator: Option<FrameId>,
    created_by: Option<u64>,
    elided: Option<Elision>,
    /// The addresses among its arguments.
    addresses: CallAddresses,
    /// The arguments of its calls, leaf first.
    arguments: Vec<StrId>,
    /// The bytes of arguments so far, of all goroutines.
    argument_bytes: usize,
    arguments_left_out: bool,
    /// The details of its calls, leaf first, if they are kept.
    calls: Vec<CallDetails>,
    unavailable: bool,
    ancestors: Vec<OpenAncestor>,
    /// The line of the header, counted from 1.
    pub(crate) header_line: u64,
    /// Whether the last frame is one that nothing can be below.
    is_at_root: bool,
    /// Whether a function outside of the runtime was read: those that are still to come called it.
    past_runtime: bool,
    /// Whether it runs a deferred function of a panic, which is further down the stack.
    recovers: bool,
    /// Whether the text stopped in the middle of it.
    cut: bool,
    /// Whether its last place ends a quoted text: nothing of it can follow.
    is_closed: bool,
    /// Whether the last line lacked the offset that Go prints: the text may have been cut there.
    offset_missing: bool,
    /// Whether any of its places has one: some tools leave them out.
    has_offsets: bool,
    /// Whether any of its calls has arguments.
    has_arguments: bool,
    /// Whether any name without them has a place with an offset: Go prints both, unless some tool left out
    /// the arguments of all.
    lacks_arguments: bool,
    pcs: Pcs,
    open_place: OpenPlace,
    doubtful: u64,
    first_doubtful: u64,
    /// Whether the first doubtful line looks like the start of a call, directly after a frame.
    breaks_off: bool,
    /// Lines inside it that aren't part of a dump, and the first of them.
    pub(crate) foreign: u64,
    pub(crate) first_foreign: u64,
}

impl OpenGoroutine {
    /// Starts a goroutine, dropping the previous one.
    pub(crate) fn start(
        &mut self,
        id: u64,
        attributes: &Attributes<'_>,
        header_line: u64,
        builder: &mut ProfileBuilder,
    ) {
        let mut frames = std::mem::take(&mut self.frames);
        frames.clear();
        let mut addresses = std::mem::take(&mut self.addresses);
        addresses.clear();
        let mut arguments = std::mem::take(&mut self.arguments);
        arguments.clear();
        let mut status = Status::new(attributes, builder);
        if id == 0 {
            status.flags = builder.with_flag(status.flags, flag::SYSTEM);
        }
        *self = OpenGoroutine {
            id,
            status,
            wait: Some(attributes.wait),
            frames,
            addresses,
            arguments,
            argument_bytes: self.argument_bytes,
            arguments_left_out: self.arguments_left_out,
            header_line,
            cut: !attributes.closed || attributes.damaged,
            ..OpenGoroutine::default()
        };
    }

    /// Takes one line without its line end; it is never a header, a blank line or the start of a
    /// crash.
    pub(crate) fn line(&mut self, line: &[u8], number: u64, builder: &mut ProfileBuilder) -> Use {
        if self.take_rest_of_place(line) {
            return Use::Took;
        }
        if self.continues_call(line) {
            self.pending.func.extend_from_slice(line);
            if !line.ends_with(b")") {
                return Use::Took;
            }
            // The start wasn't a line of a log.
            self.doubtful = self.doubtful.saturating_sub(1);
            self.pending.state = PendingState::None;
            let call = std::mem::take(&mut self.pending.func);
            return self.line(&call, number, builder);
        }
        if let Some((func, goroutine)) = self.rest_of_creator(line) {
            self.creator_func = Some(func);
            if self.ancestors.is_empty() {
                self.created_by = Some(goroutine);
            }
            return Use::Took;
        }
        if line.first().is_some_and(|byte| matches!(byte, b'\t' | b' ')) {
            if lines::runtime_noise(line) {
                return Use::Took;
            }
            // Go writes a tab in front of the address of a frame of C: it is what is left of a place.
            self.cut |= line.starts_with(b" pc=");
            return self.indented(line.trim_ascii_start(), number, builder);
        }
        if self.unavailable && lines::call(line).is_some_and(names::is_certain) {
            // Only its creator follows: the call is that of another goroutine, the header of which is lost.
            return Use::Ended;
        }
        if let Some((func, goroutine)) = lines::created_by(line) {
            if self.complete() {
                // It is that of another goroutine, the start of which is lost.
                return Use::Ended;
            }
            self.cut |= self.id == 1 && self.is_joined(b"");
            self.cut |= lines::after_creator(line).is_some_and(is_stray);
            self.before_certain_line(builder);
            if self.ancestors.is_empty() {
                self.created_by = goroutine;
            }
            // `-o debug2` writes no function if only the goroutine is known.
            self.creator_func = (!func.is_empty()).then(|| func.to_vec());
            return Use::Took;
        }
        if let Some(count) = lines::elided(line) {
            self.before_certain_line(builder);
            if self.ancestors.is_empty() {
                let after = u32::try_from(self.frames.len()).unwrap_or(u32::MAX);
                self.elided = Some(Elision { after, count });
            }
            return Use::Took;
        }
        if let Some(id) = lines::originating(line) {
            self.before_certain_line(builder);
            self.ancestors.push(OpenAncestor { id, frames: Vec::new(), creator: None });
            return Use::Took;
        }
        if lines::is_start_of_ancestor(line) {
            self.cut = true;
            return Use::Took;
        }
        if line.starts_with(NOT_GO_AT) {
            self.before_certain_line(builder);
            let frame = builder.frame(line, b"", 0);
            self.push(frame);
            self.is_at_root = false;
            return Use::Took;
        }
        if lines::runtime_noise(line) {
            return Use::Took;
        }
        if line == UNAVAILABLE {
            return self.indented(line, number, builder);
        }
        // Some tools trim lines. Only Go writes places with offsets, also where the line of the call is lost.
        if let Some(place) = lines::indented_place(line)
            && (self.awaits_place() || place.offset)
        {
            return self.place(place, number, builder);
        }
        if self.complete() {
            return Use::Ended;
        }
        // What `grep -A` writes for the lines that it leaves out; a line of its own that was cut.
        let is_cut_line = || {
            !names::runs_before_main(&self.pending.func)
                && before_mark(before_quote(line)).is_some_and(|before| {
                    !before.contains(&b' ') || lines::CREATED_BY.starts_with(before)
                })
        };
        self.cut |= !self.is_at_its_root() && (line == b"--" || is_cut_line());
        match lines::call(line) {
            Some(func) if names::is_plausible(func) && !lines::is_end_of_call(func) => {
                self.cut |= self.is_joined(func);
                self.before_certain_line(builder);
                self.pending.func.clear();
                self.pending.func.extend_from_slice(func);
                self.pending.state = PendingState::Call;
                self.pending.inlined = line.ends_with(b"(...)");
                if self.ancestors.is_empty() {
                    self.take_arguments(func, line, builder);
                }
                Use::Took
            }
            _ => {
                if self.pending.state == PendingState::Call && lines::open_call(line).is_some() {
                    // The place of the call before is lost; the next one is another's.
                    self.before_certain_line(builder);
                }
                self.cut |= !self.is_at_its_root() && is_rest(line);
                if self.pending.state != PendingState::Call {
                    let is_open = lines::open_call(line).is_some();
                    // Nothing else in a stack starts like `created by`: this is a damaged line of the creator.
                    self.breaks_off |= !self.is_empty() && lines::is_start_of_creator(line);
                    self.breaks_off |= self.doubtful == 0
                        && !self.is_empty()
                        && !self.is_at_its_root()
                        && (is_open
                            || lines::breaks_off_in_arguments(line)
                            || lines::is_closed_call(line)
                            || lines::call_before_text(line).is_some()
                            || line.starts_with(b"runtime.")
                            || lines::is_glued_creator(line)
                            || lines::is_cut_name(line)
                            || self.id > 1 && names::has_bytes_of_names(line));
                    self.pending.func.clear();
                    self.pending.func.extend_from_slice(line);
                    self.pending.state =
                        if is_open { PendingState::Open } else { PendingState::Bare };
                    self.pending.inlined = !is_open;
                }
                self.doubt(number)
            }
        }
    }

    /// Takes the arguments of a call, as far as they are kept.
    fn take_arguments(&mut self, func: &[u8], line: &[u8], builder: &mut ProfileBuilder) {
        let Keep { addresses, arguments, .. } = builder.keep();
        let Some(after) = line.get(func.len()..).and_then(|text| text.strip_prefix(b"(")) else {
            return;
        };
        if addresses {
            self.addresses.call(Role::of(func), self.frames.len(), after);
        }
        if arguments {
            self.argument_bytes = self.argument_bytes.saturating_add(after.len());
            if self.argument_bytes > LIMITS.argument_bytes {
                // Noted once: everything after that is over the limit too.
                self.arguments_left_out |=
                    self.argument_bytes.saturating_sub(after.len()) <= LIMITS.argument_bytes;
                return;
            }
            let text = after.strip_suffix(b")").unwrap_or(after);
            // Frames without a call, such as those of C, have no arguments.
            self.arguments.resize(self.frames.len(), StrId::EMPTY);
            self.arguments.push(builder.string(text));
        }
    }

    /// Notes that lines of it stand in one line, which isn't read.
    pub(crate) fn lacks_lines(&mut self) {
        self.cut = true;
    }

    fn push(&mut self, frame: FrameId) {
        match self.ancestors.last_mut() {
            None => self.frames.push(frame),
            Some(ancestor) => ancestor.frames.push(frame),
        }
    }

    /// Is called before a line that certainly belongs to the goroutine. Doubtful lines before it, an open
    /// or bare one too, belong to a log; a call or creator that waits for its place becomes a frame
    /// without one.
    fn before_certain_line(&mut self, builder: &mut ProfileBuilder) {
        self.settle_doubt();
        self.offset_missing = false;
        if self.pending.state == PendingState::Call {
            self.cut = true;
            let frame = builder.frame(&self.pending.func, b"", 0);
            self.push(frame);
            self.is_at_root = names::is_root(&self.pending.func);
        }
        self.pending.state = PendingState::None;
        if let Some(func) = self.creator_func.take() {
            self.cut = true;
            self.take_creator(builder.frame(&func, b"", 0));
        }
    }

    fn take_creator(&mut self, frame: FrameId) {
        match self.ancestors.last_mut() {
            None => self.creator = Some(frame),
            Some(ancestor) => ancestor.creator = Some(frame),
        }
    }

    fn settle_doubt(&mut self) {
        self.breaks_off = false;
        if self.foreign == 0 {
            self.first_foreign = self.first_doubtful;
        }
        self.foreign = self.foreign.saturating_add(self.doubtful);
        self.doubtful = 0;
    }

    fn doubt(&mut self, number: u64) -> Use {
        if self.doubtful >= PATIENCE {
            return Use::Ended;
        }
        if self.doubtful == 0 {
            self.first_doubtful = number;
        }
        self.doubtful = self.doubtful.saturating_add(1);
        Use::Doubtful
    }

    /// Notes that something else begins although no blank line ended the goroutine. Only goroutine
    /// 1 and those of the runtime have no creator.
    pub(crate) fn interrupt(&mut self) {
        self.cut |= self.id > 1 && self.creator.is_none() && self.creator_func.is_none();
    }

    /// Whether the last frame is one that nothing can be below.
    pub(crate) fn is_at_its_root(&self) -> bool {
        self.is_at_root && self.pending.state != PendingState::Call
    }

    /// Whether it is the own stack of a thread, down to where that left the goroutine that it ran.
    pub(crate) fn is_whole_thread(&self) -> bool {
        self.id == 0 && self.pending.func.as_slice() == b"runtime.mcall"
    }

    /// Whether a function is one of another goroutine, as the text between the two is lost.
    fn is_joined(&self, func: &[u8]) -> bool {
        self.ancestors.is_empty() && self.is_at_its_root() && !names::may_be_below_a_root(func)
    }

    /// Whether the next place is that of the `go` statement.
    pub(crate) fn awaits_creator_place(&self) -> bool {
        self.creator_func.is_some()
    }

    /// Whether a line certainly is a part of the goroutine although a blank line comes before it,
    /// as line ends were doubled; `None` if only a place after it would show that.
    pub(crate) fn goes_on(&self, line: &[u8]) -> Option<bool> {
        let open = !self.complete();
        let is_certain = || {
            lines::elided(line).is_some()
                || lines::originating(line).is_some()
                || matches!(lines::created_by(line), Some((_, Some(_))))
        };
        if self.awaits_place() && lines::indented_place(line).is_some()
            || self.is_empty() && line.trim_ascii_start() == UNAVAILABLE
            || open && is_certain()
            || self.rest_of_creator(line).is_some()
        {
            return Some(true);
        }
        let below = !self.unavailable && (!self.is_at_its_root() || line.starts_with(b"runtime."));
        let is_call = || below && lines::call(line).is_some_and(names::is_certain);
        let is_creator = || line.starts_with(lines::CREATED_BY);
        if open && (is_call() || is_creator()) { None } else { Some(false) }
    }

    /// Whether the text ended before the line with the goroutine's creator. Goroutines without a
    /// creator end in the first function of their thread.
    fn lacks_creator(&self) -> bool {
        self.id > 1
            && self.creator.is_none()
            && self.elided.is_none()
            && !self.unavailable
            && !self.frames.is_empty()
            && self.ancestors.is_empty()
            && !self.is_at_its_root()
            && !names::is_called_by_c(&self.pending.func)
    }

    /// Whether the text ended before the function that the first goroutine starts in: `main.main`, or
    /// one that initializes a package.
    fn lacks_main(&self) -> bool {
        let last = self.pending.func.as_slice();
        self.id == 1
            && self.has_offsets
            && self.elided.is_none()
            && self.ancestors.is_empty()
            && !self.is_at_its_root()
            && !names::runs_before_main(last)
    }

    /// Whether the next line should be a place.
    fn awaits_place(&self) -> bool {
        matches!(self.pending.state, PendingState::Call | PendingState::Open)
            || self.creator_func.is_some()
    }

    /// Whether its header wasn't one: only text followed, no line of a goroutine.
    pub(crate) fn is_text(&self) -> bool {
        self.is_empty() && self.doubtful > 0 && !self.cut
    }

    /// How many lines were held back and don't belong to a goroutine.
    pub(crate) fn doubtful(&self) -> u64 {
        self.doubtful
    }

    /// Whether only the header was read.
    pub(crate) fn is_empty(&self) -> bool {
        self.frames.is_empty()
            && self.creator.is_none()
            && self.creator_func.is_none()
            && self.elided.is_none()
            && self.pending.state != PendingState::Call
            && !self.unavailable
    }

    /// Whether only ancestors can follow.
    pub(crate) fn complete(&self) -> bool {
        self.creator.is_some() && self.creator_func.is_none() && self.ancestors.is_empty()
    }
}
