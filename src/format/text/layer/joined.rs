//! Lines that a hole in a log has left: a part of the prefix that the line above has, or none, and the rest of a later line.

use super::super::losses::Loss;
use super::super::sink::{Sink, split_line};
use super::super::stream::Stream;
use super::above::LONGEST;
use super::{Layer, StreamKey};
use crate::format::debug1;
use crate::format::log::{self, Decoder, common, is_of_goroutine, numbers_alike};
use crate::format::start::{follows_header, is_header, without_cr};
use crate::format::traceback::cut_header::{START, is_stump};
use crate::format::traceback::rest::{is_rest, is_rest_of_call, is_rest_of_creator};
use crate::format::traceback::{lines, names};

/// Longer prefixes aren't looked for: the work for one line grows with the square of its prefix.
const PREFIX: usize = 128;

/// The start of a header above its state is shorter.
const START_OF_HEADER: usize = 32;

/// A rest of so few bytes behind a part of the prefix can be that of any line.
const SHORT: usize = 3;

/// So many bytes of the end of the prefix stand nowhere else by chance.
const LONG: usize = 8;

impl Layer {
    /// Notes a line of no stream, or of a new one (`is_other`), that a hole has left of lines of a goroutine; returns
    /// whether it is one. `taken` is the text of this part of the input above it.
    pub(super) fn note_joined(
        &self,
        taken: &[u8],
        line: &[u8],
        is_other: bool,
        to: &mut Sink<'_, '_, '_>,
    ) -> bool {
        let Some(decoder) = &self.decoder else { return false };
        let interrupted = self.interrupted.as_ref().filter(|_| self.is_interrupted(to));
        let is_after_dump = to.shared.is_after_dump() || interrupted.is_some();
        // The first header is held where the next line decides what its prefix is, or whether it goes on.
        if !is_after_dump && !decoder.holds_line() || line.len() > LONGEST {
            return false;
        }
        let line = without_cr(line);
        // A new stream can start with its own goroutine.
        let own = if is_other { decoder.prefix_of(line) } else { None };
        let own = own.and_then(|prefix| line.get(prefix.len()..));
        let pair = |above| Neighbours::of(decoder, above, line, own);
        let directly = pair(self.line_above(taken));
        let before = interrupted.and_then(|known| pair(&known.start));
        // Between a call and its place stand lines of other programs only.
        let may_be_call = !is_other && !to.stream.awaits(line);
        let is_joined = |pair: &Neighbours| {
            is_joined(line, pair.prefix)
                || is_behind_end_of_prefix(line, pair.prefix)
                || pair.is_left_of_record(is_other)
                || may_be_call && pair.is_end_of_call()
        };
        let is_left = |pair: &Neighbours| {
            let may_be_left = is_after_dump || is_header(pair.above) || debug1::starts(pair.above);
            may_be_left && pair.is_left()
        };
        let is_it = is_after_dump && [&directly, &before].into_iter().flatten().any(is_joined)
            || directly.as_ref().is_some_and(is_left);
        // The first line of a stream is no later one of a goroutine, unless a hole took the name of its own.
        let starts = || is_line_of_go(split_line(&self.unwrapped).0);
        let is_it = is_it || is_other && is_after_dump && starts();
        to.shared.lost(Loss::Record, is_it.into(), self.lines.max(1));
        is_it
    }

    /// Notes a record that can't be read and may hold a line of a dump: one directly behind a goroutine or the message of
    /// a crash, or with such a message. Returns whether it is in such a message, of which it is no line.
    pub(super) fn note_damaged_record(&self, line: &[u8], to: &mut Sink<'_, '_, '_>) -> bool {
        let is_damaged = |decoder: &Decoder| decoder.is_damaged_record(line);
        let is_in_crash = self.stream_of(self.last, to).is_some_and(Stream::is_in_crash);
        let is_beside = is_in_crash || self.is_beside(self.last, to) || log::names_crash(line);
        let is_it = is_beside && self.decoder.as_ref().is_some_and(is_damaged);
        to.shared.lost(Loss::Record, is_it.into(), self.lines.max(1));
        is_it && is_in_crash
    }

    /// Notes lines just unwrapped that a hole has joined with a later header or blank line, so that the end of that one's
    /// prefix is in the text.
    pub(super) fn note_inner_prefix(
        &mut self,
        line: &[u8],
        key: StreamKey,
        to: &mut Sink<'_, '_, '_>,
    ) {
        let mut texts =
            self.unwrapped.split(|&byte| byte == b'\n').filter(|text| may_be_joined(text));
        let Some(first) = texts.next() else { return };
        let prefix = self.decoder.as_ref().and_then(|decoder| decoder.prefix_of(line));
        let Some(prefix) = prefix else { return };
        let number = self.lines.saturating_add(1);
        let is_in_profile = self.stream_of(key, to).is_some_and(Stream::is_in_profile);
        let (mut headers, mut has_end, mut is_certain) = (0, false, false);
        for text in std::iter::once(first).chain(texts) {
            if is_joined_header(text, prefix) {
                headers = 1;
                continue;
            }
            let (end, has_header) = inner_end(text, prefix, is_in_profile);
            has_end |= end >= SHORT;
            is_certain |= has_header && end >= LONG;
        }
        to.shared.lost(Loss::Header, headers, number);
        if has_end {
            self.flush(to);
            let is_it = is_certain || self.is_beside(key, to);
            to.shared.lost(Loss::Record, is_it.into(), number);
        }
    }

    /// Notes a place that has a prefix although its call has none: a hole took the rest of that one's.
    pub(super) fn note_place(&self, text: &[u8], to: &mut Sink<'_, '_, '_>) {
        let (line, _) = split_line(text);
        let prefix = self.decoder.as_ref().and_then(|decoder| decoder.prefix_of(line));
        let place = prefix.and_then(|prefix| line.get(prefix.len()..)).unwrap_or_default();
        let is_it = lines::indented_place(place).is_some()
            && (to.stream.awaits(place) || self.awaits_inside(place, false));
        to.shared.lost(Loss::Record, is_it.into(), self.lines.max(1));
    }

    /// Whether the start of a line has nothing but a part of the prefix that the line before it has, but for numbers.
    pub(super) fn is_part_of_prefix(&self, start: &[u8]) -> bool {
        start.len() < self.before.len() && common(start.iter(), self.before.iter()) == start.len()
    }
}

/// A line that a hole may have left, and what stands above it.
struct Neighbours<'l> {
    /// The prefix of the line above, and what is behind it.
    prefix: &'l [u8],
    above: &'l [u8],
    line: &'l [u8],
    /// What is behind the prefix of the line itself, where that is the first one of a stream.
    own: Option<&'l [u8]>,
}

impl<'l> Neighbours<'l> {
    /// `None` if the line above has no prefix.
    fn of(
        decoder: &Decoder,
        above: &'l [u8],
        line: &'l [u8],
        own: Option<&'l [u8]>,
    ) -> Option<Neighbours<'l>> {
        let prefix = decoder.prefix_of(above)?;
        let above = without_cr(above.get(prefix.len()..).unwrap_or_default());
        Some(Neighbours { prefix, above, line, own })
    }

    /// Whether the line is left of one, and neither goes on with what is above nor starts a goroutine of its own.
    fn is_left(&self) -> bool {
        let starts = |own: &[u8]| !own.is_empty() && (is_header(own) || is_of_goroutine(own));
        !self.own.is_some_and(starts)
            && !can_follow(self.above, self.line)
            && is_left(self.line, self.prefix)
    }

    /// Whether the line is left of a record with a line of a goroutine, and not a record of a stream of its own.
    fn is_left_of_record(&self, is_json: bool) -> bool {
        let is_whole = |own: &[u8]| log::holds_text(own, |_| true);
        is_left_of_record(self.line, self.prefix, is_json) && !self.own.is_some_and(is_whole)
    }

    /// Whether the line is the end of another call below a call.
    fn is_end_of_call(&self) -> bool {
        lines::call(self.above).is_some() && is_end_of_call(self.line)
    }
}

/// Whether a line without a prefix can follow one that has it: in a message of which only the first line has one, and
/// where a terminal broke the line of a creator.
fn can_follow(text: &[u8], line: &[u8]) -> bool {
    is_header(text) && follows_header(line)
        || matches!(lines::created_by(text), Some((_, None))) && is_rest_of_creator(line)
}

/// Whether a line is the start of the prefix, the rest of a line of a goroutine, or one behind the other.
fn is_left(line: &[u8], prefix: &[u8]) -> bool {
    let mut start = common(line.iter(), prefix.iter());
    // Lines of boxes have their first bytes in common: `│ ` and `╵`.
    while line.get(start).is_some_and(|byte| (0x80..0xc0).contains(byte)) && start > 0 {
        start = start.saturating_sub(1);
    }
    // The dump may be indented.
    let text = line.get(start..).unwrap_or_default().trim_ascii_start();
    if is_rest(line) {
        return true;
    }
    match (start, text) {
        (0, _) => false,
        // Editors take away the blanks at the end of a line; a blank one of a mail has its `>` alone.
        (_, []) => {
            let is_word = line.iter().any(u8::is_ascii_alphanumeric);
            is_word && start > 1 && start < prefix.trim_ascii_end().len()
        }
        _ => {
            let is_part = start < prefix.len();
            // The fence of Markdown, indented or quoted as the log is.
            let is_short = text.len() <= SHORT && text != b"```" && text != b"~~~";
            let is_of_line = || is_short || is_rest(text) || is_rest_of_call(text);
            let is_indented = line.get(..start).unwrap_or_default().trim_ascii().is_empty();
            is_part && is_of_line() && !(is_indented && is_field(text))
        }
    }
}

/// Whether a line is the start of the prefix and the rest of a record with a line of a goroutine:
/// `[pod/shop-7f9c/shoplevel":"info","msg":"main.main()"}`. `is_json` where it has to be one of JSON.
fn is_left_of_record(line: &[u8], prefix: &[u8], is_json: bool) -> bool {
    let start = common(line.iter(), prefix.iter());
    let rest = line.get(start..).unwrap_or_default();
    let mut quoted = rest.split(|&byte| byte == b'"');
    (1..prefix.len()).contains(&start)
        && (!is_json || rest.trim_ascii_end().ends_with(b"\"}"))
        && quoted.any(|text| is_line_of_go(text.strip_prefix(br"\t").unwrap_or(text)))
}

/// Whether a text is a field of a record, as hclog writes those behind one of several lines: `n=5`. Places of frames can end
/// in `fp=0xc0 sp=0xc1 pc=0x4a`.
fn is_field(text: &[u8]) -> bool {
    let key = text.iter().take_while(|byte| byte.is_ascii_alphanumeric() || b"_.-".contains(byte));
    let value = text.get(key.count()..).unwrap_or_default().strip_prefix(b"=");
    !text.starts_with(b"=") && value.is_some_and(|value| !value.starts_with(b"0x"))
}

/// Whether a line is a call with arguments of Go, or the end of one: `uireMutex({0x1, 0x2})`, `n.f(...)`. Lines of other
/// services end in a call, too: `db-0 db free(0x7f12)`.
fn is_end_of_call(line: &[u8]) -> bool {
    const STARTS: [&[u8]; 4] = [b"0x", b"{0x", b"{{0x", b"...)"];
    let arguments = lines::call(line).and_then(|func| line.get(func.len().saturating_add(1)..));
    is_rest_of_call(line)
        && arguments.is_some_and(|all| STARTS.iter().any(|start| all.starts_with(start)))
}

/// Whether a line is one of a goroutine, below its header, or a record with one.
fn is_of_go(line: &[u8]) -> bool {
    is_line_of_go(line) || log::holds_text(line, is_line_of_go)
}

/// Whether a text certainly is one.
fn is_line_of_go(text: &[u8]) -> bool {
    match (lines::call(text), lines::created_by(text)) {
        (Some(func), _) => names::is_certain(func) && is_rest_of_call(text),
        // `created by root in group 3`
        (_, Some((func, _))) => names::is_certain(func),
        _ => !text.trim_ascii().is_empty() && is_of_goroutine(text),
    }
}

/// What stands behind the end of the prefix, and that end, for each one that the line starts with and that isn't only
/// blanks.
fn behind_ends<'l>(line: &'l [u8], prefix: &'l [u8]) -> impl Iterator<Item = (&'l [u8], &'l [u8])> {
    let prefix = if prefix.len() > PREFIX { b"" } else { prefix };
    let ends = (1..prefix.len()).filter_map(|from| prefix.get(from..));
    ends.filter(|end| !end.trim_ascii().is_empty()).filter_map(|end| {
        let is_start = common(line.iter(), end.iter()) == end.len().min(line.len());
        is_start.then(|| (line.get(end.len()..).unwrap_or_default(), end))
    })
}

/// Whether a line has the end of the prefix and a line of Go behind it.
fn is_behind_end_of_prefix(line: &[u8], prefix: &[u8]) -> bool {
    behind_ends(line, prefix).any(|(text, _)| is_of_go(text))
}

/// Whether a text is worth a closer look: it starts as a header, or ends as one or as a prefix, and is none.
pub(super) fn may_be_joined(text: &[u8]) -> bool {
    let is_odd = text.starts_with(b"g") || matches!(without_cr(text), [.., b' ' | b':']);
    is_odd && !is_header(text.trim_ascii_end())
}

/// How much of the end of the prefix stands in a text behind the start of a line of a dump, in front of a header or of
/// nothing, and whether a header follows: `main.mab-1  | goroutine 7 [select]:`. Logs in logs have prefixes that end
/// alike, too.
fn inner_end(text: &[u8], prefix: &[u8], is_in_profile: bool) -> (usize, bool) {
    let text = without_cr(text);
    let at = memchr::memmem::rfind(text, START).filter(|&at| text.get(at..).is_some_and(is_header));
    let before = text.get(..at.unwrap_or(text.len())).unwrap_or_default();
    let end = common(before.iter().rev(), prefix.iter().rev());
    let (start, rest) = before.split_at(before.len().saturating_sub(end));
    let letters = rest.iter().filter(|byte| byte.is_ascii_alphanumeric()).count();
    let is_count = || !start.is_empty() && start.iter().all(u8::is_ascii_digit);
    let is_it = (at.is_some() || letters >= 2)
        && (starts_line(start.trim_ascii_start()) || start.starts_with(b"\t/"))
        || is_in_profile && letters >= 2 && is_count();
    (if is_it { end } else { 0 }, at.is_some())
}

/// Whether a text may be the start of a line of a goroutine, or of the message of a crash.
fn starts_line(text: &[u8]) -> bool {
    const WORDS: [&[u8]; 4] = [lines::CREATED_BY, START, b"panic: ", b"fatal error: "];
    let is_word = |word: &&[u8]| text.starts_with(word) || text.len() > 2 && word.starts_with(text);
    names::is_start(text)
        || lines::open_call(text).is_some()
        || lines::call(text).is_some_and(names::is_certain)
        || WORDS.iter().any(is_word)
}

/// Whether a text is the start of a header, the end of the prefix, and another header or nothing:
/// `gorouZ stderr F goroutine 8 [select]:`, `goroutine 7 f9c/shop] `.
fn is_joined_header(text: &[u8], prefix: &[u8]) -> bool {
    let starts = (1..START_OF_HEADER).map_while(|at| text.split_at_checked(at));
    starts.take_while(|(start, _)| is_stump(start)).any(|(start, rest)| {
        behind_ends(rest, prefix).any(|(behind, end)| {
            // `go1.9.2` behind an address.
            let is_of_digits =
                || end.trim_ascii().iter().all(|byte| b"0123456789.:-".contains(byte));
            let is_end = || start.len() > 1 && end.len() >= SHORT && !is_of_digits();
            is_header(behind) || rest.trim_ascii().len() == end.trim_ascii().len() && is_end()
        })
    })
}

/// Whether a line starts with a part of the prefix, goes on with the end of one, and then with a line of a goroutine that
/// isn't blank; behind a whole prefix, with anything.
fn is_joined(line: &[u8], prefix: &[u8]) -> bool {
    let start = common(line.iter(), prefix.iter());
    if start == prefix.len() || prefix.len() > PREFIX {
        return false;
    }
    let longest = start.saturating_add(prefix.len()).min(line.len());
    (1..=longest).any(|at| {
        let Some((head, text)) = line.split_at_checked(at) else { return false };
        let end = common(head.iter().rev(), prefix.iter().rev()).min(at.saturating_sub(1));
        let is_covered = end > 0 && at.saturating_sub(end) <= start;
        // `web-12` is no `web-1` that goes on.
        is_covered
            && !numbers_alike(head).eq(numbers_alike(prefix))
            && (end == prefix.len() || is_of_go(text.trim_ascii_start()))
    })
}
