//! One stream of text, unwrapped: dumps of any text form, and whatever stands around them.

use super::mode::{Mode, first_line};
use super::shared::Shared;
use crate::format::count::{self, CountReader, Used};
use crate::format::goleak;
use crate::format::log;
use crate::format::start;
use crate::format::traceback::crash::{self, BlockUse, CrashBlock};
use crate::format::traceback::goroutine::{OpenGoroutine, Use};
use crate::format::traceback::header::{Attributes, Header};
use crate::format::values::{self, ValueReader};
use crate::limits::LIMITS;
use crate::profile::{Crash, CrashKind, InputFormat, InputId, WarningKind};

/// The reader of one stream.
#[derive(Debug, Default)]
pub(crate) struct Stream {
    mode: Mode,
    goroutine: OpenGoroutine,
    input: Option<InputId>,
    /// Lines so far.
    pub(crate) line_number: u64,
    /// The crash that waits for its goroutine.
    wants_goroutine: bool,
    /// The last line of the input has no line end.
    cut_line: bool,
    /// The goroutine of goleak's that was opened by the last line: its own header may follow.
    listed: Option<u64>,
    /// Behind a `-----` of GOTRACEBACK=crash, where the next thread reports the same crash.
    section: bool,
}

impl Stream {
    /// Takes whole lines. Stops in front of a line outside any dump that means nothing to it, which
    /// may be wrapped in something, and answers where; `None` when all was taken.
    pub(crate) fn lines(&mut self, text: &[u8], shared: &mut Shared<'_, '_>) -> Option<usize> {
        let mut at = 0;
        while let Some(rest) = text.get(at..)
            && !rest.is_empty()
        {
            if rest.starts_with(b"goroutine ")
                && let Some(bytes) = self.records(text, at, shared)
            {
                at = at.saturating_add(bytes);
                continue;
            }
            let number = self.line_number.saturating_add(1);
            if shared.fast()
                && let Some((lines, bytes)) = self.mode.lines(rest, number, shared.builder)
            {
                self.line_number = self.line_number.saturating_add(lines);
                at = at.saturating_add(bytes);
                continue;
            }
            let (line, length) = first_line(rest);
            if !self.line(line, shared) {
                return Some(at);
            }
            at = at.saturating_add(length);
        }
        None
    }

    /// The fast way through as many regular goroutines as follow; answers how long their text is.
    fn records(&mut self, text: &[u8], from: usize, shared: &mut Shared<'_, '_>) -> Option<usize> {
        if !matches!(self.mode, Mode::Outside | Mode::Goroutine) || !shared.fast() {
            return None;
        }
        let rest = text.get(from..)?;
        let header = Header::cut(rest.get(..memchr::memchr(b'\n', rest)?)?)?;
        if self.listed == Some(header.id) {
            return None;
        }
        self.end_goroutine(false, false, shared);
        let input = self.input(InputFormat::Debug2, shared);
        let read = shared.records.read(text, from, input, shared.builder);
        if read.count == 0 {
            return None;
        }
        self.name_crashed(read.first, input, shared);
        self.line_number = self.line_number.saturating_add(read.lines);
        let seen = &mut shared.builder.input_mut(input).seen;
        seen.headers = seen.headers.saturating_add(read.count);
        seen.elided = seen.elided.saturating_add(read.elided);
        Some(read.bytes)
    }

    /// Takes one line; `false` when it stands outside any dump and means nothing here.
    fn line(&mut self, line: &[u8], shared: &mut Shared<'_, '_>) -> bool {
        let number = self.line_number.saturating_add(1);
        if let Some(listed) = self.listed.take()
            && self.listed_header(listed, line, number, shared)
        {
            return true;
        }
        match &mut self.mode {
            Mode::Outside => {}
            Mode::Goroutine => {
                if line.is_empty() {
                    self.end_goroutine(false, false, shared);
                    self.line_number = number;
                    return true;
                }
                let ends = log::wraps_goroutine(line)
                    || self.goroutine.is_at_its_root() && log::wraps_crash(line);
                if ends {
                    self.goroutine.interrupt();
                } else if !self.starts_something(line) {
                    // Places of frames are not offered: their files would match by accident.
                    let offered = !line.starts_with(b"\t") || self.goroutine.awaits_creator_place();
                    let took = self.goroutine.line(line, number, shared.builder);
                    if took != Use::Ended {
                        if offered {
                            shared.observe(line);
                        }
                        self.line_number = number;
                        return true;
                    }
                }
                self.end_goroutine(false, false, shared);
            }
            Mode::Crash(block) => match block.line(line, number) {
                BlockUse::Took => {
                    shared.observe(line);
                    self.line_number = number;
                    return true;
                }
                BlockUse::Ended(header) => {
                    self.end_crash(header, shared);
                    return self.line(line, shared);
                }
            },
            Mode::Race => {
                self.line_number = number;
                if line.starts_with(b"==================") {
                    self.mode = Mode::Outside;
                }
                return true;
            }
            Mode::RuntimeStack => {
                self.line_number = number;
                if line.is_empty() {
                    self.mode = Mode::Outside;
                }
                return true;
            }
            Mode::Count(_) | Mode::Values(_) => {
                let used = self.mode.line(line, number, shared.builder);
                if used == Some(Used::Foreign) {
                    let input = self.input.or(shared.input);
                    if let Some(input) = input {
                        let found = shared.builder.input_mut(input);
                        found.seen.foreign_lines = found.seen.foreign_lines.saturating_add(1);
                        let text = "a line inside a record belongs to no profile and was skipped";
                        found.warn(WarningKind::ForeignLine, Some(number), text);
                    }
                }
                if matches!(used, Some(Used::Took | Used::Foreign)) {
                    shared.observe(line);
                    self.line_number = number;
                    return true;
                }
                self.end_count(false, shared);
            }
        }
        self.outside(line, number, shared)
    }

    /// Whether a line inside a goroutine surely belongs to something else.
    fn starts_something(&self, line: &[u8]) -> bool {
        line.starts_with(b"goroutine ") && Header::cut(line).is_some()
            || crash::starts(line).is_some()
            || line == b"-----"
            || goleak::Entry::cut(line).is_some()
    }

    fn outside(&mut self, line: &[u8], number: u64, shared: &mut Shared<'_, '_>) -> bool {
        self.mode = Mode::Outside;
        if line.is_empty() {
            self.line_number = number;
            return true;
        }
        if log::is_of_console(line) {
            return false;
        }
        if self.header(line, number, shared) {
            self.line_number = number;
            return true;
        }
        if let Some(kind) = crash::starts(line).filter(|_| !start::is_escaped(line)) {
            shared.observe(line);
            self.line_number = number;
            self.mode = Mode::Crash(CrashBlock::new(kind, line));
            return true;
        }
        if let Some(header) = count::header(line)
            && let Some(format) = header.format()
        {
            shared.observe(line);
            self.line_number = number;
            let input = self.fresh_input(format, shared);
            self.mode = Mode::Count(Box::new(CountReader::new(&header, input, shared.builder)));
            return true;
        }
        if let Some(head) = values::head(line) {
            shared.observe(line);
            self.line_number = number;
            let input = self.fresh_input(InputFormat::ProfileDebug1, shared);
            self.mode = Mode::Values(Box::new(ValueReader::new(head, input, shared.builder)));
            return true;
        }
        match line {
            b"-----" => self.section = true,
            b"WARNING: DATA RACE" => {
                let input = self.input(InputFormat::Debug2, shared);
                let seen = &mut shared.builder.input_mut(input).seen;
                seen.race_reports = seen.race_reports.saturating_add(1);
                self.mode = Mode::Race;
            }
            b"runtime stack:" => self.mode = Mode::RuntimeStack,
            _ => {
                if let Some(value) = crash::http_panic(line) {
                    self.http_panic(value, shared);
                } else {
                    if shared.other_profile.is_none() {
                        shared.other_profile = count::other_profile(line).map(str::to_owned);
                    }
                    return false;
                }
            }
        }
        shared.observe(line);
        self.line_number = number;
        self.text_lines(1, shared);
        true
    }

    /// Starts a goroutine if the line is a header.
    fn header(&mut self, line: &[u8], number: u64, shared: &mut Shared<'_, '_>) -> bool {
        let listed;
        let (id, attributes) = match (Header::cut(line), goleak::Entry::cut(line)) {
            (Some(header), _) => (header.id, Attributes::parse(header.attributes)),
            (None, Some(entry)) => {
                self.listed = Some(entry.id);
                listed = entry.attributes();
                (entry.id, Attributes::parse(&listed))
            }
            (None, None) => return false,
        };
        let input = self.input(InputFormat::Debug2, shared);
        let found = shared.builder.input_mut(input);
        found.seen.headers = found.seen.headers.saturating_add(1);
        let Some(attributes) = attributes else {
            let text = format!(
                "the header of goroutine {} isn't written as Go writes it; the goroutine is not counted",
                id
            );
            found.warn(WarningKind::Header, Some(number), text);
            return true;
        };
        shared.observe(line);
        self.name_crashed(id, input, shared);
        self.goroutine.start(id, &attributes, number, shared.builder);
        self.mode = Mode::Goroutine;
        true
    }

    /// Starts the goroutine of the last line anew if this line is its header: goleak's releases up
    /// to v1.2.1 print it below the line of their own.
    fn listed_header(
        &mut self,
        listed: u64,
        line: &[u8],
        number: u64,
        shared: &mut Shared<'_, '_>,
    ) -> bool {
        let Some(header) = Header::cut(line).filter(|header| header.id == listed) else {
            return false;
        };
        let Some(attributes) = Attributes::parse(header.attributes) else { return false };
        shared.observe(line);
        self.line_number = number;
        self.goroutine.start(listed, &attributes, number, shared.builder);
        self.mode = Mode::Goroutine;
        true
    }

    /// The first goroutine behind the message of a crash is the one that crashed.
    fn name_crashed(&mut self, id: u64, input: InputId, shared: &mut Shared<'_, '_>) {
        if std::mem::take(&mut self.wants_goroutine)
            && let found = shared.builder.input_mut(input)
            && let Some(crash) = found.later_crashes.last_mut().or(found.crash.as_mut())
            && crash.goroutine.is_none()
        {
            // A signal that comes from outside finds the thread in goroutine 0, the scheduler.
            let raised = crash.kind != CrashKind::Signal || id != 0;
            crash.goroutine = raised.then_some(id);
        }
    }

    fn end_goroutine(&mut self, cut_line: bool, at_end: bool, shared: &mut Shared<'_, '_>) {
        if !matches!(self.mode, Mode::Goroutine) {
            return;
        }
        self.mode = Mode::Outside;
        let input = self.input(InputFormat::Debug2, shared);
        let finished = self.goroutine.finish(input, cut_line, at_end, shared.builder);
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

    fn end_crash(&mut self, header: Option<(Vec<u8>, u64)>, shared: &mut Shared<'_, '_>) {
        let Mode::Crash(block) = std::mem::take(&mut self.mode) else { return };
        self.take_crash(block.crash(), shared);
        if let Some((header, number)) = header {
            self.header(&header, number, shared);
        }
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

    fn http_panic(&mut self, value: &[u8], shared: &mut Shared<'_, '_>) {
        let input = self.input(InputFormat::Debug2, shared);
        let found = shared.builder.input_mut(input);
        let crash = Crash {
            kind: CrashKind::Panic,
            text: String::from_utf8_lossy(value).into_owned(),
            goroutine: None,
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

    fn end_count(&mut self, at_end: bool, shared: &mut Shared<'_, '_>) {
        match std::mem::take(&mut self.mode) {
            Mode::Count(reader) => reader.finish(at_end, shared.builder),
            Mode::Values(reader) => reader.finish(at_end, shared.builder),
            other => self.mode = other,
        }
    }

    /// The input that this stream adds to.
    fn input(&mut self, format: InputFormat, shared: &mut Shared<'_, '_>) -> InputId {
        if let Some(input) = self.input.filter(|&input| shared.takes_goroutines(input)) {
            return input;
        }
        let input = match shared.input.filter(|&input| shared.takes_goroutines(input)) {
            Some(input) => input,
            None => shared.new_input(),
        };
        let found = shared.builder.input_mut(input);
        if found.seen.headers == 0 {
            found.format = format;
        }
        self.input = Some(input);
        input
    }

    /// The input for a new crash or profile: another one if the one at hand already holds something.
    fn fresh_input(&mut self, format: InputFormat, shared: &mut Shared<'_, '_>) -> InputId {
        let at_hand = self.input.or(shared.input);
        if let Some(input) = at_hand {
            let found = shared.builder.input_mut(input);
            if found.seen.headers == 0 && found.crash.is_none() && found.announced.is_none() {
                found.format = format;
                self.input = Some(input);
                return input;
            }
        }
        let input = shared.new_input();
        shared.builder.input_mut(input).format = format;
        self.input = Some(input);
        input
    }

    fn text_lines(&mut self, lines: u64, shared: &mut Shared<'_, '_>) {
        match self.input.or(shared.input) {
            Some(input) => {
                let seen = &mut shared.builder.input_mut(input).seen;
                seen.text_lines = seen.text_lines.saturating_add(lines);
            }
            None => shared.text_lines = shared.text_lines.saturating_add(lines),
        }
    }

    /// Whether nothing that was read has a bearing on what follows.
    pub(crate) fn is_between_goroutines(&self) -> bool {
        self.is_outside() && !self.wants_goroutine && !self.section && !self.cut_line
    }

    /// The input that goroutines are added to.
    pub(crate) fn input_of(&self, shared: &Shared<'_, '_>) -> Option<InputId> {
        self.input.or(shared.input)
    }

    /// Whether nothing is open.
    pub(crate) fn is_outside(&self) -> bool {
        matches!(self.mode, Mode::Outside)
    }

    /// Takes a line that turned out not to be wrapped in anything.
    pub(crate) fn text_line(&mut self, line: &[u8], shared: &mut Shared<'_, '_>) {
        shared.observe(line);
        self.line_number = self.line_number.saturating_add(1);
        self.text_lines(1, shared);
    }

    /// Takes what follows the last line end of the input.
    pub(crate) fn last_line(&mut self, last: &[u8], shared: &mut Shared<'_, '_>) {
        let line = last.strip_suffix(b"\r").unwrap_or(last);
        if !self.line(line, shared) {
            self.text_line(line, shared);
        }
        self.cut_line = true;
    }

    /// Ends the stream.
    pub(crate) fn finish(&mut self, shared: &mut Shared<'_, '_>) {
        if let Mode::Crash(block) = &mut self.mode {
            let candidate = block.candidate();
            self.end_crash(candidate, shared);
        }
        self.end_goroutine(self.cut_line, true, shared);
        self.end_count(true, shared);
    }
}
