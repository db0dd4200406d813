//! Crashes in a stream.

use super::{CrashHint, Mode, Stream};
use crate::format::text::shared::Shared;
use crate::format::traceback::crash::{self, Ending};
use crate::format::traceback::goroutine::Finished;
use crate::format::traceback::header::Attributes;
use crate::format::traceback::recovered;
use crate::limits::LIMITS;
use crate::profile::{Crash, CrashKind, InputFormat, InputId, SampleId, WarningKind};

impl Stream {
    /// Ends the message of a crash, and starts the goroutine whose first lines were in it.
    pub(super) fn end_crash(&mut self, ending: Ending, shared: &mut Shared<'_, '_>) {
        let Mode::Crash(block) = std::mem::take(&mut self.mode) else { return };
        self.take_crash(block.crash(), shared);
        shared.lookalikes(block.lookalikes, block.first_lookalike);
        if let Some(frame) = block.first_frame {
            shared.without_header(frame);
        }
        let now = self.line_number;
        let Ending { lines, indent, headless } = ending;
        if headless && let Some((_, number)) = lines.first() {
            self.start_headless(*number, shared);
        }
        for (line, number) in lines {
            self.line_number = number.saturating_sub(1);
            self.clean_line(line.strip_prefix(indent.as_slice()).unwrap_or(&line), shared);
        }
        if matches!(self.mode, Mode::Goroutine) {
            self.indent = indent;
        }
        self.line_number = now;
    }

    /// Starts the goroutine of a Windows exception, for which Go prints no header.
    fn start_headless(&mut self, number: u64, shared: &mut Shared<'_, '_>) {
        let input = self.input(InputFormat::Debug2, shared);
        let Some(attributes) = Attributes::parse_inner(b"running") else { return };
        let found = shared.builder.input_mut(input);
        found.seen.headers = found.seen.headers.saturating_add(1);
        if let Some(crash) = &mut found.crash {
            crash.goroutine = Some(0);
            self.crashed = true;
        }
        self.wants_goroutine = false;
        self.start_goroutine(0, &attributes, number, shared);
    }

    fn take_crash(&mut self, crash: Crash, shared: &mut Shared<'_, '_>) {
        if std::mem::take(&mut self.after_separator) {
            // This crash was read already; another thread of the process reports it again.
            return;
        }
        let input = self.fresh_input(InputFormat::Debug2, shared);
        shared.builder.input_mut(input).crash = Some(crash);
        self.wants_goroutine = true;
    }

    /// Notes what a line that belongs to nothing says about the lines after it.
    pub(super) fn note_crash(&mut self, line: &[u8]) {
        // `runtime: sp=0xc0200e0390 stack=[...]` comes between the limit and the error.
        let is_between = line.is_empty() || line.starts_with(b"runtime: sp=");
        if let Some(limit) = crash::stack_limit(line) {
            self.crash_hint = Some(CrashHint::StackLimit(limit.to_vec()));
        } else if !is_between {
            self.crash_hint = recovered::message(line).map(|text| CrashHint::Panic(text.to_vec()));
        }
    }

    /// Notes that a handler panicked; its goroutine follows.
    pub(super) fn http_panic(&mut self, value: &[u8], shared: &mut Shared<'_, '_>) {
        let input = self.input(InputFormat::Debug2, shared);
        self.wants_goroutine |= add_recovered(input, value, None, shared);
    }

    /// Uses what the ended goroutine shows about the panic that was logged above it.
    pub(super) fn end_recovered(
        &mut self,
        input: InputId,
        finished: &Finished,
        shared: &mut Shared<'_, '_>,
    ) {
        let found = shared.builder.input_mut(input);
        if let Some(text) = self.panic_above.take().filter(|_| finished.recovers) {
            let at = (self.goroutine.id, finished.sample);
            add_recovered(input, &text, Some(at), shared);
        } else if std::mem::take(&mut self.crashed)
            && let Some(crash) = found.later_crashes.last_mut().or(found.crash.as_mut())
        {
            crash.sample = Some(finished.sample);
            // Go prints all panics of a stack: if there is only one, no deferred function was
            // running.
            let is_one = !crash.text.contains("panic: ") && !crash.text.contains(" [recovered");
            if crash.kind == CrashKind::Panic && finished.recovers && is_one {
                crash.kind = CrashKind::Recovered;
            }
        }
    }
}

/// Adds a panic that the program survived; `false` if there were too many.
fn add_recovered(
    input: InputId,
    text: &[u8],
    at: Option<(u64, SampleId)>,
    shared: &mut Shared<'_, '_>,
) -> bool {
    let found = shared.builder.input_mut(input);
    let crash = Crash {
        kind: CrashKind::Recovered,
        text: String::from_utf8_lossy(text).into_owned(),
        goroutine: at.map(|(id, _)| id),
        sample: at.map(|(_, sample)| sample),
        running_tests: Vec::new(),
    };
    if found.crash.is_none() {
        found.crash = Some(crash);
    } else if found.later_crashes.len() < LIMITS.crashes_per_input {
        found.later_crashes.push(crash);
    } else {
        let text = "more handlers panicked than are told one by one";
        found.warn(WarningKind::Note, None, text);
        return false;
    }
    true
}
