//! Crashes in a stream.

use super::{CrashHint, Mode, Stream};
use crate::format::text::losses::Loss;
use crate::format::text::shared::Shared;
use crate::format::traceback::crash::{self, Ending};
use crate::format::traceback::goroutine::Finished;
use crate::format::traceback::header::Attributes;
use crate::format::traceback::recovered::{self, Fatal};
use crate::limits::LIMITS;
use crate::profile::function::{is_logger, raises_panic};
use crate::profile::{
    Crash, CrashKind, FrameId, InputFormat, InputId, Profile, ProfileBuilder, SampleId, WarningKind,
};

/// How many bytes of a message of several lines are kept.
const MESSAGE: usize = 4 << 10;

impl Stream {
    /// Ends the message of a crash, and starts the goroutine whose first lines were in it.
    pub(super) fn end_crash(&mut self, ending: Ending, shared: &mut Shared<'_, '_>) {
        let Mode::Crash(mut block) = std::mem::take(&mut self.mode) else { return };
        let around = block.settle();
        self.text_lines(around, shared);
        let has_goroutine = !ending.lines.is_empty();
        if block.is_recovered_error() {
            self.recovered_error(&block.crash(), shared);
        } else if block.needs_goroutine() && !has_goroutine {
            self.text_lines(block.lines(), shared);
        } else {
            self.take_crash(block.crash(), shared);
        }
        let stacks = &block.stacks;
        shared.lost(Loss::Header, stacks.headers.count, stacks.headers.first);
        // Below a value the goroutine that crashed isn't indented, unless GOTRACEBACK=none leaves it out. Without one, all
        // that follows the message may be.
        let is_value = if has_goroutine { ending.indent.is_empty() } else { stacks.has_tab };
        if !is_value {
            let headers = stacks.indented_headers;
            shared.lost(Loss::Header, headers.count, headers.first);
        }
        let indented = stacks.first_indented_frame.filter(|_| !is_value);
        for frame in stacks.first_frame.into_iter().chain(indented) {
            shared.lost(Loss::Frame, 1, frame);
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
        let is_known = self.after_separator && self.has_crash(shared);
        self.after_separator = false;
        if is_known && crash.text.starts_with("SIGQUIT") {
            // It was read already; another thread of the process reports it again.
            return;
        }
        let input = self.fresh_input(InputFormat::Debug2, shared);
        shared.builder.input_mut(input).crash = Some(crash);
        self.wants_goroutine = true;
    }

    /// Whether the input at hand has a crash.
    fn has_crash(&self, shared: &Shared<'_, '_>) -> bool {
        let input =
            self.input_of(shared).and_then(|input| shared.builder.inputs().get(input.index()));
        input.is_some_and(|input| input.crash.is_some())
    }

    /// Takes the error of a panic that was recovered, unless it is told already: controllers log it
    /// below the stack.
    fn recovered_error(&mut self, crash: &Crash, shared: &mut Shared<'_, '_>) {
        let input = self.input(InputFormat::Debug2, shared);
        let text = crash.text.trim_end_matches(" [recovered]");
        let found = shared.builder.input_mut(input);
        let mut told = found.crash.iter().chain(&found.later_crashes);
        if told.all(|crash| !crash.text.contains(text)) {
            let at = last_recovered(input, shared.builder.profile());
            add_crash(input, CrashKind::Recovered, text.as_bytes(), at, shared);
        }
    }

    /// Notes what a line that belongs to nothing says about the lines after it.
    pub(super) fn note_crash(&mut self, line: &[u8]) {
        // `runtime: sp=0xc0200e0390 stack=[...]` comes between the limit and the error.
        let is_between = line.is_empty()
            || line.starts_with(b"runtime: sp=")
            || matches!(self.crash_hint, Some(CrashHint::Rest));
        if let Some(limit) = crash::stack_limit(line) {
            self.crash_hint = Some(CrashHint::StackLimit(limit.to_vec()));
        } else if crash::is_further(line, self.line_number) {
            self.crash_hint = Some(CrashHint::Rest);
        } else if !is_between {
            self.note_message(line);
        }
    }

    /// Notes the message of a logger about the goroutine that may follow.
    fn note_message(&mut self, line: &[u8]) {
        let quoted = recovered::quoted_record(line);
        let line = quoted.as_deref().unwrap_or(line);
        let fatal = recovered::fatal(line);
        if let Some(CrashHint::Fatal { text, .. }) = &mut self.crash_hint
            && let Some(more) = fatal.and_then(|more| more.text.strip_prefix(b"+"))
        {
            // CockroachDB marks further lines of a message.
            if text.len() < MESSAGE {
                text.extend([b"\n", more].concat());
            }
            return;
        }
        if let Some(CrashHint::Panic(text)) = &mut self.crash_hint
            && fatal.is_none()
            && text.len() < MESSAGE
            && recovered::goes_on(text)
            && !recovered::is_observed(line)
        {
            text.extend([b"\n", line].concat());
            text.truncate(MESSAGE);
            return;
        }
        let panic = || recovered::message(line).map(|text| CrashHint::Panic(text.into_owned()));
        let fatal = fatal.map(|Fatal { text, place }| CrashHint::Fatal {
            text: text.into(),
            place: place.into(),
        });
        self.crash_hint = fatal.or_else(panic);
    }

    /// Takes over what the lines around a log say about a goroutine in it: the lines above the first
    /// header needn't show that they are wrapped.
    pub(crate) fn take_over(&mut self, around: &mut Stream) {
        if self.line_number == 0 && self.is_outside() {
            self.wants_goroutine = std::mem::take(&mut around.wants_goroutine);
            self.crash_hint = around.crash_hint.take();
        }
    }

    /// Notes that a handler panicked; its goroutine follows.
    pub(super) fn http_panic(&mut self, value: &[u8], shared: &mut Shared<'_, '_>) {
        let input = self.input(InputFormat::Debug2, shared);
        self.wants_goroutine |= add_crash(input, CrashKind::Recovered, value, None, shared);
    }

    /// Uses what the ended goroutine shows about the message above it.
    pub(super) fn end_recovered(
        &mut self,
        input: InputId,
        finished: &Finished,
        shared: &mut Shared<'_, '_>,
    ) {
        let at = Some((self.goroutine.id, finished.sample));
        let above = match self.above.take() {
            Some(CrashHint::Panic(text)) if finished.recovers => Some((CrashKind::Recovered, text)),
            Some(CrashHint::Fatal { text, place })
                if is_of_logger(finished.sample, &place, shared.builder) =>
            {
                Some((CrashKind::Fatal, text))
            }
            _ => None,
        };
        let found = shared.builder.input_mut(input);
        if let Some((kind, text)) = above {
            add_crash(input, kind, &text, at, shared);
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

/// The last goroutine of an input, if it recovered a panic of which nothing is told yet.
fn last_recovered(input: InputId, profile: &Profile) -> Option<(u64, SampleId)> {
    let (id, sample) = profile.samples().next_back()?;
    let stack = profile.stack(sample.key.stack);
    let raised = stack.iter().position(|&frame| raises_panic(profile.func(frame)))?;
    let is_own = |&frame: &FrameId| !recovered::is_of_runtime(profile.func(frame));
    let recovers = stack.iter().take(raised).any(is_own);
    let found = profile.input(input);
    let mut told = found.crash.iter().chain(&found.later_crashes);
    let is_it = sample.key.input == input && sample.count == 1 && recovers;
    (is_it && told.all(|crash| crash.sample != Some(id))).then_some((sample.waits.longest, id))
}

/// Whether the leaf of a stack belongs to a logger that prints stacks, or is the call of one: glog
/// leaves its own frames out since version 1.1.
fn is_of_logger(sample: SampleId, called_at: &[u8], builder: &ProfileBuilder) -> bool {
    let profile = builder.profile();
    let stack = profile.stack(profile.sample(sample).key.stack);
    stack.first().is_some_and(|&leaf| {
        let frame = profile.frame(leaf);
        let place = [profile.str(frame.file), format!(":{}", frame.line).as_bytes()].concat();
        let before = place.strip_suffix(called_at);
        is_logger(profile.func(leaf)) || before.is_some_and(|before| before.ends_with(b"/"))
    })
}

/// Adds a crash that a log tells of; `false` if there were too many.
fn add_crash(
    input: InputId,
    kind: CrashKind,
    text: &[u8],
    at: Option<(u64, SampleId)>,
    shared: &mut Shared<'_, '_>,
) -> bool {
    let found = shared.builder.input_mut(input);
    let crash = Crash {
        kind,
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
        let text = "more crashes are logged than are told one by one";
        if found.warnings.iter().all(|warning| warning.text != text) {
            found.warn(WarningKind::Note, None, text);
        }
        return false;
    }
    true
}
