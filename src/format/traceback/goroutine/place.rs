//! Places: the lines that complete calls and creators.

use super::{OpenGoroutine, PendingState, UNAVAILABLE, Use};
use crate::format::traceback::calls::CallDetails;
use crate::format::traceback::frame_addresses::Addresses;
use crate::format::traceback::lines::{self, FileLine};
use crate::format::traceback::names;
use crate::format::traceback::recovered;
use crate::format::traceback::rest::is_stray;
use crate::profile::ProfileBuilder;
use crate::profile::function::raises_panic;

impl OpenGoroutine {
    /// Takes a line that began with a tab or blanks, which are cut off.
    pub(super) fn indented(
        &mut self,
        text: &[u8],
        number: u64,
        builder: &mut ProfileBuilder,
    ) -> Use {
        if text == UNAVAILABLE {
            self.before_certain_line(builder);
            // Go prints it instead of calls: the header of another goroutine is lost.
            self.cut |= !self.is_empty();
            self.unavailable = true;
            return Use::Took;
        }
        let place = match lines::place(text) {
            Some(place) => place,
            // cgo without a symbolizer: `non-Go function`, and the address in the next line.
            None if text.starts_with(b"pc=0x") => {
                FileLine { file: b"", line: 0, offset: true, after: text }
            }
            // An indented dump can follow immediately.
            None if self.complete() => return Use::Ended,
            None => {
                // A path that breaks off; its call can be lost.
                let is_first = self.doubtful == 0 && !self.is_empty() && !self.is_at_its_root();
                self.breaks_off |= is_first && text.starts_with(b"/");
                return self.doubt(number);
            }
        };
        self.place(place, number, builder)
    }

    /// Takes the place of the call or creator that waits for one.
    pub(super) fn place(
        &mut self,
        place: FileLine<'_>,
        number: u64,
        builder: &mut ProfileBuilder,
    ) -> Use {
        self.has_offsets |= place.offset;
        let addresses = Addresses::read(place.after);
        let pcs = self.pcs;
        self.cut |= lines::holds_lines(place.file) || self.is_closed;
        self.is_closed = addresses.are_closed;
        if let Some(func) = self.creator_func.take() {
            self.settle_doubt();
            // Go prints them of frames alone.
            self.cut |= addresses.has_fp || addresses.are_damaged;
            let is_lost = names::has_lost_a_part(&func, place.file);
            self.cut |= is_lost;
            let func = if is_lost { lines::without_stump(&func) } else { &func };
            self.take_creator(builder.frame(func, place.file, place.line));
            self.offset_missing = !place.offset;
            return Use::Took;
        }
        if self.take_cut_creator(&place, builder) {
            return Use::Took;
        }
        if self.ancestors.is_empty() {
            self.pcs.note(addresses);
        }
        match self.pending.state {
            PendingState::None => {
                // Only Go writes places with offsets: the line of its call is lost.
                self.cut |= place.offset || addresses.are_damaged;
                return self.doubt(number);
            }
            PendingState::Call => {
                self.has_arguments = true;
                // Calls of C, whose place can be missing, have none.
                self.cut |= place.file.is_empty();
                // Go prints no offset for a call that is inlined: the place is another one's. It prints all calls of
                // ancestors like that.
                self.cut |= self.pending.inlined && place.offset && self.ancestors.is_empty();
                self.settle_doubt();
            }
            PendingState::Bare if lines::is_damaged_name(&self.pending.func) => {
                self.cut = true;
                self.pending.state = PendingState::None;
                return self.doubt(number);
            }
            // A stack that an error or a logger prints, below the goroutine: Go prints arguments and offsets.
            PendingState::Bare if self.is_at_root && !place.offset => {
                self.pending.state = PendingState::None;
                return self.doubt(number);
            }
            PendingState::Bare | PendingState::Open => {
                let line = &self.pending.func;
                let whole = lines::call_before_text(line);
                if let Some(func) = whole.or_else(|| lines::open_call(line)) {
                    // The addresses among the arguments tell who waits for whom.
                    self.cut |= whole.is_none();
                    // Other programs write there, too, but not the end of a line.
                    self.cut |= lines::after_call(line, func).is_some_and(is_stray);
                    let length = func.len();
                    self.pending.func.truncate(length);
                }
                let is_bare = self.pending.state == PendingState::Bare;
                if is_bare && names::has_lost_a_part(&self.pending.func, place.file) {
                    self.cut = true;
                    self.pending.state = PendingState::None;
                    return self.doubt(number);
                }
                // Only calls of C have names alone, and an address.
                self.lacks_arguments |=
                    is_bare && !place.after.trim_ascii_start().starts_with(b"pc=");
                // The bare line was a frame after all, not a line of a log.
                self.doubtful = self.doubtful.saturating_sub(1);
                self.first_doubtful = self.first_doubtful.saturating_add(1);
                self.settle_doubt();
            }
        }
        self.pending.state = PendingState::None;
        let func = self.pending.func.as_slice();
        self.cut |= names::has_lost_a_part(func, place.file);
        self.recovers |= self.past_runtime && raises_panic(func);
        self.past_runtime |= !raises_panic(func) && !recovered::is_of_runtime(func);
        let frame = builder.frame(func, place.file, place.line);
        if builder.keep().calls && self.ancestors.is_empty() {
            // Frames without a place have no details.
            self.calls.resize(self.frames.len(), CallDetails::default());
            self.calls.push(CallDetails::read(place.after, self.pending.inlined));
        }
        self.push(frame);
        self.is_at_root = names::is_root(&self.pending.func);
        self.offset_missing = !place.offset && !self.pending.inlined;
        self.open_place.start(place.after, addresses.are_damaged, pcs);
        Use::Took
    }

    /// Takes a line that waits for its place as the creator, if it is the end of a creator's line.
    fn take_cut_creator(&mut self, place: &FileLine<'_>, builder: &mut ProfileBuilder) -> bool {
        if !matches!(self.pending.state, PendingState::Bare | PendingState::Open) {
            return false;
        }
        let Some((_, func, id)) = lines::end_of_creator(&self.pending.func) else { return false };
        let frame = builder.frame(func, place.file, place.line);
        self.cut = true;
        self.doubtful = self.doubtful.saturating_sub(1);
        self.settle_doubt();
        if self.ancestors.is_empty() {
            self.created_by = Some(id);
        }
        self.take_creator(frame);
        self.pending.state = PendingState::None;
        self.offset_missing = !place.offset;
        true
    }
}
