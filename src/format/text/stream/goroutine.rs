//! Goroutines in a stream: where they start and end.

use super::{CrashHint, Mode, Stream};
use crate::format::debug1::line;
use crate::format::goleak;
use crate::format::log;
use crate::format::text::losses::Loss;
use crate::format::text::shared::Shared;
use crate::format::traceback::closing::is_closing;
use crate::format::traceback::goroutine::{UNAVAILABLE, Use};
use crate::format::traceback::header::{Attributes, Header};
use crate::format::traceback::rest::is_rest;
use crate::format::traceback::{lines, lookalike, names};
use crate::profile::{CrashKind, InputFormat, InputId, WarningKind};

/// States of goroutines that can have crashed, including an unknown one; goroutines in other states
/// wait.
const RUNS: [&[u8]; 5] = [b"running", b"runnable", b"syscall", b"idle", b""];

impl Stream {
    /// Starts a goroutine if the line is a header.
    pub(super) fn header(&mut self, line: &[u8], number: u64, shared: &mut Shared<'_, '_>) -> bool {
        let goleak_attributes;
        let (id, attributes) = match (Header::cut(line), goleak::Entry::cut(line)) {
            (Some(header), _) => (header.id, Attributes::parse(header.attributes)),
            (None, Some(entry)) => {
                self.goleak_id = Some(entry.id);
                shared.lost(Loss::Header, entry.joined(line), number);
                if entry.opens_list
                    && let Some(before) = self.open_list.replace(number)
                {
                    shared.lost(Loss::List, 1, before);
                }
                goleak_attributes = entry.attributes();
                (entry.id, Attributes::parse(&goleak_attributes))
            }
            (None, None) => return false,
        };
        let input = self.input(InputFormat::Debug2, shared);
        let found = shared.builder.input_mut(input);
        found.seen.headers = found.seen.headers.saturating_add(1);
        let Some(attributes) = attributes else {
            let text = format!(
                "the header of goroutine {id} isn't written as Go writes it; the goroutine is not counted"
            );
            found.warn(WarningKind::Header, Some(number), text);
            return true;
        };
        if !line.ends_with(b":") {
            // If line ends became blanks, further headers are in the same line.
            shared.lost(Loss::Header, lookalike::count(line).saturating_sub(1), number);
        }
        shared.dump_line();
        shared.observe(line);
        self.name_crashed(id, attributes.state, input, shared);
        let hint = self.crash_hint.take();
        shared.lost(Loss::Crash, matches!(hint, Some(CrashHint::Rest)).into(), number);
        self.above = hint.filter(|_| !self.crashed && attributes.state == b"running");
        self.start_goroutine(id, &attributes, number, shared);
        true
    }

    /// Starts the goroutine of the last line again if this line is its header: releases of goleak
    /// up to v1.2.1 print it below a line of their own.
    pub(super) fn goleak_header(
        &mut self,
        goleak_id: u64,
        line: &[u8],
        number: u64,
        shared: &mut Shared<'_, '_>,
    ) -> bool {
        let Some(header) = Header::cut(line).filter(|header| header.id == goleak_id) else {
            return false;
        };
        let Some(attributes) = Attributes::parse(header.attributes) else { return false };
        shared.observe(line);
        self.start_goroutine(goleak_id, &attributes, number, shared);
        true
    }

    pub(super) fn start_goroutine(
        &mut self,
        id: u64,
        attributes: &Attributes<'_>,
        number: u64,
        shared: &mut Shared<'_, '_>,
    ) {
        self.goroutine.start(id, attributes, number, shared.builder);
        let after = attributes.after;
        // A line that has lost its start, and the line end before it.
        let is_glued = after.first().is_some_and(|byte| !byte.is_ascii_whitespace());
        if lines::starts_call(after)
            || is_rest(after.trim_ascii())
            || lookalike::places(after) > 0
            || is_glued && !is_closing(after)
        {
            self.goroutine.lacks_lines();
        }
        self.mode = Mode::Goroutine;
        (self.after_blank, self.has_blanks, self.loose_call) = (false, false, false);
    }

    /// Takes a line inside a goroutine; `false` if the goroutine has ended before it.
    pub(super) fn goroutine_line(
        &mut self,
        line: &[u8],
        number: u64,
        shared: &mut Shared<'_, '_>,
    ) -> bool {
        if line.is_empty() {
            self.after_blank = true;
            return true;
        }
        let in_value = !self.indent.is_empty();
        let Some(line) = line.strip_prefix(self.indent.as_slice()) else {
            // The value has ended; the goroutine that panicked follows.
            self.end_goroutine(false, false, shared);
            self.end_value();
            return false;
        };
        if self.after_blank && !self.goes_on_after_blank(line, number, shared) {
            self.end_goroutine(false, false, shared);
            return in_value && self.line_of_value(line, number, shared);
        }
        if self.held_call.is_some() {
            return true;
        }
        let ends =
            log::wraps_dump(line) || self.goroutine.is_at_its_root() && log::wraps_crash(line);
        if ends {
            self.goroutine.interrupt();
        } else if !Self::starts_something(line) && self.take_line(line, number, shared) {
            return true;
        }
        self.end_goroutine(false, false, shared);
        in_value && self.line_of_value(line, number, shared)
    }

    /// Passes a line to the goroutine; `false` if the goroutine has ended.
    fn take_line(&mut self, line: &[u8], number: u64, shared: &mut Shared<'_, '_>) -> bool {
        // Places of frames are left out: their files would match by accident.
        let offered = !line.starts_with(b"\t") || self.goroutine.awaits_creator_place();
        let took = self.goroutine.line(line, number, shared.builder);
        if took == Use::Took {
            shared.dump_line();
        }
        if took == Use::Doubtful {
            shared.text_line(line, number);
            // Below the first line of a crash's message stand others so.
            shared.lost(Loss::Crash, line.starts_with(b"\tpanic: ").into(), number);
            match self.goroutine.is_at_its_root() {
                // It is whole: frames below it are those of another one.
                true => self.note_pieces(line, number, shared),
                false => {
                    shared.passed_over(line, number);
                    if lines::starts_call(line) && lookalike::places(line) > 0 {
                        // Lines of the goroutine grew together.
                        self.goroutine.lacks_lines();
                    }
                }
            }
        }
        if took != Use::Ended && offered {
            shared.observe(line);
        }
        took != Use::Ended
    }

    /// Takes a line of a panic's value after a goroutine in it.
    fn line_of_value(&mut self, line: &[u8], number: u64, shared: &mut Shared<'_, '_>) -> bool {
        if !self.header(line, number, shared) {
            self.text_lines(1, shared);
            shared.passed_over(line, number);
            self.end_value();
        }
        true
    }

    pub(super) fn end_value(&mut self) {
        self.indent.clear();
        self.wants_goroutine = true;
    }

    /// Takes the goroutine back, as its header wasn't one: a panic's value or a log mentions a
    /// goroutine.
    fn take_back(&mut self, input: InputId, shared: &mut Shared<'_, '_>) {
        let found = shared.builder.input_mut(input);
        found.seen.headers = found.seen.headers.saturating_sub(1);
        self.above = None;
        if std::mem::take(&mut self.crashed)
            && let Some(crash) = found.later_crashes.last_mut().or(found.crash.as_mut())
        {
            crash.goroutine = None;
            self.wants_goroutine = true;
        }
        self.text_lines(self.goroutine.doubtful().saturating_add(1), shared);
        shared.lost(Loss::Header, 1, self.goroutine.header_line);
    }

    /// Whether the goroutine continues with a line after a blank one. A call is held until the next
    /// line decides: with its place it is a frame, without it is text.
    fn goes_on_after_blank(
        &mut self,
        line: &[u8],
        number: u64,
        shared: &mut Shared<'_, '_>,
    ) -> bool {
        if let Some((call, at)) = self.held_call.take() {
            if lines::indented_place(line).is_none() {
                self.held_call = Some((call, at));
                return false;
            }
            self.has_blanks |= self.goroutine.is_empty();
            if !self.has_blanks && self.goroutine.is_whole_thread() {
                shared.lost(Loss::Header, 1, at);
            } else if !self.has_blanks {
                let input = self.input(InputFormat::Debug2, shared);
                let text = "a goroutine goes on after a blank line; if a header is missing there, these frames belong to another one";
                shared.builder.input_mut(input).warn(WarningKind::Note, Some(at), text);
            }
            self.take_line(&call, at, shared);
            self.after_blank = false;
            return true;
        }
        match self.goroutine.goes_on(line) {
            Some(true) => {
                (self.after_blank, self.has_blanks) = (false, true);
                true
            }
            None if !Self::starts_something(line) => {
                self.held_call = Some((line.to_vec(), number));
                true
            }
            None | Some(false) => false,
        }
    }

    /// Whether a blank line has ended the goroutine, as far as is known.
    pub(super) fn may_end(&self) -> bool {
        matches!(self.mode, Mode::Goroutine)
            && self.after_blank
            && self.held_call.is_none()
            && self.indent.is_empty()
    }

    /// Ends the goroutine if a blank line follows it.
    pub(crate) fn settle(&mut self, shared: &mut Shared<'_, '_>) {
        if self.may_end() {
            self.end_goroutine(false, false, shared);
        }
    }

    /// Notes a call outside of everything whose place follows, as its goroutine has lost its
    /// header, and lines of records whose profile has lost its first line, or ended at a damaged
    /// line. `is_told`: a header in the line is told already, to which its frames belong.
    pub(super) fn loose_frame(
        &mut self,
        line: &[u8],
        number: u64,
        is_told: bool,
        shared: &mut Shared<'_, '_>,
    ) {
        let text = line.trim_ascii();
        if text.is_empty() {
            return;
        }
        let is_awaited = std::mem::take(&mut self.loose_call);
        // If the start of the text is missing, it can begin with a piece of a place.
        let indented = line.first().is_some_and(u8::is_ascii_whitespace);
        let is_place = lines::place(text).is_some_and(|place| {
            (is_awaited && indented && place.offset || place.file.ends_with(b".go"))
                && (is_awaited && indented || place.offset)
        });
        let may_hold = lookalike::may_hold_pieces(line);
        let places = if is_told || !may_hold { 0 } else { lookalike::places(line) };
        let records = if may_hold { lookalike::records(line) } else { 0 };
        let records = records.max(line::is_of_record(line).into());
        let stacks = memchr::memmem::find(text, UNAVAILABLE).map_or(0, |_| 1);
        shared.lost(
            Loss::Frame,
            places.max(is_place.into()).saturating_add(records).saturating_add(stacks),
            number,
        );
        let is_call = text.ends_with(b")") && lines::call(text).is_some_and(names::is_certain);
        if self.wants_goroutine && lines::ends_in_call(text) {
            // All that is left of the stack that crashed.
            shared.lost(Loss::Frame, 1, number);
        }
        self.loose_call = is_call || matches!(lines::created_by(text), Some((_, Some(_))));
    }

    /// Notes the first goroutine after the message of a crash as the one that crashed.
    fn name_crashed(&mut self, id: u64, state: &[u8], input: InputId, shared: &mut Shared<'_, '_>) {
        if std::mem::take(&mut self.wants_goroutine)
            && let found = shared.builder.input_mut(input)
            && let Some(crash) = found.later_crashes.last_mut().or(found.crash.as_mut())
            && crash.goroutine.is_none()
        {
            // A signal from outside finds the thread in goroutine 0, the scheduler. A failure in a
            // timer or another thread of the runtime is in no goroutine.
            let in_none = match crash.kind {
                CrashKind::Signal => id == 0,
                CrashKind::Panic | CrashKind::Recovered | CrashKind::Fatal => {
                    !RUNS.contains(&state)
                }
                CrashKind::Deadlock | CrashKind::Timeout => false,
            };
            self.crashed = !in_none;
            crash.goroutine = self.crashed.then_some(id);
        }
    }

    pub(super) fn end_goroutine(
        &mut self,
        cut_line: bool,
        at_end: bool,
        shared: &mut Shared<'_, '_>,
    ) {
        if !matches!(self.mode, Mode::Goroutine) {
            return;
        }
        self.mode = Mode::Outside;
        let ends_open = !std::mem::take(&mut self.after_blank);
        if let Some((call, at)) = self.held_call.take() {
            if self.has_blanks {
                // Its place is cut off.
                self.take_line(&call, at, shared);
            } else {
                self.text_lines(1, shared);
                shared.passed_over(&call, at);
            }
        }
        let input = self.input(InputFormat::Debug2, shared);
        if !at_end && self.goroutine.is_text() {
            self.take_back(input, shared);
            return;
        }
        let finished = self.goroutine.finish(input, cut_line, ends_open, shared.builder);
        self.end_recovered(input, &finished, shared);
        let found = shared.builder.input_mut(input);
        let add = |sum: &mut u64, more: u64| *sum = sum.saturating_add(more);
        add(&mut found.seen.elided, u64::from(finished.elided));
        add(&mut found.seen.unavailable, u64::from(finished.unavailable));
        add(&mut found.seen.text_lines, finished.text_lines);
        if self.goroutine.foreign > 0 {
            add(&mut found.seen.foreign_lines, self.goroutine.foreign);
            let text = match self.goroutine.foreign {
                1 => "a line inside a goroutine belongs to no dump and was skipped".to_owned(),
                lines => {
                    format!("{lines} lines inside a goroutine belong to no dump and were skipped")
                }
            };
            found.warn(WarningKind::ForeignLine, Some(self.goroutine.first_foreign), text);
        }
        if finished.partial {
            add(&mut found.seen.partial, 1);
            let line = Some(self.goroutine.header_line);
            found.warn(WarningKind::Partial, line, "a part of this goroutine is missing");
        }
    }
}
