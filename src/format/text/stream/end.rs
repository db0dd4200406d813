//! The end of a text, and what it leaves open.

use super::Stream;
use crate::format::text::losses::Loss;
use crate::format::text::mode::Mode;
use crate::format::text::shared::Shared;
use crate::format::traceback::cut_header;

impl Stream {
    /// Takes the text after the last line end of the input.
    pub(crate) fn last_line(&mut self, last: &[u8], shared: &mut Shared<'_, '_>) {
        let line = last.strip_suffix(b"\r").unwrap_or(last);
        let breaks_off = |mode: &Mode| match mode {
            Mode::Profile(reader) => reader.breaks_off(line),
            _ => false,
        };
        let was_cut = breaks_off(&self.mode);
        let lost = shared.lost_lines();
        let is_text = !self.line(line, shared);
        if is_text {
            self.text_line(line, shared);
        }
        // The message of a crash takes everything before its goroutines.
        if is_text || matches!(self.mode, Mode::Crash(_)) {
            let is_told = shared.lost_lines() > lost;
            let is_more = cut_header::is_stump(line) && !is_told;
            shared.lost(Loss::Header, is_more.into(), self.line_number);
        }
        let is_cut = was_cut || breaks_off(&self.mode);
        shared.lost(Loss::Line, is_cut.into(), self.line_number);
        self.cut_line = !is_prose(line);
    }

    /// Whether a line can be a part of the open goroutine, also one that is cut, or stand between the records of a profile.
    pub(crate) fn may_go_on(&self, line: &[u8]) -> bool {
        match self.mode {
            Mode::Goroutine => !self.after_blank && !is_prose(line),
            Mode::Profile(_) => line.is_empty(),
            _ => false,
        }
    }

    /// Takes a dump in one mended line, of which `last` is the last line; `false` if nothing of it means anything.
    pub(super) fn one_line(
        &mut self,
        before: &[u8],
        last: &[u8],
        shared: &mut Shared<'_, '_>,
    ) -> bool {
        let number = self.line_number;
        let taken = self.mended_lines(before, shared);
        if taken {
            self.line_number = number;
            self.last_line(last, shared);
            self.end_of_one_line(shared);
        }
        taken
    }

    /// Ends what a dump in one line of a log leaves open: the next line isn't a part of it.
    pub(crate) fn end_of_one_line(&mut self, shared: &mut Shared<'_, '_>) {
        self.end_text(shared);
        self.cut_line = false;
    }

    /// Ends what is open where the text ends.
    fn end_text(&mut self, shared: &mut Shared<'_, '_>) {
        if let Mode::Crash(block) = &mut self.mode {
            let ending = block.finish();
            self.end_crash(ending, shared);
        }
        self.end_goroutine(self.cut_line, !self.after_blank, shared);
        let is_cut = matches!(&self.mode, Mode::Profile(reader) if reader.ends_in_numbers());
        shared.lost(Loss::Line, is_cut.into(), self.line_number);
        self.end_count(true, shared);
    }

    /// Ends the stream.
    pub(crate) fn finish(&mut self, shared: &mut Shared<'_, '_>) {
        self.end_text(shared);
        shared.lost(
            Loss::List,
            self.open_list.is_some().into(),
            self.open_list.unwrap_or_default(),
        );
    }
}

/// Whether a line is text that no line of a goroutine starts like: `exit status 2`, `make: *** [test] Error 1`.
fn is_prose(line: &[u8]) -> bool {
    const STARTS: [&[u8]; 4] = [b"created by", b"goroutine ", b"[", b"..."];
    let word = line.iter().position(|byte| b" (".contains(byte));
    let has_words = word.is_some_and(|at| at > 0 && line.get(at) == Some(&b' '));
    let is_of_goroutine = |start: &&[u8]| line.starts_with(start) || start.starts_with(line);
    has_words && !line.starts_with(b"\t") && !STARTS.iter().any(is_of_goroutine)
}
