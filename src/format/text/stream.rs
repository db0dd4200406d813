//! One stream of unwrapped text: dumps of any text form, and the text around them.

mod crash;
mod end;
mod end_mark;
mod goroutine;
mod input;

use self::end_mark::EndMark;
use super::losses::Loss;
use super::mode::{Mode, first_line};
use super::shared::Shared;
use crate::format::bruise;
use crate::format::debug1::count::{self, CountReader};
use crate::format::debug1::values::{self, ValueReader};
use crate::format::debug1::{self, ProfileReader, Used};
use crate::format::goleak;
use crate::format::log;
use crate::format::start;
use crate::format::traceback::crash::{self as crashes, BlockUse, CrashBlock};
use crate::format::traceback::goroutine::OpenGoroutine;
use crate::format::traceback::header::Header;
use crate::format::traceback::{cut_header, lines, lookalike, names};
use crate::profile::{InputFormat, InputId, WarningKind};

/// The reader of one stream.
#[derive(Debug, Default)]
pub(crate) struct Stream {
    mode: Mode,
    goroutine: OpenGoroutine,
    input: Option<InputId>,
    /// Lines so far.
    pub(crate) line_number: u64,
    /// Whether the last crash waits for its goroutine.
    wants_goroutine: bool,
    /// Whether the open goroutine is the one that the last crash waited for.
    crashed: bool,
    /// Whether the last line of the input has no line end.
    cut_line: bool,
    /// The id of goleak's goroutine that the last line started: its own header may follow.
    goleak_id: Option<u64>,
    /// The line of the first goroutine of a list of goleak whose end wasn't read yet.
    open_list: Option<u64>,
    /// Whether it is after a `-----` of GOTRACEBACK=crash, where the next thread reports the same
    /// crash.
    after_separator: bool,
    /// Whether it is inside a goroutine after a blank line, which ends the goroutine unless a line
    /// of it follows.
    after_blank: bool,
    /// A call after such a line, with its number; it belongs to the goroutine if its place follows.
    held_call: Option<(Vec<u8>, u64)>,
    /// Whether blank lines stand between lines that certainly belong to one goroutine, as line ends
    /// were doubled.
    has_blanks: bool,
    /// The indentation of a goroutine inside the value of a panic.
    indent: Vec<u8>,
    /// What the last line outside of everything says about a panic or a fatal error that may
    /// follow.
    crash_hint: Option<CrashHint>,
    /// What the line above the current goroutine says about it.
    above: Option<CrashHint>,
    /// Whether the last line outside of everything was a call or a creator; if its place follows,
    /// it has lost its goroutine.
    loose_call: bool,
    /// What stands behind each line.
    end_mark: EndMark,
    /// Buffer for a repaired line.
    mended: Vec<u8>,
}

/// What a log line says about the lines after it.
#[derive(Debug)]
enum CrashHint {
    /// A panic, whose stack may follow.
    Panic(Vec<u8>),
    /// A stack that has exceeded its limit.
    StackLimit(Vec<u8>),
    /// What is left of a crash's message without its first line.
    Rest,
    /// Why a logger ends the process, and where it was called.
    Fatal { text: Vec<u8>, place: Vec<u8> },
}

impl Stream {
    /// Takes whole lines. Stops before a line outside any dump that means nothing here, and may be
    /// wrapped in something; returns its position, `None` if everything was taken.
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
                && self.end_mark.is_none()
                && let Some((lines, bytes)) = self.mode.lines(rest, number, shared.builder)
            {
                shared.dump_line();
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

    /// The fast way through regular goroutines; returns the length of their text.
    fn records(&mut self, text: &[u8], from: usize, shared: &mut Shared<'_, '_>) -> Option<usize> {
        // The goroutine that crashed is read line by line, as it has to be recognised.
        let is_regular = matches!(self.mode, Mode::Outside | Mode::Goroutine)
            && !self.wants_goroutine
            && self.crash_hint.is_none();
        if !is_regular || !shared.fast() {
            return None;
        }
        let rest = text.get(from..)?;
        let first = rest.get(..memchr::memchr(b'\n', rest)?)?;
        let header = Header::cut(first.strip_suffix(b"\r").unwrap_or(first))?;
        // A mark behind each line is cut off line by line.
        if self.goleak_id == Some(header.id) || !header.attributes.ends_with(b":") {
            return None;
        }
        self.end_goroutine(false, false, shared);
        if !self.indent.is_empty() {
            self.end_value();
        }
        let input = self.input(InputFormat::Debug2, shared);
        let read = shared.records.read(text, from, input, shared.builder);
        if read.count == 0 {
            return None;
        }
        shared.dump_line();
        self.loose_call = false;
        self.line_number = self.line_number.saturating_add(read.lines);
        let seen = &mut shared.builder.input_mut(input).seen;
        seen.headers = seen.headers.saturating_add(read.count);
        seen.elided = seen.elided.saturating_add(read.elided);
        Some(read.bytes)
    }

    /// Takes one line, repaired if it is damaged; `false` if it is outside any dump and means
    /// nothing here.
    fn line(&mut self, line: &[u8], shared: &mut Shared<'_, '_>) -> bool {
        // JSON is unwrapped first: a line separator in it doesn't end a line of its own.
        let is_json = self.is_outside() && line.starts_with(b"{\"");
        if is_json {
            return self.clean_line(line, shared);
        }
        let line = self.end_mark.cut(line);
        if let Some(at) = lookalike::joined_header(line) {
            let (before, header) = line.split_at_checked(at).unwrap_or((line, b""));
            return self.mended_lines(&[before, b"\n", header].concat(), shared);
        }
        let mut buffer = std::mem::take(&mut self.mended);
        let taken = match bruise::mend(line, &mut buffer) {
            None => self.clean_line(line, shared),
            Some(mended) => match bruise::open_end(line, mended) {
                Some((before, last)) => self.one_line(before, last, shared),
                None => self.mended_lines(mended, shared),
            },
        };
        self.mended = buffer;
        taken
    }

    /// Takes the lines that one was repaired to; `false` if none of them means anything.
    fn mended_lines(&mut self, mended: &[u8], shared: &mut Shared<'_, '_>) -> bool {
        let number = self.line_number;
        let mut taken = mended.is_empty();
        let mut second_buffer = Vec::new();
        let mut unread = Vec::new();
        for line in mended.split(|&byte| byte == b'\n') {
            self.line_number = number;
            // Each can be damaged as well, for instance by quotes.
            let clean = match line.len() < mended.len() {
                true => bruise::behind_tags(bruise::mend(line, &mut second_buffer).unwrap_or(line)),
                false => line,
            };
            match self.clean_line(clean, shared) {
                true => taken |= !clean.is_empty(),
                false => unread.push(line),
            }
            if taken {
                // Otherwise something may wrap all of them.
                self.line_number = number.saturating_add(1);
                for line in unread.drain(..) {
                    self.note_pieces(line, self.line_number, shared);
                }
            }
        }
        self.line_number = number.saturating_add(u64::from(taken));
        taken
    }

    /// Takes a line that isn't damaged.
    fn clean_line(&mut self, line: &[u8], shared: &mut Shared<'_, '_>) -> bool {
        let number = self.line_number.saturating_add(1);
        let taken = self.take(line, number, shared);
        if taken {
            self.line_number = number;
        }
        taken
    }

    fn take(&mut self, line: &[u8], number: u64, shared: &mut Shared<'_, '_>) -> bool {
        self.open_list.take_if(|_| goleak::closes_list(line));
        // Line ends may have been doubled.
        if let Some(goleak_id) = self.goleak_id.take_if(|_| !line.is_empty())
            && self.goleak_header(goleak_id, line, number, shared)
        {
            return true;
        }
        match &mut self.mode {
            Mode::Outside => {}
            Mode::Goroutine => {
                if self.goroutine_line(line, number, shared) {
                    return true;
                }
            }
            Mode::Crash(block)
                if !crashes::is_indented_header(line) && log::wraps_dump(line)
                    || debug1::starts(line)
                    || start::is_race(line)
                    || goleak::starts_entry(line) =>
            {
                // A log goes on, and holds a dump, a profile or a report.
                let ending = block.finish();
                self.end_crash(ending, shared);
                return self.clean_line(line, shared);
            }
            Mode::Crash(block) => match block.line(line, number) {
                BlockUse::Took => {
                    shared.observe(line);
                    // A dump can be indented below its message, by blanks; Go indents values by tabs.
                    let blanks = line.iter().take_while(|&&byte| byte == b' ').count();
                    let line = line.get(blanks..).unwrap_or_default();
                    let is_cut = cut_header::is_cut_below_message(line);
                    shared.lost(Loss::Header, is_cut.into(), number);
                    if let Some(number) = block.take_cut_header() {
                        shared.lost(Loss::Header, 1, number);
                    }
                    return true;
                }
                BlockUse::Ended(ending) => {
                    self.end_crash(ending, shared);
                    return self.clean_line(line, shared);
                }
            },
            Mode::Race => {
                // Frames of a report are indented by blanks: these are those of a goroutine whose header is lost.
                let is_of_goroutine = line.starts_with(b"\t")
                    && lines::indented_place(line).is_some_and(|place| place.offset);
                if !Self::starts_something(line) && !log::wraps_dump(line) && !is_of_goroutine {
                    shared.passed_over(line, number);
                    if line.starts_with(b"==================") {
                        self.mode = Mode::Outside;
                    }
                    return true;
                }
            }
            Mode::RuntimeStack => {
                let is_of_it = line.is_empty()
                    || line.starts_with(b"\t")
                    || lines::runtime_noise(line)
                    || line.starts_with(lookalike::NOT_GO_AT)
                    || lines::call(line).is_some_and(names::is_certain)
                    || lines::indented_place(line).is_some();
                if is_of_it && lookalike::count(line) == 0 {
                    return true;
                }
            }
            Mode::Profile(reader) => {
                let used = reader.line(line, number, shared.builder);
                if used == Used::Foreign {
                    if let Some(input) = self.input.or(shared.input) {
                        let found = shared.builder.input_mut(input);
                        found.seen.foreign_lines = found.seen.foreign_lines.saturating_add(1);
                        let text = "a line inside a record belongs to no profile and was skipped";
                        found.warn(WarningKind::ForeignLine, Some(number), text);
                    }
                    shared.passed_over(line, number);
                }
                match used {
                    Used::Took | Used::Foreign => {
                        shared.dump_line();
                        shared.observe(line);
                        return true;
                    }
                    Used::Text if !Self::starts_something(line) && !start::starts_dump(line) => {
                        return false;
                    }
                    Used::Text | Used::NotMine => self.end_count(false, shared),
                }
            }
        }
        self.outside(line, number, shared)
    }

    /// Whether a line inside a goroutine certainly belongs to something else.
    fn starts_something(line: &[u8]) -> bool {
        lookalike::ends_goroutine(line)
            || goleak::Entry::cut(line).is_some()
            || debug1::starts(line)
            || start::is_race(line)
    }

    fn outside(&mut self, line: &[u8], number: u64, shared: &mut Shared<'_, '_>) -> bool {
        self.mode = Mode::Outside;
        if line.is_empty() {
            return true;
        }
        if log::is_of_console(line) {
            return false;
        }
        if self.header(line, number, shared) {
            return true;
        }
        if let Some(kind) = crashes::kind_of_crash(line).filter(|_| !start::is_escaped(line)) {
            shared.observe(line);
            let mut block = CrashBlock::new(kind, line, number);
            if let Some(CrashHint::StackLimit(limit)) = self.crash_hint.take()
                && line.ends_with(b"stack overflow")
            {
                block.explain(&limit);
            }
            self.mode = Mode::Crash(Box::new(block));
            return true;
        }
        if let Some(header) = count::header(line)
            && let Some(format) = header.format()
        {
            shared.observe(line);
            let input = self.fresh_input(format, shared);
            let reader = CountReader::new(&header, input, shared.builder);
            self.mode = Mode::Profile(Box::new(ProfileReader::Count(reader)));
            return true;
        }
        if count::starts_record(line) && self.takes_records(shared) {
            shared.observe(line);
            let input = self.input(InputFormat::Debug1, shared);
            let found = shared.builder.input_mut(input);
            if found.seen.headers == 0 {
                let text =
                    "the first line of the profile is missing, and maybe records before this one";
                found.warn(WarningKind::Truncated, Some(number), text);
            }
            let mut reader = ProfileReader::Count(CountReader::headless(input, shared.builder));
            reader.line(line, number, shared.builder);
            self.mode = Mode::Profile(Box::new(reader));
            return true;
        }
        if let Some(head) = values::head(line) {
            shared.observe(line);
            let input = self.fresh_input(InputFormat::ProfileDebug1, shared);
            let reader = ValueReader::new(head, input, shared.builder);
            self.mode = Mode::Profile(Box::new(ProfileReader::Values(reader)));
            return true;
        }
        match line {
            b"-----" => self.after_separator = true,
            start::RACE => {
                let input = self.input(InputFormat::Debug2, shared);
                let seen = &mut shared.builder.input_mut(input).seen;
                seen.race_reports = seen.race_reports.saturating_add(1);
                shared.race_report();
                self.mode = Mode::Race;
            }
            b"runtime stack:" => {
                shared.runtime_stack.get_or_insert(number);
                self.mode = Mode::RuntimeStack;
            }
            _ => {
                let value = crashes::http_panic(line).filter(|_| !start::is_escaped(line));
                if let Some(value) = value {
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
        shared.passed_over(line, number);
        self.text_lines(1, shared);
        true
    }

    fn end_count(&mut self, at_end: bool, shared: &mut Shared<'_, '_>) {
        match std::mem::take(&mut self.mode) {
            Mode::Profile(reader) => reader.finish(at_end, shared.builder),
            other => self.mode = other,
        }
    }

    fn text_lines(&mut self, lines: u64, shared: &mut Shared<'_, '_>) {
        let so_far = self.text_lines_of(shared);
        *so_far = so_far.saturating_add(lines);
    }

    fn text_lines_of<'s>(&self, shared: &'s mut Shared<'_, '_>) -> &'s mut u64 {
        match self.input.or(shared.input) {
            Some(input) => &mut shared.builder.input_mut(input).seen.text_lines,
            None => &mut shared.text_lines,
        }
    }

    /// Whether nothing that was read affects what follows.
    pub(crate) fn is_between_goroutines(&self) -> bool {
        let between = self.is_outside() || self.may_end();
        let waits = self.wants_goroutine || self.crash_hint.is_some();
        let is_open =
            self.after_separator || self.cut_line || self.loose_call || self.open_list.is_some();
        between && !waits && !is_open && self.end_mark.is_none()
    }

    /// The input to which goroutines are added.
    pub(crate) fn input_of(&self, shared: &Shared<'_, '_>) -> Option<InputId> {
        self.input.or(shared.input)
    }

    /// Whether nothing is open.
    pub(crate) fn is_outside(&self) -> bool {
        matches!(self.mode, Mode::Outside)
    }

    /// Whether the open goroutine or profile goes on with a line.
    pub(crate) fn awaits(&self, line: &[u8]) -> bool {
        match &self.mode {
            Mode::Goroutine => self.goroutine.goes_on(line) != Some(false),
            Mode::Crash(block) => block.awaits(line),
            Mode::Profile(reader) => reader.awaits(line),
            _ => false,
        }
    }

    /// Whether it reads the message of a crash.
    pub(crate) fn is_in_crash(&self) -> bool {
        matches!(self.mode, Mode::Crash(_))
    }

    /// Whether it reads a goroutine that isn't at its end yet.
    pub(crate) fn is_in_goroutine(&self) -> bool {
        let is_whole = || self.goroutine.complete() || self.goroutine.is_at_its_root();
        matches!(self.mode, Mode::Goroutine) && !self.after_blank && !is_whole()
    }

    /// Whether it reads a profile.
    pub(crate) fn is_in_profile(&self) -> bool {
        matches!(self.mode, Mode::Profile(_))
    }

    /// Takes a line that nothing wraps after all.
    pub(crate) fn text_line(&mut self, line: &[u8], shared: &mut Shared<'_, '_>) {
        shared.observe(line);
        self.line_number = self.line_number.saturating_add(1);
        self.text_lines(1, shared);
        shared.text_line(line, self.line_number);
        self.note_pieces(line, self.line_number, shared);
        shared.note_logged_frame(line, self.line_number);
        self.note_crash(line);
    }

    /// Uncounts the last line of text, which is read again.
    pub(crate) fn take_back_text_line(&mut self, shared: &mut Shared<'_, '_>) {
        let so_far = self.text_lines_of(shared);
        *so_far = so_far.saturating_sub(1);
    }

    /// Notes what looks like a piece of a dump in a line that became part of nothing.
    fn note_pieces(&mut self, line: &[u8], number: u64, shared: &mut Shared<'_, '_>) {
        let is_told = shared.passed_over(line, number);
        self.loose_frame(line, number, is_told, shared);
    }
}
