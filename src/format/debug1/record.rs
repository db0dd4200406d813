//! The common parts of records, whatever numbers they start with: labels, frames, an end.

use super::Used;
use super::known::{KnownLines, LineAt};
use super::labels::parse_labels;
use super::line::{
    ParsedFrame, address_and_named, address_text, find_pc, has_whole_addresses, hex,
    is_call_before, parse_frame, pcs,
};
use crate::format::traceback::lines::file_and_line;
use crate::format::traceback::names;
use crate::format::traceback::rest::is_stray;
use crate::profile::{InputId, LabelsId, ProfileBuilder, Strings, WarningKind};
use crate::simd::Kernel;

/// What is wrong with a record of less than nothing: Go writes none, so that a byte was damaged or lost.
pub(super) const NEGATIVE: &str = "the count of this record is negative, so that it isn't counted";

/// The addresses of a record of `threadcreate` (`createstack` of the runtime's `m`).
const THREAD_STACK: usize = 32;

/// The longest address: `0x` and 16 digits.
const ADDRESS: usize = 18;

/// Of longer first lines only the addresses are kept: each frame would have to skip what stands between them.
const LONG_LINE: usize = 4 << 10;

/// Reads records line by line; `F` is the data kept for a frame line.
#[derive(Debug)]
pub(super) struct Records<F> {
    input: InputId,
    open: Option<Record>,
    /// Frames, their lines and the first line of the current record; the buffers are reused.
    pub(super) frames: Vec<F>,
    frame_lines: Vec<LineAt>,
    first_line: Vec<u8>,
    lines: KnownLines<F>,
    /// Whether any frame has a name: profiles of stripped programs only have addresses.
    symbolized: bool,
    /// Whether any record has frame lines, how many goroutines or records have none, and the first of these.
    has_frames: bool,
    frameless: u64,
    frameless_line: Option<u64>,
    /// Whether all frame lines so far are UTF-8.
    is_utf8: bool,
    /// Label lines seen so far, with the id of each set.
    label_lines: Strings,
    labels: Vec<LabelsId>,
}

/// A record while its lines are read.
#[derive(Debug)]
pub(super) struct Record {
    pub(super) line: u64,
    pub(super) labels: LabelsId,
    /// Whether a blank line followed it.
    pub(super) closed: bool,
    /// Whether text followed it.
    is_followed: bool,
    /// Whether blank lines stand between its lines, as line ends were doubled.
    has_blanks: bool,
    /// The line at which its first line or a frame line is cut.
    pub(super) cut: Option<u64>,
    /// Whether a frame line of it wasn't known before: lines are new where parts of two became one.
    has_new: bool,
    /// Where the address that was looked up last stands in its first line. Those of the next frames are behind it:
    /// to look through all for each frame would take a time that grows with the square of their number.
    looked_up: usize,
}

impl Record {
    /// Whether a frame that follows may be left of another record, as a blank line stands before it.
    fn is_over(&self) -> bool {
        self.closed && !self.has_blanks
    }
}

impl<F: Copy> Records<F> {
    /// A reader for records of an input.
    pub(super) fn new(input: InputId) -> Records<F> {
        Records {
            input,
            open: None,
            frames: Vec::new(),
            frame_lines: Vec::new(),
            first_line: Vec::new(),
            lines: KnownLines::default(),
            symbolized: false,
            has_frames: false,
            frameless: 0,
            frameless_line: None,
            is_utf8: true,
            label_lines: Strings::default(),
            // The table of lines contains the empty string from the start.
            labels: vec![LabelsId::NONE],
        }
    }

    /// Whether a record is open.
    pub(super) fn is_open(&self) -> bool {
        self.open.is_some()
    }

    /// Whether a record is open that no blank line has ended.
    pub(super) fn is_unfinished(&self) -> bool {
        self.open.as_ref().is_some_and(|record| !record.closed)
    }

    /// Starts a record; the one before must have been taken.
    pub(super) fn start(&mut self, first_line: &[u8], line: u64) {
        self.frames.clear();
        self.frame_lines.clear();
        self.first_line.clear();
        let mut is_whole = has_whole_addresses(first_line);
        if first_line.len() <= LONG_LINE {
            self.first_line.extend_from_slice(first_line);
        } else {
            for pc in pcs(first_line) {
                match pc.len() <= ADDRESS {
                    true => self.first_line.extend(b" ".iter().chain(pc)),
                    false => is_whole = false,
                }
            }
        }
        self.open = Some(Record {
            line,
            labels: LabelsId::NONE,
            closed: false,
            is_followed: false,
            has_blanks: false,
            cut: (!is_whole).then_some(line),
            has_new: false,
            looked_up: 0,
        });
    }

    /// The current record, if any; its frames stay until the next one starts.
    pub(super) fn take(&mut self) -> Option<Record> {
        self.open.take()
    }

    /// Counts a record in its input, with how much of it is cut if it is.
    pub(super) fn count(&self, record: &Record, cut: Option<u64>, builder: &mut ProfileBuilder) {
        let input = builder.input_mut(self.input);
        input.seen.headers = input.seen.headers.saturating_add(1);
        if let Some(cut) = cut {
            input.seen.partial = input.seen.partial.saturating_add(cut);
            let text = "the stack of this record is cut";
            input.warn(WarningKind::Partial, Some(record.cut.unwrap_or(record.line)), text);
        }
    }

    /// Takes in a blank line.
    pub(super) fn blank(&mut self) -> Used {
        if let Some(record) = &mut self.open {
            record.closed = true;
            record.has_blanks |= self.frames.is_empty();
        }
        Used::Took
    }

    /// Whether a record has ended, by a blank line or with the first function of its stack.
    fn is_whole(&self, record: &Record) -> bool {
        record.closed || !self.frames.is_empty() && !self.breaks_off()
    }

    /// The use of a line that means nothing here. Behind a whole record it is text, if it can't be left of another: the
    /// blank line between may be missing, as the systemd journal drops those.
    pub(super) fn unknown(&mut self, line: &[u8]) -> Used {
        // CI jobs write `##[error]`.
        let may_be_text = !may_be_of_record(line) || line.starts_with(b"##[");
        let is_whole = may_be_text && self.open.as_ref().is_some_and(|open| self.is_whole(open));
        match &mut self.open {
            Some(record) if !record.closed && is_whole => {
                record.is_followed = true;
                Used::Text
            }
            Some(record) if !record.closed && !record.is_followed => Used::Foreign,
            _ => Used::NotMine,
        }
    }

    /// The fast way: takes the known frame lines at the start of `text`. Returns how many lines and
    /// bytes it took.
    #[inline(always)]
    pub(super) fn known_frames(&mut self, text: &[u8], kernel: impl Kernel) -> (u64, usize) {
        // After a new line, the addresses of all are checked.
        if self.open.as_ref().is_none_or(|record| record.is_over() || record.has_new) {
            return (0, 0);
        }
        let (mut lines, mut rest) = (0_u64, text);
        while let Some((line, frame, after)) = self.lines.first_of(rest, kernel) {
            self.frames.push(frame);
            self.frame_lines.push(line);
            lines = lines.saturating_add(1);
            rest = after;
        }
        (lines, text.len().saturating_sub(rest.len()))
    }

    /// A frame line of the open record that has lost its `#`: Markdown takes that for a heading.
    pub(super) fn without_sign(&self, line: &[u8]) -> Option<Vec<u8>> {
        if self.open.is_none() || !line.starts_with(b"0x") {
            return None;
        }
        let whole = [b"#\t", line].concat();
        parse_frame(&whole).is_some_and(|parsed| parsed.named).then_some(whole)
    }

    /// Takes a line that starts with `#`: a frame, labels, or nothing. `make` converts a new frame.
    pub(super) fn detail(
        &mut self,
        line: &[u8],
        number: u64,
        builder: &mut ProfileBuilder,
        make: impl FnOnce(&ParsedFrame<'_>, &mut ProfileBuilder) -> F,
    ) -> Used {
        let Some(record) = &self.open else { return Used::NotMine };
        let next =
            if record.is_over() { self.next_of(record, line) } else { Some(record.looked_up) };
        let Some(next) = next else { return Used::NotMine };
        // The prompt of a shell of root looks like a line of which only the sign is left.
        let is_prompt = line.trim_ascii() == b"#" && self.is_whole(record);
        let Some(record) = &mut self.open else { return Used::NotMine };
        record.looked_up = next;
        // With its colon: of nothing behind it there is no set yet, as of any line that is new.
        let labels = line.strip_prefix(b"# labels").filter(|labels| labels.starts_with(b":"));
        if let Some(labels) = labels {
            let known = self.label_lines.intern(labels);
            if known.index() == self.labels.len() {
                let (set, result) = parse_labels(labels.get(1..).unwrap_or_default(), builder);
                if let Err(text) = result {
                    builder.input_mut(self.input).warn(WarningKind::Labels, Some(number), text);
                }
                self.labels.push(set);
            }
            record.labels = self.labels.get(known.index()).copied().unwrap_or(LabelsId::NONE);
            return Used::Took;
        }
        // Exported profiles have no addresses, and any names.
        let has_pcs = pcs(&self.first_line).next().is_some();
        let mut is_of_record = |address: u64| {
            if address == 0 || !has_pcs {
                return true;
            }
            let is_at = |pc: u64| pc.wrapping_sub(address) <= 1;
            let found = find_pc(&self.first_line, record.looked_up, is_at);
            record.looked_up = found.unwrap_or(self.first_line.len());
            found.is_some()
        };
        if let Some((known, frame)) = self.lines.get(line) {
            if record.has_new && !is_of_record(address_and_named(line).0) {
                record.cut.get_or_insert(number);
            }
            self.frames.push(frame);
            self.frame_lines.push(known);
            return Used::Took;
        }
        match parse_frame(line) {
            Some(parsed) => {
                record.has_new = true;
                let contradicts = |known| parsed.contradicts(&known);
                let is_other = !is_of_record(parsed.address)
                    || has_pcs && parsed.overwritten
                    || self.lines.alike(line).filter_map(parse_frame).any(contradicts);
                let frame = make(&parsed, builder);
                let new = self.lines.insert(line, frame);
                self.frame_lines.push(new);
                if self.is_utf8 && std::str::from_utf8(line).is_err() {
                    self.is_utf8 = false;
                    let text = "names that aren't UTF-8";
                    builder.input_mut(self.input).warn(WarningKind::NotUtf8, Some(number), text);
                }
                self.frames.push(frame);
                if is_other || names::has_lost_a_part(parsed.func, parsed.file) {
                    record.cut = Some(number);
                }
                self.symbolized |= !parsed.file.is_empty();
                self.has_frames = true;
                Used::Took
            }
            None if is_prompt => Used::Took,
            None if line.trim_ascii() == b"#" || address_and_named(line).0 != 0 => {
                record.cut = Some(number);
                Used::Took
            }
            None => self.unknown(line),
        }
    }

    /// The addresses of the current record, leaf first.
    pub(super) fn pcs(&self) -> impl DoubleEndedIterator<Item = &[u8]> + Clone {
        pcs(&self.first_line)
    }

    /// Where in the first line the address of a frame line behind a blank one stands, if it is the next of the record.
    fn next_of(&self, record: &Record, line: &[u8]) -> Option<usize> {
        let last = self.lines.text(self.last_line());
        let [at, last_at] = [line, last].map(|line| address_and_named(line).0);
        let find = |address: u64, from: usize| {
            find_pc(&self.first_line, from, |pc| pc.abs_diff(address) <= 1)
        };
        let found = find(last_at, record.looked_up)?;
        // Inlined calls have one address; the same call again, another one.
        let behind = self.first_line.get(found..)?.iter().position(|&byte| byte == b' ');
        match line == last {
            true => find(at, found.saturating_add(behind?).saturating_add(1)),
            false => find(at, found),
        }
    }

    /// Notes that a record, which stands for so many, has addresses and no frame lines.
    pub(super) fn lacks_all_frames(&mut self, record: &Record, weight: u64) {
        // `threadcreate` has 0 and -1 where no stack is known.
        if self.pcs().filter_map(hex).any(|pc| pc.wrapping_add(1) > 1) {
            self.frameless_line.get_or_insert(record.line);
            self.frameless = self.frameless.saturating_add(weight);
        }
    }

    /// Warns of records without frame lines if others have some, or if Go certainly wrote them: it prints one for each
    /// address, C++ programs none.
    pub(super) fn warn_of_frameless(&self, is_of_go: bool, builder: &mut ProfileBuilder) {
        if (self.has_frames || is_of_go) && self.frameless > 0 {
            let input = builder.input_mut(self.input);
            input.seen.partial = input.seen.partial.saturating_add(self.frameless);
            let text = "the stack of this record is cut";
            input.warn(WarningKind::Partial, self.frameless_line, text);
        }
    }

    /// Whether frames are missing between its first and last one, or behind them: each address has one or more,
    /// as Go hides only functions of the runtime at the start, and `runtime.goexit` at the end; those at the start
    /// are never hidden where it `shows_all`. Lines that stand there more often than their address are as bad.
    pub(super) fn lacks_frames(&self, shows_all: bool) -> bool {
        let Some(&first) = self.frame_lines.first() else { return false };
        // Go 1.23 and later fill the records of `threadcreate` up with zeros.
        let pcs = || self.pcs().filter_map(hex).filter(|&pc| pc != 0);
        let address = |line: LineAt| address_and_named(self.lines.text(line)).0;
        let (first, last) = (address(first), address(self.last_line()));
        // PCs are those of returns.
        let is_at = |pc: u64, address: u64| pc.wrapping_sub(address) <= 1;
        if pcs().next().is_some() && !self.is_in_order() {
            return true;
        }
        if shows_all && first != 0 && pcs().next().is_some_and(|pc| !is_at(pc, first)) {
            return true;
        }
        // Nothing is missing if there are as many frames as addresses, each of which has an `x`.
        if memchr::memchr_iter(b'x', &self.first_line).count() <= self.frames.len() {
            return false;
        }
        let all = pcs().count();
        // Those between needn't be parsed.
        let before = pcs().take_while(|&pc| !is_at(pc, first)).count();
        let behind = pcs().rev().take_while(|&pc| !is_at(pc, last)).count();
        let between = all.saturating_sub(before).saturating_sub(behind);
        // `threadcreate` has 0 and -1 where no stack is known.
        first != 0 && (between > self.frames.len() || (2..all).contains(&behind))
    }

    /// Whether the frame lines have the addresses of the record's first line, in their order. The same line again is
    /// another call, which has an address of its own; inlined calls can have the same.
    fn is_in_order(&self) -> bool {
        let mut pcs = self.pcs().peekable();
        let mut before: Option<(LineAt, &[u8])> = None;
        self.frame_lines.iter().all(|&line| {
            let address = address_text(self.lines.text(line));
            // Exported profiles have lines without addresses, and `threadcreate` one without a stack.
            if address.is_empty() || address == b"0x0" {
                return true;
            }
            match before.filter(|(last, _)| *last == line) {
                Some((_, found)) => {
                    pcs.next();
                    while pcs.next_if(|pc| *pc != found).is_some() {}
                }
                None => while pcs.next_if(|pc| !is_call_before(pc, address)).is_some() {},
            }
            // Where this is the address itself, as behind a signal, the next one may be that which the call returns to.
            if pcs.peek() == Some(&address) {
                let mut behind = pcs.clone();
                behind.next();
                if behind.next().is_some_and(|pc| is_call_before(pc, address)) {
                    pcs.next();
                }
            }
            before = pcs.peek().map(|&pc| (line, pc));
            before.is_some()
        })
    }

    /// The line of the last frame; that of no line if there is none.
    fn last_line(&self) -> LineAt {
        self.frame_lines.last().copied().unwrap_or_default()
    }

    /// Whether a record without a blank line after it lacks frames: its root must be the last PC,
    /// or the one before if the last is the hidden `runtime.goexit`. Addresses are those of calls,
    /// PCs those of returns.
    pub(super) fn breaks_off(&self) -> bool {
        let line = self.lines.text(self.last_line());
        let (address, named) = address_and_named(line);
        if !named {
            // `threadcreate` has 0 where no stack is known. No other address starts with 0, so it is whole.
            return self.symbolized && !line.trim_ascii_end().ends_with(b"0x0");
        }
        // Go 1.23 and later fill the records of `threadcreate` up with zeros.
        let pcs = self.pcs().rev().take(THREAD_STACK).filter_map(hex).filter(|&pc| pc != 0);
        let mut last = pcs.take(2).peekable();
        last.peek().is_some() && !last.any(|pc| pc.abs_diff(address) <= 1)
    }
}

/// Whether a text may be left of a line of a record.
fn may_be_of_record(line: &[u8]) -> bool {
    // Lines of records end with digits; the last ones of an address can be letters.
    let is_short_word =
        || line.iter().all(u8::is_ascii_alphabetic) && !line.iter().all(u8::is_ascii_hexdigit);
    let is_word = line.len() > 3 && line.iter().any(u8::is_ascii_alphabetic) || is_short_word();
    !is_word
        || line.iter().any(|byte| b"#@\t".contains(byte))
        || memchr::memmem::find(line, b"0x").is_some()
        || is_stray(line)
        // `s:463` of an assembly file.
        || !line.contains(&b' ') && file_and_line(line).is_some()
}
