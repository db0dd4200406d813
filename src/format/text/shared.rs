//! State that the streams of one input share.

use super::beside::{Beside, bare, has_marks};
use super::losses::{Loss, Losses};
use super::races::Races;
use crate::format::Observer;
use crate::format::traceback::cache::Records;
use crate::format::traceback::{closing, cut_header, lines, lookalike};
use crate::profile::{Input, InputId, ProfileBuilder};
use memchr::memmem::Finder;
use std::sync::LazyLock;

/// State that all streams of one input share.
pub(crate) struct Shared<'a, 'o> {
    /// Collects everything that is read.
    pub(crate) builder: &'a mut ProfileBuilder,
    /// Name, path and labels for the inputs that are made.
    pub(crate) template: &'a Input,
    /// The input to which streams without one of their own add.
    pub(crate) input: Option<InputId>,
    /// Samples by the text of their goroutines.
    pub(crate) records: &'a mut Records,
    /// Is called with lines that may name the input.
    pub(crate) observer: Option<&'a mut Observer<'o>>,
    /// Lines of text before the first input was made.
    pub(crate) text_lines: u64,
    /// Bytes of lines inside containers that were dropped because the lines are too long.
    pub(crate) dropped: u64,
    /// What the text shows to be lost.
    losses: Losses,
    /// The line of the first stack of the runtime that belongs to no goroutine.
    pub(crate) runtime_stack: Option<u64>,
    /// The line of the first frame that a logger or an error wrote, in a text that holds no dump so far.
    pub(crate) logged_frame: Option<u64>,
    /// The last line that looks like a header, in a text that holds no dump so far, and whether it ends with that: what
    /// quotes a header goes on.
    unread_header: Option<(u64, bool)>,
    beside: Beside,
    races: Races,
    /// The name of a profile in the text that isn't read.
    pub(crate) other_profile: Option<String>,
}

impl<'a, 'o> Shared<'a, 'o> {
    /// The state before anything is read.
    pub(crate) fn new(
        builder: &'a mut ProfileBuilder,
        template: &'a Input,
        observer: Option<&'a mut Observer<'o>>,
        records: &'a mut Records,
    ) -> Shared<'a, 'o> {
        records.rebind(builder.generation());
        Shared {
            builder,
            template,
            input: None,
            records,
            observer,
            text_lines: 0,
            dropped: 0,
            losses: Losses::default(),
            runtime_stack: None,
            logged_frame: None,
            unread_header: None,
            beside: Beside::default(),
            races: Races::default(),
            other_profile: None,
        }
    }

    /// Notes lines of a kind, the first of which has this number.
    pub(super) fn lost(&mut self, loss: Loss, count: u64, first: u64) {
        self.losses.add(loss, count, first, self.input);
    }

    /// How many lines were told as losses so far.
    pub(super) fn lost_lines(&self) -> u64 {
        self.losses.lines()
    }

    /// Notes that the first line of a report of the race detector was read.
    pub(super) fn race_report(&mut self) {
        self.races.report();
    }

    /// Notes that a line of a goroutine was read.
    pub(super) fn dump_line(&mut self) {
        if let Some(number) = self.beside.dump() {
            self.lost(Loss::Notice, 1, number);
        }
    }

    /// Notes that a line of text was read.
    pub(super) fn text_line(&mut self, line: &[u8], number: u64) {
        // The words begin a line of prose, too, but not directly behind a dump and alone.
        let is_word = |start: &[u8]| [&b"gor"[..], b"goroutine"].contains(&start);
        let is_start = |start: &[u8]| is_word(start) || cut_header::can_be_cut_header(start);
        let is_cut_header = || {
            let mut mended = Vec::new();
            let line = bare(line, &mut mended);
            is_start(closing::before_quote(line)) || cut_header::is_glued_header(line)
        };
        let is_cut_header = self.is_after_dump() && is_cut_header();
        self.lost(Loss::Header, is_cut_header.into(), number);
        if self.beside.text(line, number) {
            self.lost(Loss::Notice, 1, number);
        }
    }

    /// Whether a line is the start of a header where it stands.
    fn is_cut_header(&self, line: &[u8]) -> bool {
        let mut mended = Vec::new();
        let line = if may_be_cut(line) { bare(line, &mut mended) } else { line };
        cut_header::is_cut_header(line)
            || cut_header::opens_in_quote(line)
            || self.is_after_dump() && cut_header::can_be_cut_header(line)
    }

    /// Whether the last line is one of a goroutine.
    pub(super) fn is_after_dump(&self) -> bool {
        self.beside.is_after_dump()
    }

    /// Calls the observer with a line that may name the input.
    pub(super) fn observe(&mut self, line: &[u8]) {
        if let Some(observer) = &mut self.observer
            && !observer(line)
        {
            self.observer = None;
        }
    }

    /// Notes a line that became part of nothing; returns whether it looks like the header of a goroutine.
    pub(super) fn passed_over(&mut self, line: &[u8], number: u64) -> bool {
        if self.input.is_some() && starts_compressed(line) {
            self.lost(Loss::Packed, 1, number);
        }
        let mut mended = Vec::new();
        let text = if may_be_cut(line) { bare(line, &mut mended) } else { line };
        let is_cut_report = self.races.is_cut_report(text);
        self.races.line(text, number);
        self.lost(Loss::Race, is_cut_report.into(), number);
        let is_cut = self.is_cut_header(line);
        if !lookalike::may_hold_pieces(line) {
            self.lost(Loss::Header, is_cut.into(), number);
            return is_cut;
        }
        let plain = lookalike::plain(line);
        let line = plain.as_deref().unwrap_or(line);
        let headers = lookalike::count(line);
        if headers > 0 && self.input.is_none() {
            self.unread_header = Some((number, line.trim_ascii_end().ends_with(b":")));
        }
        let found = headers.max(is_cut.into());
        let of_profiles = lookalike::starts_profile(line);
        self.lost(Loss::Header, found.saturating_add(of_profiles.into()), number);
        found > 0
    }

    /// Notes a line of text that may be all there is of a stack.
    pub(super) fn note_logged_frame(&mut self, line: &[u8], number: u64) {
        let is_first = self.input.is_none() && self.logged_frame.is_none();
        if is_first && lines::is_frame_of_logger(line) {
            self.logged_frame = Some(number);
        }
    }

    /// Counts bytes of lines inside containers that were dropped.
    pub(super) fn drop_bytes(&mut self, bytes: usize) {
        self.dropped = self.dropped.saturating_add(bytes as u64);
    }

    /// The line of the first frame that was skipped.
    pub(super) fn first_frame(&self) -> Option<u64> {
        self.losses.first(Loss::Frame).into_iter().chain(self.runtime_stack).min()
    }

    /// The line of a header at the end of a text of so many lines, or in a record that has no end: what it starts is
    /// cut off.
    pub(super) fn last_header(&self, lines: u64) -> Option<u64> {
        let is_cut = self.losses.first(Loss::Quote).is_some();
        let (number, ends) = self.unread_header?;
        let is_last = ends && number.saturating_add(LAST_LINES) >= lines;
        (is_cut || is_last).then_some(number)
    }

    /// Whether nothing was skipped that can be a part of a goroutine.
    pub(super) fn lost_nothing(&self) -> bool {
        self.losses.is_empty() && self.races.are_none()
    }

    /// Warns of the lines that were skipped.
    pub(super) fn warn_of_losses(&mut self) {
        if let Some(number) = self.races.missing() {
            self.lost(Loss::Race, 1, number);
        }
        for told in self.losses.told() {
            let Some(input) = told.input.or(self.input) else { continue };
            let input = self.builder.input_mut(input);
            input.warn(told.kind, Some(told.line), told.text);
            if told.loss == Loss::Frame {
                input.seen.partial = input.seen.partial.saturating_add(1);
            }
        }
    }

    /// Adds another input, to which streams without one of their own add from now on.
    pub(super) fn new_input(&mut self) -> InputId {
        let mut input = self.template.clone();
        input.seen.text_lines = std::mem::take(&mut self.text_lines);
        let id = self.builder.input(input);
        self.input = Some(id);
        id
    }

    /// Whether goroutines can be added to an input: not after a profile that measures something
    /// else.
    pub(super) fn takes_goroutines(&self, input: InputId) -> bool {
        let input = self.builder.inputs().get(input.index());
        input.is_some_and(|input| input.header.sample_types.is_empty())
    }

    /// Whether only regular goroutines matter, so that the fast way can be taken.
    pub(super) fn fast(&self) -> bool {
        let keep = self.builder.keep();
        self.observer.is_none() && !keep.arguments && !keep.calls
    }
}

/// With a call behind it, a header starts a goroutine that is read, if cut. Texts about dumps quote headers, too, but
/// not at their ends.
const LAST_LINES: u64 = 2;

/// Whether a line has no marks around it, or a word of a header or of the race detector. Each line of a log can be
/// coloured, and to look at all without the colours took as long as everything else.
fn may_be_cut(line: &[u8]) -> bool {
    !has_marks(line) || WORDS.iter().any(|word| word.find(line).is_some())
}

static WORDS: [LazyLock<Finder<'static>>; 4] = [
    LazyLock::new(|| Finder::new(b"gor")),
    LazyLock::new(|| Finder::new(b"Gorou")),
    LazyLock::new(|| Finder::new(b"WARNING")),
    LazyLock::new(|| Finder::new(b"race")),
];

/// Whether a line holds the first bytes of a gzip or zstd stream: files were put together.
fn starts_compressed(line: &[u8]) -> bool {
    const MAGIC: [&[u8]; 2] = [b"\x1f\x8b\x08", b"\x28\xb5\x2f\xfd"];
    // The second bytes are in no ASCII.
    memchr::memchr2(0x8b, 0xb5, line).is_some()
        && MAGIC.iter().any(|magic| memchr::memmem::find(line, magic).is_some())
}
