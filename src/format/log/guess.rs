//! Prefixes of no known kind: indentation (`t.Log`, YAML), timestamps of any form, or a prefix of
//! the header only (klog, `leaked goroutine: `).
//!
//! The line of a header doesn't show which it is, but the next one does. So lines are held back
//! until it is known, and a header without a frame after it isn't one: logs can talk about headers.

use super::records::is_quoted_start;
use super::shape::{Shape, identity};
use super::{GAP, Unwrapped, keyword, reversed, wraps_dump};
use crate::format::bruise;
use crate::format::debug1;
use crate::format::goleak;
use crate::format::quoted::unquote_line;
use crate::format::start::{follows_header, is_header, is_race, starts_dump, without_cr};
use crate::format::traceback::cut_header::START;
use crate::format::traceback::header::leading_number;
use crate::format::traceback::lines::indented_place;
use crate::format::traceback::lookalike;
use memchr::memmem;

/// The maximal number of bytes before a header.
const PREFIX: usize = 256;
/// How many bytes of a crash's text are held back until its first goroutine comes.
const HELD: usize = 16 << 10;

/// How many bytes of a header and the blank lines after it are held back.
const HELD_BLANKS: usize = 1 << 10;

#[derive(Debug)]
pub(super) struct Guess {
    /// The prefix of the first line.
    prefix: Box<[u8]>,
    /// The prefix of further headers, if a message is a part of it that other lines don't have.
    of_headers: Option<Shape>,
    /// What stands in front of that message, behind which other messages can stand.
    of_all: Option<Shape>,
    /// Whether the first line is a header, or the last place of a goroutine in a log with its last
    /// line first: a call follows. Otherwise it announces a crash, and more such lines can come
    /// before the header.
    header: bool,
    /// Whether the first line is such a place.
    pub(super) is_reversed: bool,
    /// The lines held back, as read, each with a newline.
    held: Vec<u8>,
    /// The lines above them, which have the same prefix.
    above: Vec<u8>,
    mode: Mode,
}

#[derive(Clone, Debug)]
enum Mode {
    Unknown,
    /// Every line starts with these blanks.
    Indent(Box<[u8]>),
    /// Every line starts with a prefix like the first one.
    Shape(Shape),
    /// Only the first line had a prefix, or it didn't start a dump.
    Over,
}

/// The text after the prefix of a line, preceded by the lines held back; otherwise the result for
/// the line.
pub(super) type Stripped<'a> = Result<&'a [u8], Unwrapped>;

impl Guess {
    /// A guess for lines from this one on, if it can be the first.
    pub(super) fn of(line: &[u8]) -> Option<Guess> {
        let blanks = blanks(line);
        let at = if blanks > 0 && line.get(blanks..).is_some_and(starts_dump) {
            blanks
        } else {
            // The place in a debug=1 text has its function in front, no prefix.
            let is_place = |&at: &usize| at > 0 && lookalike::records(line) == 0;
            inner_start(line).or_else(|| reversed::place_after_prefix(line).filter(is_place))?
        };
        let (prefix, text) = line.split_at_checked(at)?;
        let quoted = unquote_line(text);
        let text = quoted.as_deref().unwrap_or(text);
        let is_reversed = reversed::is_place(text);
        let header = is_header(text)
            || is_race(text)
            || is_reversed
            || lookalike::joined_header(text).is_some();
        // What another process goes on in, with all of a header or only its start.
        let is_start =
            goleak::is_start(prefix) || starts_as_header(prefix) || lookalike::count(prefix) > 0;
        (prefix.len() <= PREFIX && !is_start).then(|| Guess {
            prefix: prefix.into(),
            of_headers: None,
            of_all: None,
            header,
            is_reversed,
            held: Vec::new(),
            above: Vec::new(),
            mode: Mode::Unknown,
        })
    }

    /// Whether the next line decides; then it must be complete.
    pub(super) fn undecided(&self) -> bool {
        matches!(self.mode, Mode::Unknown)
    }

    /// Whether each line has a prefix, and isn't only indented.
    pub(super) fn is_prefixed(&self) -> bool {
        match self.mode {
            Mode::Unknown => self.has_text(),
            Mode::Shape(_) => true,
            Mode::Indent(_) | Mode::Over => false,
        }
    }

    /// Identifies this stream among those with other prefixes; empty if lines are only indented.
    pub(super) fn stream(&self) -> Vec<u8> {
        if self.is_prefixed() { identity(&self.prefix) } else { Vec::new() }
    }

    /// Whether the line has the same prefix as the first one.
    pub(super) fn has_prefix(&self, line: &[u8]) -> bool {
        match &self.mode {
            Mode::Unknown => self.has_text() && Shape::new(&self.prefix).strip(line).is_some(),
            Mode::Shape(shape) => self.text_behind(shape, line).is_some(),
            Mode::Indent(_) | Mode::Over => false,
        }
    }

    /// The header behind the first one's message.
    fn header_in<'l>(&self, line: &'l [u8]) -> Option<&'l [u8]> {
        self.of_headers.as_ref()?.strip(line).filter(|text| is_header(text))
    }

    fn text_behind<'l>(&self, shape: &Shape, line: &'l [u8]) -> Option<&'l [u8]> {
        self.header_in(line).or_else(|| shape.strip(line)).or_else(|| {
            // The other lines are indented further, and messages can differ.
            let text = self.of_all.as_ref()?.strip(line)?;
            let header = inner_start(text).and_then(|at| text.get(at..));
            Some(header.filter(|header| is_header(header)).unwrap_or(text))
        })
    }

    /// The text behind the prefix of a line, or of the first one.
    pub(super) fn text_of<'l>(&self, line: &'l [u8]) -> Option<&'l [u8]> {
        match &self.mode {
            Mode::Shape(shape) => self.text_behind(shape, line),
            Mode::Unknown if self.has_text() => line.strip_prefix(&*self.prefix),
            _ => None,
        }
    }

    /// Takes the lines directly above the first one that have the same prefix; returns how many.
    pub(super) fn hold_above(&mut self, lines: &[&[u8]]) -> usize {
        let first = lines.iter().rposition(|line| !self.has_prefix(line));
        let lines = lines.get(first.map_or(0, |at| at.saturating_add(1))..).unwrap_or_default();
        for line in lines {
            self.above.extend_from_slice(line);
            self.above.push(b'\n');
        }
        lines.len()
    }

    /// Whether the line decides what the held lines are.
    pub(super) fn is_decided_by(&self, line: &[u8]) -> bool {
        self.held.is_empty() || self.mode_of(line).is_some()
    }

    /// Whether the line shows that only the held one has a prefix.
    pub(super) fn awaits(&self, line: &[u8]) -> bool {
        let holds = self.undecided() && !self.held.is_empty();
        holds && matches!(self.mode_of(line), Some(Mode::Over | Mode::Indent(_)))
    }

    /// Whether the prefix of the first line is more than blanks.
    fn has_text(&self) -> bool {
        self.prefix.iter().any(|byte| !b" \t".contains(byte))
    }

    /// Takes a line or, once decided, the beginning of one. Lines held back are appended to `out`
    /// once it is known what they are; the caller appends the text of this line.
    pub(super) fn strip<'a>(&mut self, line: &'a [u8], out: &mut Vec<u8>) -> Stripped<'a> {
        match &self.mode {
            Mode::Unknown => self.decide(line, out),
            Mode::Indent(indent) => match self.header_in(line).or_else(|| unindented(line, indent))
            {
                Some(text) => Ok(text),
                // Some tools trim the lines of places.
                None if line.first() == Some(&b'/') && indented_place(line).is_some() => Ok(line),
                None if line == GAP => Ok(line),
                None => {
                    // The lines from here on aren't part of the dump.
                    out.push(b'\n');
                    self.mode = Mode::Over;
                    Err(Unwrapped::Over)
                }
            },
            Mode::Shape(shape) => self.text_behind(shape, line).ok_or(Unwrapped::Foreign),
            Mode::Over => Err(Unwrapped::Over),
        }
    }

    /// Appends the held lines when no more come.
    pub(super) fn finish(&mut self, out: &mut Vec<u8>) {
        self.mode = Mode::Over;
        out.append(&mut self.above);
        out.append(&mut self.held);
    }

    fn decide<'a>(&mut self, line: &'a [u8], out: &mut Vec<u8>) -> Stripped<'a> {
        if self.held.is_empty() {
            self.hold(line);
            return Err(Unwrapped::Held);
        }
        match self.mode_of(line) {
            Some(Mode::Unknown) => {
                self.hold(line);
                if self.held.len() <= HELD {
                    return Err(Unwrapped::Held);
                }
                // This line isn't taken, so only those before it are appended.
                let before = self.held.len().saturating_sub(line.len()).saturating_sub(1);
                self.held.truncate(before);
                self.finish(out);
                Err(Unwrapped::Over)
            }
            Some(mode) => {
                self.note_message(&mode);
                self.mode = mode;
                self.release(out);
                let mode = &self.mode;
                match mode {
                    Mode::Indent(indent) => unindented(line, indent).ok_or(Unwrapped::Over),
                    Mode::Shape(shape) => shape.strip(line).ok_or(Unwrapped::Over),
                    _ => Err(Unwrapped::Over),
                }
            }
            None => {
                self.finish(out);
                Err(Unwrapped::Over)
            }
        }
    }

    /// Notes that a message is a part of the first prefix, if other lines have that of this mode.
    fn note_message(&mut self, mode: &Mode) {
        let shares = match mode {
            Mode::Shape(shape) => shape.is_of(&self.prefix),
            Mode::Indent(indent) => **indent == *self.prefix,
            Mode::Unknown | Mode::Over => true,
        };
        if shares {
            return;
        }
        if let Mode::Shape(shape) = mode {
            self.of_all = self.in_front_of_message(shape);
        }
        self.of_headers = Some(Shape::new(&self.prefix));
    }

    /// What stands in front of the message in the first prefix, where other lines have this shape. Lines outside of the dump
    /// needn't be indented.
    fn in_front_of_message(&self, shape: &Shape) -> Option<Shape> {
        let mut starts = self.before_words();
        let start = starts.find(|start| shape.starts_with(&Shape::new(start)))?;
        let with_blank = start.trim_ascii_end().len().saturating_add(1);
        Some(Shape::new(start.get(..with_blank).unwrap_or(start)))
    }

    /// The parts of the first prefix that end in front of a word of it, but for indentation; longer ones first.
    fn before_words(&self) -> impl Iterator<Item = &[u8]> {
        // A colon follows the numbers of lines.
        const ENDS: [&[u8]; 5] = [b" ", b"\t", b":", b"\x1b[0m", b"\x1b[m"];
        let starts = (1..self.prefix.len()).rev().filter_map(|at| self.prefix.get(..at));
        starts.filter(|before| {
            ENDS.iter().any(|end| before.ends_with(end)) && !before.trim_ascii().is_empty()
        })
    }

    fn hold(&mut self, line: &[u8]) {
        self.held.extend_from_slice(line);
        self.held.push(b'\n');
    }

    /// The mode of the held lines, given the line after them; [`Mode::Unknown`] if that doesn't
    /// decide, `None` if they aren't a dump.
    fn mode_of(&self, line: &[u8]) -> Option<Mode> {
        let goes_on = |text: &[u8]| {
            let mut mended = Vec::new();
            let text = bruise::mend(text, &mut mended).unwrap_or(text);
            let quoted = unquote_line(text);
            let text = quoted.as_deref().unwrap_or(text);
            is_header(text) || debug1::starts(text) || self.header && follows_header(text)
        };
        let own_text = self.has_text();
        let shape = Shape::new(&self.prefix);
        let (indent, unindented) = line.split_at_checked(blanks(line))?;
        let same = if own_text { shape.strip(line) } else { line.strip_prefix(&*self.prefix) };
        // goleak puts a blank before some headers only.
        let shorter = || {
            let shape = Shape::new(self.prefix.strip_suffix(b" ")?);
            shape.strip(line).filter(|text| goes_on(text)).map(|_| shape)
        };
        // A dump in a further container, which is detected once this prefix is cut off.
        let wraps = |text: &[u8]| own_text && wraps_dump(text);
        if same.is_some_and(|text| goes_on(text) || wraps(text)) {
            let indent = || Mode::Indent(self.prefix.clone());
            return Some(if own_text { Mode::Shape(shape) } else { indent() });
        }
        if own_text && let Some(shape) = shorter() {
            return Some(Mode::Shape(shape));
        }
        // A message can stand in front of the header, behind the prefix that the other lines have too.
        let before_message = || {
            let mut texts = self.before_words().filter_map(|before| Shape::new(before).strip(line));
            texts.find_map(|text| {
                let text = text.get(blanks(text)..).filter(|text| goes_on(text))?;
                line.get(..line.len().saturating_sub(text.len())).map(Shape::new)
            })
        };
        if own_text && let Some(shape) = before_message() {
            return Some(Mode::Shape(shape));
        }
        // A paste can begin inside the prefix of its first line; those of the other lines end alike.
        let longer = |fits: &dyn Fn(&[u8]) -> bool| {
            (1..line.len().min(PREFIX)).find_map(|at| {
                let text = shape.strip(line.get(at..)?).filter(|text| fits(text))?;
                line.get(..line.len().saturating_sub(text.len()))
            })
        };
        if own_text && let Some(prefix) = longer(&goes_on) {
            return Some(Mode::Shape(Shape::new(prefix)));
        }
        if !self.header && same.is_some_and(|text| text.starts_with(b"\t")) {
            // The value of a panic can look like anything after the tab.
            return Some(Mode::Unknown);
        }
        if goes_on(unindented) {
            if indent.is_empty() {
                // Only the first line has a prefix. Go puts tabs before the lines of panic values,
                // so a header after a tab isn't one.
                return (own_text || !self.prefix.contains(&b'\t')).then_some(Mode::Over);
            }
            return (own_text || self.prefix.starts_with(indent))
                .then(|| Mode::Indent(indent.into()));
        }
        let silent = |text: &[u8]| {
            text.trim_ascii().is_empty()
                || starts_dump(text)
                || [&b"\t"[..], b"[signal ", b"PC=", b"runtime: "]
                    .iter()
                    .any(|start| text.starts_with(start))
        };
        // Any line with the same prefix can be text of a crash. Between a header and its call there
        // can be blank lines, if line ends were doubled.
        let held = match self.header {
            true => unindented.trim_ascii().is_empty() && self.held.len() <= HELD_BLANKS,
            false => {
                same.is_some()
                    || silent(line)
                    || silent(unindented)
                    || own_text && longer(&silent).is_some()
            }
        };
        held.then_some(Mode::Unknown)
    }

    /// Appends the held lines without their prefix.
    fn release(&mut self, out: &mut Vec<u8>) {
        let (above, held) = (std::mem::take(&mut self.above), std::mem::take(&mut self.held));
        let first = memchr::memchr_iter(b'\n', &above).count();
        let lines_of = |text| <[u8]>::split_inclusive(text, |&byte| byte == b'\n');
        for (number, line) in lines_of(&above).chain(lines_of(&held)).enumerate() {
            let line = line.strip_suffix(b"\n").unwrap_or(line);
            let text = match &self.mode {
                _ if number == first => line.get(self.prefix.len()..),
                Mode::Indent(indent) => unindented(line, indent),
                Mode::Shape(shape) => shape.strip(line),
                _ => Some(line),
            };
            out.extend_from_slice(text.unwrap_or(line));
            out.push(b'\n');
        }
    }
}

/// Whether a prefix is the start of a header above its bracket, with anything behind it: a hole has joined two of them.
fn starts_as_header(prefix: &[u8]) -> bool {
    let id = prefix.strip_prefix(START).and_then(leading_number);
    id.is_some_and(|(_, after)| !after.starts_with(b" [") && !after.starts_with(b" gp="))
}

/// Where in a line a dump begins, after a prefix.
fn inner_start(line: &[u8]) -> Option<usize> {
    let head = line.get(..PREFIX.saturating_mul(2)).unwrap_or(line);
    // `Observed a panic: ...` is a sentence about a panic, whatever its value says.
    let sentence = memmem::find(head, b"Observed a panic: ");
    let mut at = 0usize;
    // A line can contain `goroutine` a few times before the header.
    for _ in 0..8 {
        let found = at.saturating_add(keyword(head.get(at..)?)?);
        // `level=info msg="goroutine 1 [running]:"`: the quotes are the next container.
        let quote = found.saturating_sub(1);
        if quote > 0 && line.get(quote..).is_some_and(is_quoted_start) {
            return Some(quote);
        }
        // The keyword can be inside the start: `[Goroutine 8 in`, `NAME profile: total 5`; a list
        // in a list starts with two brackets.
        let before = |at: usize| {
            let blank = head.get(..at)?.iter().rposition(|&byte| byte == b' ' || byte == b'\t');
            Some(blank.map_or(0, |blank| blank.saturating_add(1)))
        };
        let word = before(found)?;
        let outer = before(word.saturating_sub(1)).filter(|&at| head.get(at) == Some(&b'['));
        let starts = |start: &usize| {
            let in_sentence = sentence.is_some_and(|sentence| sentence < *start);
            *start > 0
                && !in_sentence
                && is_separate(head, *start)
                && line.get(*start..).is_some_and(starts_dump)
        };
        let candidates = [outer.unwrap_or(word), word, found];
        if let Some(start) = candidates.into_iter().find(starts) {
            return Some(start);
        }
        at = found.saturating_add(1);
    }
    None
}

/// Whether the text before a start is separate from it.
fn is_separate(line: &[u8], start: usize) -> bool {
    let before = start.checked_sub(1).and_then(|at| line.get(at));
    before.is_none_or(|byte| !byte.is_ascii_alphanumeric() && *byte != b'_')
}

/// The line without its indentation, which a blank line may have lost.
fn unindented<'a>(line: &'a [u8], indent: &[u8]) -> Option<&'a [u8]> {
    line.strip_prefix(indent).or_else(|| {
        let text = without_cr(line.strip_suffix(b"\n").unwrap_or(line));
        let blank = text.iter().all(|byte| b" \t".contains(byte));
        if blank { line.get(text.len()..) } else { None }
    })
}

fn blanks(line: &[u8]) -> usize {
    line.iter().take_while(|byte| b" \t".contains(byte)).count()
}

#[cfg(test)]
mod tests;
