//! A whole dump in one line, escaped: `level=info msg="goroutine 1 [running]:\nmain.main()\n..."`,
//! zap's `"stacktrace":"goroutine 1 ..."`, Go's `%q`, rsyslog's `#012`.
//!
//! Such a line can have gigabytes, so it isn't searched for the text with the dump: every text of
//! several lines is handed on, and everything between texts is dropped.

mod interrupted;
mod quotes;

use super::tail::Tail;
use super::unescape::{Style, Unescape, closing_quote};
use super::words::header_word;
use super::{carries, keyword};
use crate::format::bruise;
use crate::format::start::{announces_crash, is_header, starts_dump};
use crate::format::traceback::header::{Header, find_unquoted};
use crate::format::traceback::lookalike;
use memchr::memmem::find;
use quotes::Quotes;

/// How many bytes of a line, or of one text in it, are looked at before a decision is made.
const LOOK: usize = 64 << 10;

#[derive(Debug)]
pub(super) struct Escaped {
    style: Style,
    unescape: Unescape,
    /// Whether the position is inside a text.
    inside: bool,
    /// Whether this text is handed on.
    shown: bool,
    /// The text until that is decided.
    first: Vec<u8>,
    /// The last byte that was handed on.
    last: Option<u8>,
    /// The end of what was handed on.
    tail: Tail,
    /// Whether a dump broke off in a text with quotes on both sides.
    breaks_off: bool,
    /// Where the position is in the record.
    quotes: Quotes,
    /// How many bytes were fed.
    fed: usize,
    /// The length of the first line, if the text goes on in others.
    width: usize,
}

impl Escaped {
    pub(super) fn new(style: Style) -> Escaped {
        let unescape = Unescape::new(style);
        let inside = style != Style::Quoted;
        let (first, tail, quotes) = (Vec::new(), Tail::default(), Quotes::default());
        let (shown, breaks_off, last, fed, width) = (false, false, None, 0, 0);
        Escaped {
            style,
            unescape,
            inside,
            shown,
            first,
            last,
            tail,
            breaks_off,
            quotes,
            fed,
            width,
        }
    }

    /// A decoder for the line, if it holds an escaped dump.
    pub(super) fn of(line: &[u8], layers: usize) -> Option<Escaped> {
        let line = line.get(..LOOK).unwrap_or(line);
        memchr::memchr2(b'\\', b'#', line)?;
        if !is_escaped_outside_labels(line) {
            return None;
        }
        // Whether the dump is in quotes. Labels have quotes too, but not before the first header.
        let before = line.get(..keyword(line)?)?;
        let quoted = open_quote(before) || find(line, b"\"goroutine ").is_some();
        let styles = match quoted {
            true => [Style::Quoted, Style::Bare, Style::Octal],
            false => [Style::Bare, Style::Octal, Style::Quoted],
        };
        let text_as = |style| {
            let (mut trial, mut text) = (Escaped::new(style), Vec::new());
            trial.feed(line, &mut text);
            // A text of one line can be long, because it is escaped itself.
            text.append(&mut trial.first);
            text
        };
        // HTML must not be undone before the text is turned back: an entity for a quote would end the text.
        let ends_early = [&b"&#34;"[..], b"&quot;"].iter().any(|quote| find(line, quote).is_some());
        let lines = |text: &[u8]| {
            // The last line can be cut; if it is everything, the text doesn't have several lines.
            let end = memchr::memrchr(b'\n', text);
            let lines = text.get(..end.unwrap_or(0)).unwrap_or_default();
            lines.split(|&byte| byte == b'\n').any(|line| {
                let holds = || carries(line, layers) || (ends_early && is_bruised_header(line));
                is_header(line) || (keyword(line).is_some() && holds())
            })
        };
        let last = |text: &[u8]| {
            let start = memchr::memrchr(b'\n', text).map_or(0, |end| end.saturating_add(1));
            let last = text.get(start..).unwrap_or_default();
            text != line
                && layers > 0
                && Escaped::of(last.trim_ascii_start(), layers.saturating_sub(1)).is_some()
        };
        let is_it = |style: &Style| {
            let text = text_as(*style);
            lines(&text) || *style == Style::Quoted && last(&text)
        };
        // Text that was escaped twice.
        let twice = || (last(&text_as(Style::Bare))).then_some(Style::Bare);
        styles.into_iter().find(is_it).or_else(twice).map(Escaped::new)
    }

    /// Takes the next part of the line.
    pub(super) fn feed(&mut self, part: &[u8], out: &mut Vec<u8>) {
        self.fed = self.fed.saturating_add(part.len());
        // In steps, so that an undecided text can't grow with the parts.
        for step in part.chunks(LOOK) {
            self.step(step, out);
        }
    }

    fn step(&mut self, step: &[u8], out: &mut Vec<u8>) {
        let mut rest = step;
        while !rest.is_empty() {
            if !self.inside {
                let quote = memchr::memchr(b'"', rest);
                let between = rest.get(..quote.unwrap_or(rest.len())).unwrap_or_default();
                self.breaks_off |= self.quotes.between(between);
                // After an unescaped quote inside a text, the rest of that text is between two
                // others.
                if !lookalike::holds_pieces(between) {
                    let Some(quote) = quote else { return };
                    if let Some(message) = crash_before_quote(between) {
                        out.extend([message, b"\n\n"].concat());
                    }
                    rest = rest.get(quote.saturating_add(1)..).unwrap_or_default();
                }
                self.breaks_off |= self.quotes.open();
                self.inside = true;
                continue;
            }
            let known = if self.shown { out.len() } else { self.first.len() };
            let after = self.unescape.feed(rest, if self.shown { out } else { &mut self.first });
            if self.shown {
                let new = out.get(known..).unwrap_or_default();
                self.last = new.last().copied().or(self.last);
                self.tail.add(new);
            } else {
                let new = self.first.get(known..).unwrap_or_default();
                if self.first.len() > LOOK || memchr::memchr(b'\n', new).is_some() {
                    self.show(out);
                }
            }
            let Some(after) = after else { return };
            self.breaks_off |= self.shown && (self.tail.breaks_off() || self.tail.lacks_creator());
            let is_handed_on = self.close(out);
            self.quotes.close(is_handed_on);
            rest = after;
        }
    }

    pub(super) fn is_quoted(&self) -> bool {
        self.style == Style::Quoted
    }

    /// Whether a quoted text that is handed on lacks its closing quote so far.
    pub(super) fn is_open(&self) -> bool {
        self.style == Style::Quoted && self.inside && self.shown
    }

    /// Ends a line after which the text may go on.
    pub(super) fn break_line(&mut self) {
        if self.width == 0 {
            self.width = self.fed;
        }
    }

    /// Whether a line is the rest of the text that is open: terminals break long lines, and what is
    /// copied from there stays broken.
    pub(super) fn goes_on_in(&self, line: &[u8]) -> bool {
        // The line may have been broken inside an escape.
        let joined = [self.unescape.cut_escape(), line].concat();
        let quote = closing_quote(&joined).and_then(|at| joined.split_at_checked(at));
        let text = quote.map_or(&*joined, |(text, _)| text);
        let escapes = [&br"\n"[..], br"\t"].iter().any(|escape| find(text, escape).is_some());
        let ends =
            |(_, rest): (&[u8], &[u8])| rest.get(1).is_none_or(|byte| b"},] ".contains(byte));
        let is_text = || line.len() == self.width || quote.map_or(escapes, ends);
        let is_interrupted =
            || interrupted::is_interrupted(self.tail.last_line(), line, self.width);
        !starts_object(line) && is_text() && !is_interrupted()
    }

    /// Ends the line; returns whether a text was cut there, as it had no closing quote, or a dump inside of quotes.
    pub(super) fn end(&mut self, out: &mut Vec<u8>) -> bool {
        let mut cut = false;
        if self.inside {
            self.unescape.end(if self.shown { out } else { &mut self.first });
            self.breaks_off |= !self.shown && self.quotes.end_in(&self.first);
            cut = self.close(out) && self.style == Style::Quoted;
        }
        cut |= self.breaks_off || self.quotes.is_open();
        *self = Escaped::new(self.style);
        cut
    }

    fn show(&mut self, out: &mut Vec<u8>) {
        self.shown = true;
        self.last = self.first.last().copied();
        self.tail = Tail::of(&self.first);
        out.append(&mut self.first);
    }

    /// Ends a text; returns whether it was handed on. A blank line separates different texts.
    fn close(&mut self, out: &mut Vec<u8>) -> bool {
        if !self.shown && (starts_dump(&self.first) || keyword(&self.first).is_some()) {
            self.show(out);
        }
        if self.shown {
            let ends: &[u8] = match (self.style, self.last) {
                (Style::Quoted, Some(b'\n')) => b"\n",
                (Style::Quoted, _) => b"\n\n",
                // Only the end of the line ends it: it may have been cut there.
                _ => b"",
            };
            out.extend_from_slice(ends);
        }
        self.first.clear();
        self.inside = false;
        self.last = None;
        std::mem::take(&mut self.shown)
    }
}

/// Whether something is escaped apart from the labels of the line's first header: those are quoted,
/// and can hold what looks like a dump.
fn is_escaped_outside_labels(line: &[u8]) -> bool {
    let header = header_word()
        .find_iter(line)
        .filter_map(|at| line.split_at_checked(at))
        .find(|(_, rest)| Header::cut(rest).is_some());
    match header {
        Some((before, header)) => {
            find_unquoted(header, |byte| byte == b'\\' || byte == b'#').is_some()
                || before.ends_with(br"\n")
                || before.ends_with(b"#012")
        }
        None => true,
    }
}

/// Whether a line is a header inside elements of HTML or the like.
fn is_bruised_header(line: &[u8]) -> bool {
    let mut mended = Vec::new();
    bruise::mend(line, &mut mended).is_some_and(|mended| {
        mended.split(|&byte| byte == b'\n').any(|line| is_header(line.trim_ascii_start()))
    })
}

/// The message of a crash in front of a quoted stack: `panic: boom` of `10:00:00 panic: boom stack="`.
fn crash_before_quote(text: &[u8]) -> Option<&[u8]> {
    let message = text.get(keyword(text)?..).filter(|message| announces_crash(message))?;
    let name = message.strip_suffix(b"=").and_then(|name| memchr::memrchr(b' ', name));
    Some(message.get(..name.unwrap_or(message.len()))?.trim_ascii_end())
}

/// Whether a line is the start of an object of JSON, with its first key. Arguments of calls stand in braces, too.
fn starts_object(line: &[u8]) -> bool {
    let inside = line.trim_ascii_start().strip_prefix(b"{");
    inside.is_some_and(|inside| inside.trim_ascii_start().starts_with(b"\""))
}

/// Whether a quoted text is open at the end of the bytes.
fn open_quote(mut bytes: &[u8]) -> bool {
    let mut open = false;
    while let Some(end) = closing_quote(bytes) {
        open = !open;
        bytes = bytes.get(end.saturating_add(1)..).unwrap_or_default();
    }
    open
}

#[cfg(test)]
mod tests;
