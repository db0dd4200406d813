//! Raw lines on their way through the layers around them to the stream that reads them.

use super::layer::Layer;
use super::losses::Loss;
use super::pending::{LineOutcome, LongLine};
use super::shared::Shared;
use super::sink::Sink;
use super::stream::Stream;
use crate::format::hole::Holes;
use crate::format::traceback::lookalike;
use crate::limits::LIMITS;
use crate::profile::WarningKind;
use regex::bytes::Regex;
use std::borrow::Cow;

/// How long a goroutine may be that waits for its rest.
const WAIT: usize = 16 << 10;

/// What a text turned out to hold.
pub(super) enum Content {
    Nothing,
    /// Goroutines, a crash or a race report.
    Dump,
    /// Only frames, from this line on.
    Frames(u64),
    /// Only frames as loggers and errors write them, from this line on.
    LoggedFrames(u64),
    /// Nothing but the start of a first header at its end, in this line.
    Header(u64),
    /// Only a profile of this name, which counts something else.
    OtherProfile(String),
}

/// Reads one text.
pub(super) struct Driver<'a, 'o> {
    pub(super) shared: Shared<'a, 'o>,
    pub(super) prefix: Option<&'a Regex>,
    pub(super) stream: Stream,
    pub(super) layer: Layer,
    holes: Holes,
    cut_lines: u64,
    first_cut_line: u64,
    /// The first line that was read in parts.
    first_parted_line: Option<u64>,
}

impl<'a, 'o> Driver<'a, 'o> {
    /// A driver that has read nothing yet.
    pub(super) fn new(shared: Shared<'a, 'o>, prefix: Option<&'a Regex>) -> Driver<'a, 'o> {
        Driver {
            shared,
            prefix,
            stream: Stream::default(),
            layer: Layer::default(),
            holes: Holes::default(),
            cut_lines: 0,
            first_cut_line: 0,
            first_parted_line: None,
        }
    }
}

impl Driver<'_, '_> {
    /// Whether nothing known has been found yet.
    pub(super) fn unknown(&self) -> bool {
        self.shared.input.is_none() && self.stream.is_outside()
    }

    /// How many bytes of these lines to take before more are there.
    ///
    /// A goroutine of which a part is missing is read line by line, in 30 times as much time as a
    /// whole one, so it better waits for its rest.
    pub(super) fn ready(&self, text: &[u8]) -> usize {
        let is_dump = self.prefix.is_none() && self.shared.input.is_some() && self.layer.is_plain();
        if !is_dump || !self.shared.fast() {
            return text.len();
        }
        let (before, tail) = text.split_at(text.len().saturating_sub(WAIT));
        // Line by line: a search for two line ends takes four times as long from behind.
        let mut lines = tail;
        while let Some(end) = memchr::memrchr(b'\n', lines) {
            lines = lines.get(..end).unwrap_or_default();
            if lines.ends_with(b"\n") {
                return before.len().saturating_add(end).saturating_add(1);
            }
        }
        text.len()
    }

    /// Takes whole raw lines.
    pub(super) fn lines(&mut self, text: &[u8]) {
        self.note_hole(text);
        let text = self.strip(text);
        let mut to = Sink::new(&mut self.stream, &mut self.shared);
        self.layer.lines(&text, self.layer.line_count(), &mut to);
    }

    /// Notes where NUL or 0xff bytes stand for missing text. Looked for in whole texts: the arguments of a call can hold
    /// anything, so a hole that starts in one call and ends in another goes through as a part of them.
    fn note_hole(&mut self, text: &[u8]) {
        if let Some(at) = self.holes.find(text) {
            let before = text.get(..at).unwrap_or_default();
            let lines = memchr::memchr_iter(b'\n', before).count() as u64;
            let number = self.layer.line_count().saturating_add(lines).saturating_add(1);
            self.shared.lost(Loss::Hole, 1, number);
        }
    }

    /// Cuts what `--line-prefix` matches off each line.
    fn strip<'t>(&self, text: &'t [u8]) -> Cow<'t, [u8]> {
        let Some(prefix) = self.prefix else { return text.into() };
        let mut stripped = Vec::with_capacity(text.len());
        for line in text.split_inclusive(|&byte| byte == b'\n') {
            let cut = prefix.find(line).map_or(0, |found| found.end());
            stripped.extend_from_slice(line.get(cut..).unwrap_or_default());
        }
        stripped.into()
    }

    /// Takes a part of a line that is too long to be held; `false` when nothing explains it.
    pub(super) fn part(&mut self, part: &[u8]) -> bool {
        self.note_hole(part);
        let part = self.strip(part);
        let lines = self.layer.line_count();
        let mut to = Sink::new(&mut self.stream, &mut self.shared);
        let is_taken = self.layer.start(&part, lines, &mut to);
        let number = is_taken.then_some(lines.saturating_add(1));
        self.first_parted_line = self.first_parted_line.or(number);
        is_taken
    }

    /// Takes another part of a line whose first parts were taken. One that its container refuses
    /// after all is read without it, as far as it was held.
    pub(super) fn next_part(&mut self, part: &[u8], ends: bool) -> LongLine {
        self.note_hole(part);
        let lines_before = self.layer.line_count();
        let mut to = Sink::new(&mut self.stream, &mut self.shared);
        if self.layer.part(part, ends, &mut to) == LineOutcome::Taken {
            return if ends { LongLine::None } else { LongLine::Taken };
        }
        let mut refused = self.layer.take_refused();
        if ends {
            refused.push(b'\n');
            self.layer.lines(&refused, lines_before, &mut to);
            return LongLine::None;
        }
        self.cut_line(&refused);
        LongLine::Skipped
    }

    /// Takes the start of a line that is too long; the rest of it is skipped.
    pub(super) fn cut_line(&mut self, line: &[u8]) {
        if self.cut_lines == 0 {
            self.first_cut_line = self.layer.line_count().saturating_add(1);
        }
        self.cut_lines = self.cut_lines.saturating_add(1);
        let mut line = line.to_vec();
        line.push(b'\n');
        self.lines(&line);
    }

    /// Ends all streams; answers what was found.
    pub(super) fn finish(mut self, last: &[u8], total: u64) -> Content {
        self.note_hole(last);
        let last = self.strip(last);
        self.layer.finish(&last, &mut Sink::new(&mut self.stream, &mut self.shared));
        self.stream.finish(&mut self.shared);
        self.shared.warn_of_losses();
        let Some(input) = self.shared.input else {
            let lines = self.layer.line_count().saturating_add(1);
            let breaks_off = lookalike::count(&[&last, &b"]:"[..]].concat()) > 0;
            let header = self.shared.last_header(lines).or(breaks_off.then_some(lines));
            if let Some(line) = header {
                return Content::Header(line);
            }
            let logged = self.shared.logged_frame.map_or(Content::Nothing, Content::LoggedFrames);
            let frames = self.shared.first_frame().map_or(logged, Content::Frames);
            return self.shared.other_profile.map_or(frames, Content::OtherProfile);
        };
        let found = self.shared.builder.input_mut(input);
        if self.cut_lines > 0 {
            let text = match self.cut_lines {
                1 => format!("a line is longer than {} bytes and was cut (line)", LIMITS.line),
                lines => {
                    format!(
                        "{lines} lines are longer than {} bytes and were cut (line)",
                        LIMITS.line
                    )
                }
            };
            found.warn(WarningKind::LongLine, Some(self.first_cut_line), text);
        }
        if self.shared.dropped > 0 {
            let text = format!(
                "lines inside a log are longer than {} bytes (line): {} bytes of them were dropped",
                LIMITS.line, self.shared.dropped
            );
            found.warn(WarningKind::LongLine, None, text);
        }
        let is_told = self.cut_lines > 0 || self.shared.dropped > 0;
        if let Some(line) = self.first_parted_line
            && !is_told
            && found.seen.partial > 0
        {
            // Mostly nothing is lost, as in a dump that is one escaped text.
            let text = format!(
                "a line is longer than {} bytes and was read in parts, which can lose the order of its texts (line)",
                LIMITS.line
            );
            found.warn(WarningKind::LongLine, Some(line), text);
        }
        if total == LIMITS.go_dump_cut {
            let text = "the dump is exactly 64 MiB long, where net/http/pprof cuts it: goroutines are missing";
            found.warn(WarningKind::Truncated, None, text);
        }
        Content::Dump
    }
}
