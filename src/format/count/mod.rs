//! debug=1 text of count profiles: goroutines with one stack and one set of labels are one record.
//!
//! ```text
//! goroutine profile: total 305
//! 11 @ 0x487b4a 0x48b985 0x698af6 0x48e8e1
//! # labels: {"tenant":"acme"}
//! #    0x48b984    time.Sleep+0x164    /usr/local/go/src/runtime/time.go:368
//! #    0x698af5    main.(*Replica).Sleeper+0x15    /home/dev/store.go:107
//!
//! ```
//! Columns are aligned with tabs. Go hides leading runtime frames, but their PCs stand in the
//! first line of the record. Other tools write `11 goroutines in stack:` instead of it.

pub(in crate::format) mod line;
#[cfg(test)]
mod tests;

use self::line::{address_and_named, hex, number, parse_frame, pcs, record_start};
use super::quoted::unquote;
use crate::profile::{
    Flag, FlagsId, FrameId, InputFormat, InputId, Label, LabelValue, LabelsId, ProfileBuilder,
    SampleSpec, StrId, Strings, WarningKind, flag,
};

/// The first line of a count profile, `NAME profile: total N`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct CountHeader<'a> {
    /// What is counted: `goroutine`, `goroutineleak`, `threadcreate`, a program's own profile.
    pub(crate) name: &'a [u8],
    /// How many, by the profile's own word.
    pub(crate) total: i64,
}

impl CountHeader<'_> {
    /// The format, where goroutines are counted.
    pub(crate) fn format(&self) -> Option<InputFormat> {
        match self.name {
            b"goroutine" => Some(InputFormat::Debug1),
            b"goroutineleak" => Some(InputFormat::LeakDebug1),
            _ => None,
        }
    }
}

/// Recognises the first line of a count profile.
pub(crate) fn header(line: &[u8]) -> Option<CountHeader<'_>> {
    const MIDDLE: &[u8] = b" profile: total ";
    let at = memchr::memmem::find(line, MIDDLE)?;
    let (name, rest) = line.split_at_checked(at)?;
    let total = number(rest.strip_prefix(MIDDLE)?.trim_ascii_end())?;
    let is_name = !name.is_empty() && !name.iter().any(u8::is_ascii_whitespace);
    is_name.then_some(CountHeader { name, total })
}

/// Names a text profile of C++ programs by its first line.
pub(crate) fn other_profile(line: &[u8]) -> Option<&str> {
    if line.starts_with(b"--- threadz") {
        return Some("thread");
    }
    if line.starts_with(b"--- contentionz") {
        return Some("contention");
    }
    line.starts_with(b"heap profile: ").then_some("heap")
}

/// What a reader made of a line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Used {
    /// It belongs to the profile.
    Took,
    /// It stands outside records and isn't known here.
    NotMine,
    /// It stands inside a record and belongs to no profile.
    Foreign,
}

/// Reads a count profile line by line, after its header.
#[derive(Debug)]
pub(crate) struct CountReader {
    input: InputId,
    flags: FlagsId,
    announced: i64,
    sum: i64,
    record: Option<Record>,
    /// Frame lines seen so far, with the frame of each: the same line comes back many times.
    lines: Strings,
    frames: Vec<FrameId>,
    /// Whether any frame has a name: profiles of stripped programs have addresses only.
    symbolized: bool,
    /// Whether all frame lines so far are.
    is_utf8: bool,
    /// Label lines seen so far, the same way.
    label_lines: Strings,
    labels: Vec<LabelsId>,
    /// Frames and first line of the record at hand, here to be reused.
    stack: Vec<FrameId>,
    first_line: Vec<u8>,
}

/// A record of which more lines may come.
#[derive(Debug)]
struct Record {
    line: u64,
    count: i64,
    labels: LabelsId,
    /// State and flags where the text tells them; only `-o debug2` writes them.
    state: Option<StrId>,
    flags: Vec<Flag>,
    /// A blank line followed it.
    closed: bool,
    /// The line of its last frame.
    last_line: StrId,
    /// Where a frame line breaks off.
    cut: Option<u64>,
}

impl CountReader {
    /// Starts a profile; `header` must be one of goroutines.
    pub(crate) fn new(
        header: &CountHeader<'_>,
        input: InputId,
        builder: &mut ProfileBuilder,
    ) -> CountReader {
        let mut flags = FlagsId::NONE;
        if let Some(format) = header.format() {
            builder.input_mut(input).format = format;
            if format == InputFormat::LeakDebug1 {
                flags = builder.with_flag(flags, flag::LEAKED);
            }
        }
        builder.input_mut(input).announced = Some(header.total);
        let mut reader = CountReader {
            input,
            flags,
            announced: header.total,
            sum: 0,
            record: None,
            lines: Strings::default(),
            frames: Vec::new(),
            symbolized: false,
            is_utf8: true,
            label_lines: Strings::default(),
            labels: Vec::new(),
            stack: Vec::new(),
            first_line: Vec::new(),
        };
        // The tables hold the empty string from the start.
        reader.frames.push(builder.frame(b"", b"", 0));
        reader.labels.push(LabelsId::NONE);
        reader
    }

    /// Takes in a line without its line end.
    pub(crate) fn line(&mut self, line: &[u8], number: u64, builder: &mut ProfileBuilder) -> Used {
        match line.first() {
            Some(b'#') => self.detail(line, number, builder),
            Some(b'-' | b'0'..=b'9') => match record_start(line) {
                Some(count) => {
                    self.end_record(false, builder);
                    self.first_line.clear();
                    self.first_line.extend_from_slice(line);
                    self.record = Some(Record {
                        line: number,
                        count,
                        labels: LabelsId::NONE,
                        state: None,
                        flags: Vec::new(),
                        closed: false,
                        last_line: StrId::EMPTY,
                        cut: None,
                    });
                    Used::Took
                }
                None => self.unknown(),
            },
            _ if line.trim_ascii().is_empty() => {
                if let Some(record) = &mut self.record {
                    record.closed = true;
                }
                Used::Took
            }
            _ => self.unknown(),
        }
    }

    fn unknown(&self) -> Used {
        match &self.record {
            Some(record) if !record.closed => Used::Foreign,
            _ => Used::NotMine,
        }
    }

    /// A line that starts with `#`: a frame, labels, or nothing.
    fn detail(&mut self, line: &[u8], number: u64, builder: &mut ProfileBuilder) -> Used {
        let Some(record) = &mut self.record else { return Used::NotMine };
        if let Some(labels) = line.strip_prefix(b"# labels:") {
            let known = self.label_lines.intern(labels);
            if known.index() == self.labels.len() {
                let set = parse_labels(labels, builder);
                if let Err(text) = set.1 {
                    builder.input_mut(self.input).warn(WarningKind::Labels, Some(number), text);
                }
                self.labels.push(set.0);
            }
            record.labels = self.labels.get(known.index()).copied().unwrap_or(LabelsId::NONE);
            return Used::Took;
        }
        if let Some((state, _)) = line.strip_prefix(b"# state: ").and_then(unquote) {
            record.state = Some(builder.string(&state));
            return Used::Took;
        }
        if let Some((flag, _)) = line.strip_prefix(b"# flag: ").and_then(unquote) {
            record.flags.push(builder.string(&flag));
            return Used::Took;
        }
        if let Some(known) = self.lines.find(line)
            && let Some(&frame) = self.frames.get(known.index())
        {
            self.stack.push(frame);
            record.last_line = known;
            return Used::Took;
        }
        match parse_frame(line) {
            Some(parsed) => {
                let frame = builder.frame(parsed.func, parsed.file, parsed.line);
                record.last_line = self.lines.intern(line);
                if self.is_utf8 && std::str::from_utf8(line).is_err() {
                    self.is_utf8 = false;
                    let text = "names that aren't UTF-8";
                    builder.input_mut(self.input).warn(WarningKind::NotUtf8, Some(number), text);
                }
                self.frames.push(frame);
                self.stack.push(frame);
                self.symbolized |= !parsed.file.is_empty();
                Used::Took
            }
            None if line.trim_ascii() == b"#" => Used::Took,
            None if address_and_named(line).0 != 0 => {
                record.cut = Some(number);
                Used::Took
            }
            None => self.unknown(),
        }
    }

    /// Counts the record at hand.
    fn end_record(&mut self, at_end_of_input: bool, builder: &mut ProfileBuilder) {
        let Some(mut record) = self.record.take() else { return };
        let cut =
            record.cut.is_some() || (at_end_of_input && !record.closed && self.breaks_off(&record));
        if self.stack.is_empty() && record.cut.is_none() {
            // Without symbols the addresses are all there is.
            for pc in pcs(&self.first_line) {
                self.stack.push(builder.frame(pc, b"", 0));
            }
        }
        let mut flags = self.flags;
        if !record.flags.is_empty() {
            record.flags.extend_from_slice(builder.flag_set(self.flags));
            flags = builder.flags(&mut record.flags);
        }
        let input = builder.input_mut(self.input);
        input.seen.headers = input.seen.headers.saturating_add(1);
        if cut {
            input.seen.partial = input.seen.partial.saturating_add(record.count.unsigned_abs());
            let text = "the stack of this record is cut";
            input.warn(WarningKind::Partial, Some(record.cut.unwrap_or(record.line)), text);
            flags = builder.with_flag(flags, flag::TRUNCATED);
        }
        let stack = builder.stack(&self.stack);
        self.stack.clear();
        let sample = builder.sample(&SampleSpec {
            input: self.input,
            stack,
            full: stack,
            state: record.state,
            flags,
            labels: record.labels,
            creator: None,
            elided: None,
        });
        builder.count(sample, record.count);
        self.sum = self.sum.saturating_add(record.count);
    }

    /// Whether a record that isn't followed by a blank line lacks frames: its root must be the
    /// last PC, or the one before it where that is the hidden `runtime.goexit`. Addresses are
    /// those of calls, PCs those of returns.
    fn breaks_off(&self, record: &Record) -> bool {
        let (address, named) = address_and_named(self.lines.get(record.last_line));
        if !named {
            return self.symbolized;
        }
        let mut last = pcs(&self.first_line).rev().take(2).filter_map(hex).peekable();
        last.peek().is_some() && !last.any(|pc| pc.abs_diff(address) <= 1)
    }

    /// Ends the profile: its last record is counted and the sum compared with what was announced.
    pub(crate) fn finish(mut self, at_end_of_input: bool, builder: &mut ProfileBuilder) {
        self.end_record(at_end_of_input, builder);
        if self.sum != self.announced {
            let (announced, sum) = (self.announced, self.sum);
            let text = format!("{announced} goroutines are announced and {sum} were found");
            builder.input_mut(self.input).warn(WarningKind::Total, None, text);
        }
    }
}

/// The labels of `{"k":"v", "k":"v"}`, those before a fault too.
pub(in crate::format) fn parse_labels(
    text: &[u8],
    builder: &mut ProfileBuilder,
) -> (LabelsId, Result<(), &'static str>) {
    let mut set = Vec::new();
    let mut scan = || -> Option<()> {
        let mut text = text.trim_ascii().strip_prefix(b"{")?.strip_suffix(b"}")?.trim_ascii();
        while !text.is_empty() {
            let (key, rest) = unquote(text)?;
            let (value, rest) =
                unquote(rest.trim_ascii_start().strip_prefix(b":")?.trim_ascii_start())?;
            let key = builder.string(&key);
            let value = LabelValue::Text(builder.string(&value));
            set.push(Label { key, value });
            let rest = rest.trim_ascii_start();
            text = match rest.strip_prefix(b",") {
                Some(rest) => rest.trim_ascii_start(),
                None if rest.is_empty() => rest,
                None => return None,
            };
        }
        Some(())
    };
    let result = scan().ok_or("labels that aren't written as Go writes them");
    (builder.labels(&mut set), result)
}
