//! Crashes in a stream.

use super::{Mode, Stream};
use crate::format::text::shared::Shared;
use crate::format::traceback::crash::Ending;
use crate::format::traceback::header::Attributes;
use crate::limits::LIMITS;
use crate::profile::{Crash, CrashKind, InputFormat, WarningKind};

impl Stream {
    /// Ends the message of a crash, and starts the goroutine whose first lines stood in it.
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

    /// Starts the goroutine of a Windows exception, of which Go prints no header.
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
        if std::mem::take(&mut self.section) {
            // The same crash as another thread of the process saw it.
            return;
        }
        let input = self.fresh_input(InputFormat::Debug2, shared);
        shared.builder.input_mut(input).crash = Some(crash);
        self.wants_goroutine = true;
    }

    pub(super) fn http_panic(&mut self, value: &[u8], shared: &mut Shared<'_, '_>) {
        let input = self.input(InputFormat::Debug2, shared);
        let found = shared.builder.input_mut(input);
        let crash = Crash {
            kind: CrashKind::Panic,
            text: String::from_utf8_lossy(value).into_owned(),
            goroutine: None,
            sample: None,
            running_tests: Vec::new(),
        };
        if found.crash.is_none() {
            found.crash = Some(crash);
        } else if found.later_crashes.len() < LIMITS.crashes_per_input {
            found.later_crashes.push(crash);
        } else {
            let text = "more handlers panicked than are told one by one";
            found.warn(WarningKind::Note, None, text);
            return;
        }
        self.wants_goroutine = true;
    }
}
